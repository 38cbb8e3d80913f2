"""Results that came back shortened: what they hold is told apart from what is said about them, and parts are joined.

A long result ends in a line of JSON, ``{"_meta": {…, "compressed": true, "storedRef": "…"}}``. The whole of it is kept
for a while under that reference, and ``tool_output_get`` gives it by lines, each with its number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lango_nb.models.offline.conversation import Done
from lango_nb.models.offline.offer import OUTPUT

_BEGIN = '{"_meta"'
_PAGE = re.compile(r"lines ([\d,]+)-([\d,]+) of ([\d,]+):\n")
_NUMBER = re.compile(r"^\d+: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Worked:
    """The tool calls of an agent; the pages of a stored result are in the place of the shortened one."""

    done: tuple[Done, ...]
    was_cut: bool = False
    """Whether any result came back shortened."""
    is_cut: bool = False
    """Whether the last one still is a part of what there was."""
    ref: str = ""
    """Where the rest can be fetched; empty when it cannot."""
    next_line: int = 1
    """First line that was not fetched yet."""
    pages: int = 0


def read_results(done: Sequence[Done], control: Container[str]) -> Worked:
    """Take what is said about results out of them, and join what was fetched.

    Parameters
    ----------
    done : sequence of Done
    control : container of str
        Names of the control tools: what they gave is no result of the request.

    Returns
    -------
    Worked
    """
    worked = Worked(())
    for one in done:
        is_page = one.call.name == OUTPUT and OUTPUT in control
        if is_page and one.call.arguments.get("mode") == "range" and not one.result.is_error:
            worked = _turn_page(worked, one)
        elif is_page or one.call.name not in control:
            text, meta = split_meta(one.result.content)
            is_cut = bool(meta.get("compressed"))
            worked = Worked(
                (*worked.done, one if not meta else _with_text(one, text)),
                worked.was_cut or is_cut,
                is_cut,
                str(meta.get("storedRef") or ""),
            )
    return worked


def split_meta(text: str) -> tuple[str, Mapping[str, Any]]:
    r"""Split a result into what it holds and what is said about its size.

    Examples
    --------
    >>> split_meta('a\nb\n{"_meta": {"compressed": true, "storedRef": "out-1"}}')
    ('a\nb', {'compressed': True, 'storedRef': 'out-1'})
    >>> split_meta("a\nb\n")
    ('a\nb\n', {})
    """
    if _BEGIN not in text:
        return text, {}
    body, _, last = text.rstrip().rpartition("\n")
    if not last.startswith(_BEGIN):
        return text, {}
    try:
        meta = json.loads(last)["_meta"]
    except (ValueError, KeyError):
        return text, {}
    return (body, meta) if isinstance(meta, dict) else (text, {})


def _turn_page(worked: Worked, page: Done) -> Worked:
    """Put one page behind those before it."""
    head = _PAGE.match(page.result.content)
    if head is None or not worked.done:
        return worked
    last, of = (int(head[group].replace(",", "")) for group in (2, 3))
    text = _NUMBER.sub("", page.result.content[head.end() :])
    *before, cut = worked.done
    whole = f"{cut.result.content}\n{text}" if worked.pages else text
    return Worked((*before, _with_text(cut, whole)), True, last < of, worked.ref, last + 1, worked.pages + 1)


def _with_text(done: Done, text: str) -> Done:
    return Done(done.call, done.result.model_copy(update={"content": text}))
