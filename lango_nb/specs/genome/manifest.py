"""What a genome remembers of the agents that were shipped to it: ``bootstrap-manifest.json``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError
from lango_nb.core.json_value import JsonValue
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.agent_yaml import render_agent_yaml


@dataclass(frozen=True, slots=True)
class Shipped:
    """One agent as it was shipped last."""

    hash: str
    """``sha256:`` and the sum of the file."""
    version: int
    capabilities: tuple[str, ...]
    written: str | None
    """Sum of the agent as the genome got it, without its list; ``None``: the genome had one of its own."""


Manifest = Mapping[str, Shipped]


def sum_of(data: bytes) -> str:
    """Return the sum of a file."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def sum_of_agent(spec: AgentSpec) -> str:
    """Return a sum of everything about an agent but its list, to which names are added without changing the agent."""
    return sum_of(render_agent_yaml(spec.model_copy(update={"tools": (), "delegates": ()})).encode())


def parse_manifest(text: str, path: str) -> dict[str, Shipped]:
    """Read a manifest.

    Raises
    ------
    DefinitionError
        It is none.
    """
    try:
        agents = json.loads(text)["agents"]
        return {str(name): _shipped(one) for name, one in agents.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        what = "is no manifest; put back the committed one, or take the file away and sync anew"
        raise DefinitionError(f"{path}: file: {what}") from None


def render_manifest(manifest: Manifest, at: datetime) -> str:
    """Write a manifest."""
    agents: dict[str, JsonValue] = {
        name: {"hash": one.hash, "version": one.version, "capabilities": list(one.capabilities), "written": one.written}
        for name, one in sorted(manifest.items())
    }
    synced_at = at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return json.dumps({"synced_at": synced_at, "agents": agents}, indent=1, ensure_ascii=False) + "\n"


def _shipped(values: dict[str, JsonValue]) -> Shipped:
    names, version, written = values["capabilities"], values["version"], values.get("written")
    if not isinstance(names, list) or not isinstance(version, int) or not isinstance(written, str | None):
        raise TypeError
    return Shipped(str(values["hash"]), version, tuple(map(str, names)), written)
