"""What people, agents and tools say to each other, as models and sessions see it.

A message always knows its author: ``user``, the name of an agent in the tree, or, for a tool's answer, the agent that
called the tool. Messages written before authors were kept have none; readers take those as the root's (spec 001, D1).
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, Self

from lango_nb.core.frozen import Checked
from lango_nb.core.json_value import JsonValue

Role = Literal["system", "user", "assistant", "tool"]
ToolRole = Literal["work", "control"]
"""Whether a tool does what a request asks for, or keeps the work going: runs, notes of what is to do, kept outputs."""
USER = "user"
"""Author of what the person wrote."""
SESSION = "session"
"""Conversation of what goes straight into the session: later turns see it, nobody in its own turn does."""
SUMMARY = "summary"
"""Conversation of the one message that stands for earlier messages which a model is not given."""


class ToolCall(Checked):
    """One call of a tool as a model asked for it."""

    id: str
    """Joins the call with its result."""
    name: str
    """Tool name, as the model wrote it; may name nothing."""
    arguments: dict[str, JsonValue] = field(default_factory=dict)
    """Arguments by parameter name; empty when they could not be read."""
    error: str | None = None
    """Why the arguments could not be read, for instance ``arguments are not JSON: …``."""


class Usage(Checked):
    """What one model call cost."""

    model: str = ""
    """Name of the model that answered."""
    input_tokens: int | None = None
    """Tokens read; ``None`` when the model does not say."""
    output_tokens: int | None = None
    """Tokens written; ``None`` when the model does not say."""
    latency_ms: float = 0.0
    """Time from request to reply, milliseconds."""
    cost_usd: float | None = None
    """Dollars; ``None`` when nobody knows the price."""


NO_USAGE = Usage.model_construct()
"""What an event carries that no model call belongs to."""


class Message(Checked):
    """One entry of a conversation."""

    role: Role
    content: str = ""
    author: str | None = None
    """``user`` or an agent's name; ``None`` only in messages older than authors."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls an assistant message asks for."""
    tool_call_id: str | None = None
    """The call a tool message answers."""
    tool_name: str | None = None
    """The tool a tool message comes from."""
    is_error: bool = False
    """Whether a tool message reports a failure."""
    id: str = ""
    """Id of its turn and its position among the messages of that turn, ``turn-1.3``; empty where nobody gave it one."""
    conversation: str = ""
    """Conversation of the turn that it belongs to: empty for the turn's own, else a child session or a run;
    :data:`SESSION` for what a run left to later turns, :data:`SUMMARY` for what no turn holds."""

    @classmethod
    def unchecked(  # noqa: PLR0913, PLR0917 - its fields
        cls,
        role: Role,
        author: str,
        content: str,
        conversation: str,
        id: str,  # noqa: A002 - its name
        tool_calls: tuple[ToolCall, ...] = (),
        tool_call_id: str | None = None,
        tool_name: str | None = None,
        is_error: bool = False,
    ) -> Self:
        """Make a message of values that are right; in a turn, checking them again would cost as much as making it.

        Parameters
        ----------
        role, author, content, conversation, id, tool_calls, tool_call_id, tool_name, is_error
            The fields of a message, of the types they are declared with.

        Returns
        -------
        Message

        Examples
        --------
        >>> Message.unchecked("user", "user", "hi", "", "turn-1.1") == Message(
        ...     role="user", author="user", content="hi", id="turn-1.1"
        ... )
        True
        """
        message = cls.__new__(cls)
        _set(
            message,
            "__dict__",
            {
                "role": role,
                "content": content,
                "author": author,
                "tool_calls": tool_calls,
                "tool_call_id": tool_call_id,
                "tool_name": tool_name,
                "is_error": is_error,
                "id": id,
                "conversation": conversation,
            },
        )
        return message


_set = object.__setattr__


FinishReason = Literal["stop", "length", "asked_back", "not_understood"]
"""Why a model stopped: done, cut at its length limit, asking for what is missing, or at a loss what is wanted."""


class Reply(Checked):
    """What a model answered to one call."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = NO_USAGE
    finish_reason: FinishReason = "stop"
    """A model that cannot tell says ``stop``."""


class ToolSchema(Checked):
    """A tool as a model sees it: no handler, no owner."""

    name: str
    description: str = ""
    parameters: dict[str, JsonValue] = field(default_factory=dict)
    """JSON schema of the arguments, an object schema."""
    role: ToolRole | None = None
    """What the tool is there for, ``None`` where nobody says; no provider is told, and it is not written down."""

    def model_dump(self, *, mode: Literal["json", "python"] = "python", **options: Any) -> dict[str, Any]:
        """Return what is written down as dictionaries in each other."""
        return super().model_dump(mode=mode, exclude={"role"}, **options)
