"""``lango lab``: JupyterLab on copies of the notebooks, in a folder of the user's.

The server is a process of its own with this Python, so kernels have the packages of this environment. It gets a random
token through its environment (a command line can be read by everybody on the machine), asks no questions, and fetches
no news. This process waits, and passes Ctrl-C, SIGTERM and the end of the terminal on.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from lango_nb.commands.terminal.notebooks import START, Copied, copy_notebooks, shipped_notebooks
from lango_nb.commands.terminal.output import complain, say
from lango_nb.core.errors import LangoError, UsageError
from lango_nb.core.paths import path_of

if TYPE_CHECKING:
    from types import FrameType

FIRST_PORT = 8888
LAST_PORT = 65535
HOST = "127.0.0.1"
START_S = 60.0
"""How long the server may take until it answers."""
STOP_S = 10.0
"""How long the server may take to shut its kernels down."""
_QUIET = (
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
)
"""No news, no look for updates, no list of extensions: nothing leaves the machine."""
_CONFIG = Path(__file__).parents[2] / "data" / "jupyter"
"""Goes before the configuration of the user, which stays as it is: nobody is asked whether news are wanted."""


class _Stopped(Exception):  # noqa: N818 - a signal, not a failure
    """Somebody asked this process to end."""


def open_notebooks(folder: str, port: str | None, *, has_browser: bool, as_root: bool) -> int:
    """Copy the notebooks, start JupyterLab, and wait until it ends.

    Parameters
    ----------
    folder : str
        Where the copies lie.
    port : str or None
        The first free one when ``None``.
    has_browser : bool
        Whether a browser opens.
    as_root : bool
        Whether the server may run as root.

    Returns
    -------
    int
        0 when the server ended well or was stopped, 1 when it failed.

    Raises
    ------
    LangoError
        JupyterLab is not installed, or does not start.
    UsageError
        Run as root without being allowed to; the port is taken; the folder cannot be written.
    """
    if find_spec("jupyterlab") is None:
        raise LangoError("JupyterLab is missing, and it is what shows the notebooks; pip install jupyterlab")
    if not as_root and hasattr(os, "geteuid") and os.geteuid() == 0:
        raise UsageError(
            "JupyterLab refuses to run as root: use an ordinary user, or, only in a container, lango lab --allow-root"
        )
    place = path_of(folder).absolute()
    number = free_port() if port is None else wanted_port(port)
    return serve(place, number, copy_notebooks(shipped_notebooks(), place), has_browser=has_browser, as_root=as_root)


def free_port(first: int = FIRST_PORT) -> int:
    """Return the first port nobody listens on.

    Raises
    ------
    LangoError
        There is none.
    """
    for port in range(first, LAST_PORT + 1):
        if _is_free(port):
            return port
    raise LangoError(f"no port from {first} on is free")


def wanted_port(text: str) -> int:
    """Read a port and see whether it is free; ``0`` takes any.

    Raises
    ------
    UsageError
        It is not a port, or somebody listens on it.
    """
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= LAST_PORT):
        raise UsageError(f"--port must be a number from 0 to {LAST_PORT}, not {text[:20]!r}")
    port = int(text)
    if port == 0:
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            return int(probe.getsockname()[1])
    if not _is_free(port):
        raise UsageError(
            f"port {port} is taken or not allowed; give another one, or leave --port out to get the next free"
        )
    return port


def serve(folder: Path, port: int, copied: Copied, *, has_browser: bool, as_root: bool) -> int:
    """Run the server until it ends or somebody stops it.

    Parameters
    ----------
    folder : Path
        What the server shows; absolute.
    port : int
    copied : Copied
        What to say about the notebooks.
    has_browser : bool
        Whether a browser opens.
    as_root : bool
        Whether the server may run as root.

    Returns
    -------
    int
        Exit code.
    """
    _tell(folder, copied)
    server = subprocess.Popen(  # noqa: S603 - this Python and options of our own
        _command(folder, port, has_browser=has_browser, as_root=as_root),
        env={
            **os.environ,
            "JUPYTER_TOKEN": secrets.token_hex(24),
            "JUPYTER_PREFER_ENV_PATH": "1",
            "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, (str(_CONFIG), os.environ.get("JUPYTER_CONFIG_PATH")))),
        },
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches this process alone: the server would ask whether it is meant
    )
    try:
        with _signals():
            _say_now(f"JupyterLab  {_wait_until_up(server)}\n            stop it with Ctrl-C")
            return 1 if server.wait() else 0
    except (KeyboardInterrupt, _Stopped):
        complain("stopping JupyterLab")
        return 0
    finally:
        _stop(server)


def _command(folder: Path, port: int, *, has_browser: bool, as_root: bool) -> list[str]:
    options = [
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.ip={HOST}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--log-level=WARN",
        "--LabApp.log_level=WARN",
        f"--LabApp.default_url=/lab/tree/{START}",
        *_QUIET,
    ]
    if not has_browser:
        options.append("--no-browser")
    if as_root:
        options.append("--allow-root")
    return [sys.executable, "-m", "jupyterlab", *options]


def _wait_until_up(server: subprocess.Popen[bytes]) -> str:
    """Return the address with its token once the server has written it down and lets somebody in."""
    from jupyter_core.paths import jupyter_runtime_dir

    note = Path(jupyter_runtime_dir()) / f"jpserver-{server.pid}.json"
    deadline_s = time.monotonic() + START_S
    while time.monotonic() < deadline_s:
        if server.poll() is not None:
            raise LangoError(f"JupyterLab ended while it started (exit {server.returncode}); its own words stand above")
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(note.read_text(encoding="utf-8"))
            if found["pid"] == server.pid and _is_listening(found["port"]):
                address = f"http://localhost:{found['port']}{found['base_url']}lab/tree/{START}"
                return f"{address}?token={quote(found['token'])}" if found["token"] else address
        time.sleep(0.05)
    raise LangoError(f"JupyterLab did not answer within {START_S:.0f} s")


def _is_listening(port: int) -> bool:
    """Tell whether a connection is taken; the note is written a moment before."""
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True


def _tell(folder: Path, copied: Copied) -> None:
    lines = [f"Notebooks   {folder}"]
    if copied.new:
        lines.append(f"            new: {', '.join(copied.new)}")
    if copied.beside:
        lines.append(f"            yours stay as they are; the shipped versions: {', '.join(copied.beside)}")
    _say_now("\n".join(lines))


def _say_now(text: str) -> None:
    say(text)
    sys.stdout.flush()


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server and its kernels; the second Ctrl-C does not wait for them."""
    if server.poll() is not None:
        return
    server.terminate()
    try:
        server.wait(STOP_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        server.kill()
        server.wait()


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    """Let SIGTERM, and the end of the terminal, stop the server as Ctrl-C does."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _Stopped

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        before = {name: signal.signal(getattr(signal, name), stop) for name in names}
    except ValueError:  # not the main thread: whoever calls handles signals
        yield
        return
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
