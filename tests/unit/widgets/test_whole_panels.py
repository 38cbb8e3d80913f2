"""Every panel as the tree of its widgets, before and after it is used, compared with what is committed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import LangoError
from lango_nb.core.ids import CountedIds
from tests.expected import outline, same_as_expected

FIELDS = (
    "description", "placeholder", "tooltip", "icon", "options", "value", "index", "min", "max", "step", "rows",
    "disabled", "button_style", "titles", "selected_index",
)  # fmt: skip
"""What a reader sees of a widget, or can do with it."""


CONTROLS = (
    ipywidgets.Button, ipywidgets.Text, ipywidgets.Textarea, ipywidgets.Dropdown, ipywidgets.Select,
    ipywidgets.IntSlider, ipywidgets.Checkbox, ipywidgets.ToggleButtons,
)  # fmt: skip


def drawn(widget: ipywidgets.Widget, depth: int = 0) -> Iterator[str]:
    """Yield a widget and what it holds, a line each."""
    parts = [type(widget).__name__]
    for name in FIELDS:
        value = getattr(widget, name, None)
        if name == "value" and isinstance(widget, ipywidgets.HTML):
            value = page(str(value))
        if value not in (None, "", "\u200b", (), False, []):
            parts.append(f"{name}={value!r}" if not isinstance(widget, ipywidgets.HTML) else f"{name}={value}")
    layout = getattr(widget, "layout", None)
    if layout is not None:
        kept = {name: value for name, value in sorted(layout.get_state().items()) if value and name[0] != "_"}
        parts.append(f"layout={kept}")
    classes = [re.sub("[0-9a-f]{32}", "ID", name) for name in getattr(widget, "_dom_classes", ())]
    yield f"{'  ' * depth}{' '.join(parts)}" + (f" classes={classes}" if classes else "")
    for child in getattr(widget, "children", ()):
        yield from drawn(child, depth + 1)


def page(source: str) -> str:
    """Return the words of a page and a digest of the whole: pages are read in the tests of views."""
    source = re.sub(r"\b\d+(?:\.\d+)? ms\b", "«n» ms", source)
    words = " ".join(re.sub(r"<[^>]*>", " ", source).split())
    return f"{words[:300]} ({hashlib.sha256(outline(source).encode()).hexdigest()[:8]})"


def controls(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    """Yield what can be clicked, moved, typed into or chosen from, in order."""
    if isinstance(widget, CONTROLS):
        yield widget
    for child in getattr(widget, "children", ()):
        yield from controls(child)


def use(widget: ipywidgets.Widget) -> None:
    """Do what can be done with a control."""
    match widget:
        case ipywidgets.Button():
            widget.click()
        case ipywidgets.IntSlider():
            widget.value = widget.min
        case ipywidgets.Checkbox():
            widget.value = not widget.value
        case ipywidgets.Text() | ipywidgets.Textarea():
            widget.value = "notes"
        case _ if widget.options:
            widget.index = len(widget.options) - 1


def lab_in(folder: Path) -> Lab:
    """Return a lab with turns of several kinds, and a question that waits."""
    (folder / "notes.md").write_text("one\ntwo\n", encoding="utf-8")
    lab = Lab("octet", workspace=folder, clock=SteppedClock(), ids=CountedIds(), approver="hold")
    for request in ("hello", "how many lines does notes.md have?", "delete notes.md"):
        lab.ask(request)
    return lab


def lab_with_genome(folder: Path) -> Lab:
    """Return a lab whose genome has a memory, and whose reader stumbled over a file that is not there."""
    lab = Lab(workspace=folder, clock=SteppedClock(), ids=CountedIds(), approver="allow")
    lab.open_genome(folder / "genome")
    lab.genome.remember("Ada has the key")
    for _ in range(3):
        lab.ask("read ledger.csv")
    lab.genome.learn()
    return lab


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Return a lab that no test changes."""
    return lab_in(tmp_path_factory.mktemp("lab"))


PANELS: dict[str, Callable[[Lab], Any]] = {
    "tree": Lab.tree_panel,
    "partition": Lab.partition_panel,
    "route": lambda lab: lab.route_panel("read notes.md"),
    "empty route": Lab.route_panel,
    "run": Lab.run_panel,
    "trace": lambda lab: lab.trace_panel(2),
    "first step": lambda lab: lab.trace_panel(2, step=1),
    "why": lambda lab: lab.why_panel(2),
    "runs": Lab.runs_panel,
    "genome": Lab.genome_panel,
    "history": Lab.history_panel,
    "approvals": Lab.approvals_panel,
    "dashboard": Lab.dashboard,
}


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_is_as_expected(lab: Lab, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where it saves what it is told to save
    if name == "genome":
        lab = lab_with_genome(tmp_path)
    panel = PANELS[name](lab_in(tmp_path) if name == "tree" else lab)
    rows = [*drawn(panel.widget)]
    if name not in {"dashboard", "run", "approvals"}:  # what these begin goes on by itself
        for place in range(min(6, len([*controls(panel.widget)]))):
            found = [*controls(panel.widget)]
            if place >= len(found):
                break
            label = getattr(found[place], "description", "") or getattr(found[place], "placeholder", "")
            try:
                use(found[place])
            except LangoError as error:
                rows.append(f"refused: {error}")
            rows += [f"━━━ {type(found[place]).__name__} {label}", *drawn(panel.widget)]
    panel.close()
    same_as_expected(f"panels/{name.replace(' ', '_')}.txt", "\n".join(rows))


@pytest.mark.parametrize(
    "name", ["tree", "partition", "empty route", "run", "runs", "genome", "history", "approvals", "dashboard"]
)
def test_a_panel_of_nothing_is_as_expected(tmp_path: Path, name: str) -> None:
    lab = Lab("solo", workspace=tmp_path, clock=SteppedClock(), ids=CountedIds())
    panel = PANELS[name](lab)
    rows = [*drawn(panel.widget)]
    panel.close()
    same_as_expected(f"panels/{name.replace(' ', '_')}_of_nothing.txt", "\n".join(rows))
