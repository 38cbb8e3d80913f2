"""Whatever path a model writes, nothing outside the workspace is read, written, listed or deleted."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import ToolResult

SECRET = "the-secret-outside"
TOOLS = {tool.name: tool for tool in builtin_tools()}
CALLS: dict[str, dict[str, object]] = {
    "fs_read": {},
    "fs_list": {},
    "fs_stat": {},
    "fs_mkdir": {},
    "fs_write": {"content": "written"},
    "fs_edit": {"startLine": 1, "endLine": 1, "content": "edited"},
    "fs_delete": {},
}


class Ground:
    """A workspace, and beside it what must stay as it is."""

    def __init__(self, top: Path) -> None:
        self.top, self.work, self.outside = top, top / "work", top / "outside"
        self.outside.mkdir(parents=True)
        (self.outside / "secret.txt").write_text(SECRET)
        (self.outside / "folder").mkdir()
        (self.outside / "folder" / SECRET).touch()
        (top / "work-beside").mkdir()
        (top / "work-beside" / "secret.txt").write_text(SECRET)
        self.fill()
        (self.outside / "back").symlink_to(self.work / "a.txt")
        self.before = self.print()

    def fill(self) -> None:
        """Put the workspace back as it was."""
        if self.work.exists():
            shutil.rmtree(self.work)
        (self.work / "docs").mkdir(parents=True)
        (self.work / "a.txt").write_text("inside")
        for name, target in {
            "file_out": self.outside / "secret.txt",
            "folder_out": self.outside,
            "up": Path(".."),
            "chain": Path("folder_out"),
            "dangling_out": self.outside / "new.txt",
            "loop": Path("loop"),
            "ring_a": Path("ring_b"),
            "ring_b": Path("ring_a"),
            "self": Path(),
        }.items():
            (self.work / name).symlink_to(target)
        (self.work / "docs" / "out").symlink_to("../../outside")

    def print(self) -> str:
        """Digest everything outside the workspace: names, kinds, contents."""
        digest = hashlib.sha256()
        for folder, folders, files in os.walk(self.top):
            folders[:] = sorted(name for name in folders if Path(folder, name) != self.work)
            for name in sorted([*folders, *files]):
                path = Path(folder, name)
                content = str(path.readlink()) if path.is_symlink() else path.read_text() if path.is_file() else ""
                digest.update(f"{path}\0{content}\0".encode())
        return digest.hexdigest()


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    with tempfile.TemporaryDirectory() as top:
        yield Ground(Path(top).resolve())


def parts() -> st.SearchStrategy[str]:
    """Draw one part of a path: honest names, links that lead out, and what tends to trick path checks."""
    tricks = [
        "..", ".", "", "...", "..\\", "..;", "%2e%2e", "\uff0e\uff0e", "\u2025", "\u2215..", "..\u200b", "..\0",
        "\u202e..", "~", "~root", "docs", "a.txt", "secret.txt", "folder", "outside", "work", "work-beside", "new",
        "back", "con", "*", "$HOME", "file_out", "folder_out", "up", "chain", "dangling_out", "loop", "ring_a", "self",
        "out", "x" * 300, "C:", " ",
    ]  # fmt: skip
    return st.one_of(st.sampled_from(tricks), st.text(max_size=6))


def paths() -> st.SearchStrategy[str]:
    joined = st.builds("/".join, st.lists(parts(), min_size=1, max_size=7))
    fronts = st.sampled_from([
        "", "", "", "/", "//", "./", "{work}/", "{work}", "{top}/", "{work}/../", "/proc/self/root{top}/", "\\\\", "file://",
    ])  # fmt: skip
    return st.builds(str.__add__, fronts, joined)


async def try_all(context: ToolContext, path: str, ground: Ground) -> None:
    for name, more in CALLS.items():
        result: ToolResult = await TOOLS[name].call({"path": path, **more}, context)
        shown = f"{result.content}{result.data}"
        assert SECRET not in shown, (name, path)
        assert str(ground.work) not in shown.replace(path, ""), (name, path, shown)
        assert ground.work.is_dir(), f"the workspace itself went with {path!r}"
        if name in {"fs_mkdir", "fs_write", "fs_edit", "fs_delete"} and not result.is_error:
            ground.fill()


@settings(max_examples=100)
@given(path=paths())
@example(path="../outside/secret.txt")
@example(path="{work}/../outside/secret.txt")
@example(path="file_out")
@example(path="folder_out/secret.txt")
@example(path="folder_out/folder")
@example(path="folder_out/back")
@example(path="docs/out/secret.txt")
@example(path="chain/new/deep/file.txt")
@example(path="up/outside/secret.txt")
@example(path="up/work-beside/secret.txt")
@example(path="../work-beside/secret.txt")
@example(path="dangling_out")
@example(path="loop/../../outside/secret.txt")
@example(path="ring_a")
@example(path="self/self/self/file_out")
@example(path="~/secret.txt")
@example(path="a.txt\0/../../outside/secret.txt")
@example(path="/proc/self/root{top}/outside/secret.txt")
@example(path="/proc/self/cwd")
@example(path="/dev/stdin")
@example(path="../" * 500 + "etc/passwd")
@example(path="docs/" * 2000 + "x")
@example(path="x" * 100_000)
@example(path="\ud800")
@example(path=".")
@example(path="self")
@example(path="..")
def test_nothing_outside_the_workspace_is_ever_reached(path: str, ground: Ground) -> None:
    given_path = path.replace("{work}", str(ground.work)).replace("{top}", str(ground.top))
    asyncio.run(try_all(ToolContext(ground.work), given_path, ground))
    assert ground.print() == ground.before, path
