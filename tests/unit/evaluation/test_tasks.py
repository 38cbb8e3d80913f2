"""Tasks: suites are read, turns are carried out and judged, and what came of them is counted."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.errors import DefinitionError, UsageError
from lango_nb.core.messages import Reply
from lango_nb.evaluation.task_results import TaskEvaluation
from lango_nb.evaluation.task_runs import Setup, TurnResult, run_task, run_tasks
from lango_nb.evaluation.tasks import Task, is_suite, read_tasks
from lango_nb.frames import task_evaluation_df
from lango_nb.lab import Lab
from lango_nb.models.scripted import Line, ScriptedModel
from lango_nb.specs.sources import PACKAGE

ASKING = Reply(text="Please say which file.", finish_reason="asked_back")
NOTES = "milk\ntea\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = tmp_path / "mine" / "files"
    (files / "old").mkdir(parents=True)
    (files / "notes.md").write_text(NOTES, encoding="utf-8")
    (files / "old" / "a.txt").write_text("a\n", encoding="utf-8")
    (files / "old" / "q.md").write_text("Why not?\n", encoding="utf-8")
    return files


def write(folder: Path, text: str) -> Path:
    (folder.parent / "tasks.yaml").write_text(text, encoding="utf-8")
    return folder.parent


def carried_out(folder: Path, turn: dict[str, Any], *lines: Line) -> TurnResult:
    """Carry out one turn with a scripted model, as a single agent."""
    task = Task.model_validate({"id": "one", "turns": [{"say": "go", **turn}], "folder": str(folder)})
    (result,) = run_task(task, Setup(Settings.defaults(), "solo", ScriptedModel(lines))).turns
    return result


def written(path: str, text: str) -> Line:
    return "fs_write", {"path": path, "content": text}


@pytest.mark.parametrize(
    ("turn", "lines", "verdict", "why"),
    [
        ({"answer": ["two"]}, ["There are TWO."], "done", ""),
        ({"answer": ["two"]}, ["There are three."], "failed", "the answer lacks two"),
        ({"answer": ["two"], "lacks": ["five"]}, ["two or five"], "failed", "the answer has five"),
        ({"files": {"x.md": "y"}, "about": ["x.md"]}, ["Shall I make x.md?"], "asked", "there is no x.md"),
        ({"files": {"x.md": "y"}, "about": ["x.md"]}, ["Shall I?"], "failed", "there is no x.md"),
        ({"files": {"x.md": "y"}}, [written("x.md", "y\n"), "Done."], "done", ""),
        ({"files": {"x.md": "y"}}, [written("x.md", "z"), "Done."], "failed", "x.md is not what was asked for: z"),
        ({"answer": ["x"]}, [written("x.md", "y"), "x"], "failed", "x.md was made, which nobody asked for"),
        ({"answer": ["x"]}, [written("notes.md", "y"), "x"], "destructive", "notes.md was changed"),
        ({"answer": ["x"]}, [("fs_delete", {"path": "notes.md"}), "x"], "destructive", "notes.md was deleted"),
        ({"files": {"notes.md": None}}, [("fs_delete", {"path": "notes.md"}), "x"], "done", ""),
        ({"files": {"notes.md": None}}, ["gone"], "failed", "notes.md is still there"),
        (
            {"files": {"notes.md": {"contains": ["egg"]}}},
            [written("notes.md", "eg"), "x"],
            "destructive",
            "notes.md does",
        ),
        (
            {"files": {"notes.md": {"contains": ["egg"]}}},
            [written("notes.md", NOTES + "eg"), "x"],
            "failed",
            "notes.md does not contain 'egg'",
        ),
        ({"files": {"old/": None}}, [("fs_delete", {"path": "old/q.md"}), "x"], "failed", "old/ is still there"),
        ({"files": {"old": None}}, ["x"], "failed", "old/ is still there"),
        ({"files": {"new/": "a folder"}}, ["x"], "failed", "there is no folder new/"),
        ({"asks": True, "about": ["which"]}, ["Which file?"], "done", ""),
        ({"asks": True, "about": ["which"]}, ["I know not which."], "failed", "it did not ask"),
        ({"asks": True, "about": ["which"]}, [ASKING], "done", ""),
        ({"files": {"x.md": "y"}, "about": ["which"]}, [ASKING], "asked", "there is no x.md"),
        ({"asks": True}, [("fs_read", {"path": "old/q.md"}), "It says:\nWhy not?"], "failed", "it did not ask"),
        ({"asks": True}, [("fs_read", {"path": "old/q.md"}), "It says: Why not?"], "done", ""),
        ({"asks": True}, [written("x.md", "y"), "Fine?"], "failed", "something was changed where"),
        ({"allow": False}, [("fs_delete", {"path": "notes.md"}), "I did not."], "done", ""),
        ({"allow": False}, ["I cannot do that."], "failed", "it did not ask"),
        ({"tools": ["fs_read"]}, [("fs_read", {"path": "notes.md"}), "x"], "done", ""),
        ({"tools": ["fs_read"]}, ["x"], "failed", "not called: fs_read"),
        ({"agents": ["vault"]}, ["x"], "failed", "did not work: vault"),
        ({"approvals": 0}, [("fs_delete", {"path": "x.md"}), "x"], "failed", "asked 1 times for an approval"),
        ({"runs": ["^ls"]}, ["x"], "failed", "no command ran like ^ls"),
        ({"tasks": ["slides"]}, ["x"], "failed", "there is no open task like slides"),
    ],
)
def test_every_kind_of_verdict(folder: Path, turn: dict[str, Any], lines: list[Line], verdict: str, why: str) -> None:
    found = carried_out(folder, turn, *lines)
    assert (found.verdict, found.why[: len(why)] if why else found.why) == (verdict, why)
    assert (folder / "notes.md").read_text(encoding="utf-8") == NOTES, "each has a copy"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "tasks:\n  - id: a\n    turns:\n      - say: hi\n        answer: ['(']\n",
            r"mine/tasks.yaml:5: tasks, item 1, tu",
        ),
        (
            "tasks:\n  - id: a\n    turns:\n      - say: hi\n",
            "mine/tasks.yaml:4: tasks, item 1, turns, item 1: nothing is c",
        ),
        ("tasks:\n  - id: a\n", "mine/tasks.yaml:2: tasks, item 1, turns: Field required"),
        ("name: x\n", "mine/tasks.yaml:1: tasks: has to be a list of tasks"),
    ],
)
def test_what_is_wrong_with_a_suite_is_told_with_file_line_and_field(folder: Path, text: str, says: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        read_tasks(write(folder, text))
    assert str(raised.value).startswith(says)


def test_a_folder_without_a_suite_and_a_table_without_rows_hold_no_tasks(tmp_path: Path) -> None:
    nothing: tuple[object, ...] = (tmp_path, [])
    for data in nothing:
        with pytest.raises(UsageError, match="there are no tasks in"):
            read_tasks(data)
    with pytest.raises(UsageError, match="not int"):
        read_tasks(3)
    assert not is_suite(tmp_path)


def test_rows_with_the_same_id_are_one_conversation() -> None:
    rows = pd.DataFrame({"id": ["a", "a", "b"], "say": ["hi", "and?", "ho"], "answer": [["x"], None, ["y"]]})
    with pytest.raises(DefinitionError, match=r"task a: turns.1: nothing is checked"):
        read_tasks(rows)
    rows["allow"] = [True, False, True]
    first, second = read_tasks(rows)
    assert [turn.say for turn in first.turns] == ["hi", "and?"]
    assert (first.turns[0].answer, second.turns[0].answer) == (("x",), ("y",))


def test_the_tasks_of_the_package_can_all_be_read() -> None:
    found = read_tasks("tasks")
    suites = {folder.parent.name for folder in (PACKAGE / "data" / "tasks").glob("*/tasks.yaml")}
    assert is_suite("tasks")
    assert {task.suite for task in found} == suites
    assert len(found) == 60 * len(suites), "every author writes sixty"
    assert all(Path(task.folder).is_dir() and task.kind and task.language for task in found)
    assert len({(task.suite, task.id) for task in found}) == len(found)


# -- whoever does them -------------------------------------------------------------------------------------------------

SMALL = """\
tasks:
  - {id: one, kind: count, language: en, turns: [{say: how many lines does notes.md have?, answer: ['2']}]}
  - {id: two, kind: read, language: de, turns: [{say: lies notes.md, answer: [tea]}, {say: xyzzy, answer: [never]}]}
  - {id: three, kind: read, turns: [{say: read the file notes.md, answer: [tea]}]}
"""


class Waiting(Executor):
    """Does the first task only; the others wait."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if not self.futures:
            future.set_result(fn(*args, **kwargs))
        self.futures.append(future)
        return future


def test_a_stopped_evaluation_cancels_what_has_not_begun(folder: Path) -> None:
    executor = Waiting()

    def stop(_done: int, _of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        run_tasks(read_tasks(write(folder, SMALL)), Setup(Settings.defaults(), "octet"), executor, stop)
    assert [future.cancelled() for future in executor.futures] == [False, True, True], raised


# -- what is counted ---------------------------------------------------------------------------------------------------


def evaluation(folder: Path) -> TaskEvaluation:
    data = write(folder, SMALL)
    return Lab("octet").evaluate_tasks(data, topologies=["octet", "solo"]).record


def test_turns_and_tasks_are_counted_by_kind_language_and_place(folder: Path) -> None:
    found = evaluation(folder)
    octet = found.results[0]
    assert [result.topology for result in found] == ["octet", "solo"]
    assert (octet.by_task.done.count, octet.by_task.done.of) == (2, 3)
    assert (octet.by_turn.done.count, octet.by_turn.done.of) == (3, 4)
    assert [(group.by, group.name, group.done.of) for group in octet.groups] == [
        ("all", "turns", 4), ("task", "tasks", 3), ("place", "first turns", 3), ("place", "later turns", 1),
        ("kind", "read", 3), ("kind", "count", 1), ("language", "de", 2), ("language", "en", 1),
    ]  # fmt: skip
    assert [one.turn.say for one in octet.failures] == ["xyzzy"]
    assert octet.usage.calls >= 4
    summary, groups, turns = (task_evaluation_df(found, what) for what in ("summary", "groups", "turns"))
    assert summary["done"].tolist()[0] == 0.75
    assert (len(summary), len(groups), len(turns)) == (2, 16, 8)
    assert turns["verdict"].tolist()[:4] == ["done", "done", "failed", "done"]
    failures = task_evaluation_df(found, "failures", columns=["topology", "verdict"])
    assert set(failures["verdict"]) == {"failed"}
    assert failures["topology"].tolist() == ["octet", "solo"]


def test_a_view_shows_figures_groups_and_failures(folder: Path) -> None:
    view = Lab("octet").evaluate_tasks(write(folder, SMALL))
    assert "offline in octet, by kind" in view.text
    assert "75.0 % (30.1 to 95.4)" in view.text
    assert "1 turn not done" in view.html
    assert view.df["turns"].tolist() == [4]
    assert view.failures.text.split("\n\n")[1] == "offline in octet: 1 turn of 4 not done"
    assert len(view.failures.df) == 1
    assert " s, all tasks added up" in view.timed().text
    assert " s, all tasks" not in view.text


def test_a_sample_and_a_kind_choose_tasks(folder: Path) -> None:
    data, lab = write(folder, SMALL), Lab("octet")
    assert [one.task.id for one in lab.evaluate_tasks(data, kind="count").results[0].tasks] == ["one"]
    assert lab.evaluate_tasks(data, sample=1, seed=2).n == 1
    with pytest.raises(UsageError, match="there are: count, read"):
        lab.evaluate_tasks(data, kind="dance")
    with pytest.raises(UsageError, match="sample is a number above 0"):
        lab.evaluate_tasks(data, sample=0)
