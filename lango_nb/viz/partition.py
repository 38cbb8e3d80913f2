"""Who owns which tool: agents and families with counts, what nobody owns, and every tool with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lango_nb.routing.partition import Assignment, Partition
from lango_nb.tools.tool import Tool
from lango_nb.viz import html, text
from lango_nb.viz.agents import chips_legend, tool_chips
from lango_nb.viz.colours import BAD, ROOT, agent_colours
from lango_nb.viz.escape import count, esc
from lango_nb.viz.families import count_families, family_line, family_of
from lango_nb.viz.mermaid import label
from lango_nb.viz.renderer import Renderer

NOBODY, EVERYBODY, WITH_ROOT = "nobody", "everybody", "root only"
_MOST_FAMILIES = 60
_BY_NAME = "°"
_LETTERS = 11
"""Letters that fit the width of a column."""


def _groups(partition: Partition) -> list[tuple[str, tuple[Tool, ...]]]:
    """List owners with their tools: agents that own some, in the order of the roster, then what no agent owns."""
    rest = [(EVERYBODY, partition.universal), (WITH_ROOT, partition.dropped), (NOBODY, partition.unmatched)]
    return [(name, tools) for name, tools in (*partition.owned.items(), *rest) if tools]


def _idle(partition: Partition) -> list[str]:
    """Name the agents of the roster that own no tool."""
    return [name for name, tools in partition.owned.items() if not tools]


def _facts(partition: Partition) -> list[str]:
    return [
        count(len(partition), "tool"),
        count(len(partition.owned), "agent"),
        count(len({family_of(tool) for tool in partition.tools}), "family", "families"),
        f"{len(partition.unmatched):,} owned by nobody",
    ]


def _families(partition: Partition) -> list[str]:
    """List families so that those of one owner stand together."""
    return list(dict.fromkeys(family_of(tool) for _, tools in _groups(partition) for tool in tools))


def line(partition: Partition) -> str:
    """Write the partition in one line."""
    return ", ".join(_facts(partition))


def _is_plain(assignment: Assignment) -> bool:
    return assignment.rule in {"prefix", "universal", "dropped", "unmatched", "single"} and not assignment.also


def to_text(partition: Partition) -> str:
    """List owners with their families, then every tool, then what needs a word of explanation."""
    groups = _groups(partition)
    lines = [text.facts(["partition", *_facts(partition)]), ""]
    lines.append(
        text.table(
            ["owner", "tools", "families"],
            [[name, f"{len(tools):,}", family_line(tools)] for name, tools in groups],
            "<><",
        )
    )
    lines.append("")
    for name, tools in groups:
        names = [tool.name + (_BY_NAME if tool.is_by_name else "") for tool in tools]
        lines += [f"{name}:", text.listing(names, "  ")]
    if idle := _idle(partition):
        lines += ["", "no tool is theirs:", text.listing(idle, "  ")]
    if any(tool.is_by_name for tool in partition.tools):
        lines += ["", f"{_BY_NAME} known by name only: can be routed, not run"]
    special = [item for item in partition.assignments if not _is_plain(item)]
    if special:
        lines += ["", text.table(["tool", "owner", "why"], [[s.tool, s.agent or NOBODY, s.reason] for s in special])]
    if len(partition.order) > 1:
        lines += ["", "asked in this order:", text.listing(partition.order, "  ")]
    return "\n".join(lines)


def to_html(partition: Partition) -> str:
    """Draw families against owners, with every owner's tools folded under it."""
    groups = _groups(partition)
    colours = {**agent_colours(partition.owned), EVERYBODY: ROOT, WITH_ROOT: ROOT, NOBODY: BAD}
    reasons = {item.tool: item for item in partition.assignments}
    return html.view(
        html.header("Partition", _facts(partition)),
        _matrix(partition, groups, colours),
        html.fields(
            [
                ("asked in this order", esc(" → ".join(partition.order)) if len(partition.order) > 1 else ""),
                ("no tool is theirs", esc(", ".join(_idle(partition)))),
            ]
        ),
        html.heading("Tools by owner"),
        *(_owner(name, tools, colours[name], reasons) for name, tools in groups),
        chips_legend(partition.tools),
    )


def _matrix(partition: Partition, groups: Sequence[tuple[str, tuple[Tool, ...]]], colours: Mapping[str, str]) -> str:
    families = _families(partition)
    if not families:
        return html.note("there are no tools to share out")
    owners = [name for name, _ in groups]
    counts = [count_families(tools) for _, tools in groups]
    head = html.th("family", **{**_NAME, "vertical_align": "bottom"}) + "".join(
        html.th(_breakable(name), **_HEAD, border_bottom=f"3px solid {colours[name]}") for name in owners
    )
    rows = [
        html.td(esc(family), **_NAME)
        + "".join(_cell(found[family], colours[name]) for name, found in zip(owners, counts, strict=True))
        + html.td(f"{sum(found[family] for found in counts):,}", **_NUMBER, opacity=html.MUTED)
        for family in families[:_MOST_FAMILIES]
    ]
    sums = [len(tools) for _, tools in groups]
    rows.append(
        html.td("all", **_NAME, font_weight="600")
        + "".join(html.td(f"{n:,}", **_NUMBER, font_weight="600") for n in (*sums, sum(sums)))
    )
    hidden = len(families) - _MOST_FAMILIES
    rest = html.note(f"and {count(hidden, 'family', 'families')} more; the frame has them all") if hidden > 0 else ""
    return html.table(head + html.th("all", **_HEAD), rows, font_size=html.SMALL) + rest


_NAME = {"vertical_align": "middle", "padding": "1px 12px 1px 0", "max_width": "220px"}
_NUMBER = {"text_align": "center", "vertical_align": "middle", "padding": "1px 3px", "min_width": "30px"}
_HEAD = {**_NUMBER, "vertical_align": "bottom", "max_width": "92px"}


def _breakable(name: str) -> str:
    """Let a long name break where its parts end, and anywhere when a part is long."""
    made: list[str] = []
    run = 0
    for char in name:
        run = 0 if char in "-_." else run + 1
        made.append(esc(char))
        if run in {0, _LETTERS}:
            made.append("<wbr>")
            run = 0
    return "".join(made)


def _cell(number: int, colour: str) -> str:
    if not number:
        return html.tag("td", "", padding="0", border="0")
    filled = html.span(
        f"{number:,}",
        display="inline-block",
        min_width="26px",
        padding="0 4px",
        border_radius="4px",
        background=colour,
        color="#ffffff",
        font_weight="600",
        line_height="18px",
    )
    return html.td(filled, **_NUMBER)


def _owner(name: str, tools: tuple[Tool, ...], colour: str, reasons: Mapping[str, Assignment]) -> str:
    summary = f"{html.named(name, colour)} &nbsp;{html.muted(count(len(tools), 'tool'))}"
    if not tools:
        return html.div(summary, margin="2px 0", padding_left="14px")
    special = [reasons[tool.name] for tool in tools if not _is_plain(reasons[tool.name])]
    why = html.listing(["tool", "why"], [[esc(item.tool), esc(item.reason)] for item in special]) if special else ""
    return html.details(summary, tool_chips(tools) + why, is_open=name == NOBODY)


def to_mermaid(partition: Partition) -> str:
    """Write owners and their families as a mermaid flow chart."""
    lines = ["flowchart LR"]
    for place, (name, tools) in enumerate(_groups(partition)):
        lines.append(f'  o{place}["{label(name)}"]')
        for number, (family, amount) in enumerate(count_families(tools).items()):
            lines.append(f'  o{place} --> o{place}f{number}["{label(family)}: {amount}"]')
    return "\n".join(lines)


RENDERER = Renderer(line, to_text, to_html, to_mermaid)
