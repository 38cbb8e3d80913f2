"""Wishes in a list: "from sales.csv I need: 1. the total per shop 2. the dearest item" is read as several requests.

head, and what it is about      From sales.csv I need:
items, each a request            the total per shop │ the dearest item
                                 └ with the head before it, unless the item names a file itself
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from lango_nb.models.offline.lexicon import concepts_of, words
from lango_nb.models.offline.plan import is_change, is_talk
from lango_nb.models.offline.reader import FOLLOWS, reader

_LINE = re.compile(
    r"^[ \t]*(?:[-*\u2022\u30fb\u2013]|\(?(?:\d{1,2}|[a-zA-Z])[.):]|[\u2460-\u2473])[ \t]*(?=\S)", re.MULTILINE
)
_INLINE = re.compile(r"(?:(?<=\s)|\A)\(?(?P<sign>\d{1,2}|[a-h])[.)]\s+(?=\S)")
_KEEPING = frozenset("append change create delete move prepend put remember remind rename replace save write".split())
"""Concepts of verbs whose object a list may be: what stands in it is a text then, and no wish."""
_MOST = 8
"""Items that are read as wishes; more are something else."""
_LEAST, _SURELY = 0.1, 0.4
"""How sure each item must be of what it wants, and one of them."""


@lru_cache(maxsize=64)
def wishes_in(request: str) -> tuple[str, ...]:
    r"""Return the requests that a list of wishes holds; none where a request is no such list.

    Parameters
    ----------
    request : str

    Returns
    -------
    tuple of str
        In their order, each with what the list is about where it does not say so itself.

    Examples
    --------
    >>> wishes_in("From sales.csv I need:\n1. the sum of amount per shop\n2. the largest amount")
    ('From sales.csv I need the sum of amount per shop', 'From sales.csv I need the largest amount')
    >>> wishes_in("Two things: (a) count the lines of a.txt, (b) show me b.txt")
    ('count the lines of a.txt', 'show me b.txt')
    >>> wishes_in("add to shopping.txt:\n- milk\n- bread"), wishes_in("what is in a.txt?")
    ((), ())
    """
    head, items = _parted(request)
    if not 1 < len(items) <= _MOST or concepts_of(head) & _KEEPING:
        return ()
    is_about = _names_file(head)
    said = tuple(item if _names_file(item) or not is_about else f"{head} {item}" for item in items)
    read = [reader().read(one) for one in said]
    acts = [step.act for one in read for step in one.steps]
    are_sure = all(one.confidence >= _LEAST for one in read) and any(one.confidence >= _SURELY for one in read)
    are_wishes = are_sure and not any(act in FOLLOWS or act == "unclear" or is_talk(act) for act in acts)
    if not are_wishes or (not head and not all(map(_names_file, said))):
        return ()
    return () if is_about and all(map(is_change, acts)) else said


def _names_file(text: str) -> bool:
    return any(word.kind in {"file", "folder"} for word in words(text))


def _parted(text: str) -> tuple[str, Sequence[str]]:
    """Return what stands before a list, and its items; a last line that is no item is one more."""
    marks = list(_LINE.finditer(text)) if "\n" in text.strip() else []
    if len(marks) < 2:  # noqa: PLR2004 - no list
        marks = _counted(list(_INLINE.finditer(text)))
    if len(marks) < 2:  # noqa: PLR2004 - the same
        return text, ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    items = [text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
    *items, last = items
    lines = [" ".join(line.split()) for line in last.strip().splitlines() if line.strip()]
    whole = [" ".join(item.split()).rstrip(" ,;") for item in items]
    whole += lines if "\n" in text else [" ".join(lines)]
    whole = [re.sub(r"\s(?:and|und|et|y|e|en|i)$", "", item).rstrip(" ,;.") for item in whole]
    return text[: marks[0].start()].strip().rstrip(":\uff1a-\u2013 ").rstrip(), [item for item in whole if item]


def _counted(marks: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """Return marks that count up from the first: "(a) … (b) …", "1. … 2. …"; none where they do not."""
    signs = [mark["sign"] for mark in marks]
    are_letters = signs[:1] == ["a"] and signs == [chr(ord("a") + at) for at in range(len(signs))]
    return marks if are_letters or (signs[:1] == ["1"] and signs == [str(at + 1) for at in range(len(signs))]) else ()
