"""What a lab puts on its shelf, what it uses of it again, and where the shelf is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tinydb import where

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import LangoError, RefusedError, UnknownNameError, UsageError
from lango_nb.lab import Lab
from lango_nb.lab.making import shelf_path
from lango_nb.specs.agent_md import parse_agent_md
from lango_nb.tools.decorator import tool
from tests.unit.lab.test_lab import AGENT

SEW = 'def sew_hem(cloth: str) -> str:\n    "Sew a hem."\n    return f"{cloth}, hemmed"\n'


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    return Lab("sextet", workspace=tmp_path, approver="deny", clock=SteppedClock())


# -- where it is -------------------------------------------------------------------------------------------------------


def test_without_a_home_it_is_in_memory_and_with_one_a_file_there(tmp_path: Path) -> None:
    assert Lab(workspace=tmp_path).shelf.path is None
    assert Lab(workspace=tmp_path, home=tmp_path / "home").shelf.path == tmp_path / "home" / "shelf.json"
    own = Lab(workspace=tmp_path, home=tmp_path / "home", shelf=tmp_path / "own.json")
    assert own.shelf.path == tmp_path / "own.json"
    assert not (tmp_path / "home" / "shelf.json").exists()


def test_records_that_move_to_a_folder_take_the_shelf_along(tmp_path: Path) -> None:
    lab = Lab(workspace=tmp_path)
    lab.shelf.insert({"kind": "notes", "text": "early"})
    lab.open(tmp_path / "kept")
    assert lab.shelf.path == tmp_path / "kept" / "shelf.json"
    assert [item.text for item in Lab(workspace=tmp_path, store=tmp_path / "kept").shelf.items()] == ["early"]
    assert lab.shelf.path == tmp_path / "kept" / "shelf.json"


def test_records_of_a_home_are_beside_its_shelf_however_they_are_opened(tmp_path: Path) -> None:
    lab = Lab(workspace=tmp_path, home=tmp_path / "home")
    other = Lab(workspace=tmp_path, store=tmp_path / "home")
    assert lab.shelf.path == other.shelf.path == tmp_path / "home" / "shelf.json"


def test_records_in_a_database_leave_the_shelf_a_file_in_the_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    lab = Lab(workspace=tmp_path, home=home, store=f"sqlite:///{tmp_path / 'records.db'}")
    lab.label("water the ferns", "root")
    assert (home / "shelf.json").exists()
    assert shelf_path("sqlite:///records.db", home) == shelf_path(lab.engine.store, home) == home / "shelf.json"
    assert shelf_path("memory", home) is shelf_path("", home) is None


def test_a_file_of_your_own_takes_what_was_in_memory_and_nothing_from_another_file(lab: Lab, tmp_path: Path) -> None:
    lab.label("water the ferns", "root")
    lab.open_shelf(tmp_path / "one.json")
    assert len(lab.shelf.table("examples")) == 1
    lab.open_shelf(tmp_path / "two.json")
    assert len(lab.shelf) == 0
    lab.keep_in(tmp_path / "records")
    assert lab.shelf.path == tmp_path / "two.json"


def test_a_damaged_file_is_told_and_the_lab_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "shelf.json").write_text("{\n  oops\n}", encoding="utf-8")
    lab = Lab("sextet", workspace=tmp_path, home=home, approver="deny")
    lab.ask("hello")
    with pytest.raises(LangoError, match=r"shelf\.json, line 2, column 3"):
        lab.note(-1, "lost?")
    assert "shelf.json, line 2, column 3" in lab.turns.text
    assert "shelf.json, line 2, column 3" in lab.turns.html
    assert (home / "shelf.json").read_text(encoding="utf-8") == "{\n  oops\n}"


def test_tinydb_loads_with_the_first_look_and_no_library_for_locks_at_all(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom lango_nb import Lab\n"
        "def loaded(): return [name for name in ('tinydb', 'filelock') if name in sys.modules]\n"
        f"lab = Lab(workspace={str(tmp_path)!r}, shelf=None)\nlab.ask('hello'); lab.turns.text; lab.diff('quartet')\n"
        f"said = [loaded()]\nlab.open_shelf({str(tmp_path / 's.json')!r}); lab.turns.text; said.append(loaded())\n"
        "lab.note(-1, 'x'); said.append(loaded())\nimport json; print(json.dumps(said))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[], ["tinydb"], ["tinydb"]]


# -- notes and tags ----------------------------------------------------------------------------------------------------


def test_notes_and_tags_belong_to_a_turn_and_show_in_the_list_of_turns(lab: Lab) -> None:
    lab.ask("hello")
    lab.ask("how many lines does notes.md have?")
    lab.note(2, "found it at once")
    lab.tag("turn-2", "#good", "files")
    lab.tag(2, "good")
    assert [item.text for item in lab.shelf.items("notes")] == ["found it at once"]
    assert [item.name for item in lab.shelf.items("tags")] == ["good", "files"]
    note = lab.shelf.table("notes").all()[0]
    assert (note["turn"], note["turn_id"], note["agent"]) == (2, "turn-2", "operator")
    last = lab.turns.text.splitlines()[-4:]
    assert any("found it at once" in line or "found it" in line for line in last)
    assert "found it at once · #good · #files" in lab.turns.html
    assert len(lab.shelf.search(where("agent") == "operator")) == 3


def test_a_list_of_turns_without_notes_has_no_column_for_them(lab: Lab) -> None:
    lab.ask("hello")
    before = lab.turns.text
    assert "notes" not in before
    lab.label("hello", "root")
    assert lab.turns.text == before


def test_a_note_of_another_day_does_not_stick_to_a_turn_that_has_the_same_id(tmp_path: Path) -> None:
    first = Lab("sextet", workspace=tmp_path, shelf=tmp_path / "s.json")
    first.ask("hello")
    first.note(-1, "of the first lab")
    second = Lab("sextet", workspace=tmp_path, shelf=tmp_path / "s.json")
    second.ask("hello")
    assert "of the first lab" in first.turns.html
    assert "of the first lab" not in second.turns.html


@pytest.mark.parametrize(
    ("deed", "error"),
    [
        (lambda lab: lab.note(7, "x"), UnknownNameError),
        (lambda lab: lab.note(1, " "), UsageError),
        (lambda lab: lab.tag(1), UsageError),
        (lambda lab: lab.tag(1, "#"), UsageError),
        (lambda lab: lab.label("x", "valt"), UsageError),
        (lambda lab: lab.label(" ", "vault"), UsageError),
        (lambda lab: lab.save("x", 7), UsageError),
        (lambda lab: lab.forget("notes/9"), UnknownNameError),
        (lambda lab: lab.restore("notes"), UsageError),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is(lab: Lab, deed: Any, error: type[Exception]) -> None:
    lab.ask("hello")
    with pytest.raises(error):
        deed(lab)
    assert len(lab.shelf) == 0


def test_secrets_of_a_request_are_not_kept_with_its_note(lab: Lab) -> None:
    lab.ask("hello, my key is sk-abcdefghijklmnop1234")
    lab.note(-1, "password = hunter2")
    assert "hunter2" not in str(lab.shelf.all())
    assert "abcdefghijklmnop" not in str(lab.shelf.all())


# -- results -----------------------------------------------------------------------------------------------------------


def test_what_was_last_done_is_saved_under_a_name(lab: Lab) -> None:
    with pytest.raises(UsageError, match="nothing to save yet"):
        lab.save("x")
    lab.ask("hello")
    lab.save("greeting")
    lab.diff("quartet")
    lab.save("smaller")
    lab.evaluate([("encrypt this text", "vault"), ("hi", "root")])
    lab.save("mine")
    lab.route("encrypt this text")
    lab.save("secret")
    lab.save("by hand", "read notes.md")
    kinds = [(item.kind, item.name) for item in lab.shelf.items()]
    assert kinds == [
        ("comparisons", "smaller"),
        ("evaluations", "mine"),
        ("requests", "greeting"),
        ("requests", "secret"),
        ("requests", "by hand"),
    ]
    assert lab.shelf.table("evaluations").all()[0]["results"]["sextet"]["requests"] == 2
    moves = lab.shelf.table("comparisons").all()[0]["moves"]
    moved = {tool for move in moves for tool in move["tools"]}
    assert moved == {change.tool for change in lab.diff("quartet").record.tools}


def test_the_same_name_replaces_and_leaves_nothing_of_what_was_there(lab: Lab) -> None:
    lab.save("x", lab.ask("hello"))
    lab.save("x", "read notes.md")
    found = lab.shelf.table("requests").all()
    assert [document.doc_id for document in found] == [1]
    assert (found[0]["text"], found[0].get("outcome")) == ("read notes.md", None)


def test_labelled_requests_teach_the_router_and_measure_it_in_one_line(lab: Lab) -> None:
    assert lab.route("launder the ledgers").chosen is None
    lab.label("launder the ledgers", "navigator")
    lab.label("launder the ledgers", "vault")
    lab.label("shelve the ferns", "fs")
    lab.router = lab.router.fit(lab.shelf.table("examples"))
    assert lab.route("launder the ledgers").chosen == "vault"
    assert lab.route("shelve the ferns").chosen == "operator"
    evaluation = lab.evaluate(lab.shelf.table("examples"))
    assert evaluation.record["sextet"].accuracy.count == 2
    assert "fs" in repr(lab.shelf)


# -- agents and tools --------------------------------------------------------------------------------------------------


def test_agents_and_tools_of_the_shelf_join_another_lab(lab: Lab, tmp_path: Path) -> None:
    lab.open_shelf(tmp_path / "s.json")
    lab.keep_agent(parse_agent_md(AGENT), AGENT)
    namespace: dict[str, Any] = {}
    exec(SEW, namespace)
    lab.keep_tools((tool(namespace["sew_hem"]),), SEW)
    other = Lab("sextet", workspace=tmp_path, shelf=tmp_path / "s.json", approver="deny")
    restored = other.restore()
    assert "joined" in restored.text
    assert "%lango shelf tools --restore" in restored.text, "the source of tools runs only when it is asked for"
    assert "sew_hem" not in [one.name for one in other.engine.catalog]
    other.restore("tools")
    assert "sew_hem" in [one.name for one in other.engine.catalog]
    assert "botanist" in other.restore().text
    assert other.add_agent(AGENT).record.is_empty, "it is there already"
    other.restore("tools")
    other.restore()


def test_an_item_that_cannot_be_restored_leaves_the_others(lab: Lab) -> None:
    lab.shelf.table("tools").insert_multiple(
        [
            {"name": "a", "source": ["1 / 0"]},
            {"name": "b", "source": "def (:"},
            {"name": "c"},
            {"name": "sew_hem", "source": SEW.split("\n")},
        ]
    )
    came = [row[2] for row in lab.restore("tools").record]
    assert came[0] == "its source raises ZeroDivisionError: division by zero"
    assert "invalid syntax, here: def ▸(:" in came[1], came[1]
    assert "no public function" in came[2]
    assert came[3] == "joined"


def test_a_cell_that_runs_again_replaces_itself_and_no_other(lab: Lab) -> None:
    @tool
    def sew_hem(cloth: str) -> str:
        """Sew."""
        return cloth

    @tool
    def sew_coat(cloth: str) -> str:
        """Sew more."""
        return cloth

    lab.keep_tools((sew_hem,), "one")
    lab.keep_tools((sew_hem, sew_coat), "two")
    assert [item.name for item in lab.shelf.items("tools")] == ["sew_hem, sew_coat"]
    lab.keep_tools((sew_hem,), "three")
    assert [item.name for item in lab.shelf.items("tools")] == ["sew_hem, sew_coat", "sew_hem"]


def test_an_agent_with_a_secret_is_refused(lab: Lab) -> None:
    source = AGENT + "\nUse sk-abcdefghijklmnop1234.\n"
    with pytest.raises(RefusedError, match=r"^botanist does not go on the shelf: line 12 of its source"):
        lab.keep_agent(parse_agent_md(source), source)


# -- forgetting --------------------------------------------------------------------------------------------------------


def test_items_are_forgotten_by_id_or_name_all_or_none(lab: Lab) -> None:
    lab.save("x", "read notes.md")
    lab.save("y", "hello")
    with pytest.raises(UnknownNameError, match="did you mean 'requests/y'"):
        lab.forget("requests/x", "requests/yy")
    assert len(lab.shelf) == 2
    forgotten = lab.forget("requests/x", "requests/1")
    assert [item.id for item in forgotten.record] == ["requests/1"]
    assert [item.name for item in lab.shelf.items()] == ["y"]
