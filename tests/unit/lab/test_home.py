"""A lab with a home: what is kept there, who else sees it, and what can be opened and exported."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

from lango_nb import Lab
from lango_nb.core.errors import LangoError, StoreError, UnknownNameError, UsageError
from tests.kept import in_child

KERNELS, TURNS = 2, 100


def test_two_kernels_ask_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    """Each of two processes runs turns of one session and notes tasks: 400 records."""
    children = []
    for kernel in range(KERNELS):
        child = os.fork()
        if not child:
            try:
                lab = Lab("solo", home=tmp_path / "home", workspace=tmp_path)
                for number in range(TURNS):
                    lab.ask(f"hello {kernel} {number}")
                    lab.engine.memories.save("operator", f"{kernel}-{number}", "kept")
                lab.close()
            except BaseException:  # noqa: BLE001 - a child says it and ends
                sys.excepthook(*sys.exc_info())
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * KERNELS
    lab = Lab("solo", home=tmp_path / "home", workspace=tmp_path)
    turns = lab.turns.record
    assert sorted(turn.text for turn in turns) == sorted(f"hello {k} {n}" for k in range(KERNELS) for n in range(TURNS))
    assert [turn.number for turn in turns] == list(range(1, KERNELS * TURNS + 1))
    assert len(lab.engine.memories) == KERNELS * TURNS
    assert lab.engine.store.check() == []
    lab.close()


def test_parent_and_forked_child_go_on_with_one_lab(tmp_path: Path) -> None:
    lab = Lab("solo", home=tmp_path / "home", workspace=tmp_path)
    lab.ask("before")

    def ask() -> None:
        for _ in range(2):
            lab.ask("child")
        lab.close()

    assert in_child(ask) == 0
    for _ in range(2):
        lab.ask("parent")
    assert [turn.text for turn in lab.turns] == ["before", "child", "child", "parent", "parent"]
    assert lab.engine.store.check() == []
    lab.close()


def test_another_lab_goes_on_with_the_conversation(tmp_path: Path) -> None:
    first, second = (Lab("solo", home=tmp_path / "home", workspace=tmp_path) for _ in range(2))
    first.ask("hello")
    second.ask("hello again")
    assert [turn.text for turn in first.turns] == ["hello", "hello again"]
    assert [message.content for message in first.engine.session().messages][::2] == ["hello", "hello again"]
    first.close()
    second.close()


def test_turns_are_searched_exported_and_read_again(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("one\n", encoding="utf-8")
    lab = Lab(home=tmp_path / "home", workspace=tmp_path)
    lab.ask("hello")
    lab.ask("count the lines of notes.md")
    assert [row["number"] for row in lab.search(tool="fs_read").record.rows()] == [2]
    assert [row["number"] for row in lab.search("HELLO").record.rows()] == [1]
    page = lab.export(tmp_path / "turn.html", 2).read_text(encoding="utf-8")
    assert "notes.md" in page
    assert "<script" not in page
    lines = lab.export(tmp_path / "all.jsonl", session="main")
    assert list(lab.open(lines).record) == [lab.trace(1).record, lab.trace(2).record]
    with pytest.raises(UsageError, match="is there already"):
        lab.export(tmp_path / "all.jsonl", session="main")
    lab.close()


def test_a_session_is_opened_by_its_name_and_a_new_one_is_free(tmp_path: Path) -> None:
    lab = Lab("solo", home=tmp_path / "home", workspace=tmp_path)
    lab.ask("hello")
    name = lab.new()
    assert name not in lab.engine.sessions.names()
    lab.ask("hello there")
    lab.open("main")
    assert lab.session == "main"
    with pytest.raises(UnknownNameError, match="session 'mian' not found; did you mean 'main'"):
        lab.open("mian")
    lab.close()


def test_what_is_allowed_for_a_session_holds_in_the_next_process(tmp_path: Path) -> None:
    def ask(session: str, approver: str) -> str:
        (tmp_path / "old.txt").write_text("x", encoding="utf-8")
        lab = Lab("solo", home=tmp_path / "home", workspace=tmp_path, approver=approver, session=session)

        def answer(event: object) -> None:
            if getattr(event, "kind", "") == "approval.asked" and approver == "hold":
                lab.approvals.allow(scope="session")

        outcome: str = lab.ask("delete old.txt", on_event=answer).outcome
        lab.close()
        return outcome

    assert ask("main", "hold") == "success"
    assert ask("main", "deny") == "success"
    assert ask("other", "deny") != "success"


def test_a_closed_home_says_so(tmp_path: Path) -> None:
    lab = Lab("solo", home=tmp_path / "home", workspace=tmp_path)
    lab.ask("hello")
    lab.close()
    with pytest.raises(StoreError, match="closed") as caught:
        lab.ask("hello")
    assert isinstance(caught.value, LangoError)


def test_the_home_is_out_of_reach_of_file_tools_also_inside_the_workspace(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "keys.env").write_text("OPENAI_API_KEY=not-a-key\n")
    texts = ("read home/keys.env", "list the folder home/", "delete the folder home", "write 'x' to home/x.txt")
    with closing(Lab("solo", home=home, workspace=tmp_path, approver="allow", model="offline")) as lab:
        for text in texts:
            assert "out of reach of file tools" in lab.ask(text).answer, text
    assert (home / "keys.env").is_file()


def test_what_is_wrong_is_told_where_one_looks_first(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with_turn = Lab(home=tmp_path / "mine", workspace=tmp_path)
    with_turn.ask("hello")
    assert "with records" not in with_turn.status.text
    with_turn.close()
    assert caplog.messages == []
    (tmp_path / "mine" / "records.db").unlink()
    lab = Lab(home=tmp_path / "mine", workspace=tmp_path)
    assert caplog.messages == [
        "records.db is gone, and there were records in it; restore it from a copy, unless you have removed it"
    ]
    assert "1 problem with records: %lango doctor" in lab.status.text
    shown = Lab(workspace=tmp_path).open(tmp_path / "mine").text.replace("\n", " ")
    assert "records.db is gone, and there were records in it" in " ".join(shown.split())
    lab.close()
