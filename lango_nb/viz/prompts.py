"""A prompt by section: how large each one is, and what it says."""

from __future__ import annotations

from lango_nb.frames.prompts import estimate_tokens, section_text
from lango_nb.routing.tree import AgentNode
from lango_nb.specs.topology import PromptSection
from lango_nb.viz import html, text
from lango_nb.viz.agents import tool_chips
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
         f"{100 * len(said) / total:.0f} %", text.bar(len(said), total, _BAR)]
        for place, (section, said) in enumerate(sections, 1)
    ]  # fmt: skip
    parts = [f"{node.name} · {' · '.join(_facts(node))}"]
    if rows:
        heads = ["#", "section", "id", "chars", "tokens", "share", ""]
        parts += ["", text.table(heads, rows, "><<>>><"), "", ESTIMATE]
    if node.tools:
        parts += ["", "tools:", text.listing([tool.name for tool in node.tools], "  ")]
    parts += ["", "─" * text.WIDTH, "\n".join(text.wrap(node.prompt, text.WIDTH))]
    return "\n".join(part.rstrip() for part in parts)


def to_html(node: AgentNode) -> str:
    """Draw the sizes of the sections, with the words of each folded under it."""
    sections = _sections(node)
    total = sum(len(said) for _, said in sections) or 1
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(sections))]
    whole = html.segments(
        (
            (len(said) / total, colour, f"{_title(section)}: {100 * len(said) / total:.0f} %")
            for (section, said), colour in zip(sections, colours, strict=True)
        ),
        16,
    )
    rows = "".join(
        _section(place, section, said, total, colour)
        for place, ((section, said), colour) in enumerate(zip(sections, colours, strict=True), 1)
    )
    tools = html.heading("Tools") + tool_chips(node.tools) if node.tools else ""
    return html.view(
        html.header(node.name, _facts(node)[1:], html.badge(node.role, ROOT)),
        html.paragraph(esc(node.description)) if node.description else "",
        whole if sections else html.note("this agent has no prompt here"),
        f'<div style="margin-top:8px">{rows}</div>',
        html.note(ESTIMATE) if sections else "",
        tools,
    )


def _section(place: int, section: PromptSection, said: str, total: int, colour: str) -> str:
    summary = (
        '<span style="display:inline-grid;vertical-align:top;width:calc(100% - 20px);align-items:baseline;'
        'grid-template-columns:22px minmax(0,1fr) 110px 110px 46px;gap:0 10px">'
        f'<span style="text-align:right;{html.MUTED}">{place}</span>'
        f'<span style="min-width:0;overflow-wrap:break-word">{html.dot(colour)}{esc(_title(section))} '
        f"{html.muted(section.id) if section.title else ''}</span>"
        f'<span style="text-align:right">{len(said):,} chars</span>'
        f'<span style="text-align:right;{html.MUTED}">≈ {estimate_tokens(len(said)):,} tokens</span>'
        f'<span style="text-align:right">{100 * len(said) / total:.0f} %</span></span>'
    )
    return html.details(summary, html.pre(said), style=f"margin:0;padding:3px 0;border-bottom:1px solid {html.SURFACE}")


RENDERER = Renderer(line, to_text, to_html)
