"""What a running turn is doing, in one display that changes; only when a turn takes long, and only in a kernel.

A quick turn shows nothing, so that saved notebooks are the same each time. ``LANGO_NB_PROGRESS=0`` switches it off.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lango_nb.core.progress import QUIET_S, describe, is_wanted
from lango_nb.core.visible import visible

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["QUIET_S", "Progress", "can_update", "is_wanted"]

LINES = 8
"""How many of the last steps are shown."""
LONGEST_COMING = 1200
"""Characters of an answer that is still coming that are shown: its end."""


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


def _bundle(text: str) -> dict[str, str]:
    import html

    text = visible(text)
    style = "margin: 0; opacity: 0.7; white-space: pre-wrap"
    return {"text/plain": text, "text/html": f'<pre style="{style}">{html.escape(text)}</pre>'}


def _display(bundle: dict[str, str]) -> Any:
    from IPython.display import display

    return display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]  # IPython has no types here
