"""One agent as one YAML file, the form a genome keeps: ``reader.yaml`` ⇄ :class:`AgentSpec`.

    name: reader
    description: Finds files and reads them
    model: fast
    capabilities: [read_file, grep, glob]
    constraints:
      max_turns: 20
      can_spawn: false
    system_prompt: |
      You read files. …

``capabilities`` names tools and other agents in one list. Which of the two a name is shows in the tree: both ``tools``
and ``delegates`` of the agent hold the whole list, and names that are nobody's are ignored there.

Notes
-----
Source: Quick Start: Agent Delegation Architecture (spec 004), "Bootstrap Loading"; its defaults as in the project that
it describes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.core.frozen import Checked
from lango_nb.core.json_value import JsonValue
from lango_nb.specs.agent import NAME_PATTERN, AgentSpec, Constraints, Source
from lango_nb.specs.document import Document, read_text
from lango_nb.specs.simple_yaml import read_definition

ENDINGS = (".yaml", ".yml")
"""Endings of the files that hold agents."""
DEFAULTS = Constraints.model_construct(can_spawn=True, max_depth=3, max_turns=50, timeout_s=300.0, can_learn=False)
"""Limits of an agent whose file does not give them."""
_REQUIRED = ("name", "description", "system_prompt", "model")
_LISTS = ("capabilities", "tags")
_KEYS = (*_REQUIRED, *_LISTS, "constraints", "version")


class _Limits(Checked):
    """The limits as a file writes them."""

    max_turns: int = DEFAULTS.max_turns
    max_depth: int = DEFAULTS.max_depth
    timeout_ms: float = DEFAULTS.timeout_s * 1000
    can_spawn: bool = DEFAULTS.can_spawn
    can_learn: bool = DEFAULTS.can_learn


class _File(Checked):
    """What a file holds."""

    name: str = ""
    description: str = ""
    model: str = ""
    capabilities: tuple[str, ...] = ()
    constraints: _Limits = _Limits.model_construct()
    tags: tuple[str, ...] = ()
    system_prompt: str = ""
    version: int = 1


_LIMITS = tuple(one.name for one in fields(_Limits))


def parse_agent_yaml(
    text: str, path: str = "agent.yaml", source: Source = Source.USER, *, is_own: bool = False
) -> AgentSpec:
    r"""Read an agent's definition.

    Parameters
    ----------
    text : str
        YAML without aliases and tags.
    path : str
        File name for messages, kept in ``spec.path``.
    source : Source
        Kept in ``spec.source``.
    is_own : bool
        Whether it is one of the package's own, see :meth:`.Document.check`.

    Returns
    -------
    AgentSpec
        Keys this version does not know are kept in ``extra``.

    Raises
    ------
    DefinitionError
        ``path:line: field: what is wrong, what to do``.

    Examples
    --------
    >>> spec = parse_agent_yaml("name: tailor\ndescription: Sews\nmodel: fast\nsystem_prompt: You sew.\n")
    >>> spec.instruction, spec.constraints.max_turns, spec.constraints.can_spawn
    ('You sew.', 50, True)
    """
    document = read_definition(text, path, is_own=is_own)
    for key in _REQUIRED:
        value = document.values.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            raise document.error((key,), f"is missing; an agent needs {', '.join(_REQUIRED[:-1])} and {_REQUIRED[-1]}")
    known = {key: value for key, value in document.values.items() if key in _KEYS}
    extra = {key: value for key, value in document.values.items() if key not in _KEYS}
    limits = known.get("constraints")
    if isinstance(limits, dict):
        known["constraints"] = {key: value for key, value in limits.items() if key in _LIMITS}
        unknown = {key: value for key, value in limits.items() if key not in _LIMITS}
        extra |= {"constraints": unknown} if unknown else {}
    return _spec(document, document.check(_File, known), source, extra)


def _spec(document: Document, given: _File, source: Source, extra: dict[str, JsonValue]) -> AgentSpec:
    if not NAME_PATTERN.fullmatch(given.name):
        what = f"{shorten(given.name)!r} is not a name: a letter, then at most 63 letters, digits, '_', '.' or '-'"
        raise document.error(("name",), what)
    if given.version < 1:
        raise document.error(("version",), f"has to be 1 or more, not {given.version}")
    limits = given.constraints
    for name in ("max_turns", "max_depth", "timeout_ms"):
        value = getattr(limits, name)
        if not (math.isfinite(value) and value >= 0):
            raise document.error(("constraints", name), f"has to be 0 or more, not {value}")
    return AgentSpec.model_construct(
        name=given.name,
        description=given.description,
        instruction=given.system_prompt.strip(),
        model=given.model,
        tools=tuple(dict.fromkeys(given.capabilities)),
        delegates=tuple(dict.fromkeys(given.capabilities)),
        constraints=Constraints.model_construct(
            can_spawn=limits.can_spawn,
            max_depth=limits.max_depth,
            max_turns=limits.max_turns,
            timeout_s=limits.timeout_ms / 1000,
            can_learn=limits.can_learn,
        ),
        tags=given.tags,
        version=given.version,
        source=source,
        path=document.path,
        extra=extra,
    )


def render_agent_yaml(spec: AgentSpec) -> str:
    """Write an agent's definition, so that reading it gives the same one.

    Parameters
    ----------
    spec : AgentSpec
        Its source and path are not written, nor what only trees with prefixes and keywords use. White space around the
        instruction is not kept.

    Returns
    -------
    str
        All keys in a fixed order, so that two versions differ in what has changed.

    Raises
    ------
    DefinitionError
        ``extra`` holds a key that is a field.

    Examples
    --------
    >>> print(render_agent_yaml(AgentSpec(name="tailor", description="Sews", model="fast", tools=("grep",))))
    name: tailor
    description: Sews
    model: fast
    capabilities:
    - grep
    constraints:
      max_turns: 0
      max_depth: 0
      timeout_ms: 0
      can_spawn: false
      can_learn: false
    tags: []
    system_prompt: ''
    version: 1
    <BLANKLINE>
    """
    from lango_nb.specs.yaml_text import write_mapping

    limits = spec.constraints
    timeout_ms = limits.timeout_s * 1000
    values: dict[str, Any] = {
        "name": spec.name,
        "description": spec.description,
        "model": spec.model,
        "capabilities": list(dict.fromkeys((*spec.tools, *spec.delegates))),
        "constraints": {
            "max_turns": limits.max_turns,
            "max_depth": limits.max_depth,
            "timeout_ms": int(timeout_ms) if timeout_ms == int(timeout_ms) else timeout_ms,
            "can_spawn": limits.can_spawn,
            "can_learn": limits.can_learn,
        },
        "tags": list(spec.tags),
        "system_prompt": spec.instruction.strip(),
        "version": spec.version,
    }
    return write_mapping({**values, **_extra(spec, values)})


def _extra(spec: AgentSpec, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that are kept without being read, those below ``constraints`` in their place."""
    extra = dict(spec.extra)
    limits = extra.pop("constraints", {})
    taken = [key for key in extra if key in values]
    if isinstance(limits, dict) and not any(key in _LIMITS for key in limits):
        extra["constraints"] = {**values["constraints"], **limits}
    else:
        taken.append("constraints")
    if taken:
        raise DefinitionError(f"agent {spec.name!r}: extra: {taken[0]!r} is a field of its own; set that field instead")
    return extra


def load_bootstrap_agents(
    folder: Path, source: Source = Source.USER, *, shown_as: str | None = None
) -> tuple[AgentSpec, ...]:
    """Read a folder of agents, one YAML file each.

    Parameters
    ----------
    folder : Path
        Files that end in ``.yaml`` or ``.yml`` are read, others and folders in it are not.
    source : Source
    shown_as : str, optional
        What messages and ``spec.path`` call the folder; the folder as given when absent.

    Returns
    -------
    tuple of AgentSpec
        Sorted by file name.

    Raises
    ------
    DefinitionError
        The folder or a file cannot be read, or two files define the same agent; names on two files that differ only in
        case count as the same, since they are one file on some machines.
    """
    from lango_nb.specs.sources import PACKAGE

    label = str(folder) if shown_as is None else shown_as
    is_own = folder.is_relative_to(PACKAGE)
    try:
        names = sorted(file.name for file in folder.iterdir() if file.suffix in ENDINGS and not file.is_dir())
    except OSError as error:
        what = f"cannot be read ({error.strerror}); check that it is a folder and readable"
        raise DefinitionError(f"{label}: {what}") from error
    found: dict[str, AgentSpec] = {}
    for name in names:
        path = f"{label}/{name}"
        spec = parse_agent_yaml(read_text(folder / name, path), path, source, is_own=is_own)
        first = found.setdefault(spec.name.casefold(), spec)
        if first is not spec:
            raise DefinitionError(f"{path}: name: {spec.name!r} is taken by {first.path}; rename one of them")
    return tuple(found.values())
