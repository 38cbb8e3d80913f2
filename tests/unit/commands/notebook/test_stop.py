"""Stop: the turn is cancelled, its trace is closed, the cell shows one line, and the next turn works."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from lango_nb.commands.notebook import progress
from lango_nb.core.messages import Message, Reply, ToolSchema

if TYPE_CHECKING:
    from tests.unit.commands.notebook.conftest import Session

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of POSIX")


class Slow:
    """A model that takes its time before it answers."""

    name = "slow"

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        self.is_asked = threading.Event()

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        self.is_asked.set()
        await asyncio.sleep(self.wait_s)
        return Reply(text="done at last")


def press_stop_when(ready: threading.Event) -> threading.Thread:
    def press() -> None:
        ready.wait(60)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    return thread


@pytest.mark.parametrize(
    "cell", ["%lango ask something long", "%%lango ask\nsomething long", "x = %lango ask something long"]
)
def test_stop_leaves_a_closed_trace_and_one_line(
    session: Session, capsys: pytest.CaptureFixture[str], cell: str
) -> None:
    session.lab.model = model = Slow(60)
    presser = press_stop_when(model.is_asked)
    assert isinstance(session.error(cell), KeyboardInterrupt)
    presser.join()
    out, err = capsys.readouterr()
    assert (out + err).strip() == (
        "KeyboardInterrupt: the turn was stopped; what happened until then is in %lango trace"
    )
    trace = session.run("%lango trace")
    assert trace.turn.outcome == "cancelled"
    assert trace.events[-1].kind == "turn.finished"
    session.run("%lango model offline;")
    assert session.run("%lango ask hello").outcome == "success"


class Handle:
    """A display that remembers what it showed."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def __call__(self, bundle: dict[str, str]) -> Handle:
        self.shown.append(bundle)
        return self

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(bundle)


class Event:
    """As much of an event as progress looks at."""

    def __init__(self, kind: str, **fields: Any) -> None:
        self.kind = kind
        self.__dict__.update(fields)


class TestProgress:
    def test_a_quick_turn_shows_nothing(self) -> None:
        handle = Handle()
        listener = progress.Progress(handle, lambda: 0.0)
        listener(Event("handover", author="root", target="operator"))
        listener.close()
        assert handle.shown == []

    def test_a_slow_turn_changes_one_display_and_leaves_it_empty(self) -> None:
        handle, clock = Handle(), iter([0.0, 0.1, 0.7, 0.8, 0.9])
        listener = progress.Progress(handle, lambda: next(clock))
        listener(Event("turn.started", author="user", text="x"))
        listener(Event("handover", author="root", target="operator"))
        listener(Event("tool.started", author="operator", tool="<b>fs_read</b>"))
        listener(Event("tool.finished", author="operator", tool="fs_read", is_error=True))
        listener(Event("text", author="operator", text="secret"))
        listener.close()
        listener.close()
        assert [bundle["text/plain"].splitlines() for bundle in handle.shown] == [
            ["root → operator", "operator: <b>fs_read</b> …"],
            ["root → operator", "operator: <b>fs_read</b> …", "operator: fs_read failed"],
            ["root → operator", "operator: <b>fs_read</b> …", "operator: fs_read failed", "operator answers"],
            [],
        ]
        assert "&lt;b&gt;" in handle.shown[0]["text/html"]
        assert "<b>" not in handle.shown[0]["text/html"]

    @pytest.mark.parametrize(("value", "wanted"), [("0", False), ("off", False), ("1", True), (None, True), ("", True)])
    def test_the_environment_switches_it_off(
        self, monkeypatch: pytest.MonkeyPatch, value: str | None, wanted: bool
    ) -> None:
        monkeypatch.delenv("PYTEST_CURRENT_TEST")
        if value is None:
            monkeypatch.delenv("LANGO_NB_PROGRESS", raising=False)
        else:
            monkeypatch.setenv("LANGO_NB_PROGRESS", value)
        assert progress.is_wanted() is wanted

    def test_under_pytest_nobody_watches(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("LANGO_NB_PROGRESS")
        assert not progress.is_wanted()

    def test_in_a_kernel_a_slow_turn_is_shown_while_it_runs(
        self, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        handle = Handle()
        monkeypatch.setattr(progress, "_display", handle)
        monkeypatch.setattr(progress, "QUIET_S", 0.0)
        monkeypatch.setattr(session.shell, "kernel", object(), raising=False)
        session.run("%lango ask list the files")
        assert any("operator" in bundle["text/plain"] for bundle in handle.shown)
        assert handle.shown[-1]["text/plain"] == ""
        shown = len(handle.shown)
        session.run("%config LangoMagics.stream = False\n%lango ask list the files")
        assert len(handle.shown) == shown

    def test_in_a_terminal_nothing_is_shown(self, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
        handle = Handle()
        monkeypatch.setattr(progress, "_display", handle)
        monkeypatch.setattr(progress, "QUIET_S", 0.0)
        session.run("%lango ask list the files")
        assert handle.shown == []
