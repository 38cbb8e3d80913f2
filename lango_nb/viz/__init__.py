"""Records as text, HTML and diagrams: one file per noun, one :class:`Renderer` per kind of record in :data:`RENDERERS`.

    to_text      complete, lines up in a terminal, the same for the same record
    to_html      inline styles only: survives an untrusted notebook, a saved file, a dark page
    to_mermaid   a diagram as text, for those records that have one
    mimebundle   what a notebook front end asks for

Default views hold no clock, duration, id or path, so that saved notebooks repeat to the letter; only what is called by
its id, a run or an open question, shows it, and the ids of a lab repeat as well.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import UsageError
from lango_nb.core.visible import visible

if TYPE_CHECKING:
    from lango_nb.viz.decisions import Decisions
    from lango_nb.viz.events import Events
    from lango_nb.viz.renderer import Renderer
    from lango_nb.viz.runs import AgentRuns, RunHistory
    from lango_nb.viz.table import Table
    from lango_nb.viz.turns import Card, Turns

    RENDERERS: dict[type, Renderer]
    """Renderer by kind of record."""

__all__ = [
    "HOMES",
    "RENDERERS",
    "AgentRuns",
    "Card",
    "Decisions",
    "Events",
    "Renderer",
    "RunHistory",
    "Table",
    "Turns",
    "mimebundle",
    "to_html",
    "to_line",
    "to_mermaid",
    "to_text",
]

HOMES: dict[tuple[str, str], str] = {
    ("lango_nb.routing.tree", "AgentTree"): "lango_nb.viz.agents.RENDERER",
    ("lango_nb.routing.tree", "AgentNode"): "lango_nb.viz.prompts.RENDERER",
    ("lango_nb.routing.partition", "Partition"): "lango_nb.viz.partition.RENDERER",
    ("lango_nb.routing.route", "Route"): "lango_nb.viz.routing.RENDERER",
    ("lango_nb.routing.diff", "TreeDiff"): "lango_nb.viz.diff.RENDERER",
    ("lango_nb.records.decisions", "Decision"): "lango_nb.viz.decisions.RENDERER",
    ("lango_nb.viz.decisions", "Decisions"): "lango_nb.viz.decisions.LIST_RENDERER",
    ("lango_nb.records.turns", "Turn"): "lango_nb.viz.turns.RENDERER",
    ("lango_nb.viz.turns", "Turns"): "lango_nb.viz.turns.LIST_RENDERER",
    ("lango_nb.viz.turns", "Card"): "lango_nb.viz.turns.CARD_RENDERER",
    ("lango_nb.records.agent_run", "AgentRun"): "lango_nb.viz.runs.RENDERER",
    ("lango_nb.viz.runs", "RunHistory"): "lango_nb.viz.runs.HISTORY_RENDERER",
    ("lango_nb.viz.runs", "AgentRuns"): "lango_nb.viz.runs.LIST_RENDERER",
    ("lango_nb.records.turns", "Trace"): "lango_nb.viz.trace.RENDERER",
    ("lango_nb.viz.events", "Events"): "lango_nb.viz.events.RENDERER",
    ("lango_nb.doctor.finding", "Report"): "lango_nb.viz.doctor.RENDERER",
    ("lango_nb.records.graph", "DelegationGraph"): "lango_nb.viz.graph.RENDERER",
    ("lango_nb.evaluation.results", "Evaluation"): "lango_nb.viz.evaluation.RENDERER",
    ("lango_nb.viz.evaluation", "Mistakes"): "lango_nb.viz.evaluation.MISTAKES_RENDERER",
    ("lango_nb.viz.approvals", "Questions"): "lango_nb.viz.approvals.RENDERER",
    ("lango_nb.viz.shelf", "ShelfItems"): "lango_nb.viz.shelf.RENDERER",
    ("lango_nb.viz.table", "Table"): "lango_nb.viz.table.RENDERER",
}
"""Where the renderer of a kind of record is, by module and name of the kind; it loads with the first such record."""
_LISTS = {
    ("lango_nb.records.turns", "Turn"): ("lango_nb.viz.turns", "Turns"),
    ("lango_nb.records.decisions", "Decision"): ("lango_nb.viz.decisions", "Decisions"),
    ("lango_nb.core.events", "BaseEvent"): ("lango_nb.viz.events", "Events"),
    ("lango_nb.records.agent_run", "AgentRun"): ("lango_nb.viz.runs", "AgentRuns"),
    ("lango_nb.records.tasks", "Task"): ("lango_nb.viz.tasks", "tasks_table"),
    ("lango_nb.records.memories", "Memory"): ("lango_nb.viz.memories", "memories_table"),
    ("lango_nb.records.shelf_items", "ShelfItem"): ("lango_nb.viz.shelf", "ShelfItems"),
}
"""What a list of records is shown as."""
_LAZY = {
    "AgentRuns": "lango_nb.viz.runs",
    "Card": "lango_nb.viz.turns",
    "Decisions": "lango_nb.viz.decisions",
    "Events": "lango_nb.viz.events",
    "Renderer": "lango_nb.viz.renderer",
    "RunHistory": "lango_nb.viz.runs",
    "Table": "lango_nb.viz.table",
    "Turns": "lango_nb.viz.turns",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name == "RENDERERS":
        value: Any = {_load(*kind): _renderer(home) for kind, home in HOMES.items()}
    elif name in _LAZY:
        value = _load(_LAZY[name], name)
    else:
        raise AttributeError(f"module 'lango_nb.viz' has no attribute {name!r}")
    globals()[name] = value
    return value


def to_text(record: object, **options: Any) -> str:
    """Show a record as plain text.

    Parameters
    ----------
    record : object
        Of a kind in :data:`RENDERERS`, or a list of turns, runs, decisions, events, tasks, memories or items.
    **options
        ``timing=True`` for a trace: tell milliseconds.

    Returns
    -------
    str
        Lines without trailing spaces, safe for a terminal; the same record always gives the same text.

    Raises
    ------
    UsageError
        The record is of another kind, or has no such option.
    """
    shown, renderer = _find(record)
    made = visible(_render(renderer.text, shown, options))
    return "\n".join(line.rstrip() for line in made.rstrip().split("\n"))


def to_html(record: object, **options: Any) -> str:
    """Show a record as HTML with inline styles only.

    Parameters
    ----------
    record : object
        Of a kind in :data:`RENDERERS`, or a list of turns, runs, decisions, events, tasks, memories or items.
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
    return visible(renderer.line(shown))


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
        names = ", ".join(name for (_, name), home in HOMES.items() if _renderer(home).mermaid is not None)
        raise UsageError(f"a {type(shown).__name__} has no mermaid diagram; there is one for: {names}")
    return renderer.mermaid(shown)


def mimebundle(
    record: object, include: Collection[str] | None = None, exclude: Collection[str] | None = None
) -> dict[str, str]:
    """Return what a front end shows: text and HTML.

    Parameters
    ----------
    record : object
        Of a kind in :data:`RENDERERS`, or a list of turns, runs, decisions, events, tasks, memories or items.
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
    for kind in _kinds(record):
        if kind in HOMES:
            return record, _renderer(HOMES[kind])
        if kind == ("lango_nb.core.events", "BaseEvent"):
            return _find([record])
    if isinstance(record, Sequence) and not isinstance(record, str) and record:
        for kind, listed in _LISTS.items():
            if all(kind in _kinds(item) for item in record):
                return _find(_load(*listed)(tuple(record)))
    names = sorted(name for _, name in HOMES)
    raise UsageError(f"there is no view of a {type(record).__name__}; there is one of: {', '.join(names)}")


def _kinds(record: object) -> list[tuple[str, str]]:
    return [(kind.__module__, kind.__qualname__) for kind in type(record).__mro__]


def _load(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _renderer(home: str) -> Renderer:
    renderer: Renderer = _load(*home.rsplit(".", 1))
    return renderer


def _render(function: Any, shown: object, options: dict[str, Any]) -> str:
    try:
        made: str = function(shown, **options)
    except TypeError as error:
        if not options or "unexpected keyword argument" not in str(error):
            raise
        raise UsageError(f"a view of a {type(shown).__name__} has no option {', '.join(map(repr, options))}") from error
    return made
