"""What work costs, so that a busy machine finds the same as an idle one: calls are counted, and where work is done by
expressions, which call nothing, two lengths of a text are compared in one process.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

LENGTH = 20_000
TIMES, MOST = 10, 40
"""A text is so many times as long, and may take so many times as long."""
NOTHING_S = 0.1
"""What takes less for the long text needs no comparison: the square of its length takes longer."""
TRIES = 3


def calls_of(work: Callable[[], object]) -> int:
    """Count the functions, of Python and of C, which a piece of work calls on this thread."""
    count = 0

    def note(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def assert_linear(work: Callable[[str], object], piece: str, end: str = "", length: int = LENGTH) -> None:
    """See that work on a piece over and over grows with the length of the text, and not with its square.

    Of a comparison that fails others are made: what the machine did meanwhile is of no account.
    """
    found = []
    for _ in range(TRIES):
        long_s = _seconds(work, piece, end, length)
        short_s = _seconds(work, piece, end, length // TIMES) if long_s > NOTHING_S else long_s
        if long_s <= max(NOTHING_S, MOST * short_s):
            return
        found.append((short_s, long_s))
    raise AssertionError(f"{piece[:40]!r} {TIMES} times as long takes more than {MOST} times as long: {found}")


def _seconds(work: Callable[[str], object], piece: str, end: str, length: int) -> float:
    text = piece * (length // len(piece)) + end
    gc.disable()  # what other tests left behind is not collected here: it takes time, and fails deep in a recursion
    try:
        began = time.process_time()
        work(text)
        return time.process_time() - began
    finally:
        gc.enable()
