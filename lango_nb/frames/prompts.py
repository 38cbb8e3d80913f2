"""Prompts by section, with their sizes."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import frame
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.specs.topology import PromptSection

CHARS_PER_TOKEN = 4
"""Rule of thumb for English text; real tokenizers differ by model."""


def estimate_tokens(chars: int) -> int:
    """Estimate how many tokens a text of a length has.

    Examples
    --------
    >>> estimate_tokens(0), estimate_tokens(5)
    (0, 2)
    """
    return -(-chars // CHARS_PER_TOKEN)


def section_text(section: PromptSection) -> str:
    """Return a section as it stands in the prompt; empty when it is left out."""
    from lango_nb.routing.prompts import render_sections

    return render_sections([section])


def _chars(text: str) -> int:
    return len(text)


def _tokens(text: str) -> int:
    return estimate_tokens(len(text))


COLUMNS = (
    Column("agent", "node.name", "string", "", "Whose prompt it is."),
    Column("role", "node.role", "string", "", "orchestrator, specialist, remote or single."),
    Column("position", "position", "Int64", "", "Place of the section in the prompt, from 1."),
    Column("section", "section.id", "string", "", "Id of the section, unique within the prompt."),
    Column("title", "section.title", "string", "", "Heading; empty when it has none."),
    Column("priority", "section.priority", "Int64", "", "What sections are sorted by, lowest first."),
    Column("chars", _chars, "Int64", "chars", "Length, the heading included."),
    Column("tokens_estimate", _tokens, "Int64", "tokens", "Estimate: a quarter of the characters, rounded up."),
    Column("share", "share", "float64", "0 to 1", "Part of the prompt's characters."),
    Column("text", "text", "string", "", "The section as the model reads it."),
)


@frame("prompt", COLUMNS, AgentTree, AgentNode)
def prompt_df(trees: Sequence[AgentTree | AgentNode]) -> Sources:
    """Take apart the prompts of a tree, or of one agent, by section.

    Parameters
    ----------
    trees : AgentTree, AgentNode, or iterable of them
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per agent and section, in the order of the prompt; join by ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    nodes = [node for item in trees for node in (item if isinstance(item, AgentTree) else (item,))]
    rows = [(node, place, section, section_text(section)) for node in nodes for place, section in _sections(node)]
    totals = {id(node): sum(len(text) for owner, _, _, text in rows if owner is node) for node in nodes}
    return {
        "node": [node for node, _, _, _ in rows],
        "position": [place for _, place, _, _ in rows],
        "section": [section for _, _, section, _ in rows],
        "text": [text for _, _, _, text in rows],
        "share": [len(text) / totals[id(node)] if totals[id(node)] else 0.0 for node, _, _, text in rows],
    }


def _sections(node: AgentNode) -> list[tuple[int, PromptSection]]:
    return list(enumerate(node.sections, 1))
