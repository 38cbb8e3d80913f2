"""One turn as it went: who worked when (lanes), and everything that happened (rows that open).

The axis is the order of events, so that the same turn always looks the same; ``timing=True`` shows real milliseconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from lango_nb.records.decisions import Decision
from lango_nb.records.turns import Trace
from lango_nb.viz import html, text
from lango_nb.viz.colours import EVENTS, ROOT, agent_colours, outcome_colour
from lango_nb.viz.decisions import decision_html
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.mermaid import label
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.spans import Bar, Span, authors, lane_bars, spans
from lango_nb.viz.turns import facts, path_html, path_text

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
        " · ".join(facts(turn, timing=timing)),
    ]
    if made:
        lines += ["", _lanes_text(made, len(trace.events)), "", _rows_text(made[:_MOST_ROWS], timing=timing)]
    lines += [part for part in [_rest(made)] if part]
    if turn.answer:
        lines += ["", "answer:", text.indent("\n".join(text.wrap(turn.answer, text.WIDTH - 2)), "  ")]
    return "\n".join(part.rstrip() for part in lines)


def _lanes_text(made: Sequence[Span], slots: int) -> str:
    names = authors(made)
    bars = lane_bars(made, names, slots, _TEXT_PIECES)
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
    lines += ["", "  ".join(f"{_SIGNS[kind]} {kind}" for kind in kinds)]
    return "\n".join(lines)


def _rows_text(made: Sequence[Span], *, timing: bool) -> str:
    heads = ["seq", "agent", "what", ""] + (["ms"] if timing else [])
    rows = [
        [span.seqs, one_line(span.author, 24), _what(span), _said_text(span)]
        + ([f"{span.ms:.1f}" if span.ms is not None else ""] if timing else [])
        for span in made
    ]
    return text.table(heads, rows, "><<<>")


def _what(span: Span) -> str:
    match span.kind:
        case "tool" | "failed":
            return one_line(span.what, 40)
        case "hands over" | "refused":
            return f"→ {one_line(span.what, 40)}"
        case "approval":
            return f"asks for {one_line(span.what, 40)}"
    return span.kind


def _said_text(span: Span) -> str:
    said = [one_line(span.said, 160)] if span.said else []
    if span.kind == "ends":
        said.insert(0, span.what)
    if span.kind in {"tool", "failed"}:
        result = next((part for name, part in span.parts if name in {"result", "error"}), "")
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
    colours = agent_colours([*turn.path, *authors(made)], turn.path[0] if turn.path else None)
    colours = {**colours, "user": ROOT}
    decisions = {decision.id: decision for decision in trace.decisions}
    word = html.badge(turn.outcome, outcome_colour(turn.outcome))
    said = f"“{_short(turn.text)}”"
    return html.view(
        '<div style="display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px;margin:0 0 4px 0">'
        f'{word}<span style="font-size:15px;min-width:0;overflow-wrap:break-word">{said}</span></div>',
        path_html(turn.path, colours),
        html.tag("div", f"font-size:12px;margin:2px 0 6px 0;{html.MUTED}", esc(" · ".join(facts(turn, timing=timing)))),
        html.details(html.muted("the whole request"), html.pre(turn.text)) if len(turn.text) > _LONG_REQUEST else "",
        _answer(turn.answer),
        _lanes(made, len(trace.events), colours, timing=timing) if made else html.note("nothing has happened yet"),
        _rows(made[:_MOST_ROWS], colours, decisions, timing=timing),
        html.note(_rest(made)),
    )


_LONG_REQUEST = 400


def _short(said: str) -> str:
    return esc(said).replace("\n", "<br>") if len(said) <= _LONG_REQUEST else esc(one_line(said, _LONG_REQUEST))


def _answer(answer: str) -> str:
    if not answer:
        return ""
    return f'<div style="margin:6px 0 10px 0;padding:2px 0 2px 12px;border-left:4px solid {html.EDGE}">{answer_html(answer)}</div>'


def answer_html(answer: str) -> str:
    """Write an answer as it is, folding what is long."""
    if len(answer) > 2_000:  # noqa: PLR2004 - an answer that fills a screen
        return html.pre(answer)
    return f'<div style="white-space:pre-wrap;overflow-wrap:break-word">{esc(answer)}</div>'


def _lanes(made: Sequence[Span], slots: int, colours: dict[str, str], *, timing: bool) -> str:
    names = authors(made)
    bars = _timed_bars(made, names) if timing else lane_bars(made, names, slots, _PIECES)
    is_labelled = slots <= _LABELLED and not timing
    rows = "".join(_lane(name, bars[name], colours[name], is_labelled=is_labelled) for name in names)
    total = (made[-1].end - made[0].start).total_seconds() * 1000
    ends = ("0 ms", "time", f"{total:,.1f} ms") if timing else ("event 1", "order of events", f"event {slots:,}")
    axis = (
        f'<div></div><div style="display:flex;justify-content:space-between;font-size:11px;{html.MUTED}">'
        + "".join(f"<span>{end}</span>" for end in ends)
        + "</div>"
    )
    kinds = dict.fromkeys(span.kind for span in made)
    return (
        '<div style="display:grid;grid-template-columns:minmax(80px,160px) minmax(0,1fr);gap:3px 12px;align-items:center">'
        f"{rows}{axis}</div>{html.legend((kind, EVENTS[kind]) for kind in kinds)}"
    )


def _lane(name: str, bars: Sequence[Bar], colour: str, *, is_labelled: bool) -> str:
    inner = "".join(_bar(bar, is_labelled=is_labelled) for bar in bars)
    return (
        f'<div style="{html.ELLIPSIS};font-size:12px" title="{esc(name)}">{html.dot(colour)}{esc(name)}</div>'
        f'<div style="position:relative;height:20px;border-radius:4px;background:{html.SURFACE};overflow:hidden">{inner}</div>'
    )


def _bar(bar: Bar, *, is_labelled: bool) -> str:
    said = esc(bar.label) if is_labelled else ""
    hover = f' title="{esc(bar.kind + (": " + bar.label if bar.label and bar.label != bar.kind else ""))}"'
    return (
        f'<div style="position:absolute;left:{100 * bar.left:.3f}%;width:{100 * bar.size:.3f}%;top:2px;height:16px;'
        f"box-sizing:border-box;border-left:1px solid transparent;background:{EVENTS[bar.kind]};background-clip:padding-box;"
        "border-radius:3px;color:#ffffff;font-size:10px;line-height:16px;padding-left:4px;white-space:nowrap;overflow:hidden;"
        f'text-overflow:ellipsis"{hover}>{said}</div>'
    )


def _timed_bars(made: Sequence[Span], names: Sequence[str]) -> dict[str, list[Bar]]:
    start, end = made[0].start, max(span.end for span in made)
    total = (end - start).total_seconds() or 1e-9
    bars: dict[str, list[Bar]] = {name: [] for name in names}
    for span in made[: 4 * _PIECES]:
        left, right = _seconds(span, start)
        left, right = max(0.0, left / total), min(1.0, right / total)
        said = f"{span.what} {span.ms:,.1f} ms" if span.ms is not None else span.what
        size = max(0.004, right - left)
        bars[span.author].append(Bar(span.kind, said.strip(), min(left, 1 - size), size))
    return bars


def _seconds(span: Span, start: datetime) -> tuple[float, float]:
    """Return when a span began and ended: a model spoke at its event and began its latency before."""
    left, right = (span.start - start).total_seconds(), (span.end - start).total_seconds()
    if span.first == span.last and span.ms and span.kind not in {"ends", "tool", "failed"}:
        left = right - span.ms / 1000
    return left, right


def _rows(made: Sequence[Span], colours: dict[str, str], decisions: dict[str, Decision], *, timing: bool) -> str:
    return (
        f'<div style="margin-top:8px">{"".join(_row(span, colours, decisions, timing=timing) for span in made)}</div>'
    )


def _row(span: Span, colours: dict[str, str], decisions: dict[str, Decision], *, timing: bool) -> str:
    columns = f"46px minmax(70px,150px) 84px minmax(0,1fr){' 78px' if timing else ''}"
    ms = f"{span.ms:,.1f} ms" if span.ms is not None else ""
    summary = (
        f'<span style="display:inline-grid;vertical-align:top;width:calc(100% - 20px);grid-template-columns:{columns};'
        'gap:0 10px;align-items:baseline">'
        f'<span style="text-align:right;{html.MUTED}">{span.seqs}</span>'
        f'<span style="{html.ELLIPSIS}" title="{esc(span.author)}">{html.dot(colours[span.author])}{esc(span.author)}</span>'
        f"<span>{html.badge(span.kind, EVENTS[span.kind])}</span>"
        f'<span style="{html.ELLIPSIS}">{_summary(span)}</span>'
        + (f'<span style="text-align:right;{html.MUTED}">{ms}</span>' if timing else "")
        + "</span>"
    )
    pairs = [(name, html.pre(said) if name in _BLOCKS else esc(said)) for name, said in span.parts if said]
    if span.step:
        pairs.append(("model call", f"{span.step:,}"))
    decision = decisions.get(span.decision_id)
    body = html.fields(pairs) + (html.heading("Decision") + decision_html(decision) if decision else "")
    return html.details(summary, body, style=f"margin:0;padding:2px 0;border-bottom:1px solid {html.SURFACE}")


_BLOCKS = {"arguments", "result", "error", "text", "request", "detail", "because"}


def _summary(span: Span) -> str:
    said = html.muted(one_line(span.said, 200)) if span.said else ""
    match span.kind:
        case "asks" | "says":
            return esc(one_line(span.said, 200))
        case "tool" | "failed" | "approval":
            status = f" {html.badge(span.status, EVENTS['failed'])}" if span.status else ""
            return f'<span style="font-weight:600">{esc(one_line(span.what, 64))}</span>{status} {said}'
        case "hands over" | "refused":
            return f'<span style="font-weight:600">→ {esc(one_line(span.what, 64))}</span> {said}'
        case "ends":
            return f"{html.badge(span.what, outcome_colour(span.what))} {said}"
    return f"{esc(one_line(span.what, 64))} {said}"


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
