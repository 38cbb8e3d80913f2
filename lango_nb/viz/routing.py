"""A route explained: who gets the request, every candidate's score, and each term the score is made of."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.routing.route import Candidate, Route
from lango_nb.viz import html, text
from lango_nb.viz.colours import BAD, GOOD, ROOT, SIGNALS, WARN, agent_colours
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.mermaid import label
from lango_nb.viz.renderer import Renderer

_BAR = 24
_KINDS = {
    "name": "called by name",
    "keyword": "keyword",
    "example": "like an example",
    "family": "word of a family",
    "structure": "shape in the text",
    "description": "word of its description",
    "cannot": "says it cannot",
}


def _verdict(route: Route) -> tuple[str, str]:
    """Say who gets the request, in a word or two and with a colour."""
    if route.chosen is not None:
        return f"→ {route.chosen}", GOOD
    return ("the root answers itself", ROOT) if route.is_conversation else ("abstains", WARN)


def line(route: Route) -> str:
    """Write the route in one line."""
    return f"{_verdict(route)[0]}: {one_line(route.text, 60)}"


def _numbers(route: Route) -> list[str]:
    said = [f"margin {route.margin:g}"] if route.candidates else []
    said += [f"threshold {route.threshold:g}"] if route.threshold else []
    said += [f"runner-up {route.runner_up}"] if route.runner_up else []
    said += [f"speaks of {', '.join(route.domains)}"] if route.domains else []
    return said


def _split(route: Route) -> tuple[list[Candidate], list[Candidate]]:
    """Part candidates into those with something to show and those without."""
    some = [c for c in route.candidates if c.signals or c.vetoes]
    return some, [c for c in route.candidates if not (c.signals or c.vetoes)]


def to_text(route: Route) -> str:
    """List candidates with bars and the terms of their scores."""
    verdict, _ = _verdict(route)
    lines = [*text.wrap(f"“{route.text}”", text.WIDTH)[:12], "", verdict, *text.wrap(route.reason, text.WIDTH)]
    lines += [" · ".join(_numbers(route))] if _numbers(route) else []
    shown, others = _split(route)
    most = max([route.threshold, *(c.score for c in shown)], default=0.0)
    size = min(30, max((text.width(c.agent) for c in shown), default=0))
    for candidate in shown:
        mark = "▶" if candidate.agent == route.chosen else "✗" if candidate.vetoes else " "
        name = text.pad(text.cut(one_line(candidate.agent), size), size)
        drawn = text.bar(candidate.score, most, _BAR)
        lines += ["", f"{mark} {name}  {candidate.score:>6.2f}  {drawn}".rstrip()]
        terms = [f"{_KINDS[s.kind]} “{one_line(s.term)}” {s.weight:+g}" for s in candidate.signals]
        lines += [part for term in terms for part in _hang(term)]
        lines += [part for veto in candidate.vetoes for part in _hang(f"out: {one_line(veto)}")]
    if others:
        names = ", ".join(one_line(c.agent) for c in others)
        lines += ["", *text.wrap(f"nothing speaks for {names}", text.WIDTH)]
    return "\n".join(part.rstrip() for part in lines)


def _hang(term: str) -> list[str]:
    first, *more = text.wrap(term, text.WIDTH - 6)
    return [f"    {first}", *(f"      {part}" for part in more)]


def to_html(route: Route) -> str:
    """Draw candidates as bars made of their signals."""
    verdict, colour = _verdict(route)
    return html.view(
        f'<div style="margin:0 0 4px 0;font-size:15px;overflow-wrap:break-word">“{_request(route.text)}”</div>',
        '<div style="display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px;margin:0 0 2px 0">'
        f'{html.badge(verdict, colour)}<span style="min-width:0">{esc(route.reason)}</span></div>',
        html.tag("div", f"margin:0 0 8px 0;font-size:12px;{html.MUTED}", esc(" · ".join(_numbers(route)))),
        candidates_html(route),
    )


def _request(said: str) -> str:
    if len(said) <= 400:  # noqa: PLR2004 - a request of a few lines
        return esc(said).replace("\n", "<br>")
    return esc(one_line(said, 400)) + html.details(html.muted("the whole request"), html.pre(said))


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
    winner = route.chosen if chosen is None else chosen
    shown, others = _split(route)
    if not route.candidates:
        return html.note("there is nobody to choose from")
    colours = agent_colours(c.agent for c in route.candidates)
    most = max([route.threshold * 1.25, *(_gain(c) for c in shown)], default=0.0) or 1.0
    rows = "".join(_candidate(c, most, route.threshold, colours[c.agent], is_winner=c.agent == winner) for c in shown)
    kinds = dict.fromkeys(s.kind for c in shown for s in c.signals)
    rest = html.paragraph(html.muted("nothing speaks for ") + ", ".join(esc(one_line(c.agent, 64)) for c in others))
    entries = [(_KINDS[kind], SIGNALS[kind]) for kind in kinds]
    mark = html.note(f"the upright line is the threshold, {route.threshold:g}") if shown and route.threshold else ""
    return rows + (rest if others else "") + html.legend(entries) + mark


def _gain(candidate: Candidate) -> float:
    return sum(s.weight for s in candidate.signals if s.weight > 0)


def _candidate(candidate: Candidate, most: float, threshold: float, colour: str, *, is_winner: bool) -> str:
    name = html.named(one_line(candidate.agent), colour)
    weight = "font-weight:600" if is_winner else ""
    lost = sum(s.weight for s in candidate.signals if s.weight < 0)
    parts = [
        (s.weight / most, SIGNALS[s.kind], _said(s.kind, s.term, s.weight)) for s in candidate.signals if s.weight > 0
    ]
    marker = (
        f'<div style="position:absolute;left:{100 * threshold / most:.3f}%;top:-2px;width:2px;height:18px;'
        'background:rgba(127,127,127,.9)"></div>'
        if 0 < threshold < most
        else ""
    )
    gain = _gain(candidate)
    taken = min(-lost, gain) / most
    minus = (
        f'<div style="position:absolute;left:{100 * (gain / most - taken):.3f}%;top:5px;width:{100 * taken:.3f}%;height:4px;'
        f'background:{BAD}" title="{esc(f"taken off: {-lost:g}")}"></div>'
        if taken > 0
        else ""
    )
    bars = f'<div style="position:relative;height:14px">{html.segments(parts, 14)}{minus}{marker}</div>'
    terms = "".join(
        html.chip(f"{_KINDS[s.kind]}: {one_line(s.term, 120)}", f"{s.weight:+g}") for s in candidate.signals
    )
    vetoes = "".join(html.badge(f"out: {one_line(veto, 100)}", BAD) + " " for veto in candidate.vetoes)
    frame = f"border-left:4px solid {colour if is_winner else html.EDGE};background:{html.FAINT if is_winner else 'transparent'}"
    return (
        f'<div style="margin:0 0 6px 0;padding:4px 8px;{frame}">'
        '<div style="display:grid;grid-template-columns:minmax(90px,170px) minmax(0,1fr) 56px;gap:0 12px;align-items:center">'
        f'<div style="min-width:0;overflow-wrap:break-word;{weight}">{name}</div>{bars}'
        f'<div style="text-align:right;{weight}">{candidate.score:.2f}</div></div>'
        f'<div style="margin-top:3px">{vetoes}{terms}</div></div>'
    )


def _said(kind: str, term: str, weight: float) -> str:
    return f"{_KINDS[kind]}: {one_line(term, 120)} {weight:+g}"


def to_mermaid(route: Route) -> str:
    """Write the request and its candidates as a mermaid flow chart; the chosen one is joined by a thick arrow."""
    lines = ["flowchart LR", f'  request["{label(route.text)}"]']
    candidates: Sequence[Candidate] = route.candidates
    for place, candidate in enumerate(candidates):
        arrow = "==>" if candidate.agent == route.chosen else "-.->" if candidate.vetoes else "-->"
        lines.append(f'  request {arrow}|"{candidate.score:g}"| c{place}["{label(candidate.agent)}"]')
    if not candidates:
        lines.append(f'  request --> nobody["{count(0, "candidate")}"]')
    return "\n".join(lines)


RENDERER = Renderer(line, to_text, to_html, to_mermaid)
