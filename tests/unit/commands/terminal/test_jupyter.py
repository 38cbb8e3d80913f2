"""``lango lab`` starts a JupyterLab that answers, shows the copies, and ends when it is told to."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lango_nb
from lango_nb.commands.terminal import jupyter
from lango_nb.commands.terminal.notebooks import START, Copied
from lango_nb.core.errors import LangoError, UsageError

PACKAGE = Path(lango_nb.__file__).parent
NOTEBOOK = {
    "cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# hello"]}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_a_port_somebody_listens_on_is_refused_and_passed_over(busy_port: int) -> None:
    with pytest.raises(UsageError, match=f"port {busy_port} is taken"):
        jupyter.wanted_port(str(busy_port))
    assert jupyter.free_port(busy_port) > busy_port
    assert jupyter.wanted_port("0") > 0


def test_ports_are_looked_for_up_to_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter, "_is_free", lambda port: port == jupyter.LAST_PORT)
    assert jupyter.free_port(8888) == jupyter.LAST_PORT
    monkeypatch.setattr(jupyter, "_is_free", lambda _port: False)
    with pytest.raises(LangoError, match="no port from 8888 on is free"):
        jupyter.free_port(8888)


@pytest.mark.parametrize("text", ["", "x", "-1", "70000", "1" * 5000, "8888.0", "٨٨٨٨"])
def test_what_is_no_port_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--port must be a number from 0 to 65535"):
        jupyter.wanted_port(text)


def installed(root: Path, place: str) -> Path:
    """Lay out a copy of the package as a wheel or a checkout does."""
    shutil.copytree(PACKAGE, root / "lango_nb", ignore=shutil.ignore_patterns("__pycache__", "notebooks"))
    notebooks = root / place
    notebooks.mkdir(parents=True)
    (notebooks / START).write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    return root


def environment(root: Path, tmp_path: Path) -> dict[str, str]:
    private = {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    return {**os.environ, **private, "PYTHONPATH": str(root), "IPYTHONDIR": str(tmp_path / "ipython")}


def fetch(url: str, token: str) -> Any:
    request = urllib.request.Request(url, headers={"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


@pytest.mark.parametrize(
    ("place", "stop"),
    [("lango_nb/data/notebooks", signal.SIGINT), ("notebooks", signal.SIGTERM)],
    ids=["wheel", "checkout"],
)
def test_the_server_answers_with_its_token_and_ends_when_told(tmp_path: Path, place: str, stop: signal.Signals) -> None:
    root = installed(tmp_path / "site", place)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / START).write_text("my own", encoding="utf-8")
    own = tmp_path / "CONFIG" / "labconfig" / "page_config.json"
    own.parent.mkdir(parents=True)
    own.write_text('{"disabledExtensions": {"mine": true}}', encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "lango_nb",
        "lab",
        "--no-browser",
        "--dir",
        str(mine),
        "--port",
        "0",
        "--allow-root",
    ]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(root, tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        lines: list[str] = []
        while not (lines and lines[-1].startswith("JupyterLab")):
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            lines.append(line)
        found = re.search(r"(http://localhost:\d+)/lab/tree/00_start_here.ipynb\?token=(\w{32,})$", lines[-1].strip())
        assert found, lines
        url, token = found.groups()
        assert any(f"{START.removesuffix('.ipynb')}.new.ipynb" in line for line in lines)
        assert "version" in fetch(f"{url}/api", token)
        assert fetch(f"{url}/api/status", token)["kernels"] == 0
        listed = {entry["name"] for entry in fetch(f"{url}/api/contents", token)["content"]}
        assert listed == {START, "00_start_here.new.ipynb"}
        with pytest.raises(urllib.error.HTTPError, match="403"):
            fetch(f"{url}/api/status", "wrong")
        page = urllib.request.urlopen(f"{url}/lab?token={token}", timeout=10).read().decode()
        assert re.search(r'"news": \{\s*"disabled": true', page)
        disabled = re.search(r'"disabledExtensions": (\[.*?\])', page)
        assert disabled is not None
        assert {"mine", "@jupyterlab/apputils-extension:announcements"} <= set(json.loads(disabled[1]))
        assert token not in " ".join(" ".join(line) for line in all_commands())
        process.send_signal(stop)
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "Traceback" not in err
        assert_closed(url, token)
        assert (mine / START).read_text(encoding="utf-8") == "my own"
    finally:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=30)


def all_commands() -> list[list[str]]:
    """Return the command lines of all processes, where the system shows them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes().decode(errors="replace").split("\0"))
        except OSError:  # it has ended meanwhile
            continue
    return found


def assert_closed(url: str, token: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            fetch(f"{url}/api/status", token)
        except OSError:
            return
        time.sleep(0.1)
    pytest.fail("the server is still there")


def run_lab(root: Path, tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lango_nb", "lab", "--no-browser", *options],
        cwd=tmp_path,
        env=environment(root, tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="says what to do as root")
def test_root_is_told_what_to_do_and_nothing_is_copied(tmp_path: Path) -> None:
    done = run_lab(installed(tmp_path / "site", "notebooks"), tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "lango: JupyterLab refuses to run as root: use an ordinary user, or, only in a container, "
        "lango lab --allow-root\n"
    )
    assert not (tmp_path / "lango-notebooks").exists()


def test_a_taken_port_and_a_folder_in_the_way_are_one_line(tmp_path: Path, busy_port: int) -> None:
    root = installed(tmp_path / "site", "notebooks")
    (tmp_path / "file").write_text("", encoding="utf-8")
    for options, said in (
        (("--port", str(busy_port)), f"lango: port {busy_port} is taken"),
        (("--dir", "file"), "lango: the folder "),
    ):
        done = run_lab(root, tmp_path, "--allow-root", *options)
        assert done.returncode == 2
        assert done.stderr.startswith(said)
        assert done.stderr.count("\n") == 1


def test_missing_notebooks_and_a_missing_jupyterlab_are_one_line(tmp_path: Path) -> None:
    root = installed(tmp_path / "site", "notebooks")
    shutil.rmtree(root / "notebooks")
    done = run_lab(root, tmp_path, "--allow-root")
    assert done.returncode == 1
    assert done.stderr.startswith("lango: the notebooks are missing from this installation")

    blocked = (
        "import sys; sys.modules['jupyterlab'] = None; "
        "from lango_nb.commands.terminal.main import main; sys.exit(main(['lab']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", blocked],
        env=environment(root, tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "lango: JupyterLab is missing, and it is what shows the notebooks; pip install jupyterlab\n"


def test_a_server_that_does_not_start_is_reported(
    tmp_path: Path, busy_port: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment(PACKAGE.parent, tmp_path).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(lango_nb.LangoError, match="JupyterLab ended while it started"):
        jupyter.serve(tmp_path, busy_port, Copied(), has_browser=False, as_root=True)
    assert str(busy_port) in capfd.readouterr().err
