"""Why a request went where it went: the model's choice beside the router's, with every candidate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from lango_nb.records.decisions import Decision
from lango_nb.viz import document as doc
from lango_nb.viz.colours import BAD, GOOD, WARN, agent_colours
from lango_nb.viz.escape import one_line
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.routing import route_blocks
from lango_nb.viz.text import WIDTH


def _agreement(decision: Decision) -> tuple[str, str]:
    if decision.agrees:
        return "the router agrees", GOOD
    if decision.router_choice is None:
        return "the router would not say", WARN
    return f"the router would take {decision.router_choice}", WARN


def line(decision: Decision) -> str:
    """Write the decision in one line."""
    return f"{decision.author} → {decision.chosen}: {one_line(decision.text, 60)}"


def document(decision: Decision) -> doc.Document:
    """Write the choice, the model's reason, and the router's view."""
    return decision_blocks(decision)


def decision_blocks(decision: Decision) -> doc.Document:
    """Write a decision as part of another view."""
    colours = agent_colours([decision.author, decision.chosen], decision.author)
    author, chosen = (doc.Name(name, colours[name]) for name in (decision.author, decision.chosen))
    said, colour = _agreement(decision)
    reason = (
        doc.Fields((("because", decision.reason),), "sentences")
        if decision.reason
        else doc.Paragraph(doc.Muted(_NO_REASON))
    )
    return (
        doc.Line((doc.Strong((author, " → ", chosen)), doc.Badge(said, colour))),
        reason,
        *(
            doc.Paragraph((doc.Badge("out of the question", BAD), f": {one_line(agent)}, {one_line(why)}"))
            for agent, why in decision.excluded
        ),
        doc.GAP,
        doc.Heading("The router's view", "the router's view"),
        doc.GAP,
        *route_blocks(decision.route, decision.chosen),
    )


RENDERER = Renderer(line, document)
_NONE = "no hand-over in this turn: the root answered itself"
_NO_REASON = "the model gave no reason"


def decisions_document(decisions: Sequence[Decision], note: str = "") -> doc.Document:
    """Write decisions one after the other.

    Parameters
    ----------
    decisions : sequence of Decision
    note : str
        What to say when there are none; that the root answered itself, when empty.
    """
    if not decisions:
        return (doc.Note(note or _NONE),)
    of = len(decisions)
    parts = (
        (
            *(() if place == 1 else (doc.GAP, doc.plain(doc.Paragraph("─" * WIDTH)))),
            doc.Heading(f"Decision {place} of {of}", f"decision {place} of {of}"),
            *decision_blocks(decision),
        )
        for place, decision in enumerate(decisions, 1)
    )
    return tuple(chain.from_iterable(parts))
