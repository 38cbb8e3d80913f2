"""A prompt: sections with sizes, and every word of it."""

from __future__ import annotations

import re
from dataclasses import replace

from lango_nb import viz
from tests.unit.viz import samples


def test_text_ends_with_the_prompt_word_for_word() -> None:
    node = samples.tree()["vault"]
    assert viz.to_text(node).endswith(node.prompt)


def test_sizes_are_listed_and_tokens_called_an_estimate() -> None:
    node = samples.tree().root
    text, source = viz.to_text(node), viz.to_html(node)
    assert f"{len(node.prompt):,} characters" in text
    for section in node.sections:
        assert section.id in text
    for made in (text, source):
        assert "tokens are estimated: a quarter of the characters" in made


def test_the_bar_is_whole() -> None:
    source = viz.to_html(samples.tree().root)
    widths = [float(found) for found in re.findall(r"width:(\d+\.\d+)%;height:16px", source)]
    assert len(widths) == len(samples.tree().root.sections)
    assert abs(sum(widths) - 100) < 0.1


def test_an_agent_without_a_prompt_says_so() -> None:
    assert "this agent has no prompt here" in viz.to_html(replace(samples.empty_tree().root, sections=()))
