"""One thing that happened in a turn: from its first event to its last, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(slots=True)
class Span:
    """Something that happened in a turn, from its first event to its last."""

    kind: str
    """``asks``, ``says``, ``tool``, ``failed``, ``hands over`` … (see ``colours.EVENTS``)."""
    author: str
    step: int
    first: int
    """``seq`` of its first event."""
    last: int
    start: datetime
    end: datetime
    what: str = ""
    """A name: of a tool, of an agent."""
    said: str = ""
    """The text that goes with it."""
    status: str = ""
    """Empty when all is well."""
    parts: list[tuple[str, str]] = field(default_factory=list)
    """Everything about it: name and text."""
    decision_id: str = ""
    run_id: str = ""
    """The teammate run it belongs to; empty for the turn's own work."""
    target_run: str = ""
    """The run a hand-over made."""
    is_open: bool = False
    """Whether a run is still blocked after the last event there is."""
    ms: float | None = None
    """How long a tool took, or the model before it spoke."""
    model_ms: float = 0.0
    """How long the model took before its first event."""

    @property
    def seqs(self) -> str:
        """Its events, as a number or a range."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    def is_call(self) -> bool:
        """Tell whether it is a tool call, however it ended."""
        return self.kind in {"tool", "failed", "approval"}


def arguments_text(arguments: Mapping[str, object]) -> str:
    """Write arguments of a call on one line, as JSON without its outer braces.

    Examples
    --------
    >>> arguments_text({"path": "a.md", "limit": 3})
    'path: "a.md", limit: 3'
    """
    return ", ".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())


def arguments_block(arguments: Mapping[str, object]) -> str:
    """Write arguments of a call over several lines, texts as they are."""
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in arguments.items()
    )


def tools_text(tools: Iterable[str] | None) -> str:
    """Write what a run is narrowed to; empty when it may use all its role has.

    Examples
    --------
    >>> tools_text(None), tools_text(()), tools_text(["fs_read", "exec"])
    ('', 'none', 'fs_read, exec')
    """
    return "" if tools is None else ", ".join(tools) or "none"


def short_label(span: Span) -> str:
    """Write what a bar is, as briefly as can be.

    Examples
    --------
    >>> from datetime import datetime
    >>> now = datetime(2026, 1, 1)
    >>> short_label(Span("hands over", "root", 1, 2, 2, now, now, "vault"))
    '→ vault'
    """
    match span.kind:
        case "hands over" | "refused":
            return f"→ {span.what}"
        case "tool" | "failed" | "approval":
            return span.what
        case "run starts" | "run ends" | "run fails" | "run stops":
            return span.kind.removeprefix("run ")
    return span.kind
