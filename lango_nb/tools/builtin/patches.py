"""The patch format that models write (v4a): what it says, and what it makes of the lines of a file.

    *** Begin Patch
    *** Add File: docs/new.md           every line of it with a +
    +# New
    *** Update File: src/app.py
    *** Move to: src/main.py            where the file is to be afterwards
    @@ class App:                       a line above the place, as many as it takes
     def run(self):                     lines that stay, with a space before them
    -    pass                           lines that go
    +    self.start()                   lines that come
    *** End of File                     the lines above are the last of the file
    *** Delete File: old.txt
    *** End Patch

The place of a hunk is found by its lines, to the letter first, then without white space at line ends. Nothing is
guessed: a hunk that fits nowhere or in several places is refused, and so is one before the last one's place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, NoReturn

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import ToolError, shorten
from lango_nb.core.text import printable
from lango_nb.tools.builtin.edits import AMBIGUOUS, MOST_NAMED, NO_MATCH, LineSearch, named_lines
from lango_nb.tools.builtin.files import line_end_of, lines_of

BAD_PATCH = "bad_patch"
MOST_FILES = 200
"""Files that one patch changes."""
MOST_HUNKS = 1000
"""Places that one patch changes."""
_BEGIN, _END, _END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File:", "*** Delete File:", "*** Update File:", "*** Move to:"
_NUMBERS = re.compile(r"@@ -\d+(,\d+)? \+\d+(,\d+)? @@.*")
"""How other formats begin a hunk; the numbers are not looked at."""
_EMPTY = ("", "")
"""A line without its space: editors and models take it away from empty lines."""
_READINGS: tuple[Callable[[str], str], ...] = (str, str.rstrip)
"""How lines of a hunk are compared, the strictest first."""
_ANCHOR_READINGS = (*_READINGS, str.strip)


class Hunk(NamedTuple):
    """One place of a file, and what changes there."""

    number: int
    """Line of the patch in which it begins, from 1."""
    anchors: tuple[str, ...]
    """Lines that come before the place, in this order."""
    lines: tuple[tuple[str, str], ...]
    """A space or nothing, ``+`` or ``-``, and a line without its end."""
    is_last: bool
    """Whether its lines are the last of the file."""

    @property
    def old(self) -> list[str]:
        """The lines that are there before."""
        return [line for sign, line in self.lines if sign != "+"]


@dataclass(frozen=True, slots=True)
class Change:
    """What a patch does to one file."""

    kind: str
    """``add``, ``delete`` or ``update``."""
    path: str
    move_to: str = ""
    content: str = ""
    """All of an added file."""
    hunks: tuple[Hunk, ...] = ()


def patched_paths(patch: str) -> Iterator[str]:
    r"""Yield every path a text names if it is a patch, whatever else is wrong with it.

    Examples
    --------
    >>> list(patched_paths("*** Update File: a.txt\r\n  *** Move to: b.txt\n+*** Add File: c"))
    ['a.txt', 'b.txt']
    """
    for line in lines_of(patch):
        for header in (_ADD, _DELETE, _UPDATE, _MOVE):
            if line.lstrip().startswith(header):
                yield line.lstrip()[len(header) :].strip()


def read_patch(patch: str) -> tuple[Change, ...]:
    r"""Read a patch.

    Parameters
    ----------
    patch : str

    Returns
    -------
    tuple of Change
        At least one, in the order of the patch.

    Raises
    ------
    ToolError
        With code ``bad_patch`` and the line that is wrong.

    Examples
    --------
    >>> read_patch("*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch")
    (Change(kind='add', path='a.txt', move_to='', content='one\n', hunks=()),)
    """
    lines = [line.rstrip("\r\n") for line in lines_of(patch)]
    marks = [number for number, line in enumerate(lines) if line.rstrip() == _BEGIN]
    ends = [number for number, line in enumerate(lines) if line.rstrip() == _END]
    if not marks:
        raise ToolError(f"the patch has no line '{_BEGIN}'; it stands before the first file", BAD_PATCH)
    if not ends or ends[-1] < marks[0]:
        raise ToolError(f"the patch has no line '{_END}'; it stands after the last file", BAD_PATCH)
    if len(marks) > 1 or len(ends) > 1:
        raise ToolError("the patch begins or ends more than once; give one after the other", BAD_PATCH)
    reader = _Reader(lines[: ends[0]], marks[0] + 1)
    changes = tuple(reader.changes())
    if not changes:
        raise ToolError(f"the patch changes nothing; '{_UPDATE} NAME' begins what it does to a file", BAD_PATCH)
    hunks = sum(len(change.hunks) for change in changes)
    if len(changes) > MOST_FILES or hunks > MOST_HUNKS:
        told = f"{len(changes):,} files and {hunks:,} hunks, more than {MOST_FILES} or {MOST_HUNKS:,}"
        raise ToolError(f"the patch has {told}; give it in parts", BAD_PATCH)
    return changes


class _Reader:
    """Goes through the lines of a patch."""

    def __init__(self, lines: list[str], at: int) -> None:
        self._lines, self._at = lines, at

    def changes(self) -> Iterator[Change]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip():
                self._at += 1
            elif (path := self._header(_ADD)) is not None:
                yield Change("add", path, content="".join(f"{one}\n" for one in self._added()))
            elif (path := self._header(_DELETE)) is not None:
                yield Change("delete", path)
            elif (path := self._header(_UPDATE)) is not None:
                yield self._update(path)
            else:
                self._refuse("belongs to no file; a line such as '*** Update File: NAME' comes first")

    def _header(self, header: str) -> str | None:
        """Take a line that names a file; ``None`` when this one does not."""
        if self._at >= len(self._lines) or not self._lines[self._at].startswith(header):
            return None
        path = self._lines[self._at][len(header) :].strip()
        if not path:
            self._refuse("names no file")
        self._at += 1
        return path

    def _body(self) -> Iterator[str]:
        """Yield the lines up to the next file; the line at hand is the one to complain about."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("*** ") and line.rstrip() != _END_OF_FILE:
                return
            yield line
            self._at += 1

    def _added(self) -> Iterator[str]:
        for line in self._body():
            if line.startswith("+"):
                yield line[1:]
            elif line.strip() and line.rstrip() != _END_OF_FILE:
                self._refuse("has no '+'; every line of an added file begins with one")

    def _update(self, path: str) -> Change:
        begins = self._at
        move_to = self._header(_MOVE) or ""
        hunks = tuple(self._hunks())
        if not hunks and not move_to:
            raise ToolError(
                f"line {begins} of the patch: no change of {printable(shorten(path, 80))} follows", BAD_PATCH
            )
        return Change("update", path, move_to, hunks=hunks)

    def _hunks(self) -> Iterator[Hunk]:
        begins, is_last = self._at + 1, False
        anchors: list[str] = []
        lines: list[tuple[str, str]] = []
        for line in self._body():
            if line.rstrip() == _END_OF_FILE:
                is_last = True
            elif line.startswith("@@"):
                if lines:
                    yield _hunk(begins, anchors, lines, is_last=is_last)
                    begins, is_last, anchors, lines = self._at + 1, False, [], []
                anchors += [] if _NUMBERS.fullmatch(line) or not line[2:].strip() else [line[2:].removeprefix(" ")]
            elif is_last:
                if line.strip():
                    self._refuse(f"comes after '{_END_OF_FILE}'; begin what follows with '@@'")
            elif line[:1] in {" ", "+", "-"}:
                lines.append((line[0], line[1:]))
            elif not line:
                lines += [_EMPTY] if lines else []
            else:
                self._refuse("begins with none of ' ', '+', '-', '@@'; lines that stay begin with a space")
        if lines or anchors:
            yield _hunk(begins, anchors, lines, is_last=is_last)

    def _refuse(self, why: str) -> NoReturn:
        raise ToolError(f"line {self._at + 1} of the patch, {_shown(self._lines[self._at])}, {why}", BAD_PATCH)


def _hunk(number: int, anchors: list[str], lines: list[tuple[str, str]], *, is_last: bool) -> Hunk:
    while lines and lines[-1] == _EMPTY:  # it separates a hunk from what follows
        lines.pop()
    if not any(sign in {"+", "-"} for sign, _ in lines):
        raise ToolError(f"line {number} of the patch: no line with '+' or '-' follows", BAD_PATCH)
    return Hunk(number, tuple(anchors), tuple(lines), is_last)


def apply_hunks(shown: str, lines: Sequence[str], hunks: Sequence[Hunk]) -> list[str]:
    r"""Return the lines of a file after its hunks.

    Parameters
    ----------
    shown : str
        Name of the file, for errors.
    lines : sequence of str
        With their ends.
    hunks : sequence of Hunk
        In the order of their places.

    Raises
    ------
    ToolError
        A hunk fits nowhere (``no_match``) or in several places (``ambiguous``).

    Examples
    --------
    >>> hunk = Hunk(1, (), ((" ", "a"), ("-", "b"), ("+", "B")), False)
    >>> apply_hunks("x.txt", ["a\r\n", "b\r\n", "c"], [hunk])
    ['a\r\n', 'B\r\n', 'c']
    """
    places = _Places(shown, [line.rstrip("\r\n") for line in lines])
    end = line_end_of(list(lines[:1]))
    new: list[str] = []
    done = 0
    for hunk in hunks:
        at = places.of(hunk, done)
        new += lines[done:at]
        done = at
        for sign, line in hunk.lines:
            if sign == "+":
                new.append(line + end)
            else:
                new += lines[done : done + 1] if sign != "-" else ()
                done += 1
    new += lines[done:]
    return _with_ends(new, end, has_last=not lines or lines[-1].endswith(("\n", "\r")))


def _with_ends(lines: list[str], end: str, *, has_last: bool) -> list[str]:
    """End every line, the last one as the file did before."""
    whole = [line if line.endswith(("\n", "\r")) else line + end for line in lines]
    if whole and not has_last:
        whole[-1] = whole[-1].rstrip("\r\n")
    return whole


class _Places:
    """Finds where hunks belong in a file."""

    def __init__(self, shown: str, lines: list[str]) -> None:
        self._shown, self._lines = shown, lines
        self._searches: dict[Callable[[str], str], LineSearch] = {}

    def of(self, hunk: Hunk, start: int) -> int:
        """Return the line, from 0, at which a hunk begins."""
        found = self._last(hunk, start) if hunk.is_last else self._found(hunk, start)
        if len(found) == 1:
            return found[0]
        where = f"the hunk in line {hunk.number} of the patch"
        if not found:
            raise ToolError(f"{where} does not fit {self._shown}: {self._missing(hunk, start)}", NO_MATCH)
        numbers = named_lines([at + 1 for at in found[:MOST_NAMED]])
        more = " and more" if len(found) > MOST_NAMED else ""
        told = f"{where} fits {self._shown} in several places ({numbers}{more})"
        raise ToolError(f"{told}; give more of the lines around it, or a line above it with '@@ '", AMBIGUOUS)

    def _found(self, hunk: Hunk, start: int) -> list[int]:
        """Return the lines at which a hunk can begin, a few of them when there are many."""
        starts = self._after_anchors(hunk.anchors, start)
        if not hunk.old:
            if hunk.anchors:
                return [at + 1 for at in starts]
            return [start] if not self._lines else []
        for as_read in _READINGS:
            if not hunk.anchors:
                found = self._stands(hunk.old, as_read, start)
            else:
                nearest = (next(iter(self._stands(hunk.old, as_read, at, 1)), None) for at in starts)
                found = list(dict.fromkeys(at for at in nearest if at is not None))
            if found:
                return found
        return []

    def _after_anchors(self, anchors: tuple[str, ...], start: int) -> list[int]:
        """Return the lines of the last anchor, for each place where the first one stands."""
        if not anchors:
            return []
        first, *rest = anchors
        ways = self._anchor(first, start, MOST_NAMED + 1)
        for anchor in rest:
            ways = list(dict.fromkeys(at for way in ways for at in self._anchor(anchor, way + 1, 1)))
        return ways

    def _anchor(self, anchor: str, start: int, most: int) -> list[int]:
        for as_read in _ANCHOR_READINGS:
            if found := self._stands([anchor], as_read, start, most):
                return found
        return []

    def _last(self, hunk: Hunk, start: int) -> list[int]:
        """Return the line at which a hunk begins that ends with the file."""
        at = len(self._lines) - len(hunk.old)
        fits = at >= start and any(
            list(map(as_read, hunk.old)) == list(map(as_read, self._lines[at:])) for as_read in _READINGS
        )
        return [at] if fits else []

    def _stands(
        self, wanted: Sequence[str], as_read: Callable[[str], str], start: int, most: int = MOST_NAMED + 1
    ) -> list[int]:
        if start > len(self._lines):
            return []
        search = self._searches.get(as_read)
        if search is None:
            search = self._searches[as_read] = LineSearch([as_read(line) for line in self._lines])
        return list(islice(search.places([as_read(line) for line in wanted], start), most))

    def _missing(self, hunk: Hunk, start: int) -> str:
        """Say why a hunk fits nowhere, and what to do."""
        for anchor in hunk.anchors:
            if not self._anchor(anchor, 0, 1):
                return f"there is no line {_shown(anchor.strip())}; copy the line after '@@ ' from the file"
        if not hunk.old and not hunk.is_last:
            return f"it says nothing of its place; give a line that stays, one after '@@ ', or '{_END_OF_FILE}'"
        earlier = [at for at in self._stands(hunk.old, str.rstrip, 0) if at < start]
        if earlier:
            told = named_lines([at + 1 for at in earlier])
            return f"its lines stand in {told}, before an earlier hunk's; sort the hunks"
        if hunk.is_last and self._stands(hunk.old, str.rstrip, 0, 1):
            return f"its lines are not the last ones; leave out '{_END_OF_FILE}'"
        near = [at + 1 for at in self._stands(hunk.old, str.strip, 0)]
        if near:
            return f"its lines stand there only with other white space ({named_lines(near)}); copy them as they are"
        one = next((line for line in hunk.old if not self._stands([line], str.rstrip, 0, 1)), None)
        told = "these lines do not follow one another" if one is None else f"there is no line {_shown(one)}"
        return f"{told}; read the file and copy its lines"


def _shown(line: str) -> str:
    return repr(printable(shorten(line, 60)))
