"""A prompt by section: how large each one is, and what it says."""

from __future__ import annotations

from lango_nb.core.text import counted
from lango_nb.frames.tree import estimate_tokens, section_text
from lango_nb.routing.tree import AgentNode
from lango_nb.specs.topology import PromptSection
from lango_nb.viz import document as doc
from lango_nb.viz.agents import chips_legend, tool_chips
from lango_nb.viz.colours import PALETTE
from lango_nb.viz.escape import one_line
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.text import WIDTH

_BAR = 20
_HEADS = ("#", "section", "id", "chars", "tokens", "share", "")
_WIDTHS = ("22px", "minmax(0,1fr)", "minmax(60px,160px)", "64px", "56px", "46px", "120px")
ESTIMATE = "tokens are estimated: a quarter of the characters"


def _facts(node: AgentNode) -> list[str]:
    chars = len(node.prompt)
    return [
        node.role,
        counted(len(node.sections), "section"),
        counted(chars, "character"),
        f"about {counted(estimate_tokens(chars), 'token')}",
        counted(len(node.tools), "tool"),
    ]


def _title(section: PromptSection) -> str:
    return one_line(section.title or section.id)


def line(node: AgentNode) -> str:
    """Write the agent in one line."""
    return f"{node.name}: {', '.join(_facts(node))}"


def document(node: AgentNode) -> doc.Document:
    """List the sections with their sizes, and the prompt word for word; a page folds it, section by section."""
    names = ", ".join(tool.name for tool in node.tools)
    return (
        doc.Title(node.name, _facts(node)),
        doc.Rich((doc.Paragraph(node.description),) if node.description else ()),
        doc.GAP,
        *_sizes(node),
        doc.GAP,
        doc.plain(doc.Fields((("tools", names),), "stacked")),
        doc.Rich(
            (doc.Heading("Tools"), doc.Paragraph(tool_chips(node.tools)), *chips_legend(node.tools)) if names else ()
        ),
        doc.GAP,
        doc.Plain((doc.Paragraph("─" * WIDTH), doc.Paragraph(node.prompt)) if node.prompt else ()),
    )


def _sizes(node: AgentNode) -> doc.Document:
    sections = [(section, section_text(section)) for section in node.sections]
    if not sections:
        return (doc.rich(doc.Note("this agent has no prompt here")),)
    total = sum(len(said) for _, said in sections) or 1
    shares = [(len(said) / total, PALETTE[place % len(PALETTE)], _title(s)) for place, (s, said) in enumerate(sections)]
    whole = doc.Bar(tuple((share, colour, f"{title}: {share:.0%}") for share, colour, title in shares), height=16)
    rows = tuple(
        (
            doc.Muted(str(place)),
            doc.Name(title, colour),
            doc.Muted(section.id),
            f"{len(said):,}",
            f"{estimate_tokens(len(said)):,}",
            f"{share:.0%}",
            doc.Bar(((share, colour, ""),), columns=_BAR),
        )
        for place, ((section, said), (share, colour, title)) in enumerate(zip(sections, shares, strict=True), 1)
    )
    folds = tuple((doc.Code(said),) for _, said in sections)
    return (
        doc.rich(doc.Paragraph(whole)),
        doc.Rows(_HEADS, rows, "><<>>><", _WIDTHS, folds),
        doc.GAP,
        doc.Note(ESTIMATE),
    )


RENDERER = Renderer(line, document)
