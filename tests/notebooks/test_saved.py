"""The notebooks as they are committed: lessons of one shape, with true outputs that tell nothing of who ran them."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

Cell = dict[str, Any]
HERE = Path(__file__).parent
NOTEBOOKS = HERE.parents[1] / "notebooks"
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
TELLTALES = {
    "a path of this machine": r"/(?:home|root|tmp|work|usr|Users)/|[A-Za-z]:\\",
    "a date": r"\b20\d\d-\d\d-\d\d\b",
    "a time of day": r"\b\d\d:\d\d:\d\d\b",
    "a duration": r"\b\d+(?:\.\d+)? ?ms\b",
    "an address": r"\b0x[0-9a-f]{6,}\b",
    "a random id": r"\b[0-9a-f]{8}-[0-9a-f]{4}-",
    "a number of a version": r"\b\d+\.\d+\.\d+\b",
}
WARNING = r"turn \d+ \([\w-]+\) was interrupted and is closed now; .+\n"
"""The one thing that a lesson may complain of: what a process left open that it let die."""
FOREIGN = r"<script|<iframe|<link|<object|url\(|(?:src|href)=[\"'](?!data:)"


def load_refresh() -> ModuleType:
    """Import the script; it stands in no package."""
    spec = importlib.util.spec_from_file_location("refresh", HERE / "refresh.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


refresh = load_refresh()


@pytest.fixture(params=PATHS, ids=lambda path: path.name)
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


@pytest.fixture
def cells(path: Path) -> list[Cell]:
    return read_cells(path)


def read_cells(path: Path) -> list[Cell]:
    found: list[Cell] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def source(cell: Cell) -> str:
    return "".join(cell["source"])


def code(cells: list[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell["cell_type"] == "code"]


def outputs(cells: list[Cell]) -> list[Cell]:
    return [out for cell in code(cells) for out in cell["outputs"]]


def texts(cells: list[Cell]) -> list[str]:
    """Every text of every output."""
    return ["".join(text) for out in outputs(cells) for text in (out.get("text", ""), *out.get("data", {}).values())]


def write(file: Path, code: str, metadata: dict[str, Any]) -> None:
    """Write a notebook of one cell."""
    cell: Cell = {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": [], "source": code}
    file.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}), encoding="utf-8")


def test_the_lessons_are_there_and_nothing_else_lies_about() -> None:
    assert [path.stem for path in PATHS[:6]] == [
        "00_start_here",
        "01_partitions",
        "02_routing",
        "03_turns_and_traces",
        "04_teammates",
        "05_history_as_dataframes",
    ]
    there = {path.name for path in NOTEBOOKS.iterdir() if not path.name.startswith(".")}
    assert there == {path.name for path in PATHS} | {"pictures"}


def test_a_lesson_asks_one_question_and_answers_it(cells: list[Cell]) -> None:
    assert len(re.findall(r"^\*\*Question: .+\?\*\*$", source(cells[0]), re.MULTILINE)) == 1
    answer, exercise, _check = cells[-3:]
    assert source(answer).startswith("## Answer\n")
    assert source(exercise).startswith("## Exercise\n")
    assert sum("**Question:" in source(cell) or "## Answer" in source(cell) for cell in cells) == 2


def test_a_lesson_is_short(cells: list[Cell]) -> None:
    assert 10 <= len(cells) <= 22
    assert [cell["id"] for cell in cells if source(cell).count("\n") >= 20] == []


def test_every_cell_shows_something_and_none_shows_an_error(cells: list[Cell]) -> None:
    assert [cell["execution_count"] for cell in code(cells)] == list(range(1, len(code(cells)) + 1))
    assert [cell["id"] for cell in code(cells) if not cell["outputs"]] == []
    complaints = ["".join(out["text"]) for out in outputs(cells) if out.get("name") == "stderr"]
    assert [text for text in complaints if not re.fullmatch(WARNING, text)] == []
    assert {(out["output_type"], out.get("name")) for out in outputs(cells)} <= {
        ("execute_result", None),
        ("stream", "stdout"),
        ("stream", "stderr"),
    }


@pytest.mark.parametrize("what", TELLTALES)
def test_outputs_do_not_tell_when_and_where_they_were_made(cells: list[Cell], what: str) -> None:
    without_pictures = [re.sub(r"data:[^\"']+", "", text) for text in texts(cells)]
    assert [match for text in without_pictures for match in re.findall(TELLTALES[what], text)] == []


def test_outputs_need_nothing_from_elsewhere(cells: list[Cell]) -> None:
    assert [match for text in texts(cells) for match in re.findall(FOREIGN, text, re.IGNORECASE)] == []


def test_links_lead_to_notebooks_that_are_there(path: Path, cells: list[Cell]) -> None:
    links = [link for cell in cells for link in re.findall(r"\]\(([^)]+)\)", source(cell))]
    assert [link for link in links if not (NOTEBOOKS / link).is_file()] == []
    if path == PATHS[0]:
        assert {link for link in links if link.endswith(".ipynb")} == {other.name for other in PATHS[1:]}


def test_the_file_is_as_refresh_writes_it(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == refresh.to_text(refresh.read(path))


@pytest.mark.parametrize("path", [PATHS[0], PATHS[5]], ids=lambda path: path.name)
def test_a_copy_elsewhere_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    """The first, and the one that writes most; that all give the same outputs is what nbval and the browser say."""
    copy = tmp_path / "a folder" / path.name
    copy.parent.mkdir()
    shutil.copy(path, copy)
    assert refresh.refresh([copy]) == []
    assert copy.read_bytes() == path.read_bytes()
    assert [file.name for file in copy.parent.iterdir()] == [path.name]


def test_refresh_writes_what_changed(tmp_path: Path) -> None:
    file = tmp_path / "00_small.ipynb"
    looks = "import os\nprint(os.listdir(), os.environ['LANGO_NB_PROGRESS'])"
    write(file, looks, {"execution": {"iopub.execute_input": "yesterday"}})
    assert refresh.refresh([file]) == [file.name]
    (written,) = read_cells(file)
    assert written["metadata"] == {}
    assert texts([written]) == ["[] 0\n"]
    assert refresh.refresh(refresh.shipped(tmp_path)) == []


def test_refresh_does_not_write_a_notebook_that_fails(tmp_path: Path) -> None:
    file = tmp_path / "00_broken.ipynb"
    write(file, "1 / 0", {})
    before = file.read_bytes()
    with pytest.raises(refresh.CellExecutionError, match="ZeroDivisionError"):
        refresh.refresh([file])
    assert file.read_bytes() == before
