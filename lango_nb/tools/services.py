"""What control tools ask their :class:`~lango_nb.tools.context.ToolContext` for: one protocol per thing they act on.

A tool names the protocol it needs, ``context.service(TaskService)`` for instance, and never imports what stands behind
it. The engine binds the implementations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue
    from lango_nb.tools.context import ToolContext
    from lango_nb.tools.tool import ToolResult

MemoryKind = Literal["pattern", "preference", "fact", "skill"]
"""What sort of memory it is."""
MemoryScope = Literal["instance", "type", "global"]
"""Who may read a memory: the agent itself, agents of its type, everybody."""


class TeammateService(Protocol):
    """Starts, awaits and stops teammate runs.

    Whatever the model can mend is raised as a :class:`~lango_nb.core.errors.LangoError` with one sentence. ``context``
    says who asks: runs that are none of the asker's business are not there.
    """

    async def spawn(  # noqa: PLR0913 - all by name
        self,
        context: ToolContext,
        *,
        instruction: str,
        agent: str = "",
        spawn_reason: str = "",
        allowed_tools: Sequence[str] | None = None,
        timeout_s: float = 300,
    ) -> dict[str, JsonValue]:
        """Start a run and return at once: ``agent_id``, ``status``, ``requested_agent``, ``spawn_reason``."""
        ...

    async def wait(
        self, agent_id: str, timeout_s: float, *, context: ToolContext | None = None
    ) -> dict[str, JsonValue]:
        """Return a run once it has ended, or, with ``timeout``, as it is when the time is up."""
        ...

    async def stop(self, agent_id: str, *, context: ToolContext | None = None) -> dict[str, JsonValue]:
        """Cancel a run that has not ended."""
        ...


class TaskService(Protocol):
    """Keeps the notes of what is to be done."""

    async def create(self, title: str, description: str = "", parent_id: str = "") -> dict[str, JsonValue]:
        """Note a task and return ``task_id`` and ``status``."""
        ...

    async def get(self, task_id: str) -> dict[str, JsonValue]:
        """Return a whole task."""
        ...

    async def list(self, status: str = "", parent_id: str = "") -> dict[str, JsonValue]:
        """Return ``tasks`` and their ``count``; what is not empty narrows them."""
        ...

    async def update(self, task_id: str, status: str = "", description: str = "") -> dict[str, JsonValue]:
        """Change what is not empty and return the task."""
        ...


class MemoryService(Protocol):
    """Keeps what agents want to remember; ``agent`` is always who asks."""

    async def save(  # noqa: PLR0913 - all by name
        self,
        agent: str,
        *,
        key: str,
        content: str,
        kind: str = "fact",
        scope: str = "instance",
        tags: Sequence[str] = (),
        confidence: float = 0.5,
    ) -> dict[str, JsonValue]:
        """Remember something under a key; what the agent had there is replaced."""
        ...

    async def recall(self, agent: str, *, query: str, kind: str = "", limit: int = 10) -> dict[str, JsonValue]:
        """Return ``memories`` the agent may read, best first, and their ``count``; each counts as used once more."""
        ...

    async def forget(self, agent: str, *, key: str) -> dict[str, JsonValue]:
        """Forget what the agent itself has under a key; nothing there is no error."""
        ...


class OutputService(Protocol):
    """Gives back parts of large results that were compressed."""

    async def fetch(  # noqa: PLR0913 - all by name
        self,
        ref: str,
        mode: str = "full",
        *,
        start_line: int = 0,
        end_line: int = 0,
        pattern: str = "",
        max_lines: int = 0,
    ) -> ToolResult:
        """Return a kept result: all of it, some lines, or the lines that match."""
        ...
