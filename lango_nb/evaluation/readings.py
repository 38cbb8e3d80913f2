"""Requests with what they mean: what the reader learns from, and is measured on.

A file per author in ``data/reading/requests``, a line per turn, four columns with tabs between them: the turn (0 opens
a conversation), the language, the plan, and the text with its arguments marked::

    0  en  count.words           how many words does {file notes.md} have
    1  en  same                  and {file todo.txt}?
    0  de  search>write          such {find Miete} in {file=ausgaben.csv den Ausgaben}, schreib es in {to miete.txt}
    0  en  folder.make // move   make a folder {to old} // and move {file "summer plan.txt"} there

A mark is a role and the words that say it; a value behind ``=`` is what they mean. A literal brace is doubled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lango_nb.core.errors import UsageError
from lango_nb.models.offline.plan import READING

REQUESTS = "requests"
STEPS = " // "
_MARK = re.compile(r"\{(?!\{)(\w+)(?:=(\"[^\"]*\"|[^\s}]+))?(?:\s((?:[^{}]|\{\{|\}\})*))?\}(?!\}(?!\}))")
_CUT = re.compile(r"\s//\s")
_COLUMNS = 4
_PASSING = frozenset(("yes", "no", "undo", "talk", "unclear", "about.you", "about.agents", "about.why", "about.switch"))
"""Acts that leave what was spoken of before as it was."""


class Span(NamedTuple):
    """Words of a request that say an argument."""

    role: str
    start: int
    end: int
    value: str
    """What they mean; the words themselves where that is the same."""


class MarkedStep(NamedTuple):
    """One step of a request."""

    act: str
    destination: str
    text: str
    spans: tuple[Span, ...]


class Marked(NamedTuple):
    """One turn of a conversation with what it means."""

    author: str
    language: str
    turn: int
    text: str
    begins: tuple[int, ...]
    """Where its second step begins, and so on."""
    steps: tuple[MarkedStep, ...]
    before: str | None
    """Act that was carried out last; ``None`` at the beginning of a conversation."""


def read_marked(text: str, author: str) -> Iterator[Marked]:
    r"""Read an author's requests.

    Parameters
    ----------
    text : str
    author : str

    Yields
    ------
    Marked

    Raises
    ------
    UsageError
        A line is none; the message names the author and the line.

    Examples
    --------
    >>> (turn,) = read_marked("0\ten\tread\topen {file=notes.md my notes}", "a")
    >>> turn.text, turn.steps[0].spans[0].value
    ('open my notes', 'notes.md')
    """
    before: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != _COLUMNS or not columns[0].isdigit():
            raise UsageError(
                f"requests of {author}, line {number}: turn, language, plan and text are wanted, with tabs"
            )
        turn, language, plan, marked = columns
        plans, pieces = plan.split(STEPS), _CUT.split(marked)
        if len(plans) != len(pieces):
            raise UsageError(
                f"requests of {author}, line {number}: {len(plans)} steps are planned, {len(pieces)} are said"
            )
        before = None if turn == "0" else before
        steps = tuple(_step(act, piece) for act, piece in zip(plans, pieces, strict=True))
        text_of = " ".join(step.text for step in steps)
        begins, at = [], 0
        for step in steps[:-1]:
            at += len(step.text) + 1
            begins.append(at)
        yield Marked(author, language, int(turn), text_of, tuple(begins), steps, before)
        last = steps[-1].act
        if last not in _PASSING and not (last in {"same", "fix"} and before):
            before = last


def _step(plan: str, piece: str) -> MarkedStep:
    act, _, destination = plan.partition(">")
    text, spans, at = "", [], 0
    for mark in _MARK.finditer(piece):
        text += _plain(piece[at : mark.start()])
        value = (mark[2] or "").strip('"')
        words = _plain(mark[3]) if mark[3] is not None else value
        start = len(text) + len(words) - len(words.lstrip())
        spans.append(Span(mark[1], start, len(text) + len(words.rstrip()), _plain(value) or words.strip()))
        text += words
        at = mark.end()
    return MarkedStep(act, destination, text + _plain(piece[at:]), tuple(spans))


def _plain(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


@cache
def marked_requests(folder: Path | None = None) -> tuple[Marked, ...]:
    """Return the requests of all authors, those of a folder when one is given."""
    files = sorted((folder or READING / REQUESTS).glob("*.tsv"))
    return tuple(turn for file in files for turn in read_marked(file.read_text(encoding="utf-8"), file.stem))
