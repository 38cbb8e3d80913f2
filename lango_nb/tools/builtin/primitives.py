"""Primitives of a genome: ``read_file``, ``write_file``, ``edit_file``, ``apply_patch``, ``grep``, ``glob``, ``fetch``.

Its agents know tools by these names. They stand on what the other tools stand on: the same walls of the workspace,
the same files out of reach, the same questions before something is changed. The eighth, ``exec``, is the same tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lango_nb.core.json_value import JsonValue
from lango_nb.core.text import counted
from lango_nb.tools.builtin.changes import FileChange, carry_out, plan_patch
from lango_nb.tools.builtin.edits import Replaced, replace_text
from lango_nb.tools.builtin.files import (
    encode,
    lines_of,
    read_part,
    read_text,
    replace_file,
    writable_mode,
    write_whole,
)
from lango_nb.tools.builtin.fs_previews import difference, preview_write
from lango_nb.tools.builtin.paths import Place, reach
from lango_nb.tools.builtin.searches import find_lines, find_places
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Preview, ToolResult

_MOST_NAMED = 3
"""Files that a preview names; more are counted."""


@tool(safety="safe", family="fs", source="builtin")
def read_file(path: str, offset: int | None = None, limit: int | None = None, *, context: ToolContext) -> ToolResult:
    """Read a text file of the workspace, whole or some of its lines.

    Parameters
    ----------
    path : str
        File, relative to the workspace.
    offset : int, optional
        First line to read, counted from 1.
    limit : int, optional
        How many lines to read at most.
    """
    return read_part(path, offset, limit, context, "glob")


@tool(safety="dangerous", family="fs", source="builtin", preview=preview_write)
def write_file(path: str, content: str, *, context: ToolContext) -> ToolResult:
    """Write a text file of the workspace; what was in it is gone. Missing folders are made.

    Parameters
    ----------
    path : str
        File, relative to the workspace.
    content : str
        Everything the file is to hold.
    """
    return write_whole(path, content, context)


def _edited(arguments: Mapping[str, Any], place: Place, context: ToolContext) -> tuple[str, Replaced]:
    """Return the text of a file before and after an edit."""
    old = read_text(place, context, "glob")
    wanted, new = arguments["old_string"], arguments["new_string"]
    return old, replace_text(place.shown, old, wanted, new, is_every=arguments.get("replace_all", False))


def _preview_edit(arguments: Mapping[str, Any], context: ToolContext) -> Preview:
    """Show what an edit replaces."""
    with reach(context, arguments["path"]) as place:
        old, done = _edited(arguments, place, context)
        writable_mode(place, arguments["path"])
    encode(done.text)
    summary = f"replaces {counted(done.places, 'place')} of {place.shown} ({done.lines})"
    return Preview(summary, difference((place.shown, lines_of(old), lines_of(done.text))))


@tool(safety="dangerous", family="fs", source="builtin", preview=_preview_edit)
def edit_file(
    path: str, old_string: str, new_string: str, replace_all: bool = False, *, context: ToolContext
) -> ToolResult:
    """Replace a text in a file of the workspace; it has to occur exactly once, unless replace_all is set.

    Parameters
    ----------
    path : str
        File, relative to the workspace.
    old_string : str
        Text to replace, as it stands in the file, with as many of the lines around it as it takes.
    new_string : str
        What stands there afterwards; empty takes the text out.
    replace_all : bool
        Whether every place is meant.
    """
    given = {"old_string": old_string, "new_string": new_string, "replace_all": replace_all}
    with reach(context, path) as place:
        _, done = _edited(given, place, context)
        replace_file(place, encode(done.text), writable_mode(place, path))
    return ToolResult(
        f"replaced {counted(done.places, 'place')} of {place.shown} ({done.lines})",
        data={"path": place.shown, "places": done.places},
    )


def _preview_patch(arguments: Mapping[str, Any], context: ToolContext) -> Preview:
    """Show what a patch changes."""
    planned = plan_patch(arguments["patch"], context)
    named = [_planned(one) for one in planned[:_MOST_NAMED]]
    rest = len(planned) - len(named)
    summary = ", ".join([*named, *([counted(rest, "more file")] if rest else [])])
    texts = [one for one in planned if one.kind != "delete"]
    return Preview(
        summary, difference(*((one.move_shown or one.shown, lines_of(one.old), lines_of(one.new)) for one in texts))
    )


def _planned(one: FileChange) -> str:
    """Say what would be done to a file."""
    match one.kind:
        case "add":
            return f"adds {one.shown}"
        case "delete":
            return f"deletes {one.shown}"
    return f"moves {one.shown} to {one.move_shown}" if one.move_to else f"updates {one.shown}"


@tool(safety="dangerous", family="fs", source="builtin", preview=_preview_patch)
def apply_patch(patch: str, *, context: ToolContext) -> ToolResult:
    """Change several files of the workspace with one patch: all of it is done, or nothing.

    Parameters
    ----------
    patch : str
        From "*** Begin Patch" to "*** End Patch". In between "*** Add File: NAME" with lines that begin with "+",
        "*** Delete File: NAME", or "*** Update File: NAME", perhaps "*** Move to: NAME", then for each place "@@" and
        its lines: " " before those that stay, "-" before those that go, "+" before those that come.
    """
    planned = plan_patch(patch, context)
    left = carry_out(planned, context)
    lines = [one.sentence() for one in planned]
    lines += [f"[a former file could not be removed: {name}]" for name in left]
    data: JsonValue = [
        {"path": one.shown, "kind": "move" if one.move_to else one.kind, "to": one.move_shown or None}
        for one in planned
    ]
    return ToolResult("\n".join(lines), data=data)


@tool(safety="safe", family="fs", source="builtin")
def grep(
    pattern: str, path: str = ".", glob_filter: str = "", max_results: int = 100, *, context: ToolContext
) -> ToolResult:
    """Find the lines of text files that match a regular expression: "path:line: text", sorted by path.

    Parameters
    ----------
    pattern : str
        Regular expression of Python; each line is searched by itself.
    path : str
        Folder or file, relative to the workspace.
    glob_filter : str
        Files to search: "*.py" in any folder, "docs/*.md" from path on.
    max_results : int
        How many lines to return at most.
    """
    return find_lines(pattern, path, glob_filter, max_results, context)


@tool(safety="safe", family="fs", source="builtin")
def glob(pattern: str, path: str = ".", *, context: ToolContext) -> ToolResult:
    """List files and folders by a pattern of names: folders end in "/", files have their size. "*" is a whole folder.

    Parameters
    ----------
    pattern : str
        From path on: "*" and "?" within a name, "**" for any folders, as in "**/*.md". Names that begin with a dot
        are found only where the pattern has the dot.
    path : str
        Folder, relative to the workspace.
    """
    return find_places(pattern, path, context)


def _preview_fetch(arguments: Mapping[str, Any], context: ToolContext) -> str:
    """Say where a request would go."""
    from lango_nb.tools.builtin.web import preview_fetch

    return preview_fetch(arguments, context)


@tool(safety="dangerous", family="web", source="builtin", preview=_preview_fetch)
async def fetch(
    url: str, method: str = "GET", headers: dict[str, str] | None = None, body: str = "", *, context: ToolContext
) -> ToolResult:
    """Send one request over HTTP and return status, kind and text of the answer.

    Parameters
    ----------
    url : str
        Address that begins with http:// or https://.
    method : str
        GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.
    headers : dict, optional
        Headers by name.
    body : str
        What is sent.
    """
    from lango_nb.tools.builtin.web import fetch_url

    return await fetch_url(url, method, headers or {}, body, context)
