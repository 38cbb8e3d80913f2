"""Shell commands as processes that always end: with their supervisor, with the kernel, never left behind.

    Environment    which variables of the kernel a command gets
    Process        one command: its output so far, its exit code, a way to stop it
    ProcessTable   those that run in the background, by id; the service behind exec_bg, exec_status, exec_stop

Commands are started by ``supervisor.py``, a small process with a clean environment. A thread per command reads its
output and waits for it. That works on every event loop and outlives each of them, where asyncio's own processes end
with the loop that started them.
"""

from __future__ import annotations

import atexit
import errno
import itertools
import math
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from lango_nb.core.errors import ToolError, suggest
from lango_nb.tools.builtin.supervisor import NUMBER, pack

ALLOWED = ("PATH", "HOME", "USER", "SHELL", "LANG", "LC_*", "TERM", "TZ", "TMPDIR")
"""Variables that every command gets; all others, keys among them, stay with the kernel."""
_START_S = 30.0
"""How long the start of a command may take before it counts as failed."""
_DRAIN_S = 1.0
"""How long output is read after the end, when somebody outside still holds it open."""
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


@dataclass(frozen=True, slots=True)
class Environment:
    """Which variables of this process a command gets; bind one to a :class:`ToolContext` to let more through."""

    names: tuple[str, ...] = ()
    """Further variables; ``*`` stands for any letters: ``CARGO_*``."""

    def variables(self, all_of_them: Mapping[str, str]) -> dict[str, str]:
        """Return the variables a command gets.

        Examples
        --------
        >>> Environment(("JAVA_*",)).variables({"PATH": "/bin", "JAVA_HOME": "/jdk", "OPENAI_API_KEY": "x"})
        {'PATH': '/bin', 'JAVA_HOME': '/jdk'}
        """
        patterns = (*ALLOWED, *self.names)
        return {
            name: value
            for name, value in all_of_them.items()
            if any(fnmatchcase(name, pattern) for pattern in patterns)
        }


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
    environment : Environment
        Which variables it gets.

    Raises
    ------
    OSError, ValueError
        It cannot be started.
    """

    def __init__(self, command: str, folder: Path, limit: int, environment: Environment = Environment()) -> None:
        self.command = command
        self.output = Output(limit)
        order = pack(command, str(folder), environment.variables(os.environ))
        self._channel, self._stream = _LAUNCHER.open()
        failure = self._begin(order)
        if failure:
            self._close()
            raise OSError(failure, os.strerror(failure))
        self._ended: Future[int] = Future()
        self._ended.set_running_or_notify_cancel()  # so that a cancelled waiter cannot cancel it
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
        with suppress(OSError):  # it ended just now
            self._channel.send(bytes((number,)))

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

    def _begin(self, order: bytes) -> int:
        """Give the order and return an error number, zero when the command runs; one may have ended all by then."""
        try:
            self._channel.settimeout(_START_S)
            self._channel.sendall(order)
            failure = self._number()
            self._channel.settimeout(None)
        except OSError as error:
            return error.errno or errno.ETIMEDOUT
        return failure or 0

    def _watch(self) -> None:
        """Read the output until the end; the supervisor says when that is, and has ended what the command started."""
        code: int | None = None
        until = math.inf
        with selectors.DefaultSelector() as selector:
            for source in (self._channel, self._stream):
                selector.register(source, selectors.EVENT_READ)
            while selector.get_map() and time.monotonic() < until:
                for key, _ in selector.select(None if until == math.inf else _DRAIN_S):
                    if key.fileobj is self._channel:
                        code = self._number()
                        until = time.monotonic() + _DRAIN_S
                        selector.unregister(self._channel)
                    elif chunk := os.read(self._stream, 65536):
                        self.output.add(chunk)
                    else:
                        selector.unregister(self._stream)
        _RUNNING.discard(self)
        self._close()
        self._ended.set_result(-signal.SIGKILL if code is None else code)  # the command killed its supervisor

    def _number(self) -> int | None:
        """Read a number of the supervisor; ``None`` when there is no supervisor any more."""
        try:
            received = self._channel.recv(NUMBER.size, socket.MSG_WAITALL)
        except OSError:
            return None
        return int(NUMBER.unpack(received)[0]) if len(received) == NUMBER.size else None

    def hang_up(self) -> None:
        """Let go of the supervisor, which ends everything when nobody else holds on."""
        self._channel.close()

    def _close(self) -> None:
        self._channel.close()
        os.close(self._stream)


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

    def start(self, command: str, folder: Path, limit: int, environment: Environment = Environment()) -> str:
        """Start a command.

        Parameters
        ----------
        command : str
        folder : Path
        limit : int
            Bytes of output to keep.
        environment : Environment
            Which variables it gets.

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
            process = Process(command, folder, limit, environment)
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


class _Launcher:
    """The process that starts commands: made with the first of them, and again when somebody ended it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def open(self) -> tuple[socket.socket, int]:
        """Return the channel to a new supervisor, and where the output of its command is read.

        Raises
        ------
        OSError
            No process can be started.
        """
        channel, theirs = socket.socketpair()
        stream, output = os.pipe()
        try:
            with theirs:
                self._send(theirs.fileno(), output)
        except BaseException:
            channel.close()
            os.close(stream)
            raise
        finally:
            os.close(output)
        return channel, stream

    def _send(self, *descriptors: int) -> None:
        with self._lock:
            try:
                socket.send_fds(self._control or self._start(), [b"+"], descriptors)
            except (BrokenPipeError, ConnectionResetError):
                self.close()
                socket.send_fds(self._start(), [b"+"], descriptors)

    def _start(self) -> socket.socket:
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own script
                [sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py"))],
                cwd="/",
                env=Environment().variables(os.environ),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._control

    def close(self) -> None:
        """Let the process end, and wait until it has ended what is no longer watched."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_DRAIN_S)
            self._process = None

    def forget(self) -> None:
        """Leave the process to the original of this forked copy."""
        self._lock = threading.Lock()
        if self._process is not None:
            self._process.returncode = 0  # not ours to wait for
        if self._control is not None:
            self._control.close()
        self._control = self._process = None


_LAUNCHER = _Launcher()


def _hang_up_all() -> None:
    for process in tuple(_RUNNING):
        process.hang_up()
    _RUNNING.clear()


def _end() -> None:
    """End what still runs when Python ends."""
    _hang_up_all()
    _LAUNCHER.close()


def _forget_in_child() -> None:
    """In a forked copy of this process: commands belong to the original, and must notice its end."""
    _hang_up_all()
    _LAUNCHER.forget()


atexit.register(_end)
os.register_at_fork(after_in_child=_forget_in_child)
