"""Teammates at work: runs that are started, waited for and stopped, on their own and beside each other.

    start      spawn: answered at once with the run's id · delegate: answered with what the run came to
    wait       the run's result, or what it waits for; a time-out leaves it alone
    stop       the run is cancelled

A run outlives the turn that made it, unless that turn is cancelled or fails; what it does then is kept in the run's own
events. One that waits for a held answer outlives its process as well (:mod:`lango_nb.runtime.resumption`). What a run
came to reaches the conversation once: as one summary by the root, or as one note.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from lango_nb.core.clock import Clock
from lango_nb.core.errors import TurnError, shorten
from lango_nb.core.events import ChildDiscarded, ChildForked, ChildMerged, Event, RunFinished, RunStarted
from lango_nb.core.masking import mask
from lango_nb.core.messages import SESSION, Message
from lango_nb.records.child_sessions import ChildSession, ChildSessions, inherited_messages, summarize
from lango_nb.records.runs import AgentRun, RunEnd, Runs
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.causes import text_of
from lango_nb.runtime.control.protocol import Refusal, Target
from lango_nb.runtime.ending import Ending
from lango_nb.runtime.failures import failure
from lango_nb.runtime.queue import Queue
from lango_nb.runtime.recursion import RecursionGuard
from lango_nb.runtime.timeouts import Deadline, Pause, Timeouts
from lango_nb.runtime.watching import Watching
from lango_nb.tools.builtin.answers import as_json

if TYPE_CHECKING:
    from lango_nb.runtime.context import TurnState
    from lango_nb.runtime.work import Work

logger = logging.getLogger("lango_nb")

_LAST_WORDS_S = 1.0
"""How long closing waits for a loop that is busy."""


@dataclass(slots=True)
class _Live:
    """A run that has not ended."""

    run_id: str
    work: Work
    parent: Work
    began_s: float = 0.0
    is_made: bool = False
    """Whether everybody has heard of it; it is not ended before."""
    task: asyncio.Task[None] | None = None
    loop: asyncio.AbstractEventLoop | None = None
    why_stopped: str = ""
    """Why somebody wanted it to end, if somebody did; that is no failure of whoever asked for it."""
    has_place: bool = False
    """Whether it counts among the runs that work at the same time."""


class Teammates(Watching):
    """The in-process teammate runtime of an engine.

    Parameters
    ----------
    runs : Runs
    clock : Clock
    most_at_once : int
        Runs that work at the same time; further ones wait. Runs made by runs do not count: they would wait for their
        own makers.
    timeout_s : float
        How long a run may take when nobody says.
    """

    def __init__(self, runs: Runs, clock: Clock, most_at_once: int = 10, timeout_s: float = 300.0) -> None:
        super().__init__(runs, clock)
        self.children = ChildSessions()
        self._places = Queue(most_at_once)
        self._timeout_s = timeout_s
        self._guard = RecursionGuard()
        self._live: dict[str, _Live] = {}
        self._loops: set[asyncio.AbstractEventLoop] = set()

    # -- making runs ---------------------------------------------------------------------------------------------------

    def refused(self, work: Work, node: AgentNode, target: Target) -> Refusal | None:
        """Say why a run may not be made: it would be too deep, go round in a ring, or use what its role has not."""
        if target.kind not in {"spawn", "delegate"}:
            return None
        name = target.node.name
        found = self._guard.check(
            depth=work.depth + 1,
            spawner=node.name if work.run_id else "",
            target=name,
            chain=self._chain(work.run_id),
        )
        if found is not None:
            return Refusal(target.call, name, found.code, found.detail)
        detail = self._beyond(work, target)
        return Refusal(target.call, name, "outside_scope", detail) if detail else None

    def _beyond(self, work: Work, target: Target) -> str:
        """Say what a run would get that its role or the run that asks for it has not; empty when there is nothing."""
        name, scope = target.node.name, target.node.tools_by_name
        own = (self.runs.get(work.run_id).allowed_tools or ()) if work.run_id else ()
        for tool in target.allowed_tools or (scope if own else ()):
            if tool not in scope:
                return f"tool {shorten(tool)!r} is outside the scope of {name}; it has: {', '.join(scope) or 'none'}"
            if own and tool not in own and not scope[tool].is_control:
                return f"your run may use {', '.join(own)} only, so it cannot give {name} the tool {tool!r}"
        return ""

    def _chain(self, run_id: str) -> tuple[str, ...]:
        """Return the agents above a run, nearest last."""
        chain: list[str] = []
        while run_id:
            run = self.runs.get(run_id)
            chain.append(run.requested_agent)
            run_id = run.parent_run_id
        return tuple(reversed(chain))

    async def start(self, work: Work, node: AgentNode, targets: Sequence[Target]) -> None:
        """Make a run for every target; delegated ones are waited for, all at the same time."""
        self.reap()  # what nobody goes on with takes no place away
        live = [(target, self._make(work, node, target)) for target in targets]
        delegated = [(target, one) for target, one in live if target.kind == "delegate"]
        for target, one in live:
            if target.kind == "spawn":
                self._submit(one)
                view = {
                    "agent_id": one.run_id,
                    "status": "spawned",
                    "requested_agent": target.node.name,
                    "spawn_reason": target.reason,
                }
                work.reply_to(target.call, node, as_json(view).content)
        for _, one in delegated:
            self._submit(one)
        await self._all_of([one for _, one in delegated])
        for target, one in delegated:
            run = self.runs.get(one.run_id)
            is_done = run.status == "completed"
            text = run.result if is_done else f"{target.node.name} {run.status}: {run.error}"
            work.reply_to(target.call, node, text, is_error=not is_done)

    async def _all_of(self, delegated: Sequence[_Live]) -> None:
        """Wait until all have ended; whoever is cancelled meanwhile waits for none, and none goes on."""
        tasks = [one.task for one in delegated if one.task is not None]
        if not tasks:
            return
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError:
            for one in delegated:
                self._stop(one, "whoever asked for it was stopped")
            raise

    def _make(self, work: Work, node: AgentNode, target: Target) -> _Live:
        """Make the record, the session and the work of a run."""
        from lango_nb.runtime.work import Work

        state = work.state
        context = state.context
        agent = target.node
        run_id = context.ids.new("arun")
        is_isolated = context.is_isolating and agent.spec is not None and agent.spec.session_isolation
        is_fresh = target.kind == "delegate"
        child = None
        if is_isolated or is_fresh:
            seen = () if is_fresh else (*work.history, *work.log)
            child = self.fork(state, agent, seen, inherit=0 if is_fresh else None, key=run_id)
        run = AgentRun(
            id=run_id,
            parent_id=state.session.id,
            requested_agent=agent.name,
            instruction=mask(target.instruction),
            turn_id=state.turn_id,
            spawned_by=node.name,
            parent_run_id=work.run_id,
            child_session=child.key if child is not None else "",
            spawn_depth=work.depth + 1,
            allowed_tools=target.allowed_tools,
            spawn_reason=mask(target.reason),
            timeout_s=target.timeout_s or self._timeout_s,
            created_at=context.clock.now(),
        )
        self.runs.create(run, lambda: self._cancelled(run_id))
        state.run_ids.append(run_id)
        state.path.append(agent.name)
        order = state.message("user", node.name, target.instruction, child.key if child is not None else run_id)
        said = () if child is not None else (*work.history, *work.log)
        history = inherited_messages(said, len(said)) if said else ()
        own = Work(state, agent, order, history, run, child)
        live = self._live[run_id] = _Live(run_id, own, work)
        work.handing.record_decision(node, target, run_id)
        state.emit(
            RunStarted,
            node.name,
            step=work.step,
            run_id=run_id,
            agent=agent.name,
            instruction=target.instruction,
            reason=target.reason,
            allowed_tools=target.allowed_tools,
            child_session=run.child_session,
            depth=run.spawn_depth,
            timeout_s=run.timeout_s,
            message_id=order.id,
        )
        if child is not None:
            state.emit(ChildForked, agent.name, run_id=run_id, child=child.key, inherited=len(child.inherited))
        live.began_s = context.clock.monotonic_s()
        live.is_made = True
        work.run_errors.clear()
        if self.runs.get(run_id).is_terminal:  # whoever heard of it has cancelled it already
            self._cancelled(run_id)
        return live

    def fork(
        self, state: TurnState, agent: AgentNode, history: Sequence[Message], inherit: int | None = None, key: str = ""
    ) -> ChildSession:
        """Give an agent a session of its own."""
        context = state.context
        name = key or context.ids.new("child")
        return self.children.fork(
            state.session.id,
            agent.name,
            inherited_messages(history, len(history)),  # first without the calls being carried out, then cut
            inherit=context.inherit_history if inherit is None else inherit,
            max_messages=context.child_messages,
            key=f"{state.session.id}:child:{agent.name}:{name}",
        )

    def resume(self, run: AgentRun, work: Work, events: Sequence[Event]) -> None:
        """Let a run go on that an earlier process made; nobody waits for it.

        Parameters
        ----------
        run : AgentRun
        work : Work
        events : sequence of Event
            What happened in it so far.
        """
        from lango_nb.runtime.work import Work

        root = work.state.context.tree.root
        self.runs.adopt(run, events, lambda: self._cancelled(run.id))
        parent = Work(work.state, root, work.request)
        live = _Live(run.id, work, parent, work.state.context.clock.monotonic_s(), is_made=True)
        self._live[run.id] = live
        self._submit(live)

    def state_of(self, turn_id: str) -> TurnState | None:
        """Return what the runs of a turn share that are at work; ``None`` when none is."""
        states = (live.work.state for live in tuple(self._live.values()))
        return next((state for state in states if state.turn_id == turn_id), None)

    def _submit(self, live: _Live) -> None:
        if live.run_id not in self._live:
            return  # it was stopped before it began
        live.loop = asyncio.get_running_loop()
        self._loops = {live.loop, *(loop for loop in self._loops if not loop.is_closed())}
        live.task = live.loop.create_task(self._guarded(live), name=live.run_id)
        live.task.add_done_callback(partial(self._torn_down, live))

    def _torn_down(self, live: _Live, task: asyncio.Task[None]) -> None:
        """Close a run whose task ended before it could: neither an error nor a cancellation got that far."""
        error = None if task.cancelled() else task.exception()
        if live.run_id in self._live:
            detail = f"its task was ended by {type(error).__name__}" if error is not None else "its task never began"
            self._end(live, "failed", "", detail, "internal")

    async def _guarded(self, live: _Live) -> None:
        """Run, and never let an error out: nobody may be there to take it."""
        try:
            await self._execute(live)
        except asyncio.CancelledError:
            return
        except Exception:
            logger.exception("run %s failed on its way out", live.run_id)

    async def _execute(self, live: _Live) -> None:
        """Work a run to its end, whatever that is."""
        run = self.runs.get(live.run_id)
        try:
            if run.spawn_depth > 1:
                ending = await self._work(live, run)
            else:
                await self._places.enter()
                live.has_place = True
                try:
                    ending = await self._work(live, run)
                finally:
                    self._leave(live)
        except asyncio.CancelledError:
            self._end(live, "cancelled", "", live.why_stopped or "the run was cancelled", "cancelled")
            raise
        except TimeoutError:
            detail = f"the run did not end within {run.timeout_s:g} s"
            state, agent = live.work.state, run.requested_agent
            state.breaker_changed(agent, state.context.breakers.record_failure(agent, detail), run.id)
            self._end(live, "failed", "", detail, "run_timeout")
        except Exception as error:  # noqa: BLE001 - a run leaves a record, whatever happened
            self._end(live, "failed", "", f"{type(error).__name__}: {shorten(text_of(error), 300)}", "internal")
        else:
            if ending.is_answered:
                self._end(live, "completed", ending.text, "", ending.code)
            else:
                self._end(live, "failed", "", ending.text, ending.code)

    def _leave(self, live: _Live) -> None:
        """Give a run's place to the next one; the second call does nothing."""
        has_place, live.has_place = live.has_place, False
        if has_place:
            self._places.leave()

    async def _work(self, live: _Live, run: AgentRun) -> Ending:
        self.runs.start(run.id)
        deadline = Deadline(Timeouts(idle_s=0.0, ceiling_s=run.timeout_s), questions=live.work.state.questions)
        deadline.start(asyncio.current_task())
        try:
            return await live.work.finish()
        except asyncio.CancelledError:
            if deadline.absorb():
                raise TimeoutError from None
            raise
        finally:
            deadline.stop()

    def prompts(self, run_id: str) -> Pause | None:
        """Return what a person is being asked in the turn of a run that is at work."""
        live = self._live.get(run_id)
        return live.work.state.prompts if live is not None else None

    # -- ending runs ---------------------------------------------------------------------------------------------------

    def _cancelled(self, run_id: str) -> None:
        """Stop the work of a run that was cancelled in the store, from whatever thread."""
        live = self._live.get(run_id)
        if live is None or not live.is_made:
            return
        loop = live.loop
        if loop is None or loop.is_closed():
            self._end(live, "cancelled", "", self.runs.get(run_id).error, "cancelled")
        elif _runs_here(loop):
            self._stop(live, self.runs.get(run_id).error)
        else:
            loop.call_soon_threadsafe(self._stop, live, self.runs.get(run_id).error)

    def _end(self, live: _Live, status: RunEnd, result: str, error: str, code: str) -> None:
        """Close a run's record and session; the second call does nothing."""
        if self._live.pop(live.run_id, None) is None:
            return
        work, state = live.work, live.work.state
        clock = state.context.clock
        work.close_calls()
        state.context.breakers.release(work.owner.name)
        summary = mask(result or (summarize(work.messages) if status == "completed" else ""))
        try:
            self.runs.finish(
                live.run_id,
                status,
                result=summary,
                error=mask(error),
                error_code=code,
                steps=work.steps,
                tool_calls=work.tool_calls,
                at=clock.now(),
            )
        except TurnError:  # somebody cancelled it in the store meanwhile, and that is how it ended
            run = self.runs.count(live.run_id, steps=work.steps, tool_calls=work.tool_calls)
            status, summary, error, code = "cancelled", "", run.error, "cancelled"
            live.why_stopped = live.why_stopped or error or code
        try:
            state.emit(
                RunFinished,
                work.owner.name,
                step=work.step,
                run_id=live.run_id,
                status=status,
                result=summary,
                error=error,
                error_code=code,
                steps=work.steps,
                tool_calls=work.tool_calls,
                duration_ms=max((clock.monotonic_s() - live.began_s) * 1000, 0.0),
            )
        finally:  # Ctrl-C while somebody hears of it
            self._bring_home(live, status, summary, error, code)
            self._tell_parent(live, status, code)
            if status != "completed":
                for below in tuple(self._live.values()):
                    if below.parent is work:
                        self._stop(below, "the run that asked for it ended")
            if state.is_closed:
                state.complete()

    def _bring_home(self, live: _Live, status: RunEnd, summary: str, error: str, code: str) -> None:
        """Leave one summary, or one note, for the conversation the run came from."""
        work, state = live.work, live.work.state
        root = state.context.tree.root.name
        child = work.child
        is_nested = bool(live.parent.run_id)  # then the run that asked has the result, and the conversation nothing
        left = work.messages[1:]
        if child is not None:
            is_done = status == "completed"
            if is_done:
                text = self.children.merge(child, root, summary).content
            else:
                text = self.children.discard(child, root, code.replace("_", " ")).content  # no word of the child's own
            left = [] if is_nested else [state.message("assistant", root, text, SESSION)]
            ended = partial(state.emit, author=root, run_id=live.run_id, child=child.key)
            message_id = left[0].id if left else ""
            if is_done:
                ended(ChildMerged, summary=text, message_id=message_id)
            else:
                ended(ChildDiscarded, reason=error, message_id=message_id)
        if is_nested:
            return
        if state.is_closed:
            state.session.leave(left, live.run_id)
        else:
            live.parent.merged.extend(left)

    def _tell_parent(self, live: _Live, status: RunEnd, code: str) -> None:
        """Let whoever asked for the run know how it came out."""
        parent, agent = live.parent, live.work.owner.name
        if code and not live.why_stopped:
            parent.run_errors[live.run_id] = code
        if status == "failed":
            parent.failed[agent] = f"failed in this turn: {code or 'error'}"
        state = parent.state
        if not code or status == "cancelled" or state.is_closed or parent.run_id or state.context.mode == "classic":
            return
        run = self.runs.get(live.run_id)
        found = failure(code, run.error or shorten(run.result, 200))
        action = state.recovery.next_action(
            found, failed_agent=agent, after_handover=True, has_partial=True, request=state.text
        )
        if action.hint:
            parent.recovering.tell(action, found, agent)
            parent.notes.append(action.hint)

    def end_turn(self, state: TurnState, *, is_over: bool) -> None:
        """Stop the runs of a turn that was cancelled or failed; those of one that ended well go on.

        Parameters
        ----------
        state : TurnState
        is_over : bool
            Whether nothing of the turn may go on.
        """
        for run_id in state.run_ids:
            live = self._live.get(run_id)
            if live is not None and (is_over or live.task is None):
                self._stop(live, "the turn that asked for it ended")

    def _stop(self, live: _Live, why: str) -> None:
        loop, task = live.loop, live.task
        is_here = loop is not None and _runs_here(loop)
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

    def reap(self) -> None:
        """Close the runs whose loop is gone: nobody will ever go on with them."""
        for live in tuple(self._live.values()):
            if live.loop is not None and live.loop.is_closed():
                self._end(live, "failed", "", "its event loop was closed", "orphaned")
                self._leave(live)  # its task will never get to it

    def close(self) -> None:
        """Stop every run, except those that wait for an answer with which another process can go on.

        Runs that end on another thread at this moment are waited for: what they leave has to be written down.
        """
        for live in tuple(self._live.values()):
            state = live.work.state
            if state.is_closed and state.context.approvals.can_wait(live.run_id):
                self._abandon(live)
            else:
                self._stop(live, "the engine was closed")
        for loop in self._loops:
            if loop.is_running() and not _runs_here(loop):
                is_through = threading.Event()
                with suppress(RuntimeError):  # it was closed meanwhile
                    loop.call_soon_threadsafe(is_through.set)
                    is_through.wait(_LAST_WORDS_S)

    def _abandon(self, live: _Live) -> None:
        """Leave a run as it stands: it has not ended."""
        if self._live.pop(live.run_id, None) is None or live.task is None or live.loop is None:
            return
        if _runs_here(live.loop):
            live.task.cancel()
        elif not live.loop.is_closed():
            live.loop.call_soon_threadsafe(live.task.cancel)


def _runs_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def _current_task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
