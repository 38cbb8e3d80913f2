"""Shell commands as processes that always end: in a group of their own, watched by a thread, never left behind.

    Process        one command: its output so far, its exit code, a way to stop it
    ProcessTable   those that run in the background, by id; the service behind exec_bg, exec_status, exec_stop

A thread per process reads its output and waits for it. That works on every event loop and outlives each of them, where
asyncio's own processes end with the loop that started them.
"""

from __future__ import annotations

import atexit
import itertools
import math
import os
import re
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from lango_nb.core.errors import ToolError, suggest

_SECRET = re.compile(
    r"API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL", re.IGNORECASE
)
_POLL_S = 0.05
"""How often a silent process is asked whether it has ended."""
_DRAIN_S = 1.0
"""How long output is read after the end, when somebody outside the group still holds it open."""
_RUNNING: set[Process] = set()
_KEPT = 100
"""Ended processes a table remembers."""


class Output:
    """What a process wrote: beginning and end, when it is more than may be kept.

    Parameters
    ----------
    limit : int
        Bytes to keep.

    Examples
    --------
    >>> output = Output(8)
    >>> output.add(b"aaaabbbbcccc")
    >>> print(output.text())
    aaaa
    [4 bytes left out]
    cccc
    """

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self._lock = threading.Lock()
        self.size = 0

    def add(self, chunk: bytes) -> None:
        """Take what came next."""
        with self._lock:
            self.size += len(chunk)
            room = self._half - len(self._head)
            self._head += chunk[:room]
            self._tail += chunk[room:]
            del self._tail[: -self._half]

    @property
    def cut(self) -> int:
        """How many bytes are left out."""
        return self.size - len(self._head) - len(self._tail)

    def text(self) -> str:
        """Return what is kept, with a line that says how much is not."""
        with self._lock:
            if not self.cut:
                return (self._head + self._tail).decode(errors="replace")
            head, tail = self._head.decode(errors="replace"), self._tail.decode(errors="replace")
            return f"{head}\n[{self.cut:,} bytes left out]\n{tail}"

    def last(self, size: int) -> str:
        """Return the end of what is kept."""
        with self._lock:
            return bytes(self._head + self._tail)[-size:].decode(errors="replace")


class Process:
    """A shell command that runs, or ran.

    Parameters
    ----------
    command : str
        For ``/bin/sh``.
    folder : Path
        Where it runs.
    limit : int
        Bytes of its output (both streams as one) to keep.

    Raises
    ------
    OSError, ValueError
        It cannot be started.
    """

    def __init__(self, command: str, folder: Path, limit: int) -> None:
        self.command = command
        self.output = Output(limit)
        self._popen = subprocess.Popen(  # noqa: S602 - running shell commands is what it is for
            command,
            shell=True,
            cwd=folder,
            env=clean_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
        )
        self._ended: Future[int] = Future()
        self._ended.set_running_or_notify_cancel()  # so that a cancelled waiter cannot cancel it
        self.owner = os.getpid()
        _end_all_at_exit()
        _RUNNING.add(self)
        threading.Thread(target=self._watch, name="lango-process", daemon=True).start()

    @property
    def exit_code(self) -> int | None:
        """The exit code, negative for a signal; ``None`` while it runs."""
        return self._ended.result() if self._ended.done() else None

    async def wait(self, timeout_s: float) -> bool:
        """Wait for the end.

        Parameters
        ----------
        timeout_s : float

        Returns
        -------
        bool
            Whether it has ended; ``False`` when the time is up.
        """
        with suppress(TimeoutError):
            import asyncio

            await asyncio.wait_for(asyncio.wrap_future(self._ended), timeout_s)
        return self._ended.done()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the whole group, unless it has ended."""
        if not self._ended.done():
            self._kill_group(number)

    async def stop(self, grace_s: float = 2.0) -> None:
        """Ask the whole group to end, and end it when it does not.

        Parameters
        ----------
        grace_s : float
            How long it has before it is killed.
        """
        self.send(signal.SIGTERM)
        if not await self.wait(grace_s):
            await self.kill()

    async def kill(self) -> None:
        """End the whole group at once."""
        self.send(signal.SIGKILL)
        await self.wait(2.0)

    def _watch(self) -> None:
        """Read the output until the end, then take the exit code; whatever the command left behind is ended."""
        stream = self._popen.stdout
        if stream is not None:
            with stream:
                self._read(stream)
        code = self._popen.wait()
        self._kill_group(signal.SIGKILL)
        _RUNNING.discard(self)
        self._ended.set_result(code)

    def _read(self, stream: IO[bytes]) -> None:
        """Read until everybody who could write has ended; children do not outlive the shell that started them."""
        until = math.inf
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while time.monotonic() < until:
                if selector.select(_POLL_S):
                    chunk = os.read(stream.fileno(), 65536)
                    if not chunk:
                        return
                    self.output.add(chunk)
                if until == math.inf and self._popen.poll() is not None:
                    self._kill_group(signal.SIGKILL)
                    until = time.monotonic() + _DRAIN_S

    def _kill_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, number)


class ProcessTable:
    """Processes that run in the background, by id.

    Bind one to a :class:`ToolContext` (``services={ProcessTable: table}``) for the background tools to work.

    Parameters
    ----------
    most : int
        How many may run at the same time.
    """

    def __init__(self, most: int = 16) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._processes: dict[str, Process] = {}

    def start(self, command: str, folder: Path, limit: int) -> str:
        """Start a command.

        Parameters
        ----------
        command : str
        folder : Path
        limit : int
            Bytes of output to keep.

        Returns
        -------
        str
            Its id: ``p1``, ``p2`` …

        Raises
        ------
        ToolError
            As many run as may run.
        OSError, ValueError
            It cannot be started.
        """
        with self._lock:
            if sum(process.exit_code is None for process in self._processes.values()) >= self.most:
                raise ToolError(f"{self.most} commands run already; stop one with exec_stop", "too_many")
            process = Process(command, folder, limit)
            key = f"p{next(self._numbers)}"
            self._processes[key] = process
            ended = [name for name, one in self._processes.items() if one.exit_code is not None]
            for name in ended[: max(len(ended) - _KEPT, 0)]:
                del self._processes[name]
        return key

    def get(self, key: str) -> Process:
        """Return a process.

        Parameters
        ----------
        key : str

        Returns
        -------
        Process

        Raises
        ------
        ToolError
            There is none of that id.
        """
        found = self._processes.get(key)
        if found is None:
            raise ToolError(f"process {key!r} not found; {suggest(key, self._processes)}", "not_found")
        return found

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(tuple(self._processes))

    def __len__(self) -> int:
        """Count the processes, ended ones included."""
        return len(self._processes)

    def close(self) -> None:
        """End everything that still runs."""
        for key in self:
            self._processes[key].send(signal.SIGKILL)


def clean_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Leave out variables that look like secrets: a command has no business with them, nor has its output.

    Parameters
    ----------
    variables : mapping of str to str

    Examples
    --------
    >>> clean_environment({"PATH": "/bin", "OPENAI_API_KEY": "x", "GITHUB_TOKEN": "y"})
    {'PATH': '/bin'}
    """
    return {name: value for name, value in variables.items() if not _SECRET.search(name)}


@cache
def _end_all_at_exit() -> None:
    atexit.register(_end_all)


def _end_all() -> None:
    """End what still runs when Python ends; a forked copy of this process ends only what it started itself."""
    own = [process for process in tuple(_RUNNING) if process.owner == os.getpid()]
    for process in own:
        process.send(signal.SIGKILL)
    until = time.monotonic() + _DRAIN_S
    while not _RUNNING.isdisjoint(own) and time.monotonic() < until:
        time.sleep(0.01)
