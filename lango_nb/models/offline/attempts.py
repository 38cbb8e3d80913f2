"""What became of the work a root gave away in this turn, read from its calls and their results.

agent_spawn ── working ── agent_wait ─┬─ done · declined · failed · cancelled
                                      └─ blocked: waits for somebody's answer
delegate, transfer_to_agent ─────────── the same, without the waiting
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from lango_nb.models.offline.conversation import Conversation, Done
from lango_nb.models.offline.offer import WAIT
from lango_nb.models.offline.talk import is_out_of_scope

Call = tuple[str, Mapping[str, Any]]
"""A tool and its arguments."""
State = Literal["working", "blocked", "done", "declined", "failed", "cancelled", "refused"]
UNDONE: frozenset[State] = frozenset({"declined", "failed", "refused"})
"""Somebody else may be tried."""
MOST_WAITS = 10
"""Waits for one run: the last is for 512 seconds, longer than a run may take."""
_STATUS = re.compile(r'"status"\s*:\s*"(\w+)"')
_SETTLED = re.compile(
    r"\bapproval\b|\bdenied\b|\bnot approved\b|\bbackground\.enabled\b|\boutside the scope\b|\boutside role\b",
    re.IGNORECASE,
)
"""Somebody said no, or no other agent would change it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One agent's try at one work order."""

    agent: str
    goal: str
    """The work order; empty where the request itself was handed over."""
    state: State
    text: str = ""
    """What it said, or why it did not come to that."""
    run_id: str = ""
    waits: int = 0
    """How often it was waited for."""
    view: Mapping[str, Any] | None = None
    """The run as it was seen last."""

    @property
    def is_settled(self) -> bool:
        """Whether trying somebody else would be wrong or no use."""
        return self.state in UNDONE and _SETTLED.search(self.text) is not None


def view_of(text: str) -> Mapping[str, Any]:
    """Read what a control call said of a run.

    A long result may have been cut in the middle, and is no JSON any more; its status can still be read.

    Examples
    --------
    >>> view_of('{"agent_id": "arun-1", "status": "running"}')["status"]
    'running'
    >>> view_of('{"result": "cut …", "status": "completed"')["status"], view_of("nonsense")
    ('completed', {})
    """
    try:
        read = json.loads(text)
    except ValueError:
        status = _STATUS.search(text)
        return {"status": status[1], "result": text} if status else {}
    return read if isinstance(read, dict) else {}


def attempts(conversation: Conversation, agents: Collection[str]) -> tuple[Attempt, ...]:
    """Read everything that was given away in this turn, in order.

    Parameters
    ----------
    conversation : Conversation
    agents : collection of str
        Whom work can be given to; a transfer to anybody else gave it back.

    Returns
    -------
    tuple of Attempt
    """
    found: dict[str, Attempt] = {}
    for place, done in enumerate(conversation.done()):
        given = done.call.arguments
        match done.call.name:
            case "agent_spawn":
                attempt = _spawned(done)
                found[attempt.run_id or str(place)] = attempt
            case "delegate":
                agent, goal = str(given.get("agent_name")), str(given.get("goal") or "")
                state = _said(done.result.content, is_error=done.result.is_error)
                found[str(place)] = Attempt(agent, goal, state, done.result.content)
            case "transfer_to_agent" if given.get("agent_name") in agents:
                found[str(place)] = _transferred(conversation, done)
            case "agent_wait" | "agent_stop":
                run_id = str(given.get("agent_id"))
                if run_id in found:
                    found[run_id] = look(found[run_id], done)
    return tuple(found.values())


def look(attempt: Attempt, done: Done) -> Attempt:
    """Return an attempt as a call about its run shows it."""
    waits = attempt.waits + (done.call.name == WAIT)
    if done.result.is_error:
        return replace(attempt, state="failed", text=done.result.content, waits=waits)
    view = view_of(done.result.content)
    said = str(view.get("result") or "")
    match view.get("status"):
        case "completed":
            state: State = _said(said)
        case "failed":
            state, said = "failed", str(view.get("error") or said)
        case "cancelled":
            state, said = "cancelled", str(view.get("error") or "")
        case _:
            state = "blocked" if str(view.get("condition") or "").startswith("blocked_") else "working"
    return replace(attempt, state=state, text=said, waits=waits, view=view)


def wait_for(attempt: Attempt) -> Call:
    """Wait for a run, twice as long each time."""
    return WAIT, {"agent_id": attempt.run_id, "timeout": 2**attempt.waits}


def only_waited_for(conversation: Conversation, run_ids: Iterable[str]) -> bool:
    """Tell whether the last reply waited for these runs and nothing else: what it saw is new."""
    last = next((message.tool_calls for message in reversed(conversation.since) if message.tool_calls), ())
    waited = {str(call.arguments.get("agent_id")) for call in last if call.name == WAIT}
    return len(waited) == len(last) and waited == set(run_ids)


def _said(text: str, *, is_error: bool = False) -> State:
    if is_error:
        return "failed"
    return "declined" if is_out_of_scope(text) else "done"


def _spawned(done: Done) -> Attempt:
    given, content = done.call.arguments, done.result.content
    agent, goal = str(given.get("agent") or ""), str(given.get("instruction") or "")
    run_id = "" if done.result.is_error else str(view_of(content).get("agent_id") or "")
    return Attempt(agent, goal, "working" if run_id else "refused", content if not run_id else "", run_id)


def _transferred(conversation: Conversation, done: Done) -> Attempt:
    """Read a hand-over that came back: it was refused, declined, or failed."""
    agent = str(done.call.arguments.get("agent_name"))
    if done.result.is_error:
        return Attempt(agent, "", "refused", done.result.content)
    said = next((m.content for m in reversed(conversation.since) if m.role == "assistant" and m.author == agent), "")
    return Attempt(agent, "", "failed" if agent in conversation.failed else "declined", said)
