"""A prompt by section: how large each one is, and what it says."""

from __future__ import annotations

from lango_nb.frames.prompts import estimate_tokens, section_text
from lango_nb.routing.tree import AgentNode
from lango_nb.specs.topology import PromptSection
from lango_nb.viz import html, text
from lango_nb.viz.agents import chips_legend, tool_chips
from lango_nb.viz.colours import PALETTE, ROOT
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.renderer import Renderer

_BAR = 20
ESTIMATE = "tokens are estimated: a quarter of the characters"


def _sections(node: AgentNode) -> list[tuple[PromptSection, str]]:
    return [(section, section_text(section)) for section in node.sections]


def _facts(node: AgentNode) -> list[str]:
    chars = len(node.prompt)
    return [
        node.role,
        count(len(node.sections), "section"),
        count(chars, "character"),
        f"about {count(estimate_tokens(chars), 'token')}",
        count(len(node.tools), "tool"),
    ]


def _title(section: PromptSection) -> str:
    return one_line(section.title or section.id)


def line(node: AgentNode) -> str:
    """Write the agent in one line."""
    return f"{node.name}: {', '.join(_facts(node))}"


def to_text(node: AgentNode) -> str:
    """List the sections with their sizes, then the prompt word for word."""
    sections = _sections(node)
    total = sum(len(said) for _, said in sections) or 1
    rows = [
        [str(place), _title(section), section.id, f"{len(said):,}", f"{estimate_tokens(len(said)):,}",
         f"{len(said) / total:.0%}", text.bar(len(said), total, _BAR)]
        for place, (section, said) in enumerate(sections, 1)
    ]  # fmt: skip
    parts = [text.facts([node.name, *_facts(node)])]
    if rows:
        heads = ["#", "section", "id", "chars", "tokens", "share", ""]
        parts += ["", text.table(heads, rows, "><<>>><"), "", ESTIMATE]
    if node.tools:
        parts += ["", "tools:", text.listing([tool.name for tool in node.tools], "  ")]
    if node.prompt:
        parts += ["", "─" * text.WIDTH, *text.wrap(node.prompt, text.WIDTH)]
    return "\n".join(parts)


def to_html(node: AgentNode) -> str:
    """Draw the sizes of the sections, with the words of each folded under it."""
    sections = _sections(node)
    total = sum(len(said) for _, said in sections) or 1
    parts = [
        (section, said, len(said) / total, PALETTE[place % len(PALETTE)])
        for place, (section, said) in enumerate(sections)
    ]
    whole = html.segments(((share, colour, f"{_title(s)}: {share:.0%}") for s, _, share, colour in parts), 16)
    rows = "".join(_section(place, *part) for place, part in enumerate(parts, 1))
    return html.view(
        html.header(node.name, _facts(node)[1:], html.badge(node.role, ROOT)),
        html.div(esc(node.description), margin="0 0 6px 0") if node.description else "",
        whole if parts else html.note("this agent has no prompt here"),
        html.div(rows, margin_top="8px"),
        html.note(ESTIMATE) if parts else "",
        html.heading("Tools") + tool_chips(node.tools) + chips_legend(node.tools) if node.tools else "",
    )


def _section(place: int, section: PromptSection, said: str, share: float, colour: str) -> str:
    size = f"{len(said):,} chars"
    cells = [
        html.span(str(place), text_align="right", opacity=html.MUTED),
        html.span(html.named(_title(section), colour), " ", html.muted(section.id if section.title else "")),
        html.span(size, text_align="right"),
        html.span(f"≈ {estimate_tokens(len(said)):,} tokens", text_align="right", opacity=html.MUTED),
        html.span(f"{share:.0%}", text_align="right"),
    ]
    return html.row_details("22px minmax(0,1fr) 110px 120px 46px", cells, html.pre(said))


RENDERER = Renderer(line, to_text, to_html)
