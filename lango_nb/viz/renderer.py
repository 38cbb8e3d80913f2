"""What it takes to show a kind of record: a line, a document, and where it makes sense a mermaid diagram."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lango_nb.viz.document import Document


@dataclass(frozen=True, slots=True)
class Renderer:
    """How one kind of record is shown."""

    line: Callable[[Any], str]
    """One line: what it is and how large."""
    document: Callable[..., Document]
    """Everything, for both back ends; the same record always gives the same document."""
    mermaid: Callable[[Any], str] | None = None
    """A diagram as mermaid source."""
