from __future__ import annotations

import os
from pathlib import Path

import pytest

from lango_nb.core.errors import ToolError
from lango_nb.tools.builtin.paths import locate, printable
from lango_nb.tools.context import ToolContext


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Make a folder with a secret beside it, and links of every kind in it."""
    work, outside = tmp_path / "work", tmp_path / "outside"
    (work / "docs").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (tmp_path / "work-too").mkdir()
    (work / "a.txt").write_text("inside")
    (work / "to_file").symlink_to(outside / "secret.txt")
    (work / "to_folder").symlink_to(outside)
    (work / "up").symlink_to("..")
    (work / "chain").symlink_to("to_folder")
    (work / "loop").symlink_to("loop")
    (work / "dangling").symlink_to(outside / "new.txt")
    (work / "inside").symlink_to("docs")
    (outside / "back").symlink_to(work / "a.txt")
    return work


@pytest.mark.parametrize(
    "given",
    [
        "..",
        "../outside/secret.txt",
        "docs/../../outside/secret.txt",
        "../work-too/x",
        "/",
        "/etc/passwd",
        "/proc/self/environ",
        "//etc/passwd",
        "//server/share",
        "\\\\server\\share",
        "C:\\Windows",
        "c:/Windows",
        "~",
        "~/x",
        "~root/x",
        "to_file",
        "to_folder",
        "to_folder/secret.txt",
        "to_folder/new.txt",
        "to_folder/../work/../outside/secret.txt",
        "chain/secret.txt",
        "up/outside/secret.txt",
        "dangling",
        "to_folder/back",
        "docs/../to_folder/secret.txt",
        "inside/../../outside/secret.txt",
    ],
)
def test_what_leads_out_is_refused(workspace: Path, given: str) -> None:
    with pytest.raises(ToolError) as refused:
        locate(ToolContext(workspace), given)
    assert refused.value.code == "outside_workspace"
    assert "file tools stay inside the workspace" in str(refused.value)
    assert str(workspace) not in str(refused.value)


def test_absolute_paths_are_held_to_the_same_rule(workspace: Path) -> None:
    context = ToolContext(workspace)
    assert locate(context, str(workspace / "docs")).shown == "docs"
    assert locate(context, str(workspace)).is_root
    for outside in (workspace.parent, workspace.parent / "outside" / "secret.txt", workspace / ".." / "work-too"):
        with pytest.raises(ToolError, match="leads out"):
            locate(context, str(outside))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (".", "."),
        ("./docs/", "docs"),
        ("docs/../a.txt", "a.txt"),
        ("docs//./new/../x", "docs/x"),
        ("inside/x", "docs/x"),
        ("up/work/a.txt", "a.txt"),
        ("..a", "..a"),
        ("...", "..."),
        ("a~", "a~"),
        ("./~", "~"),
        ("\uff0e\uff0e/x", "\uff0e\uff0e/x"),
        ("loop", "loop"),
        (" a", " a"),
        ("x" * 300, "x" * 300),
    ],
)
def test_what_stays_inside_is_found_where_it_is(workspace: Path, given: str, shown: str) -> None:
    place = locate(ToolContext(workspace), given)
    assert place.shown == shown
    assert place.real == workspace.resolve() / shown


@pytest.mark.parametrize("given", ["", "  ", "a\0b", "a\nb", "\x7f", "\ud800", "docs/\x1b[31m"])
def test_what_is_no_path_is_refused(workspace: Path, given: str) -> None:
    with pytest.raises(ToolError) as refused:
        locate(ToolContext(workspace), given)
    assert refused.value.code == "bad_argument"
    assert str(refused.value).isprintable()


def test_a_workspace_given_through_a_link_is_resolved_too(workspace: Path) -> None:
    link = workspace.parent / "shortcut"
    link.symlink_to(workspace)
    assert locate(ToolContext(link), "docs").shown == "docs"
    assert locate(ToolContext(link), str(link / "docs")).shown == "docs"


def test_of_a_link_the_link_itself_can_be_told_from_its_target(workspace: Path) -> None:
    place = locate(ToolContext(workspace), "inside")
    assert (place.link.name, place.real.name) == ("inside", "docs")
    assert locate(ToolContext(workspace), "inside/").link.name == "inside"


def test_a_long_path_is_shortened_in_the_message(workspace: Path) -> None:
    with pytest.raises(ToolError) as refused:
        locate(ToolContext(workspace), "../" + "x" * 5000)
    assert len(str(refused.value)) < 200


def test_printable_keeps_words_and_escapes_the_rest() -> None:
    assert printable("größe 🎉 . md") == "größe 🎉 . md"
    assert printable("a\tb\x1b\udcff\u202e") == "a\\tb\\x1b\\udcff\\u202e"


def test_a_workspace_at_the_root_of_the_disk_works() -> None:
    assert locate(ToolContext(Path("/")), "etc").real == Path(os.path.realpath("/etc"))
