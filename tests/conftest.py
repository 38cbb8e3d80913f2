"""No test, and no kernel a test starts, sees settings, history or variables of the person at the machine."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from jupyter_client.manager import KernelManager

PROGRESS = "LANGO_NB_PROGRESS"


NOBODY = 65534


QUICK = ("config", "core", "doctor", "frames", "hooks", "routing", "specs", "tools", "viz")
"""Stages whose tests are marked ``quick``, with the examples in their docstrings."""
EXAMPLES, MANY = 40, 1000
"""So many examples of each property are tried in the suite, and with ``--hypothesis-profile=many``."""
KEPT = ("LANGO_NB_SHOTS", "LANGO_TEST_POSTGRESQL")
"""Variables that are for the tests themselves."""


LOCAL = ("127.", "::1", "localhost", "0.0.0.0", "::")
"""How addresses of this machine begin."""


def stay_at_home(event: str, arguments: tuple[object, ...]) -> None:
    """Let nothing in this process reach further than this machine; an audit hook, for whatever library tries."""
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else ""
    elif event == "socket.getaddrinfo":
        host = arguments[0] or ""
    else:
        return
    name = host.decode() if isinstance(host, bytes) else str(host)
    if name and not name.startswith(LOCAL) and name != os.uname().nodename:
        raise ConnectionRefusedError(f"tests reach no network: {name!r} was asked for")


def pytest_xdist_auto_num_workers() -> int:
    """Have a worker more than cores: a third of the time the suite waits, for browsers, servers and processes."""
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") or (os.cpu_count() or 1) + 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is quick."""
    root = Path(__file__).parents[1]
    folders = {root / kind / stage for kind in ("tests/unit", "lango_nb") for stage in QUICK}
    is_quick = {path: not folders.isdisjoint(path.parents) for path in {item.path for item in items}}
    for item in items:
        if is_quick[item.path] and not item.get_closest_marker("slow"):
            item.add_marker("quick")


def pytest_collection_finish() -> None:
    """Keep the collector away from what lives as long as the run: going through it takes half a second each time."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Keep the collector away from everything: each of the shells that tests made calls it when the process ends."""
    gc.freeze()


_steady = [hypothesis.HealthCheck.too_slow]  # no clock decides
hypothesis.settings.register_profile("few", max_examples=EXAMPLES, deadline=None, suppress_health_check=_steady)
hypothesis.settings.register_profile("many", max_examples=MANY, deadline=None, suppress_health_check=_steady)
hypothesis.settings.load_profile("few")


def pytest_configure(config: pytest.Config) -> None:
    """Give this run a home of its own; kernels and other processes inherit it."""
    home = tempfile.TemporaryDirectory(prefix="lango-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(home.cleanup)
    for name in [name for name in os.environ if name.startswith("LANGO_") and name not in KEPT]:
        del os.environ[name]
    os.environ["LANGO_HOME"] = str(Path(home.name, "lango"))
    os.environ["LANGO_MODELS_ALLOW_NETWORK"] = "false"  # kernels and commands; tests of providers say otherwise
    sys.addaudithook(stay_at_home)
    os.environ["IPYTHONDIR"] = str(Path(home.name, "ipython"))
    connect_kernels_by_files(Path(home.name))


def connect_kernels_by_files(folder: Path) -> None:
    """Let kernels listen at files: free ports are looked for before a kernel takes them, and another may be faster."""
    start, numbers = KernelManager.__init__, itertools.count()

    def init(self: KernelManager, *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **{"transport": "ipc", "ip": str(folder / f"kernel-{next(numbers)}"), **options})

    KernelManager.__init__ = init  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def progress_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show how far things are, as where somebody watches; notebooks run as for any user of pytest."""
    monkeypatch.setenv(PROGRESS, "1")


@pytest.fixture
def folder_of_nobody() -> Iterator[Path]:
    """A folder in which permissions count: root may do everything, so a test run as root becomes somebody else."""
    is_root = os.geteuid() == 0
    # as root the folder for temporary files may be closed to everybody else; the machine's own is open
    folder = Path(tempfile.mkdtemp(prefix="lango-tests-", dir="/tmp" if is_root else None))
    if is_root:
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o700)
        shutil.rmtree(folder)
