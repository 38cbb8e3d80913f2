"""File tools: ``fs_read``, ``fs_list``, ``fs_write``, ``fs_edit``, ``fs_mkdir``, ``fs_delete``, ``fs_stat``.

They work on real files and never leave the workspace: all is done through the handle of the folder a path ends in (see
``paths.py``). A file is written beside its place and then moved there, so that nobody ever sees half of it.
"""

from __future__ import annotations

import io
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from operator import itemgetter

from pydantic import JsonValue

from lango_nb.core.errors import ToolError
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.builtin.paths import NO_FOLLOW, REFUSED, Place, is_closed, printable, reach, refuse_closed
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import ToolResult

MAX_READ_BYTES = 10 * 1024 * 1024
"""Size of the largest file that is read when ``limits`` does not say."""
MAX_LISTED = 1000
"""Entries of a folder that are shown."""

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not wait for its other end


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
    with reach(context, path) as place:
        lines = _lines(_read_text(place, context))
    first = max(offset or 1, 1)
    if first > max(len(lines), 1):
        raise ToolError(f"{place.shown} has {_count(len(lines), 'line')}; there is no line {first}", BAD_ARGUMENT)
    if limit is not None and limit < 1:
        raise ToolError(f"limit must be 1 or more, got {limit}", BAD_ARGUMENT)
    part = lines[first - 1 : None if limit is None else first - 1 + limit]
    last = first - 1 + len(part)
    data: JsonValue = {"path": place.shown, "first": first, "last": last, "lines": len(lines)}
    if not lines:
        return ToolResult(f"{place.shown} is empty", data=data)
    text = "".join(part)
    if len(part) < len(lines):
        text += "" if text.endswith(("\n", "\r")) else "\n"
        text += f"[lines {first}-{last} of {len(lines)}]"
    return ToolResult(text, data=data)


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
            raise ToolError(f"{place.shown} is no folder; read it with fs_read")
        entries = sorted(_entries(place), key=itemgetter(0))
    if not entries:
        return ToolResult(f"{_folder(place)} is empty", data=[])
    shown = entries[:MAX_LISTED]
    lines = [_entry_line(*entry) for entry in shown]
    if len(entries) > MAX_LISTED:
        lines.append(f"[{MAX_LISTED} of {len(entries)} entries]")
    return ToolResult(
        "\n".join(lines), data=[{"name": name, "kind": kind, "bytes": size} for name, kind, size in shown]
    )


@tool(safety="dangerous", source="builtin")
def fs_write(path: str, content: str, *, context: ToolContext) -> ToolResult:
    """Write a text file of the workspace; what was in it is gone. Missing folders are made.

    Parameters
    ----------
    path : str
        File, relative to the workspace.
    content : str
        Everything the file is to hold.
    """
    data = _encode(content)
    with reach(context, path, makes_folders=True) as place:
        if place.is_root or path.endswith("/"):
            raise ToolError(f"{_folder(place)} is a folder; give the name of a file")
        mode = _writable_mode(place)
        _replace(place, data, mode)
    verb = "wrote" if mode is None else "replaced"
    size = f"{_count(len(data), 'byte')}, {_count(len(_lines(content)), 'line')}"
    return ToolResult(
        f"{verb} {place.shown} ({size})",
        data={"path": place.shown, "bytes": len(data), "is_new": mode is None},
    )


@tool(safety="dangerous", source="builtin")
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
        lines = _lines(_read_text(place, context))
        new = _replace_lines(place, lines, startLine, endLine, content)
        _replace(place, _encode("".join(lines)), _writable_mode(place))
    gone = endLine - startLine + 1
    return ToolResult(
        f"replaced {_count(gone, 'line')} of {place.shown} from line {startLine} by {_count(len(new), 'line')}",
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


@tool(safety="dangerous", source="builtin")
def fs_delete(path: str, *, context: ToolContext) -> ToolResult:
    """Delete a file of the workspace, or a folder with everything in it. Of a link only the link goes.

    Parameters
    ----------
    path : str
        File or folder, relative to the workspace.
    """
    with reach(context, path, is_link=True) as place:
        if place.is_root:
            raise ToolError("the workspace itself cannot be deleted; name something in it", REFUSED)
        if not stat.S_ISDIR(place.status.st_mode):
            os.unlink(place.entry, dir_fd=place.folder)
            return ToolResult(f"deleted {place.shown}", data={"path": place.shown, "entries": 1})
        inside = _count_below(place)
        shutil.rmtree(place.entry, dir_fd=place.folder)
    return ToolResult(
        f"deleted {place.shown}/ with {_count(inside, 'entry')}", data={"path": place.shown, "entries": inside + 1}
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
    kind = _kind(found.st_mode)
    changed = datetime.fromtimestamp(found.st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    mode = stat.filemode(found.st_mode)
    size = _size(found)
    told = "" if size is None else f", {_count(size, 'byte')}"
    return ToolResult(
        f"{place.shown}: {kind}{told}, {mode}, changed {changed}",
        data={"path": place.shown, "kind": kind, "bytes": size, "mode": mode, "changed_at": changed},
    )


def _read_text(place: Place, context: ToolContext) -> str:
    """Read a whole file, or say why it is none to read."""
    most = int(context.limits.get("max_read_bytes", MAX_READ_BYTES))
    if place.is_folder:
        raise ToolError(f"{place.shown} is a folder; list it with fs_list")
    handle = place.open(os.O_RDONLY | _NO_WAIT)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise ToolError(f"{place.shown} is a {_kind(found.st_mode)}, no file to read")
        data = file.read(most + 1) if found.st_size <= most else b""
    if found.st_size > most or len(data) > most:
        raise ToolError(
            f"{place.shown} has {found.st_size:,} bytes, more than the {most:,} that may be read; "
            "take a part of it with a command such as head, tail or grep",
            "too_large",
        )
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ToolError(f"{place.shown} is a binary file of {_count(len(data), 'byte')}, no UTF-8 text", "binary_file")
    return text


def _encode(content: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"content holds half a character at position {error.start}", BAD_ARGUMENT) from error


def _writable_mode(place: Place) -> int | None:
    """Return the permissions of the file to be replaced, ``None`` when there is none yet."""
    found = place.found
    if found is None:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise ToolError(f"{place.shown} is a {_kind(found.st_mode)}, no file to write")
    if not os.access(place.entry, os.W_OK, dir_fd=place.folder):
        raise ToolError(f"{place.shown} is read-only")
    return stat.S_IMODE(found.st_mode)


def _replace(place: Place, data: bytes, mode: int | None) -> None:
    """Put a file in its place in one step, with the permissions of the one before."""
    beside = place.beside(f".lango-{os.urandom(8).hex()}.tmp")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW, 0o666, dir_fd=place.folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if mode is not None:
                os.chmod(handle if os.chmod in os.supports_fd else beside, mode)  # noqa: PTH101 - of a handle
        os.replace(beside, place.entry, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside, dir_fd=place.folder)
        raise


def _replace_lines(place: Place, lines: list[str], start: int, end: int, content: str) -> list[str]:
    """Put a text in the place of some lines, from 1; return the lines that came in."""
    if not 1 <= start <= end <= len(lines):
        has = f"{place.shown} has {_count(len(lines), 'line')}"
        raise ToolError(f"lines {start}-{end} are out of range: {has}", BAD_ARGUMENT)
    line_end = _line_end(lines)
    new = [line.rstrip("\r\n") + line_end for line in _lines(content)]
    if end == len(lines) and not lines[-1].endswith(("\n", "\r")):  # the file's last line had no end: keep it so
        if new:
            new[-1] = new[-1].removesuffix(line_end)
        elif start > 1:
            lines[start - 2] = lines[start - 2].rstrip("\r\n")
    lines[start - 1 : end] = new
    return new


def _count_below(place: Place) -> int:
    """Count what a folder holds, and refuse one that holds what is out of reach."""
    count = 0
    if place.folder is None:
        below: Iterator[tuple[str, list[str], list[str], int | None]] = ((*one, None) for one in os.walk(place.entry))
    else:
        below = os.fwalk(place.entry, dir_fd=place.folder)
    for folder, folders, files, handle in below:
        count += len(folders) + len(files)
        for name in (*folders, *files) if place.closed else ():
            entry = name if handle is not None else os.path.join(folder, name)  # noqa: PTH118 - many of them
            if is_closed(os.stat(entry, dir_fd=handle, follow_symlinks=False), place.closed):
                refuse_closed(place.shown)
    return count


def _entries(place: Place) -> list[tuple[str, str, int | None]]:
    """List name, kind and size of what a folder holds; links are not followed."""
    handle = None if place.folder is None else place.open(os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(place.entry if handle is None else handle) as found:
            seen = [(entry.name, entry.stat(follow_symlinks=False)) for entry in found]
    finally:
        if handle is not None:
            os.close(handle)
    return [(printable(name), _kind(status.st_mode), _size(status)) for name, status in seen]


def _entry_line(name: str, kind: str, size: int | None) -> str:
    if kind == "folder":
        return f"{name}/"
    return f"{name}  {kind if size is None else _count(size, 'byte')}"


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "device, pipe or socket"


def _size(found: os.stat_result) -> int | None:
    """Return the size of a file; other things have one that says nothing."""
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _lines(text: str) -> list[str]:
    """Split a text into lines with their ends, as editors count them."""
    return list(io.StringIO(text, newline=""))


def _line_end(lines: list[str]) -> str:
    """Return how the file ends its lines."""
    first = lines[0]
    return first[len(first.rstrip("\r\n")) :] or "\n"


def _folder(place: Place) -> str:
    return f"{place.shown}/"


def _count(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"
