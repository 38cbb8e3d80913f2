"""A store that processes come to one after the other: what one leaves at a question, the next one goes on with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lango_nb.engine import Engine
from lango_nb.runtime.approvals import LeftQuestion
from lango_nb.stores.opening import open_store
from tests.cast import Line, spawn
from tests.kept import MARK, address, kept_engine, marked

ORDER: Line = spawn("operator", "Do it")


class Home:
    """A store that processes come to, one after the other, and the file in which their tools mark what they did."""

    def __init__(self, place: Path, kind: str = "sqlite") -> None:
        self.store = address(kind, place)
        self.effects = place / "effects.txt"
        self._engines: list[Engine] = []

    def open(self, lines: Mapping[str, Any] | None = None, **options: Any) -> Engine:
        """Be the next process; unless it says otherwise, the operator is done after its call."""
        options = {"approver": "hold", **options}
        said = {"operator": ["All done"]} if lines is None else lines
        self._engines.append(kept_engine(self.store, said, self.effects, **options))
        return self._engines[-1]

    def leave(self, *operator: Line, order: Line = ORDER, **options: Any) -> None:
        """Have a run wait for an answer, and close its engine."""
        engine = self.open({"root": [order, "Going on."], "operator": operator or [MARK]}, **options)
        ask(engine)
        engine.close()

    def left(self, engine: Engine) -> LeftQuestion:
        """Return the question that is left."""
        (question,) = engine.approvals.left
        return question

    @property
    def marked(self) -> list[str]:
        """The effects that were had."""
        return marked(self.effects)

    def change(self, kind: str, **values: Any) -> None:
        """Change the one row of a kind, as somebody could who may write to the database."""
        store = open_store(self.store)
        (row,) = store.documents(kind).find()
        store.documents(kind).put({**row, **values})
        store.close()

    def close(self) -> None:
        """Close all engines."""
        for engine in self._engines:
            engine.close()


def until(is_so: Callable[[], object]) -> None:
    """Wait for another thread or process."""
    deadline_s = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline_s, "it has not come to that"
        time.sleep(0.005)


def is_blocked(engine: Engine, runs: int = 1) -> bool:
    """Tell whether so many runs show that they wait: their questions are written down."""
    return sum(run.runtime_condition == "blocked_waiting_approval" for run in engine.runs.own()) == runs


def ask(engine: Engine) -> None:
    """Run a turn whose run outlives it, waiting for an answer."""
    assert engine.run_sync("Please do it").turn.outcome == "success"
    until(lambda: is_blocked(engine))
