"""Handing work over: which hand-offs of a reply may happen, and what each of them starts.

transfer, return   the loop goes on with another agent, in a session of its own where that is isolated
spawn, delegate    the target gets a run of its own, at work among the teammates (:mod:`lango_nb.runtime.teammates`)
declined           the request goes back to the root
"""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.errors import shorten
from lango_nb.core.events import (
    ChildDiscarded,
    ChildForked,
    ChildMerged,
    Declined,
    HandedOver,
    HandOverRefused,
    LimitReached,
    RefusalCode,
    Returned,
    RunStarted,
)
from lango_nb.core.masking import mask
from lango_nb.core.messages import ToolCall
from lango_nb.core.text import folded
from lango_nb.records.child_sessions import ChildSessions, inherited_messages
from lango_nb.records.decisions import Decision
from lango_nb.records.excerpt import Excerpt
from lango_nb.records.runs import AgentRun, Runs
from lango_nb.records.steps import references
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.control.protocol import Refusal, Target
from lango_nb.runtime.loop_state import LoopState
from lango_nb.runtime.teammates import LiveRun, Teammates
from lango_nb.tools.builtin.answers import as_json

_MOVES = frozenset({"transfer", "return"})
_LONGEST = 300
"""Characters of a reply that are kept as the reason of a hand-over that has none of its own."""


async def hand_off(
    loop: LoopState,
    teammates: Teammates,
    node: AgentNode,
    calls: Sequence[ToolCall],
    other_calls: tuple[ToolCall, ...],
) -> tuple[ToolCall, ...]:
    """Hand work to every valid target: a transfer moves the loop on, runs begin at once.

    Parameters
    ----------
    loop : LoopState
    teammates : Teammates
    node : AgentNode
        Whose reply it is.
    calls : sequence of ToolCall
        Those that hand work over.
    other_calls : tuple of ToolCall
        The other calls of the reply.

    Returns
    -------
    tuple of ToolCall
        Those of the other calls that are still to be run.
    """
    budget = loop.turn.budget
    targets = _valid_targets(loop, node, calls)
    if targets:
        goals = [(target.node.name, target.instruction or loop.request.content) for target in targets]
        found = budget.hand_over(node.name, goals)
        for event in found:
            if isinstance(event, LimitReached):
                _release(loop, node, targets, event)
        loop.limit(found, node)
        loop.turn.rounds = budget.rounds
        loop.last_error = ""  # whatever went wrong before, the request is with the targets now
    moved = next((target for target in targets if target.kind in _MOVES), None)
    if moved is not None:
        _transfer(loop, teammates, node, moved, other_calls)
        return ()
    await _start_runs(loop, teammates, node, targets)
    if other_calls or not targets:
        loop.limit(budget.tools_replied(node.name, is_planner=False), node)
    return other_calls


# -- what may happen ---------------------------------------------------------------------------------------------------


def _valid_targets(loop: LoopState, node: AgentNode, calls: Sequence[ToolCall]) -> list[Target]:
    """Check all hand-offs of a reply; refuse those that may not happen."""
    context = loop.context
    found: list[Target] = []
    for call in calls:
        read = context.control.read(call, node, context.tree)
        if isinstance(read, Target):
            refused = _refusal(loop, read, found) or spawn_refusal(loop, node, read) or _breaker_refusal(loop, read)
            read = refused or read
        if isinstance(read, Target):
            found.append(read)
        else:
            _refuse(loop, node, read)
    return found


def _refusal(loop: LoopState, target: Target, found: Sequence[Target]) -> Refusal | None:
    """Say why a target is out of the question in this turn, if it is."""
    name, limit = target.node.name, loop.context.limits.rounds
    if loop.turn.rounds >= limit:
        detail = f"this turn may hand over {limit} times; the next hand-over was refused"
        return Refusal(target.call, name, "round_limit", detail)
    if name in loop.declined:
        detail = f"{name} already declined this request; choose another agent or answer yourself"
        return Refusal(target.call, name, "already_declined", detail)
    if found and (target.kind in _MOVES or found[0].kind in _MOVES):
        detail = f"only one hand-over per reply counts; {found[0].node.name} has the request"
        return Refusal(target.call, name, "second_target", detail)
    return None


def spawn_refusal(loop: LoopState, node: AgentNode, target: Target) -> Refusal | None:
    """Say why a run may not be made: it would be too deep, go round in a ring, or use what its role has not."""
    if target.kind in _MOVES:
        return None
    name, runs, depth = target.node.name, loop.context.runs, loop.depth + 1
    most = loop.context.tree.topology.max_depth
    own = target.node.spec.constraints.max_depth if target.node.spec is not None else 0
    if 0 < own <= depth:
        detail = f"a run of {name} would be at depth {depth}, and its max_depth {own} says: less than that"
        return Refusal(target.call, name, "depth", f"{detail}; do the rest yourself or answer with what is there")
    endless = recursion(depth, node.name, name, _agents_above(runs, loop.run_id), most)
    if endless is not None:
        return Refusal(target.call, name, *endless)
    detail = _beyond_scope(runs, loop.run_id, target)
    return Refusal(target.call, name, "outside_scope", detail) if detail else None


def recursion(
    depth: int, spawner: str, target: str, chain: Sequence[str] = (), most: int = 3
) -> tuple[RefusalCode, str] | None:
    """Say why a run would not come to an end, if it would not.

    Parameters
    ----------
    depth : int
        Depth of the new run: its parent's and one.
    spawner : str
        The agent that asks; empty when no agent in particular does.
    target : str
        The agent that would work.
    chain : sequence of str
        The agents whose runs the new one would hang below, outermost first.
    most : int
        The greatest depth.

    Returns
    -------
    (code, detail) or None
        The first that applies: too deep, itself, a ring.

    Examples
    --------
    >>> recursion(2, "planner", "vault", ["planner"]) is None
    True
    >>> recursion(3, "vault", "planner", ["planner", "vault"])
    ('cycle', 'planner already waits for this run (planner > vault > planner); choose another agent')
    """
    if depth > most:
        deep = f"a run of {target} would be at depth {depth}, and {most} is the deepest"
        return "depth", f"{deep}; do the rest yourself or answer with what is there"
    if spawner and target == spawner:
        return "self", f"{target} cannot spawn itself; do the work in this run"
    if target in chain:
        last = () if not spawner or chain[-1] == spawner else (spawner,)
        ring = " > ".join((*chain[list(chain).index(target) :], *last, target))
        return "cycle", f"{target} already waits for this run ({ring}); choose another agent"
    return None


def _agents_above(runs: Runs, run_id: str) -> tuple[str, ...]:
    """Return the agents above a run, nearest last."""
    chain: list[str] = []
    while run_id:
        run = runs.get(run_id)
        chain.append(run.requested_agent)
        run_id = run.parent_run_id
    return tuple(reversed(chain))


def _beyond_scope(runs: Runs, run_id: str, target: Target) -> str:
    """Say what a run would get that its role or the run that asks for it has not; empty when there is nothing."""
    name, scope = target.node.name, target.node.tools_by_name
    own = (runs.get(run_id).allowed_tools or ()) if run_id else ()
    for tool in target.allowed_tools or (scope if own else ()):
        if tool not in scope:
            return f"tool {shorten(tool)!r} is outside the scope of {name}; it has: {', '.join(scope) or 'none'}"
        if own and tool not in own and not scope[tool].is_control:
            return f"your run may use {', '.join(own)} only, so it cannot give {name} the tool {tool!r}"
    return ""


def _breaker_refusal(loop: LoopState, target: Target) -> Refusal | None:
    """Refuse an agent whose circuit is open; asked last, because the agent that may go may be the one probe of it."""
    if target.kind == "return":
        return None
    name = target.node.name
    admission = loop.context.breakers.admit(name)
    loop.breaker_changed(name, admission.change)
    if not admission.is_allowed:
        detail = f"{name} is left alone for a while: {admission.reason}; choose another agent or answer yourself"
        return Refusal(target.call, name, "breaker_open", detail)
    return None


def _refuse(loop: LoopState, node: AgentNode, refusal: Refusal) -> None:
    """Record that a hand-off does not happen, and tell the model why."""
    message_id = loop.reply_to(refusal.call, node, refusal.detail, is_error=True)
    refused = HandOverRefused(
        target=refusal.name,
        code=refusal.code,
        detail=refusal.detail,
        call_id=refusal.call.id,
        message_id=message_id,
    )
    loop.emit(refused, node.name)
    if refusal.code == "round_limit":
        value = loop.context.limits.rounds
        loop.limit((LimitReached(limit="rounds", value=float(value), detail=refusal.detail),), node)


def _release(loop: LoopState, node: AgentNode, targets: Sequence[Target], reached: LimitReached) -> None:
    """Let the targets of a reply go that has come to the end of a limit."""
    for target in targets:
        loop.release_circuit(node.name, target.node.name)
    for target in targets if reached.limit == "cycle" else ():
        _refuse(loop, node, Refusal(target.call, target.node.name, "cycle", reached.detail))


# -- transfer ----------------------------------------------------------------------------------------------------------


def _transfer(
    loop: LoopState, teammates: Teammates, node: AgentNode, target: Target, other_calls: Sequence[ToolCall]
) -> None:
    """Let the target go on with this loop."""
    context = loop.context
    for call in other_calls:
        loop.reply_to(call, node, "not run: the same reply handed the request over", is_error=True)
    if target.kind == "return":
        root = context.tree.root
        loop.reply_to(target.call, node, f"control goes back to {root.name}")
        returned = Returned(
            target=root.name,
            reason=target.reason,
            call_id=target.call.id,
            usage=loop.take_usage(),
            message_id=loop.reply_id,
        )
        loop.emit(returned, node.name)
        loop.declined[node.name] = target.reason
        loop.release_circuit(node.name, node.name)
        end_child(loop, teammates.children, "escalated without producing a result")
    else:
        loop.reply_to(target.call, node, f"{target.node.name} takes over")
        _record(loop, node, target)
        _fork(loop, teammates, target.node)
    loop.node = target.node
    loop.turn.path.append(target.node.name)


def decline(loop: LoopState, children: ChildSessions, node: AgentNode, text: str, calls: tuple[ToolCall, ...]) -> None:
    """Take the request back to the root, which may try the next best agent; a run ends with it."""
    root, said = loop.context.tree.root, mask(text)
    loop.declined[node.name] = said
    loop.release_circuit(node.name, node.name)
    message_id = loop.add("assistant", node.name, text, calls)
    for call in calls:
        loop.reply_to(call, node, "not run: the same reply declined the request", is_error=True)
    end_child(loop, children, f"declined: {said}")
    loop.emit(Declined(text=said, target=root.name, usage=loop.take_usage(), message_id=message_id), node.name)
    if not loop.run_id:
        loop.node = root
        loop.turn.path.append(root.name)


def _fork(loop: LoopState, teammates: Teammates, node: AgentNode) -> None:
    """Give an isolated agent that takes over a session of its own."""
    if not _is_isolated(loop, node):
        return
    child = teammates.fork(loop.turn, node, loop.history)
    loop.work_in(child)
    child.messages.append(loop.request)
    loop.inherited = references((*child.inherited, loop.request), loop.turn.turn_id)
    loop.emit(ChildForked(child=child.key, inherited=len(child.inherited)), node.name)


def _is_isolated(loop: LoopState, node: AgentNode) -> bool:
    return loop.context.is_isolating and node.spec is not None and node.spec.session_isolation


def end_child(loop: LoopState, children: ChildSessions, reason: str = "", summary: str | None = None) -> None:
    """Merge the child session of a transfer, or discard it with a reason; the conversation gets one message."""
    child, root = loop.child, loop.context.tree.root.name
    if child is None or loop.run_id:
        return
    loop.work_in(None)
    if summary is not None:
        text = children.merge(child, root, summary).content
        message_id = loop.add("assistant", root, text)
        loop.emit(ChildMerged(child=child.key, summary=text, message_id=message_id), root)
    else:
        message_id = loop.add("assistant", root, children.discard(child, root, reason).content)
        loop.emit(ChildDiscarded(child=child.key, reason=reason, message_id=message_id), root)


# -- runs --------------------------------------------------------------------------------------------------------------


async def _start_runs(loop: LoopState, teammates: Teammates, node: AgentNode, targets: Sequence[Target]) -> None:
    """Make a run for every target; delegated ones are waited for, all at the same time."""
    teammates.reap()  # a run whose loop is gone takes no place away
    made = [(target, _make_run(loop, teammates, node, target)) for target in targets]
    delegated = [(target, live) for target, live in made if target.kind == "delegate"]
    for target, live in made:
        if target.kind == "spawn":
            teammates.submit(live)
            view = {
                "agent_id": live.run_id,
                "status": "spawned",
                "requested_agent": target.node.name,
                "spawn_reason": target.reason,
            }
            loop.reply_to(target.call, node, as_json(view).content)
    for _, live in delegated:
        teammates.submit(live)
    await teammates.wait_for_all([live for _, live in delegated])
    for target, live in delegated:
        run = teammates.runs.get(live.run_id)
        is_done = run.status == "completed"
        text = run.result if is_done else f"{target.node.name} {run.status}: {run.error}"
        if run.is_blocked:
            because = f" ({run.blocked_reason.strip().rstrip('.')})" if run.blocked_reason.strip() else ""
            text = f"{target.node.name} waits for an answer{because}; its run {run.id} goes on once it has one"
        loop.reply_to(target.call, node, text, is_error=not (is_done or run.is_blocked))


def _make_run(loop: LoopState, teammates: Teammates, node: AgentNode, target: Target) -> LiveRun:
    """Make the record, the session and the loop of a run."""
    turn, context, agent = loop.turn, loop.context, target.node
    run_id = context.ids.new("arun")
    is_fresh = target.kind == "delegate"
    child = None
    if is_fresh or _is_isolated(loop, agent):
        seen = Excerpt((loop.history, 0), (loop.log, 0))
        child = teammates.fork(turn, agent, seen, inherit=0 if is_fresh else None, key=run_id)
    run = AgentRun(
        id=run_id,
        parent_id=turn.session.id,
        requested_agent=agent.name,
        instruction=mask(target.instruction),
        turn_id=turn.turn_id,
        spawned_by=node.name,
        parent_run_id=loop.run_id,
        child_session=child.key if child is not None else "",
        spawn_depth=loop.depth + 1,
        allowed_tools=target.allowed_tools,
        spawn_reason=mask(target.reason),
        timeout_s=target.timeout_s or (agent.spec.constraints.timeout_s if agent.spec else 0) or teammates.timeout_s,
        created_at=context.clock.now(),
    )
    teammates.create(run)
    turn.run_ids.append(run_id)
    if turn.path[-1] != node.name:  # runs of one reply stand beside each other: none gave work to the next
        turn.path.append(node.name)
    turn.path.append(agent.name)
    order = turn.message("user", node.name, target.instruction, child.key if child is not None else run_id)
    history = Excerpt((loop.history, 0), (inherited_messages(loop.log), 0)) if child is None else ()
    live = teammates.register(LoopState(turn, agent, order, history, run, child), loop)
    _record(loop, node, target, run_id)
    started = RunStarted(
        agent=agent.name,
        instruction=run.instruction,
        reason=run.spawn_reason,
        allowed_tools=target.allowed_tools,
        child_session=run.child_session,
        depth=run.spawn_depth,
        timeout_s=run.timeout_s,
        message_id=order.id,
    )
    turn.emit(started, node.name, loop.step, run_id)
    if child is not None:
        turn.emit(ChildForked(child=child.key, inherited=len(child.inherited)), agent.name, run_id=run_id)
    loop.run_errors.clear()
    teammates.announced(live)
    return live


def _said(loop: LoopState) -> str:
    """Return what a reply says beside its calls, in a line."""
    text = next((message.content for message in reversed(loop.log) if message.id == loop.reply_id), "")
    return shorten(folded(text), _LONGEST)


def _record(loop: LoopState, node: AgentNode, target: Target, run_id: str = "") -> None:
    """Keep a hand-off with the router's view beside it."""
    turn, context = loop.turn, loop.context
    out = {**loop.declined, **loop.failed, **context.breakers.open_agents()}
    reason = mask(target.reason or _said(loop))
    decision = Decision(
        id=context.ids.new("decision"),
        turn_id=turn.turn_id,
        seq=len(turn.events) + 1,
        author=node.name,
        text=mask(target.goal or target.instruction) or turn.text,
        chosen=target.node.name,
        reason=reason,
        router=context.router,
        excluded=tuple(out.items()),
        call_id=target.call.id,
        run_id=run_id,
    )
    turn.decisions.append(decision)
    handed = HandedOver(
        target=target.node.name,
        reason=reason,
        call_id=target.call.id,
        decision_id=decision.id,
        round=turn.rounds,
        usage=loop.take_usage(),
        message_id=loop.reply_id,
    )
    loop.emit(handed, node.name)
