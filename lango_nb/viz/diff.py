"""What changes between two trees: tools that move, agents that come and go, prompts that read differently."""

from __future__ import annotations

from collections.abc import Callable

from lango_nb.routing.diff import PromptChange, ToolChange, TreeDiff
from lango_nb.viz import html, text
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN, agent_colours
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.renderer import Renderer

_NOBODY = "nobody"
_ABSENT = "-"
_CHANGES = {"moved": ROOT, "rule": WARN, "added": GOOD, "removed": BAD}
_LINES = {"+": "rgba(47,125,70,.22)", "-": "rgba(179,38,30,.20)", "@": "rgba(127,127,127,.18)"}


def _names(diff: TreeDiff) -> str:
    return f"{one_line(diff.first, 64)} → {one_line(diff.second, 64)}"


def _facts(diff: TreeDiff) -> list[str]:
    if diff.is_empty:
        return ["no difference"]
    kinds: list[tuple[int, Callable[[int], str]]] = [
        (sum(c.change == "moved" for c in diff.tools), lambda n: f"{count(n, 'tool')} moved"),
        (sum(c.change == "rule" for c in diff.tools), lambda n: f"{count(n, 'tool')} stay for another reason"),
        (sum(c.change == "added" for c in diff.tools), lambda n: f"{count(n, 'tool')} added"),
        (sum(c.change == "removed" for c in diff.tools), lambda n: f"{count(n, 'tool')} removed"),
        (len(diff.appeared), lambda n: f"{count(n, 'agent')} appeared"),
        (len(diff.vanished), lambda n: f"{count(n, 'agent')} vanished"),
        (len(diff.prompts), lambda n: f"{count(n, 'prompt')} changed"),
    ]
    return [write(number) for number, write in kinds if number]


def _why(change: ToolChange) -> str:
    if change.rule_before and change.rule_after and change.rule_before != change.rule_after:
        return f"before: {change.rule_before}; now: {change.rule_after}"
    return change.rule_after or f"before: {change.rule_before}"


def _places(change: ToolChange) -> tuple[str, str]:
    return (
        _ABSENT if change.change == "added" else change.before or _NOBODY,
        _ABSENT if change.change == "removed" else change.after or _NOBODY,
    )


def _groups(diff: TreeDiff) -> list[tuple[ToolChange, list[str]]]:
    """Put tools together that changed in the same way for the same reason, in the order of first appearance."""
    groups: dict[tuple[str, str, str, str], tuple[ToolChange, list[str]]] = {}
    for change in diff.tools:
        key = (change.change, *_places(change), _why(change))
        groups.setdefault(key, (change, []))[1].append(change.tool)
    return list(groups.values())


def line(diff: TreeDiff) -> str:
    """Write the difference in one line."""
    return f"{_names(diff)}: {', '.join(_facts(diff))}"


def to_text(diff: TreeDiff) -> str:
    """List everything that differs; prompts as unified diffs."""
    lines = [text.facts([_names(diff), *_facts(diff)])]
    if diff.appeared:
        lines += ["", "appeared:", text.listing(diff.appeared, "  ")]
    if diff.vanished:
        lines += ["", "vanished:", text.listing(diff.vanished, "  ")]
    if diff.tools:
        rows = [[", ".join(tools), c.change, *_places(c), _why(c)] for c, tools in _groups(diff)]
        lines += ["", text.table(["tools", "change", "from", "to", "why"], rows)]
    for change in diff.prompts:
        lines += ["", f"prompt of {change.agent}: {_lines(change)}", text.indent(_wrapped(change.text), "  ")]
    return "\n".join(lines)


def _lines(change: PromptChange) -> str:
    return f"{count(change.added, 'line')} more, {change.removed:,} fewer"


def _wrapped(said: str) -> str:
    return "\n".join(part for row in said.split("\n") for part in text.wrap(row, text.WIDTH - 2))


def to_html(diff: TreeDiff) -> str:
    """Show moved tools in a table and changed prompts folded."""
    names = [name for c in diff.tools for name in (c.before, c.after) if name]
    colours = {**agent_colours(names), _NOBODY: BAD, _ABSENT: ROOT}
    rows = [
        [
            html.chips(tools),
            html.badge(c.change, _CHANGES[c.change]),
            *(esc(place) if place == _ABSENT else html.named(place, colours[place]) for place in _places(c)),
            esc(_why(c)),
        ]
        for c, tools in _groups(diff)
    ]
    agents = [
        ("appeared", " ".join(html.badge(f"+ {name}", GOOD) for name in diff.appeared)),
        ("vanished", " ".join(html.badge(f"- {name}", BAD) for name in diff.vanished)),
    ]
    widths = ["36%", "90px", "13%", "13%", "auto"]
    return html.view(
        html.header(_names(diff), _facts(diff)),
        html.fields(agents),
        html.heading("Tools") + html.listing(["tools", "change", "from", "to", "why"], rows, "", widths)
        if rows
        else "",
        html.heading("Prompts") if diff.prompts else "",
        *(html.details(f"{esc(c.agent)} &nbsp;{html.muted(_lines(c))}", _prompt(c.text)) for c in diff.prompts),
    )


def _prompt(said: str) -> str:
    return html.code_lines((row, _LINES.get(row[:1], "transparent")) for row in said.split("\n"))


RENDERER = Renderer(line, to_text, to_html)
