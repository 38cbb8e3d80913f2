"""What a call of a file tool would do is told before it happens, as things are at that moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import ToolError
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.builtin.fs_previews import MOST_SHOWN
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Preview

TOOLS = {tool.name: tool for tool in builtin_tools()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "todo.txt").write_text("stamps\ncall Ada\npost letter\nbuy tea\n")
    (tmp_path / "a.png").write_bytes(b"\x89PNG\x00")
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "deep" / "b.txt").touch()
    (tmp_path / "link").symlink_to("docs")
    return tmp_path


def look(folder: Path, tool: str, **arguments: Any) -> Preview:
    previewer = TOOLS[tool].preview
    assert previewer is not None
    before = {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))}
    found = previewer(arguments, ToolContext(folder))
    assert isinstance(found, Preview)
    assert {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))} == before
    return found


@pytest.mark.parametrize(
    ("tool", "arguments", "summary"),
    [
        ("fs_write", {"path": "new.txt", "content": "a\nb\n"}, "creates new.txt (2 lines)"),
        ("fs_write", {"path": "x/new.txt", "content": "a"}, "creates x/new.txt and the folders above it (1 line)"),
        ("fs_write", {"path": "docs/../todo.txt", "content": "a\n"}, "replaces 4 lines of todo.txt with 1 line"),
        ("fs_write", {"path": "a.png", "content": "a\n"}, "replaces a.png (5 bytes, no text) with 1 line"),
        ("fs_edit", {"path": "todo.txt", "startLine": 2, "endLine": 3, "content": "x"},
         "replaces lines 2-3 of todo.txt with 1 line"),
        ("fs_edit", {"path": "todo.txt", "startLine": 2, "endLine": 2, "content": ""}, "deletes line 2 of todo.txt"),
        ("fs_delete", {"path": "todo.txt"}, "deletes todo.txt, 4 lines"),
        ("fs_delete", {"path": "a.png"}, "deletes a.png, 5 bytes"),
        ("fs_delete", {"path": "docs"}, "deletes docs/ with 2 entries"),
        ("fs_delete", {"path": "link"}, "deletes link, a link"),
    ],
)  # fmt: skip
def test_the_summary_says_what_happens(folder: Path, tool: str, arguments: dict[str, Any], summary: str) -> None:
    assert look(folder, tool, **arguments).summary == summary


def test_the_difference_shows_what_goes_and_what_comes(folder: Path) -> None:
    found = look(folder, "fs_edit", path="todo.txt", startLine=2, endLine=2, content="call Bob")
    assert found.difference.splitlines() == [
        *("--- todo.txt now", "+++ todo.txt then", "@@ -1,3 +1,3 @@"),
        *(" stamps", "-call Ada", "+call Bob", " post letter"),
    ]


def test_the_same_content_is_told_as_no_change(folder: Path) -> None:
    content = (folder / "todo.txt").read_text()
    assert look(folder, "fs_write", path="todo.txt", content=content) == Preview("leaves todo.txt as it is (4 lines)")


@pytest.mark.parametrize("lines", [1000, 100_000])
def test_a_long_difference_is_short_and_counts_the_rest(folder: Path, lines: int) -> None:
    (folder / "long.txt").write_text("x" * 5000 + "\n" + "old\n" * lines)
    found = look(folder, "fs_write", path="long.txt", content="new\n" * lines)
    shown = found.difference.splitlines()
    assert len(shown) <= MOST_SHOWN + 1
    assert max(map(len, shown)) < 250
    assert "more lines" in shown[-1] or "not compared" in shown[-1]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fs_write", {"path": "../out.txt", "content": "x"}),
        ("fs_write", {"path": "docs", "content": "x"}),
        ("fs_write", {"path": "new/", "content": "x"}),
        ("fs_write", {"path": "new.txt", "content": "\ud800"}),
        ("fs_edit", {"path": "todo.txt", "startLine": 9, "endLine": 9, "content": "x"}),
        ("fs_edit", {"path": "gone.txt", "startLine": 1, "endLine": 1, "content": "x"}),
        ("fs_delete", {"path": "gone.txt"}),
        ("fs_delete", {"path": "docs/.."}),
    ],
)
def test_a_call_that_would_fail_is_told_as_one(folder: Path, tool: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolError):
        look(folder, tool, **arguments)
