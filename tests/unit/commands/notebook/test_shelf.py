"""``%lango shelf`` and its like: what is typed, what comes back, and what cells leave on the shelf."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lango_nb.commands.notebook.completion import complete
from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.viz.view import View

if TYPE_CHECKING:
    from tests.unit.commands.notebook.conftest import Session

AGENT = "%%lango agent pharmacist\n---\ndescription: knows medicines\nprefixes: [pill_]\n---\nYou know medicines."
TOOL = "%%lango tool\ndef pill_count(text: str) -> int:\n    'Count pills.'\n    return text.count('pill')"


def test_a_note_is_the_rest_of_the_line_byte_for_byte(session: Session) -> None:
    session.run("%lango ask hello")
    session.run("%lango ask list the files here")
    session.run('%lango note -1 asked "twice" --out of   two;')
    session.run("%lango note 1 first")
    notes = session.lab.shelf.table("notes").all()
    assert [(note["turn"], note["text"]) for note in notes] == [(2, 'asked "twice" --out of   two;'), (1, "first")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("note", "note needs TURN, as in '%lango note -1"),
        ("note 1", "nothing to note: write the text after it"),
        ("note 7 text", "turn '7' not found"),
        ("tag 1", "tag needs a turn and a word"),
        ("save", "save needs NAME"),
        ("save x y", "save takes one NAME"),
        ("forget notes/8", "item 'notes/8' not found in the shelf"),
        ("shelf note", "kind 'note' not found in the shelf; did you mean 'notes'?"),
        ("label vaul x", "'vaul' is neither an agent here nor a tool family; did you mean 'vault'?"),
    ],
)
def test_what_is_wrong_is_one_line(session: Session, line: str, message: str) -> None:
    session.run("%lango ask hello")
    error = session.error(f"%lango {line}")
    assert isinstance(error, UsageError | UnknownNameError)
    assert message in str(error)
    assert "\n" not in str(error)


def test_the_shelf_is_shown_narrowed_and_put_into_a_file(session: Session) -> None:
    session.run("%lango ask hello")
    session.run("%lango note 1 asked twice")
    session.run("%lango tag 1 slow")
    view = session.run("%lango shelf")
    assert isinstance(view, View)
    assert [item.id for item in view.record] == ["notes/1", "tags/1"]
    assert [item.id for item in session.run("%lango shelf --search TWICE").record] == ["notes/1"]
    assert session.run("%lango shelf tags --df")["name"].tolist() == ["slow"]
    shown = session.shown(session.run("%lango shelf mine.json"))
    assert "mine.json" in shown["text/plain"]
    assert "/" not in shown["text/plain"].splitlines()[0], "no folder of this machine"
    assert set(json.loads(Path("mine.json").read_text(encoding="utf-8"))["tables"]) == {"notes", "tags"}


def test_cells_are_on_the_shelf_and_join_again(session: Session) -> None:
    session.run("%lango shelf mine.json")
    session.run(AGENT)
    session.run(TOOL)
    session.run(TOOL)
    kinds = [(item.kind, item.name) for item in session.lab.shelf.items()]
    assert kinds == [("agents", "pharmacist"), ("tools", "pill_count")]
    session.run("from lango_nb import Lab\nother = Lab(shelf='mine.json', approver='deny')\n%lango use other")
    assert session.run("%lango shelf --restore").record == (("agents/1", "pharmacist", "joined"),)
    assert session.run("%lango shelf tools --restore").record == (("tools/1", "pill_count", "joined"),)
    assert session.run("%lango prompt pharmacist").record.tools[0].name == "pill_count"
    assert session.run("pill_count('pill and pill')") == 2, "its functions are names of the notebook again"


def test_a_cell_that_cannot_be_kept_works_all_the_same(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.run(TOOL + "  # sk-abcdefghijklmnop1234")
    said = capsys.readouterr().err
    assert said == (
        "lango: pill_count does not go on the shelf: line 3 of its source holds what looks like a secret; take it out "
        "and try again\n"
    )
    assert "pill_count" in session.lab.engine.catalog
    assert len(session.lab.shelf) == 0


def test_a_cell_beside_a_damaged_shelf_works_all_the_same(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.run("%lango shelf mine.json")
    Path("mine.json").write_text("{", encoding="utf-8")
    session.run(AGENT)
    assert "mine.json, line 1, column 2" in capsys.readouterr().err
    assert Path("mine.json").read_text(encoding="utf-8") == "{"


def test_names_are_offered(session: Session) -> None:
    from lango_nb.commands.notebook.extension import loaded

    session.run("%lango ask hello")
    session.run("%lango note 1 x")
    session.lab.shelf.insert({"kind": "ideas"})
    world = loaded(session.shell)
    assert world is not None
    offered = {
        line: found.candidates if (found := complete(line, world)) else None
        for line in ("%lango shelf i", "%lango forget ", "%lango note ", "%lango label va", "%lango note 1 t")
    }
    assert offered == {
        "%lango shelf i": ("ideas",),
        "%lango forget ": ("ideas/1", "notes/1"),
        "%lango note ": ("1",),
        "%lango label va": ("vault",),
        "%lango note 1 t": None,
    }
