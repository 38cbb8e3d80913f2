"""IPython shows records after register, as before after unregister."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from lango_nb import viz
from lango_nb.viz.register import register, unregister
from lango_nb.viz.table import Table
from tests.unit.viz import samples


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell()  # type: ignore[no-untyped-call]  # IPython is partly typed
    yield made
    unregister(made)
    made.history_manager = None


def shown(shell: InteractiveShell, record: object, kinds: list[str] | None = None) -> dict[str, str]:
    assert shell.display_formatter is not None
    shell.display_formatter.active_types = kinds or ["text/plain", "text/html"]
    display: Any = shell.display_formatter
    found: dict[str, str] = display.format(record)[0]
    return found


def test_records_show_text_and_html(shell: InteractiveShell) -> None:
    register(shell)
    for record in (samples.tree(), samples.route(), samples.trace(), Table("t", ("a",))):
        found = shown(shell, record)
        assert found["text/plain"] == viz.to_text(record)
        assert found["text/html"] == viz.to_html(record)


def test_a_terminal_shows_text(shell: InteractiveShell) -> None:
    register(shell)
    assert shown(shell, samples.route(), ["text/plain"])["text/plain"] == viz.to_text(samples.route())


def test_records_inside_a_list_take_one_line_each(shell: InteractiveShell) -> None:
    register(shell)
    found = shown(shell, [samples.tree(), samples.route()])["text/plain"]
    assert found.startswith("[<AgentTree sample-eight, 9 agents, 63 tools, 3 of nobody>,")
    assert "<Route → operator: Read notes.md and tell me how many lines it has>" in found


def test_registering_twice_and_unregistering_leaves_nothing(shell: InteractiveShell) -> None:
    before = shown(shell, samples.route())
    register(shell)
    register(shell)
    unregister(shell)
    assert shown(shell, samples.route()) == before
    unregister(shell)
    register(shell)
    assert "text/html" in shown(shell, samples.route())


def test_somebody_elses_formatter_is_left_alone(shell: InteractiveShell) -> None:
    assert shell.display_formatter is not None
    bundles = shell.display_formatter.mimebundle_formatter

    def theirs(record: object, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": "theirs"}

    register(shell)
    bundles.for_type(Table, theirs)
    unregister(shell)
    assert bundles.type_printers[Table] is theirs
    bundles.pop(Table)


def test_a_shell_without_a_display_is_fine(shell: InteractiveShell) -> None:
    display, shell.display_formatter = shell.display_formatter, None
    register(shell)
    unregister(shell)
    assert shell.display_formatter is None
    shell.display_formatter = display


def test_frames_are_shown_without_orders_to_a_terminal_and_keep_their_values(shell: InteractiveShell) -> None:
    import pandas as pd

    text = "\x1b]52;c;aGk=\x07\u202ex"
    frame = pd.DataFrame({"text": [text], "n": [1]})
    register(shell)
    for one in (frame, frame["text"], [frame]):
        found = shown(shell, one, ["text/plain"])["text/plain"]
        assert "␛]52;c;aGk=␇⟨U+202E⟩x" in found
        assert "\x1b" not in found
    assert frame["text"][0] == text
    plain = frame[["n"]]
    assert shown(shell, plain, ["text/plain"])["text/plain"] == repr(plain)
    unregister(shell)
    assert "\x1b" in shown(shell, frame, ["text/plain"])["text/plain"]
