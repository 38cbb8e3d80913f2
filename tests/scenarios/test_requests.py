"""What people type, carried out whole: some 1 200 turns in ten languages, by authors who had not seen the code.

They say what has to be in the answer and in the files afterwards. The turns that do not come out so are listed in
``tests/data/requests/missed.tsv``; a change that mends one takes it from the list, and none is added to it. They were
written to develop with: how well requests of strangers are understood is measured with others.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from lango_nb.config.settings import Settings
from lango_nb.evaluation.task_runs import Setup, run_task
from lango_nb.evaluation.tasks import read_tasks

SUITES = Path(__file__).parents[1] / "data" / "requests"
NAMES = sorted(path.parent.name for path in SUITES.glob("*/tasks.yaml"))
Miss = tuple[str, int, str]
"""Task, turn and verdict."""


def setup(topology: str) -> Setup:
    """Have everything switched on that requests may be about."""
    return Setup(Settings.model_validate({"background": {"enabled": True}, "agentMemory": {"enabled": True}}), topology)


@cache
def missed(suite: str, topology: str) -> dict[Miss, str]:
    """Carry out a suite, and return the turns that were not done, with what is wrong."""
    found: dict[Miss, str] = {}
    for task in read_tasks(SUITES / suite):
        for number, turn in enumerate(run_task(task, setup(topology)).turns, 1):
            if turn.verdict != "done":
                found[task.id, number, turn.verdict] = f"{turn.say!r}: {turn.why}"
    return found


@cache
def known() -> dict[str, set[Miss]]:
    """Return the turns of each suite that are known not to be done."""
    rows = [line.split("\t") for line in (SUITES / "missed.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    return {
        name: {(task, int(turn), verdict) for suite, task, turn, verdict in rows if suite == name} for name in NAMES
    }


@pytest.mark.parametrize("suite", NAMES)
def test_what_was_understood_is_still_understood(suite: str) -> None:
    found = missed(suite, "octet")
    new = found.keys() - known()[suite]
    assert not new, "\n".join(f"{miss}: {found[miss]}" for miss in sorted(new))
    mended = known()[suite] - found.keys()
    assert not mended, f"take these out of missed.tsv: {sorted(mended)}"


if __name__ == "__main__":  # python -m tests.scenarios.test_requests writes down what is missed now
    lines = [f"{suite}\t{task}\t{turn}\t{verdict}" for suite in NAMES for task, turn, verdict in missed(suite, "octet")]
    (SUITES / "missed.tsv").write_text("\n".join(["suite\ttask\tturn\tverdict", *lines, ""]), encoding="utf-8")
