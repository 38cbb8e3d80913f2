"""``lango shelf`` and ``lango note``: the shelf of the home folder, or a file, from a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.lab import Lab
from lango_nb.lab.shelf import open_shelf

Lango = Callable[..., Any]


def test_a_note_in_the_terminal_is_the_note_that_a_lab_shows(lango: Lango, tmp_path: Path) -> None:
    assert lango("ask", "hello").code == 0
    done = lango("note", "-1", "greets well")
    assert (done.code, done.err) == (0, "")
    assert "greets well" in done.out
    lab = Lab(store="home", approver="deny")
    assert lab.shelf.path == tmp_path / "home" / "shelf.json"
    assert "greets well" in lab.turns.text
    lab.close()
    rows = json.loads(lango("shelf", "--output", "json").out)
    assert [(row["item"], row["text"], row["turn"]) for row in rows] == [("notes/1", "greets well", 1)]


def test_the_shelf_is_listed_by_kind_and_text(lango: Lango, here: Path) -> None:
    assert lango("shelf").out == "shelf.json: nothing is kept yet; lango note TURN TEXT keeps a note\n"
    open_shelf(here / "mine.json").insert_multiple([{"kind": "notes", "text": "one"}, {"kind": "tags", "name": "x"}])
    assert "notes/1" in lango("shelf", "--file", "mine.json").out
    assert "notes/1" not in lango("shelf", "tags", "--file", "mine.json").out
    assert lango("shelf", "--file", "mine.json", "--search", "none").out == "mine.json: nothing fits\n"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["shelf", "notez"], 2, "kind 'notez' not found in the shelf; did you mean 'notes'?"),
        (["shelf", "--file", "none.json"], 2, "there is no file 'none.json'"),
        (["shelf", "--file", "broken.json"], 5, "broken.json, line 1, column 2: Expecting property name"),
        (["note", "1", "text"], 2, "turn '1' not found"),
        (["note", "1", " "], 2, "a note needs a text"),
    ],
)
def test_what_is_wrong_is_one_line(lango: Lango, here: Path, words: list[str], code: int, message: str) -> None:
    (here / "broken.json").write_text("{", encoding="utf-8")
    done = lango(*words)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert done.err.count("\n") == 1
