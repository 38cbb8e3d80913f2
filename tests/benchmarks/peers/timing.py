"""The scenarios: each runs one bench in this process and returns its numbers.

Times are medians; ``cpu`` is the processor time of the whole process, which other programs disturb less than the wall.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.benchmarks.peers.common import FANOUT_SLEEP, N_SPECIALISTS, SPECIALISTS, Bench, Mode, Probe
else:  # in a peer's environment there is nothing but this folder
    from common import FANOUT_SLEEP, N_SPECIALISTS, SPECIALISTS, Probe

Numbers = dict[str, Any]
LONG_S = 55.0
"""A long session stops after this, whatever turn it is at."""


@dataclass(frozen=True)
class Effort:
    """How long a scenario goes on: ``rounds``, but not beyond ``seconds`` once ``least`` rounds are done."""

    rounds: int = 250
    warm: int = 20
    seconds: float = 4.0
    least: int = 20
    turns: int = 200
    """Length of a long session."""


FULL = Effort()
QUICK = Effort(rounds=30, warm=5, seconds=1.0, turns=20)


@dataclass
class Samples:
    """Wall and processor times of the same thing, in seconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    async def take(self, make: Callable[[], Awaitable[str]]) -> str:
        """Time one call."""
        cpu, wall = time.process_time(), time.perf_counter()
        answer = await make()
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu)
        return answer

    def numbers(self) -> Numbers:
        """Sum them up, in microseconds."""
        return {
            "median_us": _us(statistics.median(self.wall)),
            "p95_us": _us(sorted(self.wall)[int(0.95 * len(self.wall))]),
            "min_us": _us(min(self.wall)),
            "cpu_us": _us(statistics.median(self.cpu)),
            "n": len(self.wall),
        }


async def short_turns(bench: Bench, mode: str, turn: Mode, effort: Effort, *, is_traced: bool = False) -> Numbers:
    """Time turns that each begin a session of their own: S1, S2, S2t and S5."""
    spans = bench.enable_tracing() if is_traced else None
    probe = Probe()
    probe.sleep = FANOUT_SLEEP if turn == "fanout" else 0.0
    tree = bench.make_tree(probe, mode)
    run = {"hello": bench.hello, "delegate": bench.delegate_turn, "fanout": bench.fanout_turn}[turn]
    warm, samples = Samples(), Samples()
    kept = 0
    deadline = time.perf_counter() + effort.seconds
    for number in range(effort.warm + effort.rounds):
        session = await bench.open_session(tree, f"{turn}-{number}")
        probe.start(turn)
        answer = await (warm if number < effort.warm else samples).take(partial(run, session))
        _check(probe, turn, answer, bench.modes[mode])
        await bench.close_session(session)
        if spans is not None:
            kept = spans()
            if not kept:
                raise AssertionError("tracing is on, but nothing was kept of the turn")
        if time.perf_counter() > deadline and len(samples.wall) >= effort.least:
            break
    found = {**samples.numbers(), "model_calls": probe.model_calls}
    if turn == "fanout":
        ideal = bench.fanout_modes[mode] * FANOUT_SLEEP * 1000
        wall = statistics.median(samples.wall) * 1000
        found |= {"wall_ms": round(wall, 2), "ideal_ms": ideal, "overhead_ms": round(wall - ideal, 2)}
    return found | ({"spans_per_turn": kept} if is_traced else {})


def _check(probe: Probe, turn: Mode, answer: str, model_calls: int) -> None:
    """See that a turn did what it should have done."""
    if turn == "delegate":
        probe.check(answer, model_calls)
    elif turn == "hello":
        if (answer, probe.model_calls) != ("Hello there.", 1):
            raise AssertionError(f"{probe.model_calls} model calls, and the answer was {answer!r}")
    else:
        missing = [name for name in SPECIALISTS if probe.expect(name) not in answer]
        if missing or probe.tool_runs != N_SPECIALISTS:
            raise AssertionError(f"{probe.tool_runs} runs of the tool; nothing of {missing} in {answer!r}")


async def long_session(bench: Bench, mode: str, effort: Effort, db: str | None = None) -> Numbers:
    """Time the turns of one session whose history grows: S3, and S4 with a store on disk."""
    probe = Probe()
    tree = bench.make_tree(probe, mode)
    calls = bench.modes[mode]
    warm = await bench.open_session(tree, "warm", f"{db}.warm" if db else None)
    for _ in range(5):
        probe.start("delegate")
        probe.check(await bench.delegate_turn(warm), calls)
    await bench.close_session(warm)
    session = await bench.open_session(tree, "long", db)
    samples = Samples()
    seen: list[int] = []
    end = time.perf_counter() + LONG_S
    while len(seen) < effort.turns and time.perf_counter() < end:
        probe.start("delegate")
        probe.check(await samples.take(lambda: bench.delegate_turn(session)), calls)
        if seen and probe.root_seen < seen[-1] + 2:
            raise AssertionError(f"the history does not grow: the root saw {seen[-1]}, then {probe.root_seen} messages")
        seen.append(probe.root_seen)
    await bench.close_session(session)
    found: Numbers = {"turns": len(seen), "seen_t1": seen[0], "seen_last": seen[-1], "model_calls": calls}
    for turn in (10, 100, 200):
        found[f"t{turn}_us"], found[f"cpu{turn}_us"] = _around(samples.wall, turn), _around(samples.cpu, turn)
    if db is not None:
        found["stored"] = await bench.stored_count(db, "long", probe, mode)
        if found["stored"] < 2 * len(seen):
            raise AssertionError(f"only {found['stored']} items are in the reopened store after {len(seen)} turns")
    return found


def _around(samples: Sequence[float], turn: int, half: int = 5) -> float | None:
    """Return the median of the ten turns around one, or of the ten before the end; ``None`` when it was not reached."""
    if len(samples) < turn:
        return None
    last = min(turn + half, len(samples))
    return _us(statistics.median(samples[last - 2 * half : last]))


def tree_builds(bench: Bench, mode: str, effort: Effort) -> Numbers:
    """Time the building of the tree: S6."""
    walls: list[float] = []
    deadline = time.perf_counter() + effort.seconds
    for _ in range(effort.warm + effort.rounds):
        probe = Probe()
        began = time.perf_counter()
        tree = bench.make_tree(probe, mode)
        walls.append(time.perf_counter() - began)
        del tree  # outside the time, as it is for everybody
        if time.perf_counter() > deadline and len(walls) > effort.warm + effort.least:
            break
    kept = walls[effort.warm :]
    return {
        "median_us": _us(statistics.median(kept)),
        "min_us": _us(min(kept)),
        "first_us": _us(walls[0]),
        "n": len(kept),
    }


async def memory(bench: Bench, mode: str, effort: Effort) -> Numbers:
    """Read the peak resident memory after import, after one delegate turn and after 200 of one session."""
    found: Numbers = {"import_mb": peak_mb()}
    probe = Probe()
    session = await bench.open_session(bench.make_tree(probe, mode), "memory")
    end = time.perf_counter() + LONG_S
    turns = 0
    while turns < effort.turns and time.perf_counter() < end:
        probe.start("delegate")
        probe.check(await bench.delegate_turn(session), bench.modes[mode])
        turns += 1
        if turns == 1:
            found["first_turn_mb"] = peak_mb()
    return {**found, "after_200_mb": peak_mb(), "turns": turns}


async def cold(bench: Bench, mode: str, import_ms: float) -> Numbers:
    """Time the way to the first delegated answer in a fresh process; lazy imports show here."""
    began = time.perf_counter()
    probe = Probe()
    session = await bench.open_session(bench.make_tree(probe, mode), "cold")
    probe.start("delegate")
    probe.check(await bench.delegate_turn(session), bench.modes[mode])
    first_ms = (time.perf_counter() - began) * 1000
    return {
        "import_ms": round(import_ms, 1),
        "first_turn_ms": round(first_ms, 1),
        "cold_ms": round(import_ms + first_ms, 1),
        "modules": len(sys.modules),
    }


def run_scenario(bench: Bench, scenario: str, mode: str, effort: Effort, import_ms: float) -> Numbers:
    """Run one scenario.

    Parameters
    ----------
    bench : Bench
    scenario : str
        ``S1`` to ``S6``, ``S2t``, ``COLD`` or ``MEM``.
    mode : str
        The idiom.
    effort : Effort
    import_ms : float
        What importing the bench took; part of ``COLD``.

    Returns
    -------
    dict
        Numbers by name; the unit is in the name.

    Raises
    ------
    ValueError
        There is no such scenario.
    AssertionError
        A turn did not do what it should have done.
    """
    if scenario == "S6":
        return tree_builds(bench, mode, effort)
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        scenarios: dict[str, Callable[[], Any]] = {
            "S1": lambda: short_turns(bench, mode, "hello", effort),
            "S2": lambda: short_turns(bench, mode, "delegate", effort),
            "S2t": lambda: short_turns(bench, mode, "delegate", effort, is_traced=True),
            "S3": lambda: long_session(bench, mode, effort),
            "S4": lambda: long_session(bench, mode, effort, str(Path(folder) / "store.db")),
            "S5": lambda: short_turns(bench, mode, "fanout", Effort(min(effort.rounds, 20), 3, 4.0, 5)),
            "MEM": lambda: memory(bench, mode, effort),
            "COLD": lambda: cold(bench, mode, import_ms),
        }
        if scenario not in scenarios:
            raise ValueError(f"there is no scenario {scenario!r}; there are {', '.join((*scenarios, 'S6'))}")
        found: Numbers = asyncio.run(scenarios[scenario]())
        return found


def peak_mb() -> float:
    """Return the peak resident memory of this process, in megabytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):  # unlike ru_maxrss it is not inherited
            return round(int(line.split()[1]) / 1024, 1)
    raise RuntimeError("this system does not tell the peak memory of a process")


def _us(seconds: float) -> float:
    return round(seconds * 1e6, 1)
