"""Events as spans: what belongs together is one, everything else is one event.

asked ─ started ─ finished      one span of the kind ``tool``, or ``failed``
blocked ─ no longer blocked     one span of the kind ``blocked``
handover, text, declined …      one span each
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, NamedTuple

from lango_nb.core import events as ev
from lango_nb.core.messages import Usage
from lango_nb.core.text import counted

Group = Literal["words", "work", "handing over", "waiting", "failing"]
"""What a kind of span is about; kinds of one group share a colour and differ by their signs."""


class Kind(NamedTuple):
    """How a kind of span is told from others."""

    sign: str
    """One character, no other kind's."""
    group: Group


KINDS: Mapping[str, Kind] = {
    "tool": Kind("▬", "work"),
    "says": Kind("■", "words"),
    "asks": Kind("●", "words"),
    "ends": Kind("◆", "words"),
    "forks": Kind("┌", "handing over"),
    "merges": Kind("┘", "handing over"),
    "run starts": Kind("▸", "handing over"),
    "run ends": Kind("◂", "handing over"),
    "hook": Kind("¤", "work"),
    "policy": Kind("§", "work"),
    "summary": Kind("◍", "words"),
    "history": Kind("◌", "words"),
    "recalls": Kind("◎", "words"),
    "budget": Kind("△", "waiting"),
    "approval": Kind("?", "waiting"),
    "hands over": Kind("→", "handing over"),
    "returns": Kind("↩", "handing over"),
    "declines": Kind("↶", "handing over"),
    "refused": Kind("⊘", "waiting"),
    "discards": Kind("⊖", "handing over"),
    "run stops": Kind("◃", "waiting"),
    "recovery": Kind("↻", "waiting"),
    "breaker": Kind("⌁", "waiting"),
    "blocked": Kind("‖", "waiting"),
    "limit": Kind("▲", "waiting"),
    "error": Kind("!", "failing"),
    "run fails": Kind("⊗", "failing"),
    "failed": Kind("✗", "failing"),
}
"""Kinds of spans; where several share a place, the last one here is the one to be seen."""
_OTHER = Kind("◇", "words")
_RANKS = {kind: rank for rank, kind in enumerate(KINDS)}


def kind_of(name: str) -> Kind:
    """Return the sign and the group of a kind, also of one that :data:`KINDS` does not name.

    Examples
    --------
    >>> kind_of("hands over")
    Kind(sign='→', group='handing over')
    """
    return KINDS.get(name, _OTHER)


def rank_of(name: str) -> int:
    """Say how much a kind is to be seen where several share a place; one that is not known gives way."""
    return _RANKS.get(name, -1)


@dataclass(slots=True)
class Span:
    """Something that happened in a turn, from its first event to its last."""

    kind: str
    """``asks``, ``says``, ``tool``, ``failed``, ``hands over`` … (see :data:`KINDS`)."""
    author: str
    step: int
    first: int
    """``seq`` of its first event."""
    last: int
    start: datetime
    end: datetime
    what: str = ""
    """A name: of a tool, of an agent."""
    said: str = ""
    """The text that goes with it."""
    status: str = ""
    """Empty when all is well."""
    parts: list[tuple[str, str]] = field(default_factory=list)
    """Everything about it: name and text."""
    decision_id: str = ""
    run_id: str = ""
    """The teammate run it belongs to; empty for the turn's own work."""
    target_run: str = ""
    """The run a hand-over made."""
    is_open: bool = False
    """Whether a run is still blocked after the last event there is."""
    ms: float | None = None
    """How long a tool took, or the model before it spoke."""
    model_ms: float = 0.0
    """How long the model took before its first event."""

    @property
    def seqs(self) -> str:
        """Its events, as a number or a range."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    def is_call(self) -> bool:
        """Tell whether it is a tool call, however it ended."""
        return self.kind in {"tool", "failed", "approval"}


def arguments_text(arguments: Mapping[str, object]) -> str:
    """Write arguments of a call on one line, as JSON without its outer braces.

    Examples
    --------
    >>> arguments_text({"path": "a.md", "limit": 3})
    'path: "a.md", limit: 3'
    """
    return ", ".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())


def arguments_block(arguments: Mapping[str, object]) -> str:
    """Write arguments of a call over several lines, texts as they are."""
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in arguments.items()
    )


def tools_text(tools: Iterable[str] | None) -> str:
    """Write what a run is narrowed to; empty when it may use all its role has.

    Examples
    --------
    >>> tools_text(None), tools_text(()), tools_text(["fs_read", "exec"])
    ('', 'none', 'fs_read, exec')
    """
    return "" if tools is None else ", ".join(tools) or "none"


def short_label(span: Span) -> str:
    """Write what a bar is, as briefly as can be.

    Examples
    --------
    >>> from datetime import datetime
    >>> now = datetime(2026, 1, 1)
    >>> short_label(Span("hands over", "root", 1, 2, 2, now, now, "vault"))
    '→ vault'
    """
    match span.kind:
        case "hands over" | "refused":
            return f"→ {span.what}"
        case "tool" | "failed" | "approval":
            return span.what
        case "run starts" | "run ends" | "run fails" | "run stops":
            return span.kind.removeprefix("run ")
    return span.kind


# -- an event, in words ------------------------------------------------------------------------------------------------

_COMMON = frozenset(field.name for field in fields(ev.BaseEvent)) | {"kind"}
_UNSHOWN = frozenset(
    "call_id decision_id request_id grant_request_id child child_session arguments_hash usage latency_ms "
    "duration_ms limits circuits".split()
)
"""Ids and times may differ each time; the frame has them."""
_TOLD_NO = frozenset({"allowed"})
"""What is worth telling when it is not so."""


def particulars(event: ev.BaseEvent) -> list[tuple[str, str]]:
    """List what is particular to an event's kind; empty values are left out."""
    names = (field.name for field in fields(event) if field.name not in _COMMON and field.name not in _UNSHOWN)
    told = ((name, _told(name, getattr(event, name))) for name in names)
    return [(name.replace("_", " "), said) for name, said in told if said]


def _told(name: str, value: object) -> str:
    """Write a value; empty when there is nothing to tell."""
    match value:
        case bool():
            return "yes" if value else "no" if name in _TOLD_NO else ""
        case float():
            return f"{value:g}" if value else ""
        case dict():
            return arguments_text(value)
        case tuple():
            return tools_text(value)
    return str(value) if value else ""


# -- from events to spans ----------------------------------------------------------------------------------------------

_CALLS = (ev.ApprovalAsked, ev.ApprovalDecided, ev.ToolStarted, ev.ToolFinished)
_NO_USAGE = Usage()


def spans(events: Iterable[ev.Event]) -> list[Span]:
    """Put events together to spans.

    Parameters
    ----------
    events : iterable of ev.Event
        In order.

    Returns
    -------
    list of Span
        In the order of their first events.
    """
    made: list[Span] = []
    still_open: dict[tuple[str, ...], Span] = {}
    for event in events:
        key = _belongs_to(event)
        span = still_open.get(key) if key else None
        if span is None:
            span = Span("", event.author, event.step, event.seq, event.seq, event.at, event.at, run_id=event.run_id)
            if isinstance(event, ev.RunStarted):
                _link(made[-1] if made else None, event)
            made.append(span)
            if key:
                still_open[key] = span
        span.last, span.end = event.seq, event.at
        span.model_ms = span.model_ms or getattr(event, "usage", _NO_USAGE).latency_ms
        _READERS.get(type(event), _other)(span, event)
        if isinstance(event, ev.RunBlocked):
            span.is_open = bool(event.condition)
        if isinstance(event, ev.ToolFinished) or (isinstance(event, ev.RunBlocked) and not event.condition):
            still_open.pop(key, None)
        if isinstance(event, ev.RunFinished):
            _unblock(made, event)
    return made


def _unblock(made: Iterable[Span], event: ev.RunFinished) -> None:
    """End what a run was blocked by: it ended without an answer."""
    for span in made:
        if span.is_open and span.run_id == event.run_id:
            span.is_open, span.last, span.end = False, event.seq - 1, event.at


def _belongs_to(event: ev.Event) -> tuple[str, ...]:
    """Name what an event is a part of; empty for one that stands alone. Ids of calls are unique in a run only."""
    if isinstance(event, _CALLS):
        return "call", event.run_id, event.call_id
    if isinstance(event, ev.RunBlocked):
        return "blocked", event.run_id, event.tool
    return ()


def _link(before: Span | None, event: ev.RunStarted) -> None:
    """Tell a hand-over which run it made: that comes right after it."""
    if before is not None and (before.kind, before.author, before.what) == ("hands over", event.author, event.agent):
        before.target_run = event.run_id


# -- one function per kind of event: it fills the span ----------------------------------------------------------------


def _turn_started(span: Span, event: ev.TurnStarted) -> None:
    span.kind, span.said = "asks", event.text
    span.parts = [("request", event.text)]
    if event.continues:
        span.said = f"{event.text} (goes on where {event.continues} stood)"
        span.parts.append(("continues", event.continues))


def _text_said(span: Span, event: ev.TextSaid) -> None:
    span.kind, span.said = "says", event.text
    span.parts = [("text", event.text), *_usage(event.usage)]
    span.ms = event.usage.latency_ms or None


def _handed_over(span: Span, event: ev.HandedOver) -> None:
    span.kind, span.what, span.said, span.decision_id = "hands over", event.target, event.reason, event.decision_id
    round_number = str(event.round or "")
    span.parts = [("to", event.target), ("because", event.reason), ("round", round_number), *_usage(event.usage)]
    span.ms = event.usage.latency_ms or None


def _refused(span: Span, event: ev.HandOverRefused) -> None:
    span.kind, span.what, span.said, span.status = "refused", event.target, event.detail, event.code
    span.parts = [("to", event.target), ("refused", event.code), ("detail", event.detail)]


def _declined(span: Span, event: ev.Declined) -> None:
    span.kind, span.what, span.said = "declines", event.target, event.text
    span.parts = [("text", event.text), ("back to", event.target), *_usage(event.usage)]
    span.ms = event.usage.latency_ms or None


def _returned(span: Span, event: ev.Returned) -> None:
    span.kind, span.what, span.said = "returns", event.target, event.reason
    span.parts = [("because", event.reason), ("back to", event.target), *_usage(event.usage)]
    span.ms = event.usage.latency_ms or None


def _run_started(span: Span, event: ev.RunStarted) -> None:
    span.kind, span.what, span.said = "run starts", event.agent, event.instruction
    span.parts = [
        ("instruction", event.instruction),
        ("asked for by", event.author),
        ("because", event.reason),
        ("may use", tools_text(event.allowed_tools)),
        ("own session", event.child_session),
        ("depth", str(event.depth)),
        ("may take", f"{event.timeout_s:g} s" if event.timeout_s else ""),
    ]


_RUN_ENDS = {"completed": "run ends", "failed": "run fails", "cancelled": "run stops"}


def _run_finished(span: Span, event: ev.RunFinished) -> None:
    span.kind, span.what = _RUN_ENDS[event.status], event.status
    span.said, span.status = event.result or event.error, event.error_code
    span.parts = [
        ("status", event.status),
        ("result", event.result),
        ("error", event.error),
        ("code", event.error_code),
        ("counts", f"{counted(event.steps, 'model call')}, {counted(event.tool_calls, 'tool call')}"),
    ]
    span.ms = event.duration_ms


def _run_blocked(span: Span, event: ev.RunBlocked) -> None:
    span.kind, span.what, span.status = "blocked", event.tool, event.grant_state
    if event.condition:
        span.said = event.reason
        span.parts += [
            ("tool", event.tool),
            ("waits because", event.reason),
            ("condition", event.condition),
            ("asks for", event.grant_request_id),
            ("attempt", str(event.grant_attempt or "")),
        ]
        return
    span.said = span.said or event.reason
    span.parts.append(
        ("goes on", f"{event.grant_state}{': ' if event.grant_state and event.reason else ''}{event.reason}")
    )


def _forked(span: Span, event: ev.ChildForked) -> None:
    seen = f" that shows {counted(event.inherited, 'earlier message')}" if event.inherited else ""
    span.kind, span.said = "forks", f"a session of its own{seen}"
    span.parts = [("session", event.child), ("inherits", counted(event.inherited, "message"))]


def _merged(span: Span, event: ev.ChildMerged) -> None:
    span.kind, span.said = "merges", event.summary
    span.parts = [("text", event.summary), ("session", event.child), ("written by", event.author)]


def _discarded(span: Span, event: ev.ChildDiscarded) -> None:
    span.kind, span.said = "discards", event.reason
    span.parts = [("because", event.reason), ("session", event.child), ("written by", event.author)]


def _hook_decided(span: Span, event: ev.HookDecided) -> None:
    span.kind, span.what, span.said, span.status = "hook", event.hook, event.detail, event.action
    span.parts = [
        ("hook", event.hook),
        ("does", f"{event.action} {event.phase} {event.tool}"),
        ("detail", event.detail),
    ]


def _policy_decided(span: Span, event: ev.PolicyDecided) -> None:
    span.kind, span.what, span.said, span.status = "policy", event.tool, event.reason, event.decision
    span.parts = [("tool", event.tool), ("decision", event.decision), ("code", event.code), ("because", event.reason)]


def _breaker_changed(span: Span, event: ev.BreakerChanged) -> None:
    span.kind, span.what, span.said, span.status = "breaker", event.circuit, event.detail, event.state
    failures = counted(event.failures, "failure") if event.failures else ""
    span.parts = [("circuit", event.circuit), ("state", event.state), ("after", failures), ("detail", event.detail)]


def _history_trimmed(span: Span, event: ev.HistoryTrimmed) -> None:
    span.kind, span.what, span.status = "history", counted(event.dropped, "earlier message"), "left out"
    which = "them" if event.summarized >= event.dropped else f"{event.summarized:,} of them"
    span.said = f"a summary stands for {which}" if event.summarized else ""
    if event.detail:
        span.said = "; ".join(filter(None, (span.said, f"no summary: {event.detail}")))
    kept = f"about {event.tokens:,} of at most {event.limit_tokens:,} tokens"
    span.parts = [("kept", kept), ("summary", span.said)]


def _history_summarized(span: Span, event: ev.HistorySummarized) -> None:
    span.kind, span.what, span.said = "summary", counted(event.dropped, "earlier message"), event.text
    span.parts = [("text", event.text), ("stands for", span.what), *_usage(event.usage)]
    span.ms = event.usage.latency_ms or None


def _recalled(span: Span, event: ev.Recalled) -> None:
    lines = [line.removeprefix("- ") for line in event.text.splitlines() if line.startswith("- ")]
    span.kind, span.what, span.said = "recalls", counted(len(lines), "line"), "; ".join(lines)
    span.parts = [("text", event.text)]


def _budget_warning(span: Span, event: ev.BudgetWarning) -> None:
    span.kind, span.what, span.said = "budget", event.limit, f"{event.used:g} of {event.of:g} used"
    span.parts = [("limit", event.limit), ("used", f"{event.used:g} of {event.of:g}")]


def _budget_expanded(span: Span, event: ev.BudgetExpanded) -> None:
    span.kind, span.what, span.status = "budget", event.limit, "raised"
    span.said = f"{event.before:g} → {event.after:g}: {event.reason}"
    span.parts = [
        ("limit", event.limit),
        ("raised", f"{event.before:g} → {event.after:g}"),
        ("because", event.reason),
    ]


def _recovery(span: Span, event: ev.RecoveryAttempted) -> None:
    span.kind, span.what, span.status = "recovery", event.action.replace("_", " "), event.error_code
    span.said = event.detail
    span.parts = [
        ("does", event.action),
        ("after", f"{event.error_class}: {event.error_code}" if event.error_code else event.error_class),
        ("of", event.failed_agent),
        ("attempt", str(event.attempt)),
        ("waits", f"{event.wait_s:g} s" if event.wait_s else ""),
        ("detail", event.detail),
    ]


def _limit_reached(span: Span, event: ev.LimitReached) -> None:
    span.kind, span.what, span.said, span.status = "limit", event.limit, event.detail, "limit"
    span.parts = [("limit", f"{event.limit}: {event.value:g}"), ("detail", event.detail)]


def _error(span: Span, event: ev.ErrorRaised) -> None:
    span.kind, span.what, span.said, span.status = "error", event.code, event.text, "error"
    span.parts = [("code", event.code), ("text", event.text)]


def _turn_finished(span: Span, event: ev.TurnFinished) -> None:
    span.kind, span.what = "ends", event.outcome
    counts = (
        counted(event.steps, "model call"),
        counted(event.rounds, "round"),
        counted(event.tool_calls, "tool call"),
    )
    span.said = ", ".join(counts)
    span.parts = [("outcome", event.outcome), ("error", event.error_code), ("counts", span.said)]
    span.ms = event.duration_ms


def _approval_asked(span: Span, event: ev.ApprovalAsked) -> None:
    span.kind, span.what, span.said = "approval", event.tool, arguments_text(event.arguments)
    span.parts += [("arguments", arguments_block(event.arguments)), ("asked because", event.reason)]


_HOLDS = {"once": "", "turn": " for this turn", "session": " for this session"}


def _approval_decided(span: Span, event: ev.ApprovalDecided) -> None:
    said = f"allowed{_HOLDS[event.scope]}" if event.allowed else "denied"
    span.what = span.what or event.tool
    span.kind = span.kind or "approval"
    span.status = "" if event.allowed else "denied"
    span.parts.append(("approval", f"{said} by {event.by}{f': {event.detail}' if event.detail else ''}"))


def _tool_started(span: Span, event: ev.ToolStarted) -> None:
    span.kind, span.what, span.said = "tool", event.tool, arguments_text(event.arguments)
    known = {name for name, _ in span.parts}
    span.parts += [] if "arguments" in known else [("arguments", arguments_block(event.arguments))]
    span.parts += [("safety", event.safety), *_usage(event.usage)]


def _tool_finished(span: Span, event: ev.ToolFinished) -> None:
    span.what = span.what or event.tool
    span.kind = "failed" if event.is_error else "tool"
    span.status = span.status or ((event.code or "failed") if event.is_error else "")
    span.parts.append(("error" if event.is_error else "result", event.result))
    span.ms = event.latency_ms


_READERS: Mapping[type[ev.BaseEvent], Callable[[Span, Any], None]] = {
    ev.TurnStarted: _turn_started,
    ev.TextSaid: _text_said,
    ev.HandedOver: _handed_over,
    ev.HandOverRefused: _refused,
    ev.Declined: _declined,
    ev.Returned: _returned,
    ev.RunStarted: _run_started,
    ev.RunBlocked: _run_blocked,
    ev.RunFinished: _run_finished,
    ev.ChildForked: _forked,
    ev.ChildMerged: _merged,
    ev.ChildDiscarded: _discarded,
    ev.HookDecided: _hook_decided,
    ev.PolicyDecided: _policy_decided,
    ev.BreakerChanged: _breaker_changed,
    ev.HistoryTrimmed: _history_trimmed,
    ev.HistorySummarized: _history_summarized,
    ev.Recalled: _recalled,
    ev.BudgetWarning: _budget_warning,
    ev.BudgetExpanded: _budget_expanded,
    ev.RecoveryAttempted: _recovery,
    ev.ApprovalAsked: _approval_asked,
    ev.ApprovalDecided: _approval_decided,
    ev.ToolStarted: _tool_started,
    ev.ToolFinished: _tool_finished,
    ev.LimitReached: _limit_reached,
    ev.ErrorRaised: _error,
    ev.TurnFinished: _turn_finished,
}


def _other(span: Span, event: ev.Event) -> None:
    """Tell of an event that has no reader of its own."""
    span.kind, span.parts = event.kind.replace(".", " "), particulars(event)
    span.said = ", ".join(f"{name}: {said}" for name, said in span.parts)


def _usage(usage: Usage) -> list[tuple[str, str]]:
    if usage.input_tokens is None and usage.output_tokens is None:
        return []
    read, written = ("?" if n is None else f"{n:,}" for n in (usage.input_tokens, usage.output_tokens))
    return [("tokens", f"{read} read, {written} written")]
