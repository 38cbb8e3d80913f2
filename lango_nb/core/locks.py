"""Locks on files, held among the threads of this process and among processes; a dead process holds none.

Where the system has ``flock`` it is asked directly: a lock costs 4 µs then, against 90 µs through filelock, which makes
them on Windows. A file system without locks, some network folders for instance, gets a file that names the process: it
holds as long as that process lives, as far as this machine can tell.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self
from weakref import WeakSet

from lango_nb.core.errors import StoreError

_POLL_S = 0.001
"""How long is waited between two looks at a lock that somebody else holds."""
_NO_FLOCK = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
"""What the system says about a folder that may not be written to."""


class Forked(Protocol):
    """Something that must be told when it finds itself in a child process."""

    def after_fork(self) -> None:
        """Forget the locks of the parent; called in the child before anything else."""


_forked: WeakSet[Forked] = WeakSet()


def tell_after_fork(thing: Forked) -> None:
    """Have :meth:`Forked.after_fork` called in children of this process.

    Parameters
    ----------
    thing : Forked
        Held weakly.
    """
    _forked.add(thing)


def _in_child() -> None:
    for thing in list(_forked):
        thing.after_fork()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_in_child)


class PathLock:
    """A lock by the name of a file, which holds nothing.

    Parameters
    ----------
    path : Path
        Made when the lock is first taken, with its folder.
    timeout_s : float
        How long ``with`` waits.
    what : str
        What errors say is locked.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> with PathLock(Path(mkdtemp()) / "a.lock", 1, "the record of somebody") as lock:
    ...     lock.is_held
    True
    """

    def __init__(self, path: Path, timeout_s: float, what: str) -> None:
        self._path, self._timeout_s, self._what = path, timeout_s, what
        self._threads = threading.RLock()
        self._depth = 0
        self._release: Callable[[], None] | None = None
        self._descriptor = -1
        tell_after_fork(self)

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._release is not None

    def __enter__(self) -> Self:
        until = time.monotonic() + self._timeout_s
        if not self._threads.acquire(timeout=self._timeout_s):
            raise self._timed_out("another thread")
        try:
            if not self._depth:
                self._wait(until)
        except BaseException:
            self._threads.release()
            raise
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, stack: TracebackType | None
    ) -> None:
        self._depth -= 1
        try:
            if not self._depth:
                self.let_go()
        finally:
            self._threads.release()

    def take(self) -> bool:
        """Take the lock now or not at all, for as long as :meth:`let_go` is not called.

        Returns
        -------
        bool
            Whether it is held now.

        Raises
        ------
        StoreError
            With code ``read_only``: there may be no such file here.
        """
        try:
            return self._take()
        except FileNotFoundError:
            pass
        except OSError as error:
            raise self._failed(error) from error
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return self._take()
        except OSError as error:
            raise self._failed(error) from error

    def let_go(self) -> None:
        """Give the lock back; without holding it, do nothing."""
        release, self._release = self._release, None
        if release is not None:
            release()

    def after_fork(self) -> None:
        """Forget what the parent held: closing its descriptor leaves the lock with the parent."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._threads, self._depth = threading.RLock(), 0
        self._release, self._descriptor = None, -1

    def _wait(self, until: float) -> None:
        while not self.take():
            if time.monotonic() >= until:
                raise self._timed_out("another process")
            time.sleep(_POLL_S)

    def _take(self) -> bool:
        if sys.platform == "win32":
            return self._take_elsewhere()
        import fcntl

        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        is_taken = False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_taken = os.fstat(descriptor).st_nlink > 0  # else somebody removed it in between: it locks no name
        except BlockingIOError:
            pass
        except OSError as error:
            if error.errno not in _NO_FLOCK:
                raise
            return self._take_by_name()
        finally:
            if not is_taken:
                os.close(descriptor)
        if is_taken:
            self._descriptor, self._release = descriptor, self._unlock
        return is_taken

    def _unlock(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing is not enough: a child may have it open too
        os.close(descriptor)

    def _take_by_name(self) -> bool:
        """Take the lock with a file of its own that names this process; one of a process that is gone is taken away."""
        path = self._path.with_name(self._path.name + ".held")
        for _ in range(2):
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            except FileExistsError:
                if _is_alive(path):
                    return False
                _take_away(path)
                continue
            with os.fdopen(descriptor, "w") as file:
                file.write(_this_process())
            self._release = lambda: path.unlink(missing_ok=True)
            return True
        return False

    def _take_elsewhere(self) -> bool:
        from filelock import FileLock, Timeout

        lock = FileLock(self._path, thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return False
        self._release = lock.release
        return True

    def _timed_out(self, by: str) -> StoreError:
        return StoreError(
            f"{self._what} has been locked by {by} for {self._timeout_s:g} s; try again, or end the process that holds "
            f"{self._path.name}",
            "locked",
        )

    def _failed(self, error: OSError) -> StoreError:
        if error.errno in READ_ONLY:
            return read_only(self._what)
        return StoreError(f"{self._what} cannot be locked: {error.strerror}; mend that and try again", "locked")


def _this_process() -> str:
    return f"{socket.gethostname()} {os.getpid()} {_began(os.getpid())}"


def _began(pid: int) -> str:
    """Return when a process of this machine began, so that another one of the same number is not taken for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "?"


def _is_alive(path: Path) -> bool:
    """Tell whether the process lives that a file names; of another machine's nobody knows."""
    try:
        host, pid, began = path.read_text(encoding="utf-8").split()
        number = int(pid)
    except (OSError, ValueError):  # it is being written, or taken away
        return path.exists()
    if host != socket.gethostname():
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return began == _began(number)


def _take_away(path: Path) -> None:
    """Take away the lock of a process that is gone, unless somebody else did and has made a new one meanwhile."""
    gone = path.with_name(f"{path.name}.{os.getpid()}.gone")
    with suppress(OSError):
        path.rename(gone)
        if _is_alive(gone):
            with suppress(FileExistsError):
                path.hardlink_to(gone)
        gone.unlink()


def read_only(what: str) -> StoreError:
    """Word the refusal to write where only reading is allowed."""
    return StoreError(f"{what} may only be read here; choose a folder that you may write to", "read_only")
