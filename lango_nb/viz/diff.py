"""What changes between two trees: tools that move, agents that come and go, prompts that read differently."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lango_nb.core.text import counted
from lango_nb.evaluation.flips import Flip
from lango_nb.routing.diff import PromptChange, ToolChange, TreeDiff
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN, agent_colours
from lango_nb.viz.escape import one_line

_NOBODY = "nobody"
_ABSENT = "-"
_CHANGES = {"moved": ROOT, "rule": WARN, "added": GOOD, "removed": BAD}
_HEADS = ("tools", "change", "before", "after", "why")
_FLIP_HEADS = ("request", "before", "after", "belongs to")
_FLIPS = 8
"""Requests that flip which are shown."""
_WIDTHS = ("auto", "80px", "112px", "112px", "auto")


def _names(diff: TreeDiff) -> str:
    return f"{one_line(diff.first, 64)} → {one_line(diff.second, 64)}"


def _facts(diff: TreeDiff) -> list[str]:
    if diff.is_empty:
        return ["no difference"]
    kinds: list[tuple[int, Callable[[int], str]]] = [
        (sum(c.change == "moved" for c in diff.tools), lambda n: f"{counted(n, 'tool')} moved"),
        (sum(c.change == "rule" for c in diff.tools), lambda n: f"{counted(n, 'tool')} stay for another reason"),
        (sum(c.change == "added" for c in diff.tools), lambda n: f"{counted(n, 'tool')} added"),
        (sum(c.change == "removed" for c in diff.tools), lambda n: f"{counted(n, 'tool')} removed"),
        (len(diff.appeared), lambda n: f"{counted(n, 'agent')} appeared"),
        (len(diff.vanished), lambda n: f"{counted(n, 'agent')} vanished"),
        (len(diff.prompts), lambda n: f"{counted(n, 'prompt')} changed"),
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


def document(diff: TreeDiff) -> doc.Document:
    """Write everything that differs; a page folds what prompts say."""
    fields = (("appeared", _agents(diff.appeared, "+", GOOD)), ("vanished", _agents(diff.vanished, "-", BAD)))
    return (
        doc.Title(_names(diff), _facts(diff)),
        doc.GAP,
        doc.Fields(fields, "stacked"),
        *_tools(diff),
        doc.Heading("Prompts") if diff.prompts else doc.GAP,
        *(block for change in diff.prompts for block in (doc.GAP, _prompt(change))),
        doc.GAP,
        *(doc.Note(said) for said in diff.remarks),
    )


def effect_blocks(diff: TreeDiff, flips: Sequence[Flip], asked: str) -> doc.Document:
    """Write in short what a change of a tree does: which tools move, who comes and goes, which requests flip.

    Parameters
    ----------
    diff : TreeDiff
    flips : sequence of Flip
        Labelled requests that go to somebody else.
    asked : str
        How many requests were looked at, in words.
    """
    fields = (("appeared", _agents(diff.appeared, "+", GOOD)), ("vanished", _agents(diff.vanished, "-", BAD)))
    right = sum(flip.is_right for flip in flips)
    said = f"{counted(len(flips), 'request')} of {asked} go to somebody else, {right:,} of them where they belong"
    shown = tuple((one_line(one.text, 120), one.before, one.after, one.right or _NOBODY) for one in flips[:_FLIPS])
    more = len(flips) - len(shown)
    return (
        doc.Facts(_facts(diff)),
        doc.Fields(fields),
        *_tools(diff),
        doc.GAP,
        doc.Paragraph(said if flips else f"no request of {asked} goes to somebody else"),
        *((doc.Rows(_FLIP_HEADS, shown),) if flips else ()),
        doc.Note(f"and {more:,} more" if more > 0 else ""),
        *(doc.Note(remark) for remark in diff.remarks),
    )


def _agents(names: Sequence[str], sign: str, colour: str) -> doc.Inline:
    badges = tuple(doc.Badge(f"{sign} {name}", colour) for name in names)
    return doc.Either(", ".join(names), doc.Words(badges))


def _tools(diff: TreeDiff) -> doc.Document:
    if not diff.tools:
        return ()
    names = [name for c in diff.tools for name in (c.before, c.after) if name]
    colours = {**agent_colours(names), _NOBODY: BAD, _ABSENT: ROOT}
    rows = tuple(
        (
            doc.Chips.of(tools),
            doc.Badge(change.change, _CHANGES[change.change]),
            *(place if place == _ABSENT else doc.Name(place, colours[place]) for place in _places(change)),
            _why(change),
        )
        for change, tools in _groups(diff)
    )
    return (doc.Heading("Tools"), doc.GAP, doc.Rows(_HEADS, rows, "", _WIDTHS))


def _prompt(change: PromptChange) -> doc.Block:
    summary = ("prompt of ", doc.Strong(change.agent), ": ", doc.Muted(_lines(change)))
    return doc.Fold(summary, (doc.Difference(change.text),), plain="titled")


def _lines(change: PromptChange) -> str:
    return f"{counted(change.added, 'line')} more, {change.removed:,} fewer"


RENDERER = Renderer(line, document)
