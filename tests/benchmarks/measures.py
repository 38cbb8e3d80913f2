"""What is measured, how, and what it may cost.

Two kinds. *Start-up* measures are a few lines of code that a fresh interpreter runs: it takes the time from its first
line on, so the interpreter's own start is not in the number. *Steady* measures prepare something and time a call.

    python -m tests.benchmarks.measures KEY      one number, in this process
    python -m tests.benchmarks.report            all of them, several fresh processes each
"""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tests.benchmarks.genome import (
    book_turn,
    commit_in_many,
    commit_late,
    commit_size,
    delegated_turn,
    list_history,
    look_at_many,
    open_many,
)
from tests.benchmarks.painted import dashboard_opens, first_paint, letter_filtered, letter_routed, watched_turn
from tests.benchmarks.scenario import MODEL_CALLS
from tests.benchmarks.stored import durable_turn, going_on, one_fsync, opening, stored_events_to_frame, turn_late
from tests.benchmarks.streamed import masked, slowest_shows, slowest_streamed_turn, streamed_turn

if TYPE_CHECKING:
    from lango_nb.records.turns import Trace

ROOT = Path(__file__).parents[2]
SAMPLES = 300
WARM = 20
LONG_SESSION = 200
PYDANTIC_MS = 110.0
"""What pydantic alone took on the machine the start-up budgets were set on."""
FLOOR_MS = 0.021
"""What a delegated turn took there in a loop written by hand, the ``floor`` beside other frameworks."""


@dataclass(frozen=True)
class Measure:
    """One number with its budget."""

    key: str
    title: str
    unit: Literal["ms", "s", "kB", "MB", "x"]
    budget: float | None
    """What it may be at most; ``None`` where the design names none."""
    code: str = ""
    """Start-up measures: what a fresh interpreter runs between the two readings of the clock."""
    before: str = ""
    """Start-up measures: what it runs before the first reading."""
    after: str = ""
    """Start-up measures: what it runs after the second reading, to see that the right thing was measured."""
    prepare: Callable[[], Callable[[], object]] | None = None
    """Steady measures: make the call that is timed."""
    value: Callable[[], float] | None = None
    """Everything else: make the number."""
    rounds: int = SAMPLES

    def script(self) -> str:
        """Return the program of a start-up measure; it prints wall and processor time in milliseconds."""
        lines = [
            self.before,
            "import time as _t; _c, _w = _t.process_time(), _t.perf_counter()",
            self.code,
            "_w, _c = _t.perf_counter() - _w, _t.process_time() - _c",
            self.after,
            "print(_w * 1000, _c * 1000)",
        ]
        return "\n".join(line for line in lines if line)


# -- turns -------------------------------------------------------------------------------------------------------------


def _turns(mode: Literal["hello", "delegate"]) -> Callable[[], float]:
    """Median of the processor time of turns that each begin a session of their own, in milliseconds."""

    def value() -> float:
        from tests.benchmarks.scenario import DELEGATE, HELLO, Probe, make_engine

        probe = Probe()
        engine = make_engine(probe)
        text = HELLO if mode == "hello" else DELEGATE

        async def measure() -> list[float]:
            samples = []
            for number in range(SAMPLES + WARM):
                probe.start(mode)
                began = time.process_time()  # wall time differs two to four times by the hour
                trace = await engine.run(text, f"session-{number}")
                samples.append(time.process_time() - began)
                probe.check(trace)
            return samples[WARM:]

        return statistics.median(asyncio.run(measure())) * 1000

    return value


def _memory() -> float:
    """Peak resident memory of this process after 200 delegated turns of one session, in megabytes."""
    turn_late("transfer", LONG_SESSION)()
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("this system does not tell the peak memory of a process")


def _as_peers(scenario: str, mode: str, key: str, framework: str = "lango_nb") -> Callable[[], float]:
    """Take one number from the comparison with other frameworks, in milliseconds."""

    def value() -> float:
        from tests.benchmarks.peers.drive import run

        found = run(sys.executable, framework, scenario, mode)
        if "error" in found:
            raise RuntimeError(f"{scenario} {mode} failed: {found['error']}")
        number = float(found["result"][key])
        return number / 1000 if key.endswith("_us") else number

    return value


# -- looking -----------------------------------------------------------------------------------------------------------


def _partition(*, has_reasons: bool = False) -> Callable[[], object]:
    from lango_nb.routing.partition import partition_tools
    from lango_nb.specs.topologies import load_topology
    from lango_nb.tools.tool import Tool

    topology = load_topology("octet")
    starts = [prefix.rstrip("*_") for spec in topology.agents for prefix in spec.prefixes] + ["zz", "nobody"]
    tools = [Tool(f"{start}_{number}") for number, start in zip(range(10_000), itertools.cycle(starts), strict=False)]

    def call() -> object:
        partition = partition_tools(tools, topology)
        found = partition.assignments if has_reasons else (*partition.unmatched, *partition.universal)
        count = len(found) if has_reasons else len(found) + sum(len(partition[agent]) for agent in partition)
        if count < len(tools):
            raise AssertionError(f"{count} of {len(tools)} tools were assigned")
        return partition

    return call


def _tree() -> Callable[[], object]:
    from lango_nb.routing.build import build_agent_tree
    from tests.benchmarks.scenario import Probe, make_tools, make_topology

    def call() -> object:
        tree = build_agent_tree(make_tools(Probe()), make_topology())
        if len(tree.names) != 9:
            raise AssertionError(f"the tree has {tree.names}")
        return tree

    return call


def _engine_of_forty() -> Callable[[], object]:
    from tests.benchmarks.scenario import Probe, make_engine

    return lambda: make_engine(Probe())


def _route() -> Callable[[], object]:
    from lango_nb.engine import Engine
    from lango_nb.tools.builtin import builtin_tools
    from lango_nb.tools.by_name import spec_families

    engine = Engine(topology="octet", tools=(*builtin_tools(), *spec_families()))
    numbers = itertools.count()

    def call() -> object:
        route = engine.route(f"read the file notes{next(numbers)}.md and tell me how many lines it has")
        if route.chosen != "operator":
            raise AssertionError(f"{route.chosen} was chosen")
        return route

    return call


def _read() -> float:
    """Median of the processor time of reading requests that people typed, each for the first time, in milliseconds."""
    from lango_nb.evaluation.tasks import read_tasks
    from lango_nb.models.offline.reader import reader

    suites = sorted(ROOT.glob("tests/data/requests/*/tasks.yaml"))
    said = dict.fromkeys(turn.say for path in suites for task in read_tasks(path.parent) for turn in task.turns)
    read, samples = reader().read, []
    for text in list(said)[: WARM + 5 * SAMPLES : 5]:
        began = time.process_time()
        reading = read(text, None)
        samples.append(time.process_time() - began)
        if not reading.steps:
            raise AssertionError(f"nothing was read in {text!r}")
    return statistics.median(samples[WARM:]) * 1000


def _delegated_trace() -> Trace:
    from tests.benchmarks.scenario import first_answer

    return first_answer()


def _events_to_frame() -> Callable[[], object]:
    from lango_nb.frames import events_df

    trace = _delegated_trace()
    count = -(-100_000 // len(trace.events))
    traces = [
        dataclasses.replace(
            trace,
            turn=dataclasses.replace(trace.turn, id=f"turn-{number}", number=number),
            events=tuple(event.model_copy(update={"turn_id": f"turn-{number}"}) for event in trace.events),
        )
        for number in range(1, count + 1)
    ]

    def call() -> object:
        frame = events_df(traces)
        if len(frame) < 100_000:
            raise AssertionError(f"{len(frame)} rows")
        return frame

    return call


def _trace_to_html() -> Callable[[], object]:
    from lango_nb import viz

    trace = _delegated_trace()
    first, handover, started, finished, text, last = trace.events
    middle = [
        event.model_copy(update={"call_id": f"call-{pair}"}) for pair in range(4998) for event in (started, finished)
    ]
    events = tuple(
        event.model_copy(update={"seq": seq, "at": first.at + timedelta(milliseconds=seq)})
        for seq, event in enumerate((first, handover, *middle, text, last), 1)
    )
    long = dataclasses.replace(trace, events=events)
    if len(events) != 10_000:
        raise AssertionError(f"{len(events)} events")

    def call() -> object:
        html = viz.to_html(long)
        if "</details>" not in html:
            raise AssertionError("nothing is folded")
        return html

    return call


def median_of(prepare: Callable[[], Callable[[], object]], rounds: int) -> float:
    """Return the median of what a call measures itself; the first one is not counted."""
    call = prepare()
    call()
    return statistics.median([float(str(call())) for _ in range(rounds)])


# -- the list ----------------------------------------------------------------------------------------------------------

_NO_PANDAS = "import sys; assert 'pandas' not in sys.modules and 'numpy' not in sys.modules, 'pandas was loaded'"
_ONE_MODEL = "from pydantic import BaseModel; type('One', (BaseModel,), {'__annotations__': {'x': int}})(x=1)"
_SHELL = "from IPython.core.interactiveshell import InteractiveShell; shell = InteractiveShell.instance()"
_LOADED = "assert 'lango' in shell.magics_manager.magics['line'], 'there is no %lango'"

MEASURES: dict[str, Measure] = {
    measure.key: measure
    for measure in (
        Measure("S1", "greeting turn, in memory", "ms", 0.08, value=_turns("hello")),
        Measure("S2", "delegated turn, in memory, trace kept", "ms", 0.25, value=_turns("delegate")),
        Measure("S2d", "the same by delegate: four model calls", "ms", 0.4, value=_as_peers("S2", "astool", "cpu_us")),
        Measure("S2s", "the same by a teammate: five", "ms", 0.6, value=_as_peers("S2", "spawn", "cpu_us")),
        *(
            Measure(
                f"S3-{turns}-{control}{'-disk' * is_durable}",
                f"turn {turns} of a session / turn 10, {control}, {'on disk' if is_durable else 'in memory'}",
                "x",
                budget,
                value=turn_late(control, turns, is_durable=is_durable),
            )
            for turns, budget in ((LONG_SESSION, 1.1), (4000, 1.3))
            for control in MODEL_CALLS
            for is_durable in (False, True)
        ),
        Measure("S4-10", "durable delegated turn, processor time: turn 10", "ms", 0.8, value=durable_turn(10)),
        Measure("S4-100", "the same, turn 100", "ms", 0.8, value=durable_turn(100)),
        Measure("S4-200", "the same, turn 200", "ms", 0.8, value=durable_turn(200)),
        Measure("S4-new", "the same, another request each time", "ms", None, value=durable_turn(200, is_new=True)),
        Measure("fsync", "for comparison: 3 kB and one fsync", "ms", None, value=one_fsync),
        Measure("S5", "8 specialists at once, over the ideal", "ms", 3, value=_as_peers("S5", "astool", "overhead_ms")),
        Measure("S5s", "the same with teammates", "ms", None, value=_as_peers("S5", "spawn", "overhead_ms")),
        Measure("import", "import lango_nb", "ms", 10, "import lango_nb"),
        Measure(
            "load_ext", "%load_ext lango_nb", "ms", 15, "shell.run_line_magic('load_ext', 'lango_nb')", _SHELL, _LOADED
        ),
        Measure(
            "engine",
            "Engine() ready, fresh interpreter",
            "ms",
            140,
            "from lango_nb import Engine; Engine()",
            "",
            _NO_PANDAS,
        ),
        Measure("lab", "Lab() ready, fresh interpreter", "ms", 160, "from lango_nb import Lab; Lab()", "", _NO_PANDAS),
        Measure(
            "cold",
            "fresh process to the first delegated answer",
            "ms",
            200,
            "from tests.benchmarks.scenario import first_answer; first_answer()",
        ),
        Measure("memory", "peak memory after 200 turns, engine alone", "MB", 46, value=_memory),
        Measure("tree", "tree of 40 tools, from functions", "ms", 5, prepare=_tree),
        Measure("engine40", "the same as an Engine that can run", "ms", None, prepare=_engine_of_forty),
        Measure("partition", "partition of 10 000 tools", "ms", 5, prepare=_partition, rounds=50),
        Measure(
            "reasons",
            "the same, and why for every tool",
            "ms",
            None,
            prepare=lambda: _partition(has_reasons=True),
            rounds=20,
        ),
        Measure("route", "route() of one text, octet, all tools", "ms", 0.3, prepare=_route),
        Measure("read", "the demo model reads one request", "ms", 2, value=_read),
        Measure("frame", "100 000 events to a DataFrame", "ms", 500, prepare=_events_to_frame, rounds=5),
        Measure(
            "stored",
            "100 000 stored events to a DataFrame",
            "ms",
            250,
            prepare=stored_events_to_frame(("turn_id", "kind", "author", "tool")),
            rounds=3,
        ),
        Measure("stored-all", "the same, every column", "ms", 800, prepare=stored_events_to_frame(), rounds=3),
        Measure("open", "opening a home of 20 000 turns, listing 20", "ms", 50, prepare=opening(100), rounds=20),
        Measure("open-1", "the same, one session", "ms", 50, prepare=opening(1), rounds=20),
        Measure("open-all", "the same, a session for each", "ms", 50, prepare=opening(20_000), rounds=20),
        Measure("open-2", "the same of 2 000 turns", "ms", None, prepare=opening(100, 2000), rounds=20),
        Measure(
            "go-on", "going on with a session of 4 000 stored turns", "ms", 20, value=lambda: median_of(going_on, 5)
        ),
        Measure("genome", "opening a genome of 1 000 agents", "ms", 500, prepare=open_many, rounds=5),
        Measure("genome-look", "looking whether one of them has changed", "ms", 10, prepare=look_at_many, rounds=50),
        Measure("genome-commit", "a commit there, processor time", "ms", 30, value=commit_in_many),
        Measure("genome-late", "a commit of 20 agents after 10 000 / after 10", "x", 1.3, value=commit_late),
        Measure("genome-size", "a commit among 1 000 agents, on the disk", "kB", 4, value=commit_size),
        Measure("genome-log", "listing 10 000 commits, processor time", "s", 5, value=list_history),
        Measure(
            "S2r", "delegate turn / hand-off turn, processor time", "x", 2, value=lambda: delegated_turn(is_kept=False)
        ),
        Measure("genome-turn", "the same in a genome on the disk", "x", 2, value=lambda: delegated_turn(is_kept=True)),
        Measure("genome-book", "noting how its agents fared, processor time", "ms", 0.5, value=book_turn),
        Measure("mask", "secrets of a tool's result of 50 kB", "ms", 4, prepare=masked("prose", 50_000)),
        Measure("mask-code", "the same, a Python file", "ms", None, prepare=masked("code", 50_000)),
        Measure("show-16k", "a show of a streamed answer of 16 000 characters", "ms", 2, value=slowest_shows(16_000)),
        Measure("show-100k", "the same of 100 000", "ms", 2, value=slowest_shows(100_000)),
        Measure("streamed", "an answer of 1 MB in 20 000 pieces, CPU", "ms", 2000, value=streamed_turn),
        Measure("streamed-any", "the same, the slowest kind of text", "ms", 2000, value=slowest_streamed_turn),
        Measure("html", "trace of 10 000 events to HTML", "ms", 200, prepare=_trace_to_html, rounds=5),
        Measure("viewer", "its viewer in JupyterLab, until it is seen", "ms", 1500, value=first_paint),
        Measure("dashboard", "the dashboard in JupyterLab, until it is seen", "ms", 1000, value=dashboard_opens),
        Measure("typed", "a letter typed in Route, until its scores are seen", "ms", 50, value=letter_routed),
        Measure("filtered", "a letter typed in a filter of 500 tools", "ms", 50, value=letter_filtered),
        Measure("watched", "a turn of 10 000 events in the run panel / alone, CPU", "x", 1.05, value=watched_turn),
        Measure("floor", "S2 by hand", "ms", None, value=_as_peers("S2", "handoff", "cpu_us", "floor")),
        Measure("pydantic", "pydantic, one model", "ms", None, _ONE_MODEL),
        Measure("asyncio", "for comparison: import asyncio", "ms", None, "import asyncio"),
        Measure("pandas", "for comparison: import pandas", "ms", None, "import pandas"),
    )
}
"""Everything that is measured; budgets are those of the design."""


def run_fresh(measure: Measure) -> tuple[float, float]:
    """Run a start-up measure in a new interpreter.

    Parameters
    ----------
    measure : Measure

    Returns
    -------
    wall_ms, cpu_ms : float
    """
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "LANGO_HOME": folder, "IPYTHONDIR": folder}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling the package again would be half of what is measured
        done = subprocess.run(
            [sys.executable, "-c", measure.script()], cwd=folder, env=env, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise RuntimeError(f"{measure.key} failed:\n{done.stderr}")
    wall, cpu = done.stdout.split()[-2:]
    return float(wall), float(cpu)


def run_here(measure: Measure) -> float:
    """Run a steady measure in this process and return its median, or its value."""
    if measure.value is not None:
        return measure.value()
    if measure.prepare is None:
        raise ValueError(f"{measure.key} needs a fresh interpreter")
    call = measure.prepare()
    call()
    gc.collect()
    samples = []
    for _ in range(measure.rounds):
        began = time.process_time()  # wall time differs two to four times by the hour
        call()
        samples.append(time.process_time() - began)
    return statistics.median(samples) * 1000


if __name__ == "__main__":
    print(json.dumps(run_here(MEASURES[sys.argv[1]])))  # noqa: T201 - the caller reads it
