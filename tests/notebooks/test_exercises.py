"""Every lesson ends with an exercise: not solved yet as it is saved, and right once somebody has solved it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.notebooks.refresh import read, run, shipped

CHECK = "%lango check "
SOLUTIONS = {
    "00_start_here": 'mine = "encrypt notes.md with aes"',
    "01_partitions": '%load_ext lango_nb\nname = "cron_invoice"',
    "02_routing": 'mine = "what do we know about basil?"',
    "03_turns_and_traces": """mine = play(
    ScriptedModel(
        [
            ("transfer_to_agent", {"agent_name": "operator"}),
            ("fs_list", {"path": "."}),
            ("fs_read", {"path": "notes.md"}),
            "two tools",
        ]
    ),
    "sextet",
)""",
    "04_teammates": "mine = pair.ask(\"encrypt 'tulip'\")",
    "05_history_as_dataframes": 'mine = lab.search(outcome="cancelled")',
    "06_evaluate_routing": 'mine = lab.evaluate("held-out", sample=2000).df.iloc[0]',
    "07_real_models": 'mine = Lab(model="cassette:octet-garden")',
    "08_whole_turns": "mine = lab.ask(\"add 'prune the roses' to todo.txt\")",
    "09_dashboard": 'dashboard["route"].act("text", "what do we know about basil?")',
    "10_reading_a_trace": "step = 3",
    "11_genome": """lab.genome.rollback(next(commit for commit in lab.genome.log() if commit.name == "archivist").id)
mine = lab.genome""",
}


def said(cell: Any) -> str:
    return "".join(out["data"]["text/plain"] for out in cell["outputs"] if "data" in out)


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_the_last_cell_is_an_exercise_that_is_not_solved_yet(path: Path) -> None:
    cell = read(path).cells[-1]
    attempt, check = cell["source"].rsplit("\n", 1)
    assert attempt
    assert check.startswith(CHECK)
    assert said(cell).startswith("not yet")


@pytest.mark.slow
@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_an_exercise_can_be_solved(path: Path, tmp_path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    notebook = read(path)
    notebook.cells[-1]["source"] = f"{SOLUTIONS[path.stem]}\n{notebook.cells[-1]['source'].rsplit(chr(10), 1)[1]}"
    solved = tmp_path / path.name
    nbformat.write(notebook, solved)
    assert said(run(solved).cells[-1]).startswith("right")
    assert path.read_text(encoding="utf-8") == source
