"""``lango ask --approve hold`` leaves a question; ``lango allow`` and ``lango deny`` answer it and wait."""

import builtins
import json
import sys
from pathlib import Path

import pytest

from lango_nb.specs.topologies import topology_names
from tests.unit.commands.conftest import Lango
from tests.unit.commands.terminal.test_ask import Terminal


@pytest.fixture
def files(here: Path) -> Path:
    for name in ("a.txt", "b.txt"):
        (here / name).write_text("one\n", encoding="utf-8")
    return here


def left(files: Path) -> list[str]:
    return sorted(path.name for path in files.iterdir())


@pytest.mark.parametrize("topology", topology_names())
def test_a_question_that_is_left_is_answered_later_and_what_came_of_it_is_said(
    lango: Lango, files: Path, topology: str
) -> None:
    words = ("--topology", topology)
    asked = lango("ask", "delete a.txt", "--approve", "hold", *words)
    assert (asked.code, left(files)) == (6, ["a.txt", "b.txt"])
    assert "deletes a.txt, 1 line" in lango("approvals", *words).out
    done = lango("allow", *words)
    assert (done.code, left(files)) == (0, ["b.txt"])
    assert done.out.endswith("\n\nDeleted a.txt. It held:\none\n")
    assert "nothing waits for an answer" in lango("approvals", *words).out
    assert lango("allow", *words).code == 2


@pytest.mark.parametrize("topology", topology_names())
def test_a_no_is_carried_out(lango: Lango, files: Path, topology: str) -> None:
    words = ("--topology", topology)
    lango("ask", "delete a.txt", "--approve", "hold", *words)
    done = lango("deny", *words)
    assert (done.code, left(files)) == (0, ["a.txt", "b.txt"])
    assert "refused: the person said no" in done.out
    assert "nothing waits for an answer" in lango("approvals", *words).out


def test_json_is_the_turn_that_went_on(lango: Lango, files: Path) -> None:
    lango("ask", "delete a.txt", "--approve", "hold", "--topology", "solo")
    data = json.loads(lango("allow", "--topology", "solo", "--json").out)
    assert (data["turn"]["answer"], data["events"][0]["continues"]) == ("Deleted a.txt. It held:\none", "turn-1-1")


def test_json_is_the_run_that_went_on(lango: Lango, files: Path) -> None:
    lango("ask", "delete a.txt", "--approve", "hold", "--topology", "octet")
    (run,) = json.loads(lango("allow", "--topology", "octet", "--json").out)
    assert (run["result"], run["status"]) == ("Deleted a.txt. It held:\none", "completed")


@pytest.mark.parametrize("topology", ["solo", "octet"])
def test_what_is_asked_next_is_put_to_the_person(
    lango: Lango, files: Path, monkeypatch: pytest.MonkeyPatch, topology: str
) -> None:
    words = ("--topology", topology)
    lango("ask", "delete a.txt and delete b.txt", "--approve", "hold", *words)
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(builtins, "input", lambda: "y")
    done = lango("allow", *words)
    assert (done.code, left(files)) == (0, [])
    assert "path = " in done.err


@pytest.mark.parametrize("topology", ["solo", "octet"])
def test_what_is_asked_next_with_nobody_there_waits_again(lango: Lango, files: Path, topology: str) -> None:
    words = ("--topology", topology)
    lango("ask", "delete a.txt and delete b.txt", "--approve", "hold", *words)
    codes = []
    while "nothing waits" not in lango("approvals", *words).out:
        codes.append(lango("allow", *words).code)
    assert (codes, left(files)) == ([6, 0], [])


@pytest.mark.parametrize("topology", ["solo", "octet"])
def test_who_allows_one_call_may_refuse_the_next(
    lango: Lango, files: Path, monkeypatch: pytest.MonkeyPatch, topology: str
) -> None:
    words = ("--topology", topology)
    lango("ask", "delete a.txt and delete b.txt", "--approve", "hold", *words)
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(builtins, "input", lambda: "n")
    done = lango("allow", *words)
    assert (done.code, left(files)) == (4, ["b.txt"])
    assert "fs_delete was not run: the user said no" in done.out
