"""What a genome remembers that a goal speaks of, as two blocks of a prompt.

Notes
-----
The blocks hold what others wrote: each text stands in one line, without signs that would end its block.
"""

from __future__ import annotations

from html import escape

from lango_nb.core.text import folded
from lango_nb.specs.genome.genome import Genome


def recall(genome: Genome, goal: str) -> str:
    """Write the memories and routing rules that share words with a goal; the memories count as used.

    Parameters
    ----------
    genome : Genome
    goal : str
        With its hints.

    Returns
    -------
    str
        Empty when there is nothing.
    """
    memories = genome.search_memories(goal)
    if memories:
        genome.mark_used(*(memory.id for memory in memories))
    hints = [f"when {rule.condition}: {rule.preference} ({rule.strength:g})" for rule in genome.match_rules(goal)]
    blocks = (("memories", [memory.content for memory in memories]), ("routing_hints", hints))
    return "\n\n".join(_block(name, lines) for name, lines in blocks if lines)


def _block(name: str, lines: list[str]) -> str:
    return "\n".join((f"<{name}>", *(f"- {escape(folded(line), quote=False)}" for line in lines), f"</{name}>"))
