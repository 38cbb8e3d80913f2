"""A real shell in this process, with the extension loaded, on an empty folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from lango_nb.commands.notebook.extension import load, loaded
from lango_nb.core.progress import hush


class Session:
    """What a person does at a prompt, and what comes back."""

    def __init__(self, shell: Any) -> None:  # IPython has no types for most of it
        self.shell = shell

    def run(self, cell: str) -> Any:
        """Run a cell as a notebook would, and return its value; what it raises is raised."""
        result = self.shell.run_cell(cell, store_history=True)
        result.raise_error()
        return result.result

    def error(self, cell: str) -> BaseException:
        """Run a cell that has to fail, and return what it raised."""
        result = self.shell.run_cell(cell, store_history=True)
        found: BaseException | None = result.error_before_exec or result.error_in_exec
        assert found is not None, f"nothing went wrong in {cell!r}"
        return found

    def shown(self, value: Any) -> dict[str, Any]:
        """Return what a front end gets to show a value."""
        data, _ = self.shell.display_formatter.format(value)
        return dict(data)

    @property
    def names(self) -> dict[str, Any]:
        """The user's namespace."""
        names: dict[str, Any] = self.shell.user_ns
        return names

    @property
    def lab(self) -> Any:
        """The lab behind the magics."""
        magics = loaded(self.shell)
        assert magics is not None
        return magics.lab


@pytest.fixture
def bare_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Make a shell without the extension."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    config.InteractiveShell.colors = "nocolor"
    yield InteractiveShell.instance(config=config)
    InteractiveShell.clear_instance()
    hush(False)  # what one shell was told holds for the process


@pytest.fixture
def session(bare_shell: Any) -> Session:
    """Make a shell with the extension."""
    load(bare_shell)
    return Session(bare_shell)
