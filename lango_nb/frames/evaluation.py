"""Evaluations: one row per topology; and per agent, field of the confusion matrix, threshold, mistake or answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from lango_nb.core.errors import UnknownNameError
from lango_nb.evaluation.learning import LearningCurve
from lango_nb.evaluation.results import Evaluation, Result
from lango_nb.evaluation.task_results import TaskEvaluation, TasksResult
from lango_nb.frames.column import Column, FrameError, Sources, some
from lango_nb.frames.frame import FrameMaker, frame
from lango_nb.routing.route import Signal

if TYPE_CHECKING:
    import pandas as pd

What = Literal["summary", "agents", "confusion", "curve", "calibration", "languages", "groups", "mistakes", "answers"]
WHATS: tuple[What, ...] = get_args(What)
"""What there are frames of."""
_SHARE = "0 to 1"


def _share(name: str, path: str, sentence: str, interval: str = "") -> tuple[Column, ...]:
    """Describe a share, and its interval where one is wanted."""
    ends = (
        Column(f"{interval}_low", f"{path}.low", "float64", _SHARE, "Lower end of its 95 % interval, Wilson's."),
        Column(f"{interval}_high", f"{path}.high", "float64", _SHARE, "Upper end of its 95 % interval."),
    )
    return (some(name, f"{path}.value", "float64", _SHARE, sentence), *(ends if interval else ()))


def terms(signals: Sequence[Signal]) -> str:
    """Write the terms of a score on one line, strongest first."""
    return "; ".join(f"{signal.words} {signal.weight:+g}" for signal in signals)


def _time_ms(evaluation: Evaluation, result: Result) -> float | None:
    """Return the time of a model; a router's differs with every run and says little."""
    return result.usage.time_ms if evaluation.is_model else None


WHOSE = (
    Column("subject", "evaluation.subject", "string", "", "What was evaluated: router, keywords, or a model's name."),
    Column("topology", "result.topology", "string", "", "The topology."),
)
SUMMARY = (
    *WHOSE,
    Column("requests", "result.n", "Int64", "", "How many requests."),
    *_share("accuracy", "result.accuracy", "Share that went where it belongs.", "accuracy"),
    *_share("accuracy_owned", "result.owned", "The same of those that an agent owns; missing where none does."),
    *_share("wrong_agent", "result.wrong_agent", "Share that a wrong agent got.", "wrong_agent"),
    *_share("kept", "result.kept", "Share the root kept though it belongs to an agent."),
    *_share("abstained", "result.abstained", "Share nobody got because the router would not say, rightly or not."),
    *_share("invalid", "result.invalid", "Share for which a model named somebody who is not there."),
    *_share("errors", "result.errors", "Share without an answer."),
    some("threshold", "result.threshold", "float64", _SHARE, "Confidence below which the router abstains."),
    Column("calls", "result.usage.calls", "Int64", "", "Calls of a model."),
    some("input_tokens", "result.usage.input_tokens", "Int64", "tokens", "Tokens read; missing when nobody says."),
    some("output_tokens", "result.usage.output_tokens", "Int64", "tokens", "Tokens written; missing when nobody says."),
    some("cost_usd", "result.usage.cost_usd", "float64", "USD", "What the calls cost; missing when nobody knows."),
    some("time_ms", _time_ms, "float64", "ms", "Time of all calls of a model, added up; missing for routers."),
)
AGENTS = (
    *WHOSE,
    Column("agent", "it.agent", "string", "", "An agent, or root for what the root answers itself."),
    some("precision", "it.precision", "float64", _SHARE, "Share of what it got that belongs to it."),
    some("recall", "it.recall", "float64", _SHARE, "Share of what belongs to it that it got."),
    some("f1", "it.f1", "float64", _SHARE, "Harmonic mean of precision and recall."),
    Column("support", "it.support", "Int64", "", "Requests that belong to it."),
    Column("chosen", "it.chosen", "Int64", "", "Requests it got."),
    Column("right", "it.right", "Int64", "", "Requests it got that belong to it."),
)
CONFUSION = (
    *WHOSE,
    Column("right", "it.right", "string", "", "Where they belong; (nobody) where no agent owns what they take."),
    Column("got", "it.got", "string", "", "Where they went; (abstained), (invalid) or (error) where nowhere."),
    Column("requests", "it.count", "Int64", "", "How many."),
    Column("is_right", "it.is_right", "boolean", "", "Whether that is where they should go."),
)
CURVE = (
    *WHOSE,
    Column("threshold", "it.threshold", "float64", _SHARE, "Least confidence, for agents and the root alike."),
    *_share("coverage", "it.answered", "Share of the requests that would be answered."),
    *_share("accuracy", "it.accuracy", "Share of the answered that would be right.", "accuracy"),
    *_share("wrong_agent", "it.wrong_agent", "Share of all requests that a wrong agent would get."),
)
CALIBRATION = (
    *WHOSE,
    Column("low", "it.low", "float64", _SHARE, "Confidences from here."),
    Column("high", "it.high", "float64", _SHARE, "Confidences to here."),
    Column("requests", "it.right.of", "Int64", "", "How many answers have such a confidence."),
    Column("confidence", "it.confidence", "float64", _SHARE, "Their mean confidence."),
    *_share("accuracy", "it.right", "How often they are right.", "accuracy"),
)
GROUPS = (
    *WHOSE,
    Column("name", "it.name", "string", "", "The language, or the group."),
    Column("requests", "it.accuracy.of", "Int64", "", "How many requests."),
    *_share("accuracy", "it.accuracy", "Share that went where it belongs.", "accuracy"),
    *_share("wrong_agent", "it.wrong_agent", "Share that a wrong agent got."),
    *_share("abstained", "it.abstained", "Share nobody got because the router would not say."),
)
ANSWERS = (
    *WHOSE,
    Column("row", "it.number", "Int64", "", "Row of the data, from 1."),
    Column("text", "it.text", "string", "", "The request, without secrets."),
    Column("language", "it.language", "string", "", "Its language; empty when nobody says."),
    Column("group", "it.group", "string", "", "Its group; empty when it has none."),
    Column("right", "it.belongs", "string", "", "Where it belongs."),
    Column("got", "it.answer.got", "string", "", "Where it went."),
    Column("verdict", "it.verdict", "string", "", "right, wrong_agent, kept, abstained, invalid or error."),
    some("confidence", "it.answer.confidence", "float64", _SHARE, "Confidence of whoever leads; missing for models."),
    Column("reason", "it.answer.reason", "string", "", "Why, in the subject's own words."),
)
MISTAKES = (
    *ANSWERS,
    Column("for_got", "it.chosen_terms", "string", "", "What spoke for whoever got it.", convert=terms),
    Column("for_right", "it.right_terms", "string", "", "What spoke for whoever is right.", convert=terms),
)
COSTS = (
    Column("calls", "it.answer.calls", "Int64", "", "Calls of a model."),
    some("input_tokens", "it.answer.input_tokens", "Int64", "tokens", "Tokens read; missing when nobody says."),
    some("output_tokens", "it.answer.output_tokens", "Int64", "tokens", "Tokens written; missing when nobody says."),
    some("cost_usd", "it.answer.cost_usd", "float64", "USD", "What it cost; missing when nobody knows."),
    Column("time_ms", "it.answer.time_ms", "float64", "ms", "How long the answer took."),
)
COLUMNS: dict[What, tuple[Column, ...]] = {
    "summary": SUMMARY,
    "agents": AGENTS,
    "confusion": CONFUSION,
    "curve": CURVE,
    "calibration": CALIBRATION,
    "languages": GROUPS,
    "groups": GROUPS,
    "mistakes": MISTAKES,
    "answers": (*ANSWERS, *COSTS),
}
"""Columns of each frame of an evaluation."""

_ROWS: dict[What, Callable[[Result], Iterable[object]]] = {
    "summary": lambda _result: (None,),
    "agents": lambda result: result.by_agent,
    "confusion": lambda result: result.confusion,
    "curve": lambda result: result.curve,
    "calibration": lambda result: result.calibration,
    "languages": lambda result: result.by_language,
    "groups": lambda result: result.by_group,
    "mistakes": lambda result: result.mistakes,
    "answers": lambda result: result.judged,
}


def _sources(evaluations: Iterable[Evaluation], what: What) -> Sources:
    """Sort evaluations into what the columns are made of, one row per item."""
    rows: list[tuple[Evaluation, Result, Any]] = [
        (evaluation, result, item)
        for evaluation in evaluations
        for result in evaluation.results
        for item in _ROWS[what](result)
    ]
    names = ("evaluation", "result", "it")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _maker(what: What) -> FrameMaker[Evaluation]:
    @frame("evaluation", COLUMNS[what], Evaluation)
    def evaluation_df(evaluations: Sequence[Evaluation]) -> Sources:
        return _sources(evaluations, what)

    return evaluation_df


_MAKERS = {what: _maker(what) for what in WHATS}


@overload
def evaluation_df(
    evaluations: Evaluation | Iterable[Evaluation],
    what: str = ...,
    *,
    strict: Literal[True] = ...,
    columns: Sequence[str] | None = ...,
) -> pd.DataFrame: ...


@overload
def evaluation_df(
    evaluations: Evaluation | Iterable[Evaluation],
    what: str = ...,
    *,
    strict: Literal[False],
    columns: Sequence[str] | None = ...,
) -> tuple[pd.DataFrame, list[FrameError]]: ...


def evaluation_df(
    evaluations: Evaluation | Iterable[Evaluation],
    what: str = "summary",
    *,
    strict: bool = True,
    columns: Sequence[str] | None = None,
) -> pd.DataFrame | tuple[pd.DataFrame, list[FrameError]]:
    """List what an evaluation found.

    Parameters
    ----------
    evaluations : Evaluation or iterable of Evaluation
        Several stand below each other, each row with its subject.
    what : str
        ``summary``: one row per topology. ``agents``, ``confusion``, ``curve``, ``calibration``, ``languages``,
        ``groups``: one per topology and agent, field, threshold, range of confidences, language, group. ``mistakes``
        and ``answers``: one per topology and request.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        Shares are from 0 to 1.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such frame or column.
    """
    if what not in _MAKERS:
        raise UnknownNameError("frame", what, WHATS, where="an evaluation")
    make = _MAKERS[what]
    return make(evaluations, columns=columns) if strict else make(evaluations, strict=False, columns=columns)


# -- lessons -----------------------------------------------------------------------------------------------------------

LEARNING = (
    Column("topology", "curve.topology", "string", "", "The topology."),
    Column("lessons", "it.number", "Int64", "", "Requests that the router learned from."),
    *_share("accuracy", "it.accuracy", "Share of the requests left out that went where they belong.", "accuracy"),
    Column("requests", "it.accuracy.of", "Int64", "", "Requests that were left out, to measure with."),
)


@frame("learning", LEARNING, LearningCurve)
def learning_df(curves: Sequence[LearningCurve]) -> Sources:
    """List how often a router is right after more and more lessons.

    Parameters
    ----------
    curves : LearningCurve or iterable of LearningCurve

    Returns
    -------
    DataFrame
        One row per number of lessons.
    """
    rows = [(curve, point) for curve in curves for point in curve.points]
    return {"curve": [row[0] for row in rows], "it": [row[1] for row in rows]}


# -- whole turns -------------------------------------------------------------------------------------------------------

_TASK_WHOSE = (
    Column("model", "result.model", "string", "", "The model."),
    Column("topology", "result.topology", "string", "", "The topology."),
)


def _task_shares(path: str) -> tuple[Column, ...]:
    return (
        *_share("done", f"{path}.done", "Share that is done.", "done"),
        *_share("good", f"{path}.good", "Share that is done, or got a good question back.", "good"),
        Column("destructive", f"{path}.destructive.count", "Int64", "", "How many lost what nobody wanted to be gone."),
    )


_TASK_TURNS = (
    *_TASK_WHOSE,
    Column("suite", "it.task.suite", "string", "", "The suite of the task."),
    Column("task", "it.task.id", "string", "", "The task."),
    Column("kind", "it.task.kind", "string", "", "Its kind."),
    Column("language", "it.task.language", "string", "", "Its language."),
    Column("number", "it.number", "Int64", "", "Which turn of the task, from 1."),
    Column("say", "it.turn.say", "string", "", "What the person says."),
    Column("verdict", "it.turn.verdict", "string", "", "done, asked, failed or destructive."),
    Column("why", "it.turn.why", "string", "", "What is not as it should be."),
    Column("answer", "it.turn.answer", "string", "", "The answer."),
    Column("changes", "it.turn.changes", "string", "", "What it changed in the folder, as a unified diff."),
    Column("agents", "it.turn.agents", "string", "", "Agents that worked in it.", convert=", ".join),
    Column("tools", "it.turn.tools", "string", "", "Tools that were called, in order.", convert=", ".join),
    Column("approvals", "it.turn.approvals", "Int64", "", "Questions for an approval."),
    Column("calls", "it.turn.steps", "Int64", "", "Calls of the model."),
    some("input_tokens", "it.turn.input_tokens", "Int64", "tokens", "Tokens read."),
    some("output_tokens", "it.turn.output_tokens", "Int64", "tokens", "Tokens written."),
    some("cost_usd", "it.turn.cost_usd", "float64", "USD", "What it cost; missing when nobody knows."),
)
TASK_COLUMNS: dict[str, tuple[Column, ...]] = {
    "summary": (
        *_TASK_WHOSE,
        Column("tasks", "result.by_task.done.of", "Int64", "", "How many tasks."),
        Column("turns", "result.by_turn.done.of", "Int64", "", "How many turns they have."),
        *_task_shares("result.by_turn"),
        some("tasks_done", "result.by_task.done.value", "float64", _SHARE, "Share of tasks with every turn done."),
        Column("calls", "result.usage.calls", "Int64", "", "Calls of the model."),
        Column("tool_calls", "result.tool_calls", "Int64", "", "Calls of tools."),
        some("input_tokens", "result.usage.input_tokens", "Int64", "tokens", "Tokens read; missing when nobody says."),
        some("output_tokens", "result.usage.output_tokens", "Int64", "tokens", "Tokens written; missing likewise."),
        some("cost_usd", "result.usage.cost_usd", "float64", "USD", "What it cost; missing when nobody knows."),
        Column("time_ms", "result.usage.time_ms", "float64", "ms", "Time of all tasks, added up."),
    ),
    "groups": (
        *_TASK_WHOSE,
        Column("by", "it.by", "string", "", "What is grouped by: all, task, place, kind or language."),
        Column("name", "it.name", "string", "", "The group."),
        Column("number", "it.done.of", "Int64", "", "How many turns, or tasks, it has."),
        *_task_shares("it"),
    ),
    "turns": _TASK_TURNS,
    "failures": _TASK_TURNS,
}
"""Columns of each frame of an evaluation of tasks."""
_TASK_ROWS: dict[str, Callable[[TasksResult], Iterable[object]]] = {
    "summary": lambda _result: (None,),
    "groups": lambda result: result.groups,
    "turns": lambda result: result.turns,
    "failures": lambda result: result.failures,
}


def _task_maker(what: str) -> FrameMaker[TaskEvaluation]:
    @frame("task_evaluation", TASK_COLUMNS[what], TaskEvaluation)
    def task_evaluation_df(evaluations: Sequence[TaskEvaluation]) -> Sources:
        rows = [(result, item) for one in evaluations for result in one for item in _TASK_ROWS[what](result)]
        return {"result": [row[0] for row in rows], "it": [row[1] for row in rows]}

    return task_evaluation_df


_TASK_MAKERS = {what: _task_maker(what) for what in TASK_COLUMNS}


@overload
def task_evaluation_df(
    evaluations: TaskEvaluation | Iterable[TaskEvaluation],
    what: str = "summary",
    *,
    strict: Literal[True] = ...,
    columns: Sequence[str] | None = None,
) -> pd.DataFrame: ...


@overload
def task_evaluation_df(
    evaluations: TaskEvaluation | Iterable[TaskEvaluation],
    what: str = "summary",
    *,
    strict: Literal[False],
    columns: Sequence[str] | None = None,
) -> tuple[pd.DataFrame, list[FrameError]]: ...


def task_evaluation_df(
    evaluations: TaskEvaluation | Iterable[TaskEvaluation],
    what: str = "summary",
    *,
    strict: bool = True,
    columns: Sequence[str] | None = None,
) -> pd.DataFrame | tuple[pd.DataFrame, list[FrameError]]:
    """List what an evaluation of tasks found.

    Parameters
    ----------
    evaluations : TaskEvaluation or iterable of TaskEvaluation
    what : str
        ``summary``: one row per model and topology. ``groups``: one per kind, language and so on. ``turns``: one per
        turn. ``failures``: those that are neither done nor a good question.
    strict : bool
        Raise when a value cannot be read; otherwise return ``(frame, errors)``.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        Shares are from 0 to 1.

    Raises
    ------
    UnknownNameError
        There is no such frame or column.
    """
    if what not in _TASK_MAKERS:
        raise UnknownNameError("frame", what, TASK_COLUMNS, where="an evaluation of tasks")
    make = _TASK_MAKERS[what]
    return make(evaluations, columns=columns) if strict else make(evaluations, strict=False, columns=columns)
