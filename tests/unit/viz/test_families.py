"""Families as views count them."""

from __future__ import annotations

from lango_nb.tools.tool import Tool
from lango_nb.viz.agents import count_families, family_line, shown_family


def test_a_tool_without_a_family_is_counted_by_its_name() -> None:
    assert [shown_family(Tool(name)) for name in ("fs_read", "exec", "_odd")] == ["fs", "exec", "_odd"]
    assert shown_family(Tool("fs_read", family="files")) == "files"


def test_families_keep_the_order_of_first_appearance() -> None:
    tools = [Tool("b_1"), Tool("a_1"), Tool("b_2")]
    assert list(count_families(tools).items()) == [("b", 2), ("a", 1)]
    assert family_line(tools) == "b 2, a 1"
    assert family_line([]) == ""
