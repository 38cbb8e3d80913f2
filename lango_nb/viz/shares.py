"""What an evaluation says, as words and rows: shares with their intervals, agents, confidences, what a mistake was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lango_nb.core.text import counted
from lango_nb.evaluation.answers import Judged
from lango_nb.evaluation.measures import Point, Share, Usage
from lango_nb.evaluation.results import Evaluation, Result
from lango_nb.routing.route import Signal
from lango_nb.routing.taught import ROOT as ROOT_NAME
from lango_nb.viz.escape import one_line

_NAME = 24
_EVERY = 2
"""Every so many thresholds of a curve are shown."""
_DOLLARS = 4
AGENT_HEADS = ("agent", "belong to it", "it got", "precision", "recall", "F1")
BIN_HEADS = ("confidence", "answers", "mean confidence", "right")
CURVE_HEADS = ("threshold", "answered", "right of these", "wrong agent, of all")


def percent(value: float | None) -> str:
    """Write a share in percent; empty where there is none.

    Examples
    --------
    >>> percent(0.8674), percent(1.0), percent(None)
    ('86.7 %', '100.0 %', '')
    """
    return "" if value is None else f"{100 * value:.1f} %"


def interval(share: Share) -> str:
    """Write a share with its 95 % interval.

    Examples
    --------
    >>> interval(Share(95, 100))
    '95.0 % (88.8 to 97.8)'
    """
    if share.value is None:
        return ""
    return f"{percent(share.value)} ({100 * share.low:.1f} to {100 * share.high:.1f})"


def facts(evaluation: Evaluation) -> list[str]:
    """Say where the requests come from, and how many there are."""
    shown = f"{evaluation.n:,} of {evaluation.of:,} requests, seed {evaluation.seed}"
    requests = counted(evaluation.n, "request") if evaluation.n == evaluation.of else shown
    return [evaluation.data, requests]


def _columns(evaluation: Evaluation) -> list[tuple[str, list[Share]]]:
    """Return the shares that are shown side by side: head, and one per result; rare kinds only where they occur."""
    results = evaluation.results
    found = [
        ("right, of owned", [result.owned for result in results]),
        ("right", [result.accuracy for result in results]),
        ("wrong agent", [result.wrong_agent for result in results]),
        ("kept by root", [result.kept for result in results]),
        ("abstained", [result.abstained for result in results]),
        ("invalid", [result.invalid for result in results]),
        ("no answer", [result.errors for result in results]),
    ]
    rare = {"abstained"} if evaluation.is_model else {"invalid", "no answer"}
    shown = [(head, shares) for head, shares in found if head not in rare or any(share.count for share in shares)]
    return shown if any(_unowned(result) for result in results) else shown[1:]


def right_of(result: Result) -> str:
    """Say how often answers are right; where most requests are nobody's, of those that somebody owns."""
    if _unowned(result) > result.owned.of:
        return f"{percent(result.owned.value)} of {result.owned.of:,} that somebody owns"
    return percent(result.accuracy.value)


def _unowned(result: Result) -> int:
    """Count the requests that belong to nobody."""
    return result.n - result.owned.of


def summary(evaluation: Evaluation) -> tuple[list[str], list[list[str]]]:
    """Return the shares side by side: heads, and a row per topology."""
    columns = _columns(evaluation)
    exact = {"right, of owned", "right", "wrong agent"}
    rows = [
        [short(result.topology)]
        + [interval(shares[place]) if head in exact else percent(shares[place].value) for head, shares in columns]
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


def remarks(evaluation: Evaluation, *, timing: bool) -> list[str]:
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
                f"{short(result.topology)}: no agent owns what {nobodys:,} of {counted(result.n, 'request')} take, and "
                f"leaving them alone counts as right; {result.owned.count:,} of the other {result.owned.of:,} are right"
            )
        if evaluation.is_model:
            said.append(f"{short(result.topology)}: {_cost(result.usage, timing=timing)}")
        elif timing and result.n:
            said.append(f"{short(result.topology)}: {result.usage.time_ms / result.n:.3g} ms per request")
    if evaluation.resumed:
        said.append(f"{counted(evaluation.resumed, 'answer')} from an earlier run")
    return said


def short(name: str) -> str:
    """Cut a name that is long."""
    return one_line(name, _NAME)


def went(one: Judged) -> str:
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


def explained(one: Judged) -> Iterator[tuple[str, str]]:
    """Explain a mistake: what of, and the words."""
    if one.answer.reason:
        yield "why", one.answer.reason
    if one.chosen_terms:
        yield f"for {one.answer.agent}", _terms(one.chosen_terms)
    if one.right_terms:
        yield f"for {one.right}", _terms(one.right_terms)


def points(result: Result) -> list[tuple[Point, bool]]:
    """Return the thresholds to show, and which is the nearest to the router's own."""
    points = result.curve
    own = result.threshold
    nearest = min(points, key=lambda point: abs(point.threshold - own)) if points and own is not None else None
    return [(point, point is nearest) for place, point in enumerate(points) if place % _EVERY == 0 or point is nearest]


def agents(result: Result) -> list[list[str]]:
    """Return a row per agent, under :data:`AGENT_HEADS`."""
    return [
        [
            short(one.agent),
            f"{one.support:,}",
            f"{one.chosen:,}",
            percent(one.precision),
            percent(one.recall),
            percent(one.f1),
        ]
        for one in result.by_agent
    ]


def bins(result: Result) -> list[list[str]]:
    """Return a row per range of confidences, under :data:`BIN_HEADS`."""
    return [
        [
            f"{100 * one.low:.0f} to {100 * one.high:.0f} %",
            f"{one.right.of:,}",
            percent(one.confidence),
            interval(one.right),
        ]
        for one in result.calibration
    ]


def languages(evaluation: Evaluation) -> list[list[str]]:
    """Return languages with the share that is right in each topology; nothing where all are of one."""
    if not evaluation.results or len(evaluation.results[0].by_language) < 2:  # noqa: PLR2004 - one is no comparison
        return []
    found = [{one.name: one for one in result.by_language} for result in evaluation.results]
    return [
        [
            short(one.name),
            f"{one.accuracy.of:,}",
            *(interval(groups[one.name].accuracy) if one.name in groups else "" for groups in found),
        ]
        for one in evaluation.results[0].by_language
    ]


def language_heads(evaluation: Evaluation) -> list[str]:
    """Return the heads over :func:`languages`."""
    return ["language", "requests", *(short(result.topology) for result in evaluation.results)]
