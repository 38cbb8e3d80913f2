"""What a model's reply asks for, as a value: the turn matches on it once."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from lango_nb.core.messages import Reply, ToolCall
from lango_nb.runtime.control.protocol import Control
from lango_nb.specs.topology import Decline

REJECT = "[REJECT]"
"""How a specialist of the sextet begins to say that a request is not its own."""


@dataclass(frozen=True, slots=True)
class Final:
    """The answer."""

    text: str


@dataclass(frozen=True, slots=True)
class HandOver:
    """Work goes to somebody else; ``rest`` are calls of tools in the same reply."""

    calls: tuple[ToolCall, ...]
    rest: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """Tools are to be called."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Declined:
    """The specialist says the request is not its own; calls in the same reply do not run."""

    text: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Empty:
    """Neither text nor call."""


NextStep = Final | HandOver | ToolCalls | Declined | Empty


def read_reply(reply: Reply, control: Control, decline: Decline, offered: Container[str], *, is_root: bool) -> NextStep:
    """Classify a reply.

    Parameters
    ----------
    reply : Reply
    control : Control
        Knows which calls hand work over.
    decline : {"none", "reject", "escalate", "fail"}
        How the topology's specialists decline.
    offered : container of str
        Names of what the agent was offered; a hand-over it was not offered is an unknown tool.
    is_root : bool
        Whether the root said it; a root does not decline.

    Returns
    -------
    Final or HandOver or ToolCalls or Declined or Empty

    Examples
    --------
    >>> from lango_nb.runtime.control.none import NoControl
    >>> read_reply(Reply(text=" [REJECT] not mine"), NoControl(), "reject", (), is_root=False)
    Declined(text='[REJECT] not mine', calls=())
    """
    text = reply.text.strip()
    if decline == "reject" and not is_root and text.startswith(REJECT):
        return Declined(text, reply.tool_calls)
    if reply.tool_calls:
        handing = tuple(call for call in reply.tool_calls if call.name in offered and control.owns(call.name))
        if handing:
            return HandOver(handing, tuple(call for call in reply.tool_calls if call not in handing))
        return ToolCalls(reply.tool_calls)
    return Final(text) if text else Empty()
