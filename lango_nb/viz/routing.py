"""Who would get a request, and who got it: every candidate's score, term by term, and a model's choice beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import MappingProxyType

from lango_nb.records.decisions import Decision
from lango_nb.routing.route import Candidate, Route, Signal
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import BAD, GOOD, ROOT, SIGNALS, WARN, agent_colours
from lango_nb.viz.escape import label, one_line

_KINDS = {
    "name": "called by name",
    "keyword": "keyword",
    "example": "like an example",
    "family": "word",
    "structure": "shape in the text",
    "sentence": "the sentence",
    "taught": "your own requests",
    "description": "word of its description",
    "related": "near its description",
    "prior": "prior",
    "other": "the rest",
    "cannot": "cannot do",
}
_SHOWN = 3
"""Candidates shown with the terms of their scores, and all that are nearly as likely."""
_TERMS = 4
"""Terms of a score that are shown; the others are folded."""
_LEAST_SHOWN = 0.05
_COMPARED = 2000
"""Characters of a request whose words are compared."""
_WORDS = re.compile(r"([^\W_]+(?:['\u2019][^\W_]+)?)")
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


def route_blocks(route: Route, winner: str | None, *, is_stacked: bool = False) -> doc.Document:
    """Write a route as part of another view.

    Parameters
    ----------
    route : Route
    winner : str or None
        Who really got the request.
    is_stacked : bool
        Whether each candidate has a bar of what speaks for it.
    """
    verdict, colour = _verdict(route)
    return (
        doc.Quote(route.text),
        doc.GAP,
        doc.Line((doc.Badge(verdict, colour), route.reason), is_stacked=True),
        doc.Facts(_numbers(route)),
        doc.GAP,
        *_candidates(route, winner, is_stacked=is_stacked),
    )


def live_blocks(route: Route) -> doc.Document:
    """Write a route below the field that its text is typed into: its words are marked in place of the text itself."""
    return (doc.Paragraph(marked_text(route)), *route_blocks(route, route.chosen)[1:])


def marked_text(route: Route) -> doc.Inline:
    """Write the text of a route, each word on a tint of what it says for the winner.

    Parameters
    ----------
    route : Route
        Of one that abstains, the best candidate counts.
    """
    best = next((one for one in route.candidates if one.agent == route.chosen), None)
    best = best or next((one for one in route.candidates if not one.vetoes), None)
    if best is None or not route.text.strip():
        return route.text
    weights: dict[str, Signal] = {}
    for signal in best.signals:  # strongest first
        if signal.weight > 0 and signal.kind not in _BARE and signal.is_telling:
            for word in _WORDS.findall(signal.term.casefold()):
                weights.setdefault(word, signal)
    most = max((signal.weight for signal in weights.values()), default=1.0)
    pieces: list[doc.Inline] = []
    for place, part in enumerate(_WORDS.split(route.text)):  # words lie between what is none
        found = weights.get(part.casefold()) if place % 2 else None
        if found is None:
            pieces.append(part)
        else:
            hint = f"{_KINDS[found.kind]} “{one_line(found.term, 60)}” {found.weight:+.2f} for {best.agent}"
            pieces.append(doc.Tinted(part, SIGNALS[found.kind], found.weight / most, hint))
    return tuple(pieces)


def compared_blocks(route: Route) -> doc.Document:
    """Write the text of a route with each word on the colour of whom it speaks for: the best candidate, or the second.

    Parameters
    ----------
    route : Route
    """
    rivals = [one for one in route.candidates if not one.vetoes and one.signals]
    first = next((one for one in rivals if one.agent == route.chosen), None) or next(iter(rivals), None)
    second = next((one for one in rivals if one is not first), None)
    if first is None or second is None or not route.text.strip():
        return (doc.Quote(route.text),)
    colours = agent_colours(one.agent for one in route.candidates)
    mine, theirs = _by_word(first), _by_word(second)
    leads = {word: mine.get(word, 0.0) - theirs.get(word, 0.0) for word in (*mine, *theirs)}
    most = max(map(abs, leads.values()), default=0.0) or 1.0
    pieces: list[doc.Inline] = []
    for place, part in enumerate(_WORDS.split(route.text[:_COMPARED])):  # words lie between what is none
        lead = leads.get(part.casefold(), 0.0) if place % 2 else 0.0
        if not lead:
            pieces.append(part)
            continue
        word = part.casefold()
        said = ", ".join(f"{one.agent} {by.get(word, 0.0):+.2f}" for one, by in ((first, mine), (second, theirs)))
        pieces.append(doc.Tinted(part, colours[(first if lead > 0 else second).agent], abs(lead) / most, said))
    if len(route.text) > _COMPARED:
        pieces.append("…")
    return (
        doc.Paragraph(tuple(pieces)),
        doc.Legend([(f"speaks for {one_line(one.agent, 64)}", colours[one.agent]) for one in (first, second)]),
    )


def _by_word(candidate: Candidate) -> dict[str, float]:
    """Sum what each word of a request says for or against a candidate."""
    found: dict[str, float] = {}
    for signal in candidate.signals:
        if signal.kind not in _BARE and signal.is_telling:
            for word in set(_WORDS.findall(signal.term.casefold())):
                found[word] = found.get(word, 0.0) + signal.weight
    return found


def _candidates(route: Route, winner: str | None, *, is_stacked: bool = False) -> doc.Document:
    if not route.candidates:
        return (doc.rich(doc.Note("there is nobody to choose from")),)
    shown, others = _split(route)
    colours = agent_colours(candidate.agent for candidate in route.candidates)
    is_fitted = _is_fitted(route)
    most = 1.0 if is_fitted else max((candidate.score for candidate in shown), default=0.0) or 1.0
    mark = route.threshold if is_fitted and route.threshold > 0 else 0.0
    kinds = dict.fromkeys(signal.kind for candidate in shown for signal in candidate.signals)
    bars = f"bars are confidences, the upright line is the threshold of {_percent(mark)}; "
    stacks = "the thin bar under each is what speaks for it, by kind; " if is_stacked else ""
    made = tuple(_candidate(c, colours[c.agent], route, winner, most) for c in shown)
    return (
        doc.Candidates(_with_stacks(made, shown) if is_stacked else made, mark),
        doc.GAP,
        *(doc.Paragraph((doc.Muted(f"{said}: "), ", ".join(names))) for said, names in others),
        doc.Legend([(_KINDS[kind], SIGNALS[kind]) for kind in kinds]),
        doc.Rich((doc.Note(f"{bars}{stacks}terms are log-odds and add up to the score"),) if shown and mark else ()),
    )


def _candidate(candidate: Candidate, colour: str, route: Route, winner: str | None, most: float) -> doc.Candidate:
    is_fitted = _is_fitted(route)
    terms, rest = _shown_and_rest(candidate.signals)
    return doc.Candidate(
        candidate.agent,
        colour,
        max(candidate.confidence if is_fitted else candidate.score, 0.0) / most,
        (*((_percent(candidate.confidence),) if is_fitted else ()), f"{candidate.score:+.2f}"),
        tuple(map(_term, terms)),
        tuple(map(_term, rest)),
        f"{len(rest)} {'more' if terms else 'terms'} {sum(signal.weight for signal in rest):+.2f}",
        tuple(one_line(veto) for veto in candidate.vetoes),
        "▶" if candidate.agent == route.chosen else "✗" if candidate.vetoes else "",
        is_chosen=candidate.agent == winner,
    )


def _with_stacks(made: Sequence[doc.Candidate], candidates: Sequence[Candidate]) -> tuple[doc.Candidate, ...]:
    """Add to each what speaks for it, by kind, measured against the one that most speaks for."""
    sums: list[dict[str, float]] = []
    for one in candidates:
        by_kind: dict[str, float] = {}
        for signal in one.signals:
            if signal.weight > 0:
                by_kind[signal.kind] = by_kind.get(signal.kind, 0.0) + signal.weight
        sums.append(by_kind)
    most = max((sum(by_kind.values()) for by_kind in sums), default=0.0) or 1.0
    return tuple(
        replace(
            one,
            stack=tuple(
                (weight / most, SIGNALS[kind], f"{_KINDS[kind]} {weight:+.2f}") for kind, weight in by_kind.items()
            ),
        )
        for one, by_kind in zip(made, sums, strict=True)
    )


def _shown_and_rest(signals: Sequence[Signal]) -> tuple[Sequence[Signal], Sequence[Signal]]:
    """Part terms into a few that a person would name, strongest first, and those that only make up the sum."""
    shown = [signal for signal in signals if signal.is_telling][:_TERMS]
    rest = [signal for signal in signals if signal not in shown]
    return (signals, ()) if len(rest) == 1 and len(signals) <= _TERMS else (shown, rest)


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


ROUTE = Renderer(line, document, to_mermaid)


# -- what a model decided ----------------------------------------------------------------------------------------------


_NO_COLOURS: Mapping[str, str] = MappingProxyType({})


def _agreement(decision: Decision) -> tuple[str, str]:
    if decision.agrees:
        return "the router agrees", GOOD
    if decision.router_choice is None:
        return "the router would not say", WARN
    return f"the router would take {decision.router_choice}", WARN


def _decision_line(decision: Decision) -> str:
    """Write the decision in one line."""
    return f"{decision.author} → {decision.chosen}: {one_line(decision.text, 60)}"


def why_blocks(route: Route, decision: Decision | None = None) -> doc.Document:
    """Write why a request went where it went: what its words said, what the model said, and every candidate.

    Parameters
    ----------
    route : Route
        The router's view.
    decision : Decision, optional
        What a model chose, where one did.
    """
    chosen = route.chosen if decision is None else decision.chosen
    compared, (_, _, verdict, facts, *rest) = compared_blocks(route), route_blocks(route, chosen, is_stacked=True)
    if decision is None:
        return (*compared, verdict, facts, *rest)
    said, colour = _agreement(decision)
    author = doc.Strong(f"{one_line(decision.author, 64)} → {one_line(decision.chosen, 64)}")
    reasons = (("the model", decision.reason or _NO_REASON), ("the router", route.reason))
    return (*compared, doc.Line((author, doc.Badge(said, colour))), doc.Fields(reasons), facts, *rest)


def decision_blocks(decision: Decision, colours: Mapping[str, str] = _NO_COLOURS) -> doc.Document:
    """Write the choice, the model's reason, and the router's view.

    Parameters
    ----------
    decision : Decision
    colours : mapping of str to str
        Of agents; where they are not known, the one that decides counts as the root.
    """
    colours = {**agent_colours([decision.author, decision.chosen], decision.author), **colours}
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


DECISION = Renderer(_decision_line, decision_blocks)
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
    agents = (name for decision in decisions for name in (decision.author, decision.chosen))
    colours = agent_colours(agents, decisions[0].author)  # the root decides first
    parts = (
        (
            *(() if place == 1 else (doc.GAP, doc.RULE)),
            doc.Heading(f"Decision {place} of {of}", f"decision {place} of {of}"),
            *decision_blocks(decision, colours),
        )
        for place, decision in enumerate(decisions, 1)
    )
    return tuple(chain.from_iterable(parts))
