"""Copies never overwrite: what is there stays, what is new comes beside it."""

import json
from pathlib import Path
from typing import Any

import pytest

from lango_nb.commands.terminal.notebooks import copy_notebooks
from lango_nb.core.errors import UsageError


def notebook(*sources: str, **extra: Any) -> str:
    cells = [{"cell_type": "code", "source": [source], "outputs": [], "execution_count": None} for source in sources]
    return json.dumps({"cells": cells, "metadata": extra, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    folder = tmp_path / "shipped"
    (folder / "data").mkdir(parents=True)
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / "00_start_here.ipynb").write_text(notebook("1 + 1"), encoding="utf-8")
    (folder / "01_more.ipynb").write_text(notebook("2 + 2"), encoding="utf-8")
    (folder / "data" / "tools.csv").write_text("name\nfs_read\n", encoding="utf-8")
    (folder / ".ipynb_checkpoints" / "01_more-checkpoint.ipynb").write_text("old", encoding="utf-8")
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_an_empty_folder_gets_everything_but_hidden_files(shipped: Path, tmp_path: Path) -> None:
    copied = copy_notebooks(shipped, tmp_path / "a" / "b")
    assert copied.new == ("00_start_here.ipynb", "01_more.ipynb", "data/tools.csv")
    assert names(tmp_path / "a" / "b") == list(copied.new)
    assert (tmp_path / "a" / "b" / "01_more.ipynb").read_bytes() == (shipped / "01_more.ipynb").read_bytes()


def test_a_changed_file_stays_and_the_shipped_one_comes_beside_it_once(shipped: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    copy_notebooks(shipped, mine)
    (mine / "01_more.ipynb").write_text(notebook("my own"), encoding="utf-8")
    (mine / "data" / "tools.csv").write_text("mine", encoding="utf-8")
    copied = copy_notebooks(shipped, mine)
    assert copied.new == ()
    assert copied.beside == ("01_more.new.ipynb", "data/tools.new.csv")
    assert "my own" in (mine / "01_more.ipynb").read_text(encoding="utf-8")
    assert (mine / "01_more.new.ipynb").read_bytes() == (shipped / "01_more.ipynb").read_bytes()
    before = names(mine)
    assert copy_notebooks(shipped, mine).beside == ()
    assert names(mine) == before


def test_not_even_an_earlier_new_version_is_overwritten(shipped: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "01_more.ipynb").write_text("my notebook", encoding="utf-8")
    (mine / "01_more.new.ipynb").write_text("my work on the new one", encoding="utf-8")
    assert copy_notebooks(shipped, mine).beside == ("01_more.new2.ipynb",)
    assert (mine / "01_more.new.ipynb").read_text(encoding="utf-8") == "my work on the new one"
    assert copy_notebooks(shipped, mine).beside == ()


def test_running_a_notebook_does_not_count_as_changing_it(shipped: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    copy_notebooks(shipped, mine)
    ran = json.loads(notebook("1 + 1", kernelspec={"name": "python3"}))
    ran["cells"][0] |= {"source": "1 + 1", "execution_count": 7, "outputs": [{"output_type": "stream", "text": "2"}]}
    (mine / "00_start_here.ipynb").write_text(json.dumps(ran, indent=1), encoding="utf-8")
    assert copy_notebooks(shipped, mine).beside == ()
    (mine / "00_start_here.ipynb").write_text(notebook("1 + 1", "2 + 2"), encoding="utf-8")
    assert copy_notebooks(shipped, mine).beside == ("00_start_here.new.ipynb",)


@pytest.mark.parametrize("content", ["", "{}", '{"cells": 3}', '{"cells": [{}]}', "[1]", "[" * 50_000])
def test_what_is_no_notebook_is_left_alone_too(shipped: Path, tmp_path: Path, content: str) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "00_start_here.ipynb").write_text(content, encoding="utf-8")
    assert copy_notebooks(shipped, mine).beside == ("00_start_here.new.ipynb",)
    assert (mine / "00_start_here.ipynb").read_text(encoding="utf-8") == content


def test_links_and_folders_in_the_way_are_not_followed_or_removed(shipped: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "00_start_here.ipynb").symlink_to(tmp_path / "nowhere")
    (mine / "01_more.ipynb").mkdir()
    copied = copy_notebooks(shipped, mine)
    assert copied.beside == ("00_start_here.new.ipynb", "01_more.new.ipynb")
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_cannot_be_made_is_one_line(shipped: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"the folder '.*file/x' cannot be written: Not a directory; choose another"):
        copy_notebooks(shipped, tmp_path / "file" / "x")


def test_a_folder_that_may_not_be_written_is_one_line(folder_of_nobody: Path) -> None:
    (folder_of_nobody / "shipped").mkdir()
    (folder_of_nobody / "shipped" / "00.ipynb").write_text("{}", encoding="utf-8")
    mine = folder_of_nobody / "mine"
    mine.mkdir(mode=0o500)
    with pytest.raises(UsageError, match="cannot be written: Permission denied"):
        copy_notebooks(folder_of_nobody / "shipped", mine)
