"""``binder/`` is understood by repo2docker as meant, pins what the project asks for, and opens the tour.

repo2docker's own detection and rendering are asked; no docker is needed for that.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from importlib.metadata import distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version
from repo2docker.app import Repo2Docker
from repo2docker.buildpacks.base import BuildPack
from repo2docker.buildpacks.python import PythonBuildPack

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"
TOUR = "00_start_here.ipynb"


@pytest.fixture(scope="module")
def pins() -> dict[NormalizedName, Version]:
    found: dict[NormalizedName, Version] = {}
    for line in (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;@]+)", line)
        assert match, f"not a public name with one exact version: {line!r}"
        name = canonicalize_name(match[1])
        assert name not in found, f"{name} is pinned twice"
        found[name] = Version(match[2])
    return found


@pytest.fixture
def pack(monkeypatch: pytest.MonkeyPatch) -> Iterator[BuildPack]:
    """Return what repo2docker makes of the project: the first build pack that says it is its own."""
    monkeypatch.chdir(ROOT)
    tool = Repo2Docker()
    for kind in tool.buildpacks:
        found = kind(tool.base_image)
        if found.detect():
            yield found
            return
    pytest.fail("repo2docker detects nothing")


def test_repo2docker_sees_a_python_project(pack: BuildPack) -> None:
    assert type(pack) is PythonBuildPack
    assert pack.binder_dir == "binder"
    assert pack.python_version == "3.11"


def test_repo2docker_installs_the_pins_then_runs_post_build_and_start(pack: BuildPack) -> None:
    assert pack.get_post_build_scripts() == ["binder/postBuild"]
    assert pack.get_start_script() == "${REPO_DIR}/binder/start"
    pack.platform = "linux/amd64"
    dockerfile = pack.render({"NB_UID": "1000", "NB_USER": "jovyan"})
    assert "binder/requirements.txt" in dockerfile
    assert "./binder/postBuild" in dockerfile
    assert dockerfile.index("binder/requirements.txt") < dockerfile.index("./binder/postBuild")
    assert re.search(r'^ENV R2D_ENTRYPOINT="?\$\{REPO_DIR\}/binder/start"?$', dockerfile, re.MULTILINE)


@pytest.mark.parametrize("name", ["postBuild", "start"])
def test_scripts_can_be_run(name: str) -> None:
    script = BINDER / name
    assert os.access(script, os.X_OK), f"chmod +x binder/{name}"
    assert script.read_text(encoding="utf-8").startswith("#!/bin/bash\n")
    subprocess.run(["bash", "-n", script], check=True)


def test_post_build_installs_this_package_and_leaves_the_pins_alone() -> None:
    commands = [
        line
        for line in (BINDER / "postBuild").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith(("#", "set "))
    ]
    assert len(commands) == 1
    assert commands[0].startswith("python -m pip install ")
    assert "--no-deps" in commands[0].split()
    assert commands[0].endswith(" -e .")


def test_pins_fit_what_the_project_asks_for(pins: dict[NormalizedName, Version]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["test"]]
    own = [line for line in lines if Requirement(line).name == project["name"]]
    lines += [line for wish in own for extra in Requirement(wish).extras for line in extras[extra]]
    asked = [Requirement(line) for line in lines if line not in own]
    missing = [str(wish) for wish in asked if canonicalize_name(wish.name) not in pins]
    assert missing == []
    assert [str(wish) for wish in asked if pins[canonicalize_name(wish.name)] not in wish.specifier] == []


def test_pins_are_complete(pins: dict[NormalizedName, Version]) -> None:
    """Whatever a pinned package needs on this machine is pinned too, at a version that it takes."""
    installed = {canonicalize_name(found.name): Version(found.version) for found in distributions()}
    same = [name for name in pins if installed.get(name) == pins[name]]
    if os.environ.get("CI"):
        assert same == list(pins), "CI does not run on the pins"
    gaps = []
    for name in same:  # what newer versions need says nothing about the pins
        for line in requires(name) or []:
            wish = Requirement(line)
            if wish.marker is not None and not wish.marker.evaluate({"extra": ""}):
                continue
            needed = canonicalize_name(wish.name)
            if needed in {"pip", "setuptools"}:  # every environment has them, or makes them
                continue
            if needed not in pins or not wish.specifier.contains(pins[needed], prereleases=True):
                gaps.append(f"{name} needs {line}")
    assert gaps == []


def test_this_package_is_not_pinned(pins: dict[NormalizedName, Version]) -> None:
    assert "lango-nb" not in pins


def test_start_hands_every_argument_on() -> None:
    words = ["two words", "", "$HOME", "*", '"']
    code = "import json, sys; print(json.dumps(sys.argv[1:]))"
    done = subprocess.run(
        [BINDER / "start", sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == words


def test_start_passes_the_exit_code_on() -> None:
    assert subprocess.run([BINDER / "start", "bash", "-c", "exit 7"], check=False).returncode == 7


def test_jupyterlab_opens_the_tour(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    private = {name: str(tmp_path) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR")}
    server = subprocess.Popen(
        [
            BINDER / "start", sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
            f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=",
        ],
        cwd=ROOT,
        env={**os.environ, **private},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = _follow(f"http://127.0.0.1:{port}/", server)
    finally:
        server.terminate()
        server.wait(20)
    assert address == f"http://127.0.0.1:{port}/lab/tree/notebooks/{TOUR}"
    assert (ROOT / "notebooks" / TOUR).is_file()


def _follow(address: str, server: subprocess.Popen[bytes]) -> str:
    """Return where an address leads once the server answers."""
    deadline_s = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return str(answer.url)
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline_s:
                raise
            time.sleep(0.2)
