"""Terminal IPython, typed at for real: Tab completes, Ctrl-C stops a turn, the prompt lives on."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pexpect = pytest.importorskip("pexpect", reason="IPython brings it everywhere but on Windows")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

PROJECT = Path(__file__).parents[4]
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
SLOW = (
    "import asyncio; S = type('S', (), {'name': 'slow'}); "
    'exec(\'async def c(self, m, t):\\n    print("WORK" + "ING", flush=True)\\n    await asyncio.sleep(60)\'); '
    "S.complete = c"
)


class Terminal:
    """One IPython under a pseudo-terminal."""

    def __init__(self, folder: Path) -> None:
        environment = {
            **os.environ,
            "TERM": "xterm",
            "IPYTHONDIR": str(folder / "ipython"),
            "LANGO_HOME": str(folder / "home"),
            "PYTHONPATH": str(PROJECT),
        }
        options = [
            "-m",
            "IPython",
            "--no-banner",
            "--no-confirm-exit",
            "--colors=NoColor",
            "--HistoryManager.enabled=False",
        ]
        self.child: Any = pexpect.spawn(
            sys.executable, options, env=environment, cwd=str(folder), encoding="utf8", timeout=60, dimensions=(40, 120)
        )
        self.folder = folder
        self.number = 1
        self.child.expect(r"In \[1\]")

    def enter(self, line: str) -> str:
        """Type a line, and return what was printed before the next prompt."""
        self.child.send(line + "\r")
        return self.wait()

    def wait(self) -> str:
        """Wait for the next prompt."""
        self.number += 1
        self.child.expect(rf"In \[{self.number}\]")
        return _CONTROL.sub("", self.child.before)


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    opened = Terminal(tmp_path_factory.mktemp("terminal"))
    opened.enter("%load_ext lango_nb")
    yield opened
    opened.child.close(force=True)


def test_tab_completes_and_the_line_runs(terminal: Terminal) -> None:
    terminal.child.send("%lango partit\t")
    terminal.child.expect("partition")
    assert "operator" in terminal.enter("")


def test_a_question_reaches_the_router(terminal: Terminal) -> None:
    assert "operator" in terminal.enter("%lango route who lists the files here?")


def test_ctrl_c_stops_the_turn_closes_the_trace_and_leaves_the_prompt(terminal: Terminal) -> None:
    terminal.enter(SLOW)
    terminal.enter("from lango_nb import Lab; slow = Lab('sextet', model=S())")
    terminal.enter("%lango use slow;")
    terminal.child.send("%lango ask something long\r")
    terminal.child.expect("WORKING")
    terminal.child.sendintr()
    assert "KeyboardInterrupt: the turn was stopped" in terminal.wait()
    assert "cancelled" in terminal.enter("%lango turns")
    assert "42" in terminal.enter("6 * 7")
    terminal.enter("%unload_ext lango_nb")
    terminal.enter("from lango_nb.commands.notebook.extension import _KEPT; _KEPT.clear()")
    terminal.enter("%load_ext lango_nb")


def test_a_mistake_is_one_line(terminal: Terminal) -> None:
    said = terminal.enter("%lango tre")
    assert "command 'tre' not found in %lango; did you mean 'tree'?" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(("typed", "is_there"), [("n", True), ("y", False)])
def test_a_dangerous_call_asks_at_the_prompt(terminal: Terminal, typed: str, is_there: bool) -> None:
    target = terminal.folder / "old.txt"
    target.write_text("x", encoding="utf-8")
    terminal.child.send("%lango ask delete old.txt\r")
    terminal.child.expect(r"path = \"old.txt\"")
    terminal.child.expect(r"\[N\]o")
    terminal.child.send(typed + "\r")
    terminal.wait()
    assert target.exists() is is_there
