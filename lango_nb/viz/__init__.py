"""Records as text, HTML and diagrams: one file per noun, one :class:`Renderer` per kind of record in :data:`RENDERERS`.

A noun is written once, as a document (:mod:`lango_nb.viz.document`); two back ends write documents.

    to_text      complete, lines up in a terminal, the same for the same record
    to_html      inline styles only: survives an untrusted notebook, a saved file, a dark page
    to_mermaid   a diagram as text, for those records that have one
    mimebundle   what a notebook front end asks for

Default views hold no clock, duration, id or path, so that saved notebooks repeat to the letter; only what is called by
its id, a run or an open question, shows it, and the ids of a lab repeat as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from lango_nb.core.errors import UsageError
from lango_nb.core.visible import visible

if TYPE_CHECKING:
    from lango_nb.viz.document import Document

    RENDERERS: dict[type, Renderer]
    """Renderer by kind of record."""

__all__ = ["HOMES", "RENDERERS", "Renderer", "mimebundle", "to_html", "to_line", "to_mermaid", "to_text"]


class Renderer(NamedTuple):
    """How one kind of record is shown."""

    line: Callable[[Any], str]
    """One line: what it is and how large."""
    document: Callable[..., Document]
    """Everything, for both back ends; the same record always gives the same document."""
    mermaid: Callable[[Any], str] | None = None
    """A diagram as mermaid source, where it makes sense."""


HOMES: dict[tuple[str, str], str] = {
    ("lango_nb.routing.tree", "AgentTree"): "lango_nb.viz.agents.TREE",
    ("lango_nb.routing.tree", "AgentNode"): "lango_nb.viz.agents.PROMPT",
    ("lango_nb.routing.partition", "Partition"): "lango_nb.viz.partition.RENDERER",
    ("lango_nb.routing.route", "Route"): "lango_nb.viz.routing.ROUTE",
    ("lango_nb.routing.diff", "TreeDiff"): "lango_nb.viz.diff.RENDERER",
    ("lango_nb.records.decisions", "Decision"): "lango_nb.viz.routing.DECISION",
    ("lango_nb.records.turns", "Turn"): "lango_nb.viz.turns.RENDERER",
    ("lango_nb.records.agent_run", "AgentRun"): "lango_nb.viz.runs.RENDERER",
    ("lango_nb.records.turns", "Trace"): "lango_nb.viz.trace.RENDERER",
    ("lango_nb.doctor.finding", "Report"): "lango_nb.viz.doctor.RENDERER",
    ("lango_nb.records.graph", "DelegationGraph"): "lango_nb.viz.graph.RENDERER",
    ("lango_nb.evaluation.results", "Evaluation"): "lango_nb.viz.evaluation.RENDERER",
    ("lango_nb.evaluation.task_results", "TaskEvaluation"): "lango_nb.viz.evaluation.TASKS",
    ("lango_nb.specs.genome.genome", "Genome"): "lango_nb.viz.genome.GENOME",
    ("lango_nb.specs.genome.history", "Diff"): "lango_nb.viz.genome.DIFF",
    ("lango_nb.evaluation.learner", "Learning"): "lango_nb.viz.learning.LEARNING",
    ("lango_nb.viz.table", "Table"): "lango_nb.viz.table.RENDERER",
    ("lango_nb.viz.plot", "Plot"): "lango_nb.viz.plot.RENDERER",
}
"""Where the renderer of a kind of record is, by module and name of the kind; it loads with the first such record."""
_LISTS = {
    ("lango_nb.records.turns", "Turn"): "lango_nb.viz.turns.turns_document",
    ("lango_nb.records.decisions", "Decision"): "lango_nb.viz.routing.decisions_document",
    ("lango_nb.core.events", "BaseEvent"): "lango_nb.viz.events.events_document",
    ("lango_nb.records.agent_run", "AgentRun"): "lango_nb.viz.runs.runs_document",
    ("lango_nb.records.tasks", "Task"): "lango_nb.viz.listings.tasks_table",
    ("lango_nb.records.memories", "Memory"): "lango_nb.viz.listings.memories_table",
    ("lango_nb.records.shelf_items", "ShelfItem"): "lango_nb.viz.shelf.shelf_document",
}
"""What makes a document, or a table, of a list of records."""
_BLOCKS = "lango_nb.viz.document"


def __getattr__(name: str) -> Any:
    """Load the renderers on first use."""
    if name != "RENDERERS":
        raise AttributeError(f"module 'lango_nb.viz' has no attribute {name!r}")
    found = globals()[name] = {_load(f"{module}.{kind}"): _load(home) for (module, kind), home in HOMES.items()}
    return found


def to_text(record: object, **options: Any) -> str:
    """Show a record as plain text.

    Parameters
    ----------
    record : object
        Of a kind in :data:`RENDERERS`, a list of turns, runs, decisions, events, tasks, memories or items, or a
        document.
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
    made = visible(_load("lango_nb.viz.as_text.as_text")(_document(record, options)))
    return "\n".join(line.rstrip() for line in made.rstrip().split("\n"))


def to_html(record: object, **options: Any) -> str:
    """Show a record as HTML with inline styles only.

    Parameters
    ----------
    record : object
        Of a kind in :data:`RENDERERS`, a list of turns, runs, decisions, events, tasks, memories or items, or a
        document.
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
    made: str = _load("lango_nb.viz.as_html.as_html")(_document(record, options))
    return made


def to_line(record: object) -> str:
    """Describe a record in one line; a list or a document in its first one.

    Raises
    ------
    UsageError
        The record is of a kind that has no view.
    """
    renderer = _renderer(record)
    return to_text(record).partition("\n")[0] if renderer is None else visible(renderer.line(record))


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
    renderer = _renderer(record)
    if renderer is None or renderer.mermaid is None:
        names = ", ".join(name for (_, name), home in HOMES.items() if _load(home).mermaid is not None)
        raise UsageError(f"{_a_kind(record)} has no mermaid diagram; there is one for: {names}")
    return renderer.mermaid(record)


def mimebundle(
    record: object, include: Collection[str] | None = None, exclude: Collection[str] | None = None
) -> dict[str, str]:
    """Return what a front end shows: text and HTML.

    Parameters
    ----------
    record : object
        Of a kind in :data:`RENDERERS`, a list of turns, runs, decisions, events, tasks, memories or items, or a
        document.
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


def _renderer(record: object) -> Renderer | None:
    """Find what shows a kind of record."""
    home = next((HOMES[kind] for kind in _kinds(record) if kind in HOMES), None)
    renderer: Renderer | None = None if home is None else _load(home)
    return renderer


def _document(record: object, options: dict[str, Any]) -> Document:
    """Make a document of what is to be shown."""
    renderer = _renderer(record)
    if renderer is None and not options:
        return _listed(record)
    try:
        if renderer is not None:
            return renderer.document(record, **options)
    except TypeError as error:
        if not options or "unexpected keyword argument" not in str(error):
            raise
    raise UsageError(f"a view of {_a_kind(record)} has no option {', '.join(map(repr, options))}")


def _listed(record: object) -> Document:
    """Make a document of several records, or of one that is always shown as one of several."""
    items = record if isinstance(record, Sequence) and not isinstance(record, str) else (record,)
    for kind, home in _LISTS.items():
        if items and all(kind in _kinds(item) for item in items):
            made = _load(home)(tuple(items))  # a document, or a table
            return made if isinstance(made, tuple) else _document(made, {})
    if isinstance(record, tuple) and record and all(type(item).__module__ == _BLOCKS for item in record):
        return record
    names = sorted(name for _, name in HOMES)
    raise UsageError(f"there is no view of {_a_kind(record)}; there is one of: {', '.join(names)}")


def _a_kind(record: object) -> str:
    """Name the kind of a record with its article."""
    name = type(record).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _kinds(record: object) -> list[tuple[str, str]]:
    return [(kind.__module__, kind.__qualname__) for kind in type(record).__mro__]


def _load(home: str) -> Any:
    """Load something by module and name: what is never shown costs nothing."""
    module, _, name = home.rpartition(".")
    return getattr(import_module(module), name)
