"""A route explained: who gets the request, every candidate's score, and each term the score is made of."""

from __future__ import annotations

from lango_nb.routing.route import Candidate, Route, Signal
from lango_nb.viz import document as doc
from lango_nb.viz.colours import GOOD, ROOT, SIGNALS, WARN, agent_colours
from lango_nb.viz.escape import one_line
from lango_nb.viz.mermaid import label
from lango_nb.viz.renderer import Renderer

_KINDS = {
    "name": "called by name",
    "keyword": "keyword",
    "example": "like an example",
    "family": "word",
    "structure": "shape in the text",
    "sentence": "the sentence",
    "taught": "your own requests",
    "description": "word of its description",
    "prior": "prior",
    "other": "the rest",
    "cannot": "cannot do",
}
_SHOWN = 3
"""Candidates shown with the terms of their scores, and all that are nearly as likely."""
_LEAST_SHOWN = 0.05
_BARE = {"structure", "prior", "other", "sentence"}
"""Kinds of terms that say themselves what they are."""


def _verdict(route: Route) -> tuple[str, str]:
    """Say who gets the request, in a word or two and with a colour."""
    if route.chosen is not None:
        return f"→ {route.chosen}", GOOD
    return ("the root answers itself", ROOT) if route.is_conversation else ("abstains", WARN)


def line(route: Route) -> str:
    """Write the route in one line."""
    return f"{_verdict(route)[0]}: {one_line(route.text, 60)}"


def _numbers(route: Route) -> list[str]:
    said = [f"threshold {_percent(route.threshold)}"] if route.threshold and _is_fitted(route) else []
    said += [f"the root itself {_percent(route.root_confidence)}"] if route.root_confidence else []
    said += [f"margin {route.margin:g}"] if route.candidates and route.runner_up else []
    said += [f"runner-up {route.runner_up}"] if route.runner_up else []
    said += [f"may be about {', '.join(route.domains)}"] if route.domains else []
    return said


def _percent(part: float) -> str:
    """Write a part of 1.

    Examples
    --------
    >>> _percent(0.934), _percent(0.0034), _percent(0)
    ('93 %', '0.3 %', '0 %')
    """
    return f"{100 * part:.1f} %" if 0 < part < 0.01 else f"{100 * part:.0f} %"  # noqa: PLR2004 - below one percent


def _is_fitted(route: Route) -> bool:
    """Tell whether a route has confidences; those stored before the router was fitted to data have none."""
    return bool(route.root_confidence) or any(candidate.confidence for candidate in route.candidates)


def _split(route: Route) -> tuple[list[Candidate], list[tuple[str, list[str]]]]:
    """Part candidates into those shown with signals, and groups of others: what is said of them, and their names."""
    some: list[Candidate] = []
    groups: dict[str, list[str]] = {}
    is_fitted = _is_fitted(route)
    for candidate in route.candidates:
        has_place = len(some) < _SHOWN or candidate.confidence >= _LEAST_SHOWN or candidate.agent == route.chosen
        if candidate.signals and (has_place or not is_fitted):
            some.append(candidate)
            continue
        said = "; ".join(one_line(veto, 100) for veto in candidate.vetoes)
        name = one_line(candidate.agent, 64)
        if is_fitted and not said:
            name = f"{name} {_percent(candidate.confidence)}"
        quiet = "hardly anything speaks for" if candidate.signals else "nothing speaks for"
        groups.setdefault(f"out, {said}" if said else quiet, []).append(name)
    return some, sorted(groups.items())


def document(route: Route) -> doc.Document:
    """Write who gets the request, and every candidate with the terms of its score."""
    return route_blocks(route, route.chosen)


def route_blocks(route: Route, winner: str | None) -> doc.Document:
    """Write a route as part of another view.

    Parameters
    ----------
    route : Route
    winner : str or None
        Who really got the request.
    """
    verdict, colour = _verdict(route)
    return (
        doc.Quote(route.text),
        doc.GAP,
        doc.Line((doc.Badge(verdict, colour), route.reason), is_stacked=True),
        doc.Facts(_numbers(route)),
        doc.GAP,
        *_candidates(route, winner),
    )


def _candidates(route: Route, winner: str | None) -> doc.Document:
    if not route.candidates:
        return (doc.rich(doc.Note("there is nobody to choose from")),)
    shown, others = _split(route)
    colours = agent_colours(candidate.agent for candidate in route.candidates)
    is_fitted = _is_fitted(route)
    most = 1.0 if is_fitted else max((candidate.score for candidate in shown), default=0.0) or 1.0
    mark = route.threshold if is_fitted and route.threshold > 0 else 0.0
    kinds = dict.fromkeys(signal.kind for candidate in shown for signal in candidate.signals)
    bars = f"bars are confidences, the upright line is the threshold of {_percent(mark)}; "
    return (
        doc.Candidates(tuple(_candidate(c, colours[c.agent], route, winner, most) for c in shown), mark),
        doc.GAP,
        *(doc.Paragraph((doc.Muted(f"{said}: "), ", ".join(names))) for said, names in others),
        doc.Legend([(_KINDS[kind], SIGNALS[kind]) for kind in kinds]),
        doc.Rich((doc.Note(f"{bars}terms are log-odds and add up to the score"),) if shown and mark else ()),
    )


def _candidate(candidate: Candidate, colour: str, route: Route, winner: str | None, most: float) -> doc.Candidate:
    is_fitted = _is_fitted(route)
    return doc.Candidate(
        candidate.agent,
        colour,
        max(candidate.confidence if is_fitted else candidate.score, 0.0) / most,
        (*((_percent(candidate.confidence),) if is_fitted else ()), f"{candidate.score:+.2f}"),
        tuple(map(_term, candidate.signals)),
        tuple(one_line(veto) for veto in candidate.vetoes),
        "▶" if candidate.agent == route.chosen else "✗" if candidate.vetoes else "",
        is_chosen=candidate.agent == winner,
    )


def _term(signal: Signal) -> doc.Chip:
    """Write a term of the sum that a score is."""
    term = one_line(signal.term, 60)
    said = term if signal.kind in _BARE else f"{_KINDS[signal.kind]} “{term}”"
    hint = signal.term if len(signal.term) > len(term) else ""
    return doc.Chip(said, f"{signal.weight:+.2f}", SIGNALS[signal.kind], hint=hint[:2000])


def to_mermaid(route: Route) -> str:
    """Write the request and its candidates as a mermaid flow chart; the chosen one is joined by a thick arrow."""
    lines = ["flowchart LR", f'  request["{label(route.text)}"]']
    for place, candidate in enumerate(route.candidates):
        arrow = "==>" if candidate.agent == route.chosen else "-.->" if candidate.vetoes else "-->"
        lines.append(f'  request {arrow}|"{candidate.score:g}"| c{place}["{label(candidate.agent)}"]')
    return "\n".join(lines)


RENDERER = Renderer(line, document, to_mermaid)
