"""Who owns which tool: agents and families with counts, what nobody owns, and every tool with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def _groups(partition: Partition) -> list[tuple[str, tuple[Tool, ...]]]:
    """List owners with their tools: the roster, then what no agent owns."""
    rest = [(EVERYBODY, partition.universal), (WITH_ROOT, partition.dropped), (NOBODY, partition.unmatched)]
    return [*partition.owned.items(), *((name, tools) for name, tools in rest if tools)]


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
    lines = ["partition · " + " · ".join(_facts(partition)), ""]
    lines.append(
        text.table(
            ["owner", "tools", "families"],
            [[name, f"{len(tools):,}", family_line(tools)] for name, tools in groups],
            "<><",
        )
    )
    lines.append("")
    for name, tools in groups:
        if tools:
            names = [tool.name + (_BY_NAME if tool.is_by_name else "") for tool in tools]
            lines += [f"{name}:", text.listing(names, "  ")]
    if any(tool.is_by_name for tool in partition.tools):
        lines += ["", f"{_BY_NAME} known by name only: can be routed, not run"]
    special = [item for item in partition.assignments if not _is_plain(item)]
    if special:
        lines += ["", text.table(["tool", "owner", "why"], [[s.tool, s.agent or NOBODY, s.reason] for s in special])]
    if partition.order:
        lines += ["", "asked in this order:", text.listing(partition.order, "  ")]
    return "\n".join(lines)


def to_html(partition: Partition) -> str:
    """Draw families against owners, with every owner's tools folded under it."""
    groups = _groups(partition)
    colours = {**agent_colours(partition.owned), EVERYBODY: ROOT, WITH_ROOT: ROOT, NOBODY: BAD}
    reasons = {item.tool: item for item in partition.assignments}
    order = html.fields([("asked in this order", esc(" → ".join(partition.order)))]) if partition.order else ""
    return html.view(
        html.header("Partition", _facts(partition)),
        _matrix(partition, groups, colours),
        order,
        html.heading("Tools by owner"),
        *(_owner(name, tools, colours[name], reasons) for name, tools in groups),
        chips_legend(partition.tools),
    )


def _matrix(partition: Partition, groups: Sequence[tuple[str, tuple[Tool, ...]]], colours: dict[str, str]) -> str:
    families = _families(partition)
    if not families:
        return html.note("there are no tools to share out")
    totals = count_families(partition.tools)
    shown = families[:_MOST_FAMILIES]
    counts = {name: count_families(tools) for name, tools in groups}
    owners = [name for name, _ in groups]
    heads = "".join(_head(name, colours[name]) for name in owners)
    rows = [
        _row(family, [counts[name][family] for name in owners], [colours[name] for name in owners], totals[family])
        for family in shown
    ]
    hidden = len(families) - len(shown)
    sums = _sums([len(tools) for _, tools in groups], len(partition))
    table = (
        '<div style="max-width:100%;overflow-x:auto"><table style="border-collapse:collapse;border:0;margin:4px 0;'
        'font-size:12px;width:auto;table-layout:auto"><thead><tr style="background:transparent">'
        f'<th style="{html.CELL};font-weight:600">family</th>{heads}<th style="{_NUMBER};font-weight:600">all</th></tr></thead>'
        f"<tbody>{''.join(rows)}{sums}</tbody></table></div>"
    )
    return table + (
        html.note(f"and {count(hidden, 'family', 'families')} more; the frame has them all") if hidden else ""
    )


_NUMBER = (
    "text-align:center;vertical-align:middle;padding:1px 3px;border:0;line-height:1.4;min-width:30px;background:transparent;"
    "white-space:normal"
)


def _head(name: str, colour: str) -> str:
    style = f"{_NUMBER};vertical-align:bottom;font-weight:600;max-width:92px;overflow-wrap:break-word;border-bottom:3px solid {colour}"
    return f'<th style="{style}">{_breakable(name)}</th>'


def _breakable(name: str) -> str:
    """Let a long name break where its parts end, and anywhere when a part is long."""
    made, run = [], 0
    for char in name:
        made.append(esc(char))
        run = 0 if char in "-_." else run + 1
        if char in "-_." or run == 11:  # noqa: PLR2004 - letters that fit the width of a column
            made.append("<wbr>")
            run = 0
    return "".join(made)


def _row(family: str, numbers: Sequence[int], colours: Iterable[str], total: int) -> str:
    cells = "".join(_cell(number, colour) for number, colour in zip(numbers, colours, strict=True))
    name = f'<td style="{html.CELL};padding:1px 12px 1px 0;max-width:220px;border-bottom:1px solid {html.FAINT}">{esc(family)}</td>'
    return f'<tr style="background:transparent">{name}{cells}<td style="{_NUMBER};{html.MUTED}">{total:,}</td></tr>'


def _cell(number: int, colour: str) -> str:
    line = f"border-bottom:1px solid {html.FAINT}"
    if not number:
        return f'<td style="{_NUMBER};{line}"></td>'
    inner = html.tag(
        "span",
        f"display:inline-block;min-width:26px;padding:0 4px;border-radius:4px;background:{colour};color:#ffffff;"
        "font-weight:600;line-height:18px",
        f"{number:,}",
    )
    return f'<td style="{_NUMBER};{line}">{inner}</td>'


def _sums(numbers: Sequence[int], total: int) -> str:
    cells = "".join(f'<td style="{_NUMBER};font-weight:600">{number:,}</td>' for number in (*numbers, total))
    return f'<tr style="background:transparent"><td style="{html.CELL};padding:1px 12px 1px 0;font-weight:600">all</td>{cells}</tr>'


def _owner(name: str, tools: tuple[Tool, ...], colour: str, reasons: dict[str, Assignment]) -> str:
    summary = f"{html.named(name, colour)} &nbsp;{html.muted(count(len(tools), 'tool'))}"
    if not tools:
        return f'<div style="margin:2px 0;padding-left:15px">{summary}</div>'
    special = [reasons[tool.name] for tool in tools if not _is_plain(reasons[tool.name])]
    why = html.grid_table(["tool", "why"], [[esc(item.tool), esc(item.reason)] for item in special]) if special else ""
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
