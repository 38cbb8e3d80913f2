"""Spans in lanes: one per author, one per teammate run, laid out along the order of events or along real time.

user           ●
root            →     ▬▬▬▬▬▬▬▬■◆
 └ vault run-1   ▸▬▬◂             a run stands below whoever asked for it, as long as it lived
 └ vault run-2    ▸▬▬▬▬◂          the same agent twice is two lanes
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lango_nb.viz.spans import Span, rank_of, short_label

Key = tuple[str, str]
"""Names a lane: an author and nothing, or nothing and a run."""
PIECES = 72
"""Pieces that a lane is divided into at most: each is wide enough for a sign."""
RUN_ENDS = frozenset({"run ends", "run fails", "run stops"})
_AROUND = RUN_ENDS | {"run starts", "forks", "merges", "discards"}
"""Kinds that frame a run's work; the words of the root that merge it come after its end."""


@dataclass(frozen=True, slots=True)
class Lane:
    """Who is at work in it."""

    agent: str
    run_id: str = ""
    """Empty for the turn's own work."""
    depth: int = 0
    """How many lanes it is below one of the turn's own."""

    @property
    def name(self) -> str:
        """The agent and its run: no other lane has the same."""
        return f"{self.agent} {self.run_id}".rstrip()


def zoomed(made: Iterable[Span], first: int, last: int) -> list[Span]:
    """Cut spans to a stretch of events, and number them from its beginning.

    Parameters
    ----------
    made : iterable of Span
    first, last : int
        The events that the stretch begins and ends with.

    Returns
    -------
    list of Span
        Those that reach into it.
    """
    return [
        replace(span, first=max(span.first, first) - first + 1, last=min(span.last, last) - first + 1)
        for span in made
        if span.first <= last and (span.last >= first or span.is_open)
    ]


def key_of(span: Span) -> Key:
    """Name the lane a span lies in."""
    return ("", span.run_id) if span.run_id else (span.author, "")


def find_lanes(made: Sequence[Span], parents: Mapping[str, str] | None = None) -> dict[Key, Lane]:
    """List who did something: authors in the order of first appearance, runs below whoever asked for them.

    Parameters
    ----------
    made : sequence of Span
    parents : mapping of str to str, optional
        The run that made a run, by id, where it is known; otherwise the latest work of whoever asked for it counts.

    Returns
    -------
    dict of key to Lane
        In the order in which they are shown.
    """
    agents: dict[Key, str] = {}
    above: dict[Key, Key | None] = {}
    latest: dict[str, Key] = {}
    for span in made:
        key = key_of(span)
        if key not in agents:
            is_start = span.kind == "run starts"
            above[key] = _asker(span, parents or {}, latest) if is_start else None
            agents[key] = span.what if is_start else span.author
            latest[agents[key]] = key
    below: dict[Key | None, list[Key]] = {}
    for key, asker in above.items():
        below.setdefault(asker if asker in above else None, []).append(key)
    found: dict[Key, Lane] = {}

    def place(key: Key, depth: int) -> None:
        if key not in found:
            found[key] = Lane(agents[key], key[1], depth)
            for child in below.get(key, ()):
                place(child, depth + 1)

    for key in (*below.get(None, ()), *above):  # whatever asked for itself in a ring comes last
        place(key, 0)
    return found


def _asker(span: Span, parents: Mapping[str, str], latest: Mapping[str, Key]) -> Key | None:
    parent = parents.get(span.run_id)
    return ("", parent) if parent else latest.get(span.author)


@dataclass(frozen=True, slots=True)
class Bar:
    """A piece of a lane: where it lies between 0 and 1, and what it stands for."""

    kind: str
    label: str
    left: float
    size: float


Bars = dict[Key, list[Bar]]
"""Bars by lane."""


def _empty(made: Iterable[Span]) -> Bars:
    return {key_of(span): [] for span in made}


def lane_bars(made: Sequence[Span], slots: int, most: int) -> Bars:
    """Lay spans out in lanes along the order of events.

    Parameters
    ----------
    made : sequence of Span
    slots : int
        How many events there are.
    most : int
        Pieces a lane may be divided into; spans that fall into the same piece are drawn as one, the worst kind wins.

    Returns
    -------
    dict of key to list of Bar
        Longer bars lie under those that happened meanwhile.
    """
    found = _empty(made)
    if slots <= most:
        for span in made:
            size = (_last(span, slots) - span.first + 1) / slots
            found[key_of(span)].append(Bar(span.kind, short_label(span), (span.first - 1) / slots, size))
        return found
    pieces: dict[Key, dict[int, str]] = {key: {} for key in found}
    for span in made:
        kinds = pieces[key_of(span)]
        for piece in range((span.first - 1) * most // slots, (_last(span, slots) - 1) * most // slots + 1):
            known = kinds.get(piece)
            if known is None or rank_of(span.kind) > rank_of(known):
                kinds[piece] = span.kind
    return {key: _merge(kinds, most) for key, kinds in pieces.items()}


def _last(span: Span, slots: int) -> int:
    """Return the event up to which a span reaches; what is not over reaches to the end."""
    return slots if span.is_open else span.last


def _merge(kinds: Mapping[int, str], most: int) -> list[Bar]:
    bars: list[Bar] = []
    end = -1
    for piece in sorted(kinds):
        if bars and piece == end and bars[-1].kind == kinds[piece]:
            bars[-1] = Bar(bars[-1].kind, "", bars[-1].left, bars[-1].size + 1 / most)
        else:
            bars.append(Bar(kinds[piece], "", piece / most, 1 / most))
        end = piece + 1
    return bars


def lives(made: Sequence[Span], slots: int) -> dict[Key, tuple[float, float]]:
    """Say from where to where each run lived, along the order of events; one that has not ended lives on.

    Parameters
    ----------
    made : sequence of Span
    slots : int
        How many events there are.

    Returns
    -------
    dict of key to (left, size)
        Shares of the whole; the turn's own lanes are not in it.
    """
    ends = _run_ends(made)
    return {
        key: ((first.first - 1) / slots, ((slots if last is None else last.last) - first.first + 1) / slots)
        for key, (first, last) in ends.items()
    }


def timed_lives(made: Sequence[Span]) -> dict[Key, tuple[float, float]]:
    """Say from where to where each run lived, along real time."""
    start, end = made[0].start, max(span.end for span in made)
    total = _ms(end, start) or 1.0
    found = {}
    for key, (first, last) in _run_ends(made).items():
        left = _ms(first.start, start) / total
        found[key] = (left, _ms(end if last is None else last.end, start) / total - left)
    return found


def _run_ends(made: Iterable[Span]) -> dict[Key, tuple[Span, Span | None]]:
    found: dict[Key, tuple[Span, Span | None]] = {}
    for span in made:
        if not span.run_id:
            continue
        first, last = found.get(key_of(span), (span, None))
        found[key_of(span)] = (first, span if span.kind in RUN_ENDS else last)
    return found


def step_bars(made: Sequence[Span], slots: int, most: int) -> Bars:
    """Lay model calls out in lanes: each reaches from the first event it led to, to the last.

    Parameters
    ----------
    made : sequence of Span
    slots, most : int
        How many events there are, and up to how many model calls are shown at all.

    Returns
    -------
    dict of key to list of Bar
        By lane.
    """
    found = _empty(made)
    if slots > most:
        return found
    ends: dict[tuple[Key, int], tuple[int, int]] = {}
    for span in made:
        if span.step and span.kind not in _NO_STEP:
            place = key_of(span), span.step
            first, last = ends.get(place, (span.first, span.last))
            ends[place] = min(first, span.first), max(last, span.last)
    for (key, step), (first, last) in ends.items():
        found[key].append(Bar("model call", f"model call {step}", (first - 1) / slots, (last - first + 1) / slots))
    return found


_NO_STEP = _AROUND | {"ends", "limit", "error", "history", "budget", "breaker", "recovery"}
"""Kinds that no model call led to."""


def timed_bars(made: Sequence[Span], most: int) -> tuple[Bars, Bars]:
    """Lay spans and model calls out in lanes along real time.

    Parameters
    ----------
    made : sequence of Span
    most : int
        How many spans are drawn.

    Returns
    -------
    dict, dict
        Bars of spans and bars of model calls, by lane.
    """
    start, end = made[0].start, max(span.end for span in made)
    total = _ms(end, start) or 1.0
    bars, calls = _empty(made), _empty(made)
    for span in made[:most]:
        left, right = _ms(span.start, start), _ms(end if span.is_open else span.end, start)
        said = f"{short_label(span)} {span.ms:,.1f} ms" if span.ms is not None else short_label(span)
        bars[key_of(span)].append(_timed(span.kind, said, left / total, right / total))
        if span.model_ms:
            call = f"model call {span.step} {span.model_ms:,.1f} ms"
            calls[key_of(span)].append(_timed("model call", call, (left - span.model_ms) / total, left / total))
    return bars, calls


def _ms(moment: datetime, start: datetime) -> float:
    return (moment - start).total_seconds() * 1000


def _timed(kind: str, said: str, left: float, right: float) -> Bar:
    left = min(max(0.0, left), 1 - _THINNEST)
    return Bar(kind, said, left, max(_THINNEST, min(1.0, right) - left))


_THINNEST = 0.004
"""Share of a lane that can still be seen."""
