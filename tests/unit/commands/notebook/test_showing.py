"""What ``%lango`` gives is seen wherever it stands in a cell, once, and only where a person would expect it."""

from __future__ import annotations

from typing import Any

import pytest
from IPython.utils.capture import capture_output

from lango_nb.commands.notebook.extension import unload


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
