"""What tools may do on the network: nothing, unless a service says so."""

from __future__ import annotations

from lango_nb.core.dataclass import dataclass

MOST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Network:
    """What ``fetch`` may do; bind one to a :class:`~lango_nb.tools.context.ToolContext` to switch it on."""

    switched_off_by: tuple[str, ...] = ("tools.fetch.enabled",)
    """The settings that have to be true and are not; empty when requests may be sent."""
    reaches_private: bool = False
    """Whether addresses of this machine and of its own network may be reached."""
    timeout_s: float = 30.0
    """How long one call may take, redirects included; 0 sets no limit."""
    most_bytes: int = MOST_BYTES
    """Bytes of a body that are kept."""
