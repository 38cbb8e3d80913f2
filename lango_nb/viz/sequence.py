"""One turn as a sequence diagram: everybody who took part side by side, what went between them from top to bottom."""

from __future__ import annotations

from collections.abc import Mapping

from lango_nb.core.messages import USER
from lango_nb.records.turns import Trace
from lango_nb.viz import document as doc
from lango_nb.viz.colours import PERSON, agent_colours
from lango_nb.viz.escape import label
from lango_nb.viz.lanes import RUN_ENDS, Key, find_lanes, key_of
from lango_nb.viz.rows import MOST_ROWS, rest
from lango_nb.viz.spans import Span, spans
from lango_nb.viz.turns import outcome_of

_ALONE = frozenset({"tool", "failed", "approval"})
"""Kinds that are drawn at their actor."""
_LONGEST = 80
"""Characters of a label in mermaid."""


def document(trace: Trace) -> doc.Document:
    """Write who said what to whom.

    Parameters
    ----------
    trace : Trace
    """
    turn = trace.turn
    return (
        doc.Line((f"turn {turn.number}", outcome_of(turn))),
        doc.GAP,
        exchange(trace),
        doc.Note(rest(spans(trace.events))),
    )


def exchange(trace: Trace) -> doc.Exchange:
    """Find the actors of a turn and what went between them; every run takes part in it as itself.

    Parameters
    ----------
    trace : Trace
        Of a very long one, the beginning.
    """
    made = spans(trace.events)[:MOST_ROWS]
    lanes = find_lanes(made, {run.id: run.parent_run_id for run in trace.runs})
    actors: dict[Key, tuple[str, str]] = {key: (lane.agent, lane.run_id) for key, lane in lanes.items()}
    for span in made:
        if span.kind in {"hands over", "declines", "returns"}:
            actors.setdefault(_target(span), (span.what, ""))
    places = {key: place for place, key in enumerate(actors)}
    root = trace.turn.path[0] if trace.turn.path else None
    colours = {**agent_colours([*trace.turn.path, *(name for name, _ in actors.values())], root), USER: PERSON}
    first = places.get((root or "", ""), 0)
    askers: dict[str, int] = {}
    arrows: list[doc.Arrow] = []
    for span in made:
        if span.target_run:
            askers[span.target_run] = places[key_of(span)]
        if span.kind != "run starts":  # the hand-over says it already
            arrows.append(_arrow(span, places, first, askers))
    return doc.Exchange(tuple(doc.Actor(name, colours[name], run) for name, run in actors.values()), tuple(arrows))


def _target(span: Span) -> Key:
    return ("", span.target_run) if span.target_run else (span.what, "")


def _arrow(span: Span, places: Mapping[Key, int], first: int, askers: Mapping[str, int]) -> doc.Arrow:
    who = places[key_of(span)]
    match span.kind:
        case "asks":
            return doc.Arrow(who, first, span.kind, span.said)
        case "hands over":
            return doc.Arrow(who, places[_target(span)], span.kind, span.said or span.kind)
        case "declines" | "returns":
            return doc.Arrow(who, places[_target(span)], span.kind, span.kind, "return")
        case "says":
            to = who if span.run_id else places.get((USER, ""), who)
            return doc.Arrow(who, to, span.kind, span.said or span.kind)
        case kind if kind in RUN_ENDS:
            return doc.Arrow(who, askers.get(span.run_id, who), kind, span.what, "return")
        case kind if kind in _ALONE:
            return doc.Arrow(who, who, kind, span.what + (" fails" if kind == "failed" else ""))
    return doc.Arrow(who, who, span.kind, f"{span.kind} {span.what}".rstrip(), "note")


_LINES = {"call": "->>", "return": "-->>"}


def to_mermaid(trace: Trace) -> str:
    """Write the turn as a mermaid sequence diagram."""
    drawn = exchange(trace)
    lines = ["sequenceDiagram"]
    for place, actor in enumerate(drawn.actors):
        lines.append(f"  participant p{place} as {label(f'{actor.name} {actor.beside}'.rstrip())}")
    for arrow in drawn.arrows:
        said = label(arrow.text, _LONGEST)
        if arrow.form == "note":
            lines.append(f"  Note over p{arrow.sender}: {said}")
        else:
            lines.append(f"  p{arrow.sender}{_LINES[arrow.form]}p{arrow.target}: {said}")
    return "\n".join(lines)
