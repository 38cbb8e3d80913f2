"""Turns: one with its answer, many in a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from lango_nb.records.agent_run import AgentRun
from lango_nb.records.turns import Turn
from lango_nb.viz import html, text
from lango_nb.viz.colours import agent_colours, outcome_colour
from lango_nb.viz.escape import count, one_line
from lango_nb.viz.renderer import Renderer

_MOST = 500
_PAGE = 4000
_TIMES = "\N{MULTIPLICATION SIGN}"
_EMPTY = "no turn yet; ask something"
_HEADS = ("#", "request", "outcome", "path", "steps", "tools", "answer")


@dataclass(frozen=True, slots=True)
class Turns:
    """Several turns, for showing."""

    items: Sequence[Turn] = ()
    empty: str = _EMPTY
    """What is shown when there are none."""
    remarks: Mapping[str, str] = field(default_factory=dict)
    """What else is to be said of some, by id: notes and tags."""
    note: str = ""
    """A remark under the list."""

    def __iter__(self) -> Iterator[Turn]:
        """Iterate over the turns."""
        return iter(self.items)

    def __len__(self) -> int:
        """Count the turns."""
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Card:
    """A turn with the runs it made, for showing as the result of a request."""

    turn: Turn
    runs: tuple[AgentRun, ...] = ()


def run_state(run: AgentRun) -> str:
    """Say in a word how a run is: its status, or that it is blocked.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> run_state(AgentRun(id="arun-1", parent_id="s", requested_agent="vault", instruction="Hash it.",
    ...                    created_at=datetime(2026, 1, 1, tzinfo=UTC), runtime_condition="blocked_waiting_approval"))
    'blocked'
    """
    is_blocked = not run.is_terminal and run.runtime_condition.startswith("blocked")
    return "blocked" if is_blocked else run.status


def runs_fact(runs: Sequence[AgentRun]) -> str:
    """Count runs, and say how they came out if not all of them are completed."""
    states = Counter(map(run_state, runs))
    if set(states) <= {"completed"}:
        return count(len(runs), "run") if runs else ""
    return f"{count(len(runs), 'run')} ({', '.join(f'{number:,} {state}' for state, number in states.items())})"


def facts(turn: Turn, runs: Sequence[AgentRun] = (), *, timing: bool = False) -> list[str]:
    """List what is worth knowing about a turn beside its text; time only when asked for."""
    said = [
        count(turn.steps, "model call"),
        count(turn.rounds, "hand-over") if turn.rounds else "",
        runs_fact(runs),
        count(turn.tool_calls, "tool call") if turn.tool_calls else "",
        f"{turn.input_tokens:,} tokens read" if turn.input_tokens is not None else "",
        f"{turn.output_tokens:,} written" if turn.output_tokens is not None else "",
        f"{turn.duration_ms:,.1f} ms" if timing else "",
        f"model {one_line(turn.model, 40)}",
        f"topology {one_line(turn.topology, 40)}",
    ]
    return [part for part in said if part]


def path_text(path: Sequence[str]) -> str:
    """Write the agents that worked, joined by arrows.

    Examples
    --------
    >>> path_text(["root", "vault", "root"])
    'root → vault → root'
    """
    return " → ".join(f"{name} {times}".rstrip() for name, times in _stops(path))


def _stops(path: Sequence[str]) -> list[tuple[str, str]]:
    """Put neighbours of one name together, with how often it stands there."""
    counted = ((name, len(list(group))) for name, group in groupby(path))
    return [(name, f"{_TIMES}{number:,}" if number > 1 else "") for name, number in counted]


def path_html(path: Sequence[str], colours: Mapping[str, str]) -> str:
    """Write the agents that worked, joined by arrows, each in its colour."""
    stops = (
        html.named(name, colours[name]) + (f" {html.muted(times)}" if times else "") for name, times in _stops(path)
    )
    return html.div(f" {html.muted('→')} ".join(stops), min_width="0")


def line(turn: Turn) -> str:
    """Write the turn in one line."""
    return f"turn {turn.number}, {turn.outcome}: {one_line(turn.text, 60)}"


def to_text(turn: Turn, runs: Sequence[AgentRun] = ()) -> str:
    """Write the answer, and below it how it came about."""
    said = text.wrap(turn.answer, text.WIDTH) if turn.answer else ["(no answer)"]
    how = f"turn {turn.number} · {turn.outcome}{f' ({one_line(turn.error_code, 60)})' if turn.error_code else ''}"
    lines = [*said, "", *text.wrap(f"{how} · {path_text(turn.path)}", text.WIDTH), text.facts(facts(turn, runs))]
    return "\n".join([*lines, *(text.wrap(_waiting(runs), text.WIDTH) if _waiting(runs) else [])])


def to_html(turn: Turn, runs: Sequence[AgentRun] = ()) -> str:
    """Show the answer, and below it how it came about."""
    colours = agent_colours(turn.path, turn.path[0] if turn.path else None)
    code = html.muted(turn.error_code) if turn.error_code and turn.error_code != turn.outcome else ""
    how = html.line(
        html.badge(turn.outcome, outcome_colour(turn.outcome)), code, path_html(turn.path, colours), margin="4px 0 0 0"
    )
    return html.view(
        html.div(answer_html(turn.answer or "(no answer)"), margin="0 0 8px 0"),
        html.div(how, border_top=f"1px solid {html.SURFACE}"),
        html.small(" · ".join([f"turn {turn.number}", *facts(turn, runs)])),
        html.note(_waiting(runs)),
    )


def _waiting(runs: Sequence[AgentRun]) -> str:
    """Say which runs go on without the turn, and what they need."""
    blocked = [run.id for run in runs if run_state(run) == "blocked"]
    going = [run.id for run in runs if not run.is_terminal and run.id not in blocked]
    said = [f"still at work: {', '.join(going)}"] if going else []
    said += [f"waiting for your answer (see %lango approvals): {', '.join(blocked)}"] if blocked else []
    return "; ".join(said)


def answer_html(answer: str) -> str:
    """Write an answer as it is; one that fills more than a page is folded."""
    return html.pre(answer) if len(answer) > _PAGE else html.block(answer)


RENDERER = Renderer(line, to_text, to_html)


def card_line(card: Card) -> str:
    """Write the card in one line."""
    return line(card.turn)


def card_text(card: Card) -> str:
    """Write the answer, how it came about, and how the runs came out."""
    return to_text(card.turn, card.runs)


def card_html(card: Card) -> str:
    """Show the answer, how it came about, and how the runs came out."""
    return to_html(card.turn, card.runs)


CARD_RENDERER = Renderer(card_line, card_text, card_html)


def list_line(turns: Turns) -> str:
    """Write the list in one line."""
    return count(len(turns), "turn")


def _shown(turns: Turns) -> list[Turn]:
    return list(turns.items[-_MOST:])


def _head(turns: Turns) -> str:
    hidden = len(turns) - _MOST
    return f"{count(len(turns), 'turn')}{f', the last {_MOST} shown' if hidden > 0 else ''}"


def list_text(turns: Turns) -> str:
    """Write a row per turn."""
    if not len(turns):
        return "\n".join(filter(None, (turns.empty, turns.note)))
    rows = [
        [
            str(t.number),
            one_line(t.text, 60),
            t.outcome,
            path_text(t.path),
            str(t.steps),
            str(t.tool_calls),
            one_line(t.answer, 80),
            *([one_line(turns.remarks.get(t.id, ""), 80)] if turns.remarks else []),
        ]
        for t in _shown(turns)
    ]
    heads = [*_HEADS, *(["notes"] if turns.remarks else [])]
    body = text.table(heads, rows, "><<<>><")
    return "\n".join([_head(turns), "", body, *(["", *text.wrap(turns.note, text.WIDTH)] if turns.note else [])])


def list_html(turns: Turns) -> str:
    """Show a row per turn."""
    if not len(turns):
        return html.view(html.note(turns.empty), html.note(turns.note))
    rows = []
    for turn in _shown(turns):
        colours = agent_colours(turn.path, turn.path[0] if turn.path else None)
        rows.append(
            [
                str(turn.number),
                html.inline(turn.text, 160) + html.note(one_line(turns.remarks.get(turn.id, ""), 300)),
                html.badge(turn.outcome, outcome_colour(turn.outcome)),
                path_html(turn.path, colours),
                str(turn.steps),
                str(turn.tool_calls),
                html.inline(turn.answer, 200),
            ]
        )
    widths = ["34px", "25%", "120px", "20%", "48px", "48px", "auto"]
    listing = html.listing(_HEADS, rows, "><<<>><", widths)
    return html.view(html.header(_head(turns)), listing, html.note(turns.note))


LIST_RENDERER = Renderer(list_line, list_text, list_html)
