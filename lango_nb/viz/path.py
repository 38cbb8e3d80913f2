"""The way of one turn over its tree: who worked and how often, who handed to whom, and what was refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lango_nb.core.events import Declined, HandedOver, HandOverRefused, Returned, ToolFinished
from lango_nb.core.text import counted
from lango_nb.records.turns import Trace
from lango_nb.viz import document as doc
from lango_nb.viz.colours import BAD, agent_colours
from lango_nb.viz.escape import one_line
from lango_nb.viz.turns import outcome_of, path_of

_TIMES = "\N{MULTIPLICATION SIGN}"
_MOST = 60
"""Agents that are drawn, and ways that are listed."""
_NAME = 60
"""Characters of a name that are shown."""
_NOBODY = "nothing was handed over: the root answered itself"


def document(trace: Trace, agents: Sequence[str] = ()) -> doc.Document:
    """Draw who worked, and list every way that was taken or refused.

    Parameters
    ----------
    trace : Trace
    agents : sequence of str
        Names of the tree, the root first: those that took no part are drawn in grey. Without them only those who took
        part are there.
    """
    turn = trace.turn
    ways = _Ways(trace)
    root = turn.path[0] if turn.path else next(iter(agents), "")
    names = list(dict.fromkeys([root, *agents, *turn.path, *ways.names()]))
    colours = agent_colours(names, root)
    top, *nodes = (ways.node(name, colours[name], root) for name in names)
    rows = ways.rows(colours)
    return (
        doc.Line((f"turn {turn.number}", outcome_of(turn))),
        doc.Line((path_of(turn.path, colours),)),
        doc.GAP,
        doc.Tree(top, tuple(nodes[:_MOST])),
        doc.Note(f"and {counted(len(nodes) - _MOST, 'agent')} more" if len(nodes) > _MOST else ""),
        doc.GAP,
        doc.Rows(("from", "", "to", "times", "refused"), rows[:_MOST], "<<<>") if rows else doc.Note(_NOBODY),
        doc.Note(f"and {len(rows) - _MOST:,} more" if len(rows) > _MOST else ""),
    )


class _Ways:
    """The ways between agents in a turn: how often each was taken, and why it was refused."""

    def __init__(self, trace: Trace) -> None:
        self.taken: Counter[tuple[str, str]] = Counter()
        self.back: Counter[tuple[str, str]] = Counter()
        self.refused: dict[tuple[str, str], Counter[str]] = {}
        self.visits, self.tools = Counter(trace.turn.path), _tools(trace)
        for event in trace.events:
            match event:
                case HandedOver():
                    self.taken[event.author, event.target] += 1
                case Declined() | Returned():
                    self.back[event.author, event.target] += 1
                case HandOverRefused():
                    self.refused.setdefault((event.author, event.target), Counter())[event.code] += 1

    def names(self) -> list[str]:
        """Return everybody at an end of a way; a name that was only refused may be nobody's."""
        return [name for way in (*self.taken, *self.back) for name in way]

    def node(self, name: str, colour: str, root: str) -> doc.Node:
        """Say of an agent how often it worked, what it called, and what became of the way to it."""
        visits, tools, taken, why = self.visits[name], self.tools[name], self.taken[root, name], self.why((root, name))
        said = (
            f"worked {counted(visits, 'time')}" if visits else "",
            counted(tools, "tool call") if tools else "",
            f"refused: {why}" if why else "",
        )
        edge = " ".join(filter(None, (f"{_TIMES}{taken:,}" if taken else "", "⊘" if why else "")))
        return doc.Node(
            name,
            tuple(filter(None, said)) or ("took no part",),
            colour,
            edge=edge,
            is_dashed=bool(why) and not taken,
            is_quiet=not (visits or why),
        )

    def why(self, way: tuple[str, str]) -> str:
        """Say how often a way was refused, and why."""
        codes = self.refused.get(way, Counter())
        return ", ".join(f"{code.replace('_', ' ')} {_TIMES}{number:,}" for code, number in codes.items())

    def rows(self, known: Mapping[str, str]) -> list[tuple[doc.Inline, ...]]:
        """List the ways: taken ones with their refusals, those that were only refused, those back."""
        out = dict.fromkeys([*self.taken, *self.refused])
        return [
            *((_name(one, known), "→", _name(two, known), _number(self.taken[one, two]), _refusal(self.why((one, two))))
              for one, two in out),
            *((_name(one, known), "⇢", _name(two, known), _number(number), "")
              for (one, two), number in self.back.items()),
        ]  # fmt: skip


def _name(name: str, colours: Mapping[str, str]) -> doc.Inline:
    """Write a name; what was asked for and is nobody has no colour."""
    return doc.Name(name, colours[name], plain=_NAME, most=_NAME) if name in colours else doc.Cut(name, _NAME, _NAME)


def _number(number: int) -> str:
    return f"{number:,}" if number else ""


def _refusal(why: str) -> doc.Inline:
    return doc.Either(why, doc.Badge(one_line(why, _NAME), BAD)) if why else ""


def _tools(trace: Trace) -> Counter[str]:
    """Count the calls of tools of each agent, those that hand over and wait aside."""
    ended = (event for event in trace.events if isinstance(event, ToolFinished) and event.role != "control")
    return Counter(event.author for event in ended)
