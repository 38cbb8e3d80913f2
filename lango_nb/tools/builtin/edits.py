r"""Replacing a text in a file: it has to be there, and only once unless every place is meant.

A line end of the text stands for any line end of the file, and what comes in gets the file's own: models write ``\n``,
and a file with ``\r\n`` is the same file afterwards. A text that holds ``\r`` itself is taken to the letter.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

from lango_nb.core.errors import ToolError
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.builtin.files import line_end_of, lines_of

AMBIGUOUS = "ambiguous"
NO_MATCH = "no_match"
MOST_NAMED = 10
"""Lines that an error names."""
_ANY_END = r"(?:\r\n|(?<!\r)\n|\r(?!\n))"


class Replaced(NamedTuple):
    """A text after something in it was replaced."""

    text: str
    places: int
    lines: str
    """Where they began: ``line 4``."""


def replace_text(shown: str, text: str, old: str, new: str, *, is_every: bool) -> Replaced:
    r"""Replace a text.

    Parameters
    ----------
    shown : str
        Name of the file, for errors.
    text : str
        All of it.
    old, new : str
    is_every : bool
        Whether all places are meant.

    Raises
    ------
    ToolError
        ``old`` is empty or ``new`` (``bad_argument``), is not there (``no_match``), or is there more than once
        (``ambiguous``).

    Examples
    --------
    >>> replace_text("a.txt", "one\r\ntwo\r\n", "one\ntwo", "1\n2", is_every=False)
    Replaced(text='1\r\n2\r\n', places=1, lines='line 1')
    """
    if not old:
        raise ToolError("old_string is empty; give the text to replace, or write the whole file", BAD_ARGUMENT)
    if old == new:
        raise ToolError("old_string and new_string are the same; nothing would change", BAD_ARGUMENT)
    is_literal = "\r" in old or "\r" in new
    wanted = re.compile(re.escape(old) if is_literal else _ANY_END.join(map(re.escape, old.split("\n"))))
    places = [found.start() for found in wanted.finditer(text)]
    if len(places) == 1 and not is_every and (overlapping := wanted.search(text, places[0] + 1)) is not None:
        places.append(overlapping.start())
    lines = lines_of(text)
    if not places:
        raise ToolError(_missing(shown, lines, old), NO_MATCH)
    ends = list(accumulate(map(len, lines)))
    numbers = list(dict.fromkeys(bisect_right(ends, place) + 1 for place in places))
    if len(places) > 1 and not is_every:
        told = f"old_string occurs {len(places):,} times in {shown} ({named_lines(numbers)})"
        raise ToolError(f"{told}; give more of the lines around it, or set replace_all", AMBIGUOUS)
    inserted = new if is_literal else new.replace("\n", line_end_of(lines))
    return Replaced(wanted.sub(lambda _: inserted, text), len(places), named_lines(numbers))


def _missing(shown: str, lines: Sequence[str], old: str) -> str:
    wanted = [line.strip() for line in lines_of(old.strip())]
    near = [at + 1 for at in islice(LineSearch([line.strip() for line in lines]).places(wanted), MOST_NAMED)]
    if near and wanted != [""]:
        told = f"old_string occurs in {shown} only with other white space ({named_lines(near)})"
        return f"{told}; copy it as it is there"
    return f"old_string does not occur in {shown}; read the file and copy the text as it is there"


class LineSearch:
    """Finds some lines among others, in time that grows with the text.

    Parameters
    ----------
    lines : sequence of str
        Without their ends.

    Examples
    --------
    >>> list(LineSearch(["a", "b", "a", "b"]).places(["a", "b"]))
    [0, 2]
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._text = "\n".join(("", *lines, ""))
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def places(self, wanted: Sequence[str], start: int = 0) -> Iterator[int]:
        """Yield where the lines begin, from 0.

        Parameters
        ----------
        wanted : sequence of str
            At least one.
        start : int
            The first line that is looked at.
        """
        sought = "\n".join(("", *wanted, ""))
        at = self._text.find(sought, self._starts[start])
        while at >= 0:
            yield bisect_left(self._starts, at)
            at = self._text.find(sought, at + 1)


def named_lines(numbers: Sequence[int]) -> str:
    """Name lines, the first of them when there are many.

    Examples
    --------
    >>> named_lines([4]), named_lines([4, 9]), named_lines(range(1, 31))
    ('line 4', 'lines 4 and 9', 'lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more')
    """
    shown = [f"{number:,}" for number in numbers[:MOST_NAMED]]
    rest = len(numbers) - len(shown)
    last = f"{rest:,} more" if rest else shown.pop()
    return f"{'lines' if shown else 'line'} {' and '.join(filter(None, (', '.join(shown), last)))}"
