"""An evaluation: shares with their intervals side by side, then agents, confusions, confidences, and every mistake."""

from __future__ import annotations

from collections import Counter

from lango_nb.core.text import counted
from lango_nb.evaluation.answers import Judged, Verdict
from lango_nb.evaluation.measures import Cell, Point
from lango_nb.evaluation.results import Evaluation, Result
from lango_nb.routing.taught import ROOT as ROOT_NAME
from lango_nb.viz import document as doc
from lango_nb.viz import shares
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN
from lango_nb.viz.escape import one_line
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
_WIDE = "180px"
_REQUEST = 160
_PAIRS = 10
_EDGES = 40
_CONFIDENCE_NOTE = (
    "What the router says of an answer, and how often such answers are right; abstentions count as who leads."
)
_CURVE_NOTE = "One threshold for agents and the root alike; the marked row is the nearest to the router's own."


def line(evaluation: Evaluation) -> str:
    """Write the evaluation in one line."""
    said = ", ".join(f"{short(one.topology)} {shares.right_of(one)}" for one in evaluation.results)
    return f"{short(evaluation.subject)}, {counted(evaluation.n, 'request')}: {said} right"


def document(evaluation: Evaluation, *, timing: bool = False) -> doc.Document:
    """Write the shares side by side; a page folds each topology below.

    Parameters
    ----------
    evaluation : Evaluation
    timing : bool
        Tell how long answers took.
    """
    heads, rows = shares.summary(evaluation)
    drawn: list[tuple[doc.Inline, ...]] = [
        (row[0], _outcomes(one), *row[1:]) for row, one in zip(rows, evaluation.results, strict=True)
    ]
    seen = {one.verdict for result in evaluation.results for one in result.judged}
    is_alone = len(evaluation.results) == 1
    return (
        _title(evaluation),
        doc.GAP,
        doc.Rows((heads[0], "", *heads[1:]), drawn, "<<" + ">" * (len(heads) - 1)),
        doc.Legend([(_WORDS[verdict], colour) for verdict, colour in _COLOURS.items() if verdict in seen]),
        doc.GAP,
        *map(doc.Note, shares.remarks(evaluation, timing=timing)),
        doc.GAP,
        doc.Note("In brackets: the 95 % interval (Wilson)."),
        *(block for result in evaluation.results for block in (doc.GAP, _result(result, is_open=is_alone))),
        *_languages(evaluation),
    )


def _title(evaluation: Evaluation) -> doc.Title:
    return doc.Title(f"evaluation of {one_line(evaluation.subject, 60)}", shares.facts(evaluation))


def _outcomes(result: Result) -> doc.Bar:
    """Draw what came of the requests."""
    counts = Counter(one.verdict for one in result.judged)
    return doc.Bar(
        tuple(
            (counts[verdict] / result.n, colour, f"{_WORDS[verdict]}: {counts[verdict]:,}")
            for verdict, colour in _COLOURS.items()
            if counts[verdict]
        ),
        _WIDE,
    )


def _result(result: Result, *, is_open: bool) -> doc.Block:
    name = short(result.topology)
    said = f"{percent(result.accuracy.value)} right, {counted(len(result.mistakes), 'mistake')}"
    blocks = (
        doc.Heading("Agents", f"{name}: agents"),
        doc.GAP,
        doc.Rows(AGENT_HEADS, shares.agents(result), "<>>>>>"),
        *_confusions(result, name),
        *_calibration(result, name),
        *_curve(result, name),
        doc.GAP,
        doc.Note(f"{name}: {_where(result)}" if result.mistakes else ""),
    )
    return doc.Fold(doc.Words((doc.Strong(name), doc.Muted(said))), blocks, is_open=is_open, plain="open")


def _where(result: Result) -> str:
    return f"{counted(len(result.mistakes), 'mistake')}: --mistakes or .mistakes explains each"


def _confused(result: Result) -> list[Cell]:
    return sorted((cell for cell in result.confusion if not cell.is_right), key=lambda cell: -cell.count)


def _confusions(result: Result, name: str) -> doc.Document:
    """Write what is most often confused; a page has room for the whole matrix."""
    wrong = [(short(cell.right), short(cell.got), f"{cell.count:,}") for cell in _confused(result)[:_PAIRS]]
    table = (
        doc.GAP,
        doc.Paragraph(f"{name}: most often confused"),
        doc.GAP,
        doc.Rows(("belongs to", "went to", "times"), wrong, "<<>"),
    )
    matrix = (doc.Heading("Where requests belong, and where they went"), _matrix(result))
    return (doc.GAP, doc.Plain(table if wrong else ()), doc.Rich(matrix if result.judged else ()))


def _matrix(result: Result) -> doc.Matrix:
    """Count requests, a row per agent that they belong to, a column per place they went to."""
    cells = {(cell.right, cell.got): cell for cell in result.confusion}
    order = {name: place for place, name in enumerate((ROOT_NAME, *result.agents))}
    rows, columns = (
        sorted({pair[side] for pair in cells}, key=lambda name: (order.get(name, len(order)), name)) for side in (0, 1)
    )
    sums = Counter({right: sum(cell.count for cell in result.confusion if cell.right == right) for right in rows})
    return doc.Matrix(
        "",
        tuple((short(got), "rgba(127,127,127,.35)") for got in columns),
        tuple((short(right), tuple(_field(cells.get((right, got)), sums[right]) for got in columns)) for right in rows),
    )


def _field(cell: Cell | None, of: int) -> tuple[int, str]:
    if cell is None:
        return 0, ""
    colour = _GREEN if cell.is_right else _GREY if cell.got == "(abstained)" else _RED
    return cell.count, colour.format(max(_FAINTEST, _STRONGEST * cell.count / of))


def _calibration(result: Result, name: str) -> doc.Document:
    if not result.calibration:
        return ()
    bars = (_calibration_bar(one.confidence, one.right.value or 0.0) for one in result.calibration)
    rows: list[tuple[doc.Inline, ...]] = [(*row, bar) for row, bar in zip(shares.bins(result), bars, strict=True)]
    return (
        doc.GAP,
        doc.Heading("Confidence is not accuracy", f"{name}: confidence is not accuracy"),
        doc.GAP,
        doc.Rows((*BIN_HEADS, ""), rows, "<>>><"),
        doc.rich(doc.Note(_CONFIDENCE_NOTE)),
    )


def _calibration_bar(confidence: float, right: float) -> doc.Bar:
    """Draw how often answers are right, and a mark at their confidence."""
    parts = ((right, GOOD, f"right {percent(right)}"),)
    return doc.Bar(parts, "140px", mark=confidence, hint=f"mean confidence {percent(confidence)}")


def _curve(result: Result, name: str) -> doc.Document:
    rows = tuple(
        (
            *(
                _strong_if(is_own, said)
                for said in (f"{'▶' if is_own else ' '} {point.threshold:.2f}", *_shares(point))
            ),
            _curve_bar(point),
        )
        for point, is_own in shares.points(result)
    )
    if not rows:
        return ()
    return (
        doc.GAP,
        doc.Heading("What a threshold buys", f"{name}: what a threshold buys"),
        doc.GAP,
        doc.Rows((*CURVE_HEADS, ""), rows, ">>>><"),
        doc.rich(doc.Note(_CURVE_NOTE)),
    )


def _shares(point: Point) -> tuple[str, ...]:
    return percent(point.answered.value), percent(point.accuracy.value), percent(point.wrong_agent.value)


def _strong_if(is_strong: bool, said: str) -> doc.Inline:
    return doc.Strong(said) if is_strong else said


def _curve_bar(point: Point) -> doc.Bar:
    right, wrong, every = point.accuracy.count, point.wrong_agent.count, point.answered.of
    kept = point.answered.count - right - wrong
    parts = ((right, GOOD, "right"), (kept, WARN, "kept by the root"), (wrong, BAD, "wrong agent"))
    return doc.Bar(
        tuple((number / every, colour, f"{words}: {number:,}") for number, colour, words in parts if every), _WIDE
    )


def _languages(evaluation: Evaluation) -> doc.Document:
    if not (languages := shares.languages(evaluation)):
        return ()
    rows = doc.Rows(language_heads(evaluation), languages, "<" + ">" * (1 + len(evaluation)))
    blocks = (doc.Heading("", "Right, by language"), doc.GAP, rows)
    return (doc.GAP, doc.Fold(doc.Strong("Right, by language"), blocks, plain="open"))


# -- mistakes ----------------------------------------------------------------------------------------------------------


def mistakes_document(evaluation: Evaluation) -> doc.Document:
    """Write every mistake of an evaluation with its explanation."""
    blocks: list[doc.Block] = [_title(evaluation)]
    for result in evaluation.results:
        head = f"{short(result.topology)}: {counted(len(result.mistakes), 'mistake')} of {result.n:,}"
        blocks += [doc.GAP, doc.Heading(head, head)]
        blocks += [block for one in result.mistakes[:MOST_MISTAKES] for block in (doc.GAP, _mistake(one))]
        hidden = len(result.mistakes) - MOST_MISTAKES
        rest = f"and {counted(hidden, 'mistake')} more; the frame of mistakes has them all" if hidden > 0 else ""
        blocks += [doc.GAP, doc.Note(rest)]
    return tuple(blocks)


def _mistake(one: Judged) -> doc.Block:
    language = f", {short(one.language)}" if one.language else ""
    badge = doc.Either("", doc.Badge(short(one.answer.got), _COLOURS[one.verdict]))
    row = doc.Muted(f"(row {one.number}{language})")
    summary = doc.Words((badge, f"“{one_line(one.text, _REQUEST)}”", row))
    why = tuple((what, one_line(words, 400)) for what, words in explained(one))
    return doc.Fold(summary, (doc.Paragraph(one_line(went(one), 400)), doc.Fields(why, "sentences")), plain="titled")


# -- mermaid -----------------------------------------------------------------------------------------------------------


def to_mermaid(evaluation: Evaluation) -> str:
    """Write what is confused with what as a mermaid flow chart: from where requests belong to where they went."""
    lines = ["flowchart LR"]
    for number, result in enumerate(evaluation.results):
        shown = _confused(result)[:_EDGES]
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


RENDERER = Renderer(line, document, to_mermaid)
