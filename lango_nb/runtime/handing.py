"""Handing work over: which hand-overs of a reply may happen, and what each of them starts.

transfer, return   the work goes on with another agent, in a session of its own where that is isolated
spawn, delegate    the target gets a run of its own (:mod:`lango_nb.runtime.teammates`)
declined           the request goes back to the root
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lango_nb.core.events import (
    ChildDiscarded,
    ChildForked,
    ChildMerged,
    Declined,
    HandedOver,
    HandOverRefused,
    Returned,
)
from lango_nb.core.masking import mask
from lango_nb.core.messages import ToolCall
from lango_nb.records.decisions import Decision
from lango_nb.records.steps import references
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.control.protocol import Refusal, Target
from lango_nb.runtime.limits import Reached

if TYPE_CHECKING:
    from lango_nb.runtime.work import Work


class HandOvers:
    """The hand-overs of one piece of work.

    Parameters
    ----------
    work : Work
    """

    def __init__(self, work: Work) -> None:
        self._work = work

    async def over(self, node: AgentNode, calls: Sequence[ToolCall], rest: Sequence[ToolCall]) -> None:
        """Hand work to every valid target: a transfer moves this work on, runs begin at once."""
        targets = self._valid_targets(node, calls)
        if targets:
            self._work.notice(
                self._work.state.budget.hand_over(
                    node.name,
                    [(target.node.name, target.instruction or self._work.request.content) for target in targets],
                ),
                node,
                targets,
            )
            self._work.state.rounds = self._work.state.budget.rounds
        moved = next((target for target in targets if target.kind in {"transfer", "return"}), None)
        if moved is not None:
            self._move(node, moved, rest)
            return
        await self._work.state.context.teammates.start(self._work, node, targets)
        if rest or not targets:
            self._work.notice(self._work.state.budget.tools_replied(node.name, is_planner=False), node)
        if rest:
            await self._work.calls.run(node, rest)

    def _valid_targets(self, node: AgentNode, calls: Sequence[ToolCall]) -> list[Target]:
        """Check all hand-overs of a reply; refuse those that may not happen."""
        context = self._work.state.context
        found: list[Target] = []
        for call in calls:
            read = context.control.read(call, node, context.tree)
            if isinstance(read, Target):
                refused = self._refused(read, found) or context.teammates.refused(self._work, node, read)
                read = refused or self._left_alone(read) or read
            if isinstance(read, Target):
                found.append(read)
            else:
                self.refuse(node, read)
        return found

    def _refused(self, target: Target, found: Sequence[Target]) -> Refusal | None:
        """Say why a target is out of the question, if it is."""
        name = target.node.name
        is_move = target.kind in {"transfer", "return"}
        if self._work.state.rounds >= self._work.state.context.limits.rounds:
            limit = self._work.state.context.limits.rounds
            detail = f"this turn may hand over {limit} times; the next hand-over was refused"
            return Refusal(target.call, name, "round_limit", detail)
        if name in self._work.declined:
            detail = f"{name} already declined this request; choose another agent or answer yourself"
            return Refusal(target.call, name, "already_declined", detail)
        if found and (is_move or found[0].kind in {"transfer", "return"}):
            detail = f"only one hand-over per reply counts; {found[0].node.name} has the request"
            return Refusal(target.call, name, "second_target", detail)
        return None

    def _left_alone(self, target: Target) -> Refusal | None:
        """Refuse an agent whose circuit is open; asked last, because who may go may be the one probe of it."""
        if target.kind == "return":
            return None
        name = target.node.name
        admission = self._work.state.context.breakers.admit(name)
        self._work.state.breaker_changed(name, admission.change, self._work.run_id)
        if not admission.is_allowed:
            detail = f"{name} is left alone for a while: {admission.reason}; choose another agent or answer yourself"
            return Refusal(target.call, name, "breaker_open", detail)
        return None

    def refuse(self, node: AgentNode, refusal: Refusal) -> None:
        """Record that a hand-over does not happen, and tell the model why."""
        message_id = self._work.reply_to(refusal.call, node, refusal.detail, is_error=True)
        self._work.emit(
            HandOverRefused,
            node.name,
            target=refusal.name,
            code=refusal.code,
            detail=refusal.detail,
            call_id=refusal.call.id,
            message_id=message_id,
        )
        if refusal.code == "round_limit":
            self._work.stop_at(Reached("rounds", self._work.state.context.limits.rounds, refusal.detail), node)

    def _move(self, node: AgentNode, target: Target, rest: Sequence[ToolCall]) -> None:
        """Let the target go on with this work."""
        root = self._work.state.context.tree.root
        for call in rest:
            self._work.reply_to(call, node, "not run: the same reply handed the request over", is_error=True)
        if target.kind == "return":
            self._work.reply_to(target.call, node, f"control goes back to {root.name}")
            self._work.emit(
                Returned,
                node.name,
                target=root.name,
                reason=target.reason,
                call_id=target.call.id,
                usage=self._work.take_usage(),
                message_id=self._work.reply_id,
            )
            self._work.declined[node.name] = target.reason
            self._work.state.context.breakers.release(node.name)
            self.end_child("escalated without producing a result")
        else:
            self._work.reply_to(target.call, node, f"{target.node.name} takes over")
            self.record_decision(node, target)
            self._fork(target.node)
        self._work.node = target.node
        self._work.state.path.append(target.node.name)

    def record_decision(self, node: AgentNode, target: Target, run_id: str = "") -> None:
        """Keep a hand-over with the router's view beside it."""
        state = self._work.state
        context = state.context
        out = {**self._work.declined, **self._work.failed, **context.breakers.open_agents()}
        decision = Decision(
            id=context.ids.new("decision"),
            turn_id=state.turn_id,
            seq=len(state.events) + 1,
            author=node.name,
            text=mask(target.instruction) if target.instruction else state.text,
            chosen=target.node.name,
            reason=mask(target.reason),
            router=context.router,
            excluded=tuple(out.items()),
            call_id=target.call.id,
            run_id=run_id,
        )
        state.decisions.append(decision)
        self._work.emit(
            HandedOver,
            node.name,
            target=target.node.name,
            reason=target.reason,
            call_id=target.call.id,
            decision_id=decision.id,
            round=state.rounds,
            usage=self._work.take_usage(),
            message_id=self._work.reply_id,
        )

    def decline(self, node: AgentNode, text: str, calls: tuple[ToolCall, ...]) -> None:
        """Take the request back to the root, which may try the next best agent."""
        work, root = self._work, self._work.state.context.tree.root
        work.declined[node.name] = mask(text)
        work.state.context.breakers.release(node.name)
        message_id = work.add("assistant", node.name, text, calls)
        for call in calls:
            work.reply_to(call, node, "not run: the same reply declined the request", is_error=True)
        self.end_child(f"declined: {mask(text)}")
        usage = work.take_usage()
        work.emit(Declined, node.name, text=mask(text), target=root.name, usage=usage, message_id=message_id)
        work.node = root
        work.state.path.append(root.name)

    # -- sessions of their own -----------------------------------------------------------------------------------------

    def _fork(self, node: AgentNode) -> None:
        """Give an isolated agent that takes over a session of its own."""
        work, state = self._work, self._work.state
        context = state.context
        if not (context.is_isolating and node.spec is not None and node.spec.session_isolation):
            return
        child = work.child = context.teammates.fork(state, node, work.history)
        child.messages.append(work.request)
        inherited = (*child.inherited, work.request)
        work.inherited = references(inherited, state.turn_id, len(state.session.messages))
        work.emit(ChildForked, node.name, child=child.key, inherited=len(child.inherited))

    def end_child(self, reason: str = "", summary: str | None = None) -> None:
        """Merge the child session of a transfer, or discard it with a reason; the conversation gets one message."""
        child, root = self._work.child, self._work.state.context.tree.root.name
        if child is None or self._work.run_id:
            return
        self._work.child = None
        children = self._work.state.context.teammates.children
        if summary is not None:
            text = children.merge(child, root, summary).content
            message_id = self._work.add("assistant", root, text)
            self._work.emit(ChildMerged, root, child=child.key, summary=text, message_id=message_id)
        else:
            message_id = self._work.add("assistant", root, children.discard(child, root, reason).content)
            self._work.emit(ChildDiscarded, root, child=child.key, reason=reason, message_id=message_id)
