"""What it takes to show a kind of record: a line, a text, HTML, and where it makes sense a mermaid diagram."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Renderer:
    """How one kind of record is shown."""

    line: Callable[[Any], str]
    """One line: what it is and how large."""
    text: Callable[..., str]
    """Everything, as plain text; the same record always gives the same text."""
    html: Callable[..., str]
    """Everything, as HTML with inline styles only."""
    mermaid: Callable[[Any], str] | None = None
    """A diagram as mermaid source."""
