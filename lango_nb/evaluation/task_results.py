"""An evaluation of whole turns: how many turns and tasks are done, by kind and language, and what they cost."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property

from lango_nb.core.errors import UsageError
from lango_nb.evaluation.measures import Share, Usage
from lango_nb.evaluation.progress import automatic_bar
from lango_nb.evaluation.task_runs import Setup, TaskResult, TaskVerdict, TurnResult, run_tasks
from lango_nb.evaluation.tasks import Task, read_tasks

FIRST, LATER = "first turns", "later turns"


@dataclass(frozen=True)
class TaskGroup:
    """How turns, or tasks, came out."""

    by: str
    """What they are grouped by: ``all``, ``task``, ``kind``, ``language`` or ``place``."""
    name: str
    done: Share
    good: Share
    """Done, or a good question back."""
    destructive: Share
    """Something is lost that nobody wanted to be gone."""


@dataclass(frozen=True)
class JudgedTurn:
    """One turn, and the task it belongs to."""

    task: Task
    number: int
    """Which turn of the task, from 1."""
    turn: TurnResult

    @property
    def is_good(self) -> bool:
        """Whether it is done, or a good question back."""
        return self.turn.verdict in {"done", "asked"}


@dataclass(frozen=True)
class TasksResult:
    """How one model did in one topology."""

    model: str
    topology: str
    tasks: tuple[TaskResult, ...]
    """In the order of the data."""

    @cached_property
    def turns(self) -> tuple[JudgedTurn, ...]:
        """Every turn of every task."""
        return tuple(
            JudgedTurn(result.task, number, turn)
            for result in self.tasks
            for number, turn in enumerate(result.turns, 1)
        )

    @cached_property
    def by_turn(self) -> TaskGroup:
        """All turns."""
        return _group("all", "turns", [one.turn.verdict for one in self.turns])

    @cached_property
    def by_task(self) -> TaskGroup:
        """All tasks; one is as good as the worst of its turns."""
        return _group("task", "tasks", [result.verdict for result in self.tasks])

    @cached_property
    def by_kind(self) -> tuple[TaskGroup, ...]:
        """Turns by the kind of their task, the largest group first."""
        return self._groups("kind", lambda one: one.task.kind)

    @cached_property
    def by_language(self) -> tuple[TaskGroup, ...]:
        """Turns by language, the largest group first."""
        return self._groups("language", lambda one: one.task.language)

    @cached_property
    def by_place(self) -> tuple[TaskGroup, ...]:
        """Turns that begin a task, and those that go on with one."""
        found = self._groups("place", lambda one: FIRST if one.number == 1 else LATER)
        return tuple(sorted(found, key=lambda group: group.name != FIRST))

    @property
    def groups(self) -> tuple[TaskGroup, ...]:
        """All of these below each other."""
        return (self.by_turn, self.by_task, *self.by_place, *self.by_kind, *self.by_language)

    @property
    def failures(self) -> tuple[JudgedTurn, ...]:
        """Turns that are neither done nor a good question, destructive ones first."""
        return tuple(sorted((one for one in self.turns if not one.is_good), key=lambda one: one.turn.verdict))

    @cached_property
    def usage(self) -> Usage:
        """Model calls, tokens, cost and time of all turns."""
        turns = [one.turn for one in self.turns]
        costs = [turn.cost_usd for turn in turns if turn.cost_usd is not None]
        return Usage(
            sum(turn.steps for turn in turns),
            _sum(turn.input_tokens for turn in turns),
            _sum(turn.output_tokens for turn in turns),
            math.fsum(costs) if costs else None,
            1000 * math.fsum(result.time_s for result in self.tasks),
        )

    @property
    def tool_calls(self) -> int:
        """How many tools were called."""
        return sum(len(one.turn.tools) for one in self.turns)

    def _groups(self, by: str, name_of: Callable[[JudgedTurn], str]) -> tuple[TaskGroup, ...]:
        found: dict[str, list[TaskVerdict]] = {}
        for one in self.turns:
            if name := name_of(one):
                found.setdefault(name, []).append(one.turn.verdict)
        groups = [_group(by, name, verdicts) for name, verdicts in found.items()]
        return tuple(sorted(groups, key=lambda group: (-group.done.of, group.name)))


@dataclass(frozen=True)
class TaskEvaluation:
    """Tasks carried out by one or several models, in one or several topologies."""

    data: str
    of: int
    """How many tasks there are; a sample has fewer."""
    results: tuple[TasksResult, ...]
    seed: int = 0

    @property
    def n(self) -> int:
        """How many tasks were carried out."""
        return len(self.results[0].tasks) if self.results else 0

    def __iter__(self) -> Iterator[TasksResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)


def evaluate_tasks(  # noqa: PLR0913 - one keyword per thing one may want to choose
    data: object,
    setups: Sequence[Setup],
    *,
    executor: Executor | None = None,
    sample: int | None = None,
    seed: int = 0,
    kind: str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> TaskEvaluation:
    """Carry out tasks with each setup, and count what is done.

    Parameters
    ----------
    data : str, Path, DataFrame or iterable
        See :func:`~lango_nb.evaluation.tasks.read_tasks`.
    setups : sequence of Setup
        Models and topologies, side by side.
    executor : concurrent.futures.Executor, optional
        Does the tasks; one by one when absent.
    sample : int, optional
        Take so many tasks at random; all when absent.
    seed : int
        The same seed takes the same sample.
    kind : str, optional
        Only tasks of this kind.
    on_progress : callable, optional
        Gets how many tasks are done, of how many. A bar is shown when absent, where somebody can see it.

    Returns
    -------
    TaskEvaluation

    Raises
    ------
    UsageError
        There are no such tasks.
    DefinitionError
        A task cannot be read.
    """
    if sample is not None and sample < 1:
        raise UsageError(f"sample is a number above 0, not {sample}; leave it out to take every task")
    found = read_tasks(data)
    every = [task for task in found if kind in {None, task.kind}]
    if not every:
        kinds = ", ".join(sorted({task.kind for task in found if task.kind})) or "none"
        raise UsageError(f"there are no tasks of the kind {kind!r}; there are: {kinds}")
    tasks = every
    if sample is not None and sample < len(every):
        places = random.Random(seed).sample(range(len(every)), sample)  # noqa: S311 - a sample, no secret
        tasks = [every[place] for place in sorted(places)]
    results: list[TasksResult] = []
    with ExitStack() as stack:
        listener = on_progress
        if listener is None and (bar := automatic_bar("tasks", "task")) is not None:
            stack.callback(bar.close)
            listener = bar
        for setup in setups:
            carried_out = run_tasks(tasks, setup, executor, _counting(listener, len(results), len(setups)))
            results.append(TasksResult(carried_out[0].model, carried_out[0].topology, carried_out))
    name = str(data).rstrip("/").rpartition("/")[2] if hasattr(data, "__fspath__") or isinstance(data, str) else ""
    return TaskEvaluation(name or "your tasks", len(every), tuple(results), seed)


def _counting(listener: Callable[[int, int], None] | None, rounds: int, of: int) -> Callable[[int, int], None] | None:
    """Count the tasks of all setups together."""
    return None if listener is None else lambda done, total: listener(rounds * total + done, of * total)


def _group(by: str, name: str, verdicts: Sequence[TaskVerdict]) -> TaskGroup:
    done, asked, destructive = (verdicts.count(verdict) for verdict in ("done", "asked", "destructive"))
    of = len(verdicts)
    return TaskGroup(by, name, Share(done, of), Share(done + asked, of), Share(destructive, of))


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
