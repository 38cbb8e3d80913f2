"""Events of turns, one row each, whatever their kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import repeat

from lango_nb.core.events import BaseEvent
from lango_nb.core.messages import USER
from lango_nb.frames.column import Column, Sources, json_text, some, stored
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import event_rows, table_rows, turn_rows
from lango_nb.records.history import History
from lango_nb.records.turns import Trace
from lango_nb.stores.schema import EVENTS


def _agent(author: str) -> str | None:
    return None if author == USER else author


_event = partial(stored, EVENTS, "event")
IDS = (
    some("session_id", "turn.session_id", "string", "", "Session; missing for events without their trace."),
    _event("turn_id"),
    _event("seq"),
    _event("run_id"),
    _event("message_id"),
)
INFO = (
    _event("kind"),
    _event("at"),
    _event("author"),
    Column("agent", "event.author", "string", "", "The author, missing for the user.", convert=_agent),
    _event("step"),
)
TEXT = (
    _event("text", required=False),
    some("continues", "event.continues", "string", "", "The turn of an earlier process that goes on in this one."),
    some("detail", "event.detail", "string", "", "More about a refusal, a limit, an approval or a hook."),
    some("code", "event.code", "string", "", "Short word for what went wrong, or why a command may run or not."),
    some("reason", "event.reason", "string", "", "Why, in the words of a model, a policy or a person."),
)
HANDOVER = (
    _event("target", required=False),
    _event("decision_id", required=False),
    some("round", "event.round", "Int64", "", "Number of the delegation round, from 1."),
)
RUN = (
    _event("agent", as_="run_agent", required=False),
    some("instruction", "event.instruction", "string", "", "What a run is asked to do."),
    some(
        "allowed_tools",
        "event.allowed_tools",
        "string",
        "",
        "What a run is narrowed to; missing when to nothing.",
        ", ".join,
    ),
    some("depth", "event.depth", "Int64", "", "How many runs a run is below the root."),
    some("timeout_s", "event.timeout_s", "float64", "s", "How long a run may take."),
    some("status", "event.status", "string", "", "How a run ended: completed, failed or cancelled."),
    some("error", "event.error", "string", "", "Why a run did not end well."),
    some("condition", "event.condition", "string", "", "What a run waits for; empty when it goes on."),
    some("grant_request_id", "event.grant_request_id", "string", "", "The grant that a blocked run asks for."),
    some("grant_attempt", "event.grant_attempt", "Int64", "", "How often it asked, from 1."),
    some("grant_state", "event.grant_state", "string", "", "pending, granted or denied."),
)
CHILD = (
    some("child_session", "event.child_session|child", "string", "", "Session of its own that an agent works in."),
    some("inherited", "event.inherited", "Int64", "messages", "Messages of its parent that a new session shows."),
    some("summary", "event.summary", "string", "", "What the parent was told of a session that was merged."),
)
TOOL = (
    _event("call_id", required=False),
    _event("tool", required=False),
    some("arguments", "event.arguments", "string", "JSON", "Arguments of the call.", json_text),
    some("arguments_hash", "event.arguments_hash", "string", "", "What an approval was bound to."),
    some("safety", "event.safety", "string", "", "safe, moderate or dangerous."),
    some("role", "event.role", "string", "", "What the tool is there for: work or control."),
    _event("result", required=False),
    _event("is_error", required=False),
    _event("latency_ms", required=False),
)
APPROVAL = (
    some("request_id", "event.request_id", "string", "", "Names the question for whoever answers it."),
    some("allowed", "event.allowed", "boolean", "", "Answer to a call that needed one."),
    some("by", "event.by", "string", "", "Who answered."),
    some("scope", "event.scope", "string", "", "How long the answer holds for the same call: once, turn or session."),
)
DECIDED = (
    some("hook", "event.hook", "string", "", "Hook that decided."),
    some("phase", "event.phase", "string", "", "before or after the call."),
    some("action", "event.action", "string", "", "What a hook did, or what is done about a failure."),
    some("decision", "event.decision", "string", "", "allow, deny or needs_approval; allow, observe or block."),
    some("circuit", "event.circuit", "string", "", "Breaker that changed: an agent, or provider:name."),
    some("state", "event.state", "string", "", "closed, open or half_open."),
    some("failures", "event.failures", "Int64", "", "Failures that the breaker counted."),
)
LIMIT = (
    some("limit", "event.limit", "string", "", "Limit that was reached, nearly reached, or raised."),
    some("value", "event.value", "float64", "", "Its value."),
    some("used", "event.used", "float64", "", "How much of it is used."),
    some("of", "event.of", "float64", "", "Of how much."),
    some("before", "event.before", "float64", "", "What a raised limit was."),
    some("after", "event.after", "float64", "", "What it is now."),
    some("limits", "event.limits", "string", "JSON", "What the turn may use, by name of the limit.", json_text),
    some("circuits", "event.circuits", "string", "JSON", "Breakers that were not closed when it began.", json_text),
    some("dropped", "event.dropped", "Int64", "", "Earlier messages that a model was not given."),
    some("tokens", "event.tokens", "Int64", "tokens", "About how much of the conversation a model was given."),
    some("summarized", "event.summarized", "Int64", "messages", "How many of them a summary stood for."),
    some("through", "event.through", "string", "", "Request of the last exchange that a summary stands for."),
    some("limit_tokens", "event.limit_tokens", "Int64", "tokens", "How much of it a model is given at most."),
)
RECOVERY = (
    some("error_class", "event.error_class", "string", "", "Kind of failure that something is done about."),
    some("attempt", "event.attempt", "Int64", "", "Number of the attempt, from 1 per turn and class."),
    some("failed_agent", "event.failed_agent", "string", "", "Agent that failed."),
    some("after_handover", "event.after_handover", "boolean", "", "Whether the request had been handed over."),
    some("wait_s", "event.wait_s", "float64", "s", "Time before the next attempt."),
)
USAGE = (
    _event("model", required=False),
    _event("input_tokens", required=False),
    _event("output_tokens", required=False),
    _event("model_latency_ms", required=False),
    _event("cost_usd", required=False),
)
CLOSING = (
    _event("outcome", required=False),
    _event("error_code", required=False),
    some("rounds", "event.rounds", "Int64", "", "Replies of the turn that handed over."),
    some("steps", "event.steps", "Int64", "", "Model calls of the turn or the run."),
    some("tool_calls", "event.tool_calls", "Int64", "", "Tool calls of the turn or the run."),
    some("duration_ms", "event.duration_ms", "float64", "ms", "How long the turn or the run took."),
)
COLUMNS = IDS + INFO + TEXT + HANDOVER + RUN + CHILD + TOOL + APPROVAL + DECIDED + LIMIT + RECOVERY + USAGE + CLOSING


def _stored(history: History, wanted: Wanted) -> Sources:
    found = table_rows(history, wanted.get("event", ()), wanted.get("turn", ()))
    if found is not None:
        return {"event": found[0], "turn": found[1]}
    events = event_rows(wanted.get("event", ()))
    if "turn" not in wanted:
        for _, rows in history.events():
            events.extend(rows)
        return {"event": events}
    turns = turn_rows(wanted["turn"])
    for turn, rows in history.events():
        events.extend(rows)
        turns.extend(repeat(turn, len(rows)))
    return {"event": events, "turn": turns}


@frame("events", COLUMNS, Trace, BaseEvent, stored=_stored)
def events_df(traces: Sequence[Trace | BaseEvent]) -> Sources:
    """List the events of one turn or of many, in order.

    Parameters
    ----------
    traces : Trace, event, or iterable of them; or History
        Events alone do not know their session. A history also has what runs did after the end of their turn.

    Returns
    -------
    DataFrame
        One row per event; what a kind does not have is missing. Join by ``turn_id``, ``run_id``, ``message_id``,
        ``decision_id``, ``call_id``, ``agent`` or ``tool``; a model gives ids to its calls, so ``call_id`` is unique in
        a run only.
    """
    turns: list[object] = []
    events: list[object] = []
    for item in traces:
        if isinstance(item, Trace):
            events += item.events
            turns += repeat(item.turn, len(item.events))
        else:
            events.append(item)
            turns.append(None)
    return {"event": events, "turn": turns}
