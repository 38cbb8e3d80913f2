"""A conversation as providers take it, whoever of ours said what.

    system   the prompt of the agent that is asked             first
    user     people, work orders, notes of the runtime
             what other agents said, called and were answered   as text: it is not the asked agent's own
    reply    the asked agent's own texts and calls
    answers  of every call, exactly one each, right behind the reply

Each message is converted once: messages are frozen, and a conversation only grows. Nothing here knows a provider's
library; how a part is made is told by a :class:`Maker`.
"""

from __future__ import annotations

import hashlib
import json
import re
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import Message, ToolCall

Part = TypeVar("Part")
_Made_co = TypeVar("_Made_co", covariant=True)

GO_ON = "Go on."
"""Said where the agent spoke last: providers answer a request, not a reply."""
BEFORE = "(What was said before is not shown.)"
"""Said where the first words would be the agent's own."""
NOTHING = "(empty)"
"""Stands for an answer without a word: some providers refuse texts that are empty."""
UNANSWERED = "the call was interrupted before it ended; it is not known what it did"
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64
_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_SHORT_ID = re.compile(r"[A-Za-z0-9]{9}")


class Maker(Protocol[_Made_co]):
    """Makes the parts of a provider's messages."""

    def system(self, text: str) -> _Made_co:
        """Make a part of the prompt."""
        ...

    def user(self, text: str) -> _Made_co:
        """Make what a user says."""
        ...

    def text(self, text: str) -> _Made_co:
        """Make what the model said."""
        ...

    def call(self, call_id: str, name: str, arguments: Mapping[str, JsonValue]) -> _Made_co:
        """Make a call the model asked for."""
        ...

    def answer(self, call_id: str, name: str, text: str, *, is_error: bool) -> _Made_co:
        """Make the answer to a call."""
        ...


@dataclass(slots=True)
class Block(Generic[Part]):
    """Parts that one side says in a row."""

    is_reply: bool
    parts: list[Part]


@dataclass(slots=True)
class _Calls(Generic[Part]):
    """The calls of one reply, and the answers that were found."""

    ids: dict[str, tuple[str, str]]
    """By the call's own id: the id that is sent, and the name."""
    answers: dict[str, Part] = field(default_factory=dict)


class Transcript(Generic[Part]):
    """Puts messages into the order and shape providers take.

    Parameters
    ----------
    maker : Maker
    call_id : callable
        Makes an id of a call one that the provider takes.
    """

    def __init__(self, maker: Maker[Part], call_id: Callable[[str], str]) -> None:
        self._maker = maker
        self._call_id = call_id
        self._made: dict[tuple[int, bool], tuple[weakref.ref[Message], tuple[Part, ...]]] = {}
        self.conversions = 0
        """Messages that were converted so far."""

    def arrange(self, messages: Sequence[Message]) -> list[Block[Part]]:
        """Arrange a conversation.

        Parameters
        ----------
        messages : sequence of Message
            The prompt of the agent that is asked first; its author is that agent.

        Returns
        -------
        list of Block
            Requests and replies in turn; the first and the last are requests.
        """
        me = messages[0].author if messages and messages[0].role == "system" else None
        prompt: list[Part] = []
        items: list[Block[Part] | _Calls[Part]] = []
        open_calls: list[_Calls[Part]] = []
        sent: set[str] = set()
        for message in messages:
            if message.role == "system" and not items:
                prompt += self._converted(message, is_own=True)
                continue
            is_own = me is None or message.author is None or message.author == me
            call_id = message.tool_call_id
            calls = _waiting(open_calls, call_id) if message.role == "tool" else None
            if calls is not None and call_id is not None:
                calls.answers[call_id] = self._answer(message, *calls.ids[call_id])
            elif message.role == "assistant" and is_own and message.tool_calls:
                block, calls = self._calling(message, sent)
                items += (block, calls)
                open_calls.append(calls)
            else:
                is_reply = message.role == "assistant" and is_own
                items.append(Block(is_reply, [*self._converted(message, is_own=is_reply)]))
        return self._folded(prompt, items)

    def _calling(self, message: Message, sent: set[str]) -> tuple[Block[Part], _Calls[Part]]:
        """Convert a reply with calls; an id that was sent before gets a number, because providers take each once."""
        ids: dict[str, tuple[str, str]] = {}
        is_new = True
        for call in message.tool_calls:
            wanted = unique = self._call_id(call.id)
            number = 1
            while unique in sent:
                number += 1
                unique = self._call_id(f"{call.id}-{number}")
            is_new = is_new and unique == wanted
            sent.add(unique)
            ids[call.id] = (unique, safe_name(call.name))
        if is_new and len(ids) == len(message.tool_calls):
            parts = self._converted(message, is_own=True)
        else:
            parts = self._reply(message, {name: sent_as for name, (sent_as, _) in ids.items()})
        return Block(is_reply=True, parts=[*parts]), _Calls(ids)

    def _answer(self, message: Message, call_id: str, name: str) -> Part:
        key = (id(message), True)
        known = self._made.get(key)
        if known is not None and call_id == self._call_id(message.tool_call_id or ""):
            return known[1][0]
        self.conversions += 1
        text = clean(message.content)
        part = self._maker.answer(call_id, name, text if text.strip() else NOTHING, is_error=message.is_error)
        if call_id == self._call_id(message.tool_call_id or ""):
            self._keep(key, message, (part,))
        return part

    def _converted(self, message: Message, *, is_own: bool) -> tuple[Part, ...]:
        """Return the parts of a message, made once; as the asked agent's own, or as what somebody else said."""
        key = (id(message), is_own)
        known = self._made.get(key)
        if known is not None:
            return known[1]
        self.conversions += 1
        text = clean(message.content)
        parts: tuple[Part, ...]
        if message.role == "system" and is_own:
            parts = (self._maker.system(text),) if text.strip() else ()
        elif message.role in {"system", "user"}:
            parts = (self._maker.user(text),) if text.strip() else ()
        elif message.role == "assistant" and is_own:
            parts = self._reply(message, {call.id: self._call_id(call.id) for call in message.tool_calls})
        else:
            told = _told(message, text)
            parts = (self._maker.user(told),) if told else ()
        self._keep(key, message, parts)
        return parts

    def _reply(self, message: Message, ids: Mapping[str, str]) -> tuple[Part, ...]:
        text = clean(message.content).strip()
        said = (self._maker.text(text),) if text else ()
        once = {call.id: call for call in message.tool_calls}
        calls = (self._maker.call(ids[call.id], safe_name(call.name), call.arguments) for call in once.values())
        return (*said, *calls)

    def _keep(self, key: tuple[int, bool], message: Message, parts: tuple[Part, ...]) -> None:
        made = self._made

        def forget(_gone: weakref.ref[Message]) -> None:
            made.pop(key, None)

        made[key] = (weakref.ref(message, forget), parts)

    def _folded(self, prompt: list[Part], items: Sequence[Block[Part] | _Calls[Part]]) -> list[Block[Part]]:
        """Join what one side says in a row, answer what nobody answered, and let a user have the last word."""
        first = Block(is_reply=False, parts=prompt)
        blocks, is_empty = [first], True
        for item in items:
            block = self._answers(item) if isinstance(item, _Calls) else item
            if not block.parts:
                continue
            if block.is_reply and is_empty:
                first.parts.append(self._maker.user(BEFORE))
            is_empty = False
            if blocks[-1].is_reply == block.is_reply:
                blocks[-1].parts += block.parts
            else:
                blocks.append(block)
        if blocks[-1].is_reply:
            blocks.append(Block(is_reply=False, parts=[]))
        if is_empty or not blocks[-1].parts:
            blocks[-1].parts.append(self._maker.user(GO_ON))
        return blocks

    def _answers(self, calls: _Calls[Part]) -> Block[Part]:
        """Put the answers into the order of their calls."""
        found = calls.answers
        parts = [
            found[own] if own in found else self._maker.answer(sent, name, UNANSWERED, is_error=True)
            for own, (sent, name) in calls.ids.items()
        ]
        return Block(is_reply=False, parts=parts)


def _waiting(open_calls: Sequence[_Calls[Part]], call_id: str | None) -> _Calls[Part] | None:
    """Find the latest calls among which one of this id waits for its answer."""
    return next(
        (
            calls
            for calls in reversed(open_calls)
            if call_id is not None and call_id in calls.ids and call_id not in calls.answers
        ),
        None,
    )


def _told(message: Message, text: str) -> str:
    """Word what somebody else said or was answered; empty when it is nothing."""
    who = message.author or "an agent"
    if message.role == "tool":
        how = "failed with" if message.is_error else "answered"
        return f"[{message.tool_name or 'a tool'}, called by {who}, {how}] {text.strip() or NOTHING}"
    lines = [f"[{who} said] {text.strip()}"] if text.strip() else []
    lines += [f"[{who} called {safe_name(call.name)}] {_arguments(call)}" for call in message.tool_calls]
    return "\n".join(lines)


def _arguments(call: ToolCall) -> str:
    return clean(json.dumps(call.arguments, ensure_ascii=False, default=str))


def clean(text: str) -> str:
    r"""Return a text that can be sent: half of a pair of surrogates has no place in UTF-8.

    Examples
    --------
    >>> clean("caf\u00e9 \ud83d")
    'café ?'
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def safe_name(name: str) -> str:
    """Return a tool's name as providers take it back: a model may have called anything.

    Examples
    --------
    >>> safe_name("fs.read file"), safe_name("")
    ('fs_read_file', 'unnamed')
    """
    return _NOT_IN_NAME.sub("_", name)[:_LONGEST_NAME] or "unnamed"


def safe_id(call_id: str) -> str:
    """Return an id of a call that every provider but Mistral takes, also when another provider gave it.

    Examples
    --------
    >>> safe_id("toolu_01A"), len(safe_id("a call/of mine"))
    ('toolu_01A', 29)
    """
    return call_id if _ID.fullmatch(call_id) else f"call_{_digest(call_id)[:24]}"


def nine_letters(call_id: str) -> str:
    """Return an id of a call as Mistral takes it: nine letters and digits.

    Examples
    --------
    >>> nine_letters("D681PevKs"), len(nine_letters("call_1"))
    ('D681PevKs', 9)
    """
    return call_id if _SHORT_ID.fullmatch(call_id) else _digest(call_id)[:9]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
