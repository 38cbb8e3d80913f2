"""An evaluation: shares with their intervals side by side, then agents, confusions, confidences, and every mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lango_nb.evaluation.answers import Verdict
from lango_nb.evaluation.measures import Cell, Point
from lango_nb.evaluation.results import Evaluation, Result
from lango_nb.routing.taught import ROOT as ROOT_NAME
from lango_nb.viz import html, shares, text
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.mermaid import label
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.shares import (
    AGENT_HEADS,
    BIN_HEADS,
    CURVE_HEADS,
    explained,
    language_heads,
    percent,
    short,
    went,
)

MOST_MISTAKES = 100
"""Mistakes that are shown per topology; the frame has all."""
_COLOURS: dict[Verdict, str] = {
    "right": GOOD,
    "abstained": ROOT,
    "kept": WARN,
    "wrong_agent": BAD,
    "invalid": "#7b4bb3",
    "error": "#a8326e",
}
_WORDS: dict[Verdict, str] = {
    "right": "right",
    "abstained": "nobody, though somebody is right",
    "kept": "kept by the root",
    "wrong_agent": "at a wrong agent",
    "invalid": "a name that is not there",
    "error": "no answer",
}
_GREEN, _RED, _GREY = "rgba(47,125,70,{:.2f})", "rgba(179,38,30,{:.2f})", "rgba(127,127,127,{:.2f})"
_FAINTEST = 0.08
_STRONGEST = 0.35
"""Opacity of a full field of the confusion matrix: text on it stays readable on light and dark pages."""
_MARK = "rgba(127,127,127,.9)"
_NAME = 24
_REQUEST = 160
_PAIRS = 10
_EDGES = 40
_CONFIDENCE = "Confidence is not accuracy"
_CONFIDENCE_NOTE = (
    "What the router says of an answer, and how often such answers are right; abstentions count as who leads."
)
_CURVE_NOTE = "One threshold for agents and the root alike; the marked row is the nearest to the router's own."


@dataclass(frozen=True)
class Mistakes:
    """The mistakes of an evaluation, each with its explanation."""

    evaluation: Evaluation


# -- text --------------------------------------------------------------------------------------------------------------


def line(evaluation: Evaluation) -> str:
    """Write the evaluation in one line."""
    shares = ", ".join(f"{short(one.topology)} {percent(one.accuracy.value)}" for one in evaluation.results)
    return f"{short(evaluation.subject)}, {count(evaluation.n, 'request')}: {shares} right"


def _head(evaluation: Evaluation) -> list[str]:
    return [text.facts([f"evaluation of {one_line(evaluation.subject, 60)}", *shares.facts(evaluation)])]


def to_text(evaluation: Evaluation, *, timing: bool = False) -> str:
    """Write the shares side by side, and each topology below.

    Parameters
    ----------
    evaluation : Evaluation
    timing : bool
        Tell how long answers took.
    """
    heads, rows = shares.summary(evaluation)
    lines = [*_head(evaluation), "", text.table(heads, rows, "<" + ">" * (len(heads) - 1))]
    remarks = shares.remarks(evaluation, timing=timing)
    lines += [""] if remarks else []
    lines += [part for remark in remarks for part in text.wrap(remark, text.WIDTH)]
    lines += ["", "In brackets: the 95 % interval (Wilson)."]
    for result in evaluation.results:
        lines += ["", *_result_text(result)]
    if languages := shares.languages(evaluation):
        lines += [
            "",
            "Right, by language",
            "",
            text.table(language_heads(evaluation), languages, "<" + ">" * (1 + len(evaluation))),
        ]
    return "\n".join(lines)


def _result_text(result: Result) -> list[str]:
    name = short(result.topology)
    lines = [f"{name}: agents", "", text.table(AGENT_HEADS, shares.agents(result), "<>>>>>")]
    confused = sorted((cell for cell in result.confusion if not cell.is_right), key=lambda cell: -cell.count)
    wrong = [[short(cell.right), short(cell.got), f"{cell.count:,}"] for cell in confused[:_PAIRS]]
    if wrong:
        lines += ["", f"{name}: most often confused", "", text.table(("belongs to", "went to", "times"), wrong, "<<>")]
    if result.calibration:
        lines += ["", f"{name}: confidence is not accuracy", "", text.table(BIN_HEADS, shares.bins(result), "<>>>")]
    if points := shares.points(result):
        rows = [
            [
                f"{'▶' if is_own else ' '} {point.threshold:.2f}",
                percent(point.answered.value),
                percent(point.accuracy.value),
                percent(point.wrong_agent.value),
            ]
            for point, is_own in points
        ]
        lines += ["", f"{name}: what a threshold buys", "", text.table(CURVE_HEADS, rows, ">>>>")]
    if result.mistakes:
        lines += ["", f"{name}: {_where(result)}"]
    return lines


def _where(result: Result) -> str:
    return f"{count(len(result.mistakes), 'mistake')}: --mistakes or .mistakes explains each"


def mistakes_line(mistakes: Mistakes) -> str:
    """Write how many mistakes there are."""
    return f"{count(len(mistakes.evaluation.mistakes), 'mistake')} of {short(mistakes.evaluation.subject)}"


def mistakes_text(mistakes: Mistakes) -> str:
    """Write every mistake with its explanation."""
    evaluation = mistakes.evaluation
    lines = _head(evaluation)
    for result in evaluation.results:
        lines += ["", f"{short(result.topology)}: {count(len(result.mistakes), 'mistake')} of {result.n:,}"]
        for one in result.mistakes[:MOST_MISTAKES]:
            language = f", {short(one.language)}" if one.language else ""
            said = f"“{one_line(one.text, _REQUEST)}” (row {one.number}{language})"
            lines += ["", *text.wrap(said, text.WIDTH), *_indented(went(one))]
            lines += [part for what, words in explained(one) for part in _indented(f"{what}: {words}")]
        lines += [f"\n{rest}"] if (rest := _rest(result)) else []
    return "\n".join(lines)


def _indented(words: str) -> list[str]:
    return [f"  {part}" for part in text.wrap(one_line(words, 400), text.WIDTH - 2)]


def _rest(result: Result) -> str:
    hidden = len(result.mistakes) - MOST_MISTAKES
    return f"and {count(hidden, 'mistake')} more; the frame of mistakes has them all" if hidden > 0 else ""


# -- HTML --------------------------------------------------------------------------------------------------------------


def to_html(evaluation: Evaluation, *, timing: bool = False) -> str:
    """Draw the shares side by side; each topology is folded below.

    Parameters
    ----------
    evaluation : Evaluation
    timing : bool
        Tell how long answers took.
    """
    heads, rows = shares.summary(evaluation)
    cells = [
        [esc(row[0]), _outcomes(result), *(esc(cell) for cell in row[1:])]
        for row, result in zip(rows, evaluation.results, strict=True)
    ]
    seen = {one.verdict for result in evaluation.results for one in result.judged}
    return html.view(
        _header(evaluation),
        html.listing([heads[0], "", *heads[1:]], cells, "<<" + ">" * (len(heads) - 1)),
        html.legend((_WORDS[verdict], colour) for verdict, colour in _COLOURS.items() if verdict in seen),
        *(html.note(remark) for remark in shares.remarks(evaluation, timing=timing)),
        html.note("In brackets: the 95 % interval (Wilson)."),
        *(_result_html(result, is_open=len(evaluation.results) == 1) for result in evaluation.results),
        _languages_html(evaluation),
    )


def _header(evaluation: Evaluation) -> str:
    facts = [one_line(fact, 80) for fact in shares.facts(evaluation)]
    return html.header(f"Evaluation of {one_line(evaluation.subject, 60)}", facts)


def _outcomes(result: Result) -> str:
    """Draw a bar of what came of the requests."""
    counts = Counter(one.verdict for one in result.judged)
    parts = [
        (counts[verdict] / result.n, colour, f"{_WORDS[verdict]}: {counts[verdict]:,}")
        for verdict, colour in _COLOURS.items()
        if counts[verdict]
    ]
    return html.div(html.segments(parts), width="180px", min_width="80px", margin="4px 0 0 0")


def _result_html(result: Result, *, is_open: bool) -> str:
    body = [html.heading("Agents"), html.listing(AGENT_HEADS, _escaped(shares.agents(result)), "<>>>>>")]
    if result.judged:
        body += [html.heading("Where requests belong, and where they went"), _matrix(result)]
    if result.calibration:
        body += [html.heading(_CONFIDENCE), _calibration(result), html.note(_CONFIDENCE_NOTE)]
    if result.curve:
        body += [html.heading("What a threshold buys"), _curve(result), html.note(_CURVE_NOTE)]
    if result.mistakes:
        body.append(html.note(_where(result)))
    said = f" {percent(result.accuracy.value)} right, {count(len(result.mistakes), 'mistake')}"
    summary = html.span(esc(short(result.topology)), font_weight="600") + html.muted(said)
    return html.details(summary, "".join(body), is_open=is_open, margin="8px 0 0 0")


def _escaped(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    return [[esc(cell) for cell in row] for row in rows]


def _matrix(result: Result) -> str:
    """Draw the confusion matrix: a row per agent that requests belong to, a column per place they went to."""
    cells = {(cell.right, cell.got): cell for cell in result.confusion}
    order = {name: place for place, name in enumerate((ROOT_NAME, *result.agents))}
    rows, columns = (
        sorted({pair[side] for pair in cells}, key=lambda name: (order.get(name, len(order)), name)) for side in (0, 1)
    )
    sums = {right: sum(cell.count for cell in result.confusion if cell.right == right) for right in rows}
    head = html.th("", border_bottom=f"1px solid {html.EDGE}") + "".join(
        html.th(html.inline(got, _NAME), text_align="right", border_bottom=f"1px solid {html.EDGE}") for got in columns
    )
    lines = (
        html.td(html.inline(right, _NAME)) + "".join(_field(cells.get((right, got)), sums[right]) for got in columns)
        for right in rows
    )
    return html.table(head, lines)


def _field(cell: Cell | None, of: int) -> str:
    if cell is None:
        return html.td("", padding="4px 10px")
    colour = _GREEN if cell.is_right else _GREY if cell.got == "(abstained)" else _RED
    shade = colour.format(max(_FAINTEST, _STRONGEST * cell.count / of))
    return html.td(f"{cell.count:,}", text_align="right", background=shade, padding="4px 10px")


def _calibration(result: Result) -> str:
    bars = [_calibration_bar(one.confidence, one.right.value or 0.0) for one in result.calibration]
    rows = [[*(esc(cell) for cell in row), bar] for row, bar in zip(shares.bins(result), bars, strict=True)]
    return html.listing((*BIN_HEADS, ""), rows, "<>>><")


def _calibration_bar(confidence: float, right: float) -> str:
    """Draw how often answers are right, and a mark at their confidence."""
    mark = html.at(min(confidence, 0.99), 0, title=f"mean confidence {percent(confidence)}", width="2px", top="-2px",
                   height="16px", background=_MARK)  # fmt: skip
    bar = html.segments([(right, GOOD, f"right {percent(right)}")])
    return html.div(bar, mark, position="relative", height="12px", width="140px", margin="4px 0 0 0")


def _curve(result: Result) -> str:
    rows = []
    for point, is_own in shares.points(result):
        weight = "600" if is_own else "400"
        shown = (
            f"{point.threshold:.2f}",
            percent(point.answered.value),
            percent(point.accuracy.value),
            percent(point.wrong_agent.value),
        )
        rows.append([*(html.span(esc(cell), font_weight=weight) for cell in shown), _curve_bar(point)])
    return html.listing((*CURVE_HEADS, ""), rows, ">>>><")


def _curve_bar(point: Point) -> str:
    right, wrong, every = point.accuracy.count, point.wrong_agent.count, point.answered.of
    kept = point.answered.count - right - wrong
    parts = [
        (number / every, colour, f"{words}: {number:,}")
        for number, colour, words in (
            (right, GOOD, "right"),
            (kept, WARN, "kept by the root"),
            (wrong, BAD, "wrong agent"),
        )
        if every
    ]
    return html.div(html.segments(parts), width="180px", margin="4px 0 0 0")


def _languages_html(evaluation: Evaluation) -> str:
    if not (languages := shares.languages(evaluation)):
        return ""
    body = html.listing(language_heads(evaluation), _escaped(languages), "<" + ">" * (1 + len(evaluation)))
    return html.details(html.span("Right, by language", font_weight="600"), body, margin="8px 0 0 0")


def _mistakes(result: Result) -> str:
    rows = (
        html.details(
            html.badge(short(one.answer.got), _COLOURS[one.verdict]) + " " + html.inline(one.text, _REQUEST),
            html.div(esc(went(one)))
            + html.fields((what, esc(one_line(words, 400))) for what, words in explained(one))
            + html.small(f"row {one.number}" + (f", {short(one.language)}" if one.language else "")),
        )
        for one in result.mistakes[:MOST_MISTAKES]
    )
    return "".join(rows) + html.note(_rest(result))


def mistakes_html(mistakes: Mistakes) -> str:
    """List every mistake; its explanation is folded below it."""
    evaluation = mistakes.evaluation
    parts = [
        html.heading(f"{short(result.topology)}: {count(len(result.mistakes), 'mistake')} of {result.n:,}")
        + _mistakes(result)
        for result in evaluation.results
    ]
    return html.view(_header(evaluation), *parts)


# -- mermaid -----------------------------------------------------------------------------------------------------------


def to_mermaid(evaluation: Evaluation) -> str:
    """Write what is confused with what as a mermaid flow chart: from where requests belong to where they went."""
    lines = ["flowchart LR"]
    for number, result in enumerate(evaluation.results):
        confused = sorted((cell for cell in result.confusion if not cell.is_right), key=lambda cell: -cell.count)
        shown = confused[:_EDGES]
        lines.append(f'  subgraph t{number}["{label(result.topology)}: {percent(result.accuracy.value)} right"]')
        lines += [] if shown else [f'    t{number}none["no mistake"]']
        rights, gots = (list(dict.fromkeys(getattr(cell, side) for cell in shown)) for side in ("right", "got"))
        lines += [f'    t{number}r{place}["{label(name)}"]' for place, name in enumerate(rights)]
        lines += [f'    t{number}g{place}["{label(name)}"]' for place, name in enumerate(gots)]
        lines += [
            f'    t{number}r{rights.index(cell.right)} -->|"{cell.count}"| t{number}g{gots.index(cell.got)}'
            for cell in shown
        ]
        lines.append("  end")
    return "\n".join(lines)


RENDERER = Renderer(line, to_text, to_html, to_mermaid)
MISTAKES_RENDERER = Renderer(mistakes_line, mistakes_text, mistakes_html)
