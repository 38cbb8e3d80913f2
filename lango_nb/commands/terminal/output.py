"""What a terminal reads and writes, safe for it: results on standard output, remarks on standard error."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from lango_nb.core.errors import UsageError
from lango_nb.core.progress import QUIET_S, describe, is_wanted
from lango_nb.core.visible import visible, visible_json


def say(text: str) -> None:
    """Write a result."""
    _write(sys.stdout, visible(text.replace("\r\n", "\n")))


def complain(text: str) -> None:
    """Write one line about what went wrong, or what happens meanwhile."""
    _write(sys.stderr, visible("lango: " + " ".join(text.splitlines())))


def ask(question: str) -> str:
    """Ask on standard error, after everything that was shown, and return the line that was typed."""
    sys.stdout.flush()
    sys.stderr.write(visible(question))
    sys.stderr.flush()
    return input()


def say_json(data: Any) -> None:
    """Write data as JSON, two blanks per level, keys in the order given."""
    _write(sys.stdout, visible_json(json.dumps(data, indent=2, ensure_ascii=False, default=str)))


def read_text(text: str) -> str:
    """Return a text as it is; ``-`` reads standard input to its end.

    Raises
    ------
    UsageError
        It is not UTF-8.
    """
    if text == "-":
        try:
            return sys.stdin.buffer.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"standard input: byte {error.start + 1} is not UTF-8") from error
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError("TEXT is not UTF-8") from error
    return text


def _write(stream: TextIO, text: str) -> None:
    """Write a line; what the stream's encoding does not have is spelled out."""
    try:
        stream.write(f"{text}\n")
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


class LiveLine:
    """What a turn is doing, in one line of standard error that changes; only at a terminal, and when it takes long.

    Parameters
    ----------
    now_s : callable
        The time in seconds.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._quiet_until_s = now_s() + QUIET_S
        self._is_wanted = sys.stderr.isatty() and is_wanted()
        self._is_shown = False

    def __call__(self, event: Any) -> None:
        """Show what an event means, in place of what was shown before."""
        said = describe(event)
        if said and self._is_wanted and self._now_s() >= self._quiet_until_s:
            import shutil

            columns = shutil.get_terminal_size().columns
            self._write(visible(" ".join(said.split()))[: columns - 1])
            self._is_shown = True

    def clear(self) -> None:
        """Take the line away: something else is written, or the turn is over."""
        if self._is_shown:
            self._write("")
            self._is_shown = False

    @staticmethod
    def _write(line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()
