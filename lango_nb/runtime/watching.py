"""What agents may do about runs that are there: wait for them and stop them, as far as they can see them.

The root of a session sees the runs of its session, a run sees those below it; for anybody else a run is not there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from pydantic import JsonValue

from lango_nb.core.clock import Clock
from lango_nb.core.errors import LangoError, ToolError, TurnError, UnknownNameError
from lango_nb.records.runs import AgentRun, RunPatch, Runs
from lango_nb.runtime.timeouts import Pause
from lango_nb.tools.context import ToolContext


class Watching:
    """The service behind agent_spawn, agent_wait and agent_stop, over the runs of an engine.

    Parameters
    ----------
    runs : Runs
    clock : Clock
    """

    def __init__(self, runs: Runs, clock: Clock) -> None:
        self.runs = runs
        self._clock = clock

    def reap(self) -> None:
        """Close what nobody will ever go on with."""

    async def spawn(self, context: ToolContext, **_: object) -> Mapping[str, JsonValue]:
        """Refuse: where teammates exist, the turn itself makes their runs.

        Raises
        ------
        ToolError
            Always.
        """
        raise ToolError(
            f"{context.agent or 'this agent'} cannot spawn here: the topology does not work with teammates",
            "unavailable",
        )

    async def wait(
        self, agent_id: str, timeout_s: float, *, context: ToolContext | None = None
    ) -> dict[str, JsonValue]:
        """Watch a run until it ends or the time is over; a time-out leaves it alone.

        The time stands still while a person is being asked something in the run's turn.

        Parameters
        ----------
        agent_id : str
        timeout_s : float
        context : ToolContext, optional
            Who asks; without one, somebody who may see all runs.

        Raises
        ------
        ToolError
            There is no such run.
        """
        self.reap()
        try:
            self._check_seen(agent_id, context)
            with self._waiting(context.run_id if context is not None else "", agent_id):
                run = await self._ended(agent_id, timeout_s)
        except LangoError as error:
            raise ToolError(f"agent wait: {error}", error.code) from error
        view = run.view()
        if not run.is_terminal:
            view["timeout"] = True
        return view

    def prompts(self, run_id: str) -> Pause | None:  # noqa: ARG002 - here no run is at work
        """Return what a person is being asked in the turn of a run; ``None`` where nobody could be."""
        return None

    async def _ended(self, run_id: str, timeout_s: float) -> AgentRun:
        """Wait for the end of a run; the time in which a person is being asked does not count."""
        prompts = self.prompts(run_id)
        if prompts is None:
            return await self.runs.wait(run_id, timeout_s)
        now_s = asyncio.get_running_loop().time
        ends_s = now_s() + timeout_s - prompts.stood_s()
        while True:
            run = await self.runs.wait(run_id, ends_s + prompts.stood_s() - now_s())
            if run.is_terminal or (not prompts.is_on and now_s() >= ends_s + prompts.stood_s()):
                return run
            await prompts.over()

    async def stop(self, agent_id: str, *, context: ToolContext | None = None) -> dict[str, JsonValue]:
        """Cancel a run.

        Parameters
        ----------
        agent_id : str
        context : ToolContext, optional
            Who asks; without one, somebody who may see all runs.

        Raises
        ------
        ToolError
            There is no such run, or it has ended.
        """
        self.reap()
        try:
            self._check_seen(agent_id, context)
            self.runs.cancel(agent_id, self._clock.now(), "stopped by agent_stop")
        except LangoError as error:
            raise ToolError(f"agent stop: {error}", error.code) from error
        return {"agent_id": agent_id, "status": "cancelled"}

    def is_seen(self, run: AgentRun, session_id: str, run_id: str) -> bool:
        """Tell whether an agent may watch and stop a run: the root those of its session, a run those below it.

        Neither brothers nor itself: parallel children never see each other, and nobody waits for himself.
        """
        if run.parent_id != session_id:
            return False
        above = run.parent_run_id
        while above and above != run_id:
            above = self.runs.get(above).parent_run_id
        return above == run_id or not run_id

    def _check_seen(self, agent_id: str, context: ToolContext | None) -> None:
        """Treat a run that is none of the asker's business like one that is not there."""
        if context is None:
            return
        with suppress(UnknownNameError):
            if self.is_seen(self.runs.get(agent_id), context.session_id, context.run_id):
                return
        seen = [run.id for run in self.runs.own() if self.is_seen(run, context.session_id, context.run_id)]
        raise UnknownNameError("run", agent_id, seen)

    @contextmanager
    def _waiting(self, run_id: str, for_run: str) -> Iterator[None]:
        """Show that a run waits for another one, while it does."""
        if not run_id:
            yield
            return
        self.runs.project(run_id, RunPatch(runtime_condition="waiting_on_teammate", waiting_on_run_id=for_run))
        try:
            yield
        finally:
            with suppress(TurnError):  # it was stopped meanwhile
                self.runs.project(run_id, RunPatch(runtime_condition="", waiting_on_run_id=""))
