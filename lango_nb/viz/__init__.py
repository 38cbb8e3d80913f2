"""Records as text, HTML and diagrams: one file per noun, one :class:`Renderer` per kind of record in :data:`RENDERERS`.

    to_text      complete, lines up in a terminal, the same for the same record
    to_html      inline styles only: survives an untrusted notebook, a saved file, a dark page
    to_mermaid   a diagram as text, for those records that have one
    mimebundle   what a notebook front end asks for

Default views hold no clock, duration, id or path, so that saved notebooks repeat to the letter.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from lango_nb.core.errors import UsageError
from lango_nb.core.events import BaseEvent
from lango_nb.records.decisions import Decision
from lango_nb.records.turns import Trace, Turn
from lango_nb.routing.diff import TreeDiff
from lango_nb.routing.partition import Partition
from lango_nb.routing.route import Route
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.viz import agents, decisions, diff, events, partition, prompts, routing, table, trace, turns
from lango_nb.viz.decisions import Decisions
from lango_nb.viz.events import Events
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.table import Table
from lango_nb.viz.turns import Turns

__all__ = [
    "RENDERERS",
    "Decisions",
    "Events",
    "Renderer",
    "Table",
    "Turns",
    "mimebundle",
    "to_html",
    "to_line",
    "to_mermaid",
    "to_text",
]

RENDERERS: dict[type, Renderer] = {
    AgentTree: agents.RENDERER,
    AgentNode: prompts.RENDERER,
    Partition: partition.RENDERER,
    Route: routing.RENDERER,
    TreeDiff: diff.RENDERER,
    Decision: decisions.RENDERER,
    Decisions: decisions.LIST_RENDERER,
    Turn: turns.RENDERER,
    Turns: turns.LIST_RENDERER,
    Trace: trace.RENDERER,
    Events: events.RENDERER,
    Table: table.RENDERER,
}
"""Renderer by kind of record."""
_LISTS: dict[type, type] = {Turn: Turns, Decision: Decisions, BaseEvent: Events}
"""What a list of records is shown as."""


def to_text(record: object, **options: Any) -> str:
    """Show a record as plain text.

    Parameters
    ----------
    record : object
        Of a kind in :data:`RENDERERS`, or a list of turns, decisions or events.
    **options
        ``timing=True`` for a trace: tell milliseconds.

    Returns
    -------
    str
        Lines without trailing spaces; the same record always gives the same text.

    Raises
    ------
    UsageError
        The record is of another kind, or has no such option.
    """
    shown, renderer = _find(record)
    made = _render(renderer.text, shown, options)
    return "\n".join(line.rstrip() for line in made.split("\n"))


def to_html(record: object, **options: Any) -> str:
    """Show a record as HTML with inline styles only.

    Parameters
    ----------
    record : object
        Of a kind in :data:`RENDERERS`, or a list of turns, decisions or events.
    **options
        ``timing=True`` for a trace: an axis in milliseconds.

    Returns
    -------
    str
        One element; everything that came from a model, a tool, a file or a person is escaped.

    Raises
    ------
    UsageError
        The record is of another kind, or has no such option.
    """
    shown, renderer = _find(record)
    return _render(renderer.html, shown, options)


def to_line(record: object) -> str:
    """Describe a record in one line.

    Raises
    ------
    UsageError
        The record is of a kind that has no view.
    """
    shown, renderer = _find(record)
    return renderer.line(shown)


def to_mermaid(record: object) -> str:
    """Write a record as a mermaid diagram.

    Parameters
    ----------
    record : AgentTree, Partition, Route or Trace

    Returns
    -------
    str
        Mermaid source.

    Raises
    ------
    UsageError
        The record has no diagram.
    """
    shown, renderer = _find(record)
    if renderer.mermaid is None:
        names = ", ".join(kind.__name__ for kind, known in RENDERERS.items() if known.mermaid is not None)
        raise UsageError(f"a {type(shown).__name__} has no mermaid diagram; there is one for: {names}")
    return renderer.mermaid(shown)


def mimebundle(
    record: object, include: Collection[str] | None = None, exclude: Collection[str] | None = None
) -> dict[str, str]:
    """Return what a front end shows: text and HTML.

    Parameters
    ----------
    record : object
        Of a kind in :data:`RENDERERS`, or a list of turns, decisions or events.
    include, exclude : collection of str, optional
        MIME types that are wanted, and those that are not; what is not wanted is not made.

    Returns
    -------
    dict of str to str
        By MIME type.

    Raises
    ------
    UsageError
        The record is of a kind that has no view.
    """
    return {
        mime: make(record)
        for mime, make in (("text/plain", to_text), ("text/html", to_html))
        if (not include or mime in include) and (not exclude or mime not in exclude)
    }


def _find(record: object) -> tuple[object, Renderer]:
    for kind in type(record).__mro__:
        if kind in RENDERERS:
            return record, RENDERERS[kind]
    if isinstance(record, Sequence) and not isinstance(record, str) and record:
        for kind, listed in _LISTS.items():
            if all(isinstance(item, kind) for item in record):
                return _find(listed(tuple(record)))
    if isinstance(record, BaseEvent):
        return _find([record])
    names = sorted(kind.__name__ for kind in RENDERERS)
    raise UsageError(f"there is no view of a {type(record).__name__}; there is one of: {', '.join(names)}")


def _render(function: Any, shown: object, options: dict[str, Any]) -> str:
    try:
        made: str = function(shown, **options)
    except TypeError as error:
        if not options or "unexpected keyword argument" not in str(error):
            raise
        raise UsageError(f"a view of a {type(shown).__name__} has no option {', '.join(map(repr, options))}") from error
    return made
