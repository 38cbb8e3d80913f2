"""Conversations: what was said so far, with the author of every message."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from lango_nb.core.errors import UnknownNameError
from lango_nb.core.messages import USER, Message
from lango_nb.core.text import CHARS_PER_TOKEN
from lango_nb.records.excerpt import Excerpt
from lango_nb.records.summaries import Summary


def author_of(message: Message, root: str, known: Collection[str] | None = None) -> str:
    """Say who a stored message is by.

    Parameters
    ----------
    message : Message
    root : str
        Name of the root agent: author of assistant messages that were stored without one.
    known : collection of str, optional
        Names in the present tree. An author who is not among them (the topology changed since) counts as the root, so
        that no event ever has an author the tree does not know.

    Returns
    -------
    str
        ``user``, or the name of an agent.

    Notes
    -----
    Source: spec 000 "Event Author Identity", spec 001 D1 and D2.

    Examples
    --------
    >>> author_of(Message(role="assistant", content="hi"), "lango-orchestrator")
    'lango-orchestrator'
    >>> author_of(Message(role="assistant", content="hi", author="vault"), "lango-orchestrator")
    'vault'
    """
    if message.role == "user":
        return USER
    author = message.author or root
    return author if known is None or author in known else root


MOST_TOKENS = 100_000
"""How much of a conversation is kept at hand, unless a setting says otherwise; records have all of it."""
_SLACK = 1.25
"""How much more than that may gather before the oldest part is let go of."""


_FRAME = 4
"""Tokens of a message beside its text."""


def tokens_of(message: Message) -> int:
    """Return about how many tokens a message takes: four characters each, and some for its frame.

    Parameters
    ----------
    message : Message

    Returns
    -------
    int

    Examples
    --------
    >>> tokens_of(Message(role="user", content="how many lines?", author="user"))
    7
    """
    if not message.tool_calls:
        return len(message.content) // CHARS_PER_TOKEN + _FRAME
    calls = sum([len(call.name) + _length(call.arguments) for call in message.tool_calls])
    return (len(message.content) + calls) // CHARS_PER_TOKEN + _FRAME


def _length(arguments: Mapping[str, object]) -> int:
    """Return about how many characters arguments take."""
    length = 2
    for name, value in arguments.items():
        length += len(name) + len(value if value.__class__ is str else str(value)) + 8
    return length


def tokens_in(messages: Sequence[Message]) -> int:
    """Return about how many tokens messages take together, in half the time.

    Examples
    --------
    >>> said = [Message(role="user", content="how many lines?"), Message(role="assistant", content="Two.")]
    >>> tokens_in(said) == sum(map(tokens_of, said))
    True
    """
    each, frame = CHARS_PER_TOKEN, _FRAME
    return sum([tokens_of(one) if one.tool_calls else len(one.content) // each + frame for one in messages])


def is_request(message: Message) -> bool:
    """Tell whether a person wrote a message: an exchange begins with it."""
    return message.role == "user" and message.author in {USER, None}


class Given(NamedTuple):
    """The part of a conversation that fits into a number of tokens."""

    messages: Sequence[Message]
    tokens: int
    dropped: int
    """How many messages before it do not fit; at least one where nobody counted them."""
    summary: Summary | None = None
    """What stands for them, or for the older ones of them."""


class Session:
    """One conversation, as far back as a model may be given it.

    Parameters
    ----------
    session_id : str
    messages : sequence of Message
        What was said before.
    most_tokens : int
        How much of it is kept at hand.
    """

    def __init__(self, session_id: str, messages: Sequence[Message] = (), most_tokens: int = MOST_TOKENS) -> None:
        self.id = session_id
        self.messages: list[Message] = []
        """The latest messages; what was said before them is in the records."""
        self.dropped = 0
        """How many messages there were before these; at least one where nobody counted them."""
        self.known: set[str] = set()
        """Ids of the latest turns, and of what runs left after theirs, whose messages are among these."""
        self.most_tokens = most_tokens
        self._tokens = 0
        self._starts: dict[int, tuple[int, int]] = {}
        """By number of tokens: where the part begins that fits, and how many tokens that part has."""
        self._summaries: dict[int, Summary] = {}
        """By number of tokens: what stands for what is before that part."""
        self.tried: dict[int, str] = {}
        """By number of tokens: up to which request a summary was asked for; one that failed is not asked for again."""
        if messages:
            self.add(messages)

    def add(self, messages: Sequence[Message]) -> None:
        """Go on with the conversation; the oldest whole exchanges go when it is far longer than anybody is given."""
        added = tokens_in(messages)
        self.messages.extend(messages)
        self._tokens += added
        if self._starts:
            self._starts = {most: (start, tokens + added) for most, (start, tokens) in self._starts.items()}
        if self._tokens > self.most_tokens * _SLACK:
            self._let_go()

    @property
    def tokens(self) -> int:
        """About how many tokens the messages have that are kept at hand."""
        return self._tokens

    def add_before(self, messages: Sequence[Message]) -> None:
        """Put earlier messages before what is known of a conversation."""
        self.messages = [*messages, *self.messages]
        self._tokens += tokens_in(messages)
        self._starts.clear()

    def given(self, most_tokens: int | None = None) -> Given:
        """Return the latest whole exchanges that fit into a number of tokens.

        Parameters
        ----------
        most_tokens : int, optional
            What is kept at hand when absent.

        Returns
        -------
        Given
            Never a part of an exchange: a call is not without its result.
        """
        most = self.most_tokens if most_tokens is None else most_tokens
        start, tokens = self._starts.get(most, (0, self._tokens))
        while tokens > most and start < len(self.messages):
            end = self._exchange_after(start)
            tokens -= tokens_in(self.messages[start:end])
            start = end
        self._starts[most] = start, tokens
        messages = Excerpt((self.messages, start)) if start < len(self.messages) else ()
        return Given(messages, tokens, self.dropped + start)

    def given_with_summary(self, most_tokens: int) -> Given:
        """Return the same with what stands for the rest, which takes its part of the tokens.

        Parameters
        ----------
        most_tokens : int

        Returns
        -------
        Given
            When more than fits was said, half of the tokens are left free, so that not every turn needs a summary; the
            last exchange stays if it fits.
        """
        summary = self.summary(most_tokens)
        room = most_tokens - (tokens_of(summary.message("")) if summary is not None else 0)
        start, tokens = self._starts.get(most_tokens, (0, self._tokens))
        summed_up = self._summed_up(summary)
        if summed_up > start:
            tokens -= tokens_in(self.messages[start:summed_up])
            start = summed_up
        most = room
        while tokens > most and start < len(self.messages):
            end = self._exchange_after(start)
            if tokens <= room and end == len(self.messages):
                break
            tokens -= tokens_in(self.messages[start:end])
            start, most = end, room // 2
        self._starts[most_tokens] = start, tokens
        dropped = max(self.dropped + start, summary.dropped if summary is not None else 0)
        return Given(Excerpt((self.messages, start)), tokens, dropped, summary)

    def left_out(self, most_tokens: int) -> list[Message]:
        """Return what :meth:`given_with_summary` leaves out and no summary stands for, as far as it is at hand."""
        self.given_with_summary(most_tokens)
        return self.messages[self._summed_up(self.summary(most_tokens)) : self._starts[most_tokens][0]]

    def summary(self, most_tokens: int) -> Summary | None:
        """Return the latest summary that was made for a number of tokens."""
        return self._summaries.get(most_tokens)

    def sum_up(self, summary: Summary) -> None:
        """Let a summary stand for what is left out; whoever made it has an event of it written down."""
        before = self._summaries.get(summary.limit_tokens)
        if before is None or before.dropped <= summary.dropped:
            self._summaries[summary.limit_tokens] = summary

    def _summed_up(self, summary: Summary | None) -> int:
        """Return where the part begins that a summary does not stand for."""
        if summary is None or not summary.through:
            return 0
        ids = (place for place in range(len(self.messages) - 1, -1, -1) if self.messages[place].id == summary.through)
        place = next(ids, None)
        return 0 if place is None else self._exchange_after(place)

    def _exchange_after(self, start: int) -> int:
        """Return where the next exchange begins: with what a person wrote."""
        end = start + 1
        while end < len(self.messages) and not is_request(self.messages[end]):
            end += 1
        return end

    def _let_go(self) -> None:
        gone = len(self.messages) - len(self.given(self.most_tokens).messages)
        self._tokens -= tokens_in(self.messages[:gone])
        self.messages = self.messages[gone:]  # others still read the old ones
        self.dropped += gone
        self._starts.clear()

    def hear(self, messages: Sequence[Message], turn_id: str) -> None:
        """Keep what later turns see of a turn.

        Parameters
        ----------
        messages : sequence of Message
        turn_id : str
        """
        self.known.add(turn_id)
        self.add(messages)

    def leave(self, messages: Sequence[Message], source: str) -> None:
        """Keep what a run left after its turn had ended.

        Parameters
        ----------
        messages : sequence of Message
        source : str
            Id of the run.
        """
        self.known.add(source)
        self.add(messages)


class Sessions:
    """All conversations of an engine, in memory.

    Parameters
    ----------
    most_tokens : int
        How much of each is kept at hand.
    """

    def __init__(self, most_tokens: int = MOST_TOKENS) -> None:
        self.most_tokens = most_tokens
        self._by_id: dict[str, Session] = {}

    def open(self, session_id: str) -> Session:
        """Return a session as it is now, a new one if there is none of that name."""
        found = self._by_id.get(session_id)
        return found if found is not None else self._by_id.setdefault(session_id, self._new(session_id))

    def save(self) -> None:
        """Write down what could not be before; in memory there is nothing to do."""

    def _new(self, session_id: str) -> Session:
        return Session(session_id, most_tokens=self.most_tokens)

    def get(self, session_id: str) -> Session:
        """Return a session that exists.

        Raises
        ------
        UnknownNameError
            There is none of that name.
        """
        if session_id not in self.names():
            raise UnknownNameError("session", session_id, self.names())
        return self.open(session_id)

    def names(self) -> list[str]:
        """Return the names of all sessions, in order of creation."""
        return list(self._by_id)

    def __iter__(self) -> Iterator[Session]:
        """Iterate in order of creation."""
        return iter([self.open(name) for name in self.names()])

    def __len__(self) -> int:
        """Count the sessions."""
        return len(self.names())
