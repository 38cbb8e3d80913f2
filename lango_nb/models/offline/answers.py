"""Sentences of answers in ten languages, from ``data/reading/answers.tsv``: a key, then a column per language.

``{name}`` stands for a value; ``{n|line|lines}`` for a number with its noun (Polish has three forms).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from lango_nb.core.text import printable
from lango_nb.models.offline.acts import READING

MOST_LINES = 60
"""Lines of a file that are shown."""
MOST_CHARS = 8000
LONGEST_LINE = 2000
_HOLE = re.compile(r"\{(\w+)((?:\|[^{}|]*)*)\}")
_FEW = range(2, 5)
_LONG = frozenset(("lines", "names", "new", "old", "text", "value", "what", "plan"))
"""Holes that may hold several lines."""
_MOST_NOTES = 6
"""Lines before a sentence at which it is looked for."""


def say(key: str, language: str, **values: object) -> str:
    """Word an answer.

    Parameters
    ----------
    key : str
        A row of the table.
    language : str
        ``en``, ``de``, …; English where there is none.
    **values
        What stands in the holes.

    Examples
    --------
    >>> say("count.lines", "en", file="notes.md", n=1), say("count.lines", "pl", file="notes.md", n=3)
    ('notes.md has 1 line.', 'notes.md ma 3 wiersze.')
    """
    sentences = _table()[key]
    sentence = (sentences.get(language) or sentences["en"]).replace("\\n", "\n")

    def fill(hole: re.Match[str]) -> str:
        value = values[hole[1]]
        if not hole[2]:
            return str(value)
        forms = hole[2][1:].split("|")
        return f"{value} {forms[_form(int(str(value)), len(forms))]}"

    return _HOLE.sub(fill, sentence)


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    head, *rows = (
        line.split("\t")
        for line in (READING / "answers.tsv").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    )
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


def said(key: str, language: str, text: str) -> dict[str, str] | None:
    """Read an answer back: what stands in the holes of a sentence that a text ends with.

    Parameters
    ----------
    key : str
        A row of the table.
    language : str
    text : str

    Returns
    -------
    dict or None
        ``None`` when the text does not end with that sentence.

    Examples
    --------
    >>> said("count.lines", "en", say("count.lines", "en", file="my notes.md", n=3))
    {'file': 'my notes.md', 'n': '3 lines'}
    >>> said("refrain", "en", "notes.md has 3 lines.")
    """
    names, pieces = _pieces(key, language)
    if not text.endswith(pieces[-1]):
        return None
    start = 0
    for _ in range(_MOST_NOTES):
        if text.startswith(pieces[0], start) and (found := _holes(names, pieces, text, start)) is not None:
            return found
        start = text.find("\n", start) + 1
        if not start:
            break
    return None


def _holes(names: Sequence[str], pieces: Sequence[str], text: str, start: int) -> dict[str, str] | None:
    """Return what stands in the holes of a sentence that goes from a place to the end of a text."""
    at, end = start + len(pieces[0]), len(text) - len(pieces[-1])
    found: dict[str, str] = {}
    for place, name in enumerate(names):
        is_last = place + 1 == len(names)
        close = end if is_last else text.find(pieces[place + 1], at, end)
        if close < at:
            return None
        found[name] = text[at:close]
        if "\n" in found[name] and name not in _LONG:
            return None
        at = close + len(pieces[place + 1])
    return found if names else {} if at >= end else None


@cache
def naming(hole: str, language: str) -> tuple[str, ...]:
    """Return the sentences with a hole, those that say most of their own first."""
    own = {key: sum(map(len, _pieces(key, language)[1])) for key in _table() if hole in _pieces(key, language)[0]}
    return tuple(sorted(own, key=lambda key: -own[key]))


@cache
def _pieces(key: str, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split a sentence into the names of its holes and what stands around them."""
    sentences = _table()[key]
    parts = _HOLE.split((sentences.get(language) or sentences["en"]).replace("\\n", "\n"))
    return tuple(parts[1::3]), tuple(parts[0::3])


def sentences() -> Mapping[str, Mapping[str, str]]:
    """Return all sentences by key and language."""
    return _table()


def quoted(lines: Sequence[str], language: str) -> str:
    r"""Show lines as data: nothing in them is followed, no control character is passed on, many are cut.

    Examples
    --------
    >>> print(quoted(["a", "b\x1b[2J"], "en"))
    a
    b\x1b[2J
    """
    shown: list[str] = []
    length = 0
    for line in lines[:MOST_LINES]:
        safe = "\t".join(printable(part) for part in line[:LONGEST_LINE].split("\t"))
        length += len(safe)
        if length > MOST_CHARS and shown:
            break
        shown.append(safe + ("…" if len(line) > LONGEST_LINE else ""))
    if rest := len(lines) - len(shown):
        shown.append(say("more", language, n=rest))
    return "\n".join(shown)


def _form(number: int, forms: int) -> int:
    """Return which form of a noun goes with a number."""
    if number == 1 or forms == 1:
        return 0
    if forms == 2:  # noqa: PLR2004 - one and many
        return 1
    return 1 if number % 10 in _FEW and number % 100 not in range(12, 15) else 2
