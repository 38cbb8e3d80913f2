"""File tools: ``fs_read``, ``fs_list``, ``fs_write``, ``fs_edit``, ``fs_mkdir``, ``fs_delete``, ``fs_stat``.

They work on real files and never leave the workspace: all is done through the handle of the folder a path ends in (see
``paths.py``). A file is written beside its place and then moved there, so that nobody ever sees half of it.
"""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from operator import itemgetter

from lango_nb.core.errors import ToolError
from lango_nb.core.text import counted
from lango_nb.tools.builtin.files import (
    count_below,
    encode,
    entries_of,
    entry_line,
    kind_of,
    lines_of,
    read_part,
    read_text,
    replace_file,
    replace_lines,
    size_of,
    writable_mode,
    write_whole,
)
from lango_nb.tools.builtin.fs_previews import preview_delete, preview_edit, preview_write
from lango_nb.tools.builtin.paths import Place, reach, refuse_workspace
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import ToolResult

MAX_LISTED = 1000
"""Entries of a folder that are shown."""


@tool(safety="safe", source="builtin")
def fs_read(path: str, offset: int | None = None, limit: int | None = None, *, context: ToolContext) -> ToolResult:
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
    return read_part(path, offset, limit, context, "fs_list")


@tool(safety="safe", source="builtin")
def fs_list(path: str, *, context: ToolContext) -> ToolResult:
    """List what a folder of the workspace holds: folders end in "/", files have their size.

    Parameters
    ----------
    path : str
        Folder, relative to the workspace; "." is the workspace itself.
    """
    with reach(context, path) as place:
        if not stat.S_ISDIR(place.status.st_mode):
            raise ToolError(f"{place.shown} is not a folder; read it with fs_read")
        entries = sorted(entries_of(place), key=itemgetter(0))
    if not entries:
        return ToolResult(f"{_folder(place)} is empty", data=[])
    shown = entries[:MAX_LISTED]
    lines = [entry_line(*entry) for entry in shown]
    if len(entries) > MAX_LISTED:
        lines.append(f"[{MAX_LISTED} of {len(entries)} entries]")
    return ToolResult(
        "\n".join(lines), data=[{"name": name, "kind": kind, "bytes": size} for name, kind, size in shown]
    )


@tool(safety="dangerous", source="builtin", preview=preview_write)
def fs_write(path: str, content: str, *, context: ToolContext) -> ToolResult:
    """Write a text file of the workspace; what was in it is gone. Missing folders are made.

    Parameters
    ----------
    path : str
        File, relative to the workspace.
    content : str
        Everything the file is to hold.
    """
    return write_whole(path, content, context)


@tool(safety="dangerous", source="builtin", preview=preview_edit)
def fs_edit(path: str, startLine: int, endLine: int, content: str, *, context: ToolContext) -> ToolResult:  # noqa: N803 - the names models know
    """Replace a range of lines of a text file of the workspace.

    Parameters
    ----------
    path : str
        File, relative to the workspace.
    startLine : int
        First line to replace, counted from 1.
    endLine : int
        Last line to replace.
    content : str
        What stands there afterwards, any number of lines; empty takes the lines out.
    """
    with reach(context, path) as place:
        lines = lines_of(read_text(place, context))
        new = replace_lines(place, lines, startLine, endLine, content)
        replace_file(place, encode("".join(lines)), writable_mode(place, path))
    gone = endLine - startLine + 1
    return ToolResult(
        f"replaced {counted(gone, 'line')} of {place.shown} from line {startLine} by {counted(len(new), 'line')}",
        data={"path": place.shown, "removed": gone, "added": len(new), "lines": len(lines)},
    )


@tool(safety="moderate", source="builtin")
def fs_mkdir(path: str, *, context: ToolContext) -> ToolResult:
    """Make a folder in the workspace, and those above it that are missing.

    Parameters
    ----------
    path : str
        Folder, relative to the workspace.
    """
    with reach(context, path, makes_folders=True) as place:
        is_new = not place.is_folder
        if is_new:
            os.mkdir(place.entry, dir_fd=place.folder)
    said = f"made {_folder(place)}" if is_new else f"{_folder(place)} is there already"
    return ToolResult(said, data={"path": place.shown, "is_new": is_new})


@tool(safety="dangerous", source="builtin", preview=preview_delete)
def fs_delete(path: str, *, context: ToolContext) -> ToolResult:
    """Delete a file of the workspace, or a folder with everything in it. Of a link only the link goes.

    Parameters
    ----------
    path : str
        File or folder, relative to the workspace.
    """
    import shutil

    with reach(context, path, is_link=True) as place:
        refuse_workspace(place)
        if not stat.S_ISDIR(place.status.st_mode):
            os.unlink(place.entry, dir_fd=place.folder)
            return ToolResult(f"deleted {place.shown}", data={"path": place.shown, "entries": 1})
        inside = count_below(place)
        shutil.rmtree(place.entry, dir_fd=place.folder)
    return ToolResult(
        f"deleted {place.shown}/ with {counted(inside, 'entry')}", data={"path": place.shown, "entries": inside + 1}
    )


@tool(safety="safe", source="builtin")
def fs_stat(path: str, *, context: ToolContext) -> ToolResult:
    """Show kind, size, permissions and time of change of a file or folder, without reading it.

    Parameters
    ----------
    path : str
        File or folder, relative to the workspace.
    """
    with reach(context, path) as place:
        found = place.status
    kind = kind_of(found.st_mode)
    changed = datetime.fromtimestamp(found.st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    mode = stat.filemode(found.st_mode)
    size = size_of(found)
    told = "" if size is None else f", {counted(size, 'byte')}"
    return ToolResult(
        f"{place.shown}: {kind}{told}, {mode}, changed {changed}",
        data={"path": place.shown, "kind": kind, "bytes": size, "mode": mode, "changed_at": changed},
    )


def _folder(place: Place) -> str:
    return f"{place.shown}/"
