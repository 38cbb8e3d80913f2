"""Child sessions: an isolated agent works in a session of its own, and its parent gets one message of it.

    parent   user ── root ─┬───────────────────────────────┬── root: "vault reports: …"      merged
                           │ inherits the last messages    ▲   root: "what vault did …"      or discarded
    child                  └─ instruction ── call ── result ┘

While it works, a child sees what it inherited and what itself said; what it said is seen by nobody else.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import islice
from typing import Literal

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import TurnError, shorten
from lango_nb.core.messages import Message, ToolCall

INTERRUPTED = "the call was interrupted before it ended; it is not known what it did"
"""What answers a call that nobody answered."""

_LONGEST_REASON = 200


@dataclass(slots=True, eq=False)
class ChildSession:
    """The session of one isolated piece of work."""

    key: str
    parent_id: str
    """The session it was forked from."""
    agent: str
    inherited: tuple[Message, ...] = ()
    """The end of the parent's conversation, as it was at the fork."""
    messages: list[Message] = field(default_factory=list)
    """What the agent was told and said itself, raw."""
    max_messages: int = 0
    """How many of its own messages are kept in view, beside the work order; 0 keeps all."""
    state: Literal["active", "merged", "discarded"] = "active"

    @property
    def history(self) -> tuple[Message, ...]:
        """What the agent sees: the inherited messages, its work order, and the latest of what followed."""
        own, start = self.messages, self.window
        return (*self.inherited, *own) if start <= 1 else (*self.inherited, own[0], *own[start:])

    @property
    def window(self) -> int:
        """Where the latest of its own messages begin that the agent sees; up to 1 when it sees all of them."""
        own = self.messages
        start = len(own) - self.max_messages if self.max_messages > 0 else 0
        while start > 1 and own[start].role == "tool":  # an answer stays with its call
            start -= 1
        return start


class ChildSessions:
    """The child sessions that are at work, of all sessions of an engine; safe under threads.

    Examples
    --------
    >>> children = ChildSessions()
    >>> said = [Message(role="user", content="Hash it.")]
    >>> child = children.fork("s", "vault", said, inherit=10, key="s:child:vault:1")
    >>> child.messages.append(Message(role="assistant", content="It is 2cf2.", author="vault"))
    >>> children.merge(child, "lango-orchestrator").content
    'vault reports: It is 2cf2.'
    >>> children.merge(child, "lango-orchestrator")
    Traceback (most recent call last):
    ...
    lango_nb.core.errors.TurnError: child session s:child:vault:1 is already merged
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active: dict[str, ChildSession] = {}

    def fork(  # noqa: PLR0913 - all by name but the first three
        self,
        parent_id: str,
        agent: str,
        history: Sequence[Message],
        *,
        inherit: int,
        key: str,
        max_messages: int = 0,
    ) -> ChildSession:
        """Give an agent a session of its own.

        Parameters
        ----------
        parent_id : str
        agent : str
        history : sequence of Message
            The parent's conversation.
        inherit : int
            How many of its last messages the child sees; calls without their answers and answers without their calls
            are left out, system messages are never inherited.
        key : str
            Name of the child session.
        max_messages : int
            How many of its own messages the child keeps in view, beside the work order; 0 keeps all.

        Returns
        -------
        ChildSession

        Raises
        ------
        TurnError
            A child of that key is at work.

        Notes
        -----
        Source: spec 003 "Child Session Isolation".
        """
        child = ChildSession(key, parent_id, agent, inherited_messages(history, inherit), [], max_messages)
        with self._lock:
            if key in self._active:
                raise TurnError(f"child session {key} is at work already; every child needs a key of its own")
            self._active[key] = child
        return child

    def merge(self, child: ChildSession, root: str, summary: str | None = None) -> Message:
        """End a child and return what its parent gets of it.

        Parameters
        ----------
        child : ChildSession
        root : str
            Author of the message.
        summary : str, optional
            What the child came to; its last visible words when absent.

        Returns
        -------
        Message
            One assistant message. A child without visible words is reported as such: nothing raw takes their place.

        Raises
        ------
        TurnError
            It has ended before, or is none of these.
        """
        self._end(child, "merged")
        found = (summarize(child.messages) if summary is None else summary).strip()
        text = f"{child.agent} reports: {found}" if found else _said_nothing(child.agent)
        return Message(role="assistant", content=text, author=root)

    def discard(self, child: ChildSession, root: str, reason: str) -> Message:
        """Throw a child away and return the note its parent gets.

        Parameters
        ----------
        child : ChildSession
        root : str
            Author of the note.
        reason : str
            Why, in a few words: cut to one short line.

        Returns
        -------
        Message
            One assistant message that holds nothing of what the child said.

        Raises
        ------
        TurnError
            It has ended before, or is none of these.
        """
        self._end(child, "discarded")
        why = shorten(" ".join(reason.split()), _LONGEST_REASON) or "no reason given"
        return Message(role="assistant", content=f"{child.agent} failed and its work is discarded: {why}", author=root)

    def active(self) -> tuple[ChildSession, ...]:
        """Return the children at work, in the order in which they were forked."""
        with self._lock:
            return tuple(self._active.values())

    def _end(self, child: ChildSession, state: Literal["merged", "discarded"]) -> None:
        with self._lock:
            if child.state != "active":
                raise TurnError(f"child session {child.key} is already {child.state}")
            if self._active.get(child.key) is not child:
                raise TurnError(f"child session {child.key} was not forked here; only a child at work can end")
            del self._active[child.key]
            child.state = state


def inherited_messages(history: Sequence[Message], most: int | None = None) -> tuple[Message, ...]:
    """Return the end of a conversation as somebody else may see it.

    Parameters
    ----------
    history : sequence of Message
        Only its end is looked at, however long it is.
    most : int, optional
        How many messages at most; all of them when absent.

    Returns
    -------
    tuple of Message
        Without system messages. A call and its answer are both there or both left out; of a message that calls, its
        text stays.

    Examples
    --------
    >>> call = Message(role="assistant", tool_calls=(ToolCall(id="c1", name="fs_read"),))
    >>> answer = Message(role="tool", content="hi", tool_call_id="c1")
    >>> len(inherited_messages([call, answer], 2)), len(inherited_messages([call, answer], 1))
    (2, 0)
    """
    end = list(islice(_paired_backwards(history), None if most is None else max(most, 0)))
    while end and end[-1].role == "tool":  # its call is beyond the cut
        end.pop()
    return tuple(reversed(end))


def summarize(messages: Sequence[Message]) -> str:
    """Return the last visible words of an assistant; empty when there are none.

    Examples
    --------
    >>> said = [Message(role="assistant", content="Done."), Message(role="assistant", content="  ")]
    >>> summarize(said)
    'Done.'
    """
    said = (message.content.strip() for message in reversed(messages) if message.role == "assistant")
    return next((text for text in said if text), "")


def close_dangling(messages: Sequence[Message], author_default: str) -> list[Message]:
    """Make an error answer for every call that nobody answered.

    Parameters
    ----------
    messages : sequence of Message
    author_default : str
        Author where a call's message has none.

    Returns
    -------
    list of Message
        Tool messages by whoever called, in the order of the calls; to be put at the end of the messages.

    Examples
    --------
    >>> call = Message(role="assistant", author="vault", tool_calls=(ToolCall(id="c1", name="crypto_hash"),))
    >>> [(closed.tool_call_id, closed.author, closed.is_error) for closed in close_dangling([call], "root")]
    [('c1', 'vault', True)]
    """
    open_calls: list[tuple[ToolCall, str]] = []
    for message in messages:
        open_calls.extend((call, message.author or author_default) for call in message.tool_calls)
        if message.role == "tool":
            ids = [call.id for call, _ in open_calls]
            if message.tool_call_id in ids:
                del open_calls[ids.index(message.tool_call_id)]
    return [
        Message(
            role="tool", content=INTERRUPTED, author=author, tool_call_id=call.id, tool_name=call.name, is_error=True
        )
        for call, author in open_calls
    ]


def _paired_backwards(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield messages from the last to the first, without calls that have no answer and answers that have no call.

    Answers stand right behind the message that called, as providers want them; one that stands elsewhere answers
    nothing.
    """
    following: list[Message] = []
    for message in reversed(messages):
        if message.role == "system":
            continue
        if message.role == "tool":
            following.append(message)
            continue
        if message.tool_calls:
            answers = {answer.tool_call_id: answer for answer in following}  # the first one counts, and comes last here
            called = {call.id: call for call in message.tool_calls if call.id in answers}
            calls = tuple(called.values())
            yield from (answer for call_id, answer in answers.items() if call_id in called)
            if calls or message.content.strip():
                yield message if calls == message.tool_calls else message.model_copy(update={"tool_calls": calls})
        else:
            yield message
        following.clear()


def _said_nothing(agent: str) -> str:
    return f"{agent} ended without a visible answer (empty_after_tool_use); nothing it did is carried over"
