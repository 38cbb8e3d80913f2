"""The page that ``lango lab`` opens leads to every lesson: its picture, its one question, one click."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lango_nb.commands.terminal.notebooks import START
from tests.notebooks.pictures import CELLS, PICTURES
from tests.notebooks.refresh import NOTEBOOKS, read, shipped

LESSONS = [path for path in shipped() if path.name != START]
MOST = 300_000
"""Bytes of all pictures together."""


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_its_picture_and_its_question_on_the_first_page(path: Path) -> None:
    index = "".join(cell["source"] for cell in read(NOTEBOOKS / START).cells if cell["id"] == "lessons")
    question = re.search(r"\*\*Question: (.*?)\*\*", read(path).cells[0]["source"])
    assert question is not None
    assert f"(pictures/{path.stem}.png)]({path.name})" in index
    assert f"[{path.stem}]({path.name}): {question[1]}" in index


def test_every_picture_is_of_a_lesson_and_all_of_them_are_small() -> None:
    assert sorted(file.stem for file in PICTURES.iterdir()) == sorted(CELLS) == [path.stem for path in LESSONS]
    assert sum(file.stat().st_size for file in PICTURES.iterdir()) < MOST
