"""Plain text that lines up: widths as a terminal counts them, tables, bars. No line ends in a space."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest

from lango_nb.core.visible import visible

WIDTH = 100
"""Columns a view may take."""
_GAP = "  "
_NARROWEST = 12
_PIECES = re.compile(" +|[^ ]+")


@lru_cache(maxsize=4096)
def _char_width(char: str) -> int:
    if unicodedata.combining(char) or char in "\ufe0e\ufe0f\u200d":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width(text: str) -> int:
    """Count the columns a text takes in a terminal.

    Examples
    --------
    >>> width("abc"), width("日本")
    (3, 4)
    """
    return len(text) if text.isascii() else sum(map(_char_width, text))


def pad(text: str, columns: int, align: str = "<") -> str:
    """Fill a text up with spaces; ``>`` puts them before it.

    Examples
    --------
    >>> pad("ab", 4), pad("ab", 4, ">")
    ('ab  ', '  ab')
    """
    space = " " * max(0, columns - width(text))
    return space + text if align == ">" else text + space


def cut(text: str, columns: int) -> str:
    """Cut a text to a number of columns.

    Examples
    --------
    >>> cut("abcdef", 4)
    'abc…'
    """
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for char in text:
        used += _char_width(char)
        if used > columns - 1:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def wrap(text: str, columns: int) -> list[str]:
    r"""Break a text into lines; words that are too long are broken, line ends and indents stay.

    Examples
    --------
    >>> wrap("one two three", 8)
    ['one two', 'three']
    """
    lines: list[str] = []
    for paragraph in visible(text).expandtabs(4).split("\n"):
        line = ""
        for piece in _PIECES.findall(paragraph):
            if width(line) + width(piece) <= columns:
                line += piece
                continue
            if line.strip():
                lines.append(line.rstrip())
            line = "" if piece.isspace() else piece
            while width(line) > columns:
                head, line = _split(line, columns)
                lines.append(head)
        lines.append(line.rstrip())
    return lines


def _split(word: str, columns: int) -> tuple[str, str]:
    used = 0
    for place, char in enumerate(word):
        used += _char_width(char)
        if used > columns and place:
            return word[:place], word[place:]
    return word, ""


def indent(text: str, by: str) -> str:
    """Put something before every line that is not empty."""
    return "\n".join((by + line).rstrip() for line in text.split("\n"))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], align: str = "", total: int = WIDTH) -> str:
    """Write a table with a line under its head; cells of the widest columns are wrapped until it fits.

    Parameters
    ----------
    columns : sequence of str, length k
        Heads.
    rows : sequence of sequence of str, length k each
    align : str, optional
        ``<`` or ``>`` per column; left when shorter.
    total : int
        Columns of the terminal.

    Returns
    -------
    str
        Lines without trailing spaces.

    Examples
    --------
    >>> print(table(["agent", "tools"], [["vault", "13"], ["planner", "0"]], "<>"))
    agent    tools
    ───────  ─────
    vault       13
    planner      0
    """
    align = align.ljust(len(columns), "<")
    shown = [[" ".join(visible(cell).split("\n")) for cell in row] for row in rows]
    heads = [visible(head) for head in columns]
    space = total - len(_GAP) * (len(columns) - 1)
    widest = [max([0, *(width(row[place]) for row in shown)]) for place in range(len(heads))]
    sizes = _sizes(heads, widest, space)
    broken = [_broken(head, size) for head, size in zip(heads, sizes, strict=True)]
    lines = [_line(parts, sizes, align) for parts in zip_longest(*broken, fillvalue="")]
    lines.append(_GAP.join("─" * size for size in sizes))
    for row in shown:
        cells = [wrap(cell, size) for cell, size in zip(row, sizes, strict=True)]
        lines += [_line(parts, sizes, align) for parts in zip_longest(*cells, fillvalue="")]
    return "\n".join(lines)


def _sizes(heads: Sequence[str], widest: Sequence[int], space: int) -> list[int]:
    """Say how wide columns are: where there is little room long heads are broken first, then cells, then all heads."""
    sizes: list[int] = []
    for longest in (space, _NARROWEST, 0):
        needed = [width(head) if width(head) <= longest else max(map(width, _pieces(head))) for head in heads]
        wanted = [max(both) for both in zip(needed, widest, strict=True)]
        sizes = wanted if longest == space else _fit(wanted, space)
        if sum(sizes) <= space:
            break
    return sizes


def _pieces(head: str) -> list[str]:
    """Part a head where it may be broken: after its underscores."""
    return re.findall("[^_]*_+|[^_]+", head) or [""]


def _broken(head: str, columns: int) -> list[str]:
    """Break a head into lines of a column.

    Examples
    --------
    >>> _broken("tokens_estimate", 20), _broken("tokens_estimate", 8)
    (['tokens_estimate'], ['tokens_', 'estimate'])
    """
    lines = [""]
    for piece in _pieces(head):
        if lines[-1] and width(lines[-1]) + width(piece) > columns:
            lines.append("")
        lines[-1] += piece
    return lines


def _fit(wanted: list[int], total: int) -> list[int]:
    """Take space from the widest columns until they fit."""
    sizes = [max(1, size) for size in wanted]
    while sum(sizes) > total:
        widest = max(range(len(sizes)), key=sizes.__getitem__)
        if sizes[widest] <= _NARROWEST:
            break
        second = max([size for place, size in enumerate(sizes) if place != widest], default=0)
        sizes[widest] -= max(1, min(sum(sizes) - total, sizes[widest] - max(second, _NARROWEST)))
    return sizes


def _line(cells: Sequence[str], sizes: Sequence[int], align: str) -> str:
    return _GAP.join(pad(cell, size, how) for cell, size, how in zip(cells, sizes, align, strict=False)).rstrip()


def bar(value: float, most: float, columns: int) -> str:
    """Draw a bar of eighths.

    Examples
    --------
    >>> bar(1.5, 4, 8), bar(0, 4, 8)
    ('███', '')
    """
    if most <= 0 or value <= 0:
        return ""
    eighths = round(min(1.0, value / most) * columns * 8)
    whole, rest = divmod(max(1, eighths), 8)
    return "█" * whole + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[rest]


def listing(names: Sequence[str], by: str = "", total: int = WIDTH) -> str:
    """Write names separated by commas, wrapped, with something before every line."""
    return "\n".join((by + line).rstrip() for line in wrap(", ".join(names), max(_NARROWEST, total - width(by))))


def facts(said: Sequence[str], total: int = WIDTH) -> str:
    """Write short facts beside each other, wrapped between them; empty ones are left out.

    Examples
    --------
    >>> facts(["one", "", "two words"])
    'one · two words'
    """
    lines: list[str] = []
    for fact in filter(None, said):
        longer = f"{lines[-1]} · {fact}" if lines else fact
        if lines and width(longer) <= total:
            lines[-1] = longer
        else:
            lines.append(fact)
    return "\n".join(part for line in lines for part in wrap(line, total))
