"""Small helpers of the contract: errors that are expected, values that are equal to the letter, threads at once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from lango_nb.core.errors import StoreError
from lango_nb.stores.store import Row, StoredTurn, TurnLog

Result = TypeVar("Result")
PATIENCE_S = 60.0
"""How long is waited for a thread or a process before the test fails."""


def letters(value: object) -> str:
    """Write a value so that 1, 1.0 and true differ, whatever the order of fields.

    Examples
    --------
    >>> letters({"b": 1.0, "a": True}) == letters({"a": True, "b": 1.0}), letters(1.0) == letters(1)
    (True, False)
    """
    return json.dumps(value, sort_keys=True)


def ids(rows: list[Row]) -> list[str]:
    """Return the ids of rows."""
    return [str(row["id"]) for row in rows]


def whole(log: TurnLog, key: str = "turn-1") -> StoredTurn:
    """Read a turn that has to be there, with nothing lost."""
    turn = log.read(key)
    assert turn is not None, f"{key} is gone"  # noqa: S101
    assert not turn.lost, turn.lost  # noqa: S101
    return turn


def parts(log: TurnLog, key: str = "turn-1") -> str:
    """Write everything a store holds of a turn, to the letter."""
    turn = whole(log, key)
    return letters([turn.row, turn.events, turn.body])


@contextmanager
def refuses(*named: str, code: str = "") -> Iterator[None]:
    """Expect a `StoreError` of one line.

    Parameters
    ----------
    *named : str
        What its message has to mention.
    code : str, optional
        Its code; empty takes any.

    Raises
    ------
    AssertionError
        Nothing was refused, or not in these words.
    """
    try:
        yield
    except StoreError as error:
        _look_at(error, code)
        missing = [part for part in named if part not in str(error)]
        if missing:
            raise AssertionError(f"the error should mention {missing}: {error}") from error
    else:
        raise AssertionError("it should be refused with a StoreError, and was not")


def is_refused(work: Callable[[], object], *, code: str = "") -> bool:
    """Tell whether a `StoreError` of one line was raised, of this code if one is given; anything else is a fault."""
    try:
        work()
    except StoreError as error:
        _look_at(error, code)
        return True
    return False


def at_once(*works: Callable[[], Result]) -> list[Result]:
    """Do several things in threads that start together, and return what they returned, in the order given.

    Raises
    ------
    AssertionError
        One of them did not end.
    BaseException
        The first that was raised in one of them.
    """
    results: dict[int, Result] = {}
    errors: list[BaseException] = []
    barrier = threading.Barrier(len(works))

    def run(place: int, work: Callable[[], Result]) -> None:
        try:
            barrier.wait(PATIENCE_S)
            results[place] = work()
        except BaseException as error:  # noqa: BLE001 - raised again below, in the thread of the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=job, daemon=True) for job in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    if errors:
        raise errors[0]
    if any(thread.is_alive() for thread in threads):
        raise AssertionError(f"a thread did not end within {PATIENCE_S:.0f} s")
    return [results[place] for place in range(len(works))]


def _look_at(error: StoreError, code: str) -> None:
    message = str(error)
    if len(message.splitlines()) != 1:
        raise AssertionError(f"an error has one line, this has not: {message!r}") from error
    if code and error.code != code:
        raise AssertionError(f"the code should be {code!r}, not {error.code!r}: {message}") from error
