"""What people type, carried out whole: some 3 900 turns in ten languages.

They say what has to be in the answer and in the files afterwards; ``answers.md`` beside each suite holds what was
answered, by whom and with which tools, and which turns are not done yet. Whoever changes an answer writes the files
anew and reads what has become of it::

    python -m tests.scenarios.test_requests

The suite carries out every second task, ``-m slow`` the others.

Their authors had not seen the code, but for ``corners``, which goes where the others do not; the author of ``filmhuis``
knew what the others miss; ``cycle_shop`` went 36 % done, 51 % with good questions, before anything was mended
after it. They were written to develop with: how well requests of strangers are understood is measured with others.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.evaluation.task_runs import Setup, TaskResult, TurnResult, run_task
from lango_nb.evaluation.tasks import Task, read_tasks

SUITES = Path(__file__).parents[1] / "data" / "requests"
NAMES = sorted(path.parent.name for path in SUITES.glob("*/tasks.yaml"))
EVERY = 2
"""The suite carries out one task of so many."""
WAIT = "agent_wait"
"""A root asks once more for what takes longer than a second: how often is a matter of the machine."""
LONG = 1000
"""Of a longer answer the beginning is kept."""
UNSTEADY = re.compile(
    r"\w{3} \w{3} +\d+ \d\d:\d\d:\d\d UTC \d{4}|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"
    r"|(?<=\btotal )\d+$|(?<=r-- )\d+ +\w+ +\w+ +\d+ \w{3} +\d+ \d\d:\d\d"  # ls -l
    r"|\S*python\S*: can't open file '[^']*'|\S*lango-task-\w+",
    re.MULTILINE,
)
"""When files were written and by whom, and where they lie."""
NOT_DONE = re.compile(r"^(?:failed|asked|destructive): ", re.MULTILINE)


def setup(topology: str) -> Setup:
    """Have everything switched on that requests may be about."""
    return Setup(Settings.model_validate({"background": {"enabled": True}, "agentMemory": {"enabled": True}}), topology)


def turn_lines(number: int, turn: TurnResult) -> Iterator[str]:
    """Tell how one turn went."""
    yield f"{number}. {' '.join(turn.say.split())}"
    called = Counter(turn.tools)
    waits = called.pop(WAIT, 0)
    tools = ", ".join(f"{name} x{count}" if count > 1 else name for name, count in called.items())
    used = f"{' → '.join(turn.agents)} · {tools or 'no tool'} · {turn.steps - waits} steps"
    yield used + (f" · {turn.approvals} approvals" if turn.approvals else "")
    answer = UNSTEADY.sub("(…)", turn.answer)
    answer = answer if len(answer) <= LONG else f"{answer[:LONG]} …"
    yield from (f"> {line}".rstrip() for line in answer.splitlines())
    yield from (f"    {line}" for line in turn.changes.splitlines())
    if turn.outcome != "success":
        yield f"outcome: {turn.outcome}"
    if turn.verdict != "done":
        yield f"{turn.verdict}: {' '.join(turn.why.split())}"


def told(results: Sequence[TaskResult]) -> dict[str, str]:
    """Tell how the tasks of a suite went: a text for each."""
    return {
        result.task.id: "\n".join(line for n, turn in enumerate(result.turns, 1) for line in turn_lines(n, turn))
        for result in results
    }


def carried_out(suite: str, topology: str) -> Iterator[TaskResult]:
    """Carry out a suite."""
    return (run_task(task, setup(topology)) for task in tasks_of(suite).values())


@cache
def tasks_of(suite: str) -> dict[str, Task]:
    """Return the tasks of a suite by their ids."""
    return {task.id: task for task in read_tasks(SUITES / suite)}


@cache
def known(suite: str) -> dict[str, str]:
    """Return what ``answers.md`` of a suite says of each task."""
    parts = (SUITES / suite / "answers.md").read_text(encoding="utf-8").split("\n## ")
    return {name: text.strip() for name, _, text in (part.partition("\n") for part in parts[1:])}


def cases() -> Iterator[Any]:
    """Return all tasks by suite and name; half of them are for ``-m slow``."""
    for suite in NAMES:
        for number, task in enumerate(tasks_of(suite)):
            yield pytest.param(suite, task, marks=pytest.mark.slow if number % EVERY else ())


@pytest.mark.parametrize(("suite", "task"), cases())
def test_what_was_understood_is_still_understood(suite: str, task: str) -> None:
    result = run_task(tasks_of(suite)[task], setup("octet"))
    before = len(NOT_DONE.findall(known(suite)[task]))
    missed = [f"{turn.say!r}: {turn.why}" for turn in result.turns if turn.verdict != "done"]
    assert len(missed) <= before, "\n".join([f"{task} was understood better", *missed])
    assert told([result])[task] == known(suite)[task], "read what has changed: python -m tests.scenarios.test_requests"


@pytest.mark.parametrize("suite", NAMES)
def test_answers_are_of_the_tasks_there_are(suite: str) -> None:
    assert list(known(suite)) == list(tasks_of(suite))


def _written(suite: str) -> str:
    tasks = told([*carried_out(suite, "octet")])
    missed = sum(len(NOT_DONE.findall(text)) for text in tasks.values())
    head = f"# {suite}: {missed} turns not done\n"
    return "\n".join([head, *(f"## {name}\n\n{text}\n" for name, text in tasks.items())])


if __name__ == "__main__":  # python -m tests.scenarios.test_requests writes down how the suites go now
    with ProcessPoolExecutor(2) as pool:
        for name, text in zip(NAMES, pool.map(_written, NAMES), strict=True):
            (SUITES / name / "answers.md").write_text(text, encoding="utf-8")
            sys.stdout.write(f"{text.partition(chr(10))[0]}\n")
