"""Processes that use a store beside the test, and may be killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import traceback
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from lango_nb.testing.stores.checks import PATIENCE_S

_FAILED = "the child failed"


class Line:
    """What two processes say to each other, one JSON value at a time."""

    def __init__(self, end: socket.socket) -> None:
        end.settimeout(PATIENCE_S)
        self._end, self._incoming = end, b""

    def say(self, value: object) -> None:
        """Send a value."""
        self._end.sendall(json.dumps(value).encode() + b"\n")

    def hear(self) -> Any:
        """Wait for the next value.

        Raises
        ------
        EOFError
            The other process is gone.
        TimeoutError
            It says nothing.
        """
        while b"\n" not in self._incoming:
            more = self._end.recv(65536)
            if not more:
                raise EOFError("the other process is gone")
            self._incoming += more
        line, _, self._incoming = self._incoming.partition(b"\n")
        return json.loads(line)

    def close(self) -> None:
        """Say no more."""
        self._end.close()


class Child:
    """A process of its own: a copy of this one that does one piece of work and ends at once, tidying nothing up.

    A context manager: a child that still lives at the end is killed. Start children before the test opens its store,
    because connections of databases do not survive being copied.

    Parameters
    ----------
    work : callable
        Gets the :class:`Line` to the test.

    Examples
    --------
    >>> with Child(lambda line: line.say(line.hear() + 1)) as child:
    ...     child.say(41)
    ...     child.hear()
    42
    """

    def __init__(self, work: Callable[[Line], None]) -> None:
        ours, theirs = socket.socketpair()
        with warnings.catch_warnings():
            # newer Pythons warn of copies of processes with threads; this copy uses nothing but what it opens itself
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if not self._pid:
            ours.close()
            _work(work, Line(theirs))
        theirs.close()
        self._line = Line(ours)
        self._status: int | None = None

    def say(self, value: object = None) -> None:
        """Send a value to the child."""
        self._line.say(value)

    def hear(self) -> Any:
        """Wait for the next value the child says.

        Raises
        ------
        AssertionError
            The child failed; its traceback is the message.
        EOFError
            It is gone.
        """
        value = self._line.hear()
        if isinstance(value, dict) and _FAILED in value:
            raise AssertionError(f"{_FAILED}: {value[_FAILED]}")
        return value

    def rest(self) -> list[Any]:
        """Return what the child says until it has ended."""
        said: list[Any] = []
        while True:
            try:
                said.append(self.hear())
            except (EOFError, ConnectionError):
                self._wait()
                return said

    def kill(self) -> list[Any]:
        """End the child as nobody can refuse, and return what it had said until then."""
        self._signal(signal.SIGKILL)
        return self.rest()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._signal(signal.SIGKILL)
        self._wait()
        self._line.close()

    def _signal(self, number: int) -> None:
        if self._status is None:
            os.kill(self._pid, number)

    def _wait(self) -> None:
        if self._status is None:
            _, self._status = os.waitpid(self._pid, 0)


def _work(work: Callable[[Line], None], line: Line) -> None:
    try:
        work(line)
    except BaseException:  # noqa: BLE001 - told to the test, which raises it
        line.say({_FAILED: traceback.format_exc()})
    finally:
        os._exit(0)
