"""The primitives of a genome that read, write, edit and search: real files, and what hostile arguments do to them."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import ToolError
from lango_nb.tools.builtin import builtin_tools, paths, primitive_tools, searches, walks
from lango_nb.tools.builtin.fs_previews import MOST_SHOWN
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Preview, ToolResult

OTHERS = {tool.name: tool for tool in builtin_tools()}


@pytest.fixture(autouse=True, params=["handles", "paths"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach places as this system does, and as one without handles of folders does."""
    if request.param == "paths":
        monkeypatch.setattr(paths, "HAS_HANDLES", False)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Make a workspace with a secret beside it, and links that lead there."""
    work, outside = tmp_path / "work", tmp_path / "outside"
    (work / "docs" / "deep").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text("the secret word")
    (work / "a.txt").write_text("one\ntwo\nthree\ntwo\n")
    (work / "docs" / "b.md").write_text("# Two\nword\n")
    (work / "docs" / "deep" / "c.md").write_text("word of c\n")
    (work / ".env").write_text("word=1\n")
    (work / "out").symlink_to(outside)
    (work / "out.txt").symlink_to(outside / "secret.txt")
    return work


def call(work: Path, tool: str, *, closed: tuple[Path, ...] = (), **arguments: Any) -> ToolResult:
    context = ToolContext(work, closed=closed, limits={"max_read_bytes": 100_000.0})
    return asyncio.run(primitive_tools()[tool].call(arguments, context))


def text(work: Path, tool: str, **arguments: Any) -> str:
    result = call(work, tool, **arguments)
    assert not result.is_error, result.content
    return result.content


def failed(work: Path, tool: str, **arguments: Any) -> tuple[str, str]:
    result = call(work, tool, **arguments)
    assert result.is_error, result.content
    assert "\n" not in result.content
    return result.code, result.content


def look(work: Path, tool: str, **arguments: Any) -> Preview:
    previewer = primitive_tools()[tool].preview
    assert previewer is not None
    before = {path: path.stat().st_mtime_ns for path in sorted(work.rglob("*"))}
    found = previewer(arguments, ToolContext(work))
    assert isinstance(found, Preview)
    assert {path: path.stat().st_mtime_ns for path in sorted(work.rglob("*"))} == before
    return found


class TestTheEight:
    def test_names_safeties_and_required_parameters(self) -> None:
        found = {name: (tool.safety, tool.required) for name, tool in primitive_tools().items()}
        assert found == {
            "read_file": ("safe", ("path",)),
            "write_file": ("dangerous", ("path", "content")),
            "edit_file": ("dangerous", ("path", "old_string", "new_string")),
            "apply_patch": ("dangerous", ("patch",)),
            "grep": ("safe", ("pattern",)),
            "glob": ("safe", ("pattern",)),
            "fetch": ("dangerous", ("url",)),
            "exec": ("dangerous", ("command",)),
        }
        for tool in primitive_tools().values():
            properties: Any = tool.parameters["properties"]
            assert tool.description
            assert all(one.get("description") for one in properties.values()), tool.name

    def test_they_join_no_other_topology(self) -> None:
        assert set(OTHERS) & set(primitive_tools()) == {"exec"}
        assert primitive_tools()["exec"] is OTHERS["exec"]


class TestReadAndWrite:
    @pytest.mark.parametrize("arguments", [{}, {"offset": 2, "limit": 1}, {"offset": 9}, {"limit": 0}])
    def test_reading_gives_what_fs_read_gives(self, work: Path, arguments: dict[str, int]) -> None:
        given: dict[str, Any] = {"path": "a.txt", **arguments}
        assert call(work, "read_file", **given) == asyncio.run(OTHERS["fs_read"].call(given, ToolContext(work)))

    def test_a_folder_is_listed_with_a_tool_that_is_there(self, work: Path) -> None:
        assert failed(work, "read_file", path="docs")[1] == "docs is a folder; list it with glob"

    def test_writing_gives_what_fs_write_gives(self, work: Path) -> None:
        assert (
            text(work, "write_file", path="x/größe 🎉.txt", content="é\n") == "wrote x/größe 🎉.txt (3 bytes, 1 line)"
        )
        assert (work / "x" / "größe 🎉.txt").read_bytes() == "é\n".encode()
        assert (
            look(work, "write_file", path="a.txt", content="one\n").summary == "replaces 4 lines of a.txt with 1 line"
        )


class TestEdit:
    def test_a_text_that_is_there_once_is_replaced(self, work: Path) -> None:
        (work / "a.txt").chmod(0o754)
        assert text(work, "edit_file", path="a.txt", old_string="one\ntwo", new_string="1\n2") == (
            "replaced 1 place of a.txt (line 1)"
        )
        assert (work / "a.txt").read_text() == "1\n2\nthree\ntwo\n"
        assert (work / "a.txt").stat().st_mode & 0o777 == 0o754

    def test_several_places_are_refused_or_all_replaced(self, work: Path) -> None:
        code, told = failed(work, "edit_file", path="a.txt", old_string="two", new_string="2")
        assert code == "ambiguous"
        assert told == (
            "old_string occurs 2 times in a.txt (lines 2 and 4); give more of the lines around it, or set replace_all"
        )
        assert (work / "a.txt").read_text() == "one\ntwo\nthree\ntwo\n"
        done = text(work, "edit_file", path="a.txt", old_string="two", new_string="2", replace_all=True)
        assert done == "replaced 2 places of a.txt (lines 2 and 4)"
        assert (work / "a.txt").read_text() == "one\n2\nthree\n2\n"

    def test_places_that_overlap_are_several(self, work: Path) -> None:
        (work / "b.txt").write_text("aaa")
        assert failed(work, "edit_file", path="b.txt", old_string="aa", new_string="b")[0] == "ambiguous"

    @pytest.mark.parametrize(
        ("before", "old", "new", "after"),
        [
            ("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"),
            ("a\r\nb\r\n", "\nb", "\nc", "a\r\nc\r\n"),
            ("a\r\nb\r\n", "b\n", "", "a\r\n"),
            ("a\r\nb", "b", "b\nc", "a\r\nb\r\nc"),
            ("a\rb\r", "a\nb", "x\ny", "x\ry\r"),
            ("a\nb\r\nc\n", "a\nb\nc", "x\ny", "x\ny\n"),
            ("a\r\nb\r\n", "a\r\nb", "a\nb", "a\nb\r\n"),
            ("a\nb\n", r"a\nb", "x", None),
            ("a.c abc", "a.c", r"\1\g<0>", r"\1\g<0> abc"),
        ],
    )
    def test_line_ends_stay_and_nothing_is_a_pattern(
        self, work: Path, before: str, old: str, new: str, after: str | None
    ) -> None:
        (work / "b.txt").write_bytes(before.encode())
        result = call(work, "edit_file", path="b.txt", old_string=old, new_string=new)
        assert result.is_error == (after is None), result.content
        assert (work / "b.txt").read_bytes().decode() == (before if after is None else after)

    @pytest.mark.parametrize(
        ("arguments", "code", "told"),
        [
            ({"old_string": "", "new_string": "x"}, "bad_argument", "old_string is empty; give the text to replace"),
            ({"old_string": "one", "new_string": "one"}, "bad_argument", "are the same; nothing would change"),
            ({"old_string": "One", "new_string": "x"}, "no_match", "does not occur in a.txt; read the file and copy"),
            ({"old_string": "  two\n three", "new_string": "x"}, "no_match", "only with other white space (line 2)"),
            ({"old_string": "one", "new_string": "\ud800"}, "bad_argument", "half a character"),
            ({"old_string": "one", "new_string": "x", "path": "gone.txt"}, "not_found", "did you mean"),
            (
                {"old_string": "one", "new_string": "x", "path": "docs"},
                "tool_error",
                "docs is a folder; list it with glob",
            ),
            ({"old_string": "e", "new_string": "x", "path": "out.txt"}, "outside_workspace", "it leads out"),
            ({"old_string": "e", "new_string": "x", "path": "../outside/secret.txt"}, "outside_workspace", ""),
            ({"old_string": "e", "new_string": "x", "path": "a.txt\0"}, "bad_argument", "control character"),
        ],
    )
    def test_what_cannot_be_done_changes_nothing(
        self, work: Path, arguments: dict[str, str], code: str, told: str
    ) -> None:
        given = {"path": "a.txt", **arguments}
        found, content = failed(work, "edit_file", **given)
        assert told in content
        assert found == code
        assert (work / "a.txt").read_text() == "one\ntwo\nthree\ntwo\n"
        assert (work.parent / "outside" / "secret.txt").read_text() == "the secret word"
        with pytest.raises(ToolError):
            look(work, "edit_file", **given)

    def test_a_text_that_is_everywhere_is_counted_quickly(self, work: Path) -> None:
        (work / "b.txt").write_text("a" * 90_000)
        began = time.monotonic()
        code, content = failed(work, "edit_file", path="b.txt", old_string="a" * 1000, new_string="b")
        assert (code, time.monotonic() - began < 5) == ("ambiguous", True)
        assert "occurs 90 times in b.txt (line 1)" in content

    def test_the_preview_shows_what_changes(self, work: Path) -> None:
        found = look(work, "edit_file", path="a.txt", old_string="three", new_string="3")
        assert found.summary == "replaces 1 place of a.txt (line 3)"
        assert found.difference.splitlines()[3:] == [" two", "-three", "+3", " two"]

    def test_a_long_preview_is_short(self, work: Path) -> None:
        (work / "b.txt").write_text("x\n" * 1500)
        found = look(work, "edit_file", path="b.txt", old_string="x", new_string="y", replace_all=True)
        assert len(found.difference.splitlines()) == MOST_SHOWN + 1
        assert "(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1,490 more)" in found.summary


class TestGrep:
    def test_lines_come_with_path_and_number_sorted_by_path(self, work: Path) -> None:
        assert text(work, "grep", pattern="wor[d]") == (
            ".env:1: word=1\ndocs/b.md:2: word\ndocs/deep/c.md:1: word of c"
        )
        assert text(work, "grep", pattern="word") == text(work, "grep", pattern="wor[d]")
        assert call(work, "grep", pattern="^t").data == [
            {"path": "a.txt", "line": 2, "text": "two"},
            {"path": "a.txt", "line": 3, "text": "three"},
            {"path": "a.txt", "line": 4, "text": "two"},
        ]

    def test_a_number_is_the_one_of_read_file(self, work: Path) -> None:
        (work / "b.txt").write_bytes("x\u2028y\x0cz\rone\r\n\r\nneedle\r\n".encode())
        line = call(work, "grep", pattern="needle$", path="b.txt").data[0]["line"]  # type: ignore[index,call-overload]
        assert text(work, "read_file", path="b.txt", offset=line, limit=1).startswith("needle\r\n")

    @pytest.mark.parametrize(
        ("glob_filter", "found"),
        [("*.md", 2), ("docs/*.md", 1), ("docs/**/*.md", 2), (".env", 1), ("*.py", 0), ("**/c.*", 1)],
    )
    def test_a_filter_says_which_files(self, work: Path, glob_filter: str, found: int) -> None:
        data = call(work, "grep", pattern="word", glob_filter=glob_filter).data
        assert isinstance(data, list)
        assert len(data) == found

    def test_nothing_found_is_no_error_and_says_where(self, work: Path) -> None:
        assert text(work, "grep", pattern="zebra", path="docs") == "no line matches 'zebra': 2 files in docs"
        assert (
            text(work, "grep", pattern="z", glob_filter="*.py")
            == "no line matches 'z': 0 files in . that fit '**/*.py'"
        )
        assert "each line is searched by itself" in text(work, "grep", pattern=r"one\ntwo")

    def test_links_binary_files_and_what_tools_keep_are_passed_over(self, work: Path) -> None:
        (work / "x.bin").write_bytes(b"word\0")
        os.mkfifo(work / "pipe")
        for folder in (".git", "node_modules", "docs/__pycache__"):
            (work / folder).mkdir()
            (work / folder / "w.txt").write_text("word\n")
        assert "w.txt" not in text(work, "grep", pattern="word")
        assert "secret" not in text(work, "grep", pattern="word")
        assert text(work, "grep", pattern="word", path=".git") == ".git/w.txt:1: word"
        (work / "out").unlink()
        (work / "up").symlink_to(".")
        assert "up/" not in text(work, "grep", pattern="word")

    def test_closed_places_are_not_searched(self, work: Path) -> None:
        closed = (work / "docs" / "deep", work / ".env")
        assert text(work, "grep", pattern="word", closed=closed) == "docs/b.md:2: word"
        assert failed(work, "grep", pattern="word", path="docs/deep", closed=closed)[0] == "refused"

    def test_there_is_a_limit_and_it_is_told(self, work: Path) -> None:
        (work / "b.txt").write_text("needle\n" * 300)
        assert text(work, "grep", pattern="needle").splitlines()[-1] == "[the first 100 lines; there are more]"
        assert len(text(work, "grep", pattern="needle", max_results=300).splitlines()) == 300
        assert text(work, "grep", pattern="needle", max_results=2).splitlines()[1] == "b.txt:2: needle"

    def test_batches_make_no_difference(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = text(work, "grep", pattern="w[o]")
        monkeypatch.setattr(searches, "BATCH", 1)
        assert text(work, "grep", pattern="w[o]") == whole
        assert text(work, "grep", pattern="w[o]", max_results=2).splitlines()[:2] == whole.splitlines()[:2]

    def test_files_that_are_not_read_are_told(self, work: Path) -> None:
        (work / "large.txt").write_text("word" * 50_000)
        assert (
            text(work, "grep", pattern="word").splitlines()[-1] == "[1 file not searched: too large, or not to be read]"
        )
        assert failed(work, "grep", pattern="word", path="large.txt")[0] == "too_large"

    def test_folders_that_are_not_read_are_told(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A person may not read what root may, so the system's answer is played."""
        real = os.listdir

        def listdir(given: Any) -> list[str]:
            if os.path.samestat(os.stat(given), (work / "docs" / "deep").stat()):  # noqa: PTH116 - of a handle
                raise PermissionError(13, "Permission denied")
            return real(given)

        monkeypatch.setattr(os, "listdir", listdir)
        assert text(work, "grep", pattern="word") == ".env:1: word=1\ndocs/b.md:2: word\n[1 folder could not be read]"
        assert text(work, "glob", pattern="**/*.md") == "docs/b.md  11 bytes\n[1 folder could not be read]"

    @pytest.mark.parametrize(
        ("pattern", "told"),
        [
            ("a(b", "missing ), unterminated subpattern at character 2"),
            ("*x", "nothing to repeat at character 1"),
            ("(" * 400, "is no regular expression: "),
            ("", "pattern is empty"),
            ("x" * 501, "pattern has 501 characters and may have 500"),
        ],
    )
    def test_what_is_no_expression_is_told(self, work: Path, pattern: str, told: str) -> None:
        code, content = failed(work, "grep", pattern=pattern)
        assert code == "bad_argument"
        assert told in content

    def test_an_expression_that_takes_for_ever_is_ended(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (work / "b.txt").write_text("a" * 50 + "b\n")
        monkeypatch.setattr(searches, "SEARCH_S", 0.5)
        began = time.monotonic()
        code, told = failed(work, "grep", pattern="(a+)+$")
        assert code == "pattern_too_slow"
        assert told == "pattern '(a+)+$' took longer than 0.5 s; give a plain text or a simpler one"
        assert time.monotonic() - began < 10

    def test_a_line_stays_a_line(self, work: Path) -> None:
        (work / "b.txt").write_bytes(b"needle \x1b[31m\x0b " + b"x" * 9000)
        (work / "c\nd.txt").write_text("needle\there\n")
        lines = text(work, "grep", pattern="needle").splitlines()
        assert len(lines) == 2
        assert lines[0].startswith("b.txt:1: needle \\x1b[31m\\x0b xxx")
        assert len(lines[0]) < 350
        assert lines[1] == "c\\nd.txt:1: needle\there"


class TestGlob:
    def test_a_star_is_the_folder_itself(self, work: Path) -> None:
        assert text(work, "glob", pattern="*") == "a.txt  18 bytes\ndocs/\nout  link\nout.txt  link"
        listed = asyncio.run(OTHERS["fs_list"].call({"path": "docs"}, ToolContext(work))).content
        assert text(work, "glob", pattern="docs/*") == "\n".join(f"docs/{line}" for line in listed.splitlines())
        assert text(work, "glob", pattern="*", path="docs") == text(work, "glob", pattern="docs/*")

    @pytest.mark.parametrize(
        ("pattern", "found"),
        [
            ("**/*.md", ["docs/b.md", "docs/deep/c.md"]),
            ("**", ["a.txt", "docs", "docs/b.md", "docs/deep", "docs/deep/c.md", "out", "out.txt"]),
            ("**/", ["docs", "docs/deep"]),
            ("**/deep/**", ["docs/deep", "docs/deep/c.md"]),
            ("**/**/c.md", ["docs/deep/c.md"]),
            (".*", [".env"]),
            ("[ab].txt", ["a.txt"]),
            ("[!a].txt", []),
            ("docs/./b.md", ["docs/b.md"]),
            ("A.TXT", []),
            ("out/*", []),
            ("?.txt", ["a.txt"]),
        ],
    )
    def test_patterns(self, work: Path, pattern: str, found: list[str]) -> None:
        result = call(work, "glob", pattern=pattern)
        assert isinstance(result.data, list)
        assert [one["path"] for one in result.data] == found  # type: ignore[index,call-overload]
        assert not result.is_error

    def test_it_finds_what_the_standard_library_finds(self, work: Path) -> None:
        import glob

        for pattern in ("*", "**/*", "**/*.md", "docs/**/c*", "**/d*/*", "*/*/*", "a*"):
            expected = sorted(
                (one for one in glob.glob(pattern, root_dir=work, recursive=True) if not one.startswith("out/")),  # noqa: PTH207 - the one that takes "**" for files, too
                key=lambda one: one.split("/"),
            )
            data: Any = call(work, "glob", pattern=pattern).data
            assert [one["path"] for one in data] == expected, pattern

    @pytest.mark.parametrize("pattern", ["", " ", "/", "/etc/*", "../*", "docs/../../*", "~/x", "x/" * 60, "x" * 9999])
    def test_what_is_no_pattern_is_refused(self, work: Path, pattern: str) -> None:
        assert failed(work, "glob", pattern=pattern)[0] == "bad_argument"

    def test_nothing_found_says_so_and_what_is_not_understood(self, work: Path) -> None:
        assert text(work, "glob", pattern="*.py") == "nothing in ./ fits '*.py'"
        assert text(work, "glob", pattern="*.{py,md}").endswith("{a,b} is not expanded: ask for each by itself")
        assert failed(work, "glob", pattern="*", path="a.txt")[1] == "a.txt is not a folder; read it with read_file"
        assert failed(work, "glob", pattern="*", path="out")[0] == "outside_workspace"
        assert failed(work, "glob", pattern="*", path="zebra")[0] == "not_found"

    def test_names_cannot_break_a_line_and_closed_places_are_not_there(self, work: Path) -> None:
        (work / "docs" / "x\ny").touch()
        (work / "docs" / os.fsdecode(b"\xff")).touch()
        found = text(work, "glob", pattern="docs/*", closed=(work / "docs" / "b.md",))
        assert found == "docs/deep/\ndocs/x\\ny  0 bytes\ndocs/\\udcff  0 bytes"

    def test_much_is_cut_and_too_much_refused(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for number in range(1003):
            (work / "docs" / f"{number:04}").touch()
        assert text(work, "glob", pattern="docs/0*").splitlines()[-1] == "docs/0999  0 bytes"
        assert text(work, "glob", pattern="docs/*").splitlines()[-1] == "[1000 of 1005 entries]"
        monkeypatch.setattr(walks, "MOST_ENTERED", 1)
        assert not call(work, "glob", pattern="*").is_error
        assert failed(work, "glob", pattern="**")[0] == "too_large"

    def test_a_pattern_of_many_stars_ends_soon(self, work: Path) -> None:
        (work / ("a" * 200)).touch()
        began = time.monotonic()
        assert call(work, "glob", pattern="*a" * 100 + "b").data == []
        assert call(work, "glob", pattern="**/" * 49 + "zebra").data == []
        assert time.monotonic() - began < 5
