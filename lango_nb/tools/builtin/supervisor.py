"""What stands between the kernel and the commands of ``exec``: a clean environment, and an end to all they started.

    kernel ── sockets ─→ launcher ── fork ─→ supervisor, one per command ── spawn ─→ /bin/sh -c COMMAND

The kernel runs this file as a script, in a Python of its own whose environment holds the allowed variables and nothing
else, so that neither the parent of a command nor the parent of that knows a key. The launcher copies itself for each
command. That copy, the supervisor, passes on signals, reports the exit code, and ends what the command left behind.
When the kernel is gone, by whatever way, the sockets close: supervisors end their commands and themselves, then the
launcher ends. A command may kill its supervisor: then the launcher ends it.

On Linux both adopt what loses its parent, so that a process cannot leave by moving to a session of its own; elsewhere
the group of a command is what ends. Only the standard library, and little of it: somebody waits for this script.

A supervisor reads an order (:func:`pack`), then signal numbers, a byte each. It answers with two numbers of
:data:`NUMBER`: zero or the error number of the start; later the exit code, negative for a signal.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

NUMBER = struct.Struct("=i")
"""How a supervisor writes a number."""
_SET_SUBREAPER = 36


def pack(command: str, folder: str, environment: Mapping[str, str]) -> bytes:
    """Write an order: its length, then folder, command and variables, each ended by a zero byte.

    Raises
    ------
    ValueError
        One of them holds a zero byte.
    """
    parts = [folder, command, *(f"{name}={value}" for name, value in environment.items())]
    if any("\0" in part for part in parts):
        raise ValueError("embedded null byte")
    order = b"".join(os.fsencode(part) + b"\0" for part in parts)
    return NUMBER.pack(len(order)) + order


def main() -> None:
    """Copy this process for every pair of descriptors, a channel and an output, until the kernel is gone."""
    control = socket.socket(fileno=0)
    ended = _watch_children()
    supervisors: set[int] = set()
    is_open = True
    while is_open or supervisors:
        ready, _, _ = select.select([ended, control.fileno()] if is_open else [ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            supervisors.difference_update(pid for pid, _ in _ended_children())
            _kill_children(supervisors)
        if control.fileno() in ready:
            received, descriptors, _flags, _address = socket.recv_fds(control, 1, 2)
            is_open = bool(received)
            if is_open and not (pid := os.fork()):
                control.close()
                os.close(ended)
                _supervise(*descriptors)
                os._exit(0)
            if is_open:
                supervisors.add(pid)
            for descriptor in descriptors:
                os.close(descriptor)


def _supervise(channel_descriptor: int, output: int) -> None:
    """Run one command from its beginning to the end of everything it started."""
    os.set_inheritable(channel_descriptor, False)
    os.set_inheritable(output, False)
    channel = socket.socket(fileno=channel_descriptor)
    ended = _watch_children()
    try:
        pid = _start(*_read_order(channel), output=output)
    except OSError as error:
        return _tell(channel, error.errno or errno.EINVAL)
    os.close(output)
    _tell(channel, 0)
    code = None
    while code is None:
        ready, _, _ = select.select([ended, channel.fileno()], [], [])
        if ended in ready:
            os.read(ended, 4096)
            code = dict(_ended_children()).get(pid)
        elif numbers := channel.recv(64):
            for number in numbers:
                _kill_group(pid, number)
        else:
            break
    _kill_group(pid, signal.SIGKILL)
    _kill_children()
    if code is not None:
        _tell(channel, code)
    channel.close()
    with suppress(ChildProcessError):
        while True:
            os.wait()
            _kill_children()  # those of a process that ended are children of this one now


def _read_order(channel: socket.socket) -> list[bytes]:
    """Read folder, command and variables."""
    size = NUMBER.unpack(channel.recv(NUMBER.size, socket.MSG_WAITALL))[0]
    return channel.recv(size, socket.MSG_WAITALL).split(b"\0")[:-1]


def _start(folder: bytes, command: bytes, *variables: bytes, output: int) -> int:
    """Start a command in a session of its own and return its process id."""
    os.chdir(folder)
    return os.posix_spawn(
        "/bin/sh",
        [b"sh", b"-c", command],
        dict(variable.split(b"=", 1) for variable in variables),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output, 1),
            (os.POSIX_SPAWN_DUP2, output, 2),
        ],
        setsid=True,
        setsigdef=[signal.SIGPIPE, signal.SIGCHLD],
    )


def _tell(channel: socket.socket, number: int) -> None:
    with suppress(OSError):
        channel.sendall(NUMBER.pack(number))


def _watch_children() -> int:
    """Adopt orphans where the system lets us, and return a descriptor that is readable when a child has ended."""
    if sys.platform == "linux":
        import ctypes  # here, because the kernel imports this file as well

        with suppress(AttributeError):  # a C library without it
            ctypes.CDLL(None).prctl(_SET_SUBREAPER, 1, 0, 0, 0)
    ended, write_ended = os.pipe()
    os.set_blocking(write_ended, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(write_ended, warn_on_full_buffer=False)
    return ended


def _ended_children() -> Iterator[tuple[int, int]]:
    """Take the exit codes of children that have ended, with their process ids."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            yield found[0], os.waitstatus_to_exitcode(found[1])


def _kill_children(spared: Collection[int] = ()) -> None:
    """End the children of this process, orphans it adopted among them; only Linux tells who they are."""
    own = os.getpid()
    with suppress(OSError), open(f"/proc/{own}/task/{own}/children") as children:  # noqa: PTH123 - pathlib takes 5 ms
        for pid in children.read().split():
            if int(pid) not in spared:
                with suppress(OSError):
                    os.kill(int(pid), signal.SIGKILL)


def _kill_group(pid: int, number: int) -> None:
    with suppress(OSError):
        os.killpg(pid, number)


if __name__ == "__main__":
    main()
