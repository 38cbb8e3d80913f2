"""What an agent that begins anew has to know of the conversation, written as hints of a delegation and read from them.

delegate(agent_name="reader", goal="and how many words?", hints=[
"Asked before: what's in notes.md?", "Answered: notes.md: …"])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

HEADING = "\n\nHints:\n- "
"""What stands between a goal and its hints in a work order."""
_BEFORE = "Asked before: "
_ANSWER = "Answered: "
_WHOLE = "The whole request: "
_MOST_ANSWERED = 4000
"""Characters of an earlier answer that are passed on."""


class Exchange(NamedTuple):
    """A request and what was answered."""

    request: str
    answer: str


class Told(NamedTuple):
    """A work order without its hints, and what they say."""

    order: str
    before: tuple[Exchange, ...] = ()
    """Earlier requests of the person with their answers."""
    request: str = ""
    """What the person asked for, where the order is a part of it."""


def hints_for(before: Sequence[Exchange], request: str, order: str) -> list[str]:
    """Return what an agent is told beside its goal.

    Examples
    --------
    >>> hints_for([Exchange("what is in a.md?", "a.md: milk")], "and in b.md?", "and in b.md?")
    ['Asked before: what is in a.md?', 'Answered: a.md: milk']
    """
    hints = [hint for one in before for hint in (f"{_BEFORE}{one.request}", f"{_ANSWER}{one.answer[:_MOST_ANSWERED]}")]
    return hints if request == order else [*hints, f"{_WHOLE}{request}"]


def read_hints(text: str) -> Told:
    r"""Take a work order and its hints apart; hints of another kind stay with the order.

    Examples
    --------
    >>> read_hints("count\n\nHints:\n- Asked before: read a.md\n- Answered: a.md:\n  milk")
    Told(order='count', before=(Exchange(request='read a.md', answer='a.md:\nmilk'),), request='')
    >>> read_hints("count\n\nHints:\n- it is large").order
    'count\n\nHints:\n- it is large'
    """
    order, heading, told = text.rpartition(HEADING)
    if not heading or not told.startswith((_BEFORE, _WHOLE)):
        return Told(text)
    before: list[Exchange] = []
    asked = request = ""
    for hint in told.split("\n- "):
        said = hint.replace("\n  ", "\n")
        if said.startswith(_BEFORE):
            asked = said.removeprefix(_BEFORE)
        elif said.startswith(_ANSWER):
            before.append(Exchange(asked, said.removeprefix(_ANSWER)))
        elif said.startswith(_WHOLE):
            request = said.removeprefix(_WHOLE)
    return Told(order, tuple(before), request)
