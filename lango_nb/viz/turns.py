"""Turns: one with its answer, many in a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lango_nb.records.turns import Turn
from lango_nb.viz import html, text
from lango_nb.viz.colours import agent_colours, outcome_colour
from lango_nb.viz.escape import count, one_line
from lango_nb.viz.renderer import Renderer

_MOST = 500
_PAGE = 4000


@dataclass(frozen=True, slots=True)
class Turns:
    """Several turns, for showing."""

    items: tuple[Turn, ...] = ()

    def __iter__(self) -> Iterator[Turn]:
        """Iterate over the turns."""
        return iter(self.items)

    def __len__(self) -> int:
        """Count the turns."""
        return len(self.items)


def facts(turn: Turn, *, timing: bool = False) -> list[str]:
    """List what is worth knowing about a turn beside its text; time only when asked for."""
    said = [
        count(turn.steps, "model call"),
        count(turn.rounds, "hand-over") if turn.rounds else "",
        count(turn.tool_calls, "tool call") if turn.tool_calls else "",
        f"{turn.input_tokens:,} tokens read" if turn.input_tokens is not None else "",
        f"{turn.output_tokens:,} written" if turn.output_tokens is not None else "",
        f"{turn.duration_ms:,.1f} ms" if timing else "",
        f"model {one_line(turn.model, 40)}",
        f"topology {one_line(turn.topology, 40)}",
    ]
    return [part for part in said if part]


def path_text(path: Sequence[str]) -> str:
    """Write the agents that worked, joined by arrows."""
    return " → ".join(path)


def path_html(path: Sequence[str], colours: Mapping[str, str]) -> str:
    """Write the agents that worked, joined by arrows, each in its colour."""
    return html.div(f" {html.muted('→')} ".join(html.named(name, colours[name]) for name in path), min_width="0")


def line(turn: Turn) -> str:
    """Write the turn in one line."""
    return f"turn {turn.number}, {turn.outcome}: {one_line(turn.text, 60)}"


def to_text(turn: Turn) -> str:
    """Write the answer, and below it how it came about."""
    said = text.wrap(turn.answer, text.WIDTH) if turn.answer else ["(no answer)"]
    how = f"turn {turn.number} · {turn.outcome}{f' ({one_line(turn.error_code, 60)})' if turn.error_code else ''}"
    return "\n".join([*said, "", *text.wrap(f"{how} · {path_text(turn.path)}", text.WIDTH), text.facts(facts(turn))])


def to_html(turn: Turn) -> str:
    """Show the answer, and below it how it came about."""
    colours = agent_colours(turn.path, turn.path[0] if turn.path else None)
    code = html.muted(turn.error_code) if turn.error_code and turn.error_code != turn.outcome else ""
    how = html.line(
        html.badge(turn.outcome, outcome_colour(turn.outcome)), code, path_html(turn.path, colours), margin="4px 0 0 0"
    )
    return html.view(
        html.div(answer_html(turn.answer or "(no answer)"), margin="0 0 8px 0"),
        html.div(how, border_top=f"1px solid {html.SURFACE}"),
        html.small(" · ".join([f"turn {turn.number}", *facts(turn)])),
    )


def answer_html(answer: str) -> str:
    """Write an answer as it is; one that fills more than a page is folded."""
    return html.pre(answer) if len(answer) > _PAGE else html.block(answer)


RENDERER = Renderer(line, to_text, to_html)


def list_line(turns: Turns) -> str:
    """Write the list in one line."""
    return count(len(turns), "turn")


def _shown(turns: Turns) -> list[Turn]:
    return list(turns.items[-_MOST:])


def _head(turns: Turns) -> str:
    hidden = len(turns) - _MOST
    return f"{count(len(turns), 'turn')}{f', the last {_MOST} shown' if hidden > 0 else ''}"


_EMPTY = "no turn yet; ask something"


def list_text(turns: Turns) -> str:
    """Write a row per turn."""
    if not len(turns):
        return _EMPTY
    rows = [
        [
            str(t.number),
            one_line(t.text, 60),
            t.outcome,
            path_text(t.path),
            str(t.steps),
            str(t.tool_calls),
            one_line(t.answer, 80),
        ]
        for t in _shown(turns)
    ]
    heads = ["#", "request", "outcome", "path", "steps", "tools", "answer"]
    return f"{_head(turns)}\n\n{text.table(heads, rows, '><<<>><')}"


def list_html(turns: Turns) -> str:
    """Show a row per turn."""
    if not len(turns):
        return html.view(html.note(_EMPTY))
    rows = []
    for turn in _shown(turns):
        colours = agent_colours(turn.path, turn.path[0] if turn.path else None)
        rows.append(
            [
                str(turn.number),
                html.inline(turn.text, 160),
                html.badge(turn.outcome, outcome_colour(turn.outcome)),
                path_html(turn.path, colours),
                str(turn.steps),
                str(turn.tool_calls),
                html.inline(turn.answer, 200),
            ]
        )
    heads = ["#", "request", "outcome", "path", "steps", "tools", "answer"]
    widths = ["34px", "25%", "120px", "20%", "48px", "48px", "auto"]
    return html.view(html.header(_head(turns)), html.listing(heads, rows, "><<<>><", widths))


LIST_RENDERER = Renderer(list_line, list_text, list_html)
