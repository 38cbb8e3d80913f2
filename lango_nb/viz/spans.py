"""Events of a turn as spans: a tool call with its approval and its result is one, everything else is one event.

asked ─ started ─ finished      one span of the kind ``tool``, or ``failed``
handover, text, declined …      one span each
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lango_nb.core.events import (
    ApprovalAsked,
    ApprovalDecided,
    Declined,
    ErrorRaised,
    Event,
    HandedOver,
    HandOverRefused,
    LimitReached,
    TextSaid,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from lango_nb.core.messages import Usage
from lango_nb.viz.escape import count


@dataclass(slots=True)
class Span:
    """Something that happened in a turn, from its first event to its last."""

    kind: str
    """``asks``, ``says``, ``tool``, ``failed``, ``hands over`` … (see ``colours.EVENTS``)."""
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
    ms: float | None = None
    """How long a tool took, or the model before it spoke."""
    model_ms: float = 0.0
    """How long the model took before its first event."""

    @property
    def seqs(self) -> str:
        """Its events, as a number or a range."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


_NO_USAGE = Usage()


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


def spans(events: Iterable[Event]) -> list[Span]:
    """Put events together to spans.

    Parameters
    ----------
    events : iterable of Event
        In order.

    Returns
    -------
    list of Span
        In the order of their first events.
    """
    made: list[Span] = []
    calls: dict[str, Span] = {}
    for event in events:
        open_call = calls.get(getattr(event, "call_id", "")) if _is_call(event) else None
        if open_call is None:
            open_call = Span("", event.author, event.step, event.seq, event.seq, event.at, event.at)
            made.append(open_call)
            if _is_call(event):
                calls[event.call_id] = open_call  # type: ignore[union-attr]  # every event of a call has it
        open_call.last, open_call.end = event.seq, event.at
        open_call.model_ms = open_call.model_ms or getattr(event, "usage", _NO_USAGE).latency_ms
        _add(open_call, event)
        if isinstance(event, ToolFinished):
            calls.pop(event.call_id, None)
    return made


def _is_call(event: Event) -> bool:
    return isinstance(event, ApprovalAsked | ApprovalDecided | ToolStarted | ToolFinished)


def _add(span: Span, event: Event) -> None:
    if _is_call(event):
        _add_call(span, event)
        return
    match event:
        case TurnStarted():
            span.kind, span.said = "asks", event.text
            span.parts = [("request", event.text)]
        case TextSaid():
            span.kind, span.said = "says", event.text
            span.parts = [("text", event.text), *_usage(event.usage)]
            span.ms = event.usage.latency_ms or None
        case HandedOver():
            span.kind, span.what, span.said, span.decision_id = (
                "hands over",
                event.target,
                event.reason,
                event.decision_id,
            )
            span.parts = [
                ("to", event.target),
                ("because", event.reason),
                ("round", str(event.round or "")),
                *_usage(event.usage),
            ]
            span.ms = event.usage.latency_ms or None
        case HandOverRefused():
            span.kind, span.what, span.said, span.status = "refused", event.target, event.detail, event.code
            span.parts = [("to", event.target), ("refused", event.code), ("detail", event.detail)]
        case Declined():
            span.kind, span.what, span.said = "declines", event.target, event.text
            span.parts = [("text", event.text), ("back to", event.target), *_usage(event.usage)]
            span.ms = event.usage.latency_ms or None
        case _:
            _add_ending(span, event)


def _add_ending(span: Span, event: Event) -> None:
    match event:
        case LimitReached():
            span.kind, span.what, span.said, span.status = "limit", event.limit, event.detail, "limit"
            span.parts = [("limit", f"{event.limit}: {event.value}"), ("detail", event.detail)]
        case ErrorRaised():
            span.kind, span.what, span.said, span.status = "error", event.code, event.text, "error"
            span.parts = [("code", event.code), ("text", event.text)]
        case TurnFinished():
            span.kind, span.what = "ends", event.outcome
            counts = [
                count(event.steps, "model call"),
                count(event.rounds, "hand-over"),
                count(event.tool_calls, "tool call"),
            ]
            span.said = ", ".join(counts)
            span.parts = [("outcome", event.outcome), ("error", event.error_code), ("counts", span.said)]
            span.ms = event.duration_ms


def _add_call(span: Span, event: Event) -> None:
    match event:
        case ApprovalAsked():
            span.kind, span.what, span.said = "approval", event.tool, arguments_text(event.arguments)
            span.parts += [("arguments", arguments_block(event.arguments)), ("asked because", event.reason)]
        case ApprovalDecided():
            answer = (
                f"{'allowed' if event.allowed else 'denied'} by {event.by}{': ' + event.detail if event.detail else ''}"
            )
            span.what = span.what or event.tool
            span.kind = span.kind or "approval"
            span.status = "" if event.allowed else "denied"
            span.parts.append(("approval", answer))
        case ToolStarted():
            span.kind, span.what, span.said = "tool", event.tool, arguments_text(event.arguments)
            known = {name for name, _ in span.parts}
            span.parts += [] if "arguments" in known else [("arguments", arguments_block(event.arguments))]
            span.parts += [("safety", event.safety), *_usage(event.usage)]
        case ToolFinished():
            span.what = span.what or event.tool
            span.kind = "failed" if event.is_error else "tool"
            span.status = span.status or ((event.code or "failed") if event.is_error else "")
            span.parts.append(("error" if event.is_error else "result", event.result))
            span.ms = event.latency_ms


def _usage(usage: Usage) -> list[tuple[str, str]]:
    if usage.input_tokens is None and usage.output_tokens is None:
        return []
    read, written = ("?" if n is None else f"{n:,}" for n in (usage.input_tokens, usage.output_tokens))
    return [("tokens", f"{read} read, {written} written")]


def authors(made: Sequence[Span]) -> list[str]:
    """List who did something, in the order of first appearance."""
    return list(dict.fromkeys(span.author for span in made))


@dataclass(frozen=True, slots=True)
class Bar:
    """A piece of a lane: where it lies between 0 and 1, and what it stands for."""

    kind: str
    label: str
    left: float
    size: float


def lane_bars(made: Sequence[Span], slots: int, most: int) -> dict[str, list[Bar]]:
    """Lay spans out in lanes, one per author, along the order of events.

    Parameters
    ----------
    made : sequence of Span
    slots : int
        How many events there are.
    most : int
        Pieces a lane may be divided into; spans that fall into the same piece are drawn as one, the worst kind wins.

    Returns
    -------
    dict of str to list of Bar
        By author.
    """
    if slots <= most:
        found: dict[str, list[Bar]] = {name: [] for name in authors(made)}
        for span in made:
            bar = Bar(span.kind, short_label(span), (span.first - 1) / slots, (span.last - span.first + 1) / slots)
            found[span.author].append(bar)
        return found
    pieces: dict[str, dict[int, str]] = {name: {} for name in authors(made)}
    for span in made:
        for piece in range((span.first - 1) * most // slots, (span.last - 1) * most // slots + 1):
            known = pieces[span.author].get(piece)
            if known is None or _WORST.index(span.kind) > _WORST.index(known):
                pieces[span.author][piece] = span.kind
    return {name: _merge(kinds, most) for name, kinds in pieces.items()}


_WORST = ("tool", "says", "asks", "ends", "approval", "hands over", "declines", "refused", "limit", "error", "failed")


def _merge(kinds: Mapping[int, str], most: int) -> list[Bar]:
    bars: list[Bar] = []
    end = -1
    for piece in sorted(kinds):
        if bars and piece == end and bars[-1].kind == kinds[piece]:
            bars[-1] = Bar(bars[-1].kind, "", bars[-1].left, bars[-1].size + 1 / most)
        else:
            bars.append(Bar(kinds[piece], "", piece / most, 1 / most))
        end = piece + 1
    return bars


def step_bars(made: Sequence[Span], slots: int, most: int) -> dict[str, list[Bar]]:
    """Lay model calls out in lanes: each reaches from the first event it led to, to the last.

    Parameters
    ----------
    made : sequence of Span
    slots, most : int
        How many events there are, and up to how many model calls are shown at all.

    Returns
    -------
    dict of str to list of Bar
        By author.
    """
    found: dict[str, list[Bar]] = {name: [] for name in authors(made)}
    if slots > most:
        return found
    ends: dict[tuple[str, int], tuple[int, int]] = {}
    for span in made:
        if span.step and span.kind not in {"ends", "limit", "error"}:
            first, last = ends.get((span.author, span.step), (span.first, span.last))
            ends[span.author, span.step] = min(first, span.first), max(last, span.last)
    for (author, step), (first, last) in ends.items():
        found[author].append(Bar("model call", f"model call {step}", (first - 1) / slots, (last - first + 1) / slots))
    return found


def timed_bars(made: Sequence[Span], most: int) -> tuple[dict[str, list[Bar]], dict[str, list[Bar]]]:
    """Lay spans and model calls out in lanes along real time.

    Parameters
    ----------
    made : sequence of Span
    most : int
        How many spans are drawn.

    Returns
    -------
    dict, dict
        Bars of spans and bars of model calls, by author.
    """
    start, end = made[0].start, max(span.end for span in made)
    total = (end - start).total_seconds() * 1000 or 1.0
    bars: dict[str, list[Bar]] = {name: [] for name in authors(made)}
    calls: dict[str, list[Bar]] = {name: [] for name in authors(made)}
    for span in made[:most]:
        left, right = (_ms(span.start, start), _ms(span.end, start))
        said = f"{short_label(span)} {span.ms:,.1f} ms" if span.ms is not None else short_label(span)
        bars[span.author].append(_timed(span.kind, said, left / total, right / total))
        if span.model_ms:
            call = f"model call {span.step} {span.model_ms:,.1f} ms"
            calls[span.author].append(_timed("model call", call, (left - span.model_ms) / total, left / total))
    return bars, calls


def _ms(moment: datetime, start: datetime) -> float:
    return (moment - start).total_seconds() * 1000


def _timed(kind: str, said: str, left: float, right: float) -> Bar:
    left = min(max(0.0, left), 1 - _THINNEST)
    return Bar(kind, said, left, max(_THINNEST, min(1.0, right) - left))


_THINNEST = 0.004
"""Share of a lane that can still be seen."""


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
    return span.kind
