"""A tree as cards joined by lines, in HTML: cards are translucent, text takes the page's own colour."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.viz import html
from lango_nb.viz.document import Node
from lango_nb.viz.escape import esc

_LINE = "rgba(127,127,127,.9)"
_STEM, _BRANCH, _MARKED = "24px", "32px", "104px"
"""Widths of the line from the root, and of those to the agents: without a word on any of them, and with one."""
_ROOT, _STACK = "280px", "660px"
"""How wide the root, and all of its agents with their lines, are at most."""


def tree_drawing(root: Node, nodes: Sequence[Node]) -> str:
    """Draw a root on the left and its agents stacked on the right, joined by lines.

    Parameters
    ----------
    root : Node
    nodes : sequence of Node

    Returns
    -------
    str
        HTML.
    """
    if not nodes:
        return html.div(_card(root), max_width=_STACK, margin="4px 0")
    width = _MARKED if any(node.edge for node in nodes) else _BRANCH
    rows = (
        html.div(
            _branch(node, width, is_first=place == 0, is_last=place == len(nodes) - 1),
            _card(node),
            display="flex",
            align_items="stretch",
        )
        for place, node in enumerate(nodes)
    )
    return html.div(
        html.div(_card(root), flex="0 1 auto", min_width="130px", max_width=_ROOT),
        html.div(flex=f"0 0 {_STEM}", border_top=f"2px solid {_LINE}"),
        html.div(*rows, flex="0 1 auto", min_width="0", max_width=_STACK),
        display="flex",
        align_items="center",
        max_width="100%",
        margin="4px 0",
    )


def _branch(node: Node, width: str, *, is_first: bool, is_last: bool) -> str:
    """Draw what leads to an agent: its piece of the upright line, and a line to its card with its word on it."""
    top, height = ("50%" if is_first else "0"), ("50%" if is_first or is_last else "100%")
    upright = "" if is_first and is_last else html.at(
        0, 0, top=top, height=height, border_left=f"2px solid {_LINE}"
    )  # fmt: skip
    is_strong = bool(node.edge) and not node.is_dashed
    thick, colour = (3, node.colour) if is_strong else (1 if node.is_quiet else 2, _LINE)
    look = f"{thick}px {'dashed' if node.is_dashed else 'solid'} {colour}"
    line = html.div(flex="1 1 0", border_top=look)
    if node.edge:
        line += html.badge(node.edge, node.colour) + html.div(flex="0 0 10px", border_top=look)
    line = html.div(line, display="flex", align_items="center", width="100%")
    return html.div(
        upright, line, position="relative", display="flex", align_items="center", flex=f"0 0 {width}", width=width
    )


def _card(node: Node) -> str:
    beside = "".join(f" {html.span(esc(mark), font_size=html.SMALL, opacity=html.MUTED)}" for mark in node.marks)
    name = html.div(html.span(esc(node.name), font_weight="600"), beside, overflow_wrap="break-word")
    lines = "".join(
        html.div(esc(said), font_size=html.SMALL, opacity=html.MUTED, overflow_wrap="break-word") for said in node.lines
    )
    return html.div(
        name,
        lines,
        flex="1 1 auto",
        min_width="0",
        margin="4px 0",
        padding="5px 12px",
        border_left=f"6px solid {html.EDGE if node.is_quiet else node.colour}",
        border_radius="6px",
        background=html.FAINT if node.is_quiet else html.SURFACE,
    )
