"""Whatever somebody writes is as harmless in a panel as in a still view, in lists and on buttons too."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import ipywidgets
import pytest

from lango_nb import AgentSpec, Lab
from lango_nb.core.bus import Bus
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import LangoError
from lango_nb.core.events import TextSoFar
from lango_nb.viz import document as doc
from lango_nb.viz.runs import line, run_document
from lango_nb.viz.view import View
from lango_nb.widgets.approvals import ApprovalsPanel, Questions
from lango_nb.widgets.dashboard import Dashboard
from lango_nb.widgets.doctor import DoctorPanel
from lango_nb.widgets.evaluate import EvaluatePanel
from lango_nb.widgets.listing import ListPanel
from lango_nb.widgets.panel import Panel
from lango_nb.widgets.partition import PartitionPanel
from lango_nb.widgets.route import RoutePanel
from lango_nb.widgets.run import RunPanel
from lango_nb.widgets.trace import TracePanel
from lango_nb.widgets.why import WhyPanel
from tests.unit.viz import samples
from tests.unit.viz.test_evaluation import hostile as hostile_evaluation
from tests.unit.viz.test_hostile import UNSEEN, check, everywhere
from tests.unit.widgets.test_as_live import inside, of_kind

TIME_S = 60


class _Open:
    """One open question."""

    record = ()

    def __init__(self) -> None:
        self.record = (samples.hostile_question(),)  # type: ignore[assignment]


def approvals() -> Panel:
    """Ask about one call, with another that was answered."""
    panel = ApprovalsPanel(lambda: cast("Questions", _Open()), Bus())
    panel.answered.append(samples.HOSTILE)
    return panel


def doctor() -> Panel:
    """Find what is wrong, twice."""
    return DoctorPanel(samples.hostile_report)


def evaluate() -> Panel:
    """Measure something."""
    panel = EvaluatePanel(
        lambda *_given, **_chosen: View(hostile_evaluation()),
        lambda: ["octet", samples.HOSTILE],
        lambda: ["router", samples.HOSTILE],
        lambda _topology, _text: samples.hostile_route(),
        data=[(samples.HOSTILE, "root")],
    )
    panel.run()
    panel.wait(TIME_S)
    return panel


def run() -> Panel:
    """Ask for something, after an earlier turn."""
    panel = Lab("octet", tools=["fs_read"]).run_panel()
    panel.traces, panel._asked = [samples.hostile_trace(), samples.hostile_run_trace()], samples.HOSTILE
    for event in samples.hostile_run_trace().events:
        panel._hear(event)
    panel._hear(TextSoFar(turn_id="t", author=samples.HOSTILE, text=samples.HOSTILE))
    return panel


def tree() -> Panel:
    """Describe a new agent."""
    panel = Lab("octet", tools=["fs_read"]).tree_panel()
    panel.act("press", "new")
    for name in ("description", "prefixes", "keywords", "example_requests", "name"):
        panel.act(name, samples.HOSTILE)
    panel.act("folder", samples.HOSTILE)
    return panel


def genome() -> Panel:
    """Look at agents, memories and changes, and ask whether one is to be rolled back."""
    kept = tempfile.TemporaryDirectory()
    place = Path(kept.name)
    lab = Lab(workspace=place, clock=SteppedClock())
    text = samples.HOSTILE.encode("utf-8", "replace").decode()  # half a character cannot be stored
    lab.open_genome(place / "genome")
    agent = AgentSpec(name="poet", description=text, instruction=text, model="fast")
    with suppress(LangoError):  # what no file may hold
        lab.genome.add(agent, "root")
    with suppress(LangoError):
        lab.genome.remember(text, text)
    with suppress(LangoError):
        lab.genome.prefer(text, text)
    panel = lab.genome_panel()
    weakref.finalize(panel, kept.cleanup)
    panel.act("record", panel.listed[0].short_id)
    panel.act("press", "ask")
    return panel


def dashboard() -> Panel:
    """Show a panel on a tab."""
    return Dashboard({"route": PANELS["route"]}, lambda: (doc.Title(samples.HOSTILE, [samples.HOSTILE]),))


PANELS: dict[str, Callable[[], Panel]] = {
    "trace": lambda: TracePanel(samples.hostile_trace(), lambda _agent: samples.HOSTILE),
    "trace of a run": lambda: TracePanel(samples.hostile_run_trace(), lambda _agent: samples.HOSTILE),
    "runs": lambda: ListPanel(lambda: (samples.hostile_run(),), line, run_document, "runs", "none"),
    "partition": lambda: PartitionPanel(lambda: samples.hostile_tree.__wrapped__().partition),
    "route": lambda: RoutePanel(lambda _text: samples.hostile_route(), samples.HOSTILE),
    "why": lambda: WhyPanel(samples.hostile_run_trace, lambda _text: samples.hostile_route()),
    "approvals": approvals,
    "doctor": doctor,
    "evaluate": evaluate,
    "run": run,
    "genome": genome,
    "tree": tree,
    "dashboard": dashboard,
}


def look(panel: Panel) -> None:
    """Refuse what acts, and what cannot be seen on a button or in a list."""
    for widget in inside(panel.widget):
        if isinstance(widget, ipywidgets.HTML):
            check(widget.value)
        assert not getattr(widget, "description_allow_html", False)
        said: list[Any] = [getattr(widget, name, "") for name in ("description", "tooltip")]
        said += getattr(widget, "options", ())
        assert not UNSEEN.search("".join(map(str, said)))
    bundle = panel._repr_mimebundle_(["text/plain", "text/html"])
    check(str(bundle["text/html"]))
    assert not UNSEEN.search(str(bundle["text/plain"]))


@pytest.mark.parametrize(("texts", "name"), [*everywhere(PANELS, 24)])
def test_no_text_does_anything_in_any_panel(texts: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in texts:
        monkeypatch.setattr(samples, "HOSTILE", text)
        try_out(name, text)


def try_out(name: str, text: str) -> None:
    """Look at a panel as it is, as it is when something in it is chosen, and when something is looked for."""
    panel = PANELS[name]()
    try:
        look(panel)
        for choice in of_kind(panel.widget, ipywidgets.Select):
            for option in choice.options[:3]:
                choice.value = option if isinstance(option, str) else option[1]
            look(panel)
        if hasattr(panel, "query"):
            panel.act("query", text)
            look(panel)
    finally:
        if isinstance(panel, RunPanel):
            panel._asked = ""
        panel.close()
