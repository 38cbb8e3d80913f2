from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lango_nb.core.errors import ToolError
from lango_nb.core.text import printable
from lango_nb.tools.builtin import builtin_tools, paths
from lango_nb.tools.builtin.paths import Place, reach
from lango_nb.tools.context import ToolContext

TOOLS = {tool.name: tool for tool in builtin_tools()}


@pytest.fixture(autouse=True, params=["handles", "paths"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach places as this system does, and as one without handles of folders does."""
    if request.param == "paths":
        monkeypatch.setattr(paths, "HAS_HANDLES", False)


def locate(context: ToolContext, given: str, *, is_link: bool = False) -> Place:
    with reach(context, given, is_link=is_link) as place:
        return place


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
        "up/work/a.txt",
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
        ("..a", "..a"),
        ("...", "..."),
        ("a~", "a~"),
        ("./~", "~"),
        ("docs/new/deep/../../../x", "x"),
        ("\uff0e\uff0e", "\uff0e\uff0e"),
        (" a", " a"),
    ],
)
def test_what_stays_inside_is_found_where_it_is(workspace: Path, given: str, shown: str) -> None:
    place = locate(ToolContext(workspace), given)
    assert place.shown == shown


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
    context = ToolContext(workspace)
    assert (locate(context, "inside").shown, locate(context, "inside/").is_folder) == ("docs", True)
    for given in ("inside", "inside/", "to_folder", "loop"):
        assert locate(context, given, is_link=True).shown == given.rstrip("/")
    assert locate(context, "inside/.", is_link=True).shown == "docs"


@pytest.mark.parametrize(
    ("given", "code"), [("x" * 300, "os_error"), ("docs/" * 200, "bad_argument"), ("no/x", "not_found")]
)
def test_what_cannot_be_there_is_told(workspace: Path, given: str, code: str) -> None:
    with pytest.raises(ToolError) as told:
        locate(ToolContext(workspace), given)
    assert told.value.code == code
    assert len(str(told.value)) < 200


def test_a_link_that_leads_to_itself_is_told(workspace: Path) -> None:
    with pytest.raises(ToolError, match=r"loop: .*symbolic links"):
        locate(ToolContext(workspace), "loop")


def test_a_long_path_is_shortened_in_the_message(workspace: Path) -> None:
    with pytest.raises(ToolError) as refused:
        locate(ToolContext(workspace), "../" + "x" * 5000)
    assert len(str(refused.value)) < 200


def test_printable_keeps_words_and_escapes_the_rest() -> None:
    assert printable("größe 🎉 . md") == "größe 🎉 . md"
    assert printable("a\tb\x1b\udcff\u202e") == "a\\tb\\x1b\\udcff\\u202e"


def test_a_workspace_at_the_root_of_the_disk_works() -> None:
    assert locate(ToolContext(Path("/")), "etc").is_folder


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fs_read", {"path": "home/keys.env"}),
        ("fs_read", {"path": "home/sub/any.txt"}),
        ("fs_read", {"path": "to_home/keys.env"}),
        ("fs_read", {"path": "same.env"}),
        ("fs_stat", {"path": "home/keys.env"}),
        ("fs_list", {"path": "home"}),
        ("fs_list", {"path": "docs/../home/sub"}),
        ("fs_write", {"path": "home/new.txt", "content": "x"}),
        ("fs_write", {"path": "home/keys.env", "content": "x"}),
        ("fs_edit", {"path": "home/keys.env", "startLine": 1, "endLine": 1, "content": "x"}),
        ("fs_mkdir", {"path": "home/new/newer"}),
        ("fs_delete", {"path": "home"}),
        ("fs_delete", {"path": "home/keys.env"}),
        ("fs_delete", {"path": "above"}),
    ],
)
def test_the_home_and_its_keys_are_out_of_reach_also_inside_the_workspace(
    workspace: Path, tool: str, arguments: dict[str, object]
) -> None:
    homes = [workspace / "home", workspace / "above" / "home"]
    for home in homes:
        (home / "sub").mkdir(parents=True)
        (home / "sub" / "any.txt").write_text("record\n")
        (home / "keys.env").write_text("KEY=secret\n")
    (workspace / "to_home").symlink_to("home")
    (workspace / "same.env").hardlink_to(workspace / "home" / "keys.env")
    context = ToolContext(workspace, closed=(*homes, *(home / "keys.env" for home in homes)))
    before = sorted(workspace.rglob("*"))
    result = asyncio.run(TOOLS[tool].call(arguments, context))
    assert (result.is_error, result.code) == (True, "refused")
    assert "out of reach of file tools" in result.content
    assert sorted(workspace.rglob("*")) == before
    assert [(home / "keys.env").read_text() for home in homes] == ["KEY=secret\n"] * 2


def test_a_link_to_the_home_may_go(workspace: Path) -> None:
    (workspace / "home").mkdir()
    (workspace / "to_home").symlink_to("home")
    context = ToolContext(workspace, closed=(workspace / "home",))
    assert not asyncio.run(TOOLS["fs_delete"].call({"path": "to_home"}, context)).is_error
    assert (workspace / "home").is_dir()
