"""The messages of a conversation: which one asks for something, what came before it, and what may be called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from lango_nb.core.messages import SUMMARY, USER, Message, Reply, ToolCall, ToolSchema
from lango_nb.models.offline.advice import NO_ADVICE, Advice, without_advice
from lango_nb.models.offline.arguments import shapes_of
from lango_nb.models.offline.hints import Exchange, Told, read_hints
from lango_nb.models.offline.own_tools import NO_TOOLS, OwnTools
from lango_nb.models.offline.plan import Reading, handed, read_order, with_given
from lango_nb.models.offline.understanding import MOST_TURNS, Understood, resolved, understand
from lango_nb.routing.router import Router, router_for_prompt
from lango_nb.routing.taught import Taught
from lango_nb.tools.builtin import control_among

REJECT = "[REJECT]"
TRANSFER = "transfer_to_agent"
SPAWN = "agent_spawn"
WAIT = "agent_wait"
STOP = "agent_stop"
DELEGATE = "delegate"
_HAND_OVERS = tuple(ToolSchema(name=name, role="control") for name in (TRANSFER, DELEGATE))


@dataclass(frozen=True, slots=True)
class Offer:
    """The control calls of an agent."""

    names: frozenset[str]
    """The control tools it is offered: they keep the work going, and no request of a user is met by one of them."""
    targets: tuple[tuple[str, frozenset[str] | None], ...]
    """Each call that hands work over, with the names it takes; ``None`` where the schema does not close the set."""

    @classmethod
    def read(cls, tools: Sequence[ToolSchema]) -> Offer:
        """Read tool schemas."""
        control = control_in(tools)
        by_name = {tool.name: tool for tool in tools if tool.name in control}
        wanted = ((TRANSFER, "agent_name"), (SPAWN, "agent"), (DELEGATE, "agent_name"))
        return cls(
            frozenset(by_name),
            tuple((name, _enum(by_name[name], parameter)) for name, parameter in wanted if name in by_name),
        )

    @property
    def has_runs(self) -> bool:
        """Whether work may be given away in any way but by transfer."""
        return any(name != TRANSFER for name, _ in self.targets)

    def way_to(self, agent: str) -> str:
        """Return the call that reaches an agent; empty when none does.

        Examples
        --------
        >>> Offer(frozenset(), ((TRANSFER, frozenset({"remote"})), (SPAWN, None))).way_to("vault")
        'agent_spawn'
        """
        for name, agents in self.targets:
            if agents is None or agent in agents:
                return name
        return ""


def control_in(tools: Sequence[ToolSchema]) -> frozenset[str]:
    """Return the names that mean control tools, hand-overs among them, where these tools are offered."""
    return control_among((*_HAND_OVERS, *tools))


def _enum(tool: ToolSchema, parameter: str) -> frozenset[str] | None:
    """Return the closed set of values of a parameter."""
    values = shapes_of(tool).get(parameter, {}).get("enum")
    return frozenset(str(value) for value in values) if isinstance(values, list) else None


_GIVING = frozenset((TRANSFER, "agent_spawn", "delegate"))
"""Tools that give work away."""
_HINT = re.compile(
    r"\A(?P<agent>\S+) failed at this: (?P<detail>.*?)\. Do not give it to (?P=agent) again\b"
    r"|\bDo not repeat it: go another way\b",
    re.DOTALL,
)


def _last_request(messages: Sequence[Message], end: int) -> int:
    """Return the place of the user's request that a work order belongs to; that of the order when there is none."""
    return next((place for place in range(end - 1, -1, -1) if _is_request(messages[place])), end)


def _is_note(messages: Sequence[Message], place: int) -> bool:
    """Tell whether a message comes from whoever is at work on the request already: a note of the runtime, and no order.

    Whoever gives work away has spoken before its later orders as well; a note to it stands below its own prompt.
    """
    said = [
        one
        for one in messages[_last_request(messages, place) : place]
        if one.role == "assistant" and one.author == messages[place].author
    ]
    if not said or read_order(handed(messages[place].content)[0]):
        return False
    gives_away = any(call.name in _GIVING for one in said for call in one.tool_calls)
    return not gives_away or "\n### " in messages[0].content


def _is_request(message: Message) -> bool:
    return message.role == "user" and message.author in {None, USER} and message.conversation != SUMMARY


def _exchanges(messages: Sequence[Message], end: int) -> tuple[Exchange, ...]:
    """Return the latest requests of the user before a place with what was answered last to each."""
    found: list[Exchange] = []
    answer = ""
    for message in (messages[place] for place in range(end - 1, -1, -1)):
        if message.role == "assistant" and message.content and not message.tool_calls and not answer:
            answer = message.content
        elif _is_request(message):
            if answer:
                found.append(Exchange(message.content, answer))
            answer = ""
            if len(found) == MOST_TURNS:
                break
    return tuple(reversed(found))


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
    before: tuple[Exchange, ...] = ()
    """Earlier requests of the user with their answers."""
    request: str = ""
    """What the user asked for; the same as the text unless that is a work order."""
    tag: str = ""
    """Begins the ids of calls made on a work order: the runs of one turn are in one conversation."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Agents that a hint of the runtime says not to give the request to again, and what happened."""
    taught: Taught | None = None
    """Labelled requests the router has learned from."""
    own: OwnTools = NO_TOOLS
    """Tools that may be meant of which the reader knows nothing: the agent's, or those that the root's prompt tells of."""
    offered: tuple[str, ...] = ()
    """Tools that may be called, where they are called otherwise than the model thinks of them."""
    advice: Advice = NO_ADVICE
    """What is remembered that the request speaks of."""

    @property
    def router(self) -> Router:
        """The router over the table that the prompt holds."""
        return router_for_prompt(self.system, self.taught)

    @property
    def understood(self) -> Understood:
        """The request, or the work order, as it is read in this conversation."""
        order, given = handed(self.text)
        whole = understand(self.before, self.request, self.own)
        if order == self.request and given is None:
            return whole
        if steps := read_order(order):
            if given is not None:
                steps = with_given(steps, given)
            is_certain = whole.reading.is_certain and {step.act for step in steps} <= {
                s.act for s in whole.reading.steps
            }
            return Understood(Reading(steps, 1.0, whole.reading.language, is_certain=is_certain), whole.context)
        reading = resolved(order, whole.context, whole.reading.language, self.own)
        if given is not None and reading.steps:
            reading = reading._replace(steps=with_given(reading.steps, given))
        return Understood(reading, whole.context)

    @classmethod
    def read(
        cls,
        messages: Sequence[Message],
        taught: Taught | None = None,
        own: OwnTools = NO_TOOLS,
        offered: Sequence[str] = (),
    ) -> Conversation:
        """Sort messages; a hint of the runtime is no request."""
        system = messages[0].content if messages and messages[0].role == "system" else ""
        system, advice = without_advice(system)
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
            if is_order and _is_note(messages, place):
                continue
            text = message.content
            told = read_hints(text) if is_order else Told(text)
            if told.order != text:
                tag = _tag(system + text)
                since, asked_for = tuple(messages[place + 1 :]), told.request or told.order
                return cls(
                    system, told.order, since, told.before, asked_for, tag, failed, taught, own, tuple(offered), advice
                )
            asked = place if not is_order else _last_request(messages, place)
            tag = _tag(system + text) if is_order else ""
            before = _exchanges(messages, asked)
            request = messages[asked].content if asked < place else text
            since = tuple(messages[place + 1 :])
            return cls(system, text, since, before, request, tag, failed, taught, own, tuple(offered), advice)
        return cls(system, "", (), taught=taught, own=own)

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

    def calls(self, *wanted: tuple[str, Mapping[str, Any]], text: str = "") -> Reply:
        """Reply with tool calls, numbered on from those there were before; arguments that are ``None`` are left out."""
        number = sum(len(message.tool_calls) for message in self.since)
        made = [
            ToolCall(
                id=f"call-{self.tag}{number + place}",
                name=tool,
                arguments={name: value for name, value in arguments.items() if value is not None},
            )
            for place, (tool, arguments) in enumerate(wanted, 1)
        ]
        return Reply(text=text, tool_calls=tuple(made))
