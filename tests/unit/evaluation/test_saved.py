"""Answers in a file: found again, torn lines dropped, anybody else's file left alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lango_nb.core.errors import UsageError
from lango_nb.evaluation.answers import Answer
from lango_nb.evaluation.saved import SavedAnswers

FULL = Answer("agent", "vault", "it is a secret", calls=1, input_tokens=7, output_tokens=2, cost_usd=0.01, time_ms=3.5)
BARE = Answer("root", calls=1)


def test_answers_come_back_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    with SavedAnswers(file) as saved:
        saved.add("a", FULL)
        saved.add("b", BARE)
        assert len(file.read_text(encoding="utf-8").splitlines()) == 2, "each is written as it comes"
    with SavedAnswers(file) as saved:
        assert (saved.get("a"), saved.get("b"), saved.get("c")) == (FULL, BARE, None)


def test_errors_are_not_kept_and_secrets_are_masked(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    with SavedAnswers(file) as saved:
        saved.add("a", Answer("error", reason="no network", calls=1))
        saved.add("b", replace(BARE, reason="the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"))
    text = file.read_text(encoding="utf-8")
    assert '"a"' not in text
    assert "abcdefghijklmnop" not in text


@pytest.mark.parametrize("kept", [1, 5, 20, -2])
def test_a_torn_last_line_is_dropped_and_written_over(tmp_path: Path, kept: int) -> None:
    file = tmp_path / "answers.jsonl"
    with SavedAnswers(file) as saved:
        saved.add("a", FULL)
    line = file.read_bytes()
    file.write_bytes(line + line.replace(b'"a"', b'"b"')[:kept])
    with SavedAnswers(file) as saved:
        assert list(saved.answers) == ["a"]
        saved.add("c", BARE)
    assert [json.loads(row)["key"] for row in file.read_text(encoding="utf-8").splitlines()] == ["a", "c"]


@pytest.mark.parametrize(
    "content",
    [
        b"my notes\n",
        b"my notes",
        b'{"text": "hi", "agent": "root"}\n',
        b'{"schema": 99, "key": "a", "kind": "root"}\n',
        b"\x00\xff\n",
    ],
)
def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    with pytest.raises(UsageError, match="name another file to resume from"):
        SavedAnswers(file)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("field", "value"),
    [("calls", None), ("calls", True), ("time_ms", "1"), ("agent", None), ("kind", "maybe"), ("input_tokens", 1.5)],
)
def test_a_line_with_something_odd_names_itself(tmp_path: Path, field: str, value: object) -> None:
    file = tmp_path / "answers.jsonl"
    with SavedAnswers(file) as saved:
        saved.add("a", FULL)
        saved.add("b", FULL)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    rows[1][field] = value
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(UsageError, match=r"'answers.jsonl', line 2 is not an answer"):
        SavedAnswers(file)


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot keep answers in .*name another file"):
        SavedAnswers(tmp_path / "gone" / "answers.jsonl")
