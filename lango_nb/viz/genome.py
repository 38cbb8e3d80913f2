"""A genome: its agents with whom they may call, its history, and what a change changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lango_nb.core.text import counted
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.history import Commit, Diff, ItemChange
from lango_nb.specs.genome.members import Member, members
from lango_nb.specs.genome.sync import ROOT
from lango_nb.specs.genome.working_tree import Finding
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import agent_colours
from lango_nb.viz.escape import one_line
from lango_nb.viz.table import Table

_DEEPEST = 8
_MOST = 60
"""Agents that are drawn, and things that differ that are listed."""
_LINES = 2_000
"""Lines of a difference that are shown."""
_NAME, _NAMES = 40, 60
"""Characters of a name, and of names, that are shown."""
_ORIGINS = {"shipped": "package", "changed": "package, changed here", "own": "made here"}
_ACTIONS = {"added": "new", "removed": "gone", "changed": "changed"}


def line(genome: Genome) -> str:
    """Write a genome in one line."""
    return f"genome, {', '.join(_facts(genome))}"


def document(genome: Genome, strange: Sequence[Finding] = ()) -> doc.Document:
    """Draw the agents below whom they may be called by, with what is remembered and what is odd.

    Parameters
    ----------
    genome : Genome
    strange : sequence of Finding
        What agents name that is not here.
    """
    found = members(genome, ROOT)
    by_name = {member.agent.name: member for member in found}
    colours = agent_colours(tuple(by_name), ROOT)
    drawn = [place for place in _order(by_name) if place.name != ROOT]
    unlisted = [member.agent.name for member in found if not member.listed_by and member.agent.name != ROOT]
    memories, rules = genome.memories, genome.rules
    fields = [
        ("nobody may delegate to", one_line(", ".join(unlisted), 300)),
        *(("remembers", one_line(memory.content, 160)) for memory in memories[-_MOST:]),
        ("", _earlier(len(memories))),
        *(
            ("prefers", f"when {one_line(rule.condition, 80)}: {one_line(rule.preference, 80)}")
            for rule in rules[-_MOST:]
        ),
        ("", _earlier(len(rules))),
        *((one_line(one.path, 80), one_line(one.what, 300)) for one in genome.findings),
        *(("not here", one_line(one.what, 300)) for one in strange[:_MOST]),
    ]
    return (
        doc.Title("genome", _facts(genome)),
        doc.GAP,
        doc.Tree(
            doc.Node(ROOT, _told(by_name[ROOT]) if ROOT in by_name else ("is missing",), colours.get(ROOT, "")),
            tuple(_node(by_name[place.name], place, colours[place.name]) for place in drawn[:_MOST]),
        ),
        doc.Note(_more(len(drawn), "agent")),
        doc.GAP,
        doc.Fields(tuple((what, said) for what, said in fields if said), "stacked"),
    )


def callers_document(genome: Genome) -> doc.Document:
    """List who may call whom, by depth, with versions, where definitions come from, and how the agents did."""
    by_name = {member.agent.name: member for member in members(genome, ROOT)}
    colours = agent_colours(tuple(by_name), ROOT)
    order = _order(by_name)
    rows = [
        (
            doc.Name(name, colours[name], most=_NAME),
            str(by_name[name].agent.version),
            _ORIGINS[genome.origin(name)],
            str(depth) if depth or name == ROOT else "",
            doc.Cut(", ".join(by_name[name].delegates), _NAMES),
            doc.Cut(", ".join(by_name[name].listed_by), _NAMES),
            str(by_name[name].actions or ""),
            str(by_name[name].stumbles or ""),
        )
        for name, depth, _ in order[:_MOST]
    ]
    heads = ("agent", "version", "from", "depth", "may call", "may be called by", "goals", "stumbles")
    return (doc.Rows(heads, rows, "<><><<>>"), doc.Note(_more(len(order), "agent")))


def _more(number: int, noun: str) -> str:
    """Say how many are left out; nothing when none is."""
    return f"and {counted(number - _MOST, f'more {noun}')}" if number > _MOST else ""


def _earlier(number: int) -> str:
    """Say how many earlier ones are left out; nothing when none is."""
    return f"and {number - _MOST:,} earlier" if number > _MOST else ""


def _facts(genome: Genome) -> list[str]:
    said = [counted(len(genome.all_agents()), "agent")]
    said += [counted(len(genome.memories), "memory")] if genome.memories else []
    said += [counted(len(genome.rules), "routing rule")] if genome.rules else []
    return said


class _Place(NamedTuple):
    """Where an agent is first reached from the root."""

    name: str
    depth: int
    """0 for the root, and for those nobody reaches."""
    above: str = ""
    """Who may delegate to it there."""


def _order(by_name: dict[str, Member]) -> list[_Place]:
    """Return agents, each behind the one above it; those nobody reaches come last."""
    found = {ROOT: _Place(ROOT, 0)} if ROOT in by_name else {}
    below: dict[str, list[str]] = {}
    for name in (waiting := list(found)):
        for target in by_name[name].delegates:
            if target not in found and found[name].depth < _DEEPEST:
                found[target] = _Place(target, found[name].depth + 1, name)
                below.setdefault(name, []).append(target)
                waiting.append(target)
    order, left = [], list(found)[:1]
    while left:
        order.append(found[name := left.pop()])
        left += reversed(below.get(name, []))
    return [*order, *(_Place(name, 0) for name in by_name if name not in found)]


def _node(member: Member, place: _Place, colour: str) -> doc.Node:
    marks = (f"depth {place.depth}",) if place.depth else ()
    if place.above not in {"", ROOT}:
        marks = (*marks, f"below {one_line(place.above, _NAME)}")
    return doc.Node(
        member.agent.name,
        _told(member),
        colour,
        one_line(member.agent.description),
        marks,
        is_dashed=place.above != ROOT,
    )


def _told(member: Member) -> tuple[str, ...]:
    spec = member.agent
    works_with = ", ".join(member.tools) or "no tools"
    does = f"delegates to {', '.join(member.delegates)}" if member.delegates else works_with
    return (f"version {spec.version}", one_line(does, 200))


def history_table(commits: Sequence[Commit]) -> Table:
    """List the changes of a genome, the latest first."""
    rows = tuple((commit.short_id, commit.operation, commit.subject) for commit in commits)
    note = "%lango genome diff COMMIT shows one of them, %lango genome rollback COMMIT takes it back"
    return Table("history of the genome", ("commit", "operation", "subject"), rows, note)


def diff_line(diff: Diff) -> str:
    """Write a difference in one line."""
    return (
        ", ".join(f"{item.noun} {one_line(item.name, 64)} {_ACTIONS[item.action]}" for item in diff.items)
        or "no difference"
    )


def diff_document(diff: Diff) -> doc.Document:
    """Say what differs, field by field, and show it line by line."""
    facts = [counted(len(diff.items), "thing"), "differs" if len(diff.items) == 1 else "differ"]
    fields = tuple((f"{item.noun} {one_line(item.name, 64)}", _changed(item)) for item in diff.items[:_MOST])
    lines = diff.text.split("\n")
    left = f"and {len(lines) - _LINES:,} more lines" if len(lines) > _LINES else ""
    return (
        doc.Title("what changed", [" ".join(facts)] if diff.items else ["no difference"]),
        doc.GAP,
        doc.Fields(fields, "stacked"),
        doc.Note(_more(len(diff.items), "thing")),
        *((doc.GAP, doc.Difference("\n".join(lines[:_LINES])), doc.Note(left)) if diff.text else ()),
    )


def _changed(item: ItemChange) -> str:
    if item.action != "changed":
        return _ACTIONS[item.action]
    return f"changed: {', '.join(change.field for change in item.fields)}"


GENOME = Renderer(line, document)
DIFF = Renderer(diff_line, diff_document)
