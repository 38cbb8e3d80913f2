"""Words inside mermaid diagrams: everything mermaid would read as its own becomes an entity."""

from __future__ import annotations

from lango_nb.viz.escape import one_line

_OWN = frozenset('#;:"<>&`{}[]()|\\%~')


def label(text: str, limit: int = 120) -> str:
    """Write a text so that mermaid shows it and reads nothing into it.

    Examples
    --------
    >>> label('say "hi"; {x}')
    'say #34;hi#34;#59; #123;x#125;'
    """
    return "".join(f"#{ord(char)};" if char in _OWN else char for char in one_line(text, limit))
