"""One turn as it went: who worked when (lanes), and everything that happened (rows that open).

The axis is the order of events, so that the same turn always looks the same; ``timing=True`` shows real milliseconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lango_nb.core.messages import USER
from lango_nb.records.decisions import Decision
from lango_nb.records.turns import Trace
from lango_nb.viz import html, text
from lango_nb.viz.colours import EVENTS, PERSON, agent_colours, outcome_colour
from lango_nb.viz.decisions import decision_html
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.mermaid import label
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.routing import request_html
from lango_nb.viz.spans import Bar, Span, authors, lane_bars, spans, step_bars, timed_bars
from lango_nb.viz.turns import answer_html, facts, path_html, path_text

_MOST_ROWS = 500
_LABELLED = 24
"""Events up to which bars carry a name."""
_PIECES = 160
_TEXT_PIECES = 72
_SIGNS = {
    "asks": "●", "says": "■", "tool": "▬", "failed": "✗", "hands over": "→", "refused": "⊘", "declines": "↩",
    "approval": "?", "limit": "▲", "error": "✗", "ends": "◆",
}  # fmt: skip


def line(trace: Trace) -> str:
    """Write the trace in one line."""
    return f"turn {trace.turn.number}, {trace.turn.outcome}: {one_line(trace.turn.text, 60)}"


def to_text(trace: Trace, *, timing: bool = False) -> str:
    """Write lanes and rows; the answer stands at the end, word for word."""
    made = spans(trace.events)
    turn = trace.turn
    lines = [
        f"turn {turn.number} · {turn.outcome}{f' ({one_line(turn.error_code, 60)})' if turn.error_code else ''}",
        *text.wrap(f"“{turn.text}”", text.WIDTH)[:12],
        *text.wrap(path_text(turn.path), text.WIDTH),
        text.facts(facts(turn, timing=timing)),
    ]
    if made:
        lines += ["", _lanes_text(made, len(trace.events)), "", _rows_text(made[:_MOST_ROWS], timing=timing)]
    lines += text.wrap(_rest(made), text.WIDTH) if _rest(made) else []
    if turn.answer:
        lines += ["", "answer:", text.indent("\n".join(text.wrap(turn.answer, text.WIDTH - 2)), "  ")]
    return "\n".join(part.rstrip() for part in lines)


def _lanes_text(made: Sequence[Span], slots: int) -> str:
    names = authors(made)
    bars = lane_bars(made, slots, _TEXT_PIECES)
    size = min(24, max(map(text.width, names)))
    total = min(slots, _TEXT_PIECES)
    lines = []
    for name in names:
        signs = [" "] * total
        for bar in bars[name]:
            first = round(bar.left * total)
            for place in range(first, min(total, first + max(1, round(bar.size * total)))):
                signs[place] = _SIGNS[bar.kind]
        lines.append(f"{text.pad(text.cut(one_line(name), size), size)}  {''.join(signs)}")
    kinds = dict.fromkeys(span.kind for span in made)
    lines += ["", *text.wrap("  ".join(f"{_SIGNS[kind]} {kind}" for kind in kinds), text.WIDTH)]
    return "\n".join(lines)


def _rows_text(made: Sequence[Span], *, timing: bool) -> str:
    heads = ["seq", "agent", "what", ""] + (["took"] if timing else [])
    rows = [
        [span.seqs, one_line(span.author, 24), _what(span), _said_text(span)] + ([_ms(span)] if timing else [])
        for span in made
    ]
    return text.table(heads, rows, "><<<>")


def _what(span: Span) -> str:
    match span.kind:
        case "tool" | "failed":
            return one_line(span.what, 40)
        case "hands over" | "refused":
            return f"→ {one_line(span.what, 40)}"
        case "declines":
            return f"back to {one_line(span.what, 40)}"
        case "approval":
            return f"asks for {one_line(span.what, 40)}"
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
    if span.status and span.kind in {"refused", "limit", "error"}:
        said.append(f"[{one_line(span.status, 40)}]")
    return " ".join(said)


def _rest(made: Sequence[Span]) -> str:
    hidden = made[_MOST_ROWS:]
    if not hidden:
        return ""
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in Counter(span.kind for span in hidden).most_common())
    return f"{count(len(hidden), 'more row')} not shown: {kinds}; the events frame has them all"


def to_html(trace: Trace, *, timing: bool = False) -> str:
    """Draw lanes and rows.

    Parameters
    ----------
    trace : Trace
    timing : bool
        Whether the axis is real time and rows tell milliseconds.
    """
    made = spans(trace.events)
    turn = trace.turn
    root = turn.path[0] if turn.path else None
    colours = {**agent_colours([*turn.path, *authors(made)], root), USER: PERSON}
    return html.view(
        request_html(turn.text, html.badge(turn.outcome, outcome_colour(turn.outcome))),
        path_html(turn.path, colours),
        html.small(" · ".join(facts(turn, timing=timing))),
        _answer(turn.answer),
        _lanes(made, len(trace.events), colours, timing=timing) if made else html.note("nothing has happened yet"),
        _rows(trace, made[:_MOST_ROWS], colours, timing=timing),
        html.note(_rest(made)),
    )


def _answer(answer: str) -> str:
    if not answer:
        return ""
    quoted = answer_html(answer)
    return html.div(quoted, margin="6px 0 12px 0", padding="2px 0 2px 12px", border_left=f"4px solid {html.EDGE}")


def _lanes(made: Sequence[Span], slots: int, colours: Mapping[str, str], *, timing: bool) -> str:
    if timing:
        bars, calls = timed_bars(made, _MOST_ROWS)
        total = (max(span.end for span in made) - made[0].start).total_seconds() * 1000
        ends = ("0 ms", "time", f"{total:,.1f} ms")
    else:
        bars, calls = lane_bars(made, slots, _PIECES), step_bars(made, slots, _PIECES)
        ends = ("event 1", "order of events", f"event {slots:,}")
    labelled = slots <= _LABELLED and not timing
    rows = [
        _lane_name(name, colours[name])
        + _lane(
            [_bar(bar, labelled=labelled) for bar in bars[name]], [_call(call, colours[name]) for call in calls[name]]
        )
        for name in bars
    ]
    axis = html.div() + html.div(
        *(html.span(end) for end in ends),
        display="flex",
        justify_content="space-between",
        font_size="11px",
        opacity=html.MUTED,
    )
    kinds = [(kind, EVENTS[kind]) for kind in dict.fromkeys(span.kind for span in made)]
    meaning = "a thin line is a model call" if timing else "a line under bars is the model call that led to them"
    hint = html.note(meaning) if any(calls.values()) else ""
    chart = html.grid("minmax(80px,160px) minmax(0,1fr)", *rows, axis, gap="3px 12px")
    return chart + html.legend(kinds) + hint


def _lane_name(name: str, colour: str) -> str:
    return html.div(
        html.dot(colour),
        esc(name),
        title=name,
        font_size=html.SMALL,
        overflow="hidden",
        text_overflow="ellipsis",
        white_space="nowrap",
        min_width="0",
    )


def _lane(bars: Sequence[str], calls: Sequence[str]) -> str:
    return html.div(
        *bars,
        *calls,
        position="relative",
        height="24px",
        border_radius="4px",
        background=html.SURFACE,
        overflow="hidden",
    )


def _bar(bar: Bar, *, labelled: bool) -> str:
    return html.at(
        bar.left,
        bar.size,
        esc(bar.label) if labelled else "",
        title=bar.kind if bar.label in {"", bar.kind} else f"{bar.kind}: {bar.label}",
        top="2px",
        height="16px",
        box_sizing="border-box",
        border_left="1px solid transparent",
        background=EVENTS[bar.kind],
        background_clip="padding-box",
        border_radius="3px",
        color="#ffffff",
        font_size="10px",
        line_height="16px",
        padding_left="4px" if labelled else "",
        white_space="nowrap",
        overflow="hidden",
        text_overflow="ellipsis",
    )


def _call(call: Bar, colour: str) -> str:
    return html.at(
        call.left,
        call.size,
        title=call.label,
        top="20px",
        height="3px",
        box_sizing="border-box",
        border_left="1px solid transparent",
        background=colour,
        background_clip="padding-box",
    )


def _rows(trace: Trace, made: Sequence[Span], colours: Mapping[str, str], *, timing: bool) -> str:
    decisions = {decision.id: decision for decision in trace.decisions}
    digits = max((len(span.seqs) for span in made), default=1)
    columns = f"{14 + 8 * digits}px minmax(70px,150px) 96px minmax(0,1fr){' 84px' if timing else ''}"
    rows = (_row(span, columns, colours[span.author], decisions.get(span.decision_id), timing=timing) for span in made)
    return html.div(*rows, margin_top="8px")


def _row(span: Span, columns: str, colour: str, decision: Decision | None, *, timing: bool) -> str:
    cells = [
        html.span(span.seqs, text_align="right", opacity=html.MUTED, white_space="nowrap"),
        html.cell(html.dot(colour), esc(span.author), hint=span.author),
        html.badge(span.kind, EVENTS[span.kind]),
        html.cell(*_summary(span)),
    ]
    if timing:
        cells.append(html.span(_ms(span), text_align="right", opacity=html.MUTED))
    pairs = [(name, html.pre(said) if name in _BLOCKS else esc(said)) for name, said in span.parts if said]
    pairs += [("model call", f"{span.step:,}")] if span.step else []
    body = html.fields(pairs)
    if decision is not None:
        body += html.heading("Decision") + decision_html(decision)
    # the badge would fill its column: it is put into a piece of its own
    cells[2] = html.span(cells[2], min_width="0")
    return html.row_details(columns, cells, body)


def _ms(span: Span) -> str:
    return f"{span.ms:,.1f} ms" if span.ms is not None else ""


_BLOCKS = {"arguments", "result", "error", "text", "request", "detail", "because"}


def _summary(span: Span) -> list[str]:
    """Say on one line what happened; pieces of HTML."""
    said = f" {html.muted(one_line(span.said, 200))}" if span.said else ""
    match span.kind:
        case "asks" | "says":
            return [esc(one_line(span.said, 240))]
        case "tool" | "failed" | "approval":
            status = f" {html.badge(span.status, EVENTS['failed'])}" if span.status else ""
            result = f" → {esc(one_line(_result(span), 120))}" if _result(span) else ""
            return [_strong(span.what), status, said, result]
        case "hands over" | "refused":
            return [_strong(f"→ {span.what}"), said]
        case "declines":
            return [_strong(f"back to {span.what}"), said]
        case "ends":
            return [html.badge(span.what, outcome_colour(span.what)), said]
    return [_strong(span.what), said]


def _strong(said: str) -> str:
    return html.span(esc(one_line(said, 64)), font_weight="600")


def _result(span: Span) -> str:
    return next((part for name, part in span.parts if name in {"result", "error"}), "")


def to_mermaid(trace: Trace) -> str:
    """Write the turn as a mermaid sequence diagram."""
    made = spans(trace.events)[:_MOST_ROWS]
    names = list(dict.fromkeys([*authors(made), *(s.what for s in made if s.kind in {"hands over", "declines"})]))
    alias = {name: f"p{place}" for place, name in enumerate(names)}
    first = alias.get(trace.turn.path[0], "p0") if trace.turn.path else "p0"
    lines = ["sequenceDiagram", *(f"  participant {alias[name]} as {label(name)}" for name in names)]
    for span in made:
        who = alias[span.author]
        match span.kind:
            case "asks":
                lines.append(f"  {who}->>{first}: {label(span.said, 80)}")
            case "hands over":
                lines.append(f"  {who}->>{alias[span.what]}: {label(span.said or 'hands over', 80)}")
            case "declines":
                lines.append(f"  {who}-->>{alias[span.what]}: {label('declines', 80)}")
            case "says":
                lines.append(f"  {who}->>{alias.get('user', who)}: {label(span.said or 'says', 80)}")
            case "tool" | "failed" | "approval":
                lines.append(f"  {who}->>{who}: {label(span.what + (' fails' if span.kind == 'failed' else ''), 80)}")
            case _:
                lines.append(f"  Note over {who}: {label(f'{span.kind} {span.what}', 80)}")
    return "\n".join(lines)


RENDERER = Renderer(line, to_text, to_html, to_mermaid)
