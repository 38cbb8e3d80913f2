"""Requests whose answers nobody reads here, kept as digests: whether a change of the model changes an answer at all.

``crossed`` are the requests of ``tests/data/requests`` in the folder of the next suite, where most of what they speak
of is not, and under all topologies. ``held out`` are the tasks that ship with the package: how well they are understood
is measured, never tuned, so they are told apart by their digests alone. Written anew by::

    python -m tests.scenarios.test_other_requests
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle
from pathlib import Path

import pytest

import lango_nb
from lango_nb.evaluation.task_runs import run_task
from lango_nb.evaluation.tasks import Task, read_tasks
from tests.scenarios.test_requests import NAMES, SUITES, setup, told

DIGESTS = SUITES / "digests.tsv"
TOPOLOGIES = ("quartet", "octet", "sextet", "solo")
HELD_OUT = Path(lango_nb.__file__).parent / "data" / "tasks"
GROUPS = ("held out", *(f"crossed {name}" for name in NAMES))


def tasks_of(group: str) -> Iterator[tuple[Task, str]]:
    """Return the tasks of a group, each with the topology it is carried out under."""
    if group == "held out":
        for folder in sorted(path.parent for path in HELD_OUT.glob("*/tasks.yaml")):
            yield from (
                (task.model_copy(update={"id": f"{folder.name}/{task.id}"}), "octet") for task in read_tasks(folder)
            )
        return
    place = NAMES.index(group.removeprefix("crossed "))
    folder_of_next = read_tasks(SUITES / NAMES[(place + 1) % len(NAMES)])[0].folder
    tasks = read_tasks(SUITES / NAMES[place])
    yield from zip((task.model_copy(update={"folder": folder_of_next}) for task in tasks), cycle(TOPOLOGIES))


def digests(group: str) -> dict[str, str]:
    """Carry out the tasks of a group, and digest how each went."""
    return {
        task.id: hashlib.sha256(told([run_task(task, setup(topology))])[task.id].encode()).hexdigest()[:12]
        for task, topology in tasks_of(group)
    }


def known(group: str) -> dict[str, str]:
    """Return the digests that are committed."""
    rows = [line.split("\t") for line in DIGESTS.read_text(encoding="utf-8").splitlines()[1:]]
    return {task: digest for name, task, digest in rows if name == group}


@pytest.mark.parametrize("group", GROUPS)
def test_nothing_is_answered_otherwise(group: str) -> None:
    found, before = digests(group), known(group)
    changed = sorted(task for task in found.keys() | before.keys() if found.get(task) != before.get(task))
    assert not changed, f"answered otherwise, which python -m {__name__} writes down: {changed}"


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        rows = [
            f"{group}\t{task}\t{digest}"
            for group, found in zip(GROUPS, pool.map(digests, GROUPS), strict=True)
            for task, digest in found.items()
        ]
    DIGESTS.write_text("\n".join(["group\ttask\tdigest", *rows, ""]), encoding="utf-8")
    sys.stdout.write(f"{len(rows)} digests\n")
