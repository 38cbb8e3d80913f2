"""A turn of thousands of events, and how long its viewer takes in a real JupyterLab until it can be seen."""

from __future__ import annotations

import itertools
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.runtime.loop import run_in_loop
from tests.benchmarks.scenario import SPECIALISTS, Probe, make_tools, make_topology

_CALLS_FOR_TEN_THOUSAND = 311
_UNTIL_SEEN = """async selector => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = 1;
    const began = performance.now();
    window.jupyterapp.commands.execute('notebook:run-cell');
    const next = () => new Promise(requestAnimationFrame);
    while (!document.querySelector(selector)) {
        if (performance.now() - began > 30000) throw new Error(`no ${selector} after 30 s`);
        await next();
    }
    await next();
    await next();
    return performance.now() - began;
}"""
_UNTIL_ROUTED = """async () => {
    const field = document.querySelector('.jp-OutputArea input[type=text]');
    const shown = () => document.querySelector('.jp-OutputArea .widget-html-content').innerHTML;
    const next = () => new Promise(requestAnimationFrame);
    const taken = [];
    for (const letter of 'how many lines does notes.md have?') {
        const before = shown(), began = performance.now();
        field.value += letter;
        field.dispatchEvent(new Event('input', { bubbles: true }));
        while (shown() === before) {
            if (performance.now() - began > 10000) throw new Error(`nothing came of ${field.value}`);
            await next();
        }
        taken.push(performance.now() - began);
    }
    return taken.sort((a, b) => a - b)[Math.floor(taken.length / 2)];
}"""

_UNTIL_FILTERED = """async () => {
    const field = document.querySelector('.jp-OutputArea input[type=text]');
    const listed = () => [...document.querySelectorAll('.jp-OutputArea .widget-select option')].length;
    const next = () => new Promise(requestAnimationFrame);
    const taken = [];
    for (const [words, count] of Object.entries(COUNTS).concat(Object.entries(COUNTS).reverse())) {
        if (listed() === count) continue;
        const began = performance.now();
        field.value = words.trim();
        field.dispatchEvent(new Event('input', { bubbles: true }));
        while (listed() !== count) {
            if (performance.now() - began > 10000) throw new Error(`${listed()} tools are listed for ${words}`);
            await next();
        }
        taken.push(performance.now() - began);
    }
    return taken.sort((a, b) => a - b)[Math.floor(taken.length / 2)];
}"""


class _Busy:
    """A model whose root spawns every specialist, each of which makes so many replies of two calls."""

    name = "busy"

    def __init__(self, replies: int) -> None:
        self._most = replies
        self._replies: Counter[str] = Counter()
        self._ids = itertools.count()

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        author = messages[0].author or ""
        self._replies[author] += 1
        number = self._replies[author]
        if author != "root":
            if number > self._most:
                return Reply(text=f"{author} is done")
            read = self._call(f"{author}_read", path=f"/data/{author}/{number}.txt")
            return Reply(tool_calls=(read, self._call(f"{author}_write", path=f"/data/{number}.md", text="word " * 8)))
        if number == 1:
            return Reply(
                tool_calls=tuple(
                    self._call("agent_spawn", agent=name, instruction=f"work on {name}") for name in SPECIALISTS
                )
            )
        if number == 2:
            made = [json.loads(one.content)["agent_id"] for one in messages if one.tool_name == "agent_spawn"]
            return Reply(tool_calls=tuple(self._call("agent_wait", agent_id=run) for run in made))
        return Reply(text="all done")

    def _call(self, name: str, **arguments: str) -> ToolCall:
        return ToolCall(id=f"call-{next(self._ids)}", name=name, arguments=dict(arguments))


def _engine(replies: int) -> Engine:
    budget = {"maxCalls": 100_000, "maxTokens": 10**9}
    settings = Settings.model_validate(
        {"background": {"enabled": True}, "agent": {"maxTurns": 100_000, "orchestration": {"budget": budget}}}
    )
    return Engine(settings, topology=make_topology("spawn"), tools=make_tools(Probe()), model=_Busy(replies))


def long_turn(replies: int = _CALLS_FOR_TEN_THOUSAND) -> Trace:
    """Run a turn of eight teammates beside each other, each with so many replies of two tool calls.

    Parameters
    ----------
    replies : int
        About 32 events come of each; with none said there are 10 003 events.
    """
    engine = _engine(replies)
    return run_in_loop(lambda _emit: engine.run("Please work on everything."))


def watched_turn(replies: int = _CALLS_FOR_TEN_THOUSAND) -> float:
    """Return what a turn costs while it is watched, as a multiple of what it costs alone: processor time of threads.

    Counted is what the run panel does while the turn is at work: hearing of events, and drawing.
    """
    from lango_nb.widgets.approvals import ApprovalsPanel
    from lango_nb.widgets.run import RunPanel

    engine = _engine(replies)
    cards = ApprovalsPanel(lambda: None, engine.approvals.changes)  # type: ignore[arg-type, return-value]  # nothing is asked
    cards.parts = list  # type: ignore[method-assign]  # nor shown
    panel = RunPanel(engine, lambda: "main", {}, cards)
    hear, draw, run = panel._hear, panel._refresh_now, engine.run
    spent: Counter[str] = Counter()
    is_over = False

    def timed(name: str, act: Callable[..., object], *arguments: object) -> None:
        began = time.thread_time_ns()
        act(*arguments)
        if not is_over:
            spent[name] += time.thread_time_ns() - began

    async def run_timed(*arguments: Any, **options: Any) -> Trace:
        nonlocal is_over
        began = time.thread_time_ns()
        trace = await run(*arguments, **options)
        is_over = True
        spent["turn"] = time.thread_time_ns() - began
        return trace

    panel._hear = partial(timed, "view", hear)  # type: ignore[method-assign]
    panel._refresh_now = partial(timed, "view", draw)  # type: ignore[method-assign]
    engine.run = run_timed  # type: ignore[method-assign]
    if panel.widget:
        panel.send("Please work on everything.")
    panel.wait()
    return 1 + spent["view"] / spent["turn"]


def first_paint() -> float:
    """Return how long it takes from running the cell until the viewer is seen, in milliseconds."""
    made = "from tests.benchmarks.painted import long_turn\nfrom lango_nb.widgets.trace import TracePanel\n"
    first = f"{made}trace = long_turn()\nprint(len(trace.events))"
    taken, said = _in_browser(first, "TracePanel(trace)", ".jp-OutputArea .widget-select option")
    if int(said) < 10_000:
        raise AssertionError(f"the turn has {said} events")
    return taken


def dashboard_opens() -> float:
    """Return how long it takes from running the cell until the dashboard is seen, in milliseconds."""
    first = "from lango_nb import Lab\nlab = Lab('octet')\nprint(lab.topology)"
    return _in_browser(first, "lab.dashboard()", ".jp-OutputArea .widget-select option")[0]


def letter_routed() -> float:
    """Return how long it takes from a letter that is typed until the scores have changed, in ms: the median letter."""
    first = "from lango_nb import Lab\nlab = Lab('octet')\nprint(lab.route('hello').chosen)"
    return _in_browser(first, "lab.route_panel()", ".jp-OutputArea input[type=text]", _UNTIL_ROUTED)[0]


def letter_filtered() -> float:
    """Return how long it takes from a letter in the filter of 500 tools until the list has changed, in ms: the median.

    The next letter is typed as soon as the list has changed, faster than anybody types.
    """
    first = (
        "from lango_nb import Lab, Tool\nlab = Lab('octet', tools=[Tool(f'shell_{n:03}') for n in range(500)])\n"
        "print(len(lab.partition_panel().assignments))"
    )
    names = [f"shell_{number:03}" for number in range(500)]
    counts = {f" {words}": sum(words in name for name in names) for words in ("", "_", "_4", "_42", "_421")}
    script = _UNTIL_FILTERED.replace("COUNTS", json.dumps(counts))
    return _in_browser(first, "lab.partition_panel()", ".jp-OutputArea .widget-select option", script)[0]


def _in_browser(first: str, second: str, selector: str, then: str = "") -> tuple[float, str]:
    """Run two cells; return what the second took until something was seen, or what came then, and the first's text."""
    from tests.browser.harness import browser, jupyterlab, write_notebook

    cells = [(first, ()), (second, ())]
    with tempfile.TemporaryDirectory() as folder:
        write_notebook(Path(folder) / "long.ipynb", cells)
        root = Path(__file__).parents[2]
        env = {"PYTHONPATH": str(root), "JUPYTER_CONFIG_PATH": str(root / "lango_nb/data/jupyter")}  # as `lango lab`
        with jupyterlab(Path(folder), env=env) as address, browser() as window:
            window.open_notebook(address, "long.ipynb")
            window.page.evaluate(
                """async () => {
                    window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0;
                    await window.jupyterapp.commands.execute('notebook:run-cell');
                }"""
            )
            taken = float(window.page.evaluate(_UNTIL_SEEN, selector))
            taken = float(window.page.evaluate(then)) if then else taken
            (said,) = (str(out["text"]) for out in window.cells()[0]["outputs"])
    return taken, said
