"""Work orders: what an agent is told to do, as the request itself or as the lines of a plan, and what goes with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lango_nb.core.errors import shorten
from lango_nb.models.offline.acts import acts
from lango_nb.models.offline.plan import Step, parse, show

HANDED = "\n\nUse this text:\n"
"""Parts a work order from the result of the step before that goes with it."""
LONGEST_HANDED = 20_000
"""Characters of a result that are handed on; a part of a longer one is not passed off as the whole."""
_SHORT_LINES = 5
_SHORT_CHARS = 600


def written(steps: Sequence[Step]) -> str:
    r"""Write steps as a work order, a line for each.

    Examples
    --------
    >>> written([Step("read", {"file": ("a.md",)}), Step("delete", {"file": ("b.md",)})])
    'read a.md\ndelete b.md'
    """
    return "\n".join(show(step) for step in steps)


def read(order: str) -> tuple[Step, ...]:
    r"""Read the steps of a work order; none when any line of it is no plan.

    Examples
    --------
    >>> [step.act for step in read("read a.md\ndelete b.md")], read("please read a.md")
    (['read', 'delete'], ())
    """
    steps = [parse(line) for line in order.splitlines()]
    return tuple(step for step in steps if step is not None) if None not in steps else ()


def hand_on(order: str, text: str) -> str:
    """Write a work order that goes with a text."""
    return f"{order}{HANDED}{text}"


def handed(text: str) -> tuple[str, str | None]:
    r"""Part a work order from the text that goes with it.

    Examples
    --------
    >>> handed(hand_on("save to b.md", "a\nb")), handed("save to b.md")
    (('save to b.md', 'a\nb'), ('save to b.md', None))
    """
    order, mark, given = text.partition(HANDED)
    return (order, given) if mark else (text, None)


def with_given(steps: Sequence[Step], given: str) -> tuple[Step, ...]:
    """Put a text that goes with an order where the first step lacks one."""
    first, *rest = steps
    row = acts().get(first.act)
    role = "text"
    if row is not None and "text" not in row.roles:
        role = next((one for one in row.needed if one not in first.arguments), "text")
    return first.with_arguments(**{role: (given,)}), *rest


def summary_of(text: str) -> str:
    r"""Shorten a text: the first line of each paragraph, a few of them.

    Examples
    --------
    >>> summary_of("# Plan\nWe sail.\n\nAt dawn.\nOr later.")
    '# Plan\nAt dawn.'
    """
    firsts = [block.strip().splitlines()[0].strip() for block in re.split(r"\n\s*\n", text) if block.strip()]
    if len(firsts) == 1:
        firsts = [line.strip() for line in text.strip().splitlines() if line.strip()][: _SHORT_LINES - 2]
    return "\n".join(shorten(line, _SHORT_CHARS // _SHORT_LINES) for line in firsts[:_SHORT_LINES])
