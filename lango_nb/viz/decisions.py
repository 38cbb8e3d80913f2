"""Why a request went where it went: the model's choice beside the router's, with every candidate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lango_nb.records.decisions import Decision
from lango_nb.viz import html, text
from lango_nb.viz.colours import BAD, GOOD, WARN, agent_colours
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.routing import candidates_html, request_html
from lango_nb.viz.routing import to_text as route_text


@dataclass(frozen=True, slots=True)
class Decisions:
    """Several decisions, for showing: those of a turn, usually."""

    items: tuple[Decision, ...] = ()
    note: str = ""
    """What to say when there are none: that the root answered itself, for instance."""

    def __iter__(self) -> Iterator[Decision]:
        """Iterate over the decisions."""
        return iter(self.items)

    def __len__(self) -> int:
        """Count the decisions."""
        return len(self.items)


def _agreement(decision: Decision) -> tuple[str, str]:
    if decision.agrees:
        return "the router agrees", GOOD
    if decision.router_choice is None:
        return "the router would not say", WARN
    return f"the router would take {decision.router_choice}", WARN


def line(decision: Decision) -> str:
    """Write the decision in one line."""
    return f"{decision.author} → {decision.chosen}: {one_line(decision.text, 60)}"


def to_text(decision: Decision) -> str:
    """Write the choice, the model's reason, and the router's view."""
    lines = [f"{decision.author} → {decision.chosen} · {_agreement(decision)[0]}"]
    lines += text.wrap(f"because: {decision.reason}", text.WIDTH) if decision.reason else ["the model gave no reason"]
    for agent, reason in decision.excluded:
        lines += text.wrap(f"out of the question: {one_line(agent)}, {one_line(reason)}", text.WIDTH)
    return "\n".join([*lines, "", "the router's view", "", route_text(decision.route)])


def to_html(decision: Decision) -> str:
    """Show the choice, the model's reason, and the router's view."""
    return html.view(decision_html(decision))


def decision_html(decision: Decision) -> str:
    """Write a decision as part of another view."""
    colours = agent_colours([decision.author, decision.chosen], decision.author)
    said, colour = _agreement(decision)
    names = [html.named(name, colours[name]) for name in (decision.author, decision.chosen)]
    excluded = (
        html.div(html.badge("out", BAD), f" {esc(agent)}: {esc(reason)}", margin="2px 0")
        for agent, reason in decision.excluded
    )
    return "".join(
        [
            html.line(html.span(" → ".join(names), font_weight="600", min_width="0"), html.badge(said, colour)),
            html.div(esc(decision.reason) if decision.reason else html.muted("the model gave no reason")),
            *excluded,
            html.div(candidates_html(decision.route, decision.chosen), margin_top="8px"),
        ]
    )


RENDERER = Renderer(line, to_text, to_html)
_NONE = "no hand-over in this turn: the root answered itself"


def list_line(decisions: Decisions) -> str:
    """Write the list in one line."""
    return count(len(decisions), "decision")


def list_text(decisions: Decisions) -> str:
    """Write one decision after the other."""
    if not len(decisions):
        return "\n".join(text.wrap(decisions.note or _NONE, text.WIDTH))
    rule = "─" * text.WIDTH
    parts = [f"decision {place} of {len(decisions)}\n{to_text(d)}" for place, d in enumerate(decisions, 1)]
    return f"\n\n{rule}\n".join(parts)


def list_html(decisions: Decisions) -> str:
    """Show one decision after the other."""
    if not len(decisions):
        return html.view(html.note(decisions.note or _NONE))
    return html.view(
        *(
            html.heading(f"Decision {place} of {len(decisions)}")
            + request_html(decision.text)
            + html.div(decision_html(decision), margin="0 0 18px 0")
            for place, decision in enumerate(decisions, 1)
        )
    )


LIST_RENDERER = Renderer(list_line, list_text, list_html)
