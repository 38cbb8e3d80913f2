"""Spans as rows: what happened, in order, each with everything about it to unfold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lango_nb.records.decisions import Decision
from lango_nb.viz import html, text
from lango_nb.viz.chart import who_html
from lango_nb.viz.colours import BAD, EVENTS, ROOT, STATES, WARN, outcome_colour
from lango_nb.viz.decisions import decision_html
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.lanes import RUN_ENDS, Key, Lane, key_of
from lango_nb.viz.span import Span

MOST_ROWS = 500
_BLOCKS = {"arguments", "result", "error", "text", "request", "instruction", "detail", "because"}
"""Parts that are shown as they were written."""


def rest(made: Sequence[Span]) -> str:
    """Count what has no row; empty when everything has."""
    hidden = made[MOST_ROWS:]
    if not hidden:
        return ""
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in Counter(span.kind for span in hidden).most_common())
    return f"{count(len(hidden), 'more row')} not shown: {kinds}; the events frame has them all"


def rows_text(made: Sequence[Span], lanes: Mapping[Key, Lane], *, timing: bool = False) -> str:
    """Write a line per span."""
    heads = ["seq", "agent", "what", ""] + (["took"] if timing else [])
    rows = []
    for span in made[:MOST_ROWS]:
        lane = lanes[key_of(span)]
        who = one_line(f"{lane.agent} {lane.run_id}".rstrip(), 24)
        rows.append([span.seqs, who, _what_text(span), _said_text(span)] + ([_ms(span)] if timing else []))
    return text.table(heads, rows, "><<<>")


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


def _said_text(span: Span) -> str:
    said = [one_line(span.said, 160)] if span.said else []
    if span.kind == "ends":
        said.insert(0, span.what)
    if span.kind in {"tool", "failed"}:
        result = _result(span)
        approval = next((part for name, part in span.parts if name == "approval"), "")
        said += [f"({one_line(approval, 60)})"] if approval else []
        said += [f"{'✗' if span.kind == 'failed' else '='} {one_line(result, 120)}"] if result else []
    if span.status and not span.is_call():
        said.append(f"[{one_line(span.status, 40)}]")
    return " ".join(said)


def rows_html(
    made: Sequence[Span],
    lanes: Mapping[Key, Lane],
    colours: Mapping[str, str],
    decisions: Iterable[Decision] = (),
    *,
    timing: bool = False,
) -> str:
    """Show a row per span.

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
    columns = f"{14 + 8 * digits}px minmax(70px,170px) 96px minmax(0,1fr){' 84px' if timing else ''}"
    rows = []
    for span in shown:
        lane = lanes[key_of(span)]
        rows.append(_row(span, columns, lane, colours[lane.agent], known.get(span.decision_id), timing=timing))
    return html.div(*rows, margin_top="8px")


def _row(span: Span, columns: str, lane: Lane, colour: str, decision: Decision | None, *, timing: bool) -> str:  # noqa: PLR0913 - what a row is made of
    cells = [
        html.span(span.seqs, text_align="right", opacity=html.MUTED, white_space="nowrap"),
        html.cell(who_html(lane, colour), hint=f"{lane.agent} {lane.run_id}".rstrip()),
        # the badge would fill its column: it is put into a piece of its own
        html.span(html.badge(span.kind, EVENTS[span.kind]), min_width="0"),
        html.cell(*_summary(span)),
    ]
    if timing:
        cells.append(html.span(_ms(span), text_align="right", opacity=html.MUTED))
    pairs = [(name, html.pre(said) if name in _BLOCKS else esc(said)) for name, said in span.parts if said]
    pairs += [("model call", f"{span.step:,}")] if span.step else []
    body = html.fields(pairs)
    if decision is not None:
        body += html.heading("Decision") + decision_html(decision)
    return html.row_details(columns, cells, body)


def _ms(span: Span) -> str:
    return f"{span.ms:,.1f} ms" if span.ms is not None else ""


def _summary(span: Span) -> list[str]:
    """Say on one line what happened; pieces of HTML."""
    said = f" {html.muted(one_line(span.said, 200))}" if span.said else ""
    status = f" {html.badge(one_line(span.status, 40), _status_colour(span))}" if span.status else ""
    match span.kind:
        case "asks" | "says" | "run starts" | "merges" | "discards" | "forks":
            return [esc(one_line(span.said, 240))]
        case "tool" | "failed" | "approval":
            result = f" → {esc(one_line(_result(span), 120))}" if _result(span) else ""
            return [_strong(span.what), status, said, result]
        case "hands over" | "refused":
            run = f" {html.muted(span.target_run)}" if span.target_run else ""
            return [_strong(f"→ {span.what}"), run, said]
        case "declines" | "returns":
            return [_strong(f"back to {span.what}"), said]
        case "ends":
            return [html.badge(span.what, outcome_colour(span.what)), said]
        case "run ends" | "run fails" | "run stops":
            return [status, " " if status else "", esc(one_line(span.said, 240))]
        case "limit" | "error":
            return [_strong(span.what), said]
    return [_strong(span.what), status, said]


def _status_colour(span: Span) -> str:
    if span.is_call() or span.kind == "run fails":
        return BAD
    return WARN if span.kind in RUN_ENDS else STATES.get(span.status, ROOT)


def _strong(said: str) -> str:
    return html.span(esc(one_line(said, 64)), font_weight="600")


def _result(span: Span) -> str:
    return next((part for name, part in span.parts if name in {"result", "error"}), "")
