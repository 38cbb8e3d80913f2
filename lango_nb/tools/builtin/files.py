"""Reading and replacing the files that file tools work on, each at the place that was reached for it (``paths.py``)."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from lango_nb.core.errors import ToolError
from lango_nb.core.json_value import JsonValue
from lango_nb.core.text import counted, printable
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.builtin.paths import NO_FOLLOW, Place, is_closed, reach, refuse_closed
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import ToolResult

MAX_READ_BYTES = 10 * 1024 * 1024
"""Size of the largest file that is read when ``limits`` does not say."""
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not wait for its other end


def read_part(path: str, offset: int | None, limit: int | None, context: ToolContext, lister: str) -> ToolResult:
    """Read a text file, whole or some of its lines.

    Parameters
    ----------
    path : str
    offset : int or None
        First line, counted from 1.
    limit : int or None
        Lines at most.
    context : ToolContext
    lister : str
        The tool that shows what a folder holds, for the error.
    """
    with reach(context, path) as place:
        lines = lines_of(read_text(place, context, lister))
    first = max(offset or 1, 1)
    if first > max(len(lines), 1):
        raise ToolError(f"{place.shown} has {counted(len(lines), 'line')}; there is no line {first}", BAD_ARGUMENT)
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


def write_whole(path: str, content: str, context: ToolContext) -> ToolResult:
    """Write a text file; what was in it is gone, and missing folders are made."""
    data = encode(content)
    with reach(context, path, makes_folders=True) as place:
        mode = writable_mode(place, path)
        replace_file(place, data, mode)
    verb = "wrote" if mode is None else "replaced"
    size = f"{counted(len(data), 'byte')}, {counted(len(lines_of(content)), 'line')}"
    return ToolResult(
        f"{verb} {place.shown} ({size})",
        data={"path": place.shown, "bytes": len(data), "is_new": mode is None},
    )


def read_text(place: Place, context: ToolContext, lister: str = "fs_list") -> str:
    """Read a whole file, or say why it is none to read."""
    most = int(context.limits.get("max_read_bytes", MAX_READ_BYTES))
    if place.is_folder:
        raise ToolError(f"{place.shown} is a folder; list it with {lister}")
    handle = place.open(os.O_RDONLY | _NO_WAIT)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise ToolError(f"{place.shown} is a {kind_of(found.st_mode)}, no file to read")
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
        raise ToolError(f"{place.shown} is a binary file of {counted(len(data), 'byte')}, no UTF-8 text", "binary_file")
    return text


def encode(content: str) -> bytes:
    """Return a text as UTF-8.

    Raises
    ------
    ToolError
        It holds half a character.
    """
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"content holds half a character at position {error.start}", BAD_ARGUMENT) from error


def writable_mode(place: Place, given: str) -> int | None:
    """Return the permissions of the file to be replaced, ``None`` when there is none yet; refuse what is not a file."""
    if place.is_root or given.endswith("/"):
        raise ToolError(f"{place.shown}/ is a folder; give the name of a file")
    found = place.found
    if found is None:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise ToolError(f"{place.shown} is a {kind_of(found.st_mode)}, no file to write")
    if not os.access(place.entry, os.W_OK, dir_fd=place.folder):
        raise ToolError(f"{place.shown} is read-only")
    return stat.S_IMODE(found.st_mode)


def replace_file(place: Place, data: bytes, mode: int | None) -> None:
    """Put a file in its place in one step, with the permissions of the one before."""
    put_file(place, stage_file(place, data, mode))


def stage_file(place: Place, data: bytes, mode: int | None) -> str:
    """Write a file beside its place; return its name there."""
    name = f".lango-{os.urandom(8).hex()}.tmp"
    beside = place.beside(name)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW, 0o666, dir_fd=place.folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if mode is not None:
                os.chmod(handle if os.chmod in os.supports_fd else beside, mode)  # noqa: PTH101 - of a handle
    except BaseException:
        discard_file(place, name)
        raise
    return name


def put_file(place: Place, name: str) -> None:
    """Put a file that was written beside its place there, in one step."""
    try:
        os.replace(place.beside(name), place.entry, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except BaseException:
        discard_file(place, name)
        raise


def discard_file(place: Place, name: str) -> None:
    """Remove what was written beside a place, where it still is."""
    with suppress(OSError):
        os.unlink(place.beside(name), dir_fd=place.folder)


def replace_lines(place: Place, lines: list[str], start: int, end: int, content: str) -> list[str]:
    """Put a text in the place of some lines, from 1; return the lines that came in."""
    if not 1 <= start <= end <= len(lines):
        has = f"{place.shown} has {counted(len(lines), 'line')}"
        raise ToolError(f"lines {start}-{end} are out of range: {has}", BAD_ARGUMENT)
    line_end = line_end_of(lines)
    new = [line.rstrip("\r\n") + line_end for line in lines_of(content)]
    if end == len(lines) and not lines[-1].endswith(("\n", "\r")):  # the file's last line had no end: keep it so
        if new:
            new[-1] = new[-1].removesuffix(line_end)
        elif start > 1:
            lines[start - 2] = lines[start - 2].rstrip("\r\n")
    lines[start - 1 : end] = new
    return new


def count_below(place: Place) -> int:
    """Count what a folder holds, and refuse one that holds what is out of reach."""
    found = 0
    if place.folder is None:
        below: Iterator[tuple[str, list[str], list[str], int | None]] = ((*one, None) for one in os.walk(place.entry))
    else:
        below = os.fwalk(place.entry, dir_fd=place.folder)
    for folder, folders, files, handle in below:
        found += len(folders) + len(files)
        for name in (*folders, *files) if place.closed else ():
            entry = name if handle is not None else os.path.join(folder, name)  # noqa: PTH118 - many of them
            if is_closed(os.stat(entry, dir_fd=handle, follow_symlinks=False), place.closed):
                refuse_closed(place.shown)
    return found


def entries_of(place: Place) -> list[tuple[str, str, int | None]]:
    """List name, kind and size of what a folder holds; links are not followed."""
    handle = None if place.folder is None else place.open(os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(place.entry if handle is None else handle) as found:
            seen = [(entry.name, entry.stat(follow_symlinks=False)) for entry in found]
    finally:
        if handle is not None:
            os.close(handle)
    return [(printable(name), kind_of(status.st_mode), size_of(status)) for name, status in seen]


def kind_of(mode: int) -> str:
    """Name what a mode is of: a file, a folder, a link, or anything else."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "device, pipe or socket"


def size_of(found: os.stat_result) -> int | None:
    """Return the size of a file; other things have one that says nothing."""
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def entry_line(name: str, kind: str, size: int | None) -> str:
    """Write an entry of a folder as listings show it."""
    if kind == "folder":
        return f"{name}/"
    return f"{name}  {kind if size is None else counted(size, 'byte')}"


def lines_of(text: str) -> list[str]:
    """Split a text into lines with their ends, as editors count them."""
    return list(io.StringIO(text, newline=""))


def line_end_of(lines: list[str]) -> str:
    """Return how a file ends its lines: as its first one does."""
    first = lines[0] if lines else ""
    return first[len(first.rstrip("\r\n")) :] or "\n"
