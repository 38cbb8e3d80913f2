"""Requests whose answers nobody reads here, kept as digests: whether a change of the model changes an answer at all.

``crossed`` are the requests of ``tests/data/requests`` in the folder of the next suite, where most of what they speak
of is not, and under all topologies. ``held out`` are the tasks that ship with the package: how well they are understood
is measured, never tuned, so they are told apart by their digests alone. The suite carries out every fifth of them, with
each topology in turn; ``-m slow`` the others. Written anew, all of them, by::

    python -m tests.scenarios.test_other_requests
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

import lango_nb
from lango_nb.evaluation.task_runs import run_task
from lango_nb.evaluation.tasks import Task, read_tasks
from tests.scenarios.test_requests import NAMES, SUITES, setup, told

DIGESTS = SUITES / "digests.tsv"
TOPOLOGIES = ("quartet", "octet", "sextet", "solo")
HELD_OUT = Path(lango_nb.__file__).parent / "data" / "tasks"
EVERY = 5
"""The suite carries out one of so many: no multiple of the number of topologies."""
GROUPS = ("held out", *(f"crossed {name}" for name in NAMES))


@cache
def tasks_in(group: str) -> dict[str, tuple[Task, str]]:
    """Return the tasks of a group by their ids, each with the topology it is carried out under."""
    if group == "held out":
        found = [
            (task.model_copy(update={"id": f"{path.parent.name}/{task.id}"}), "octet")
            for path in sorted(HELD_OUT.glob("*/tasks.yaml"))
            for task in read_tasks(path.parent)
        ]
    else:
        place = NAMES.index(group.removeprefix("crossed "))
        folder = read_tasks(SUITES / NAMES[(place + 1) % len(NAMES)])[0].folder
        tasks = (task.model_copy(update={"folder": folder}) for task in read_tasks(SUITES / NAMES[place]))
        found = list(zip(tasks, cycle(TOPOLOGIES)))
    return {task.id: (task, topology) for task, topology in found}


def digest(group: str, name: str) -> str:
    """Carry out a task of a group, and digest how it went."""
    task, topology = tasks_in(group)[name]
    return hashlib.sha256(told([run_task(task, setup(topology))])[name].encode()).hexdigest()[:12]


def digests(group: str) -> dict[str, str]:
    """Digest how each task of a group went."""
    return {name: digest(group, name) for name in tasks_in(group)}


@cache
def known(group: str) -> dict[str, str]:
    """Return the digests that are committed."""
    rows = [line.split("\t") for line in DIGESTS.read_text(encoding="utf-8").splitlines()[1:]]
    return {task: digest for name, task, digest in rows if name == group}


def cases() -> Iterator[Any]:
    """Return all tasks by group and name; most are for ``-m slow``."""
    for group in GROUPS:
        for number, name in enumerate(tasks_in(group)):
            yield pytest.param(group, name, marks=pytest.mark.slow if number % EVERY else ())


@pytest.mark.parametrize(("group", "name"), cases())
def test_nothing_is_answered_otherwise(group: str, name: str) -> None:
    assert digest(group, name) == known(group)[name], f"answered otherwise, which python -m {__name__} writes down"


@pytest.mark.parametrize("group", GROUPS)
def test_digests_are_of_the_tasks_there_are(group: str) -> None:
    assert list(known(group)) == list(tasks_in(group))


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        rows = [
            f"{group}\t{task}\t{digest}"
            for group, found in zip(GROUPS, pool.map(digests, GROUPS), strict=True)
            for task, digest in found.items()
        ]
    DIGESTS.write_text("\n".join(["group\ttask\tdigest", *rows, ""]), encoding="utf-8")
    sys.stdout.write(f"{len(rows)} digests\n")
