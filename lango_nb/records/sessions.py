"""Conversations: what was said so far, with the author of every message."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from lango_nb.core.errors import UnknownNameError
from lango_nb.core.messages import USER, Message


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


class Session:
    """One conversation.

    Parameters
    ----------
    session_id : str
    messages : sequence of Message
        What was said before.
    """

    def __init__(self, session_id: str, messages: Sequence[Message] = ()) -> None:
        self.id = session_id
        self.messages: list[Message] = list(messages)
        self.known: set[str] = set()
        """Ids of the turns, and of what runs left after their end, whose messages are among these."""

    def leave(self, messages: Sequence[Message], source: str) -> None:
        """Keep what a run left after its turn had ended.

        Parameters
        ----------
        messages : sequence of Message
        source : str
            Id of the run.
        """
        self.known.add(source)
        self.messages.extend(messages)


class Sessions:
    """All conversations of an engine, in memory."""

    def __init__(self) -> None:
        self._by_id: dict[str, Session] = {}

    def open(self, session_id: str) -> Session:
        """Return a session as it is now, a new one if there is none of that name."""
        return self._by_id.setdefault(session_id, self._new(session_id))

    def save(self) -> None:
        """Write down what could not be before; in memory there is nothing to do."""

    def _new(self, session_id: str) -> Session:
        return Session(session_id)

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
