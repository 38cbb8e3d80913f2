"""Lanes drawn: who worked when, as lines of signs and as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lango_nb.viz import html, text
from lango_nb.viz.colours import event_colour
from lango_nb.viz.escape import esc, one_line
from lango_nb.viz.lanes import Bar, Key, Lane, lane_bars, lives, step_bars, timed_bars, timed_lives
from lango_nb.viz.span import Span

MOST_SPANS = 500
"""Spans that are drawn along real time."""
_LABELLED = 24
"""Events up to which bars carry a name."""
_PIECES = 160
_TEXT_PIECES = 72
_NAME = 24
_SIGNS = {
    "asks": "●", "says": "■", "tool": "▬", "failed": "✗", "hands over": "→", "refused": "⊘", "declines": "↩",
    "returns": "↩", "run starts": "▸", "run ends": "◂", "run fails": "✗", "run stops": "◃", "blocked": "‖",
    "forks": "┌", "merges": "┘", "discards": "⊖", "approval": "?", "hook": "¤", "policy": "§", "breaker": "⌁",
    "history": "◌", "summary": "◍", "budget": "△", "recovery": "↻", "limit": "▲", "error": "✗", "ends": "◆",
}  # fmt: skip
_OTHER = "◇"
"""Sign of a kind that has none of its own."""
_ALIVE = "·"
_HARD_SPACE = "\N{NO-BREAK SPACE}"


def lane_text(lane: Lane) -> str:
    """Name a lane; runs are set in, and say their id.

    Examples
    --------
    >>> lane_text(Lane("vault", "arun-1", 1)), lane_text(Lane("user"))
    (' └ vault arun-1', 'user')
    """
    name = one_line(f"{lane.agent} {lane.run_id}" if lane.run_id else lane.agent)
    return f"{' ' * (2 * lane.depth - 1)}└ {name}" if lane.depth else name


def chart_text(made: Sequence[Span], lanes: Mapping[Key, Lane], slots: int) -> str:
    """Write lanes as lines of signs, and what the signs mean."""
    bars, alive = lane_bars(made, slots, _TEXT_PIECES), lives(made, slots)
    names = {key: text.cut(lane_text(lane), _NAME) for key, lane in lanes.items()}
    size = max(map(text.width, names.values()))
    total = min(slots, _TEXT_PIECES)
    lines = []
    for key, name in names.items():
        signs = [" "] * total
        if key in alive:
            _fill(signs, *alive[key], _ALIVE)
        for bar in bars[key]:
            _fill(signs, bar.left, bar.size, _SIGNS.get(bar.kind, _OTHER))
        lines.append(f"{text.pad(name, size)}  {''.join(signs)}")
    kinds = [f"{_SIGNS.get(kind, _OTHER)} {kind}" for kind in dict.fromkeys(span.kind for span in made)]
    kinds += [f"{_ALIVE} a run is at work or waits"] if alive else []
    legend = text.wrap("  ".join(kind.replace(" ", _HARD_SPACE) for kind in kinds), text.WIDTH)
    return "\n".join([*lines, "", *(part.replace(_HARD_SPACE, " ") for part in legend)])


def _fill(signs: list[str], left: float, size: float, sign: str) -> None:
    first = round(left * len(signs))
    for place in range(first, min(len(signs), first + max(1, round(size * len(signs))))):
        signs[place] = sign


def chart_html(
    made: Sequence[Span], lanes: Mapping[Key, Lane], slots: int, colours: Mapping[str, str], *, timing: bool
) -> str:
    """Draw lanes.

    Parameters
    ----------
    made : sequence of Span, length at least 1
    lanes : mapping of key to Lane
    slots : int
        How many events there are.
    colours : mapping of str to str
        Of agents.
    timing : bool
        Whether the axis is real time.
    """
    if timing:
        bars, calls = timed_bars(made, MOST_SPANS)
        alive = timed_lives(made)
        total = (max(span.end for span in made) - made[0].start).total_seconds() * 1000
        ends = ("0 ms", "time", f"{total:,.1f} ms")
    else:
        bars, calls = lane_bars(made, slots, _PIECES), step_bars(made, slots, _PIECES)
        alive = lives(made, slots)
        ends = ("event 1", "order of events", f"event {slots:,}")
    labelled = slots <= _LABELLED and not timing
    rows = []
    for key, lane in lanes.items():
        colour = colours[lane.agent]
        pieces = [_life(*alive[key], colour)] if key in alive else []
        pieces += [_bar(bar, labelled=labelled) for bar in bars[key]]
        pieces += [_call(call, colour) for call in calls[key]]
        rows.append(_lane_name(lane, colour) + _lane(pieces))
    axis = html.div() + html.div(
        *(html.span(end) for end in ends),
        display="flex",
        justify_content="space-between",
        font_size="11px",
        opacity=html.MUTED,
    )
    kinds = [(kind, event_colour(kind)) for kind in dict.fromkeys(span.kind for span in made)]
    chart = html.grid("minmax(80px,190px) minmax(0,1fr)", *rows, axis, gap="3px 12px")
    return chart + html.legend(kinds) + html.note(_meaning(any(calls.values()), bool(alive), timing=timing))


def _meaning(has_calls: bool, has_runs: bool, *, timing: bool) -> str:
    call = "a thin line is a model call" if timing else "a line under bars is the model call that led to them"
    said = [call] if has_calls else []
    said += ["a run stands under whoever asked for it, on a tint as long as it lived"] if has_runs else []
    return "; ".join(said)


def _lane_name(lane: Lane, colour: str) -> str:
    return html.div(
        html.flat_named(lane.agent, colour, lane.run_id),
        title=f"{lane.agent} {lane.run_id}".rstrip(),
        font_size=html.SMALL,
        padding_left=f"{14 * lane.depth}px" if lane.depth else "",
        overflow="hidden",
        text_overflow="ellipsis",
        white_space="nowrap",
        min_width="0",
    )


def _lane(pieces: Sequence[str]) -> str:
    return html.div(
        *pieces,
        position="relative",
        height="24px",
        border_radius="4px",
        background=html.SURFACE,
        overflow="hidden",
    )


def _life(left: float, size: float, colour: str) -> str:
    return html.at(left, size, top="0", height="24px", background=colour, opacity=".3")


def _bar(bar: Bar, *, labelled: bool) -> str:
    return html.at(
        bar.left,
        bar.size,
        esc(bar.label) if labelled else "",
        title=bar.kind if bar.label in {"", bar.kind} else f"{bar.kind}: {bar.label}",
        top="2px",
        height="16px",
        box_sizing="border-box",
        border_left="1px solid transparent",
        background=event_colour(bar.kind),
        background_clip="padding-box",
        border_radius="3px",
        color="#ffffff",
        font_size="10px",
        line_height="16px",
        padding_left="4px" if labelled else "",
        white_space="nowrap",
        overflow="hidden",
        text_overflow="ellipsis",
    )


def _call(call: Bar, colour: str) -> str:
    return html.at(
        call.left,
        call.size,
        title=call.label,
        top="20px",
        height="3px",
        box_sizing="border-box",
        border_left="1px solid transparent",
        background=colour,
        background_clip="padding-box",
    )
