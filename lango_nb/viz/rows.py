"""Spans as rows: what happened, in order, each with everything about it to unfold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lango_nb.core.text import counted
from lango_nb.records.decisions import Decision
from lango_nb.viz import document as doc
from lango_nb.viz.colours import BAD, ROOT, STATES, WARN, outcome_colour
from lango_nb.viz.escape import one_line
from lango_nb.viz.lanes import RUN_ENDS, Key, Lane, key_of
from lango_nb.viz.routing import decision_blocks
from lango_nb.viz.spans import Span

MOST_ROWS = 500
_BLOCKS = {"arguments", "result", "error", "text", "request", "instruction", "detail", "because"}
"""Parts that are shown as they were written."""
_CALLS = {"tool", "failed"}


def rest(made: Sequence[Span]) -> str:
    """Count what has no row; empty when everything has."""
    hidden = made[MOST_ROWS:]
    if not hidden:
        return ""
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in Counter(span.kind for span in hidden).most_common())
    return f"{counted(len(hidden), 'more row')} not shown: {kinds}; the events frame has them all"


def span_rows(
    made: Sequence[Span],
    lanes: Mapping[Key, Lane],
    colours: Mapping[str, str],
    decisions: Iterable[Decision] = (),
    *,
    timing: bool = False,
) -> doc.Rows:
    """Write a row per span; a page unfolds everything about it.

    Parameters
    ----------
    made : sequence of Span
    lanes : mapping of key to Lane
    colours : mapping of str to str
        Of agents.
    decisions : iterable of Decision
        Shown where they were taken.
    timing : bool
        Whether rows tell milliseconds.
    """
    known = {decision.id: decision for decision in decisions}
    shown = made[:MOST_ROWS]
    digits = max((len(span.seqs) for span in shown), default=1)
    timed = ("84px",) if timing else ()
    return doc.Rows(
        ("seq", "agent", "what", "", *(["took"] if timing else [])),
        tuple(_row(span, lanes[key_of(span)], colours, timing=timing) for span in shown),
        "><<<>",
        (f"{14 + 8 * digits}px", "minmax(70px,170px)", "96px", "minmax(0,1fr)", *timed),
        tuple(span_blocks(span, known.get(span.decision_id), colours) for span in shown),
    )


def _row(span: Span, lane: Lane, colours: Mapping[str, str], *, timing: bool) -> tuple[doc.Inline, ...]:
    return (
        doc.Muted(span.seqs),
        doc.Name(lane.agent, colours[lane.agent], lane.run_id, plain=24),
        doc.Either(_what_text(span), doc.Tag(span.kind)),
        _said(span),
        *((f"{span.ms:,.1f} ms" if span.ms is not None else "",) if timing else ()),
    )


def span_line(span: Span) -> str:
    """Write a span on one line that begins with its events."""
    said = one_line(span.said, 80)
    return "  ".join(filter(None, (span.seqs, one_line(span.author, 24), _what_text(span), said)))


def span_blocks(span: Span, decision: Decision | None, colours: Mapping[str, str]) -> doc.Document:
    """Tell everything about a span."""
    fields: list[tuple[str, doc.Inline | doc.Code]] = [
        (name, doc.Code(said) if name in _BLOCKS else said) for name, said in span.parts
    ]
    fields += [("model call", f"{span.step:,}")] if span.step else []
    chosen = () if decision is None else (doc.Heading("Decision"), *decision_blocks(decision, colours))
    return (doc.Fields(tuple(fields)), *chosen)


def _what_text(span: Span) -> str:
    name = one_line(span.what, 40)
    match span.kind:
        case "tool" | "failed":
            return name
        case "hands over" | "refused":
            return f"→ {name}{f' {one_line(span.target_run, 24)}' if span.target_run else ''}"
        case "declines" | "returns":
            return f"back to {name}"
        case "approval":
            return f"asks for {name}"
        case "history":
            return f"leaves out {name}"
        case "summary":
            return f"sums up {name}"
        case "hook" | "policy" | "breaker" | "budget" | "recovery" | "blocked":
            return f"{span.kind} {name}"
    return span.kind


def _said(span: Span) -> doc.Inline:
    """Say on one line what happened; the name that a page begins with stands in a text's column before."""
    said, status = one_line(span.said, 160), one_line(span.status, 40)
    lead = _lead(span)
    approval = one_line(_part(span, "approval"), 60) if span.kind in _CALLS else ""
    result = one_line(_part(span, "result", "error"), 120) if span.kind in _CALLS else ""
    sign = "✗" if span.kind == "failed" else "="
    return doc.Words(
        (
            lead,
            doc.Either("", doc.Badge(status, _status_colour(span)) if status and status != span.kind else ""),
            doc.Muted(said) if lead else said,
            doc.Either(f"({approval})" if approval else "", ""),
            doc.Either(f"{sign} {result}", f"→ {result}") if result else "",
            doc.Either(f"[{status}]" if status and not span.is_call() else "", ""),
        )
    )


def _lead(span: Span) -> doc.Inline:
    name = one_line(span.what, 64)
    match span.kind:
        case "asks" | "says" | "run starts" | "run ends" | "run fails" | "run stops" | "merges" | "discards" | "forks":
            return ""
        case "ends":
            return doc.Badge(span.what, outcome_colour(span.what))
        case "hands over" | "refused":
            return doc.Either("", doc.Words((doc.Strong(f"→ {name}"), doc.Muted(span.target_run))))
        case "declines" | "returns":
            return doc.Either("", doc.Strong(f"back to {name}"))
    return doc.Either("", doc.Strong(name))


def _status_colour(span: Span) -> str:
    if span.is_call() or span.kind == "run fails":
        return BAD
    return WARN if span.kind in RUN_ENDS else STATES.get(span.status, ROOT)


def _part(span: Span, *names: str) -> str:
    return next((said for name, said in span.parts if name in names), "")
