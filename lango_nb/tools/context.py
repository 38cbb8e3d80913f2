"""What a running tool may know and use: where it works, for whom, and the services somebody bound for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TypeVar

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import ToolError

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Surroundings of one tool call."""

    workspace: Path
    """Folder that file tools may not leave, and in which commands run; absolute, links resolved."""
    agent: str = ""
    """Name of the agent that calls."""
    closed: tuple[Path, ...] = ()
    """Folders and files that file tools do not touch, also where they lie in the workspace."""
    session_id: str = ""
    turn_id: str = ""
    call_id: str = ""
    run_id: str = ""
    """The teammate run the call belongs to; empty for the turn's own work."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Limits by setting name, ``exec_timeout_s`` and ``max_read_bytes`` for instance."""
    services: Mapping[type, object] = field(default_factory=dict)
    """What is bound, by protocol or class: tools ask for what they need and never import it."""

    def service(self, kind: type[S]) -> S:
        """Return the service bound for a protocol or class.

        Raises
        ------
        ToolError
            Nothing is bound for it.
        """
        found = self.services.get(kind)
        if found is None:
            raise ToolError(f"this tool needs {kind.__name__}, which is not available here")
        return found  # type: ignore[return-value]  # bound by kind in the composition root
