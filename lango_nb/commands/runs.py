"""What teammates do, and what they noted and remember."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import Command, Option, Word
from lango_nb.commands.history import OF_AGENT, OF_SESSION

if TYPE_CHECKING:
    from lango_nb.lab import Lab
    from lango_nb.viz.view import View


@Command(
    "runs",
    "list the teammate runs: who works on what, and what came of it",
    "%lango runs --agent operator",
    options=(
        OF_SESSION,
        OF_AGENT,
        Option("--ledger", "show what they waited for and when they went on, if the settings runLedger.* keep that"),
    ),
    is_stored=True,
    group="look back",
)
def runs(lab: Lab, *, session: str | None = None, agent: str | None = None, ledger: bool = False) -> View[Any]:
    """List the teammate runs."""
    from lango_nb.lab.view_types import runs_view

    if ledger:
        return lab.ledger
    view = lab.runs
    if session is None and agent is None:
        return view
    found = (run for run in view.record if session is None or run.parent_id == session)
    return runs_view(tuple(run for run in found if agent is None or run.requested_agent == agent))


@Command(
    "run",
    "show a teammate run and everything that happened in it; wait for it, or stop it",
    "%lango run arun-1",
    Word("run_id", "ID", "run", "lango runs lists them", is_required=True),
    options=(
        Option("--wait", "first wait until it has ended", where="notebook", group="how"),
        Option("--stop", "first stop it, if it is still at work", where="notebook", group="how"),
    ),
    is_stored=True,
    group="look back",
)
def run(lab: Lab, run_id: str, *, wait: bool = False, stop: bool = False) -> View[Any]:
    """Show a teammate run; one at work can be waited for, and stopped."""
    if wait or stop:
        from lango_nb.runtime.loop import call_in_loop, run_in_loop

        engine = lab.engine
        if stop:
            call_in_loop(lambda: engine.runs.cancel(run_id, engine.clock.now(), "stopped with %lango run --stop"))
        run_in_loop(lambda _emit: engine.runs.wait(run_id, inf))
    return lab.run(run_id)


@Command("tasks", "list the tasks that the root and agents noted", is_stored=True, group="look back")
def tasks(lab: Lab) -> View[Any]:
    """List the tasks."""
    return lab.tasks


@Command(
    "memory",
    "list what agents remember; with a name, what that agent remembers",
    "%lango memory librarian",
    Word("agent", "AGENT", "agent", "whose memories; everybody's when absent"),
    is_stored=True,
    group="look back",
)
def memory(lab: Lab, agent: str | None = None) -> View[Any]:
    """List what agents remember."""
    return lab.memories(agent)
