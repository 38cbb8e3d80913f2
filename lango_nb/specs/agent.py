"""An agent as data: who it is, what it owns, what it answers for and what it must leave to others."""

from __future__ import annotations

import re
from dataclasses import field
from enum import IntEnum
from typing import Annotated, Any

from lango_nb.core.frozen import After, Checked
from lango_nb.core.json_value import JsonValue

NAME_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
"""Shape of an agent's name: a letter, then letters, digits, ``_``, ``.`` and ``-``; 64 characters at most."""


class Source(IntEnum):
    """Where a definition came from; lower numbers load first."""

    BUILTIN = 0
    """The topology's own agents."""
    EMBEDDED = 1
    """A few extras bundled with the package, used while the user has none."""
    USER = 2
    """``AGENT.md`` files of the user, or a ``%%lango agent`` cell."""
    REMOTE = 3
    """Agents reached over the network."""


def check_name(name: str) -> str:
    """Refuse what is no name of an agent."""
    if not name:
        raise ValueError("an agent needs a name")
    if not NAME_PATTERN.fullmatch(name):
        raise ValueError("a name is a letter followed by at most 63 letters, digits, '_', '.' or '-'")
    return name


class Constraints(Checked):
    """What an agent may do beyond its tools."""

    can_spawn: bool = False
    """Whether it may hand work to agents of its own."""
    max_depth: int = 0
    """How deep below the root it may run; 0 switches the check off."""
    max_turns: int = 0
    """Model calls per run; 0 takes the topology's limit."""
    timeout_s: float = 0.0
    """Seconds per run; 0 takes the topology's limit."""
    can_learn: bool = False
    """Whether it may change its own definition."""


class AgentSpec(Checked):
    """One agent's definition."""

    name: Annotated[str, After(check_name)]
    """Unique within a tree; exactly this spelling is used everywhere."""
    description: str = ""
    """One or two sentences: what it does, for a reader who has to choose."""
    instruction: str = ""
    """What the agent is told about itself: the body of its ``AGENT.md``."""
    status: str = "active"
    """``active``, ``disabled`` or ``draft``; any other word is kept and is not active."""
    prefixes: tuple[str, ...] = ()
    """Tool-name prefixes it owns; one that ends in ``_`` or ``_*`` claims the bare stem too."""
    keywords: tuple[str, ...] = ()
    """Words and phrases of requests that are its own."""
    capabilities: tuple[str, ...] = ()
    """What it can do, in the field's words."""
    accepts: str = ""
    """What a request to it should hold."""
    returns: str = ""
    """What it reports back."""
    cannot_do: tuple[str, ...] = ()
    """What it must leave to others."""
    example_requests: tuple[str, ...] = ()
    """Requests that are clearly its own."""
    disambiguation: str = ""
    """When not this agent."""
    always_include: bool = False
    """In the tree even without a tool."""
    session_isolation: bool = False
    """Works in a child session."""
    constraints: Constraints = Constraints.model_construct()
    delegates: tuple[str, ...] = ()
    """Agents it may hand work to, for trees deeper than one level; names of nobody are ignored."""
    tools: tuple[str, ...] = ()
    """Tools it works with, by name; several agents may list the same one, and names of no tool are ignored."""
    model: str = ""
    """Model of its own; empty takes the engine's."""
    tags: tuple[str, ...] = ()
    """Words to find it by."""
    version: int = 1
    """Counted up with every change that a genome keeps."""
    source: Source = Source.BUILTIN
    """Where the definition came from; not written to the file."""
    path: str = ""
    """File the definition was read from; not written to the file."""
    extra: dict[str, JsonValue] = field(default_factory=dict)
    """Front-matter keys this version does not know: kept, written back, reported as findings."""

    @property
    def is_active(self) -> bool:
        """Whether the definition takes part in a tree."""
        return self.status == "active"

    def with_changes(self, **changes: Any) -> AgentSpec:
        """Return a validated copy with some fields replaced.

        Parameters
        ----------
        **changes
            Field names and their new values.

        Raises
        ------
        pydantic.ValidationError
            A field does not exist or a value has the wrong type.
        """
        return AgentSpec.model_validate({**vars(self), **changes})
