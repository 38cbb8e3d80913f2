"""What a running turn is doing, in a few words for somebody who waits: what both front ends show until it ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

QUIET_S = 0.5
"""A turn that ends within this time shows no progress."""


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
