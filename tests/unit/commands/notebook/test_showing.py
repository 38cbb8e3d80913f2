"""What ``%lango`` gives is seen wherever it stands in a cell, once, and only where a person would expect it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from IPython.utils.capture import capture_output

from lango_nb.commands.notebook.extension import unload
from lango_nb.commands.table import MAGICS
from lango_nb.core.progress import is_wanted


def shown(session: Any, cell: str) -> list[str]:
    """Run a cell and return the texts it displays, the value of its last expression left out."""
    with capture_output() as captured:
        session.run(cell)
    return [output.data["text/plain"] for output in captured.outputs if "In [" not in output.data["text/plain"]]


@pytest.mark.parametrize(
    "cell",
    [
        "%lango ask hello\nx = 1",
        "%lango ask hello\n%lango turns;",
        "if True:\n    %lango ask hello",
        "def work():\n    %lango ask hello\nwork();",
        "get_ipython().run_cell_magic('lango', 'ask', 'hello')\nx = 1",
    ],
)
def test_a_result_is_shown_though_the_cell_goes_on(session: Any, cell: str) -> None:
    assert sum("turn 1 · success" in text for text in shown(session, cell)) == 1


def test_each_round_of_a_loop_shows_its_result(session: Any) -> None:
    texts = shown(session, "for word in ('hello', 'good morning'):\n    %lango ask {word}")
    assert ["turn 1 " in texts[0], "turn 2 " in texts[1]] == [True, True]


@pytest.mark.parametrize(
    "cell",
    [
        "%lango ask hello;\nx = 1",
        "x = %lango ask hello",
        "x = %lango ask hello\ny = 1",
        "%lango ask --out x hello\ny = 1",
        "x = [get_ipython().run_line_magic('lango', 'turns')]\ny = 1",
    ],
)
def test_what_is_kept_or_hushed_is_not_shown(session: Any, cell: str) -> None:
    assert not shown(session, cell)


def test_the_last_value_is_shown_once_by_ipython_itself(session: Any) -> None:
    with capture_output() as captured:
        value = session.run("x = 1\n%lango turns")
    assert value is not None
    assert (captured.stdout.count("no turn yet"), captured.outputs) == (1, [])


def test_other_settings_of_ipython_and_other_magics_are_left_alone(session: Any) -> None:
    session.shell.ast_node_interactivity = "none"
    try:
        assert not shown(session, "%lango turns\nx = 1")
    finally:
        session.shell.ast_node_interactivity = "last_expr"
    assert not shown(session, "get_ipython().run_line_magic('sx', 'true')\nx = 1")


def test_the_line_of_a_mistake_is_the_one_in_the_cell(session: Any) -> None:
    error = session.error("x = 1\n\n%lango prompt nobody\ny = 2")
    lines = []
    trace = error.__traceback__
    while trace is not None:
        lines += [trace.tb_lineno] if trace.tb_frame.f_globals is session.names else []
        trace = trace.tb_next
    assert lines == [3]


def test_unloading_takes_the_transformer_away(session: Any) -> None:
    assert [item for item in session.shell.ast_transformers if "lango" in type(item).__module__]
    unload(session.shell)
    assert not [item for item in session.shell.ast_transformers if "lango" in type(item).__module__]


# -- %lango quiet ------------------------------------------------------------------------------------------------------


def everything(session: Any, cell: str) -> str:
    """Run a cell and return all that is seen of it: what is displayed, printed, and its last value."""
    with capture_output() as captured:
        session.run(cell)
    outputs = [output.data["text/plain"] for output in captured.outputs if "In [" not in output.data["text/plain"]]
    return "\n".join([*outputs, captured.stdout, captured.stderr]).strip()


ACTS = {
    "ask": "hello", "new": "", "note": "1 asked twice", "tag": "1 slow", "label": "vault lock it", "save": "mine",
    "use": "quartet", "model": "offline", "forget": "notes/1", "export": "turn.html", "open": "turn.jsonl",
    "trust": ".", "edit": "--tool exec_bg vault", "allow": "ask-1", "deny": "ask-1",
}  # fmt: skip
"""A line of every command that does something."""


def test_every_command_that_does_something_is_tried_here() -> None:
    cells = {"agent", "tool"}
    assert {name for name, command in MAGICS.items() if command.acts} == ACTS.keys() | cells


@pytest.mark.parametrize("name", [name for name in ACTS if name not in {"allow", "deny"}])
@pytest.mark.parametrize("after", ["", "\nx = 1"])
def test_what_a_command_did_is_not_shown_while_it_is_quiet_and_again_after(session: Any, name: str, after: str) -> None:
    session.run("%lango ask hello\n%lango note 1 first;\n%lango export kept.jsonl;")
    line = f"%lango {name} {ACTS[name]}".replace("turn.jsonl", "kept.jsonl").rstrip()
    session.run("%lango quiet")
    assert everything(session, line + after) == ""
    session.run("%lango quiet off")
    if name not in {"forget", "export"}:  # there is nothing left to forget, and the file is there
        assert everything(session, line + after) != ""


def test_cells_that_define_something_are_quiet_as_well(session: Any) -> None:
    session.run("%lango quiet")
    assert everything(session, '%%lango tool\ndef zorp(n: int) -> int:\n    "Zorps."\n    return n') == ""
    assert (
        everything(session, "%%lango agent porter\n---\nname: porter\ndescription: Zorps.\nprefixes: [zorp]\n---\n")
        == ""
    )
    assert "porter" in session.lab.tree.names


@pytest.mark.parametrize("cell", ["for n in range(2):\n    %lango ask hello", "def f():\n    %lango ask hello\nf()"])
def test_loops_and_functions_are_quiet_as_well(session: Any, cell: str) -> None:
    session.run("%lango quiet")
    assert everything(session, cell) == ""


def test_a_function_of_before_is_quiet_after(session: Any) -> None:
    session.run("def f():\n    %lango ask hello\n%lango quiet")
    assert everything(session, "f()") == ""
    session.run("%lango quiet off")
    assert "turn 2" in everything(session, "f()")


def test_a_result_can_be_kept_and_looked_at_while_it_is_quiet(session: Any) -> None:
    session.run("%lango quiet")
    assert "turn 1 · success" in everything(session, "x = %lango ask hello\nx")
    assert "turn 1 · success" in everything(session, "x")
    assert "turn 1" in everything(session, "%lango trace")
    assert "octet" in everything(session, "%lango status")
    assert "octet" in everything(session, "%lango use"), "a list of what there is is looked at"


def test_what_went_wrong_and_what_asks_is_seen_though_it_is_quiet(session: Any) -> None:
    Path("old.txt").write_text("Last year's plan.", encoding="utf-8")
    session.run("%lango quiet")
    asked = everything(session, "%lango ask --approve hold delete old.txt")
    assert "input_required" in asked
    assert "old.txt" in everything(session, "%lango approvals")
    assert "allowed" in everything(session, "%lango allow")
    assert "tool_error" in everything(session, "%lango ask hash the word hello with sha256")


def test_no_bar_and_no_progress_while_it_is_quiet(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGO_NB_PROGRESS", "1")
    session.run("%lango quiet")
    assert not is_wanted()
    session.run("%config LangoMagics.quiet = False")
    assert is_wanted()
    session.run("%config LangoMagics.quiet = True")
    unload(session.shell)
    assert is_wanted(), "it ends with the extension"


def test_quiet_says_what_it_did_and_what_it_does_not_know(session: Any) -> None:
    assert "x = %lango" in everything(session, "%lango quiet")
    assert "displayed" in everything(session, "%lango quiet off")
    assert "switch 'of' not found in %lango quiet; did you mean 'off'" in str(session.error("%lango quiet of"))
