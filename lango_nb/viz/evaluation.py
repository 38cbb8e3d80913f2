"""An evaluation: shares with their intervals side by side, then agents, confusions, confidences, and every mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from lango_nb.core.text import counted
from lango_nb.evaluation.answers import Judged, Verdict
from lango_nb.evaluation.measures import Cell, Point, Share, Usage
from lango_nb.evaluation.results import Evaluation, Result
from lango_nb.evaluation.task_results import JudgedTurn, TaskEvaluation, TaskGroup, TasksResult
from lango_nb.routing.route import Signal
from lango_nb.routing.taught import ROOT as ROOT_NAME
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN
from lango_nb.viz.escape import label, one_line

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
_NAME = 24
_EVERY = 2
"""Every so many thresholds of a curve are shown."""
_DOLLARS = 4
_AGENT_HEADS = ("agent", "support", "chosen", "precision", "recall", "f1")
_BIN_HEADS = ("low", "high", "requests", "confidence", "accuracy")
_CURVE_HEADS = ("threshold", "coverage", "accuracy", "wrong_agent")


def line(evaluation: Evaluation) -> str:
    """Write the evaluation in one line."""
    said = ", ".join(f"{_short(one.topology)} {_right_of(one)}" for one in evaluation.results)
    return f"{_short(evaluation.subject)}, {counted(evaluation.n, 'request')}: {said} right"


def document(evaluation: Evaluation, *, timing: bool = False) -> doc.Document:
    """Write the shares side by side; a page folds each topology below.

    Parameters
    ----------
    evaluation : Evaluation
    timing : bool
        Tell how long answers took.
    """
    is_alone = len(evaluation.results) == 1
    return (
        *summary_blocks(evaluation, timing=timing),
        *(block for result in evaluation.results for block in (doc.GAP, _result(result, is_open=is_alone))),
        *_languages(evaluation),
    )


def summary_blocks(evaluation: Evaluation, *, timing: bool = False) -> doc.Document:
    """Write the shares side by side."""
    heads, rows = _summary(evaluation)
    drawn: list[tuple[doc.Inline, ...]] = [
        (row[0], _outcomes(one), *row[1:]) for row, one in zip(rows, evaluation.results, strict=True)
    ]
    seen = {one.verdict for result in evaluation.results for one in result.judged}
    return (
        _title(evaluation),
        doc.GAP,
        doc.Rows((heads[0], "", *heads[1:]), drawn, "<<" + ">" * (len(heads) - 1)),
        doc.Legend([(_WORDS[verdict], colour) for verdict, colour in _COLOURS.items() if verdict in seen]),
        doc.GAP,
        *map(doc.Note, _remarks(evaluation, timing=timing)),
        doc.GAP,
        doc.Note("In brackets: the 95 % interval (Wilson)."),
    )


def _title(evaluation: Evaluation) -> doc.Title:
    return doc.Title(f"evaluation of {one_line(evaluation.subject, 60)}", _facts(evaluation))


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
    name = _short(result.topology)
    said = f"{_percent(result.accuracy.value)} right, {counted(len(result.mistakes), 'mistake')}"
    blocks = (
        doc.Heading("Agents", f"{name}: agents"),
        doc.GAP,
        doc.Rows(_AGENT_HEADS, _agents(result), "<>>>>>"),
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
    wrong = [(_short(cell.right), _short(cell.got), f"{cell.count:,}") for cell in _confused(result)[:_PAIRS]]
    table = (
        doc.GAP,
        doc.Paragraph(f"{name}: most often confused"),
        doc.GAP,
        doc.Rows(("right", "got", "requests"), wrong, "<<>"),
    )
    matrix = (doc.Heading("Where requests belong, and where they went"), confusion_matrix(result))
    return (doc.GAP, doc.Plain(table if wrong else ()), doc.Rich(matrix if result.judged else ()))


def confusion_matrix(result: Result, key: str = "") -> doc.Matrix:
    """Count requests, a row per agent that they belong to, a column per place they went to.

    Parameters
    ----------
    result : Result
    key : str
        What a field is about that is clicked, where it is live; then nothing is when empty.
    """
    name = _short if not key else one_line
    cells = {(cell.right, cell.got): cell for cell in result.confusion}
    order = {name: place for place, name in enumerate((ROOT_NAME, *result.agents))}
    rows, columns = (
        sorted({pair[side] for pair in cells}, key=lambda name: (order.get(name, len(order)), name)) for side in (0, 1)
    )
    sums = Counter({right: sum(cell.count for cell in result.confusion if cell.right == right) for right in rows})
    return doc.Matrix(
        "",
        tuple((name(got), "rgba(127,127,127,.35)") for got in columns),
        tuple((name(right), tuple(_field(cells.get((right, got)), sums[right]) for got in columns)) for right in rows),
        key=key,
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
    rows: list[tuple[doc.Inline, ...]] = [(*row, bar) for row, bar in zip(_bins(result), bars, strict=True)]
    return (
        doc.GAP,
        doc.Heading("Confidence is not accuracy", f"{name}: confidence is not accuracy"),
        doc.GAP,
        doc.Rows((*_BIN_HEADS, ""), rows, ">>>>><"),
        doc.rich(doc.Note(_CONFIDENCE_NOTE)),
    )


def _calibration_bar(confidence: float, right: float) -> doc.Bar:
    """Draw how often answers are right, and a mark at their confidence."""
    parts = ((right, GOOD, f"right {_percent(right)}"),)
    return doc.Bar(parts, "140px", mark=confidence, hint=f"mean confidence {_percent(confidence)}")


def _curve(result: Result, name: str) -> doc.Document:
    rows = tuple(
        (
            *(
                _strong_if(is_own, said)
                for said in (f"{'▶' if is_own else ' '} {point.threshold:.2f}", *_shares(point))
            ),
            _curve_bar(point),
        )
        for point, is_own in _points(result)
    )
    if not rows:
        return ()
    return (
        doc.GAP,
        doc.Heading("What a threshold buys", f"{name}: what a threshold buys"),
        doc.GAP,
        doc.Rows((*_CURVE_HEADS, ""), rows, ">>>><"),
        doc.rich(doc.Note(_CURVE_NOTE)),
    )


def _shares(point: Point) -> tuple[str, ...]:
    return _percent(point.answered.value), _percent(point.accuracy.value), _percent(point.wrong_agent.value)


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
    if not (languages := _language_rows(evaluation)):
        return ()
    rows = doc.Rows(_language_heads(evaluation), languages, "<" + ">" * (1 + len(evaluation)))
    blocks = (doc.Heading("", "Right, by language"), doc.GAP, rows)
    return (doc.GAP, doc.Fold(doc.Strong("Right, by language"), blocks, plain="open"))


# -- mistakes ----------------------------------------------------------------------------------------------------------


def mistakes_document(evaluation: Evaluation) -> doc.Document:
    """Write every mistake of an evaluation with its explanation."""
    blocks: list[doc.Block] = [_title(evaluation)]
    for result in evaluation.results:
        head = f"{_short(result.topology)}: {counted(len(result.mistakes), 'mistake')} of {result.n:,}"
        blocks += [doc.GAP, doc.Heading(head, head)]
        blocks += [block for one in result.mistakes[:MOST_MISTAKES] for block in (doc.GAP, _mistake(one))]
        hidden = len(result.mistakes) - MOST_MISTAKES
        rest = f"and {counted(hidden, 'mistake')} more; the frame of mistakes has them all" if hidden > 0 else ""
        blocks += [doc.GAP, doc.Note(rest)]
    return tuple(blocks)


def judged_line(one: Judged) -> str:
    """Write a request with where it belongs and where it went on one line; its row comes first.

    Examples
    --------
    >>> from lango_nb.evaluation.answers import Answer
    >>> judged_line(Judged(7, "hash this", "vault", Answer("agent", "operator"), "wrong_agent"))
    '7  vault → operator  hash this'
    """
    return f"{one.number}  {_short(one.belongs)} → {_short(one.answer.got)}  {one_line(one.text, _REQUEST)}"


def judged_blocks(one: Judged) -> doc.Document:
    """Write where a request went, and where it belongs."""
    said = "right" if one.is_right else _went(one)
    return (doc.Line((doc.Badge(_WORDS[one.verdict], _COLOURS[one.verdict]), one_line(said, 400))),)


def _mistake(one: Judged) -> doc.Block:
    language = f", {_short(one.language)}" if one.language else ""
    badge = doc.Either("", doc.Badge(_short(one.answer.got), _COLOURS[one.verdict]))
    row = doc.Muted(f"(row {one.number}{language})")
    summary = doc.Words((badge, f"“{one_line(one.text, _REQUEST)}”", row))
    why = tuple((what, one_line(words, 400)) for what, words in _explained(one))
    return doc.Fold(summary, (doc.Paragraph(one_line(_went(one), 400)), doc.Fields(why, "sentences")), plain="titled")


# -- mermaid -----------------------------------------------------------------------------------------------------------


def to_mermaid(evaluation: Evaluation) -> str:
    """Write what is confused with what as a mermaid flow chart: from where requests belong to where they went."""
    lines = ["flowchart LR"]
    for number, result in enumerate(evaluation.results):
        shown = _confused(result)[:_EDGES]
        lines.append(f'  subgraph t{number}["{label(result.topology)}: {_percent(result.accuracy.value)} right"]')
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


# -- the words and rows of it ------------------------------------------------------------------------------------------


def _percent(value: float | None) -> str:
    """Write a share in percent; empty where there is none.

    Examples
    --------
    >>> _percent(0.8674), _percent(1.0), _percent(None)
    ('86.7 %', '100.0 %', '')
    """
    return "" if value is None else f"{100 * value:.1f} %"


def _interval(share: Share) -> str:
    """Write a share with its 95 % interval.

    Examples
    --------
    >>> _interval(Share(95, 100))
    '95.0 % (88.8 to 97.8)'
    """
    if share.value is None:
        return ""
    return f"{_percent(share.value)} ({100 * share.low:.1f} to {100 * share.high:.1f})"


def _facts(evaluation: Evaluation) -> list[str]:
    """Say where the requests come from, and how many there are."""
    if evaluation.is_stopped:
        answers = sum(result.n for result in evaluation.results)
        return [evaluation.data, f"stopped after {counted(answers, 'answer')}"]
    shown = f"{evaluation.n:,} of {evaluation.of:,} requests, seed {evaluation.seed}"
    requests = counted(evaluation.n, "request") if evaluation.n == evaluation.of else shown
    return [evaluation.data, requests]


def _columns(evaluation: Evaluation) -> list[tuple[str, list[Share]]]:
    """Return the shares that are shown side by side: head, and one per result; rare kinds only where they occur."""
    results = evaluation.results
    found = [
        ("accuracy_owned", [result.owned for result in results]),
        ("accuracy", [result.accuracy for result in results]),
        ("wrong_agent", [result.wrong_agent for result in results]),
        ("kept", [result.kept for result in results]),
        ("abstained", [result.abstained for result in results]),
        ("invalid", [result.invalid for result in results]),
        ("errors", [result.errors for result in results]),
    ]
    rare = {"abstained"} if evaluation.is_model else {"invalid", "errors"}
    shown = [(head, shares) for head, shares in found if head not in rare or any(share.count for share in shares)]
    return shown if any(_unowned(result) for result in results) else shown[1:]


def _right_of(result: Result) -> str:
    """Say how often answers are right; where most requests are nobody's, of those that somebody owns."""
    if _unowned(result) > result.owned.of:
        return f"{_percent(result.owned.value)} of {result.owned.of:,} that somebody owns"
    return _percent(result.accuracy.value)


def _unowned(result: Result) -> int:
    """Count the requests that belong to nobody."""
    return result.n - result.owned.of


def _summary(evaluation: Evaluation) -> tuple[list[str], list[list[str]]]:
    """Return the shares side by side: heads, and a row per topology."""
    columns = _columns(evaluation)
    exact = {"accuracy_owned", "accuracy", "wrong_agent"}
    rows = [
        [_short(result.topology)]
        + [_interval(shares[place]) if head in exact else _percent(shares[place].value) for head, shares in columns]
        for place, result in enumerate(evaluation.results)
    ]
    return ["topology", *(head for head, _ in columns)], rows


def _cost(usage: Usage, *, timing: bool) -> str:
    """Say what a model's answers cost; how long they took differs each time and is told where it is asked for."""
    said = [counted(usage.calls, "call")]
    if usage.input_tokens is not None or usage.output_tokens is not None:
        said.append(f"{usage.input_tokens or 0:,} tokens read, {usage.output_tokens or 0:,} written")
    if usage.cost_usd is not None:
        said.append(f"{usage.cost_usd:.{_DOLLARS}f} USD")
    return " · ".join([*said, *([_time(usage)] if timing else [])])


def _time(usage: Usage) -> str:
    return f"{usage.time_ms / 1000:.3g} s of answers"


def _remarks(evaluation: Evaluation, *, timing: bool) -> list[str]:
    """Say what a model's answers cost, and what came from an earlier run.

    Parameters
    ----------
    evaluation : Evaluation
    timing : bool
        Tell how long answers took.
    """
    said = []
    for result in evaluation.results:
        if nobodys := _unowned(result):
            said.append(
                f"{_short(result.topology)}: no agent owns what {nobodys:,} of {counted(result.n, 'request')} take, "
                f"and leaving them alone counts as right; {result.owned.count:,} of the other {result.owned.of:,} are "
                "right"
            )
        if evaluation.is_model:
            said.append(f"{_short(result.topology)}: {_cost(result.usage, timing=timing)}")
        elif timing and result.n:
            said.append(f"{_short(result.topology)}: {result.usage.time_ms / result.n:.3g} ms per request")
    if evaluation.resumed:
        said.append(f"{counted(evaluation.resumed, 'answer')} from an earlier run")
    return said


def _short(name: str) -> str:
    """Cut a name that is long."""
    return one_line(name, _NAME)


def _went(one: Judged) -> str:
    """Say where a request went, and where it belongs."""
    where = {
        "kept": "the root kept it",
        "abstained": "nobody got it",
        "invalid": f"went to {one.answer.agent!r}, who is not there" if one.answer.agent else "was handed to nobody",
        "error": "no answer",
    }.get(one.verdict, f"went to {one.answer.agent}")
    belongs = "the root" if one.right == ROOT_NAME else one.right or "nobody: no agent owns what it takes"
    return f"{where}; it belongs to {belongs}"


def _terms(signals: Iterable[Signal]) -> str:
    return ", ".join(f"{one_line(signal.words, 60)} {signal.weight:+.2g}" for signal in signals)


def _explained(one: Judged) -> Iterator[tuple[str, str]]:
    """Explain a mistake: what of, and the words."""
    if one.answer.reason:
        yield "why", one.answer.reason
    if one.chosen_terms:
        yield f"for {one.answer.agent}", _terms(one.chosen_terms)
    if one.right_terms:
        yield f"for {one.right}", _terms(one.right_terms)


def _points(result: Result) -> list[tuple[Point, bool]]:
    """Return the thresholds to show, and which is the nearest to the router's own."""
    points = result.curve
    own = result.threshold
    nearest = min(points, key=lambda point: abs(point.threshold - own)) if points and own is not None else None
    return [(point, point is nearest) for place, point in enumerate(points) if place % _EVERY == 0 or point is nearest]


def _agents(result: Result) -> list[list[str]]:
    """Return a row per agent, under :data:`_AGENT_HEADS`."""
    return [
        [
            _short(one.agent),
            f"{one.support:,}",
            f"{one.chosen:,}",
            _percent(one.precision),
            _percent(one.recall),
            _percent(one.f1),
        ]
        for one in result.by_agent
    ]


def _bins(result: Result) -> list[list[str]]:
    """Return a row per range of confidences, under :data:`_BIN_HEADS`."""
    return [
        [
            f"{100 * one.low:.0f} %",
            f"{100 * one.high:.0f} %",
            f"{one.right.of:,}",
            _percent(one.confidence),
            _interval(one.right),
        ]
        for one in result.calibration
    ]


def _language_rows(evaluation: Evaluation) -> list[list[str]]:
    """Return languages with the share that is right in each topology; nothing where all are of one."""
    if not evaluation.results or len(evaluation.results[0].by_language) < 2:  # noqa: PLR2004 - one is not a comparison
        return []
    found = [{one.name: one for one in result.by_language} for result in evaluation.results]
    return [
        [
            _short(one.name),
            f"{one.accuracy.of:,}",
            *(_interval(groups[one.name].accuracy) if one.name in groups else "" for groups in found),
        ]
        for one in evaluation.results[0].by_language
    ]


def _language_heads(evaluation: Evaluation) -> list[str]:
    """Return the heads over :func:`_language_rows`."""
    return ["name", "requests", *(_short(result.topology) for result in evaluation.results)]


RENDERER = Renderer(line, document, to_mermaid)


# -- whole turns -------------------------------------------------------------------------------------------------------

_GROUP_HEADS = ("name", "number", "done", "good", "destructive")


def tasks_line(evaluation: TaskEvaluation) -> str:
    """Write an evaluation of tasks in one line."""
    said = ", ".join(f"{_whose(one)} {_percent(one.by_turn.done.value)}" for one in evaluation)
    return f"{counted(evaluation.n, 'task')}: {said} of turns done"


def tasks_document(evaluation: TaskEvaluation, *, timing: bool = False) -> doc.Document:
    """Write what is done side by side, by kind and by language; the failures are folded.

    Parameters
    ----------
    evaluation : TaskEvaluation
    timing : bool
        Tell how long tasks took.
    """
    whole = [
        (_short(result.model), _short(result.topology), group.name, *_group_row(group))
        for result in evaluation
        for group in (result.by_turn, result.by_task, *result.by_place)
    ]
    return (
        _tasks_title(evaluation),
        doc.GAP,
        doc.Rows(("model", "topology", *_GROUP_HEADS), whole, "<<<>>>>"),
        doc.GAP,
        *(doc.Note(f"{_whose(one)}: {_task_cost(one, timing=timing)}") for one in evaluation),
        doc.GAP,
        doc.Note("good: done, or a good question back. In brackets: the 95 % interval (Wilson)."),
        *(block for one in evaluation for block in _by_group(one)),
        *(block for one in evaluation for block in _failures(one)),
    )


def failures_document(evaluation: TaskEvaluation) -> doc.Document:
    """Write every turn that is not done, and why."""
    blocks: list[doc.Block] = [_tasks_title(evaluation)]
    for result in evaluation:
        head = f"{_whose(result)}: {counted(len(result.failures), 'turn')} of {len(result.turns):,} not done"
        blocks += [doc.GAP, doc.Heading(head, head), *_failed(result)]
    return tuple(blocks)


def _tasks_title(evaluation: TaskEvaluation) -> doc.Title:
    shown = f"{evaluation.n:,} of {evaluation.of:,} tasks, seed {evaluation.seed}"
    tasks = counted(evaluation.n, "task") if evaluation.n == evaluation.of else shown
    return doc.Title(f"tasks of {one_line(evaluation.data, 60)}", [tasks])


def _whose(result: TasksResult) -> str:
    return f"{_short(result.model)} in {_short(result.topology)}"


def _task_cost(result: TasksResult, *, timing: bool) -> str:
    took = f" · {result.usage.time_ms / 1000:.3g} s, all tasks added up" if timing else ""
    return f"{_cost(result.usage, timing=False)} · {counted(result.tool_calls, 'tool call')}{took}"


def _group_row(group: TaskGroup) -> tuple[str, ...]:
    lost = f"{group.destructive.count:,}"
    return f"{group.done.of:,}", _interval(group.done), _interval(group.good), lost


def _by_group(result: TasksResult) -> Iterator[doc.Block]:
    for head, groups in (("kind", result.by_kind), ("language", result.by_language)):
        if groups:
            title = f"{_whose(result)}, by {head}"
            rows = [(_short(group.name), *_group_row(group)) for group in groups]
            yield doc.GAP
            yield doc.Heading(title, title)
            yield doc.GAP
            yield doc.Rows(_GROUP_HEADS, rows, "<>>>>")


def _failures(result: TasksResult) -> Iterator[doc.Block]:
    if result.failures:
        said = f"{_whose(result)}: {counted(len(result.failures), 'turn')} not done"
        yield doc.GAP
        yield doc.Fold(doc.Strong(said), (*_failed(result),))


def _failed(result: TasksResult) -> Iterator[doc.Block]:
    for one in result.failures[:MOST_MISTAKES]:
        yield from _failure(one)
    hidden = len(result.failures) - MOST_MISTAKES
    yield doc.GAP
    yield doc.Note(f"and {counted(hidden, 'turn')} more; the frame of failures has them all" if hidden > 0 else "")


def _failure(one: JudgedTurn) -> tuple[doc.Block, ...]:
    where = f"{one.task.id}, turn {one.number}: {one.turn.verdict}"
    colour = BAD if one.turn.verdict == "destructive" else WARN
    words = doc.Words((doc.Either("", doc.Badge(_short(one.turn.verdict), colour)), one_line(one.turn.say, _REQUEST)))
    why = (("task", one_line(where, 400)), ("why", one_line(one.turn.why, 400)))
    answer = (("answer", one_line(one.turn.answer, 400)),) if one.turn.answer else ()
    return doc.GAP, doc.Paragraph(words), doc.Fields((*why, *answer), "sentences")


TASKS = Renderer(tasks_line, tasks_document)
