"""Teammates at work: runs that are watched, waited for and stopped, on their own and beside each other.

    submit     the run works, in a task of its own (:mod:`lango_nb.runtime.handoff` made it)
    wait       the run's result, or what it waits for; a time-out leaves it alone
    stop       the run is cancelled

A run outlives the turn that made it, unless that turn is cancelled or fails; what it does then is kept in the run's own
events. One that waits for a held answer outlives its process as well (:mod:`lango_nb.runtime.resumption`). What a run
came to reaches the conversation once: as one summary by the root, or as one note.

The root of a session may watch and stop the runs of its session, a run those below it; for any other agent a run is not
there.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from lango_nb.core.clock import Clock
from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import LangoError, ToolError, TurnError, UnknownNameError, shorten
from lango_nb.core.events import ChildDiscarded, ChildMerged, Event, RunFinished
from lango_nb.core.json_value import JsonValue
from lango_nb.core.masking import mask
from lango_nb.core.messages import SESSION, Message
from lango_nb.records.child_sessions import ChildSession, ChildSessions, summarize
from lango_nb.records.runs import AgentRun, RunEnd, RunPatch, Runs
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.approval_types import HoldForAnswer
from lango_nb.runtime.failures import failure
from lango_nb.runtime.foreign_errors import text_of
from lango_nb.runtime.live_turns import LAST_WORDS_S
from lango_nb.runtime.loop import runs_here
from lango_nb.runtime.loop_state import LoopResult, LoopState
from lango_nb.runtime.semaphore import FairSemaphore
from lango_nb.runtime.timeouts import Deadline, Pause, Timeouts
from lango_nb.runtime.turn_state import TurnState
from lango_nb.tools.context import ToolContext

_LOOK_AGAIN_S = 0.05
"""How often whoever waits for delegates looks whether they stand at a question that is left open."""

logger = logging.getLogger("lango_nb")

RunLoop = Callable[[LoopState, "Teammates"], Awaitable[LoopResult]]


@dataclass(slots=True)
class LiveRun:
    """A run that has not ended."""

    run_id: str
    state: LoopState
    parent: LoopState
    """The loop that made it."""
    began_s: float = 0.0
    is_announced: bool = False
    """Whether its start was published; it is not ended before."""
    task: asyncio.Task[None] | None = None
    loop: asyncio.AbstractEventLoop | None = None
    why_stopped: str = ""
    """Why it was told to end, if it was; that is no failure of the loop that made it."""
    has_place: bool = False
    """Whether it counts among the runs that work at the same time."""


class Teammates:
    """The in-process teammate runtime of an engine, and the service behind agent_spawn, agent_wait and agent_stop.

    Parameters
    ----------
    runs : Runs
    clock : Clock
    run_loop : callable
        Works on the request of a run until it is answered, or cannot go on.
    most_at_once : int
        Runs that work at the same time; further ones wait. Runs made by runs do not count: they would wait for their
        own makers.
    timeout_s : float
        How long a run may take when nothing else is said.
    """

    def __init__(
        self, runs: Runs, clock: Clock, run_loop: RunLoop, most_at_once: int = 10, timeout_s: float = 300.0
    ) -> None:
        self.runs = runs
        self.children = ChildSessions()
        self.timeout_s = timeout_s
        self._clock = clock
        self._run_loop = run_loop
        self._places = FairSemaphore(most_at_once)
        self._live: dict[str, LiveRun] = {}
        self._loops: set[asyncio.AbstractEventLoop] = set()

    # -- what agents ask for -------------------------------------------------------------------------------------------

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
            Who asks; without one, all runs may be seen.

        Raises
        ------
        ToolError
            There is no such run.
        """
        self.reap()
        try:
            self._check_access(agent_id, context)
            with self._waiting(context.run_id if context is not None else "", agent_id):
                run = await self._wait_until_ended(agent_id, timeout_s)
        except LangoError as error:
            raise ToolError(f"agent wait: {error}", error.code) from error
        view = run.view()
        if not run.is_terminal:
            view["timeout"] = True
        return view

    async def _wait_until_ended(self, run_id: str, timeout_s: float) -> AgentRun:
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
            Who asks; without one, all runs may be seen.

        Raises
        ------
        ToolError
            There is no such run, or it has ended.
        """
        self.reap()
        try:
            self._check_access(agent_id, context)
            self.runs.cancel(agent_id, self._clock.now(), "stopped by agent_stop")
        except LangoError as error:
            raise ToolError(f"agent stop: {error}", error.code) from error
        return {"agent_id": agent_id, "status": "cancelled"}

    def _check_access(self, agent_id: str, context: ToolContext | None) -> None:
        """Treat a run that the asker may not see like one that is not there."""
        if context is None:
            return
        with suppress(UnknownNameError):
            if may_access(self.runs, self.runs.get(agent_id), context.session_id, context.run_id):
                return
        visible = [run.id for run in self.runs.own() if may_access(self.runs, run, context.session_id, context.run_id)]
        raise UnknownNameError("run", agent_id, visible)

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

    # -- runs that begin -----------------------------------------------------------------------------------------------

    def create(self, run: AgentRun) -> None:
        """Keep the record of a new run; cancelling it there stops it here."""
        self.runs.create(run, lambda: self._cancelled(run.id))

    def register(self, state: LoopState, parent: LoopState) -> LiveRun:
        """Take up a run with the loop that works in it and the one that made it."""
        live = self._live[state.run_id] = LiveRun(state.run_id, state, parent)
        return live

    def announced(self, live: LiveRun) -> None:
        """Let a run be stopped from now on: its start is published."""
        live.began_s = live.state.context.clock.monotonic_s()
        live.is_announced = True
        if self.runs.get(live.run_id).is_terminal:  # a listener has cancelled it already
            self._cancelled(live.run_id)

    async def wait_for_all(self, delegated: Sequence[LiveRun]) -> None:
        """Wait until all have ended, or wait for an answer that nobody is asked for now.

        A caller that is cancelled meanwhile waits for none, and none goes on.
        """
        working = {live.task: live for live in delegated if live.task is not None}
        try:
            while working:
                ended, _ = await asyncio.wait(working, timeout=_LOOK_AGAIN_S)
                for task in ended:
                    del working[task]
                if not ended and all(self._is_left(live) for live in working.values()):
                    return
        except asyncio.CancelledError:
            for live in delegated:
                self._stop(live, "whoever asked for it was stopped")
            raise

    def _is_left(self, live: LiveRun) -> bool:
        """Tell whether a run stands at a question that is left open: it goes on with the answer, whenever it comes."""
        return isinstance(live.state.context.approver, HoldForAnswer) and self.runs.get(live.run_id).is_blocked

    def fork(
        self, turn: TurnState, agent: AgentNode, history: Sequence[Message], inherit: int | None = None, key: str = ""
    ) -> ChildSession:
        """Give an agent a session of its own."""
        context = turn.context
        name = key or context.ids.new("child")
        return self.children.fork(
            turn.session.id,
            agent.name,
            history,
            inherit=context.inherit_history if inherit is None else inherit,
            max_messages=context.child_messages,
            key=f"{turn.session.id}:child:{agent.name}:{name}",
        )

    def resume(self, run: AgentRun, state: LoopState, events: Sequence[Event]) -> None:
        """Let a run go on that an earlier process made; nothing waits for it.

        Parameters
        ----------
        run : AgentRun
        state : LoopState
        events : sequence of Event
            What happened in it so far.
        """
        self.runs.adopt(run, events, lambda: self._cancelled(run.id))
        parent = LoopState(state.turn, state.context.tree.root, state.request)
        live = LiveRun(run.id, state, parent, state.context.clock.monotonic_s(), is_announced=True)
        self._live[run.id] = live
        self.submit(live)

    def turn_of(self, turn_id: str) -> TurnState | None:
        """Return what the runs of a turn share that are at work; ``None`` when none is."""
        turns = (live.state.turn for live in tuple(self._live.values()))
        return next((turn for turn in turns if turn.turn_id == turn_id), None)

    def submit(self, live: LiveRun) -> None:
        """Let a run work, in a task of its own."""
        if live.run_id not in self._live:
            return  # it was stopped before it began
        live.loop = asyncio.get_running_loop()
        self._loops = {live.loop, *(loop for loop in self._loops if not loop.is_closed())}
        live.task = live.loop.create_task(self._guarded(live), name=live.run_id)
        live.task.add_done_callback(partial(self._torn_down, live))

    def _torn_down(self, live: LiveRun, task: asyncio.Task[None]) -> None:
        """Close a run whose task ended before it could: neither an error nor a cancellation got that far."""
        error = None if task.cancelled() else task.exception()
        if live.run_id in self._live:
            detail = f"its task was ended by {type(error).__name__}" if error is not None else "its task never began"
            self._end(live, "failed", "", detail, "internal")

    async def _guarded(self, live: LiveRun) -> None:
        """Run, and never let an error out: there may be nothing to take it."""
        try:
            await self._execute(live)
        except asyncio.CancelledError:
            return
        except Exception:
            logger.exception("run %s failed on its way out", live.run_id)

    async def _execute(self, live: LiveRun) -> None:
        """Work a run to its end, whatever that is."""
        run = self.runs.get(live.run_id)
        try:
            if run.spawn_depth > 1:
                result = await self._work(live, run)
            else:
                await self._places.acquire()
                live.has_place = True
                try:
                    result = await self._work(live, run)
                finally:
                    self._leave(live)
        except asyncio.CancelledError:
            self._end(live, "cancelled", "", live.why_stopped or "the run was cancelled", "cancelled")
            raise
        except TimeoutError:
            detail = f"the run did not end within {run.timeout_s:g} s"
            state, agent = live.state, run.requested_agent
            state.breaker_changed(agent, state.context.breakers.record_failure(agent, detail))
            self._end(live, "failed", "", detail, "run_timeout")
        except Exception as error:  # noqa: BLE001 - a run leaves a record, whatever happened
            self._end(live, "failed", "", f"{type(error).__name__}: {shorten(text_of(error), 300)}", "internal")
        else:
            if result.is_answered:
                self._end(live, "completed", result.text, "", result.code)
            else:
                self._end(live, "failed", "", result.text, result.code)

    def _leave(self, live: LiveRun) -> None:
        """Give a run's place to the next one; the second call does nothing."""
        has_place, live.has_place = live.has_place, False
        if has_place:
            self._places.release()

    async def _work(self, live: LiveRun, run: AgentRun) -> LoopResult:
        self.runs.start(run.id)
        deadline = Deadline(Timeouts(idle_s=0.0, ceiling_s=run.timeout_s), questions=live.state.turn.questions)
        deadline.start(asyncio.current_task())
        try:
            return await self._run_loop(live.state, self)
        except asyncio.CancelledError:
            if deadline.absorb():
                raise TimeoutError from None
            raise
        finally:
            deadline.stop()

    def prompts(self, run_id: str) -> Pause | None:
        """Return what a person is being asked in the turn of a run that is at work."""
        live = self._live.get(run_id)
        return live.state.turn.prompts if live is not None else None

    # -- ending runs ---------------------------------------------------------------------------------------------------

    def _cancelled(self, run_id: str) -> None:
        """Stop the work of a run that was cancelled in the store, from any thread."""
        live = self._live.get(run_id)
        if live is None or not live.is_announced:
            return
        loop = live.loop
        if loop is None or loop.is_closed():
            self._end(live, "cancelled", "", self.runs.get(run_id).error, "cancelled")
        elif runs_here(loop):
            self._stop(live, self.runs.get(run_id).error)
        else:
            loop.call_soon_threadsafe(self._stop, live, self.runs.get(run_id).error)

    def _end(self, live: LiveRun, status: RunEnd, result: str, error: str, code: str) -> None:
        """Close a run's record and session; the second call does nothing."""
        if self._live.pop(live.run_id, None) is None:
            return
        state, turn = live.state, live.state.turn
        clock = turn.context.clock
        state.close_calls()
        state.release_circuit(state.owner.name, state.owner.name)
        summary = mask(result or (summarize(state.messages) if status == "completed" else ""))
        error = mask(error)
        try:
            self.runs.finish(
                live.run_id,
                status,
                result=summary,
                error=error,
                error_code=code,
                steps=state.steps,
                tool_calls=state.tool_calls,
                at=clock.now(),
            )
        except TurnError:  # it was cancelled in the store meanwhile, and that is how it ended
            run = self.runs.count(live.run_id, steps=state.steps, tool_calls=state.tool_calls)
            status, summary, error, code = "cancelled", "", run.error, "cancelled"
            live.why_stopped = live.why_stopped or error or code
        try:
            finished = RunFinished(
                status=status,
                result=summary,
                error=error,
                error_code=code,
                steps=state.steps,
                tool_calls=state.tool_calls,
                duration_ms=max((clock.monotonic_s() - live.began_s) * 1000, 0.0),
            )
            turn.emit(finished, state.owner.name, state.step, live.run_id)
        finally:  # Ctrl-C while a listener hears of it
            self._merge_result(live, status, summary, error, code)
            self._tell_parent(live, status, code)
            if status != "completed":
                for below in tuple(self._live.values()):
                    if below.parent is state:
                        self._stop(below, "the run that asked for it ended")
            if turn.is_closed:
                turn.complete()

    def _merge_result(self, live: LiveRun, status: RunEnd, summary: str, error: str, code: str) -> None:
        """Leave one summary, or one note, for the conversation the run came from."""
        state, turn = live.state, live.state.turn
        root = turn.context.tree.root.name
        child = state.child
        is_nested = bool(live.parent.run_id)  # then the run that asked has the result, and the conversation nothing
        left = state.messages[1:]
        if child is not None:
            is_done = status == "completed"
            if is_done:
                text = self.children.merge(child, root, summary).content
            else:
                text = self.children.discard(child, root, code.replace("_", " ")).content  # no word of the child's own
            left = [] if is_nested else [turn.message("assistant", root, text, SESSION)]
            message_id = left[0].id if left else ""
            ended: Event
            if is_done:
                ended = ChildMerged(child=child.key, summary=text, message_id=message_id)
            else:
                ended = ChildDiscarded(child=child.key, reason=error, message_id=message_id)
            turn.emit(ended, root, run_id=live.run_id)
        if is_nested:
            return
        if turn.is_closed:
            turn.session.leave(left, live.run_id)
        else:
            live.parent.merged.extend(left)

    def _tell_parent(self, live: LiveRun, status: RunEnd, code: str) -> None:
        """Let the loop that made the run know how it came out."""
        parent, agent = live.parent, live.state.owner.name
        if code and not live.why_stopped:
            parent.run_errors[live.run_id] = code
        if status == "failed":
            parent.failed[agent] = f"failed in this turn: {code or 'error'}"
        turn = parent.turn
        if not code or status == "cancelled" or turn.is_closed or parent.run_id or turn.context.mode == "classic":
            return
        run = self.runs.get(live.run_id)
        found = failure(code, run.error or shorten(run.result, 200))
        if found.outcome == "input_required":
            return  # nothing failed: the person is asked
        action = turn.recovery.next_action(
            found, failed_agent=agent, after_handover=True, has_partial=True, request=turn.text
        )
        if action.hint:
            parent.report_recovery(action, found, turn.context.tree.root.name, agent, late=True)
            parent.notes.append(action.hint)

    def end_turn(self, turn: TurnState, *, is_over: bool) -> None:
        """Stop the runs of a turn that was cancelled or failed; those of one that ended well go on.

        Parameters
        ----------
        turn : TurnState
        is_over : bool
            Whether nothing of the turn may go on.
        """
        for run_id in turn.run_ids:
            live = self._live.get(run_id)
            if live is not None and (is_over or live.task is None):
                self._stop(live, "the turn that asked for it ended")

    def _stop(self, live: LiveRun, why: str) -> None:
        loop, task = live.loop, live.task
        is_here = loop is not None and runs_here(loop)
        if loop is not None and loop.is_running() and not is_here:
            loop.call_soon_threadsafe(self._stop, live, why)  # between two steps of the run, not in the middle of one
            return
        live.why_stopped = why
        if task is not None and task is _current_task():
            task.cancel()  # it is in the middle of a step, and ends with it
            return
        self._end(live, "cancelled", "", why, "cancelled")
        if task is None or loop is None or loop.is_closed():
            return
        if is_here:
            task.cancel()  # at once: not one step more
        else:
            loop.call_soon_threadsafe(task.cancel)

    @property
    def tasks(self) -> tuple[asyncio.Task[None], ...]:
        """The tasks of the runs that are at work."""
        return tuple(live.task for live in tuple(self._live.values()) if live.task is not None)

    def reap(self) -> None:
        """Close the runs whose loop is gone: nothing will ever go on with them."""
        for live in tuple(self._live.values()):
            if live.loop is not None and live.loop.is_closed():
                self._end(live, "failed", "", "its event loop was closed", "orphaned")
                self._leave(live)  # its task will never get to it

    def close(self) -> None:
        """Stop every run, except those that wait for an answer with which another process can go on.

        Runs that end on another thread at this moment are waited for: what they leave has to be written down.
        """
        for live in tuple(self._live.values()):
            if live.state.context.approvals.can_wait(live.run_id):
                self._abandon(live)
            else:
                self._stop(live, "the engine was closed")
        for loop in self._loops:
            if loop.is_running() and not runs_here(loop):
                is_through = threading.Event()
                with suppress(RuntimeError):  # it was closed meanwhile
                    loop.call_soon_threadsafe(is_through.set)
                    is_through.wait(LAST_WORDS_S)

    def _abandon(self, live: LiveRun) -> None:
        """Leave a run as it stands: it has not ended."""
        if self._live.pop(live.run_id, None) is None or live.task is None or live.loop is None:
            return
        if runs_here(live.loop):
            live.task.cancel()
        elif not live.loop.is_closed():
            live.loop.call_soon_threadsafe(live.task.cancel)


def _current_task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def may_access(runs: Runs, run: AgentRun, session_id: str, run_id: str) -> bool:
    """Tell whether an agent may watch and stop a run: the root those of its session, a run those below it.

    Parameters
    ----------
    runs : Runs
    run : AgentRun
    session_id : str
        The session of the asker.
    run_id : str
        The run of the asker; empty for the root. It may access neither itself nor the runs beside it.
    """
    if run.parent_id != session_id:
        return False
    above = run.parent_run_id
    while above and above != run_id:
        above = runs.get(above).parent_run_id
    return above == run_id or not run_id
