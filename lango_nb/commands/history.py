"""Reading what is kept: turns and what happened in them, by what they have in common, and as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import DRAWING, TIMING, Command, Option, Word, whole

if TYPE_CHECKING:
    from lango_nb.lab import Lab
    from lango_nb.records.turns import Trace
    from lango_nb.viz.view import View

TURN = Word("turn", "TURN", "turn", "number of the turn, -1 for the latest, or its id")
OF_SESSION = Option("--session", "only of this session", metavar="NAME", kind="session")
OF_AGENT = Option("--agent", "only where this agent worked", metavar="NAME", kind="agent")
OF_TOOL = Option("--tool", "only where this tool was called", metavar="NAME", kind="tool")
SINCE = Option("--since", "only since then: a date such as 2026-01-31, or 24h for the last 24 hours", metavar="WHEN")
NARROWING = (
    OF_SESSION,
    OF_AGENT,
    OF_TOOL,
    Option("--outcome", "only with this outcome; may be given several times", "NAME", kind="outcome", is_many=True),
    SINCE,
    Option("--until", "only before then", metavar="WHEN"),
    Option("--limit", "show at most this many of the latest", metavar="NUMBER", type=whole(1)),
)


@Command(
    "why",
    "explain the hand-overs of a turn; without one, of the last",
    "%lango why -1",
    TURN,
    is_stored=True,
    group="look back",
)
def why(lab: Lab, turn: str | None = None) -> View[Any]:
    """Explain the hand-overs of a turn."""
    return lab.why(turn)


@Command(
    "trace",
    "show everything that happened in a turn; without one, in the last",
    "%lango trace --timing",
    TURN,
    options=(
        TIMING._replace(group="how"),
        Option("--sequence", "draw a sequence diagram: who said what to whom", group="how"),
        Option("--path", "draw the path over the tree: who worked how often, and what was refused", group="how"),
        Option("--step", "show the state at this model call; 0 is before the first", "N", type=whole(0), group="how"),
    ),
    formats=DRAWING,
    where="notebook",
    group="look back",
)
def trace(  # noqa: PLR0913 - what one may look at
    lab: Lab,
    turn: str | None = None,
    *,
    timing: bool = False,
    sequence: bool = False,
    path: bool = False,
    step: int | None = None,
) -> View[Trace]:
    """Show a turn."""
    view = lab.trace(turn)
    if step is not None:
        return view.at(step)
    if timing:
        return view.timed()
    if sequence:
        return view.sequence()
    return view.path() if path else view


@Command(
    "events",
    "list the events of a turn; without one, of the last",
    word=TURN,
    is_stored=True,
    group="look back",
)
def events(lab: Lab, turn: str | None = None) -> View[Any]:
    """List the events of a turn."""
    return lab.events(turn)


@Command(
    "turns",
    "list the turns so far, or those of a session, an agent, a tool, an outcome, a time",
    "%lango turns --outcome timeout --since 24h",
    options=NARROWING,
    where="notebook",
    group="look back",
)
def turns(lab: Lab, **narrowing: Any) -> View[Any]:
    """List the turns, or some of them."""
    return lab.search(**narrowing) if narrowing else lab.turns


@Command(
    "search",
    "find turns by what was asked or answered",
    "%lango search --agent vault encrypt",
    has_text=True,
    options=NARROWING,
    is_stored=True,
    group="look back",
)
def search(lab: Lab, text: str, **narrowing: Any) -> View[Any]:
    """Find turns by what was asked or answered."""
    return lab.search(text.strip(), **narrowing)


@Command("sessions", "list the conversations that are kept", is_stored=True, group="keep and check")
def sessions(lab: Lab) -> View[Any]:
    """List the conversations."""
    return lab.sessions


@Command(
    "sql",
    "query the tables of the store with one SELECT",
    "%lango sql SELECT tool, count(*) AS calls FROM events WHERE kind = 'tool.started' GROUP BY tool",
    has_text=True,
    cell="text",
    is_stored=True,
    group="keep and check",
)
def sql(lab: Lab, text: str) -> View[Any]:
    """Ask the tables of the store."""
    return lab.sql(text.strip())


@Command("tables", "list the tables of the store with their columns, for sql", group="keep and check")
def tables(lab: Lab) -> View[Any]:
    """List the tables of the store."""
    return lab.tables


@Command(
    "export",
    "write a turn, or a session, to one file: a page (.html), JSON lines (.jsonl) or OpenTelemetry (.json)",
    "%lango export turn.html --turn -1",
    Word("file", "FILE", "file", is_required=True, may_be_path=True),
    options=(
        Option("--turn", "which turn; the last when absent", metavar="TURN", group="what", kind="turn"),
        Option("--session", "export a whole session", metavar="NAME", group="what", kind="session"),
        Option(
            "--format",
            "use this format, whatever the file's name says",
            "FORMAT",
            ("html", "jsonl", "otel"),
            parameter="form",
        ),
        Option("--overwrite", "replace a file of that name"),
    ),
    where="notebook",
    group="keep and check",
    acts=True,
)
def export(  # noqa: PLR0913 - what one may choose
    lab: Lab,
    file: str,
    *,
    turn: str | None = None,
    session: str | None = None,
    form: str | None = None,
    overwrite: bool = False,
) -> View[Any]:
    """Write turns to a file."""
    from lango_nb.lab.view_types import listing
    from lango_nb.viz.table import Table

    path = lab.export(file, turn, session=session, format=form, overwrite=overwrite)
    what = f"turn {'-1' if turn is None else turn}" if session is None else f"session {session}"
    return listing(path, Table("written", ("file", "holds"), ((path.name, what),)))


@Command(
    "open",
    "go on with a session, read a file of traces, or keep everything in a folder from now on",
    "%lango open ~/.lango/records",
    Word("what", "WHAT", "session", is_required=True, may_be_path=True),
    where="notebook",
    group="keep and check",
    acts=True,
)
def open_(lab: Lab, what: str) -> View[Any]:
    """Go on with a session, read a file, or keep everything in a folder."""
    return lab.open(what)
