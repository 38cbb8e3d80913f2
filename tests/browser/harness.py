"""A private JupyterLab and a Chromium that drives it.

Everything JupyterLab writes (settings, workspaces, runtime files, IPython profile) goes to a folder that is removed
afterwards, so runs do not disturb each other or the person at the machine. Nothing leaves the machine: requests to
other hosts are collected in :attr:`Browser.offsite` and tests assert that there are none.

    with jupyterlab(folder) as address, browser() as window:
        window.open_notebook(f"{address}{TREE}", "00_start_here.ipynb")
        window.run_all()
        assert window.errors() == []
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

import lango_nb

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page, Request, ViewportSize

Theme = Literal["light", "dark"]
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
THEMES: dict[Theme, str] = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
_LEFT = "Could not send widget sync message"
"""What the browser's console says when a notebook is closed: its views tell a kernel that has ended of their going."""
_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
]
SHOTS = os.environ.get("LANGO_NB_SHOTS", "")
"""Folder for pictures; without it none are taken that no test looks at."""
_DISPOSED = "Cannot read properties of null (reading 'processLuminoMessage')"
"""What ipywidgets 8 says when a view is told something just after it was taken off the page: its own, and of no
consequence."""
_LOCAL = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "file:", "about:")
TREE = "/doc/tree"
"""What stands before the path of a notebook in its address."""
_START_S = 60
_CLOSE = """async () => {
    for (const widget of [...window.jupyterapp.shell.widgets('main')]) {
        if (widget.sessionContext) await widget.sessionContext.shutdown();
        if (widget.context) widget.context.model.dirty = false;  // nobody is asked whether to save it
        widget.close();
    }
}"""
# what JupyterLab gives back is a widget with all it holds: it stays there
_OPEN = "async path => { await window.jupyterapp.commands.execute('docmanager:open', { path }); }"
_IDLE = """path => {
    const widget = window.jupyterapp && window.jupyterapp.shell.currentWidget;
    const session = widget && widget.sessionContext && widget.sessionContext.session;
    const kernel = session && session.kernel;
    return kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle' &&
        widget.context.path === path && widget.content.widgets.length > 0;
}"""
_ALL_RUN = """() => window.jupyterapp.shell.currentWidget.content.widgets.every(cell =>
    cell.model.type !== 'code' || cell.model.executionCount)"""
_OUTPUTS = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => ({
    type: cell.model.type,
    count: cell.model.executionCount,
    source: cell.model.sharedModel.getSource(),
    outputs: cell.model.outputs ? cell.model.outputs.toJSON() : [],
}))"""


def need_chromium() -> None:
    """Skip a test on a machine without Chromium; fail it in CI, where there has to be one."""
    if CHROMIUM:
        return
    if os.environ.get("CI"):
        pytest.fail("no chromium on this machine, and CI may not skip browser tests; install it or set CHROMIUM")
    pytest.skip("no chromium on this machine; install it or set CHROMIUM to its path")


def write_notebook(file: Path, cells: Sequence[tuple[str, Sequence[Mapping[str, object]]]]) -> None:
    """Write a notebook of code cells.

    Parameters
    ----------
    file : Path
    cells : sequence of (str, sequence of mapping)
        Source and saved outputs of each cell.
    """
    made: list[dict[str, object]] = [
        {
            "id": f"cell-{number}",
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "source": source,
            "outputs": list(outputs),
        }
        for number, (source, outputs) in enumerate(cells, 1)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    file.write_text(json.dumps(notebook), encoding="utf-8")


@contextlib.contextmanager
def jupyterlab(root: Path, *, theme: Theme = "light", env: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run a JupyterLab of one's own.

    Parameters
    ----------
    root : Path
        Folder it shows.
    theme : {"light", "dark"}
    env : mapping of str to str, optional
        Variables for the server and its kernels.

    Yields
    ------
    str
        Address without a trailing slash.
    """
    with _served(lambda port: _command(root, port), theme, env or {}, "/api/status") as base:
        yield base


@contextlib.contextmanager
def _served(command: Callable[[int], list[str]], theme: Theme, env: Mapping[str, str], answers: str) -> Iterator[str]:
    """Run a server with folders of its own on a free port; yield its address once it answers at a place."""
    private = Path(tempfile.mkdtemp(prefix="lango-lab-"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    log = private / "server.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command(port),
            env=_environment(private, theme, env),
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait(base + answers, process, log)
            yield base
        finally:
            process.send_signal(signal.SIGTERM)  # shuts kernels down; SIGINT would ask a question
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            shutil.rmtree(private, ignore_errors=True)


def need_voila() -> None:
    """Skip a test where Voila is not installed; fail it in CI, where it has to be."""
    if importlib.util.find_spec("voila") is not None:
        return
    if os.environ.get("CI"):
        pytest.fail("Voila is not installed, and CI may not skip its test; the extra test has it")
    pytest.skip("Voila is not installed; pip install voila")


@contextlib.contextmanager
def voila(notebook: Path) -> Iterator[str]:
    """Run a notebook as an application: no cells, no magics of a person's, a kernel for each page.

    Parameters
    ----------
    notebook : Path

    Yields
    ------
    str
        Its address.
    """
    with _served(lambda port: _voila_command(notebook, port), "light", {}, "/voila/static/voila.js") as base:
        yield base


def _voila_command(notebook: Path, port: int) -> list[str]:
    options = ["--no-browser", "--Voila.ip=127.0.0.1", f"--port={port}", "--Voila.port_retries=0"]
    return [sys.executable, "-m", "voila", str(notebook), *options]


def _command(root: Path, port: int) -> list[str]:
    return [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser",
        "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={root}",
        "--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True",
        "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly", "--KernelManager.transport=ipc",
    ]  # fmt: skip


def _environment(private: Path, theme: Theme, env: Mapping[str, str]) -> dict[str, str]:
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_RUNTIME_DIR": "run",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    for name in folders.values():
        (private / name).mkdir()
    settings: dict[str, dict[str, object]] = {
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "apputils-extension/themes": {"theme": THEMES[theme]},
        "notebook-extension/tracker": {"windowingMode": "none", "autoStartDefaultKernel": True},
    }
    for name, values in settings.items():
        file = private / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), encoding="utf-8")
    private_folders = {variable: str(private / name) for variable, name in folders.items()}
    private_folders["JUPYTER_CONFIG_PATH"] = str(Path(lango_nb.__file__).parent / "data" / "jupyter")  # as lango lab's
    quiet = {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "JUPYTER_PREFER_ENV_PATH": "1"}
    return {**os.environ, **private_folders, **quiet, **env}


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while True:
        try:
            urllib.request.urlopen(address, timeout=1).read()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start:\n{log.read_text(errors='replace')[-3000:]}") from None
            time.sleep(0.1)
        else:
            return


@dataclass
class Browser:
    """One page in Chromium."""

    page: Page
    size: ViewportSize
    """What a notebook is opened in."""
    offsite: list[str] = field(default_factory=list)
    """Requests that tried to leave the machine."""
    complaints: list[str] = field(default_factory=list)
    """Errors of the page itself, and of its console."""

    def open_notebook(self, base: str, name: str) -> None:
        """Open a notebook alone on the page and wait until its kernel is idle.

        A JupyterLab that is on the page already is not loaded again: it closes the notebook before and ends its kernel.

        Parameters
        ----------
        base : str
            Address of the notebook's folder, without a trailing slash.
        name : str
        """
        address, _, folder = base.partition(TREE)
        path = f"{folder}/{name}".lstrip("/")
        is_loaded = self.page.url.startswith(f"{address}/")
        if is_loaded:
            self.page.evaluate(_CLOSE)
        else:
            self.page.goto("about:blank")  # a page whose server has ended goes on complaining
        self.offsite.clear()
        self.complaints.clear()  # also what widgets of the notebook before still had to say to its kernel
        self.page.set_viewport_size(self.size)
        if is_loaded:
            self.page.evaluate(_OPEN, path)
        else:
            self.page.goto(f"{address}{TREE}/{path}?reset", wait_until="domcontentloaded")
        self.page.wait_for_function(_IDLE, arg=path, timeout=60_000)
        self.complaints[:] = [one for one in self.complaints if _LEFT not in one]

    def use_theme(self, theme: Theme) -> None:
        """Change the theme of the open JupyterLab and wait until it is there."""
        change = "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"
        self.page.evaluate(change, THEMES[theme])
        light = str(theme == "light").lower()
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{light}'")

    def open_file(self, file: Path) -> None:
        """Open a saved page from disk."""
        self.page.goto(file.as_uri(), wait_until="load")

    def run_all(self, timeout_s: float = 180) -> bool:
        """Run every cell; tell whether none of them failed."""
        self.page.set_default_timeout(timeout_s * 1000)
        return bool(self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')"))

    def start_all(self) -> None:
        """Begin to run every cell, and go on at once: one of them is going to ask something."""
        self.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")

    def question(self, timeout_s: float = 60) -> str:
        """Wait until a cell asks something, and return the question."""
        self.page.wait_for_selector(".jp-Stdin-input", timeout=timeout_s * 1000)
        return self.page.inner_text(".jp-Stdin-prompt")

    def answer(self, typed: str, timeout_s: float = 60) -> None:
        """Type an answer, and wait until every cell has run."""
        self.page.fill(".jp-Stdin-input", typed)
        self.page.press(".jp-Stdin-input", "Enter")
        self.page.wait_for_function(_ALL_RUN, timeout=timeout_s * 1000)  # a kernel is idle between two cells, too
        path = self.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
        self.page.wait_for_function(_IDLE, arg=path, timeout=timeout_s * 1000)

    def cells(self) -> list[dict[str, Any]]:
        """Return the notebook's cells as they would be saved: type, count, source, outputs."""
        found: list[dict[str, Any]] = self.page.evaluate(_OUTPUTS)
        return found

    def errors(self) -> list[dict[str, Any]]:
        """Return the error outputs of all cells."""
        return [out for cell in self.cells() for out in cell["outputs"] if out["output_type"] == "error"]

    def shown(self) -> str:
        """Return the text and the errors of all outputs, for people who look for the reason of a failure."""
        texts = self.page.locator(".jp-OutputArea-output").all_inner_texts()
        return "\n---\n".join([*texts, *(str(error) for error in self.errors())])

    def save(self) -> None:
        """Save the notebook."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")

    def screenshot(self, file: Path, *, selector: str = "") -> None:
        """Take a picture of the page, or of one element, if pictures are wanted; what moves or fades has ended."""
        if not SHOTS:
            return
        if selector:
            self.page.locator(selector).first.screenshot(path=str(file), animations="disabled")
        else:
            self.page.screenshot(path=str(file), animations="disabled")


@contextlib.contextmanager
def browser(width: int = 1280, height: int = 900) -> Iterator[Browser]:
    """Start Chromium with one empty page.

    Parameters
    ----------
    width, height : int
        Size of the page in pixels.

    Yields
    ------
    Browser
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        try:
            size: ViewportSize = {"width": width, "height": height}
            page = chromium.new_context(viewport=size).new_page()
            window = Browser(page, size)

            def note_request(request: Request) -> None:
                if not request.url.startswith(_LOCAL):
                    window.offsite.append(request.url)

            def note_message(message: ConsoleMessage) -> None:
                if message.type == "error" and _DISPOSED not in message.text:
                    window.complaints.append(f"console: {message.text[:300]}")

            page.on("request", note_request)
            page.on("pageerror", lambda error: window.complaints.append(str(error)[:300]))
            page.on("console", note_message)
            yield window
        finally:
            chromium.close()
