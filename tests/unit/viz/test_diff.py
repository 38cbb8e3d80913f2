"""A diff: a summary, moved tools with both reasons, agents, prompts."""

from __future__ import annotations

from lango_nb import viz
from lango_nb.routing.diff import PromptChange, ToolChange, TreeDiff, diff
from tests.unit.viz import samples

CHANGED = diff(samples.tree(), samples.other_tree())


def test_the_summary_counts_every_kind_of_change() -> None:
    said = viz.to_line(CHANGED)
    assert said.startswith("sample-eight → sample-seven: ")
    for part in ("10 tools moved", "1 tool added", "1 tool removed", "1 agent appeared", "1 agent vanished"):
        assert part in said


def test_every_change_is_there_with_from_to_and_both_reasons() -> None:
    text, source = viz.to_text(CHANGED), viz.to_html(CHANGED)
    for change in CHANGED.tools:
        assert change.tool in text
        assert change.tool in source
    assert "before: vault claims the prefix &#x27;payment_*&#x27;; now: operator claims" in source
    assert "painter" in text
    assert "ontologist" in text


def test_tools_that_changed_alike_share_a_row() -> None:
    (row,) = [line for line in viz.to_text(CHANGED).split("\n") if line.startswith("payment_send")]
    assert "vault" in row
    assert viz.to_html(CHANGED).count("<tr") == 1 + 5


def test_prompts_are_shown_line_by_line() -> None:
    source = viz.to_html(CHANGED)
    assert "orchestrator" in source
    assert "rgba(47,125,70,.22)" in source
    assert "rgba(179,38,30,.20)" in source


def test_no_difference_is_said() -> None:
    same = diff(samples.tree(), samples.tree())
    assert viz.to_text(same) == "sample-eight → sample-eight · no difference"
    assert "no difference" in viz.to_html(same)
    assert "<table" not in viz.to_html(same)


def test_a_tool_that_stays_for_another_reason_is_told_apart() -> None:
    change = ToolChange("t", "rule", "a", "a", "by prefix", "by keyword")
    made = viz.to_text(TreeDiff("x", "y", (change,)))
    assert "1 tool stay for another reason" in made or "1 tool stays for another reason" in made
    assert "before: by prefix; now: by keyword" in made


def test_long_prompt_lines_are_wrapped_in_text() -> None:
    change = PromptChange("a", 1, 0, "+" + "word " * 100)
    made = viz.to_text(TreeDiff("x", "y", prompts=(change,)))
    assert max(map(len, made.split("\n"))) <= 100
