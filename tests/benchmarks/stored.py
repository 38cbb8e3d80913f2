"""What records on the disk cost: durable turns, opening a large home, stored events as a DataFrame.

The same turn as in memory: the delegated one of :mod:`tests.benchmarks.scenario`, whose tool counts as safe, so that it
is written ahead once and closed with one write and one fsync. Times are the processor's, so that the wait for the disk
is not in them; beside them stands the floor, what the disk takes for one fsync of as many bytes.
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
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.benchmarks.scenario import Control

TURNS = 205
MANY_TURNS = 20_000
LONG_SESSION = 4000
MANY_EVENTS = 100_000


def _folder() -> Path:
    """Return an empty folder on the disk of this checkout: a temporary folder may be in memory."""
    kept = tempfile.TemporaryDirectory(dir=Path(__file__).parents[2], prefix=".bench-")
    _kept.append(kept)
    return Path(kept.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []
"""Folders that go away with the process."""


@cache
def _durable(*, is_new: bool) -> list[float]:
    """Run delegated turns of one session that are on the disk when they return; processor times in milliseconds.

    A decision keeps what the router says of its request, and the router remembers its latest answers: with requests
    that are new each time it has to work them out.
    """
    from tests.benchmarks.scenario import DELEGATE, Probe, make_engine

    probe = Probe()
    engine = make_engine(probe, store=_folder())

    async def measure() -> list[float]:
        for _ in range(5):
            probe.start("delegate")
            probe.check(await engine.run(DELEGATE, "warm"))
        samples = []
        for _ in range(TURNS):
            probe.start("delegate")
            text = f"{DELEGATE} ({probe.nonce})" if is_new else DELEGATE
            began = time.process_time()
            trace = await engine.run(text, "long")
            samples.append((time.process_time() - began) * 1000)
            probe.check(trace)
        return samples

    samples = asyncio.run(measure())
    if engine.store.log.count() != TURNS + 5:
        raise AssertionError(f"{engine.store.log.count()} turns are stored")
    engine.close()
    return samples


def durable_turn(number: int, *, is_new: bool = False) -> Callable[[], float]:
    """Measure the median around one turn of a session, in milliseconds."""
    return lambda: statistics.median(_durable(is_new=is_new)[number - 5 : number + 5])


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
    from lango_nb.stores.store import StoredTurn
    from tests.benchmarks.scenario import first_answer

    trace = first_answer()
    row, body = pack_trace(trace)
    events = [pack_event(event) for event in trace.events]
    store = open_store(folder, durability="none")

    def turn(number: int) -> StoredTurn:
        turn_id = f"turn-{number}"
        own = {**row, "id": turn_id, "number": number, "session_id": f"session-{number % sessions}"}
        return StoredTurn(own, [{**event, "turn_id": turn_id} for event in events], body)

    for start in range(1, turns + 1, 500):
        store.log.keep(turn(number) for number in range(start, min(start + 500, turns + 1)))
    store.close()


def opening(sessions: int, turns: int = MANY_TURNS) -> Callable[[], Callable[[], object]]:
    """Prepare opening a home of many turns and listing the last twenty."""

    def prepare() -> Callable[[], object]:
        from lango_nb.engine import Engine
        from lango_nb.stores.store import TurnQuery

        folder = _folder()
        _fill(folder, turns, sessions)
        tools: list[object] = []

        def call() -> object:
            engine = Engine(tools=tools, store=folder)  # type: ignore[arg-type]  # none
            count, latest = len(engine.traces), engine.store.log.rows(TurnQuery(newest_first=True, limit=20))
            engine.close()
            if (count, len(latest)) != (turns, 20):
                raise AssertionError(f"{count} turns, {len(latest)} of them listed")
            return count

        return call

    return prepare


def going_on() -> Callable[[], object]:
    """Prepare going on with a session of four thousand stored turns: what a model is given of it is read."""
    from tests.benchmarks.scenario import Probe, make_engine

    folder = _folder()
    _fill(folder, LONG_SESSION, 1)

    def call() -> object:
        engine = make_engine(Probe(), store=folder)
        began = time.process_time()
        messages = engine.session("session-0").messages
        took = (time.process_time() - began) * 1000
        engine.close()
        if not messages:
            raise AssertionError("nothing is known of the session")
        return took

    return call


def turn_late(control: Control, turns: int, *, is_durable: bool = False) -> Callable[[], float]:
    """Run delegated turns of one session; the value is processor time at the end over that at turn 10."""

    def value() -> float:
        from tests.benchmarks.scenario import DELEGATE, Probe, make_engine

        probe = Probe(control)
        engine = make_engine(probe, _folder() if is_durable else None)

        async def measure() -> list[float]:
            for _ in range(5):
                probe.start("delegate")
                probe.check(await engine.run(DELEGATE, "warm"))
            samples: list[float] = []
            saw = 0
            for _ in range(turns):
                probe.start("delegate")
                began = time.process_time()
                trace = await engine.run(DELEGATE, "long")
                samples.append(time.process_time() - began)
                probe.check(trace)
                if len(samples) <= 200 and probe.root_saw < saw + 2:
                    raise AssertionError(
                        f"the history does not grow: the root saw {saw}, then {probe.root_saw} messages"
                    )
                saw = probe.root_saw
            return samples

        samples = asyncio.run(measure())
        engine.close()
        return statistics.median(samples[-10:]) / statistics.median(samples[5:15])

    return value


def stored_events_to_frame(columns: tuple[str, ...] | None = None) -> Callable[[], Callable[[], object]]:
    """Prepare reading a hundred thousand stored events into a DataFrame."""

    def prepare() -> Callable[[], object]:
        from lango_nb.frames import events_df
        from lango_nb.records.history import History
        from lango_nb.stores.opening import open_store
        from tests.benchmarks.scenario import first_answer

        folder = _folder()
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
