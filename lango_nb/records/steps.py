"""Model calls of a turn, and what each of them was given: references to messages, never the messages themselves.

    messages of the turn   1 user   2 root   3 root   4 order   5 operator   6 operator   7 root …
    conversation           ""       ""       ""       child     child        child        ""
    step of operator       earlier 8   given ("", 1, 3), (child, 1, 6)

The messages of a turn are numbered over all its conversations, and a conversation is only ever added to. So what stood
in a prompt is a range of each conversation that it was made of, and the end of what earlier turns left in the session:
a few numbers, however long the session is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from lango_nb.core.messages import NO_USAGE, SUMMARY, Message, Usage
from lango_nb.records.child_sessions import inherited_messages

Range = tuple[str, int, int]
"""A conversation, and the first and last position that was given of it, among all messages of the turn, from 1."""
Inherited = tuple[int, tuple[Range, ...]]
"""What a conversation begins with: :attr:`Step.earlier`, and the first of :attr:`Step.given`."""
GivenTo = tuple[int, str, str, str, int, int, tuple[Range, ...]]
"""A :class:`Step` without its usage."""


class Step(NamedTuple):
    """One model call."""

    step: int
    """Its number in the turn, from 1."""
    agent: str
    run_id: str
    """The teammate run it was made in; empty for the turn's own work."""
    conversation: str
    """The conversation that its reply belongs to."""
    messages: int
    """How many messages it was given beside the system prompt, a summary of earlier ones included."""
    earlier: int
    """How many messages of earlier turns it was given: the last ones that these left in the session."""
    given: tuple[Range, ...]
    """Which messages of the turn it was given, in order: what its conversation inherited, then its own."""
    usage: Usage = NO_USAGE
    """What it cost; empty for a call without an answer."""


_LONGEST = 18
"""Digits of a position; what is longer counts nothing."""


def position(message: Message) -> int:
    """Return the position of a message in its turn, from 1; 0 where its id, which somebody else gave it, does not tell.

    Examples
    --------
    >>> position(Message(role="user", id="turn-1.3")), position(Message(role="user", id="mine"))
    (3, 0)
    """
    number = message.id.rpartition(".")[2]
    return int(number) if number.isdecimal() and len(number) <= _LONGEST else 0


def references(messages: Sequence[Message], turn_id: str) -> Inherited:
    """Refer to messages that a conversation inherits.

    Parameters
    ----------
    messages : sequence of Message
        Those of earlier turns first, the last ones that these left.
    turn_id : str

    Returns
    -------
    Inherited

    Examples
    --------
    >>> said = [Message(role="user", id=name) for name in ("turn-1.7", "turn-2.1", "turn-2.2")]
    >>> references(said, "turn-2")
    (1, (('', 1, 2),))
    """
    own = f"{turn_id}."
    start = len(messages)
    while start and messages[start - 1].id.startswith(own):  # the earlier ones may be many, and are only counted
        start -= 1
    has_summary = start > 0 and messages[0].conversation == SUMMARY
    ranges: list[Range] = []
    for message in messages[start:]:
        name, place = message.conversation, position(message)
        if ranges and ranges[-1][0] == name:
            ranges[-1] = (name, ranges[-1][1], place)
        else:
            ranges.append((name, place, place))
    return start - has_summary, tuple(ranges)


def given_to(step: Step, messages: Sequence[Message]) -> list[Message]:
    """Return the messages of its turn that a step was given.

    Parameters
    ----------
    step : Step
    messages : sequence of Message
        The messages of the turn, in order; those that a process took with it when it ended may be missing.

    Returns
    -------
    list of Message
        As they stood in the prompt: a call that was inherited before it was answered is left out of its message.
    """
    inherited: list[Message] = []
    own: list[Message] = []
    for conversation, first, last in step.given:
        part = own if conversation == step.conversation else inherited
        start = bisect_left(messages, first, key=position)
        end = bisect_right(messages, last, lo=start, key=position)
        part += [message for message in messages[start:end] if message.conversation == conversation]
    return [*inherited_messages(inherited), *own]
