"""prompt_df: sections in order, sizes that add up, shares of the whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lango_nb.core.text import estimate_tokens
from lango_nb.frames import prompt_df
from tests.unit.viz import samples


def test_texts_joined_are_the_prompt() -> None:
    for node in samples.tree():
        df = prompt_df(node)
        assert "\n\n".join(df["text"]) == node.prompt
        assert df["position"].tolist() == list(range(1, len(df) + 1))


def test_shares_add_up_to_one_per_agent() -> None:
    df = prompt_df(samples.tree())
    assert df.groupby("agent")["share"].sum().tolist() == pytest.approx([1.0] * len(samples.tree().names))


def test_sizes_are_characters_and_a_quarter_of_them() -> None:
    df = prompt_df(samples.tree()["operator"])
    assert df["chars"].tolist() == [len(text) for text in df["text"]]
    assert df["tokens_estimate"].tolist() == [estimate_tokens(len(text)) for text in df["text"]]


def test_an_agent_without_a_prompt_has_no_rows() -> None:
    node = replace(samples.empty_tree().root, sections=())
    assert len(prompt_df(node)) == 0
