"""Memories, routing rules and metrics: found by words, fading, counted outside the history."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.metrics import Action, Stumble


def contents(found: tuple[Any, ...]) -> list[str]:
    return [one.content for one in found]


def test_memories_are_found_by_whole_words_and_their_endings(genome: Genome) -> None:
    genome.add_memory("Tests run with pytest -q", ["testing"])
    genome.add_memory("The café's menu is in data/menu.csv")
    genome.add_memory("A cat sat on the mat")
    assert contents(genome.search_memories("How do I run a test?")) == ["Tests run with pytest -q"]
    assert contents(genome.search_memories("CAFE menus")) == ["The café's menu is in data/menu.csv"]
    assert genome.search_memories("a to the") == ()
    assert genome.search_memories("at") == ()
    assert genome.search_memories("") == ()


def test_those_with_more_words_come_first_and_the_number_is_limited(genome: Genome) -> None:
    for text in ("apples are red", "apples and pears are fruit", "pears are green"):
        genome.add_memory(text)
    assert contents(genome.search_memories("pears and apples"))[0] == "apples and pears are fruit"
    assert len(genome.search_memories("pears and apples", limit=2)) == 2
    assert genome.search_memories("pears", limit=0) == ()


def test_a_memory_fades_by_half_in_thirty_days_and_use_restores_it(genome: Genome, clock: Any) -> None:
    memory = genome.add_memory("Thread comes in colours", confidence=0.8)
    clock.turn(days=40)
    assert genome.search_memories("thread") == (memory,)
    genome.mark_used(memory.id, "m-unknown")
    clock.turn(days=40)
    assert genome.search_memories("thread") == (memory,)
    clock.turn(days=5)
    assert genome.search_memories("thread") == ()
    assert genome.search_memories("thread", minimum=0.2) == (memory,)
    assert genome.uses[memory.id].count == 1


def test_faded_memories_are_pruned_in_one_commit(genome: Genome, clock: Any) -> None:
    old = [genome.add_memory(text).id for text in ("one thread", "two threads")]
    clock.turn(days=70)
    new = genome.add_memory("three threads")
    assert genome.prune_memories() == tuple(old)
    assert genome.memories == (new,)
    assert genome.commit().subject == "prune 2 memories"
    head = genome.commit().id
    assert genome.prune_memories() == ()
    assert genome.commit().id == head


def test_uses_are_no_part_of_the_history(genome: Genome, folder: Path, git: Callable[..., str]) -> None:
    memory = genome.add_memory("Thread comes in colours")
    head = genome.commit().id
    genome.mark_used(memory.id)
    genome.record(Action("reader"))
    assert genome.commit().id == head
    assert git("status", "--porcelain") == ""
    assert Genome.open(folder).uses[memory.id].count == 1
    genome.rollback(head)
    assert genome.memories == ()


def test_a_memory_is_noted_once_without_secrets(genome: Genome, folder: Path) -> None:
    memory = genome.add_memory("The key is sk-abcdefghijklmnop1234", ["token sk-abcdefghijklmnop1234"])
    assert memory.content == "The key is [masked]"
    assert b"sk-abc" not in (folder / "memories" / "memories.jsonl").read_bytes()
    with pytest.raises(DefinitionError, match=f"memory {memory.id} says that already"):
        genome.add_memory("The  key is sk-abcdefghijklmnop9999")
    for wrong in ({"content": " "}, {"content": "x", "confidence": 1.5}):
        with pytest.raises(DefinitionError):
            genome.add_memory(**wrong)
    assert len(genome.memories) == 1


def test_removing_takes_one_away_and_an_unknown_one_is_said(genome: Genome, folder: Path) -> None:
    first, second = genome.add_memory("one thread"), genome.add_memory("two threads")
    rule = genome.add_rule("cloth and thread", "reader", 0.9)
    genome.remove_memory(first.id)
    genome.remove_rule(rule.id)
    opened = Genome.open(folder)
    assert (opened.memories, opened.rules) == ((second,), ())
    head = genome.commit().id
    for act in (genome.remove_memory, genome.remove_rule):
        with pytest.raises(UnknownNameError, match="'x-1' not found in the genome"):
            act("x-1")
    assert genome.commit().id == head


def test_rules_match_by_words_the_strongest_first(genome: Genome, folder: Path) -> None:
    weak = genome.add_rule("questions about tests", "reader", 0.2)
    strong = genome.add_rule("a failing test", "command-runner: it can run them", 0.9)
    genome.add_rule("the weather", "web-reader")
    assert genome.match_rules("Which tests fail?") == (strong, weak)
    assert genome.match_rules("a the") == ()
    assert Genome.open(folder).rules == genome.rules
    for wrong in (("", "reader", 0.5), ("x", " ", 0.5), ("x", "reader", 2.0), ("questions about tests", "reader", 0.3)):
        with pytest.raises(DefinitionError):
            genome.add_rule(*wrong)
    assert genome.prune_rules([strong.id])[0] == weak.id
    assert genome.rules == (strong,)
    assert genome.commit().subject == "prune 2 rules"


def test_stumbles_for_each_action_within_a_time(genome: Genome, clock: Any) -> None:
    assert genome.stumble_rate("reader") == 0
    begin = clock.now()
    for _ in range(4):
        genome.record(Action("reader"))
    genome.record(Stumble("reader", "timeout"))
    genome.record(Stumble("editor", "error"))
    middle = clock.now()
    genome.record(Action("reader"))
    genome.record(Stumble("reader", "error"))
    assert genome.stumble_rate("reader") == 2 / 5
    assert genome.stumble_rate("reader", until=middle) == 1 / 4
    assert genome.stumble_rate("reader", since=middle) == 1
    assert genome.stumble_rate("editor") == 0
    assert genome.metrics.count("stumble", "reader", stumble="error") == 1
    at = genome.metrics.all()[0].at
    assert at is not None
    assert genome.metrics.count("action", "reader", begin, at) == 1
    assert genome.metrics.count("action", "reader", begin, at - timedelta(microseconds=1)) == 0


def test_a_line_of_metrics_that_was_cut_off_costs_no_other(genome: Genome, folder: Path) -> None:
    genome.record(Action("reader"))
    with (folder / "metrics" / "metrics.jsonl").open("a") as file:
        file.write('{"type": "action", "agent_na')
    genome.record(Action("reader"))
    opened = Genome.open(folder)
    assert opened.metrics.count("action", "reader") == 2
    assert opened.metrics.unreadable == 1


def test_a_file_of_uses_that_is_damaged_counts_as_none(genome: Genome, folder: Path, clock: Any) -> None:
    memory = genome.add_memory("Thread comes in colours")
    genome.mark_used(memory.id)
    (folder / ".state" / "uses.json").write_text("{")
    assert Genome.open(folder, clock).search_memories("thread") == (memory,)


def test_memories_are_lines_of_json_that_people_can_read(genome: Genome, folder: Path) -> None:
    memory = genome.add_memory("Zwölf Äpfel", ["fruit"], source="learn", confidence=0.5)
    line = json.loads((folder / "memories" / "memories.jsonl").read_text(encoding="utf-8"))
    assert line == {
        "id": memory.id,
        "content": "Zwölf Äpfel",
        "tags": ["fruit"],
        "source": "learn",
        "created_at": memory.created_at.isoformat().replace("+00:00", "Z"),
        "confidence": 0.5,
    }
