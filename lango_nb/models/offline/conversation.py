"""The messages of a request, sorted: what the agent is told, what the user wants, what happened since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lango_nb.core.messages import Message, Reply, ToolCall

REJECT = "[REJECT]"
TRANSFER = "transfer_to_agent"


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
    """The user's last message."""
    since: tuple[Message, ...]
    """Everything after it."""

    @classmethod
    def read(cls, messages: Sequence[Message]) -> Conversation:
        """Sort messages."""
        system = messages[0].content if messages and messages[0].role == "system" else ""
        last = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == "user"), None)
        if last is None:
            return cls(system, "", ())
        return cls(system, messages[last].content, tuple(messages[last + 1 :]))

    def done(self) -> Iterator[Done]:
        """Iterate over the calls of this turn that have a result."""
        results = {message.tool_call_id: message for message in self.since if message.role == "tool"}
        for message in self.since:
            for call in message.tool_calls:
                if call.id in results:
                    yield Done(call, results[call.id])

    def worked(self) -> tuple[Done, ...]:
        """Return the calls of this turn that were real work: hand-overs are none."""
        return tuple(done for done in self.done() if done.call.name != TRANSFER)

    def call(self, tool: str, **arguments: object) -> Reply:
        """Reply with one tool call, named after how many there were before."""
        number = sum(len(message.tool_calls) for message in self.since) + 1
        given = {name: value for name, value in arguments.items() if value is not None}
        return Reply(tool_calls=(ToolCall.model_validate({"id": f"call-{number}", "name": tool, "arguments": given}),))
