"""The bar: in a terminal or a kernel, nowhere else, and gone at the end."""

from __future__ import annotations

import io
import sys
import types
from typing import Any

import pytest

from lango_nb.evaluation import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_without_anybody_to_see_it_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    assert progress.automatic_bar("x") is None
    monkeypatch.setattr(sys, "stderr", None)
    assert progress.automatic_bar("x") is None


@pytest.mark.parametrize("value", ["0", "off", " No "])
def test_the_environment_turns_it_off(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert progress.automatic_bar("x") is not None
    monkeypatch.setenv("LANGO_NB_PROGRESS", value)
    assert progress.automatic_bar("x") is None


def test_a_kernel_gets_the_bar_of_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    from tqdm import auto

    made: list[dict[str, Any]] = []

    class Shown:
        n = 0

        def __init__(self, **given: Any) -> None:
            made.append(given)

        def update(self, by: int) -> None:
            self.n += by

        def close(self) -> None:
            made.append({"closed": self.n})

    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(auto, "tqdm", Shown)
    bar = progress.automatic_bar("evaluate")
    assert bar is not None
    bar(1, 9)
    bar(4, 9)
    bar.close()
    bar.close()
    assert (made[0]["total"], made[0]["leave"], made[1:]) == (9, False, [{"closed": 4}])


def test_a_terminal_gets_a_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "QUIET_S", 0)
    bar = progress.Bar("evaluate")
    bar(3, 3)
    bar.close()
    said = terminal.getvalue()
    assert "0/3" in said
    assert said.rsplit("\r", 1)[-1].strip() == ""
