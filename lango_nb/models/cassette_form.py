"""The form in which requests are compared: the same in every run, and without secrets.

    polls     a wait that was answered "still running" is left out: how often one asks depends on how fast others are
    reports   summaries of teammates stand in the order of their words, not in that of who was first
    ids       are numbered, because they are others in every run: ``arun-#1`` is the first run mentioned
    secrets   are masked, so a masked request still finds its reply

The model's name is not part of it. What differs between two requests is worded here as well.

Ids with random digits, calls, and runs are found by their shape. A counted ``task-1`` and a time could be anybody's
words: they count as ids only where a tool of the engine has told them in the same conversation.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, zip_longest

from lango_nb.core.errors import shorten
from lango_nb.core.json_value import JsonValue
from lango_nb.core.masking import mask, mask_arguments
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.models.reading import asking_agent
from lango_nb.tools.builtin import control_among

ENGINE_KINDS = frozenset({"arun", "ask", "call", "child", "decision", "memory", "out", "task", "time", "turn"})
"""Kinds of ids that the engine makes; other ids come from tools."""

_AFTER = r"(?!\w|\.\w)"
"""A name goes no further: ``task-1.md`` is a file."""
_RANDOM = r"[a-z]+-[0-9a-f]{16}(?![0-9A-Za-z])"
_RUN = rf"arun-(?:\d+-)?\d+{_AFTER}"
_COUNTED = rf"(?:ask|call|child|memory|task|turn)-(?:\d+-)?\d+{_AFTER}"
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"
_BEGIN = "(?<![A-Za-z0-9])"
_STANDING = re.compile(f"{_BEGIN}([a-z]+)-(#+)([0-9]+)")
_TOLD = re.compile(f"{_BEGIN}(?:{_COUNTED}|{_TIME})")
_ANY = re.compile(f"{_BEGIN}(?:([a-z]+)-(#+)([0-9]+)|({_RANDOM}|{_RUN})|({_COUNTED}|{_TIME}))")
_MAY_HOLD = re.compile(r"[a-z]-[#0-9a-f]|\dT\d")
"""A quick look: most texts hold no id at all."""


class Names:
    """The ids of one conversation, numbered by kind in the order in which they appear.

    Parameters
    ----------
    told : iterable of str
        Counted ids and times that count as ids here, see :func:`told_in`.
    kinds : frozenset of str, optional
        Only ids of these kinds; all when absent.

    Examples
    --------
    >>> names = Names()
    >>> names.hide("wait for arun-5d6847b848592445, then read task-1.md")
    'wait for arun-#1, then read task-1.md'
    >>> names.show("arun-#1 is done", "made up for nobody")
    'arun-5d6847b848592445 is done'
    >>> names.hide("see issue-#7"), names.show(names.hide("see issue-#7"), "")
    ('see issue-##7', 'see issue-#7')
    """

    def __init__(self, told: Iterable[str] = (), kinds: frozenset[str] | None = None) -> None:
        self._told = frozenset(told)
        self._kinds = kinds
        self._standing: dict[str, str] = {}
        self._real: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def hide(self, text: str) -> str:
        """Put what stands for it in the place of every id."""
        return _ANY.sub(self._hidden, text) if _MAY_HOLD.search(text) else text

    def hide_in(self, value: JsonValue) -> JsonValue:
        """Hide the ids in all texts of a value."""
        return _in_texts(value, self.hide)

    def new_call(self, call_id: str) -> str:
        """Return what stands for the id of one more call, whatever its shape: some providers give the same id twice."""
        return self._new(call_id, "call")

    def call(self, call_id: str) -> str:
        """Return what stands for the id that an answer names: the latest call of that id."""
        return self._standing.get(call_id) or self._new(call_id, "call")

    def show(self, text: str, maker: str) -> str:
        """Put the ids of this conversation in the place of what stands for them.

        Parameters
        ----------
        text : str
        maker : str
            What ids are made of that the conversation does not know; the same one makes the same ids.

        Returns
        -------
        str
        """

        def real(match: re.Match[str]) -> str:
            kind, marks, number = match.groups()
            if len(marks) > 1:
                return f"{kind}-{marks[1:]}{number}"
            made = hashlib.blake2b(f"{maker} {match.group()}".encode(), digest_size=8).hexdigest()
            return self._real.get(match.group()) or f"{kind}-{made}"

        return _STANDING.sub(real, text) if "-#" in text else text

    def show_in(self, value: JsonValue, maker: str) -> JsonValue:
        """Show the ids in all texts of a value."""
        return _in_texts(value, lambda text: self.show(text, maker))

    def _hidden(self, match: re.Match[str]) -> str:
        kind, marks, number, certain, counted = match.groups()
        if marks:
            return f"{kind}-#{marks}{number}"
        token = certain or counted
        if counted and token not in self._told and token not in self._standing:
            return str(token)
        kind = token.partition("-")[0] if token[0].isalpha() else "time"
        if self._kinds is not None and kind not in self._kinds:
            return str(token)
        return self._standing.get(token) or self._new(token, kind)

    def _new(self, token: str, kind: str) -> str:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        standing = self._standing[token] = f"{kind}-#{self._counts[kind]}"
        self._real[standing] = token
        return standing


def told_in(text: str) -> list[str]:
    """Return the counted ids and the times in what a tool of the engine tells.

    Examples
    --------
    >>> told_in('{"task_id":"task-1","created_at":"2026-01-01T00:00:00+00:00"}')
    ['task-1', '2026-01-01T00:00:00+00:00']
    """
    return _TOLD.findall(text)


def without_ids(text: str) -> str:
    """Blank every id: what is left is the same in every run, and good for sorting."""
    return _ANY.sub("#", text)


def _in_texts(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    match value:
        case str():
            return change(value)
        case list():
            return [_in_texts(item, change) for item in value]
        case dict():
            return {name: _in_texts(item, change) for name, item in value.items()}
    return value


_REPORT = re.compile(r"[\w.-]+ reports: ")
WAIT = "agent_wait"
_ALIVE = ("spawned", "running")
_SHOWN = 60
"""Characters of a text that a difference shows."""


@dataclass(frozen=True)
class Form:
    """A request as it is compared and written down."""

    agent: str
    prompt: str
    tools: tuple[ToolSchema, ...]
    messages: tuple[Message, ...]
    """Without the system prompt."""
    is_poll: bool = field(default=False, compare=False)
    """Whether the last thing before the request was a wait that came to nothing."""

    @cached_property
    def key(self) -> str:
        """What two requests of the same content share."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(f"{self.agent}\0{self.prompt}\0".encode("utf-8", "surrogatepass"))
        for message in self.messages:
            digest.update(_canonical(message).encode("utf-8", "surrogatepass"))
        for schema in sorted(self.tools, key=lambda schema: schema.name):
            digest.update(_canonical(schema).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def form_of(messages: Sequence[Message], tools: Sequence[ToolSchema]) -> tuple[Form, Names]:
    """Bring a request into the form in which it is compared.

    Parameters
    ----------
    messages : sequence of Message
        System prompt first, if there is one.
    tools : sequence of ToolSchema

    Returns
    -------
    Form
    Names
        The ids of the conversation, for the reply.

    Examples
    --------
    >>> def asked(call_id, text):
    ...     call = ToolCall(id=call_id, name="fs_read", arguments={"path": "a", "password": text})
    ...     return form_of([Message(role="assistant", tool_calls=(call,))], [])[0]
    >>> asked("toolu_7", "hunter2").key == asked("call_9f", "swordfish").key
    True
    >>> asked("toolu_7", "x").messages[0].tool_calls[0].arguments
    {'path': 'a', 'password': '[masked]'}
    """
    control = control_among(tools)
    kept, is_poll = _without_polls(messages) if WAIT in control else (list(messages), False)
    told = [
        token
        for message in kept
        if message.role == "tool" and message.tool_name in control
        for token in told_in(message.content)
    ]
    names = Names(told)
    has_prompt = bool(kept) and kept[0].role == "system"
    prompt = mask(names.hide(kept[0].content)) if has_prompt else ""
    said = tuple(_hidden(message, names) for message in _sorted_reports(kept[1:] if has_prompt else kept))
    return Form(asking_agent(messages), prompt, tuple(map(_masked_schema, tools)), said, is_poll), names


def hide_reply(reply: Reply, names: Names) -> Reply:
    """Bring a reply into the form in which it is written down."""
    calls = tuple(_hidden_call(call, names) for call in reply.tool_calls)
    return reply.model_copy(update={"text": mask(names.hide(reply.text)), "tool_calls": calls})


def show_reply(reply: Reply, names: Names, maker: str) -> Reply:
    """Give a recorded reply the ids of the present conversation; its own calls get ids made of ``maker``."""
    calls = tuple(
        call.model_copy(
            update={"id": names.show(call.id, maker), "arguments": names.show_in(dict(call.arguments), maker)}
        )
        for call in reply.tool_calls
    )
    return reply.model_copy(update={"text": names.show(reply.text, maker), "tool_calls": calls})


def _hidden(message: Message, names: Names) -> Message:
    return message.model_copy(
        update={
            "content": mask(names.hide(message.content)),
            "tool_calls": tuple(_hidden_call(call, names) for call in message.tool_calls),
            "tool_call_id": names.call(message.tool_call_id) if message.tool_call_id else message.tool_call_id,
            "id": "",
            "conversation": "",
        }
    )


def _hidden_call(call: ToolCall, names: Names) -> ToolCall:
    hidden = {name: names.hide_in(value) for name, value in call.arguments.items()}
    error = mask(call.error) if call.error else call.error
    return call.model_copy(update={"id": names.new_call(call.id), "arguments": mask_arguments(hidden), "error": error})


def _masked_schema(schema: ToolSchema) -> ToolSchema:
    changes = {"description": mask(schema.description), "parameters": mask_arguments(schema.parameters)}
    return schema.model_copy(update=changes)


# -- what depends on who was faster ------------------------------------------------------------------------------------


def _without_polls(messages: Sequence[Message]) -> tuple[list[Message], bool]:
    """Leave out calls that were answered with "still running", and tell whether such an answer stood last."""
    polls = {message.tool_call_id for message in messages if _is_poll(message)}
    if not polls:
        return list(messages), False
    kept: list[Message] = []
    for message in messages:
        if message.role == "tool" and message.tool_call_id in polls:
            continue
        calls = tuple(call for call in message.tool_calls if call.id not in polls)
        if calls == message.tool_calls:
            kept.append(message)
        elif calls:
            kept.append(message.model_copy(update={"tool_calls": calls}))
    return kept, messages[-1].tool_call_id in polls


def _is_poll(message: Message) -> bool:
    if message.role != "tool" or message.tool_name != WAIT or message.is_error:
        return False
    try:
        told = json.loads(message.content)
    except ValueError:
        return False
    return isinstance(told, dict) and told.get("status") in _ALIVE


def _sorted_reports(messages: Iterable[Message]) -> list[Message]:
    found: list[Message] = []
    for is_report, group in groupby(messages, _is_report):
        row = list(group)
        found.extend(sorted(row, key=lambda message: without_ids(message.content)) if is_report else row)
    return found


def _is_report(message: Message) -> bool:
    return message.role == "assistant" and not message.tool_calls and bool(_REPORT.match(message.content))


# -- what differs ------------------------------------------------------------------------------------------------------


def nearness(recorded: Form, asked: Form) -> tuple[bool, int, bool, bool, int]:
    """Measure how near a recorded request is to one that was made; the greatest is the nearest."""
    pairs = zip(recorded.messages, asked.messages, strict=False)
    same = next((place for place, (one, other) in enumerate(pairs) if one != other), None)
    common = min(len(recorded.messages), len(asked.messages)) if same is None else same
    return (
        recorded.agent == asked.agent,
        common,
        recorded.prompt == asked.prompt,
        not _tools_differ(recorded.tools, asked.tools),
        -abs(len(recorded.messages) - len(asked.messages)),
    )


def difference(recorded: Form, asked: Form) -> str:
    """Word the first point in which a request is not a recorded one; empty when there is none.

    Examples
    --------
    >>> one, other = (Form("vault", "", (), (Message(role="user", content=text),)) for text in ("hash a", "hash b"))
    >>> difference(one, other)
    "message 1 differs: recorded 'hash a', now 'hash b'"
    """
    if recorded.agent != asked.agent:
        return f"it is {recorded.agent or 'nobody'}'s"
    if recorded.prompt != asked.prompt:
        return f"its system prompt differs: {_versus(recorded.prompt, asked.prompt)}"
    first = 2 if asked.prompt else 1
    for number, (one, other) in enumerate(zip_longest(recorded.messages, asked.messages), first):
        if one == other:
            continue
        if one is None or other is None:
            more = one or other
            whose = "only the recorded one has" if other is None else "only the present one has"
            return f"{whose} a message {number}, {more.role} {shorten(_told(more), _SHOWN)!r}" if more else ""
        return f"message {number} differs: {_message_difference(one, other)}"
    return _tools_differ(recorded.tools, asked.tools)


def is_said_elsewhere(asked: Form, recorded: Iterable[Form]) -> bool:
    """Tell whether what a person said last was recorded, but not after what was said before it here.

    Examples
    --------
    >>> def form(*texts):
    ...     return Form("vault", "", (), tuple(Message(role="user", content=text) for text in texts))
    >>> recorded = [form("hash a"), form("hash a", "hash b")]
    >>> [is_said_elsewhere(form(*texts), recorded) for texts in (["x", "hash a"], ["hash a", "hash b"], ["x"])]
    [True, False, False]
    """
    said = _said(asked)
    if len(said) < 2:  # noqa: PLR2004 - it is the first message: no new conversation would be another
        return False
    others = [_said(form) for form in recorded if (form.agent, form.prompt) == (asked.agent, asked.prompt)]
    return said not in others and any(other[-1:] == said[-1:] for other in others)


def _said(form: Form) -> tuple[Message, ...]:
    """Return a conversation up to what a person said last."""
    last = max((place for place, message in enumerate(form.messages, 1) if message.role == "user"), default=0)
    return form.messages[:last]


def _message_difference(one: Message, other: Message) -> str:
    if one.content != other.content:
        return _versus(one.content, other.content)
    if one.tool_calls != other.tool_calls:
        return _versus(_told(one), _told(other))
    for name in ("role", "author", "tool_name", "is_error"):
        before, now = getattr(one, name), getattr(other, name)
        if before != now:
            return f"{name} recorded {before!r}, now {now!r}"
    return "it answers another call"


def _told(message: Message) -> str:
    calls = (f"{call.name}({json_text(call.arguments)})" for call in message.tool_calls)
    return " ".join(part for part in (message.content, *calls) if part)


def _tools_differ(recorded: Sequence[ToolSchema], asked: Sequence[ToolSchema]) -> str:
    before, now = ({schema.name: schema for schema in tools} for tools in (recorded, asked))
    new, gone = [name for name in now if name not in before], [name for name in before if name not in now]
    if new or gone:
        said = [
            f"{word} {shorten(', '.join(names), _SHOWN)}" for word, names in (("new", new), ("gone", gone)) if names
        ]
        return f"the tools differ: {'; '.join(said)}"
    changed = [name for name, schema in now.items() if _canonical(before[name]) != _canonical(schema)]
    return f"the description or schema of {shorten(', '.join(changed), _SHOWN)} differs" if changed else ""


def _versus(one: str, other: str) -> str:
    """Show two texts where they begin to differ."""
    pairs = enumerate(zip(one, other, strict=False))
    place = next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = max(place - _SHOWN // 3, 0) if max(len(one), len(other)) > _SHOWN else 0
    shown = (("…" if start else "") + shorten(text[start:], _SHOWN) for text in (one, other))
    before, now = (repr(text) for text in shown)
    return f"recorded {before}, now {now}"


def _canonical(value: Message | ToolSchema) -> str:
    return json_text(value.model_dump(exclude_defaults=True))


def json_text(value: object) -> str:
    """Write a value so that equal ones are written alike."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
