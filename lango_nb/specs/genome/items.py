"""What the files of a genome hold, item by item and field by field, for comparing versions and taking changes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lango_nb.core.errors import DefinitionError
from lango_nb.core.json_value import JsonValue
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.agent_yaml import parse_agent_yaml, render_agent_yaml
from lango_nb.specs.genome.manifest import Manifest, parse_manifest
from lango_nb.specs.genome.memories import Memory, parse_memories, render_memories
from lango_nb.specs.genome.rules import Rule, parse_rules, render_rules
from lango_nb.specs.genome.working_tree import MEMORIES, RULES, agent_of

Noun = Literal["agent", "memory", "rule", "file"]
Fields = Mapping[str, JsonValue]
_CONSTRAINTS = "constraints"


def parse_file(path: str, text: str) -> AgentSpec | Mapping[str, Memory] | Mapping[str, Rule] | Manifest:
    """Read a file of a genome.

    Raises
    ------
    DefinitionError
        ``path:line: field: what is wrong``.
    """
    if path == MEMORIES:
        return parse_memories(text, path)
    if path == RULES:
        return parse_rules(text, path)
    if name := agent_of(path):
        spec = parse_agent_yaml(text, path)
        if spec.name != name:
            raise DefinitionError(
                f"{path}: name: is {spec.name!r}, which belongs in {spec.name}.yaml; rename one of them"
            )
        return spec
    return parse_manifest(text, path)


def agent_bytes(spec: AgentSpec) -> bytes:
    """Write an agent's file."""
    return render_agent_yaml(spec).encode()


def agent_fields(text: str, path: str) -> dict[str, JsonValue]:
    """Return what an agent's file says, in the words and the order of the file, limits as ``constraints.max_turns``."""
    from lango_nb.specs.yaml_text import read_document

    found: dict[str, JsonValue] = {}
    for key, value in read_document(render_agent_yaml(parse_agent_yaml(text, path)), path).values.items():
        if key == _CONSTRAINTS and isinstance(value, dict):
            found |= {f"{key}.{inner}": one for inner, one in value.items()}
        else:
            found[key] = value
    return found


def agent_of_fields(fields: Fields, path: str) -> AgentSpec:
    """Make the agent that these fields describe."""
    from lango_nb.specs.yaml_text import write_mapping

    values: dict[str, JsonValue] = {}
    limits: dict[str, JsonValue] = {}
    for key, value in fields.items():
        outer, _, inner = key.partition(".")
        if outer == _CONSTRAINTS and inner:
            limits[inner] = value
        else:
            values[key] = value
    return parse_agent_yaml(write_mapping({**values, _CONSTRAINTS: limits}), path)


def memory_bytes(memories: Mapping[str, Memory]) -> bytes:
    """Write the file of memories."""
    return render_memories(memories.values()).encode()


def rule_bytes(rules: Mapping[str, Rule]) -> bytes:
    """Write the file of rules."""
    return render_rules(rules.values()).encode()


def items_of(path: str, data: bytes | None) -> dict[tuple[Noun, str], Fields]:
    """Return what a file holds: each item with its fields; a file that cannot be read is one item without any."""
    if data is None:
        return {}
    try:
        text = data.decode()
        if path == MEMORIES:
            return {("memory", one.id): _memory_fields(one) for one in parse_memories(text, path).values()}
        if path == RULES:
            return {("rule", one.id): _rule_fields(one) for one in parse_rules(text, path).values()}
        if name := agent_of(path):
            return {("agent", name): agent_fields(text, path)}
    except (DefinitionError, UnicodeDecodeError):
        pass
    return {("file", path): {}}


def _memory_fields(one: Memory) -> Fields:
    return {
        "content": one.content,
        "tags": list(one.tags),
        "source": one.source,
        "created_at": one.created_at.isoformat(),
        "confidence": one.confidence,
    }


def _rule_fields(one: Rule) -> Fields:
    return {
        "condition": one.condition,
        "preference": one.preference,
        "strength": one.strength,
        "source": one.source,
    }
