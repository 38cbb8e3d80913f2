"""What ``grep`` and ``glob`` do: look through the files of a workspace, in a fixed order and within limits."""

from __future__ import annotations

import stat
import time
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

from lango_nb.core.errors import ToolError, shorten
from lango_nb.core.json_value import JsonValue
from lango_nb.core.text import counted, printable
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.builtin.files import entry_line, kind_of, lines_of, read_text, size_of
from lango_nb.tools.builtin.paths import reach
from lango_nb.tools.builtin.walks import ANY_FOLDERS, PathPattern, Walk
from lango_nb.tools.context import ToolContext
from lango_nb.tools.expressions import LONGEST, TOO_SLOW, is_expression, matching_lines, too_slow
from lango_nb.tools.tool import ToolResult

PASSED_OVER = frozenset({".git", ".hg", ".svn", ".venv", ".ipynb_checkpoints", "__pycache__", "node_modules"})
"""Folders that a search does not enter unless its path names them: what tools keep there is nobody's text."""
MOST_SHOWN = 1000
"""Lines of one answer."""
LONGEST_LINE = 300
"""Characters of a matching line that are shown."""
SEARCH_S = 10.0
"""How long the expression of one call may search."""
BATCH = 4_000_000
"""Characters that are searched at once."""


_Text = tuple[str, list[str] | None]
"""A file and its lines; ``None`` for one that cannot be read."""


class _Line(NamedTuple):
    path: str
    number: int
    text: str


class _Batch:
    """Files that are searched at once: their lines in one list, and where each file begins in it."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.characters = 0
        self._starts: list[int] = []
        self._paths: list[str] = []

    def add(self, path: str, lines: list[str]) -> None:
        self._starts.append(len(self.texts))
        self._paths.append(path)
        texts = [line.rstrip("\r\n") for line in lines]
        self.texts += texts
        self.characters += sum(map(len, texts)) + len(texts)

    def line(self, number: int) -> _Line:
        at = bisect_right(self._starts, number) - 1
        return _Line(self._paths[at], number - self._starts[at] + 1, _one_line(self.texts[number]))


class _Search:
    """One search: its hits, and what it went through."""

    def __init__(self, pattern: str, most: int) -> None:
        self.hits: list[_Line] = []
        self.files = 0
        self.unread = 0
        """Files that are too large, or cannot be read."""
        self.is_cut = False
        """Whether there may be more hits."""
        self._pattern, self._most = pattern, most
        self._until_s = time.monotonic() + SEARCH_S

    def run(self, texts: Iterable[_Text]) -> None:
        """Search file after file, until there are enough hits."""
        batch = _Batch()
        for path, lines in texts:
            self.files += 1
            if lines is None:
                self.unread += 1
                continue
            batch.add(path, lines)
            if batch.characters >= BATCH:
                self._look_through(batch)
                if self.is_cut:
                    return
                batch = _Batch()
        self._look_through(batch)

    def _look_through(self, batch: _Batch) -> None:
        found = self._matching(batch.texts)
        room = self._most - len(self.hits)
        self.hits += map(batch.line, found[:room])
        self.is_cut = len(found) > room

    def _matching(self, texts: list[str]) -> list[int]:
        if not is_expression(self._pattern):
            return [number for number, text in enumerate(texts) if self._pattern in text]
        left_s = max(self._until_s - time.monotonic(), 0.0)
        try:
            return matching_lines(self._pattern, texts, left_s)
        except ToolError as error:
            raise too_slow(self._pattern, SEARCH_S) if error.code == TOO_SLOW else error from None


def find_lines(pattern: str, path: str, glob_filter: str, max_results: int, context: ToolContext) -> ToolResult:
    """Return the lines that match an expression.

    Parameters
    ----------
    pattern : str
    path : str
        Folder or file.
    glob_filter : str
        Pattern of the files that are searched; without a ``/`` it means names in any folder. Empty is all.
    max_results : int
    context : ToolContext
    """
    if not pattern:
        raise ToolError("pattern is empty; give a regular expression or a plain text", BAD_ARGUMENT)
    if len(pattern) > LONGEST:
        raise ToolError(f"pattern has {len(pattern):,} characters and may have {LONGEST}", BAD_ARGUMENT)
    if max_results < 1:
        raise ToolError(f"max_results must be 1 or more, got {max_results}", BAD_ARGUMENT)
    wanted = None
    if glob_filter:
        wanted = PathPattern(glob_filter if "/" in glob_filter else f"{ANY_FOLDERS}/{glob_filter}")
    search = _Search(pattern, min(max_results, MOST_SHOWN))
    with reach(context, path) as place:
        walk = Walk(place, lambda names: names[-1] not in PASSED_OVER)
        if place.is_folder:
            with closing(_texts(walk, wanted, context)) as texts:
                search.run(texts)
        else:
            search.run([(place.shown, lines_of(read_text(place, context)))])
    data: JsonValue = [{"path": hit.path, "line": hit.number, "text": hit.text} for hit in search.hits]
    notes = _notes(search, walk)
    if search.hits:
        return ToolResult(
            "\n".join((*(f"{hit.path}:{hit.number}: {hit.text}" for hit in search.hits), *notes)), data=data
        )
    where = f"{counted(search.files, 'file')} in {place.shown}" + (f" that fit {wanted.written!r}" if wanted else "")
    hint = "; each line is searched by itself" if "\n" in pattern or "\\n" in pattern else ""
    return ToolResult("\n".join((f"no line matches {shorten(pattern)!r}: {where}{hint}", *notes)), data=data)


def find_places(pattern: str, path: str, context: ToolContext) -> ToolResult:
    """Return the files and folders that a pattern means, as a listing.

    Parameters
    ----------
    pattern : str
        From ``path`` on; ``**`` stands for any folders.
    path : str
        Folder.
    context : ToolContext
    """
    wanted = PathPattern(pattern)
    with reach(context, path) as place:
        if not stat.S_ISDIR(place.status.st_mode):
            raise ToolError(f"{place.shown} is not a folder; read it with read_file")
        walk = Walk(place, wanted.leads_into)
        with closing(iter(walk)) as places:
            found = [
                (one.shown, kind_of(one.status.st_mode), size_of(one.status))
                for names, one in places
                if wanted.fits(names) and (one.is_folder or not wanted.is_of_folders)
            ]
    if not found:
        hint = "; {a,b} is not expanded: ask for each by itself" if "{" in pattern else ""
        told = f"nothing in {place.shown}/ fits {wanted.written!r}{hint}"
        return ToolResult("\n".join((told, *_unread(walk))), data=[])
    shown = found[:MOST_SHOWN]
    lines = [entry_line(*entry) for entry in shown]
    if len(found) > MOST_SHOWN:
        lines.append(f"[{MOST_SHOWN} of {len(found)} entries]")
    lines += _unread(walk)
    return ToolResult(
        "\n".join(lines), data=[{"path": name, "kind": kind, "bytes": size} for name, kind, size in shown]
    )


def _texts(walk: Walk, wanted: PathPattern | None, context: ToolContext) -> Generator[_Text, None, None]:
    """Yield the lines of every text file there; ``None`` for a file that is not read, nothing for a binary one."""
    with closing(iter(walk)) as places:
        for names, one in places:
            if not stat.S_ISREG(one.status.st_mode) or (wanted is not None and not wanted.fits(names)):
                continue
            try:
                yield one.shown, lines_of(read_text(one, context))
            except ToolError as error:
                if error.code != "binary_file":
                    yield one.shown, None
            except OSError:
                yield one.shown, None


def _notes(search: _Search, walk: Walk) -> Iterator[str]:
    """Say what a search did not go through."""
    if search.is_cut:
        yield f"[the first {counted(len(search.hits), 'line')}; there are more]"
    if search.unread:
        yield f"[{counted(search.unread, 'file')} not searched: too large, or not to be read]"
    yield from _unread(walk)


def _unread(walk: Walk) -> Iterator[str]:
    """Say which folders a walk did not go through."""
    if walk.unread:
        yield f"[{counted(walk.unread, 'folder')} could not be read]"


def _one_line(text: str) -> str:
    """Keep a line on one line, tabs as they are, and of a length that can be read."""
    shown = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…"
    return "\t".join(map(printable, shown.split("\t")))
