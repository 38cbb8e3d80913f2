"""A genome: its agents with whom they may call, its history, and what a change changed."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.text import counted
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.history import Commit, Diff, ItemChange
from lango_nb.specs.genome.members import Member, members
from lango_nb.specs.genome.sync import ROOT
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import agent_colours
from lango_nb.viz.escape import one_line
from lango_nb.viz.table import Table

_DEEPEST = 8
_ACTIONS = {"added": "new", "removed": "gone", "changed": "changed"}


def line(genome: Genome) -> str:
    """Write a genome in one line."""
    return f"genome, {', '.join(_facts(genome))}"


def document(genome: Genome) -> doc.Document:
    """Draw the agents below whom they may be called by, with what is remembered and what is odd."""
    found = members(genome, ROOT)
    by_name = {member.agent.name: member for member in found}
    colours = agent_colours(tuple(by_name), ROOT)
    unlisted = [member.agent.name for member in found if not member.listed_by and member.agent.name != ROOT]
    fields = [
        ("nobody may delegate to", ", ".join(unlisted)),
        *(("remembers", one_line(memory.content, 160)) for memory in genome.memories),
        *(
            ("prefers", f"when {one_line(rule.condition, 80)}: {one_line(rule.preference, 80)}")
            for rule in genome.rules
        ),
        *((one_line(finding.path, 80), one_line(finding.what, 160)) for finding in genome.findings),
    ]
    return (
        doc.Title("genome", _facts(genome)),
        doc.GAP,
        doc.Tree(
            doc.Node(ROOT, _told(by_name[ROOT]) if ROOT in by_name else ("is missing",), colours.get(ROOT, "")),
            tuple(_node(by_name[name], depth, colours[name]) for name, depth in _order(by_name) if name != ROOT),
        ),
        doc.GAP,
        doc.Fields(tuple((what, said) for what, said in fields if said), "stacked"),
    )


def _facts(genome: Genome) -> list[str]:
    said = [counted(len(genome.all_agents()), "agent")]
    said += [counted(len(genome.memories), "memory")] if genome.memories else []
    said += [counted(len(genome.rules), "routing rule")] if genome.rules else []
    return said


def _order(by_name: dict[str, Member]) -> list[tuple[str, int]]:
    """Return agents with how deep below the root they are first reached; those nobody reaches come last."""
    depth = {ROOT: 0} if ROOT in by_name else {}
    waiting = list(depth)
    while waiting:
        name = waiting.pop(0)
        for target in by_name[name].delegates:
            if target not in depth and depth[name] < _DEEPEST:
                depth[target] = depth[name] + 1
                waiting.append(target)
    return [*depth.items(), *((name, 0) for name in by_name if name not in depth)]


def _node(member: Member, depth: int, colour: str) -> doc.Node:
    marks = (f"depth {depth}",) if depth else ()
    return doc.Node(member.agent.name, _told(member), colour, one_line(member.agent.description), marks)


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
    return (
        doc.Title("what changed", [" ".join(facts)] if diff.items else ["no difference"]),
        doc.GAP,
        doc.Fields(tuple((f"{item.noun} {one_line(item.name, 64)}", _changed(item)) for item in diff.items), "stacked"),
        *((doc.GAP, doc.Difference(diff.text)) if diff.text else ()),
    )


def _changed(item: ItemChange) -> str:
    if item.action != "changed":
        return _ACTIONS[item.action]
    return f"changed: {', '.join(change.field for change in item.fields)}"


GENOME = Renderer(line, document)
DIFF = Renderer(diff_line, diff_document)
