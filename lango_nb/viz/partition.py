"""Who owns which tool: agents and families with counts, what nobody owns, and every tool with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lango_nb.core.text import counted
from lango_nb.routing.partition import Assignment, Partition
from lango_nb.tools.tool import Tool
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.agents import chips_legend, count_families, family_line, shown_family, tool_chips
from lango_nb.viz.colours import BAD, ROOT, agent_colours
from lango_nb.viz.escape import label

NOBODY, EVERYBODY, WITH_ROOT = "nobody", "everybody", "root only"
_MOST_FAMILIES = 60
_BY_NAME = "°"


def _groups(partition: Partition) -> list[tuple[str, tuple[Tool, ...]]]:
    """List owners with their tools: agents that own some, in the order of the roster, then what no agent owns."""
    rest = [(EVERYBODY, partition.universal), (WITH_ROOT, partition.dropped), (NOBODY, partition.unmatched)]
    return [(name, tools) for name, tools in (*partition.owned.items(), *rest) if tools]


def _idle(partition: Partition) -> list[str]:
    """Name the agents of the roster that own no tool."""
    return [name for name, tools in partition.owned.items() if not tools]


def _facts(partition: Partition) -> list[str]:
    return [
        counted(len(partition), "tool"),
        counted(len(partition.owned), "agent"),
        counted(len({shown_family(tool) for tool in partition.tools}), "family"),
        f"{len(partition.unmatched):,} owned by nobody",
    ]


def line(partition: Partition) -> str:
    """Write the partition in one line."""
    return ", ".join(_facts(partition))


def _is_plain(assignment: Assignment) -> bool:
    return assignment.rule in {"prefix", "universal", "dropped", "unmatched", "single"} and not assignment.also


def document(partition: Partition) -> doc.Document:
    """Count families against owners, with every owner's tools, and a reason where one is needed."""
    groups = _groups(partition)
    root = next((item.agent for item in partition.assignments if item.rule == "single"), None)
    colours = {**agent_colours(partition.owned, root), EVERYBODY: ROOT, WITH_ROOT: ROOT, NOBODY: BAD}
    special = [item for item in partition.assignments if not _is_plain(item)]
    by_name = any(tool.is_by_name for tool in partition.tools)
    order = partition.order if len(partition.order) > 1 else ()
    return (
        doc.Title("partition", _facts(partition)),
        doc.GAP,
        doc.plain(_owners(groups), doc.GAP, *(_names(name, tools) for name, tools in groups)),
        doc.Rich(_matrix(groups, colours)),
        doc.GAP,
        doc.Fields((("no tool is theirs", ", ".join(_idle(partition))),), "stacked"),
        doc.GAP,
        doc.plain(doc.Note(f"{_BY_NAME} known by name only: can be routed, not run" if by_name else "")),
        doc.GAP,
        doc.Plain((_reasons(special),) if special else ()),
        doc.GAP,
        doc.Fields((("asked in this order", doc.Either(", ".join(order), " → ".join(order))),), "stacked"),
        doc.Heading("Tools by owner"),
        doc.Rich(tuple(_owner(name, tools, colours[name], special) for name, tools in groups)),
        doc.Rich(chips_legend(partition.tools)),
    )


def owner_of(assignment: Assignment) -> str:
    """Name who has a tool: its agent, everybody, the root alone, or nobody."""
    return assignment.agent or {"universal": EVERYBODY, "dropped": WITH_ROOT}.get(assignment.rule, NOBODY)


def assignment_blocks(partition: Partition, assignment: Assignment) -> doc.Document:
    """Write where one tool landed, why, and who else would match."""
    colours = {**agent_colours(partition.owned), EVERYBODY: ROOT, WITH_ROOT: ROOT, NOBODY: BAD}
    owner = owner_of(assignment)
    also = ", ".join(f"{agent} ({prefix})" for agent, prefix in assignment.also)
    return (
        doc.Title(assignment.tool, (doc.Name(owner, colours.get(owner, ROOT)), doc.Badge(assignment.rule, ROOT))),
        doc.Paragraph(assignment.reason),
        doc.Fields((("prefix", assignment.prefix or ""), ("would match too", also or "nobody else"))),
    )


def _owners(groups: Sequence[tuple[str, tuple[Tool, ...]]]) -> doc.Block:
    rows = tuple((name, f"{len(tools):,}", family_line(tools)) for name, tools in groups)
    return doc.Rows(("agent", "tools"), rows, "<><")


def _names(name: str, tools: tuple[Tool, ...]) -> doc.Block:
    return doc.Fields(
        ((name, ", ".join(tool.name + (_BY_NAME if tool.is_by_name else "") for tool in tools)),), "stacked"
    )


def _reasons(special: Sequence[Assignment]) -> doc.Block:
    rows = tuple((item.tool, item.agent or NOBODY, item.reason) for item in special)
    return doc.Rows(("tool", "agent", "reason"), rows)


def _matrix(groups: Sequence[tuple[str, tuple[Tool, ...]]], colours: Mapping[str, str]) -> doc.Document:
    counts = [count_families(tools) for _, tools in groups]
    families = list(dict.fromkeys(family for found in counts for family in found))
    if not families:
        return (doc.Note("there are no tools to share out"),)
    shown = families[:_MOST_FAMILIES]
    columns = tuple((name, colours[name]) for name, _ in groups)
    rows = tuple(
        (family, tuple((found[family], colour) for found, (_, colour) in zip(counts, columns, strict=True)))
        for family in shown
    )
    ends = [sum(found[family] for found in counts) for family in shown]
    bottom = [len(tools) for _, tools in groups]
    hidden = len(families) - _MOST_FAMILIES
    return (
        doc.Matrix("family", columns, rows, (ends, (*bottom, sum(bottom)))),
        doc.Note(f"and {counted(hidden, 'family')} more; the frame has them all" if hidden > 0 else ""),
    )


def _owner(name: str, tools: tuple[Tool, ...], colour: str, special: Sequence[Assignment]) -> doc.Block:
    names = {tool.name for tool in tools}
    own = [item for item in special if item.tool in names]
    why = (doc.Rows(("tool", "reason"), tuple((item.tool, item.reason) for item in own)),) if own else ()
    summary = doc.Words((doc.Name(name, colour), doc.Muted(counted(len(tools), "tool"))))
    return doc.Fold(summary, (doc.Paragraph(tool_chips(tools)), *why), is_open=name == NOBODY)


def to_mermaid(partition: Partition) -> str:
    """Write owners and their families as a mermaid flow chart."""
    lines = ["flowchart LR"]
    for place, (name, tools) in enumerate(_groups(partition)):
        lines.append(f'  o{place}["{label(name)}"]')
        for number, (family, amount) in enumerate(count_families(tools).items()):
            lines.append(f'  o{place} --> o{place}f{number}["{label(family)}: {amount}"]')
    return "\n".join(lines)


RENDERER = Renderer(line, document, to_mermaid)
