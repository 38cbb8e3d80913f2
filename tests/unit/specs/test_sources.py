"""Folders of agents: the user's, and the package's as a fallback."""

from __future__ import annotations

from pathlib import Path

import pytest

from lango_nb.core.errors import DefinitionError
from lango_nb.specs.agent import Source
from lango_nb.specs.sources import EmbeddedStore, FileStore, user_agents

GOOD = Path(__file__).parents[2] / "data" / "agents" / "good"


def write(folder: Path, subfolder: str, text: str) -> Path:
    file = folder / subfolder / "AGENT.md"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_every_subfolder_with_an_agent_md_is_read_in_order_of_their_names() -> None:
    specs = FileStore(GOOD).load()
    assert [spec.name for spec in specs] == sorted(folder.name for folder in GOOD.iterdir())
    assert {spec.source for spec in specs} == {Source.USER}
    assert specs[0].path == str(GOOD / specs[0].name / "AGENT.md")


def test_a_missing_folder_is_fine(tmp_path: Path) -> None:
    assert FileStore(tmp_path / "none").load() == ()
    assert FileStore("~nobody-is-called-so/agents").load() == ()


def test_the_home_folder_is_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "agents", "a", "---\nname: a\n---\n")
    assert [spec.name for spec in FileStore("~/agents").load()] == ["a"]


def test_plain_files_and_other_folders_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, "a", "---\nname: a\n---\n")
    write(tmp_path / "deeper", "b", "---\nname: b\n---\n")
    (tmp_path / "README.md").write_text("no agent")
    (tmp_path / "AGENT.md").write_text("no agent either")
    (tmp_path / "empty").mkdir()
    assert [spec.name for spec in FileStore(tmp_path).load()] == ["a"]


def test_a_folder_may_be_called_otherwise_than_its_agent(tmp_path: Path) -> None:
    write(tmp_path, "01 my first!", "---\nname: a\n---\n")
    assert FileStore(tmp_path).load()[0].name == "a"


def test_one_bad_file_fails_the_whole_load_with_its_path(tmp_path: Path) -> None:
    write(tmp_path, "a", "---\nname: a\n---\n")
    bad = write(tmp_path, "b", "---\nname: b\nkeywords: x\n---\n")
    with pytest.raises(DefinitionError) as caught:
        FileStore(tmp_path).load()
    assert str(caught.value).startswith(f"{bad}:3: keywords: has to be a list")


def test_two_agents_of_one_name_are_refused_with_both_paths(tmp_path: Path) -> None:
    first, second = (write(tmp_path, folder, "---\nname: same\n---\n") for folder in ("a", "b"))
    with pytest.raises(DefinitionError) as caught:
        FileStore(tmp_path).load()
    assert str(caught.value) == f"{second}: name: 'same' is taken by {first}; rename one of them"


def test_an_agent_md_that_is_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a" / "AGENT.md").mkdir(parents=True)
    with pytest.raises(DefinitionError) as caught:
        FileStore(tmp_path).load()
    assert str(caught.value).startswith(f"{tmp_path}/a/AGENT.md: is a directory, not a file")


def test_a_link_to_nowhere_does_not_silently_disappear(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "AGENT.md").symlink_to(tmp_path / "gone")
    with pytest.raises(DefinitionError, match=r"a/AGENT\.md: cannot be read \(No such file or directory\)"):
        FileStore(tmp_path).load()


def test_a_subfolder_that_cannot_be_entered_is_refused_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(DefinitionError) as caught:
        FileStore(tmp_path).load()
    assert str(caught.value).startswith(f"{tmp_path}/loop/AGENT.md: cannot be read (Too many levels of symbolic links)")


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "agents").write_text("")
    with pytest.raises(DefinitionError, match="agents: is a file; agents are read from a folder of folders"):
        FileStore(tmp_path / "agents").load()


def test_a_folder_that_cannot_be_a_path_is_refused() -> None:
    with pytest.raises(DefinitionError, match=r"'a\\x00b': is not a path \(embedded null byte\)"):
        FileStore("a\0b").load()


def test_the_bundled_agents_are_marked_so_and_ready_for_use() -> None:
    specs = EmbeddedStore().load()
    assert specs
    assert {spec.source for spec in specs} == {Source.EMBEDDED}
    assert all(spec.is_active and spec.description and spec.instruction for spec in specs)
    assert specs[0].path == f"lango_nb/data/agents/{specs[0].name}/AGENT.md"


def test_the_bundled_agents_step_back_for_one_of_the_user_s(tmp_path: Path) -> None:
    bundled = EmbeddedStore().load()
    assert user_agents(None) == bundled
    assert user_agents(tmp_path / "none") == bundled
    write(tmp_path, "a", "---\nname: a\nstatus: disabled\n---\n")
    assert [spec.name for spec in user_agents(tmp_path)] == ["a"]


def test_the_bundled_agents_do_not_hide_a_mistake_of_the_user_s(tmp_path: Path) -> None:
    write(tmp_path, "a", "no front matter")
    with pytest.raises(DefinitionError, match=r"a/AGENT\.md:1: front matter: is missing"):
        user_agents(tmp_path)
