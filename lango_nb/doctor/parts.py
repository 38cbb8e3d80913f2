"""The parts of an engine: hooks, agents of other systems, open circuits, calls that wait for an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from lango_nb.config.keys import settings_by_key
from lango_nb.core.text import counted
from lango_nb.doctor.case import Case
from lango_nb.doctor.finding import Finding

SWITCHES = {
    "access_control": "hooks.accessControl",
    "browser_recovery": "tools.browser.enabled",
    "learning_observer": "knowledge.enabled",
    "knowledge_saver": "hooks.knowledgeSave",
    "event_publisher": "hooks.eventPublishing",
}
"""The setting that asks for a hook; those not named here are always there, or need no part of their own."""
_NOT_YET = "no A2A client is connected"


def examine_hooks(case: Case) -> Iterator[Finding]:
    """Say which hooks are wired and why, which are asked for without being so, and what their lists do not fit."""
    check, rows = "hooks", case.engine.hooks.rows()
    wired = [row for row in rows if row.is_wired]
    yield Finding(
        check,
        "ok",
        f"{counted(len(wired), 'hook')} around every tool call",
        evidence=tuple(f"{row.name} ({row.phase} the call): {row.why}" for row in wired),
    )
    for row in rows:
        key = SWITCHES.get(row.name, "")
        if not row.is_wired and key and settings_by_key()[key].of(case.settings):
            text = f"hook {row.name} is asked for by {key} and not wired: {row.why}"
            yield Finding(check, "warn", text, next_step=f"switch on what is missing, or {key} off")
    for sentence in case.engine.unfit_patterns:
        yield Finding(check, "warn", sentence, next_step="correct the pattern, or add the tool it waits for")


def examine_remotes(case: Case) -> Iterator[Finding]:
    """Look at the remote agents of the settings.

    Yields
    ------
    Finding
        One per remote agent.
    """
    check, a2a = "remote agents", case.settings.a2a
    if not a2a.enabled:
        left = counted(len(a2a.remote_agents), "remote agent")
        text = f"a2a.enabled is off; {left} of the settings is ignored" if a2a.remote_agents else "a2a.enabled is off"
        yield Finding(check, "skip", text)
        return
    if not a2a.remote_agents:
        text = "a2a.enabled is on and a2a.remoteAgents names nobody"
        yield Finding(check, "warn", text, next_step="name agents in a2a.remoteAgents, or switch a2a.enabled off")
    in_tree = {node.name for node in case.engine.tree.agents if node.role == "remote"}
    names = Counter(remote.name for remote in a2a.remote_agents)
    for remote in a2a.remote_agents:
        warnings = [text for text in case.engine.warnings if text.startswith(f"remote agent {remote.name!r} ")]
        if names[remote.name] > 1:
            text = f"remote agent {remote.name!r} is named {names[remote.name]} times"
            yield Finding(check, "warn", text, next_step="give every entry of a2a.remoteAgents a name of its own")
        elif not remote.agent_card_url:
            text = f"remote agent {remote.name!r} has no card and is left out"
            yield Finding(check, "warn", text, next_step="set its agentCardUrl in a2a.remoteAgents")
        elif warnings and _NOT_YET not in warnings[0]:
            yield Finding(check, "warn", warnings[0], next_step="check its name and its card, or take it out")
        elif remote.name in in_tree:
            yield Finding(
                check, "ok", f"remote agent {remote.name!r} is in the tree", evidence=(remote.agent_card_url,)
            )
        else:
            text = f"remote agent {remote.name!r} is set up; it is not contacted before part 8"
            yield Finding(check, "skip", text, evidence=(remote.agent_card_url,))


LONG = timedelta(minutes=1)
"""How long a call may wait before somebody should know."""


def examine_breakers(case: Case) -> Iterator[Finding]:
    """Name the agents and providers that get no work now.

    Yields
    ------
    Finding
        One per open circuit.
    """
    check, breakers = "circuits", case.engine.breakers
    open_now = [change for change in breakers.states() if breakers.is_open(change.circuit)]
    for change in open_now:
        text = f"{change.circuit} gets no work: it failed {counted(change.failures, 'time')} in a row"
        step = "it is tried again by itself after agent.orchestration.circuitBreaker.resetTimeout"
        yield Finding(check, "warn", text, next_step=step, evidence=(f"last: {change.detail}",))
    if not open_now:
        yield Finding(check, "ok", "nobody is left alone after failures")


def examine_approvals(case: Case) -> Iterator[Finding]:
    """Name the calls that wait for an answer.

    Yields
    ------
    Finding
        One per call that waits for more than a minute.
    """
    check, pending = "approvals", case.engine.approvals.pending
    late = 0
    for question in pending:
        request = question.request
        waited = case.now - request.asked_at if request.asked_at is not None else timedelta()
        if waited <= LONG:
            continue
        late += 1
        yield Finding(
            check,
            "warn",
            f"{request.agent} waits for leave to call {request.tool}, for {waited.total_seconds() / 60:,.0f} min",
            request.turn_id,
            session=request.session_id,
            next_step=f"%lango allow {question.id}, or %lango deny {question.id}",
            evidence=(request.reason,),
        )
    if not late:
        said = f"{counted(len(pending), 'call')} just asked" if pending else "no call waits for an answer"
        yield Finding(check, "ok", said)
