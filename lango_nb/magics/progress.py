"""What a running turn is doing, in one display that changes; only when a turn takes long, and only in a kernel.

A quick turn shows nothing, so that saved notebooks are the same each time. ``LANGO_NB_PROGRESS=0`` switches it off.
"""

from __future__ import annotations

import html
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lango_nb.core.visible import visible

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

QUIET_S = 0.5
"""A turn that ends within this time shows no progress."""
LINES = 8
"""How many of the last steps are shown."""
LONGEST_COMING = 1200
"""Characters of an answer that is still coming that are shown: its end."""
_OFF = {"0", "off", "no", "false"}


def is_wanted() -> bool:
    """Tell whether the environment allows progress displays."""
    return os.environ.get("LANGO_NB_PROGRESS", "1").strip().casefold() not in _OFF


def can_update(shell: InteractiveShell) -> bool:
    """Tell whether a display can change; a terminal would print a line for each change."""
    return getattr(shell, "kernel", None) is not None


class Progress:
    """Listener of a turn's events.

    Parameters
    ----------
    show : callable, optional
        Gets a MIME bundle and returns a handle with ``update``; IPython's display when absent.
    now_s : callable
        The time in seconds.
    """

    def __init__(
        self, show: Callable[[dict[str, str]], Any] | None = None, now_s: Callable[[], float] | None = None
    ) -> None:
        self._show = show or _display
        self._now_s = now_s or time.monotonic
        self._began_s = self._now_s()
        self._lines: list[str] = []
        self._coming = ""
        self._handle: Any = None

    def __call__(self, event: Any) -> None:
        """Take note of an event, and show it when the turn has been running for a while."""
        line = describe(event)
        if not line:
            return
        self._lines.append(line)
        self._coming = ""
        self._update()

    def hear(self, said: Any) -> None:
        """Show what an agent has said so far of an answer that is still coming."""
        last = said.text[-LONGEST_COMING:]
        self._coming = f"{said.author}: {'…' if len(said.text) > len(last) else ''}{last}▌"
        self._update()

    def _update(self) -> None:
        if self._now_s() - self._began_s < QUIET_S:
            return
        lines = self._lines[-LINES:] + ([self._coming] if self._coming else [])
        bundle = _bundle("\n".join(lines))
        if self._handle is None:
            self._handle = self._show(bundle)
        else:
            self._handle.update(bundle, raw=True)

    def close(self) -> None:
        """Empty the display: what stays is the result."""
        if self._handle is not None:
            self._handle.update({"text/plain": "", "text/html": ""}, raw=True)
            self._handle = None


def describe(event: Any) -> str:
    """Say in a few words what an event means for somebody who waits; empty when nothing."""
    say = _WORDS.get(event.kind)
    return "" if say is None else say(event)


_WORDS: dict[str, Callable[[Any], str]] = {
    "handover": lambda event: f"{event.author} → {event.target}",
    "declined": lambda event: f"{event.author} hands it back",
    "returned": lambda event: f"{event.author} hands it back",
    "run.blocked": lambda event: f"{event.author}: {event.tool} waits for an answer" if event.condition else "",
    "run.finished": lambda event: f"{event.author} {event.status}",
    "recovery": lambda event: f"{event.author}: {event.action.replace('_', ' ')} after {event.error_class}",
    "tool.started": lambda event: f"{event.author}: {event.tool} …",
    "tool.finished": lambda event: f"{event.author}: {event.tool} {'failed' if event.is_error else 'done'}",
    "approval.asked": lambda event: f"{event.author}: may {event.tool} run?",
    "limit.reached": lambda event: f"the limit of {event.limit} is reached",
    "text": lambda event: f"{event.author} answers",
}
"""What is said of an event, by its kind; of the others nothing."""


def _bundle(text: str) -> dict[str, str]:
    text = visible(text)
    style = "margin: 0; opacity: 0.7; white-space: pre-wrap"
    return {"text/plain": text, "text/html": f'<pre style="{style}">{html.escape(text)}</pre>'}


def _display(bundle: dict[str, str]) -> Any:
    from IPython.display import display

    return display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]  # IPython has no types here
