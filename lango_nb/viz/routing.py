"""A route explained: who gets the request, every candidate's score, and each term the score is made of."""

from __future__ import annotations

from typing import NamedTuple

from lango_nb.routing.route import Candidate, Route
from lango_nb.viz import html, text
from lango_nb.viz.colours import BAD, GOOD, ROOT, SIGNALS, WARN, agent_colours
from lango_nb.viz.escape import esc, one_line
from lango_nb.viz.mermaid import label
from lango_nb.viz.renderer import Renderer

_BAR = 24
_LONG_REQUEST = 400
_MARK = "rgba(127,127,127,.9)"
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


def to_text(route: Route) -> str:
    """List candidates with bars and the terms of their scores."""
    verdict, _ = _verdict(route)
    lines = [*text.wrap(f"“{route.text}”", text.WIDTH)[:12], "", verdict, *text.wrap(route.reason, text.WIDTH)]
    lines += [text.facts(_numbers(route))] if _numbers(route) else []
    shown, others = _split(route)
    is_fitted = _is_fitted(route)
    most = 1.0 if is_fitted else max((c.score for c in shown), default=0.0)
    size = min(30, max((text.width(c.agent) for c in shown), default=0))
    for candidate in shown:
        mark = "▶" if candidate.agent == route.chosen else "✗" if candidate.vetoes else " "
        name = text.pad(text.cut(one_line(candidate.agent), size), size)
        drawn = text.bar(candidate.confidence if is_fitted else candidate.score, most, _BAR)
        sure = f"{_percent(candidate.confidence):>6}  " if is_fitted else ""
        lines += ["", f"{mark} {name}  {sure}{candidate.score:>+6.2f}  {drawn}".rstrip()]
        lines += [f"    {part}" for part in text.wrap(_terms(candidate), text.WIDTH - 4)]
        lines += [part for veto in candidate.vetoes for part in _hang(f"out: {one_line(veto)}")]
    lines += [""] if others else []
    for said, names in others:
        lines += text.wrap(f"{said}: {', '.join(names)}", text.WIDTH)
    return "\n".join(part.rstrip() for part in lines)


def _terms(candidate: Candidate) -> str:
    """Write a score as the sum it is."""
    return " · ".join(
        f"{one_line(s.term, 60)} {s.weight:+.2f}"
        if s.kind in _BARE
        else f"{_KINDS[s.kind]} “{one_line(s.term, 60)}” {s.weight:+.2f}"
        for s in candidate.signals
    )


def _hang(term: str) -> list[str]:
    first, *more = text.wrap(term, text.WIDTH - 6)
    return [f"    {first}", *(f"      {part}" for part in more)]


def to_html(route: Route) -> str:
    """Draw candidates as bars made of their signals."""
    verdict, colour = _verdict(route)
    return html.view(
        request_html(route.text),
        html.line(html.badge(verdict, colour), html.span(esc(route.reason), min_width="0"), margin="0"),
        html.small(" · ".join(_numbers(route))),
        candidates_html(route),
    )


def request_html(said: str, before: str = "") -> str:
    """Write a request in quotation marks; one that fills the page is folded.

    Parameters
    ----------
    said : str
        What the person wrote.
    before : str
        HTML to stand before it, a badge for instance.
    """
    is_long = len(said) > _LONG_REQUEST
    shown = esc(one_line(said, _LONG_REQUEST)) if is_long else esc(said).replace("\n", "<br>")
    quoted = html.span("“", shown, "”", font_size="15px", min_width="0", overflow_wrap="break-word")
    return html.line(before, quoted) + (
        html.details(html.muted("the whole request"), html.pre(said)) if is_long else ""
    )


def candidates_html(route: Route, chosen: str | None = None) -> str:
    """Draw the candidates of a route.

    Parameters
    ----------
    route : Route
    chosen : str, optional
        Who really got the request; the route's own choice when absent.

    Returns
    -------
    str
        HTML.
    """
    if not route.candidates:
        return html.note("there is nobody to choose from")
    winner = route.chosen if chosen is None else chosen
    shown, others = _split(route)
    colours = agent_colours(c.agent for c in route.candidates)
    is_fitted = _is_fitted(route)
    most = 1.0 if is_fitted else max((_gain(c) for c in shown), default=0.0) or 1.0
    mark = route.threshold if is_fitted else 0.0
    rows = [_candidate(c, _Scale(most, mark, is_fitted), colours[c.agent], is_winner=c.agent == winner) for c in shown]
    rows += [
        html.div(html.muted(f"{said}: "), esc(", ".join(names)), margin="2px 0", overflow_wrap="break-word")
        for said, names in others
    ]
    kinds = dict.fromkeys(signal.kind for c in shown for signal in c.signals)
    rows.append(html.legend((_KINDS[kind], SIGNALS[kind]) for kind in kinds))
    if shown and mark:
        rows.append(
            html.note(
                f"bars are confidences, the upright line is the threshold of {_percent(mark)}; "
                "terms are log-odds and add up to the score"
            )
        )
    return "".join(rows)


class _Scale(NamedTuple):
    """What the bars of one route have in common."""

    most: float
    """Length of a full bar."""
    threshold: float
    is_fitted: bool
    """Whether bars are confidences; otherwise they are scores."""


def _gain(candidate: Candidate) -> float:
    return sum(signal.weight for signal in candidate.signals if signal.weight > 0)


def _candidate(candidate: Candidate, scale: _Scale, colour: str, *, is_winner: bool) -> str:
    strong = "600" if is_winner else "400"
    numbers = html.muted(f"{candidate.score:+.2f}")
    if scale.is_fitted:
        numbers = html.span(_percent(candidate.confidence), font_weight=strong) + " " + numbers
    head = html.grid(
        "minmax(90px,170px) minmax(0,1fr) 96px",
        html.div(html.named(one_line(candidate.agent), colour), min_width="0", font_weight=strong),
        _bar(candidate, scale, colour),
        html.div(numbers, text_align="right", white_space="nowrap"),
    )
    vetoes = "".join(html.badge(f"out: {one_line(veto, 100)}", BAD) + " " for veto in candidate.vetoes)
    terms = "".join(
        html.chip(
            one_line(signal.term, 120)
            if signal.kind in _BARE
            else f"{_KINDS[signal.kind]}: {one_line(signal.term, 120)}",
            f"{signal.weight:+.2f}",
            edge=SIGNALS[signal.kind],
        )
        for signal in candidate.signals
    )
    return html.div(
        head,
        html.div(vetoes, terms, margin_top="3px"),
        margin="0 0 6px 0",
        padding="4px 8px",
        border_left=f"4px solid {colour if is_winner else html.EDGE}",
        background=html.FAINT if is_winner else "transparent",
    )


def _bar(candidate: Candidate, scale: _Scale, colour: str) -> str:
    value = candidate.confidence if scale.is_fitted else max(candidate.score, 0.0)
    parts = [(min(value / scale.most, 1.0), colour, f"{candidate.agent}: {candidate.score:+.2f}")]
    mark = html.at(scale.threshold / scale.most, 0, width="2px", top="-2px", height="18px", background=_MARK)
    faded = ".45" if candidate.vetoes else ""
    over = mark if scale.threshold > 0 else ""
    return html.div(html.div(html.segments(parts, 14), opacity=faded), over, position="relative", height="14px")


def to_mermaid(route: Route) -> str:
    """Write the request and its candidates as a mermaid flow chart; the chosen one is joined by a thick arrow."""
    lines = ["flowchart LR", f'  request["{label(route.text)}"]']
    for place, candidate in enumerate(route.candidates):
        arrow = "==>" if candidate.agent == route.chosen else "-.->" if candidate.vetoes else "-->"
        lines.append(f'  request {arrow}|"{candidate.score:g}"| c{place}["{label(candidate.agent)}"]')
    return "\n".join(lines)


RENDERER = Renderer(line, to_text, to_html, to_mermaid)
