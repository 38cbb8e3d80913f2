"""A model that follows a script: it refuses what the script does not hold, and says what of it was not used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from lango_nb.core.errors import ScriptError
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema

Line = Reply | str | tuple[str, dict[str, JsonValue]]
"""One reply: in full, a text, or one tool call as ``(name, arguments)``."""


class ScriptedModel:
    """Answers with the replies it was given, one per call, in order.

    Parameters
    ----------
    lines : iterable of Reply, str or (str, dict)
        The replies; a pair is one tool call.
    name : str
        What the model is called.

    Examples
    --------
    >>> import asyncio
    >>> model = ScriptedModel([("transfer_to_agent", {"agent_name": "vault"}), "done"])
    >>> asyncio.run(model.complete([], [])).tool_calls[0].name
    'transfer_to_agent'
    >>> model.unused
    1
    """

    def __init__(self, lines: Iterable[Line], name: str = "scripted") -> None:
        self._name = name
        self._replies = [_reply(line, number) for number, line in enumerate(lines, 1)]
        self._next = 0
        self.requests: list[tuple[tuple[Message, ...], tuple[ToolSchema, ...]]] = []
        """What the model was asked, call by call."""

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._name

    @property
    def unused(self) -> int:
        """Number of replies nobody asked for yet."""
        return len(self._replies) - self._next

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Give the next reply of the script.

        Raises
        ------
        ScriptError
            The script is over.
        """
        if not self.unused:
            asked = messages[-1].content[:80] if messages else ""
            raise ScriptError(
                f"the script has {len(self._replies)} replies and was asked for one more (after {asked!r}); add a line"
            )
        self.requests.append((tuple(messages), tuple(tools)))
        self._next += 1
        return self._replies[self._next - 1]

    def check_finished(self) -> None:
        """Refuse a script that was not used up.

        Raises
        ------
        ScriptError
            Replies are left.
        """
        if self.unused:
            raise ScriptError(f"{self.unused} of {len(self._replies)} replies of the script were never asked for")


def _reply(line: Line, number: int) -> Reply:
    if isinstance(line, Reply):
        return line
    if isinstance(line, str):
        return Reply(text=line)
    name, arguments = line
    return Reply(tool_calls=(ToolCall(id=f"call-{number}", name=name, arguments=arguments),))
