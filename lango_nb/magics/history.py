"""The commands of ``%lango`` that read what is kept, and keep it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import UsageError, shorten
from lango_nb.magics.line import Line

if TYPE_CHECKING:
    from lango_nb.lab import Lab
    from lango_nb.viz.view import View

Names = Mapping[str, Any]


class HistoryCommands:
    """What a lab tells of the past, as commands."""

    @property
    def lab(self) -> Lab:
        """The lab behind the commands."""
        raise NotImplementedError

    def do_turns(self, line: Line, _names: Names) -> View[Any]:
        """List the turns, or some of them."""
        narrowing = _narrowing(line)
        return self.lab.search(**narrowing) if narrowing else self.lab.turns

    def do_search(self, line: Line, _names: Names) -> View[Any]:
        """Find turns by what was asked or answered."""
        return self.lab.search(line.text.strip(), **_narrowing(line))

    def do_sql(self, line: Line, _names: Names) -> View[Any]:
        """Ask the tables of the store."""
        return self.lab.sql(line.text.strip())

    def do_tables(self, _line: Line, _names: Names) -> View[Any]:
        """List the tables of the store."""
        return self.lab.tables

    def do_sessions(self, _line: Line, _names: Names) -> View[Any]:
        """List the conversations."""
        return self.lab.sessions

    def do_runs(self, line: Line, _names: Names) -> View[Any]:
        """List the teammate runs."""
        from lango_nb.viz.view import runs_view

        if "--ledger" in line.options:
            return self.lab.ledger
        view = self.lab.runs
        session, agent = line.options.get("--session"), line.options.get("--agent")
        if session is None and agent is None:
            return view
        found = (run for run in view.record if session is None or run.parent_id == session)
        return runs_view(tuple(run for run in found if agent is None or run.requested_agent == agent))

    def do_memory(self, line: Line, _names: Names) -> View[Any]:
        """List what agents remember."""
        return self.lab.memories(line.word)

    def do_doctor(self, line: Line, _names: Names) -> View[Any]:
        """Look for what is wrong."""
        given = line.options.get("--hours")
        hours = 24.0 if given is None else _number(given, "--hours")
        return self.lab.doctor(hours, rescue=line.options.get("--rescue"))

    def do_metrics(self, line: Line, _names: Names) -> View[Any]:
        """Measure agents."""
        return self.lab.metrics(line.word)

    def do_graph(self, line: Line, _names: Names) -> View[Any]:
        """Show who handed work to whom."""
        return self.lab.graph(line.word)

    def do_export(self, line: Line, _names: Names) -> View[Any]:
        """Write turns to a file."""
        from lango_nb.viz.table import Table
        from lango_nb.viz.view import View

        options = line.options
        path = self.lab.export(
            line.word or "",
            options.get("--turn"),
            session=options.get("--session"),
            format=options.get("--format"),
            overwrite="--overwrite" in options,
        )
        what = f"session {options['--session']}" if "--session" in options else f"turn {options.get('--turn', '-1')}"
        return View(path, None, Table("written", ("file", "holds"), ((path.name, what),)))

    def do_open(self, line: Line, _names: Names) -> View[Any]:
        """Go on with a session, read a file, or keep everything in a folder."""
        return self.lab.open(line.word or "")


def _narrowing(line: Line) -> dict[str, Any]:
    """Return which turns are wanted, as :meth:`~lango_nb.lab.looking_back.LookingBack.search` takes it."""
    found: dict[str, Any] = {}
    for name in ("session", "agent", "tool", "outcome", "since", "until"):
        if (value := line.options.get(f"--{name}")) is not None:
            found[name] = value
    if (limit := line.options.get("--limit")) is not None:
        found["limit"] = int(_number(limit, "--limit"))
    return found


def _number(text: str, option: str) -> float:
    """Read the number of an option.

    Raises
    ------
    UsageError
        It is none, or not above 0.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise UsageError(f"{option} takes a number above 0, not {shorten(text)!r}")
    return number
