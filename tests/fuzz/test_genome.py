"""Whatever is done to a genome: it opens as it is, and a rollback that is rolled back leaves no trace in it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import LangoError
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import Genome

NAMES = ("root", "reader", "tailor", "baker")
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
ACTS = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(NAMES), st.sampled_from(("", *NAMES)), TEXTS),
    st.tuples(st.just("update"), st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=3), TEXTS),
    st.tuples(st.just("remove"), st.sampled_from(NAMES), st.booleans()),
    st.tuples(st.just("remember"), TEXTS),
    st.tuples(st.just("rule"), TEXTS, TEXTS),
    st.tuples(st.just("forget"), st.integers(0, 3)),
    st.tuples(st.just("rollback"), st.integers(0, 5)),
    st.tuples(st.just("edit"), st.sampled_from(NAMES), TEXTS),
)


@pytest.fixture(autouse=True, scope="module")
def quick_disk() -> Iterator[None]:
    """Nobody pulls the plug here."""
    patch = pytest.MonkeyPatch()
    patch.setattr(os, "fsync", lambda descriptor: None)
    yield
    patch.undo()


def agent(name: str, text: str, lists: tuple[str, ...] = ()) -> AgentSpec:
    return AgentSpec(
        name=name, description="One of many", model="fast", instruction=f"You {text}.", tools=lists, delegates=lists
    )


def carry_out(genome: Genome, act: tuple[Any, ...]) -> None:
    match act:
        case ("add", name, parent, text):
            genome.add_agent(agent(name, text), parent)
        case ("update", name, lists, text):
            genome.update_agent(agent(name, text, tuple(dict.fromkeys(lists))), force=True)
        case ("remove", name, force):
            genome.remove_agent(name, force=force)
        case ("remember", text):
            genome.add_memory(text)
        case ("rule", condition, preference):
            genome.add_rule(condition, preference)
        case ("forget", place):
            genome.remove_memory(genome.memories[place].id if place < len(genome.memories) else "m-0")
        case ("rollback", back):
            genome.rollback(f"HEAD~{back}")
        case ("edit", name, text):
            path = genome.folder / "agents" / f"{name}.yaml"
            if path.exists():
                path.write_text(path.read_text(encoding="utf-8") + f"note: {text!r}\n", encoding="utf-8")


def content(genome: Genome) -> tuple[object, ...]:
    return genome.all_agents(), genome.memories, genome.rules


@settings(deadline=None)
@given(st.lists(ACTS, max_size=6))
def test_a_genome_is_what_its_files_and_its_history_say(acts: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        genome = Genome.init(Path(place) / "genome", SteppedClock(step_ms=1000))
        genome.add_agent(agent("root", "plan"))
        genome.add_agent(agent("reader", "read"), parent="root")
        for act in acts:
            before = (content(genome), len(genome.history(0)))
            try:
                carry_out(genome, act)
            except LangoError:
                genome.refresh()
                assert (content(genome), len(genome.history(0))) == before
            genome.refresh()
            opened = Genome.open(genome.folder)
            assert content(opened) == content(genome)
            assert opened.edits == genome.edits
            opened.close()
        genome.keep_edits()
        assert genome.get_agent("root") is not None
        after = content(genome)
        for back in range(min(4, len(genome.history(0)))):
            try:
                genome.rollback(f"HEAD~{back}")
            except LangoError:
                assert content(genome) == after
                continue
            genome.rollback("HEAD")
            assert content(genome) == after
        genome.close()
