"""Every test of the terminal runs in an empty folder, with an empty home and no settings in the environment."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from lango_nb.commands.terminal.main import main


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


Lango = Callable[..., Done]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("LANGO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANGO_HOME", str(tmp_path / "home"))
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def lango(here: Path, capsys: pytest.CaptureFixture[str]) -> Lango:
    def run(*words: str) -> Done:
        code = main(words)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run
