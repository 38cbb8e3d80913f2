"""``%lango open FOLDER`` keeps what is there: turns in memory move into an empty folder, and go on from there."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from lango_nb import Lab
from lango_nb.core.errors import UsageError
from lango_nb.core.ids import RandomIds
from lango_nb.records.tasks import Task

AT = datetime(2026, 1, 2, tzinfo=UTC)
NOUNS = ("turns", "events", "messages", "steps", "runs")


def worked(folder: Path) -> Lab:
    """A lab in memory that has done something."""
    (folder / "notes.md").write_text("milk\nbread\n", encoding="utf-8")
    lab = Lab("octet", approver="deny", workspace=folder)
    lab.ask("how many lines does notes.md have?")
    lab.ask("hello")
    return lab


def seen(lab: Lab) -> dict[str, pd.DataFrame]:
    return {noun: lab.history.frame(noun).drop(columns=["session_seq"], errors="ignore") for noun in NOUNS}


def test_turns_move_into_a_folder_and_the_next_lab_has_them(tmp_path: Path) -> None:
    lab = worked(tmp_path)
    before, texts = seen(lab), [lab.trace(number).text for number in (1, 2)]
    view = lab.open(tmp_path / "kept")
    assert view.record.is_durable
    assert [lab.trace(number).text for number in (1, 2)] == texts
    for noun, frame in seen(lab).items():
        pd.testing.assert_frame_equal(frame, before[noun])
    third = lab.ask("hello again")
    assert third.trace.record.turn.number == 3
    lab.close()

    again = Lab("octet", store=tmp_path / "kept")
    assert [trace.turn.number for trace in again.engine.traces] == [1, 2, 3]
    assert [again.trace(number).text for number in (1, 2)] == texts
    assert not again.engine.store.problems
    assert not again.engine.records.found, "nothing was left open"
    again.close()


def test_the_conversation_and_the_tasks_go_on(tmp_path: Path) -> None:
    lab = worked(tmp_path)
    lab.engine.tasks.add(Task(id="task-1", title="buy milk", created_at=AT, updated_at=AT))
    said = [(message.role, message.content) for message in lab.engine.sessions.open("main").messages]
    assert len(said) >= 4
    lab.open(tmp_path / "kept")
    assert [(message.role, message.content) for message in lab.engine.sessions.open("main").messages] == said
    assert [task.title for task in lab.engine.tasks.list()] == ["buy milk"]
    lab.close()


def test_turns_of_two_places_do_not_mix(tmp_path: Path) -> None:
    first = worked(tmp_path)
    first.open(tmp_path / "kept")
    first.close()
    second = worked(tmp_path)
    with pytest.raises(UsageError, match="2 turns are in memory, and others with the same numbers in that place"):
        second.open(tmp_path / "kept")
    assert not second.engine.records.is_durable
    assert second.ask("hello").outcome == "success"
    assert len(Lab("octet", store=tmp_path / "kept").engine.traces) == 2


def test_a_run_at_work_is_not_torn_away(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("x", encoding="utf-8")
    lab = Lab("octet", approver="hold", workspace=tmp_path)
    lab.ask("delete old.txt")
    with pytest.raises(UsageError, match="a teammate is still at work"):
        lab.open(tmp_path / "kept")
    assert lab.approvals.record
    lab.approvals.deny()
    lab.close()


def test_who_brings_names_keeps_them_and_others_are_told_apart_by_the_place(tmp_path: Path) -> None:
    own = RandomIds()
    with closing(Lab("solo", workspace=tmp_path, ids=own)) as lab:
        lab.keep_in(tmp_path / "own")
        assert lab.engine.ids is own
    names = []
    for _ in range(2):
        with closing(Lab("solo", workspace=tmp_path)) as lab:
            lab.keep_in(tmp_path / "counted")
            names.append(lab.engine.ids.new("turn"))
    assert names == ["turn-1-1", "turn-2-1"]
