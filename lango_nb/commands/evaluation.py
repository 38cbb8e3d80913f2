"""How often the router, or a model, is right about who should get a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import (
    DRAWING,
    TIMING,
    Command,
    Option,
    Output,
    Word,
    names,
    told_when_stopped,
    whole,
)
from lango_nb.commands.text import picked
from lango_nb.core.errors import UsageError

if TYPE_CHECKING:
    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.evaluation.results import Evaluation, Result
    from lango_nb.evaluation.task_results import TaskEvaluation
    from lango_nb.lab import Lab
    from lango_nb.lab.plotting import PlotView
    from lango_nb.lab.view_types import EvaluationView, TaskEvaluationView
    from lango_nb.viz.view import View

_STOPPED = "the evaluation was stopped; with --resume FILE the next run would go on from there"
_STOPPED_KEPT = "the evaluation was stopped; the answers so far are kept, the same line goes on"


@Command(
    "eval",
    "measure how often the router, or a model, is right about labelled requests",
    "%lango eval held-out --topologies octet,quartet --sample 300",
    Word(
        "data",
        "SET",
        "set",
        "a file (CSV, TSV, JSON lines with text and agent or family), a set such as held-out, tasks or a folder with "
        "tasks.yaml, in a notebook a variable",
        is_required=True,
        is_variable=lambda value: value is not None and not isinstance(value, str),
    ),
    options=(
        Option(
            "--topologies", "topologies to compare, separated by commas; the current one when absent", "A,B", type=names
        ),
        Option("--model", "measure this model, or keywords; the router when absent", "NAME", kind="model"),
        Option("--sample", "this many requests, drawn at random", "NUMBER", type=whole(1)),
        Option("--seed", "seed of the sample (0)", "NUMBER", type=whole(0)),
        Option("--at-once", "how many model calls to make at once (4)", "NUMBER", type=whole(1)),
        Option("--resume", "keep a model's answers in this file, and continue from it", "FILE"),
        Option("--kind", "with tasks: only those of this kind", "KIND"),
        Option("--mistakes", "show every mistake with its explanation; with tasks, every turn that is not done"),
        TIMING,
    ),
    formats=DRAWING,
    note="--model asks a model as the root of each topology, and no tool runs; keywords is the naive baseline; without "
    "it the router is measured. Tasks are carried out, each in a copy of its folder. Intervals are Wilson's, 95 %.",
    group="measure",
)
def evaluate(lab: Lab, data: Any, *, mistakes: bool = False, timing: bool = False, **chosen: Any) -> View[Any]:
    """Say how often the router, or a model, is right, or how many tasks are done."""
    from lango_nb.evaluation.tasks import is_suite

    if is_suite(data):
        done = _tasks_measured(lab, data, **chosen)
        return done.failures if mistakes else done.timed() if timing else done
    view = _measured(lab, data, **chosen)
    return view.mistakes if mistakes else view.timed() if timing else view


@evaluate.in_terminal
def _evaluate_in_terminal(terminal: Terminal, data: str, *, mistakes: bool = False, **chosen: Any) -> Output:
    from lango_nb.evaluation.tasks import is_suite

    if is_suite(data):
        done = _tasks_measured(terminal.lab(), data, **chosen)
        return Output.of(done.failures if mistakes else done.timed(), lambda: _tasks_data(done.record))
    view = _measured(terminal.lab(), data, **chosen)
    shown = view.mistakes if mistakes else view.timed()
    return Output.of(shown, lambda: _data(view.record, with_mistakes=mistakes))


def _measured(
    lab: Lab,
    data: Any,
    *,
    model: str | None = None,
    topologies: Sequence[str] | None = None,
    resume: str | None = None,
    **sampling: Any,
) -> EvaluationView:
    if sampling.pop("kind", None) is not None:
        raise UsageError("--kind is for tasks: %lango eval tasks --kind KIND")
    with told_when_stopped(_STOPPED if resume is None else _STOPPED_KEPT):
        return lab.evaluate(data, model, topologies=topologies, resume=resume, **sampling)


def _tasks_measured(
    lab: Lab, data: Any, *, at_once: int | None = None, resume: str | None = None, **chosen: Any
) -> TaskEvaluationView:
    if at_once is not None or resume is not None:
        raise UsageError("tasks are carried out one by one; leave --at-once and --resume out")
    with told_when_stopped("the evaluation was stopped"):
        return lab.evaluate_tasks(data, **chosen)


def _tasks_data(evaluation: TaskEvaluation) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        **picked(evaluation, "data n of seed"),
        "results": [
            {
                **picked(result, "model topology tool_calls"),
                "usage": asdict(result.usage),
                "groups": [
                    {**picked(group, "by name"), **_shares(group, "done good destructive")} for group in result.groups
                ],
                "failures": [
                    {**picked(one.task, "suite id kind language"), "number": one.number, **asdict(one.turn)}
                    for one in result.failures
                ],
            }
            for result in evaluation
        ],
    }


def _data(evaluation: Evaluation, *, with_mistakes: bool) -> dict[str, Any]:
    return {
        "subject": evaluation.subject,
        "data": evaluation.data,
        "requests": evaluation.n,
        **picked(evaluation, "of seed resumed"),
        "topologies": [_result_data(result, with_mistakes=with_mistakes) for result in evaluation.results],
    }


def _result_data(result: Result, *, with_mistakes: bool) -> dict[str, Any]:
    from dataclasses import asdict

    groups = {"languages": result.by_language, "groups": result.by_group}
    return {
        **picked(result, "topology threshold"),
        **_shares(result, "accuracy wrong_agent kept abstained invalid errors"),
        "agents": [{**asdict(one), **picked(one, "precision recall f1")} for one in result.by_agent],
        "confusion": [asdict(cell) for cell in result.confusion],
        "calibration": [{**asdict(one), **_shares(one, "right")} for one in result.calibration],
        "curve": [
            {"threshold": one.threshold, **_shares(one, "answered accuracy wrong_agent")} for one in result.curve
        ],
        **{name: [{"name": one.name, **_shares(one, "accuracy")} for one in found] for name, found in groups.items()},
        "usage": asdict(result.usage),
        "mistakes": [asdict(one) for one in result.mistakes] if with_mistakes else len(result.mistakes),
    }


def _shares(record: object, names: str) -> dict[str, Any]:
    return {name: picked(share, "count of value low high") for name, share in picked(record, names).items()}


@Command(
    "plot",
    "draw an evaluation (confusion, calibration, abstention), the learning curve (learning), or the turns (latency, "
    "tokens, cost, handoffs)",
    "%lango plot confusion --data held-out --sample 500",
    Word("name", "PLOT", "plot", "what is drawn", is_required=True),
    options=(
        Option("--data", "requests to evaluate or to learn from; the latest evaluation, or your own, when absent",
               "SET", kind="set"),
        Option("--sample", "this many requests, drawn at random", "NUMBER", type=whole(1)),
    ),
    where="notebook",
    group="measure",
)  # fmt: skip
def plot(lab: Lab, name: str, data: str | None = None, sample: int | None = None) -> PlotView:
    """Draw what is known."""
    return lab.plot(name, data, sample=sample)
