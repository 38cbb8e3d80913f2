"""``apply_patch``: what a patch says is done whole, or nothing of it; patches that lie are refused."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import ToolError
from lango_nb.tools.builtin import changes, paths, primitive_tools
from lango_nb.tools.builtin.changes import carry_out
from lango_nb.tools.builtin.patches import patched_paths
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Preview, ToolResult

APP = "class A:\n    def run(self):\n        pass\n\nclass B:\n    def run(self):\n        pass\n"


@pytest.fixture(autouse=True, params=["handles", "paths"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach places as this system does, and as one without handles of folders does."""
    if request.param == "paths":
        monkeypatch.setattr(paths, "HAS_HANDLES", False)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work, outside = tmp_path / "work", tmp_path / "outside"
    (work / "src").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text("secret\n")
    (work / "a.txt").write_text("one\ntwo\nthree\n")
    (work / "b.txt").write_text("b\n")
    (work / "src" / "app.py").write_text(APP)
    (work / "src" / "app.py").chmod(0o750)
    (work / "link").symlink_to("a.txt")
    (work / "out").symlink_to(outside)
    return work


def patch(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch"))


def call(work: Path, given: str, closed: tuple[Path, ...] = ()) -> ToolResult:
    return asyncio.run(primitive_tools()["apply_patch"].call({"patch": given}, ToolContext(work, closed=closed)))


def done(work: Path, *lines: str) -> str:
    result = call(work, patch(*lines))
    assert not result.is_error, result.content
    return result.content


def everything(work: Path) -> dict[str, Any]:
    """Return what is in a workspace and beside it: kinds, contents, permissions, numbers of the files."""
    found: dict[str, Any] = {}
    for path in sorted(work.parent.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        found[str(path.relative_to(work.parent))] = (status.st_mode, status.st_ino, content)
    return found


def refused(work: Path, given: str, closed: tuple[Path, ...] = ()) -> tuple[str, str]:
    """Return code and sentence of an error; nothing has changed, and the preview says the same."""
    before = everything(work)
    result = call(work, given, closed)
    assert result.is_error, result.content
    assert everything(work) == before
    assert "\n" not in result.content
    previewer = primitive_tools()["apply_patch"].preview
    assert previewer is not None
    with pytest.raises(ToolError) as told:
        previewer({"patch": given}, ToolContext(work, closed=closed))
    assert str(told.value) == result.content
    return result.code, result.content


class TestWhatItDoes:
    def test_files_are_added_changed_moved_and_deleted(self, work: Path) -> None:
        result = done(
            work,
            "*** Add File: docs/new/größe 🎉.md",
            "+# New",
            "+",
            "*** Update File: src/app.py",
            "*** Move to: src/lib/main.py",
            "@@ class B:",
            "     def run(self):",
            "-        pass",
            "+        return 1",
            "*** Delete File: b.txt",
            "*** Update File: a.txt",
            "@@",
            " one",
            "-two",
            "+2",
            "+2.5",
        )
        assert result.splitlines() == [
            "added docs/new/größe 🎉.md (2 lines)",
            "moved src/app.py to src/lib/main.py (+1 -1)",
            "deleted b.txt",
            "updated a.txt (+2 -1)",
        ]
        assert (work / "docs/new/größe 🎉.md").read_text() == "# New\n\n"
        assert (work / "a.txt").read_text() == "one\n2\n2.5\nthree\n"
        assert (work / "src/lib/main.py").read_text() == APP[:-5] + "return 1\n"
        assert (work / "src/lib/main.py").stat().st_mode & 0o777 == 0o750
        assert sorted(str(path.relative_to(work)) for path in work.rglob("*") if path.is_file()) == [
            "a.txt",
            "docs/new/größe 🎉.md",
            "link",
            "src/lib/main.py",
        ]

    @pytest.mark.parametrize(
        ("before", "lines", "after"),
        [
            ("a\nb\nc\n", ["-b"], "a\nc\n"),
            ("a\nb\nc\n", ["@@", "-b", "@@", "-c"], "a\n"),
            ("a\nb\n", ["-a", "-b"], ""),
            ("a\nb", [" b", "+c"], "a\nb\nc"),
            ("a\nb", ["-b"], "a"),
            ("a\r\nb\r\n", [" a", "-b", "+x", "+y"], "a\r\nx\r\ny\r\n"),
            ("a\r\nb", [" a", "-b", "+x"], "a\r\nx"),
            ("a\nb  \nc\n", [" b", "-c", "+d"], "a\nb  \nd\n"),
            ("a\n\nb\n", [" a", "", "-b", "+c"], "a\n\nc\n"),
            ("a\nb\n", ["@@ a", "+x"], "a\nx\nb\n"),
            ("a\nb\n", ["@@", "+x", "*** End of File"], "a\nb\nx\n"),
            ("a\nb\na\nb\n", [" a", "-b", "+c", "*** End of File"], "a\nb\na\nc\n"),
            ("", ["+a"], "a\n"),
            ("a\nb\n", ["@@ -17,3 +22,4 @@ def wrong():", "-b"], "a\n"),
            ("    x = 1\n    y = 2\n", ["@@ x = 1", "-    y = 2"], "    x = 1\n"),
            ("a\n--- b\n", ["---- b", "+++ c"], "a\n++ c\n"),
            ("*** Begin Patch\nx\n", [" *** Begin Patch", "-x"], "*** Begin Patch\n"),
        ],
    )
    def test_a_hunk_finds_its_place(self, work: Path, before: str, lines: list[str], after: str) -> None:
        (work / "f.txt").write_bytes(before.encode())
        done(work, "*** Update File: f.txt", *lines)
        assert (work / "f.txt").read_bytes().decode() == after

    def test_anchors_tell_places_apart(self, work: Path) -> None:
        done(
            work,
            "*** Update File: src/app.py",
            "@@ class A:",
            "@@     def run(self):",
            "-        pass",
            "+        return 'a'",
            "@@ class B:",
            "-        pass",
            "+        return 'b'",
        )
        assert (work / "src/app.py").read_text() == APP.replace("pass", "return 'a'", 1).replace("pass", "return 'b'")

    def test_the_end_may_have_what_models_add(self, work: Path) -> None:
        given = "```\r\n" + patch("*** Update File: a.txt", "-two").replace("\n", "\r\n") + "\r\n```\r\n"
        assert call(work, given).content == "updated a.txt (+0 -1)"
        assert (work / "a.txt").read_bytes() == b"one\nthree\n"

    def test_a_link_stays_one_and_its_file_changes(self, work: Path) -> None:
        assert done(work, "*** Update File: link", "-two") == "updated a.txt (+0 -1)"
        assert (work / "link").is_symlink()
        assert (work / "a.txt").read_text() == "one\nthree\n"

    def test_a_binary_file_can_be_deleted(self, work: Path) -> None:
        (work / "x.bin").write_bytes(b"\0\xff")
        assert done(work, "*** Delete File: x.bin") == "deleted x.bin"
        assert not (work / "x.bin").exists()

    def test_the_preview_shows_it_and_changes_nothing(self, work: Path) -> None:
        before = everything(work)
        previewer = primitive_tools()["apply_patch"].preview
        assert previewer is not None
        given = ["*** Add File: n.txt", "+new", "*** Delete File: b.txt", "*** Update File: a.txt", "-two", "+2"]
        more = ["*** Update File: src/app.py", "*** Move to: main.py"]
        found = previewer({"patch": patch(*given, *more)}, ToolContext(work))
        assert isinstance(found, Preview)
        assert found.summary == "adds n.txt, deletes b.txt, updates a.txt, 1 more file"
        assert [line for line in found.difference.splitlines() if line[:2] not in {"@@", " o", " t"}] == [
            *("--- n.txt now", "+++ n.txt then", "+new"),
            *("--- a.txt now", "+++ a.txt then", "-two", "+2"),
        ]
        assert everything(work) == before


class TestWhatItRefuses:
    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("", "the patch has no line '*** Begin Patch'"),
            ("--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n", "the patch has no line '*** Begin Patch'"),
            ("*** Begin Patch\n*** Delete File: a.txt", "the patch has no line '*** End Patch'"),
            ("*** End Patch\n*** Begin Patch", "the patch has no line '*** End Patch'"),
            (patch(), "the patch changes nothing"),
            (patch("*** Delete File: a.txt") + "\n" + patch("*** Delete File: b.txt"), "begins or ends more than once"),
            (patch("-one"), "line 2 of the patch, '-one', belongs to no file"),
            (patch("*** Rename File: a.txt"), "line 2 of the patch, '*** Rename File: a.txt', belongs to no file"),
            (patch("*** Add File:   "), "names no file"),
            (patch("*** Add File: n.txt", "new"), "line 3 of the patch, 'new', has no '+'"),
            (patch("*** Update File: a.txt"), "line 2 of the patch: no change of a.txt follows"),
            (patch("*** Update File: a.txt", "@@ one"), "line 3 of the patch: no line with '+' or '-' follows"),
            (patch("*** Update File: a.txt", " one"), "no line with '+' or '-' follows"),
            (patch("*** Update File: a.txt", "two\x1b"), r"'two\\x1b', begins with none of ' ', '+', '-', '@@'"),
            (patch("*** Update File: a.txt", "-three", "*** End of File", "-two"), "comes after '*** End of File'"),
            (patch(*["*** Delete File: a.txt"] * 201), "has 201 files"),
            (patch("*** Update File: a.txt", *["@@", "-one"] * 1001), "1,001 hunks"),
        ],
    )
    def test_what_is_no_patch(self, work: Path, given: str, told: str) -> None:
        code, content = refused(work, given)
        assert code == "bad_patch"
        assert told in content

    @pytest.mark.parametrize(
        ("lines", "code", "told"),
        [
            (["-zebra"], "no_match", "the hunk in line 5 of the patch does not fit a.txt: there is no line 'zebra'"),
            ([" one", "-three"], "no_match", "these lines do not follow one another"),
            (["@@ zebra", "-two"], "no_match", "there is no line 'zebra'; copy the line after '@@ '"),
            (["-  two"], "no_match", "only with other white space (line 2)"),
            (["-one", "*** End of File"], "no_match", "its lines are not the last ones; leave out '*** End of File'"),
            (["-three", "@@", "-one"], "no_match", "its lines stand in line 1, before an earlier hunk's"),
            (["-two", "@@", "-two"], "no_match", "before an earlier hunk's"),
            (["+x"], "no_match", "it says nothing of its place"),
            (["+\ud800", " one"], "bad_argument", "half a character"),
        ],
    )
    def test_a_hunk_that_fits_nowhere(self, work: Path, lines: list[str], code: str, told: str) -> None:
        found, content = refused(
            work, patch("*** Delete File: b.txt", "*** Add File: n", "*** Update File: a.txt", *lines)
        )
        assert (found, told in content) == (code, True), content

    @pytest.mark.parametrize(
        "lines",
        [["-        pass"], ["@@     def run(self):", "-        pass"], ["@@     def run(self):", "+        x"]],
    )
    def test_a_hunk_that_fits_in_several_places(self, work: Path, lines: list[str]) -> None:
        code, content = refused(work, patch("*** Delete File: b.txt", "*** Update File: src/app.py", *lines))
        assert code == "ambiguous"
        assert "fits src/app.py in several places (lines 3 and 7)" in content

    @pytest.mark.parametrize(
        ("lines", "code"),
        [
            (["*** Add File: a.txt", "+x"], "exists"),
            (["*** Add File: src", "+x"], "exists"),
            (["*** Add File: link", "+x"], "exists"),
            (["*** Add File: new/", "+x"], "bad_argument"),
            (["*** Add File: a.txt/x", "+x"], "os_error"),
            (["*** Add File: ../n.txt", "+x"], "outside_workspace"),
            (["*** Add File: x/../../n.txt", "+x"], "outside_workspace"),
            (["*** Add File: out/n.txt", "+x"], "outside_workspace"),
            (["*** Add File: /etc/n.txt", "+x"], "outside_workspace"),
            (["*** Add File: ~/n.txt", "+x"], "outside_workspace"),
            (["*** Add File: n\0.txt", "+x"], "bad_argument"),
            (["*** Add File: " + "x" * 300, "+x"], "os_error"),
            (["*** Add File: " + "x/" * 200 + "y", "+x"], "bad_argument"),
            (["*** Update File: a.txt", "*** Move to: src/app.py", "-two"], "exists"),
            (["*** Update File: a.txt", "*** Move to: ../n.txt"], "outside_workspace"),
            (["*** Update File: a.txt", "*** Move to: a.txt"], "exists"),
            (["*** Update File: gone.txt", "-x"], "not_found"),
            (["*** Update File: src", "-x"], "tool_error"),
            (["*** Update File: out/secret.txt", "-secret"], "outside_workspace"),
            (["*** Delete File: out/secret.txt"], "outside_workspace"),
            (["*** Delete File: ../outside/secret.txt"], "outside_workspace"),
            (["*** Delete File: gone.txt"], "not_found"),
            (["*** Delete File: src"], "tool_error"),
            (["*** Delete File: ."], "tool_error"),
            (["*** Delete File: link"], "tool_error"),
            (["*** Delete File: a.txt"], "bad_argument"),
            (["*** Add File: n.txt", "+x", "*** Add File: ./n.txt", "+y"], "bad_argument"),
            (["*** Add File: n/../m.txt", "+x", "*** Add File: m.txt", "+y"], "bad_argument"),
            (["*** Update File: link", "-two"], "bad_argument"),
            (["*** Update File: b.txt", "*** Move to: n", "*** Add File: n", "+x"], "bad_argument"),
            (["*** Add File: n", "+x", "*** Add File: n/m.txt", "+x"], "bad_argument"),
        ],
    )
    def test_a_file_that_cannot_be_changed_so(self, work: Path, lines: list[str], code: str) -> None:
        found, content = refused(work, patch("*** Update File: a.txt", "-one", *lines))
        assert found == code, content
        assert str(work) not in content

    def test_places_out_of_reach(self, work: Path) -> None:
        closed = (work / "src",)
        assert refused(work, patch("*** Update File: src/app.py", "-class A:"), closed)[0] == "refused"
        assert refused(work, patch("*** Update File: a.txt", "*** Move to: src/n.txt"), closed)[0] == "refused"

    def test_a_large_patch_of_lines_that_repeat_ends_soon(self, work: Path) -> None:
        (work / "f.txt").write_text("\n" * 1_000_000)
        began = time.monotonic()
        assert refused(work, patch("*** Update File: f.txt", *[" "] * 20_000, "-"))[0] == "ambiguous"
        assert time.monotonic() - began < 20

    @pytest.mark.parametrize(
        "given",
        [patch("*** Add File: lango.json", "+{}"), "  *** Move to:  lango.json ", "x\n*** Delete File:lango.json"],
    )
    def test_every_path_of_a_patch_is_seen_even_if_the_patch_is_wrong(self, given: str) -> None:
        assert list(patched_paths(given)) == ["lango.json"]


class TestHalfWay:
    """A change fails after others were made: everything is as it was, to the file."""

    LINES = (
        "*** Update File: a.txt",
        "-two",
        "*** Update File: src/app.py",
        "*** Move to: lib/deep/app.py",
        "*** Delete File: b.txt",
        "*** Add File: new/n.txt",
        "+x",
        "*** Update File: c.txt",
        "-c",
    )

    @pytest.mark.parametrize("has_links", [True, False])
    @pytest.mark.parametrize("fails_at", range(1, 8))
    def test_a_full_disk(self, work: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int, *, has_links: bool) -> None:
        """Every way in which a new name can be given fails once; what undoes it works."""
        (work / "c.txt").write_text("c\n")
        before = everything(work)
        count = 0

        def failing(real: Any) -> Any:
            def replaced(*given: Any, **named: Any) -> Any:
                nonlocal count
                count += 1
                if count == fails_at:
                    raise OSError(28, "No space left on device")
                return real(*given, **named)

            return replaced

        def without(*_: Any, **__: Any) -> None:
            raise OSError(95, "Operation not supported")

        monkeypatch.setattr(os, "replace", failing(os.replace))
        monkeypatch.setattr(os, "rename", failing(os.rename))
        if not has_links:
            monkeypatch.setattr(os, "link", without)
        result = call(work, patch(*self.LINES))
        if count < fails_at:
            assert not result.is_error
            return
        assert result.code == "os_error"
        assert result.content.endswith("no space left on device; all files are as they were before")
        assert everything(work) == before

    def test_a_file_that_changed_meanwhile(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def late(planned: Any, context: ToolContext) -> list[str]:
            (work / "c.txt").write_text("somebody else's\n")
            return carry_out(planned, context)

        (work / "c.txt").write_text("c\n")
        monkeypatch.setattr("lango_nb.tools.builtin.primitives.carry_out", late)
        result = call(work, patch(*self.LINES))
        assert result.code == "changed_meanwhile"
        assert result.content == "c.txt was changed meanwhile; read it again; all files are as they were before"
        assert (work / "c.txt").read_text() == "somebody else's\n"
        assert (work / "a.txt").read_text() == "one\ntwo\nthree\n"
        assert sorted(path.name for path in work.iterdir()) == ["a.txt", "b.txt", "c.txt", "link", "out", "src"]

    def test_what_cannot_be_put_back_is_named(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (work / "c.txt").write_text("c\n")
        real, count = os.replace, 0

        def broken(*given: Any, **named: Any) -> None:
            nonlocal count
            count += 1
            if count > 1:
                raise OSError(5, "Input/output error")
            real(*given, **named)

        monkeypatch.setattr(os, "replace", broken)
        content = call(work, patch("*** Update File: a.txt", "-two", "*** Update File: c.txt", "-c")).content
        assert content.startswith("c.txt: input/output error; could not be put back: ")
        kept = next(path.name for path in work.glob(".lango-*") if path.read_text() == "one\ntwo\nthree\n")
        assert f"a.txt (as it was: {kept})" in content


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX systems fork")
class TestAKilledProcess:
    def changes(self, work: Path) -> tuple[str, dict[str, str]]:
        """Return a patch of many files, and what each holds before."""
        before = {f"src/f{number}.txt": f"old {number}\n" + "x" * 50_000 + "\n" for number in range(30)}
        for name, text in before.items():
            (work / name).write_text(text)
        lines = [line for number in range(30) for line in self.update(number)]
        return patch(*lines, "*** Add File: new/n.txt", "+x", "*** Delete File: b.txt"), before

    @staticmethod
    def update(number: int) -> tuple[str, ...]:
        return f"*** Update File: src/f{number}.txt", f"-old {number}", f"+new {number}"

    @staticmethod
    def seen(work: Path, before: dict[str, str]) -> tuple[int, int]:
        """Count the files as before, and those that are changed; no other text is anywhere."""
        found = {name: (work / name).read_text() for name in before}
        old = [name for name, text in found.items() if text == before[name]]
        new = [name for name, text in found.items() if text == before[name].replace("old ", "new ", 1)]
        return len(old), len(new)

    def test_while_files_are_written_none_has_changed(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        given, before = self.changes(work)
        pid = os.fork()
        if not pid:
            monkeypatch.setattr(changes, "put_file", lambda *_given: os._exit(9))
            call(work, given)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
        assert self.seen(work, before) == (30, 0)
        assert (work / "b.txt").read_text() == "b\n"
        assert not (work / "new" / "n.txt").exists()

    def test_at_any_moment_each_file_is_whole(self, work: Path) -> None:
        given, before = self.changes(work)
        for after_ms in (1, 3, 6, 10, 15, 25):
            for name, text in before.items():
                (work / name).write_text(text)
            (work / "b.txt").write_text("b\n")
            (work / "new" / "n.txt").unlink(missing_ok=True)
            pid = os.fork()
            if not pid:
                call(work, given)
                os._exit(0)
            time.sleep(after_ms / 1000)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            assert sum(self.seen(work, before)) == 30
