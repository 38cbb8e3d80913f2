"""Whether work grows with the length of a text only: a text ten times as long takes ten times the processor, no more.

Two lengths are compared in one process, so it is of no account how quick the machine is; and a comparison that fails is
made again, so it is of no account either what the machine did meanwhile. Work that grows with the square of the length
takes a hundred times as long, whenever it is measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable

LENGTH = 20_000
TIMES, MOST = 10, 40
"""A text is so many times as long, and may take so many times as long."""
NOTHING_S = 0.1
"""What takes less for the long text needs no comparison: the square of its length takes longer."""
TRIES = 3


def assert_linear(work: Callable[[str], object], piece: str, end: str = "", length: int = LENGTH) -> None:
    """See that work on a piece over and over grows with the length of the text."""
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
    began = time.process_time()
    work(text)
    return time.process_time() - began
