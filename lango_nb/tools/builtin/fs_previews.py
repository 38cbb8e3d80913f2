"""What ``fs_write``, ``fs_edit`` and ``fs_delete`` would do, read when somebody is asked whether they may."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import chain, islice, starmap
from typing import Any

from lango_nb.core.errors import ToolError
from lango_nb.core.text import counted
from lango_nb.tools.builtin.files import (
    count_below,
    encode,
    kind_of,
    lines_of,
    read_text,
    replace_lines,
    writable_mode,
)
from lango_nb.tools.builtin.paths import NOT_FOUND, Place, reach, refuse_workspace
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Preview

MOST_COMPARED = 2000
"""Lines of a file that are compared: the time that takes grows with their square."""
MOST_SHOWN = 40
"""Lines of a difference that are shown; the rest is counted."""
LONGEST_LINE = 200
"""Characters of such a line that are shown."""


def preview_write(arguments: Mapping[str, Any], context: ToolContext) -> Preview:
    """Say whether a file is made or replaced, and by what."""
    content = arguments["content"]
    new = lines_of(content)
    size = counted(len(new), "line")
    encode(content)
    try:
        with reach(context, arguments["path"]) as place:
            if writable_mode(place, arguments["path"]) is None:
                return Preview(f"creates {place.shown} ({size})")
            old = _text_at(place, context)
    except ToolError as error:
        if error.code != NOT_FOUND:
            raise
        return Preview(f"creates {arguments['path']} and the folders above it ({size})")
    if old is None:
        return Preview(f"replaces {place.shown} ({counted(place.status.st_size, 'byte')}, no text) with {size}")
    if old == new:
        return Preview(f"leaves {place.shown} as it is ({size})")
    return Preview(f"replaces {counted(len(old), 'line')} of {place.shown} with {size}", _difference(place, old, new))


def preview_edit(arguments: Mapping[str, Any], context: ToolContext) -> Preview:
    """Show the lines that are replaced."""
    start, end = arguments["startLine"], arguments["endLine"]
    with reach(context, arguments["path"]) as place:
        old = lines_of(read_text(place, context))
    new = list(old)
    came = replace_lines(place, new, start, end, arguments["content"])
    lines = f"line {start}" if start == end else f"lines {start}-{end}"
    if not came:
        return Preview(f"deletes {lines} of {place.shown}", _difference(place, old, new))
    by = "" if len(came) == end - start + 1 else f" with {counted(len(came), 'line')}"
    return Preview(f"replaces {lines} of {place.shown}{by}", _difference(place, old, new))


def preview_delete(arguments: Mapping[str, Any], context: ToolContext) -> Preview:
    """Say what is deleted, and how much it holds."""
    with reach(context, arguments["path"], is_link=True) as place:
        refuse_workspace(place)
        mode = place.status.st_mode
        if stat.S_ISDIR(mode):
            return Preview(f"deletes {place.shown}/ with {counted(count_below(place), 'entry')}")
        if not stat.S_ISREG(mode):
            return Preview(f"deletes {place.shown}, a {kind_of(mode)}")
        lines = _text_at(place, context)
        size = counted(place.status.st_size, "byte") if lines is None else counted(len(lines), "line")
        return Preview(f"deletes {place.shown}, {size}")


def _text_at(place: Place, context: ToolContext) -> list[str] | None:
    """Read the lines of a file; ``None`` for one that is not text, or too large."""
    try:
        return lines_of(read_text(place, context))
    except ToolError as error:
        if error.code in {"binary_file", "too_large"}:
            return None
        raise


def _difference(place: Place, old: Sequence[str], new: Sequence[str]) -> str:
    return difference((place.shown, old, new))


def difference(*files: tuple[str, Sequence[str], Sequence[str]]) -> str:
    """Write what changes as a short unified diff.

    Parameters
    ----------
    *files : tuple of str, lines and lines
        Name, the lines it has now, the lines it would have.
    """
    changes = chain.from_iterable(starmap(_changes, files))
    shown = list(islice(changes, MOST_SHOWN))
    rest = sum(1 for _ in changes)
    return "\n".join([*shown, *([f"… and {counted(rest, 'more line')}"] if rest else [])])


def _changes(name: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if max(len(old), len(new)) > MOST_COMPARED:
        yield f"({name} has more than {MOST_COMPARED:,} lines: not compared)"
        return
    for line in unified_diff(old, new, f"{name} now", f"{name} then", n=1):
        written = line.rstrip("\r\n")
        yield written if len(written) <= LONGEST_LINE else f"{written[:LONGEST_LINE]}…"
