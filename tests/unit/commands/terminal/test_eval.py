"""``lango eval`` measures labelled requests in a terminal, as a table or as JSON."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROWS = "text,agent,language\nencrypt the word tulip,vault,en\nread the file notes.md,operator,en\n"


@pytest.fixture
def mine(here: Path) -> Path:
    file = here / "mine.csv"
    file.write_text(ROWS, encoding="utf-8")
    return file


@pytest.mark.parametrize("option", [("--json",), ("--output", "json")])
def test_json_has_every_share_with_its_interval(lango: Callable[..., Any], mine: Path, option: tuple[str, ...]) -> None:
    done = lango("eval", "mine.csv", *option)
    assert (done.code, done.err) == (0, "")
    data = json.loads(done.out)
    assert (data["subject"], data["data"], data["requests"]) == ("router", "mine.csv", 2)
    (result,) = data["topologies"]
    assert result["topology"] == "octet"
    assert result["accuracy"]["count"] == 2
    assert result["accuracy"]["low"] == pytest.approx(0.3424, abs=1e-3)
    assert {one["agent"] for one in result["agents"]} >= {"root", "vault", "operator"}
    assert result["mistakes"] == 0


def test_the_table_and_the_mistakes(lango: Callable[..., Any], mine: Path) -> None:
    done = lango("eval", "mine.csv", "--topologies", "octet,sextet")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("evaluation of router · mine.csv · 2 requests\n")
    assert "sextet" in done.out
    mine.write_text("text,agent\nencrypt the word tulip,operator\n", encoding="utf-8")
    assert "went to vault; it belongs to operator" in lango("eval", "mine.csv", "--mistakes").out
    rows = json.loads(lango("eval", "mine.csv", "--mistakes", "--json").out)["topologies"][0]["mistakes"]
    assert (rows[0]["verdict"], rows[0]["right"]) == ("wrong_agent", "operator")


def test_a_model_is_asked_and_its_answers_are_kept(lango: Callable[..., Any], mine: Path, here: Path) -> None:
    first = json.loads(lango("eval", "mine.csv", "--model", "offline", "--resume", "kept.jsonl", "--json").out)
    assert (first["subject"], first["resumed"], first["topologies"][0]["usage"]["calls"]) == ("offline", 0, 2)
    again = json.loads(lango("eval", "mine.csv", "--model", "offline", "--resume", "kept.jsonl", "--json").out)
    assert again["resumed"] == 2
    assert json.loads(lango("eval", "mine.csv", "--model", "keywords", "--json").out)["subject"] == "keywords"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("eval", "gone.csv"), 2, "cannot read 'gone.csv'"),
        (("eval", "held-uot"), 2, "did you mean 'held-out'"),
        (("eval", "mine.csv", "--sample", "0"), 2, "--sample takes a whole number from 1 on, not '0'"),
        (("eval", "mine.csv", "--topologies", "quartet"), 2, "labelled 'vault', which is neither an agent of quartet"),
        (("eval", "mine.csv", "--model", "openai:x", "--settings", "models.allowNetwork=false"), 3, "is live"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    lango: Callable[..., Any], mine: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    done = lango(*words)
    assert (done.code, done.out) == (code, "")
    assert says in done.err
    assert done.err.count("\n") == 1


def test_tasks_are_carried_out(lango: Callable[..., Any], here: Path) -> None:
    folder = here / "suite"
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "notes.md").write_text("milk\ntea\n", encoding="utf-8")
    tasks = "tasks: [{id: one, kind: count, turns: [{say: how many lines does notes.md have?, answer: ['2']}]}]\n"
    (folder / "tasks.yaml").write_text(tasks, encoding="utf-8")
    assert lango("eval", "suite").out.startswith("tasks of suite · 1 task\n")
    (result,) = json.loads(lango("eval", "suite", "--kind", "count", "--json").out)["results"]
    assert (result["topology"], result["groups"][0]["done"]["count"]) == ("octet", 1)
    assert "octet: 0 turns of 1 not done" in lango("eval", "suite", "--mistakes").out
    assert "s, all tasks added up" in lango("eval", "suite").out
    assert "there are: count" in lango("eval", "suite", "--kind", "dance").err
    assert "--kind is for tasks" in lango("eval", "held-out", "--kind", "count").err
    assert "leave --at-once and --resume out" in lango("eval", "suite", "--resume", "x").err
