from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from lango_nb.tools.builtin import builtin_tools, paths
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import ToolResult

TOOLS = {tool.name: tool for tool in builtin_tools()}


@pytest.fixture(autouse=True, params=["handles", "paths"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach places as this system does, and as one without handles of folders does."""
    if request.param == "paths":
        monkeypatch.setattr(paths, "HAS_HANDLES", False)


def call(workspace: Path, tool: str, limits: dict[str, float] | None = None, **arguments: Any) -> ToolResult:
    context = ToolContext(workspace, limits=limits or {})
    return asyncio.run(TOOLS[tool].call(arguments, context))


def failed(result: ToolResult) -> tuple[str, str]:
    assert result.is_error
    return result.code, result.content


def test_the_family_has_the_names_safeties_and_required_parameters_of_the_reference() -> None:
    found = {name: (tool.safety, tool.required) for name, tool in TOOLS.items() if tool.family == "fs"}
    assert found == {
        "fs_read": ("safe", ("path",)),
        "fs_list": ("safe", ("path",)),
        "fs_write": ("dangerous", ("path", "content")),
        "fs_edit": ("dangerous", ("path", "startLine", "endLine", "content")),
        "fs_mkdir": ("moderate", ("path",)),
        "fs_delete": ("dangerous", ("path",)),
        "fs_stat": ("safe", ("path",)),
    }
    assert {tool.source for tool in TOOLS.values()} == {"builtin"}
    assert all(tool.description for tool in TOOLS.values())
    for tool in TOOLS.values():
        properties: Any = tool.parameters["properties"]
        assert all(one.get("description") for one in properties.values()), tool.name


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestRead:
    def test_a_whole_file_comes_back_as_it_is(self, tmp_path: Path) -> None:
        text = "one\r\ntwo\n\nfünf\t🎉"
        (tmp_path / "notes.md").write_bytes(text.encode())
        result = call(tmp_path, "fs_read", path="notes.md")
        assert result.content == text
        assert result.data == {"path": "notes.md", "first": 1, "last": 4, "lines": 4}

    @pytest.mark.parametrize(
        ("offset", "limit", "content"),
        [
            (2, 2, "line 2\nline 3\n[lines 2-3 of 5]"),
            (4, None, "line 4\nline 5\n[lines 4-5 of 5]"),
            (None, 1, "line 1\n[lines 1-1 of 5]"),
            (0, 1, "line 1\n[lines 1-1 of 5]"),
            (5, 99, "line 5\n[lines 5-5 of 5]"),
            (1, 5, "line 1\nline 2\nline 3\nline 4\nline 5"),
        ],
    )
    def test_a_part_says_which_lines_of_how_many(
        self, tmp_path: Path, offset: int | None, limit: int | None, content: str
    ) -> None:
        (tmp_path / "a.txt").write_text("\n".join(f"line {n}" for n in range(1, 6)))
        assert call(tmp_path, "fs_read", path="a.txt", offset=offset, limit=limit).content == content

    def test_a_line_that_is_not_there_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("one\n")
        code, text = failed(call(tmp_path, "fs_read", path="a.txt", offset=2))
        assert (code, text) == ("bad_argument", "a.txt has 1 line; there is no line 2")
        assert failed(call(tmp_path, "fs_read", path="a.txt", limit=0))[0] == "bad_argument"

    def test_an_empty_file_says_so(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").touch()
        result = call(tmp_path, "fs_read", path="a.txt")
        assert (result.content, result.is_error) == ("a.txt is empty", False)

    def test_lines_are_counted_as_editors_do(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_bytes("one\u2028still one\x0cstill\ntwo\r\n".encode())
        assert call(tmp_path, "fs_read", path="a.txt").data["lines"] == 2  # type: ignore[call-overload,index]

    def test_a_binary_file_is_told_as_one(self, tmp_path: Path) -> None:
        (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
        (tmp_path / "zero.txt").write_bytes(b"text\x00text")
        expected = "a.png is a binary file of 9 bytes, no UTF-8 text"
        assert failed(call(tmp_path, "fs_read", path="a.png")) == ("binary_file", expected)
        assert failed(call(tmp_path, "fs_read", path="zero.txt"))[0] == "binary_file"

    def test_a_file_over_the_limit_is_not_read(self, tmp_path: Path) -> None:
        (tmp_path / "a.log").write_text("x" * 2000)
        limits = {"max_read_bytes": 1000.0}
        code, text = failed(call(tmp_path, "fs_read", limits, path="a.log", limit=1))
        assert code == "too_large"
        assert text.startswith("a.log has 2,000 bytes, more than the 1,000 that may be read")
        assert not call(tmp_path, "fs_read", {"max_read_bytes": 2000.0}, path="a.log").is_error

    def test_a_missing_file_offers_the_nearest_and_the_neighbours(self, tmp_path: Path) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "notes.md").touch()
        expected = "docs/note.md does not exist; did you mean 'notes.md'?"
        assert failed(call(tmp_path, "fs_read", path="docs/note.md")) == ("not_found", expected)
        expected = "a/b/c.txt does not exist; nor does the folder a/b"
        assert failed(call(tmp_path, "fs_read", path="a/b/c.txt")) == ("not_found", expected)

    def test_a_folder_a_pipe_and_a_file_used_as_folder_are_told_apart(self, tmp_path: Path) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "a.txt").touch()
        os.mkfifo(tmp_path / "pipe")
        assert "is a folder; list it with fs_list" in failed(call(tmp_path, "fs_read", path="docs"))[1]
        assert "device, pipe or socket" in failed(call(tmp_path, "fs_read", path="pipe"))[1]
        assert failed(call(tmp_path, "fs_read", path="a.txt/b")) == ("os_error", "a.txt/b: not a directory")


class TestList:
    def test_entries_are_sorted_folders_marked_and_files_have_sizes(self, tmp_path: Path) -> None:
        (tmp_path / "b.txt").write_text("x" * 1234)
        (tmp_path / "a.txt").write_text("x")
        (tmp_path / "docs").mkdir()
        (tmp_path / ".hidden").touch()
        (tmp_path / "link").symlink_to("/etc/passwd")
        result = call(tmp_path, "fs_list", path=".")
        assert result.content == ".hidden  0 bytes\na.txt  1 byte\nb.txt  1,234 bytes\ndocs/\nlink  link"
        assert result.data[3] == {"name": "docs", "kind": "folder", "bytes": None}  # type: ignore[index]

    def test_an_empty_folder_says_so_and_a_file_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "a.txt").touch()
        assert call(tmp_path, "fs_list", path="docs").content == "docs/ is empty"
        assert failed(call(tmp_path, "fs_list", path="a.txt"))[1] == "a.txt is not a folder; read it with fs_read"

    def test_a_name_cannot_break_a_line(self, tmp_path: Path) -> None:
        (tmp_path / "a\nb").touch()
        (tmp_path / os.fsdecode(b"\xff")).mkdir()  # a name that is not text
        assert call(tmp_path, "fs_list", path=".").content == "\\udcff/\na\\nb  0 bytes"

    def test_a_huge_folder_is_cut_and_says_so(self, tmp_path: Path) -> None:
        for number in range(1003):
            (tmp_path / f"{number:04}").touch()
        lines = call(tmp_path, "fs_list", path=".").content.splitlines()
        assert len(lines) == 1001
        assert lines[-1] == "[1000 of 1003 entries]"


class TestWrite:
    def test_a_new_file_is_written_with_its_folders(self, tmp_path: Path) -> None:
        result = call(tmp_path, "fs_write", path="a/b/c.txt", content="größe\r\n")
        assert result.content == "wrote a/b/c.txt (9 bytes, 1 line)"
        assert (tmp_path / "a/b/c.txt").read_bytes() == "größe\r\n".encode()

    def test_an_old_file_is_replaced_keeps_its_permissions_and_leaves_nothing_beside_it(self, tmp_path: Path) -> None:
        file = tmp_path / "run.sh"
        file.write_text("old")
        file.chmod(0o754)
        assert call(tmp_path, "fs_write", path="run.sh", content="new").content == "replaced run.sh (3 bytes, 1 line)"
        assert file.read_text() == "new"
        assert stat.S_IMODE(file.stat().st_mode) == 0o754
        assert names(tmp_path) == ["run.sh"]

    def test_a_new_file_gets_the_permissions_of_the_umask(self, tmp_path: Path) -> None:
        call(tmp_path, "fs_write", path="a.txt", content="x")
        (tmp_path / "b.txt").write_text("x")
        assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode

    def test_a_link_inside_stays_a_link_and_its_target_is_written(self, tmp_path: Path) -> None:
        (tmp_path / "real.txt").write_text("old")
        (tmp_path / "link.txt").symlink_to("real.txt")
        call(tmp_path, "fs_write", path="link.txt", content="new")
        assert (tmp_path / "link.txt").is_symlink()
        assert (tmp_path / "real.txt").read_text() == "new"

    def test_what_cannot_be_written_stays_as_it_was(self, tmp_path: Path) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "a.txt").write_text("old")
        os.mkfifo(tmp_path / "pipe")
        assert "no file to write" in failed(call(tmp_path, "fs_write", path="docs", content="x"))[1]
        assert "no file to write" in failed(call(tmp_path, "fs_write", path="pipe", content="x"))[1]
        assert "is a folder" in failed(call(tmp_path, "fs_write", path="new/", content="x"))[1]
        assert "is a folder" in failed(call(tmp_path, "fs_write", path=".", content="x"))[1]
        assert failed(call(tmp_path, "fs_write", path="a.txt/b", content="x"))[0] == "os_error"
        assert failed(call(tmp_path, "fs_write", path="a.txt", content="\ud800"))[0] == "bad_argument"
        assert (tmp_path / "a.txt").read_text() == "old"
        assert names(tmp_path) == ["a.txt", "docs", "pipe"]

    def test_a_read_only_file_is_respected(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a.txt").write_text("old")
        (tmp_path / "a.txt").chmod(0o444)
        if os.getuid() == 0:  # root may write anything; a person may not
            monkeypatch.setattr(os, "access", lambda *_, **__: False)
        assert failed(call(tmp_path, "fs_write", path="a.txt", content="x"))[1] == "a.txt is read-only"

    def test_a_failing_write_leaves_the_old_file_and_no_rest(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a.txt").write_text("old")

        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        result = call(tmp_path, "fs_write", path="a.txt", content="new")
        assert failed(result) == ("os_error", "a.txt: no space left on device")
        assert names(tmp_path) == ["a.txt"]
        assert (tmp_path / "a.txt").read_text() == "old"


class TestEdit:
    @pytest.mark.parametrize(
        ("before", "start", "end", "content", "after"),
        [
            ("a\nb\nc\n", 2, 2, "B", "a\nB\nc\n"),
            ("a\nb\nc\n", 2, 2, "B\n", "a\nB\nc\n"),
            ("a\nb\nc\n", 2, 3, "x\ny\nz", "a\nx\ny\nz\n"),
            ("a\nb\nc\n", 1, 3, "", ""),
            ("a\nb\nc\n", 2, 2, "", "a\nc\n"),
            ("a\nb\nc", 3, 3, "C\n", "a\nb\nC"),
            ("a\nb\nc", 2, 2, "B", "a\nB\nc"),
            ("a\nb\nc", 3, 3, "", "a\nb"),
            ("a", 1, 1, "", ""),
            ("a\r\nb\r\n", 1, 1, "x\ny", "x\r\ny\r\nb\r\n"),
            ("a\r\nb", 2, 2, "x\ny\n", "a\r\nx\r\ny"),
            ("only", 1, 1, "x\ny", "x\ny"),
            ("a\nb\n", 1, 1, "\n", "\nb\n"),
        ],
    )
    def test_the_range_is_replaced_line_ends_and_last_line_keep_their_kind(  # noqa: PLR0913, PLR0917 - a table
        self, tmp_path: Path, before: str, start: int, end: int, content: str, after: str
    ) -> None:
        file = tmp_path / "a.txt"
        file.write_bytes(before.encode())
        result = call(tmp_path, "fs_edit", path="a.txt", startLine=start, endLine=end, content=content)
        assert not result.is_error, result.content
        assert file.read_bytes().decode() == after

    @pytest.mark.parametrize(("start", "end"), [(0, 1), (2, 1), (3, 4), (4, 4), (-1, 1)])
    def test_a_range_that_is_not_there_changes_nothing(self, tmp_path: Path, start: int, end: int) -> None:
        (tmp_path / "a.txt").write_text("a\nb\nc\n")
        code, text = failed(call(tmp_path, "fs_edit", path="a.txt", startLine=start, endLine=end, content="x"))
        assert (code, text) == ("bad_argument", f"lines {start}-{end} are out of range: a.txt has 3 lines")
        assert (tmp_path / "a.txt").read_text() == "a\nb\nc\n"

    def test_it_says_what_it_did_and_refuses_what_is_no_text(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("a\nb\nc\n")
        (tmp_path / "a.bin").write_bytes(b"\xff\n")
        result = call(tmp_path, "fs_edit", path="a.txt", startLine=1, endLine=2, content="x")
        assert result.content == "replaced 2 lines of a.txt from line 1 by 1 line"
        assert result.data == {"path": "a.txt", "removed": 2, "added": 1, "lines": 2}
        assert failed(call(tmp_path, "fs_edit", path="a.bin", startLine=1, endLine=1, content="x"))[0] == "binary_file"
        assert failed(call(tmp_path, "fs_edit", path="z", startLine=1, endLine=1, content="x"))[0] == "not_found"


class TestMkdirDeleteStat:
    def test_a_folder_is_made_with_those_above_it_once(self, tmp_path: Path) -> None:
        assert call(tmp_path, "fs_mkdir", path="a/b").content == "made a/b/"
        assert (tmp_path / "a/b").is_dir()
        again = call(tmp_path, "fs_mkdir", path="a/b/")
        assert (again.content, again.is_error) == ("a/b/ is there already", False)
        (tmp_path / "file").touch()
        assert failed(call(tmp_path, "fs_mkdir", path="file")) == ("os_error", "file: file exists")

    def test_a_file_and_a_folder_with_everything_in_it_are_deleted(self, tmp_path: Path) -> None:
        (tmp_path / "docs/deep").mkdir(parents=True)
        (tmp_path / "docs/deep/a.txt").touch()
        (tmp_path / "b.txt").touch()
        assert call(tmp_path, "fs_delete", path="b.txt").content == "deleted b.txt"
        assert call(tmp_path, "fs_delete", path="docs").content == "deleted docs/ with 2 entries"
        assert names(tmp_path) == []
        assert failed(call(tmp_path, "fs_delete", path="docs"))[0] == "not_found"

    def test_of_a_link_only_the_link_goes(self, tmp_path: Path) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs/a.txt").touch()
        (tmp_path / "link").symlink_to("docs")
        assert call(tmp_path, "fs_delete", path="link").content == "deleted link"
        assert (tmp_path / "docs/a.txt").exists()

    def test_links_inside_a_deleted_folder_are_not_followed(self, tmp_path: Path) -> None:
        workspace, outside = tmp_path / "work", tmp_path / "outside"
        (workspace / "docs").mkdir(parents=True)
        outside.mkdir()
        (outside / "keep.txt").touch()
        (workspace / "docs/out").symlink_to(outside)
        assert not call(workspace, "fs_delete", path="docs").is_error
        assert (outside / "keep.txt").exists()

    @pytest.mark.parametrize("path", [".", "./", "docs/..", "self/."])
    def test_the_workspace_itself_is_never_deleted(self, tmp_path: Path, path: str) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "self").symlink_to(".")
        for given in (path, str(tmp_path)):
            code, text = failed(call(tmp_path, "fs_delete", path=given))
            assert (code, text) == ("refused", "the workspace itself cannot be deleted; name something in it")
        assert names(tmp_path) == ["docs", "self"]

    def test_stat_tells_kind_size_permissions_and_time(self, tmp_path: Path) -> None:
        file = tmp_path / "a.txt"
        file.write_text("x" * 1500)
        file.chmod(0o640)
        os.utime(file, (0, 1_700_000_000))
        assert call(tmp_path, "fs_stat", path="a.txt").content == (
            "a.txt: file, 1,500 bytes, -rw-r-----, changed 2023-11-14T22:13:20Z"
        )
        (tmp_path / "docs").mkdir(mode=0o755)
        os.utime(tmp_path / "docs", (0, 0))
        result = call(tmp_path, "fs_stat", path="docs")
        assert result.content == "docs: folder, drwxr-xr-x, changed 1970-01-01T00:00:00Z"
        assert failed(call(tmp_path, "fs_stat", path="zebra"))[0] == "not_found"
