"""``lango route`` shows every candidate with the terms of its score, and runs nothing."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_json_explains_the_choice(lango: Callable[..., Any]) -> None:
    done = lango("route", "please delete the file old.txt", "--output", "json")
    assert (done.code, done.err) == (0, "")
    data = json.loads(done.out)
    assert (data["text"], data["chosen"]) == ("please delete the file old.txt", "operator")
    assert {row["agent"] for row in data["candidates"]} >= {"operator", "navigator", "vault", "librarian", "chronicler"}
    assert data["candidates"][0]["agent"] == "operator"
    for row in data["candidates"]:
        assert row["score"] == pytest.approx(sum(signal["weight"] for signal in row["signals"]))


def test_the_table_names_the_chosen_agent_and_nothing_is_run(lango: Callable[..., Any], here: Path) -> None:
    (here / "old.txt").write_text("x", encoding="utf-8")
    done = lango("route", "delete old.txt", "--topology", "octet")
    assert (done.code, done.err) == (0, "")
    assert "operator" in done.out
    assert (here / "old.txt").exists()


def test_small_talk_and_abstention_are_no_failure(lango: Callable[..., Any]) -> None:
    data = json.loads(lango("route", "hello", "--output", "json").out)
    assert (data["chosen"], data["is_conversation"]) == (None, True)
    done = lango("route", "blorb the fnord", "--output", "json")
    assert (done.code, json.loads(done.out)["is_abstention"]) == (0, True)


def test_the_text_arrives_as_it_was_written(lango: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    text = "  délete 'C:\\new' {x} --flags 🦜\n"
    assert json.loads(lango("route", text, "--output", "json").out)["text"] == text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert json.loads(lango("route", "-", "--output", "json").out)["text"] == text


def test_a_text_that_is_not_utf8_is_refused(lango: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert lango("route", b"\xff".decode(errors="surrogateescape"))[::2] == (2, "lango: TEXT is not UTF-8\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ab\xff")))
    assert lango("route", "-")[::2] == (2, "lango: standard input: byte 3 is not UTF-8\n")
