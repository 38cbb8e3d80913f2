"""Memories as a listing."""

from __future__ import annotations

from lango_nb import viz
from lango_nb.viz.listings import memories_table
from tests.unit.viz import samples


def test_every_memory_has_a_row_with_whose_it_is_and_who_reads_it() -> None:
    table = memories_table(samples.memories())
    assert table.title == "memories"
    assert table.rows[0] == (
        "librarian", "tone", "The user likes short answers.", "global", "preference", 0.9, 3, "style, user",
    )  # fmt: skip


def test_a_list_of_memories_is_shown_as_such() -> None:
    assert viz.to_text(samples.memories()) == viz.to_text(memories_table(samples.memories()))


def test_none_says_whose_and_how_to_switch_them_on() -> None:
    assert viz.to_text(memories_table(())).endswith("no agent remembers anything yet")
    off = viz.to_text(memories_table((), "vault", is_kept=False))
    assert off.startswith("memories of vault\n")
    assert off.endswith("vault remembers nothing yet; the setting agentMemory.enabled lets agents remember")
