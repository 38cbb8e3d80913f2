"""Requests about runs: they are waited for, looked at or stopped."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lango_nb.core.messages import Reply
from lango_nb.models.offline.attempts import MOST_WAITS, Attempt, look, wait_for
from lango_nb.models.offline.conversation import Conversation, Done
from lango_nb.models.offline.offer import STOP, WAIT, Offer

_NUMBER = r"\w+(?:-\d+)?"
"""The end of an id: in a home it begins with the number of the process, ``arun-7-1``."""
_RUN = re.compile(rf"\barun-{_NUMBER}\b", re.IGNORECASE)
_STOPS = re.compile(r"\b(?:stop|cancel|kill|abort|terminate|end)\b", re.IGNORECASE)
_WAITS = re.compile(r"\bwait\b|\bawait\b|\bcollect\b|\buntil\b", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:don.?t|do not|never|should(?: i| we)?|can i|may i)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:what|how|is|are|has|did|does|status|state|done|finished|ready|show|check|result|progress|still|about|look)\b"
    rf"|^\W*arun-{_NUMBER}\W*$",
    re.IGNORECASE,
)


def upkeep(conversation: Conversation, offer: Offer) -> Reply | None:
    """Take the next step of a request about runs.

    Parameters
    ----------
    conversation : Conversation
    offer : Offer

    Returns
    -------
    Reply or None
        ``None`` when the request is about something else, or what it needs is not offered.
    """
    folded = conversation.text.casefold()
    if "arun-" in folded and WAIT in offer.names:
        return _runs(conversation, offer)
    return None


def about_runs(attempt: Attempt) -> str:
    """Say how a run is doing, or what it came to.

    Parameters
    ----------
    attempt : Attempt

    Returns
    -------
    str
        The result itself where there is one.
    """
    view = attempt.view or {}
    who = f"{attempt.run_id} ({attempt.agent})" if attempt.agent and attempt.run_id else attempt.run_id or attempt.agent
    match attempt.state:
        case "done":
            return attempt.text.strip() or f"{who} finished without saying anything."
        case "declined":
            return f"{who} declined: {attempt.text.strip()}"
        case "failed" | "refused":
            return f"{who} failed: {attempt.text.strip() or 'nobody said why'}"
        case "cancelled":
            return f"{who} was cancelled."
        case "blocked":
            return _waiting(attempt)
        case _:
            behind = f" It waits for {view['waiting_on_run_id']}." if view.get("waiting_on_run_id") else ""
            return f"{who} is still at work.{behind} Ask me about {attempt.run_id} later, or let me stop it."


def _waiting(attempt: Attempt) -> str:
    """Say what a blocked run waits for."""
    view = attempt.view or {}
    who = f"{attempt.run_id} ({attempt.agent})" if attempt.agent else attempt.run_id
    request = str(view.get("grant_request_id") or "")
    tool = request.removeprefix(f"grant-{attempt.run_id}-")
    reason = str(view.get("blocked_reason") or "").strip().rstrip(".")
    because = f" ({reason})" if reason else ""
    if not request:
        return f"{who} is waiting for an answer{because}. It goes on once it has one."
    return (
        f"{who} is waiting for an answer: may it use {tool}?{because} The request is {request}; the run goes on once it is "
        f"answered. Ask me about {attempt.run_id} then."
    )


# -- runs --------------------------------------------------------------------------------------------------------------


def _runs(conversation: Conversation, offer: Offer) -> Reply | None:
    text = conversation.text
    ids = tuple(dict.fromkeys(run_id.lower() for run_id in _RUN.findall(text)))
    if _STOPS.search(text):
        if _NEGATED.search(text) or STOP not in offer.names:
            return Reply(text=f"I stopped nothing. If you want that, say: stop {ids[0]}.")
        return _stop(conversation, ids)
    if not (is_wait := bool(_WAITS.search(text))) and not _ASKS.search(text):
        return None
    seen = {run_id: Attempt("", "", "working", run_id=run_id) for run_id in ids}
    for done in conversation.done():
        run_id = str(done.call.arguments.get("agent_id"))
        if done.call.name == WAIT and run_id in seen:
            seen[run_id] = look(seen[run_id], done)
    if waiting := [one for one in seen.values() if _is_to_wait_for(one, is_wait=is_wait)]:
        return conversation.calls(
            *(wait_for(one) if is_wait else (WAIT, {"agent_id": one.run_id, "timeout": 0}) for one in waiting)
        )
    return Reply(text="\n\n".join(_looked_at(one) for one in seen.values()))


def _is_to_wait_for(attempt: Attempt, *, is_wait: bool) -> bool:
    """Tell whether a run is looked at once more; a look is enough unless waiting was asked for."""
    return not attempt.waits or (is_wait and attempt.state == "working" and attempt.waits < MOST_WAITS)


def _looked_at(attempt: Attempt) -> str:
    if attempt.state == "failed" and attempt.view is None:
        return f"I cannot say how {attempt.run_id} is doing: {attempt.text}"
    said = about_runs(attempt)
    if attempt.state != "done":
        return said
    return f"{attempt.run_id}: {said}" if said.startswith("Done") else f"{attempt.run_id} is done: {said}"


def _stop(conversation: Conversation, ids: Sequence[str]) -> Reply:
    done = [done for done in conversation.done() if done.call.name == STOP]
    if not done:
        return conversation.calls(*((STOP, {"agent_id": run_id}) for run_id in ids))
    return Reply(text="\n".join(_stopped(one) for one in done))


def _stopped(done: Done) -> str:
    run_id = done.call.arguments.get("agent_id")
    if done.result.is_error:
        return f"I did not stop {run_id}: {done.result.content}"
    return f"{run_id} was stopped."
