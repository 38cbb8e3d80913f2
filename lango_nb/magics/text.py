"""Text that a cell shows as it is, not in quotes: usage, mermaid, JSON."""

from __future__ import annotations

import html
from typing import Any

from lango_nb.core.visible import visible


class Text(str):
    """A ``str`` for every purpose but showing.

    Examples
    --------
    >>> Text("graph TD")
    graph TD
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return visible(str(self))

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_html_(self) -> str:
        return f'<pre style="white-space: pre-wrap; margin: 0">{html.escape(repr(self))}</pre>'
