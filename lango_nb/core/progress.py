"""What somebody who waits is shown: whether anything, after how long, and what a turn is doing in a few words."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

QUIET_S = 0.5
"""What ends within this time shows no progress."""
_OFF = {"0", "off", "no", "false"}
_hushed = False


def hush(is_hushed: bool) -> None:
    """Show no progress in this process, whatever the environment says; or as it says again."""
    global _hushed  # noqa: PLW0603 - one process, one screen
    _hushed = is_hushed


def is_wanted() -> bool:
    """Tell whether progress may be shown: ``LANGO_NB_PROGRESS`` says so; without it, everywhere but under pytest.

    A kernel that pytest starts, nbval's for instance, has nobody who watches, and what changes while a cell runs would
    make the outputs of a notebook depend on how fast the machine is.

    Examples
    --------
    >>> os.environ["LANGO_NB_PROGRESS"] = "off"
    >>> is_wanted()
    False
    >>> del os.environ["LANGO_NB_PROGRESS"]
    """
    if _hushed:
        return False
    said = os.environ.get("LANGO_NB_PROGRESS", "").strip().casefold()
    return said not in _OFF if said else "PYTEST_CURRENT_TEST" not in os.environ


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
