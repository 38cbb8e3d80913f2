"""A model that follows a script: it refuses what the script does not hold, and says what of it was not used.

ScriptedModel(["one", "two"])                        whoever asks gets the next line
ScriptedModel([Expect("one", agent="vault")])        the next call must be the vault's
ScriptedModel({"vault": ["one"], "planner": […]})    everybody has lines: agents at work at once ask in any order
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, cast

from lango_nb.core.errors import ScriptError, shorten
from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.models.reading import asking_agent, last_words, pieces

Call = tuple[str, Mapping[str, JsonValue]]
"""One tool call: name and arguments."""
Said = Reply | str | Call | Sequence[Call] | Exception
"""One reply: in full, a text, one tool call, several, or an error that is raised instead."""
Computed = Callable[[Sequence[Message]], Said | Awaitable[Said]]
"""Makes a reply of the conversation, one that repeats the id of a run for instance."""


@dataclass(frozen=True, slots=True)
class Expect:
    """A line of a script that is meant for one kind of request only.

    Parameters
    ----------
    line : Reply, str, (str, dict), list, Exception or callable
        The reply.
    agent : str
        Who has to ask; anybody when empty.
    says : str
        What the last message has to hold.
    offers : iterable of str
        Tools that have to be offered; there may be more.
    """

    line: Said | Computed
    agent: str = ""
    says: str = ""
    offers: Iterable[str] = ()

    def problem(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> str:
        """Say in which point a request is not the expected one; empty when it is.

        Examples
        --------
        >>> Expect("done", agent="vault").problem([], [])
        "expected vault to ask, and an agent without a name did (after '')"
        """
        agent = asking_agent(messages)
        if self.agent and agent != self.agent:
            return f"expected {self.agent} to ask, and {_called(agent)} did (after {_quoted(messages)})"
        if self.says not in last_words(messages):
            return f"expected {_called(agent)} to be told {shorten(self.says)!r}, and it was told {_quoted(messages)}"
        offered = [schema.name for schema in tools]
        missing = [name for name in self.offers if name not in offered]
        if missing:
            names = shorten(", ".join(offered) or "nothing", 200)
            return f"expected {_called(agent)} to be offered {', '.join(missing)}; it was offered {names}"
        return ""


Line = Said | Computed | Expect
"""What a script is made of."""
Script = Iterable[Line] | Mapping[str, Iterable[Line]]


@dataclass(slots=True)
class _Lines:
    """Lines that are said in order, and how far they are."""

    lines: tuple[tuple[int, Line], ...]
    used: int = 0

    @property
    def left(self) -> int:
        return len(self.lines) - self.used


class ScriptedModel:
    """Answers with the replies it was given, one per call, in order.

    Parameters
    ----------
    lines : iterable, or mapping of str to iterable
        The replies; a pair is one tool call, a list of pairs several. A mapping has lines for every agent: teammates
        that work at once ask in no fixed order.
    name : str
        What the model is called.

    Notes
    -----
    A request that is refused uses up no line, and :meth:`check_finished` repeats the refusal: a turn may have got over
    the error. As a context manager the model checks itself at the end.

    Examples
    --------
    >>> import asyncio
    >>> model = ScriptedModel([("transfer_to_agent", {"agent_name": "vault"}), "done"])
    >>> asyncio.run(model.complete([], [])).tool_calls[0].name
    'transfer_to_agent'
    >>> model.unused, model
    (1, <ScriptedModel 'scripted': 1 of 2 replies used>)

    >>> vault = [Message(role="system", content="You keep keys.", author="vault")]
    >>> with ScriptedModel({"vault": ["It is 2cf2."], "planner": []}) as model:
    ...     asyncio.run(model.complete(vault, [])).text
    'It is 2cf2.'
    >>> asyncio.run(ScriptedModel([Expect("done", agent="planner")]).complete(vault, []))
    Traceback (most recent call last):
    ...
    lango_nb.core.errors.ScriptError: call 1: expected planner to ask, and vault did (after 'You keep keys.')
    """

    def __init__(self, lines: Script, name: str = "scripted") -> None:
        self._name = name
        self._by_agent: dict[str, _Lines] = {}
        self._anybody: _Lines | None = None
        if isinstance(lines, Mapping):
            number = 0
            for agent, own in lines.items():
                given = tuple(own)
                self._by_agent[agent] = _Lines(tuple(enumerate(given, number + 1)))
                number += len(given)
        else:
            self._anybody = _Lines(tuple(enumerate(lines, 1)))
        self._refused: ScriptError | None = None
        self._calls = 0
        self.requests: list[tuple[tuple[Message, ...], tuple[ToolSchema, ...]]] = []
        """What the model was asked and answered, call by call."""

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._name

    @property
    def unused(self) -> int:
        """Number of replies nobody asked for yet."""
        return sum(lines.left for lines in self._all())

    @property
    def size(self) -> int:
        """Number of replies of the script."""
        return sum(len(lines.lines) for lines in self._all())

    def __repr__(self) -> str:
        return f"<ScriptedModel {self._name!r}: {self.size - self.unused} of {self.size} replies used>"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Give the next reply of the script.

        Raises
        ------
        ScriptError
            The script is over, holds nothing for who asks, or expects another request.
        Exception
            The script has one in this place.
        """
        self._calls += 1
        lines = self._lines_for(messages)
        number, line = lines.lines[lines.used]
        if isinstance(line, Expect):
            problem = line.problem(messages, tools)
            if problem:
                raise self._refusal(problem)
            line = line.line
        self.requests.append((tuple(messages), tuple(tools)))
        lines.used += 1
        return _reply(await _said(line, messages), number)

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncIterator[str | Reply]:
        """Give the next reply of the script word by word, and at last as a whole.

        Yields
        ------
        str or Reply

        Raises
        ------
        ScriptError
            As for :meth:`complete`.
        """
        reply = await self.complete(messages, tools)
        for piece in pieces(reply.text):
            yield piece
        yield reply

    def check_finished(self) -> None:
        """Refuse a script that was not followed to its end.

        Raises
        ------
        ScriptError
            Replies are left, or somebody asked for what the script does not hold.
        """
        if self._refused is not None:
            raise self._refused
        if not self.unused:
            return
        left = ", ".join(f"{lines.left} of {agent}" for agent, lines in self._by_agent.items() if lines.left)
        whose = f" ({left})" if left else ""
        raise ScriptError(f"{self.unused} of {self.size} replies of the script were never asked for{whose}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, stack: TracebackType | None
    ) -> None:
        if error is None:
            self.check_finished()

    def _all(self) -> Iterable[_Lines]:
        return (self._anybody,) if self._anybody is not None else self._by_agent.values()

    def _lines_for(self, messages: Sequence[Message]) -> _Lines:
        """Find the lines of whoever asks; there is one left."""
        agent = asking_agent(messages)
        lines = self._anybody or self._by_agent.get(agent)
        if lines is None:
            known = ", ".join(self._by_agent) or "nobody"
            raise self._refusal(
                f"the script has no lines for {_called(agent)} (after {_quoted(messages)}), only for {known}"
            )
        if not lines.left:
            whose = "" if self._anybody is not None else f" for {agent}"
            raise self._refusal(
                f"the script has {len(lines.lines)} replies{whose} and was asked for one more by {_called(agent)} "
                f"(after {_quoted(messages)}); add a line"
            )
        return lines

    def _refusal(self, problem: str) -> ScriptError:
        error = ScriptError(f"call {self._calls}: {problem}")
        self._refused = self._refused or error
        return error


def _called(agent: str) -> str:
    return agent or "an agent without a name"


def _quoted(messages: Sequence[Message]) -> str:
    return repr(shorten(last_words(messages)))


async def _said(line: Said | Computed, messages: Sequence[Message]) -> Said:
    if not callable(line):
        return line
    computed = line(messages)
    return await computed if inspect.isawaitable(computed) else computed


def _reply(said: Said, number: int) -> Reply:
    match said:
        case Reply():
            return said
        case str():
            return Reply(text=said)
        case Exception():
            raise said
        case list():
            return Reply(tool_calls=tuple(_call(call, f"call-{number}-{place}") for place, call in enumerate(said, 1)))
    assert isinstance(said, tuple)  # noqa: S101 - lists were taken above
    name, arguments = said
    return Reply(tool_calls=(_call((str(name), cast("Mapping[str, Any]", arguments)), f"call-{number}"),))


def _call(call: tuple[str, Mapping[str, Any]], call_id: str) -> ToolCall:
    name, arguments = call
    return ToolCall(id=call_id, name=name, arguments=dict(arguments))
