"""What records on the disk cost: durable turns, opening a large home, stored events as a DataFrame.

The same turn as in memory: the delegated one of :mod:`tests.benchmarks.scenario`, whose tool counts as safe, so that it
is written ahead once and closed with one write and one fsync. Beside it the floor: what the disk takes for one fsync of
as many bytes.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

TURNS = 205
MANY_TURNS = 10_000
MANY_EVENTS = 100_000


def _folder() -> Path:
    """Return an empty folder on the disk of this checkout: a temporary folder may be in memory."""
    kept = tempfile.TemporaryDirectory(dir=Path(__file__).parents[2], prefix=".bench-")
    _kept.append(kept)
    return Path(kept.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []
"""Folders that go away with the process."""


@cache
def _durable() -> list[float]:
    """Run delegated turns of one session that are on the disk when they return; times in milliseconds."""
    from tests.benchmarks.scenario import DELEGATE, Probe, make_engine

    probe = Probe()
    engine = make_engine(probe, store=_folder() / "records")

    async def measure() -> list[float]:
        for _ in range(5):
            probe.start("delegate")
            probe.check(await engine.run(DELEGATE, "warm"))
        samples = []
        for _ in range(TURNS):
            probe.start("delegate")
            began = time.perf_counter()
            trace = await engine.run(DELEGATE, "long")
            samples.append((time.perf_counter() - began) * 1000)
            probe.check(trace)
        return samples

    samples = asyncio.run(measure())
    if engine.store.log.count() != TURNS + 5:
        raise AssertionError(f"{engine.store.log.count()} turns are stored")
    engine.close()
    return samples


def durable_turn(number: int) -> Callable[[], float]:
    """Measure the median around one turn of a session, in milliseconds."""
    return lambda: statistics.median(_durable()[number - 5 : number + 5])


def one_fsync() -> float:
    """Measure the floor: the median of appending as many bytes as a turn takes, with fdatasync, in milliseconds."""
    handle = os.open(_folder() / "floor", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    samples = []
    for _ in range(TURNS):
        began = time.perf_counter()
        os.write(handle, b"x" * 3000)
        os.fdatasync(handle)
        samples.append((time.perf_counter() - began) * 1000)
    os.close(handle)
    return statistics.median(samples)


def _fill(folder: Path, turns: int, sessions: int) -> None:
    """Write the same delegated turn many times, through the store itself."""
    from lango_nb.records.packing import pack_event, pack_trace
    from lango_nb.stores.opening import open_store
    from tests.benchmarks.scenario import first_answer

    trace = first_answer()
    row, body = pack_trace(trace)
    events = [pack_event(event) for event in trace.events]
    store = open_store(folder, durability="none")
    for number in range(turns):
        turn_id = f"turn-{number}"
        own = {**row, "id": turn_id, "session_id": f"session-{number % sessions}"}
        begun = {name: own[name] for name in ("id", "session_id", "text", "started_at", "topology", "model")}
        store.log.begin(begun)
        store.log.finish(turn_id, [{**event, "turn_id": turn_id} for event in events], own, body)
    store.close()


def opening(sessions: int) -> Callable[[], Callable[[], object]]:
    """Prepare opening a home of ten thousand turns and listing them."""

    def prepare() -> Callable[[], object]:
        from lango_nb.engine import Engine

        folder = _folder() / "records"
        _fill(folder, MANY_TURNS, sessions)
        tools: list[object] = []

        def call() -> object:
            engine = Engine(tools=tools, store=folder)  # type: ignore[arg-type]  # none
            count = engine.store.log.count()
            engine.close()
            if count != MANY_TURNS:
                raise AssertionError(f"{count} turns")
            return count

        return call

    return prepare


def stored_events_to_frame(columns: tuple[str, ...] | None = None) -> Callable[[], Callable[[], object]]:
    """Prepare reading a hundred thousand stored events into a DataFrame."""

    def prepare() -> Callable[[], object]:
        from lango_nb.frames import events_df
        from lango_nb.records.history import History
        from lango_nb.stores.opening import open_store
        from tests.benchmarks.scenario import first_answer

        folder = _folder() / "records"
        turns = -(-MANY_EVENTS // len(first_answer().events))
        _fill(folder, turns, 20)

        def call() -> object:
            store = open_store(folder)
            frame = events_df(History(store.log), columns=columns)
            store.close()
            if len(frame) < MANY_EVENTS:
                raise AssertionError(f"{len(frame)} rows")
            return frame

        return call

    return prepare
