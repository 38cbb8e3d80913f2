"""The messages of a request, sorted: what the agent is told, what is wanted, what happened since."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from lango_nb.core.messages import SUMMARY, USER, Message, Reply, ToolCall
from lango_nb.routing.router import Router, router_for_prompt
from lango_nb.routing.taught import Taught

REJECT = "[REJECT]"
TRANSFER = "transfer_to_agent"
_HINT = re.compile(
    r"\A(?P<agent>\S+) failed at this: (?P<detail>.*?)\. Do not give it to (?P=agent) again\b"
    r"|\bDo not repeat it: go another way\b",
    re.DOTALL,
)


_ASKED = re.compile(r"To use \S+ I need: (?P<names>[\w, ]+)\. Please say (?:it|them)\.")
_ASKED_WHICH = re.compile(r"Please say which [\w ]+\.")
_NEW_WISH = re.compile(
    r"^\W*(?:please|can you|could you|no\b|never mind|forget|stop|cancel|list|read|show|run|what|which|who|how|why|when|hello|hi|hey|thanks|"
    r"thank you|search|find|open|delete|write|create|make|send|pay|save|store|fetch)\b|\?\s*$",
    re.IGNORECASE,
)
_LONGEST_ANSWER = 300


def completed(earlier: str, asked: str, text: str) -> str:
    """Join an answer with the request it completes; any other text stays as it is.

    Parameters
    ----------
    earlier : str
        The request before.
    asked : str
        What was answered to it.
    text : str
        What is said now.

    Examples
    --------
    >>> print(completed("pause the job", "To use cron_pause I need: id. Please say it.", "cron-3"))
    pause the job
    id: cron-3
    >>> completed("pause the job", "To use cron_pause I need: id. Please say it.", "list the jobs instead")
    'list the jobs instead'
    >>> completed("delete the file", "Please say which file or folder.", "old.txt")
    'delete the file old.txt'
    """
    if not earlier or len(text) > _LONGEST_ANSWER or _NEW_WISH.search(text):
        return text
    if match := _ASKED.fullmatch(asked.strip()):
        names = match["names"].split(", ")
        said = f"{names[0]}: {text.strip()}" if len(names) == 1 and " or " not in names[0] else text.strip()
        return f"{earlier.rstrip()}\n{said}"
    if _ASKED_WHICH.fullmatch(asked.strip()) and len(text.split()) == 1:
        return f"{earlier.rstrip(' .!?')} {text.strip()}"
    return text


def _said_before(messages: Sequence[Message]) -> str:
    """Return the answer that was given last; empty when something else came last."""
    last = next((message for message in reversed(messages) if message.role != "tool" and message.content), None)
    return last.content if last is not None and last.role == "assistant" else ""


def _tag(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass')) & 0xFFFF:04x}-"


@dataclass(frozen=True, slots=True)
class Done:
    """One tool call of this turn with its result."""

    call: ToolCall
    result: Message


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request as the model gets it."""

    system: str
    text: str
    """The last message that asks for something: the user's, or a work order."""
    since: tuple[Message, ...]
    """Everything after it."""
    earlier: str = ""
    """What was asked for before that."""
    tag: str = ""
    """Begins the ids of calls made on a work order: the runs of one turn are in one conversation."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Agents that a hint of the runtime says not to give the request to again, and what happened."""
    taught: Taught | None = None
    """Labelled requests the router has learned from."""

    @property
    def router(self) -> Router:
        """The router over the table that the prompt holds."""
        return router_for_prompt(self.system, self.taught)

    @classmethod
    def read(cls, messages: Sequence[Message], taught: Taught | None = None) -> Conversation:
        """Sort messages; a hint of the runtime is no request."""
        system = messages[0].content if messages and messages[0].role == "system" else ""
        failed: dict[str, str] = {}
        for place in range(len(messages) - 1, -1, -1):
            message = messages[place]
            if message.role != "user":
                continue
            is_order = message.author not in {None, USER}
            if is_order and (hint := _HINT.search(message.content)):
                if hint["agent"]:
                    failed.setdefault(hint["agent"], hint["detail"].removeprefix(f"{hint['agent']}: "))
                continue
            said = (m for m in reversed(messages[:place]) if m.role == "user" and m.conversation != SUMMARY)
            earlier = next((m.content for m in said), "")
            text = message.content if is_order else completed(earlier, _said_before(messages[:place]), message.content)
            tag = _tag(system + text) if is_order else ""
            return cls(system, text, tuple(messages[place + 1 :]), earlier, tag, failed, taught)
        return cls(system, "", (), taught=taught)

    def done(self) -> Iterator[Done]:
        """Iterate over the calls of this turn that have a result.

        Calls and results are joined in order and by author: agents do not know of each other's ids.
        """
        results: dict[tuple[str | None, str], list[Message]] = {}
        for message in self.since:
            if message.role == "tool":
                results.setdefault((message.author, message.tool_call_id or ""), []).append(message)
        for message in self.since:
            for call in message.tool_calls:
                if answers := results.get((message.author, call.id)):
                    yield Done(call, answers.pop(0))

    def worked(self) -> tuple[Done, ...]:
        """Return the calls of the agent at work: those since the request came to it."""
        found: list[Done] = []
        for done in self.done():
            if done.call.name == TRANSFER:
                found.clear()
            else:
                found.append(done)
        return tuple(found)

    def call(self, tool: str, **arguments: object) -> Reply:
        """Reply with one tool call."""
        return self.calls((tool, arguments))

    def calls(self, *wanted: tuple[str, Mapping[str, Any]], text: str = "") -> Reply:
        """Reply with tool calls, numbered on from those there were before; arguments that are ``None`` are left out."""
        number = sum(len(message.tool_calls) for message in self.since)
        made = [
            ToolCall.model_validate(
                {
                    "id": f"call-{self.tag}{number + place}",
                    "name": tool,
                    "arguments": {name: value for name, value in arguments.items() if value is not None},
                }
            )
            for place, (tool, arguments) in enumerate(wanted, 1)
        ]
        return Reply(text=text, tool_calls=tuple(made))
