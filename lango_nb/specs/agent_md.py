"""``AGENT.md`` ⇄ :class:`AgentSpec`: front matter in YAML, then what the agent is told about itself.

    ---
    name: code-reviewer
    description: Reviews code for quality and security
    prefixes:
    - review_*
    keywords: [review, code quality]
    constraints:
      max_turns: 10
    ---

    You review code. …

The front matter ends at the first line that is exactly ``---``. Its keys are the fields of ``AgentSpec``; the text
after it, without the white space around it, is the instruction. Keys this version does not know are kept, written back,
and named by :func:`findings`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from lango_nb.core.errors import DefinitionError, closest, shorten
from lango_nb.core.json_value import JsonValue
from lango_nb.core.text import printable
from lango_nb.specs.agent import AgentSpec, Constraints, Source
from lango_nb.specs.document import (
    MAX_BYTES,
    Document,
    Loc,
    describe,
    read_text,
    too_big,
)
from lango_nb.specs.simple_yaml import read_definition

MARK = "---"
"""The line before and after the front matter."""
STATUSES = ("active", "disabled", "draft")
KEYS = tuple(one.name for one in fields(AgentSpec) if one.name not in {"instruction", "source", "path", "extra"})
"""Keys of the front matter, in the order in which they are written."""
LIMITS = tuple(one.name for one in fields(Constraints))
"""Keys below ``constraints``."""

_NOT_TEXT = re.compile("[\0\ud800-\udfff]")


def parse_agent_md(
    text: str, path: str = "AGENT.md", source: Source = Source.USER, *, is_own: bool = False
) -> AgentSpec:
    r"""Read an agent's definition.

    Parameters
    ----------
    text : str
        At most 1 MB as UTF-8. A byte order mark, blank lines at the top and CRLF line ends are accepted.
    path : str
        File name for messages, kept in ``spec.path``.
    source : Source
        Kept in ``spec.source``.
    is_own : bool
        Whether it is one of the package's own, see :meth:`.Document.check`.

    Returns
    -------
    AgentSpec

    Raises
    ------
    DefinitionError
        ``path:line: field: what is wrong, what to do``.

    Notes
    -----
    Source: Multi-Agent Orchestration (spec 003), "AGENT.md Format".

    Examples
    --------
    >>> spec = parse_agent_md("---\nname: tailor\nkeywords: [hem, seam]\n---\nYou sew.\n")
    >>> spec.name, spec.keywords, spec.instruction
    ('tailor', ('hem', 'seam'), 'You sew.')
    """
    _refuse_no_text(text, path)
    parts = _split(text.removeprefix("\ufeff"), path)
    document = read_definition(parts.front, path, noun="front matter", first_line=parts.first_line, is_own=is_own)
    known, extra = _sort_out(document)
    spec = document.check(AgentSpec, known)
    for limit in LIMITS:
        value = getattr(spec.constraints, limit)
        if not (math.isfinite(value) and value >= 0):
            raise document.error(("constraints", limit), f"has to be 0 or more, not {value}")
    return spec.model_copy(update={"instruction": parts.body, "source": source, "path": path, "extra": extra})


def read_agent_md(
    path: Path, source: Source = Source.USER, *, shown_as: str | None = None, is_own: bool = False
) -> AgentSpec:
    """Read an agent's definition from a file.

    Parameters
    ----------
    path : Path
    source : Source
    shown_as : str, optional
        What ``spec.path`` and messages call the file; the path as given when absent.
    is_own : bool
        Whether it is one of the package's own, see :meth:`.Document.check`.

    Returns
    -------
    AgentSpec

    Raises
    ------
    DefinitionError
        As :func:`parse_agent_md`; also when it is not a file, cannot be read, is larger than 1 MB, or is not UTF-8.
    """
    label = str(path) if shown_as is None else shown_as
    return parse_agent_md(read_text(path, label), label, source, is_own=is_own)


def render_agent_md(spec: AgentSpec) -> str:
    """Write an agent's definition, so that reading it gives the same one.

    Parameters
    ----------
    spec : AgentSpec
        Its source and path are not written. White space around the instruction is not kept.

    Returns
    -------
    str
        Fields that have their default are left out, except name and description.

    Raises
    ------
    DefinitionError
        ``extra`` holds a key that is a field, or a text cannot be stored as UTF-8.

    Examples
    --------
    >>> print(render_agent_md(AgentSpec(name="tailor", prefixes=("sew_*",), instruction="You sew.")))
    ---
    name: tailor
    description: ''
    prefixes:
    - sew_*
    ---
    <BLANKLINE>
    You sew.
    <BLANKLINE>
    """
    from lango_nb.specs.yaml_text import write_mapping

    instruction = spec.instruction.strip()
    found = _NOT_TEXT.search(instruction)
    if found is not None:
        raise DefinitionError(f"agent {spec.name!r}: instruction: holds U+{ord(found[0]):04X}; remove it")
    front = write_mapping(_front_matter(spec))
    body = f"\n{instruction}\n" if instruction else ""
    return f"{MARK}\n{front}{MARK}\n{body}"


def findings(spec: AgentSpec) -> tuple[str, ...]:
    """List what is odd about a definition without being wrong.

    Parameters
    ----------
    spec : AgentSpec

    Returns
    -------
    tuple of str
        One line each: keys nobody reads, a status that is not one, prefixes that claim nothing.

    Examples
    --------
    >>> findings(AgentSpec(name="tailor", path="AGENT.md", extra={"keyword": "hem"}))
    ("AGENT.md: keyword: nothing reads this key; did you mean 'keywords'?",)
    """
    where = spec.path or f"agent {spec.name!r}"
    found = [
        f"{where}: {printable(describe(loc))}: nothing reads this key{_near(str(loc[-1]), options)}"
        for loc, options in _unread_keys(spec)
    ]
    if spec.status not in STATUSES:
        what = f"{shorten(spec.status)!r} is none of {', '.join(STATUSES)}, so the agent takes no part"
        found.append(f"{where}: status: {what}{_near(spec.status, STATUSES)}")
    if any(prefix in {"", "*"} for prefix in spec.prefixes):
        found.append(f"{where}: prefixes: an empty prefix claims nothing; write the beginning of a tool's name")
    return tuple(found)


def _unread_keys(spec: AgentSpec) -> Iterator[tuple[Loc, tuple[str, ...]]]:
    """Name the keys nobody reads, each with the keys it could have been."""
    for key, value in spec.extra.items():
        if key == "constraints" and isinstance(value, dict):
            yield from (((key, inner), LIMITS) for inner in value)
        else:
            yield (key,), KEYS


class _Parts(NamedTuple):
    front: str
    """What is between the marks."""
    body: str
    """What follows them, without the white space around it."""
    first_line: int
    """Line of the file in which ``front`` begins, from 1."""


def _refuse_no_text(text: str, path: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise too_big(path, size)
    found = _NOT_TEXT.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        what = f"holds U+{ord(found[0]):04X}, so it is not text; save it as UTF-8 text"
        raise DefinitionError(f"{path}:{line}: file: {what}")


def _split(text: str, path: str) -> _Parts:
    """Take a file apart at the two marks."""
    lines = text.split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[start].removesuffix("\r") != MARK:
        raise DefinitionError(f"{path}:{start + 1}: front matter: is missing; {_begin_hint(lines[start])}")
    end = next((n for n, line in enumerate(lines[start + 1 :], start + 1) if line.removesuffix("\r") == MARK), None)
    if end is None:
        raise DefinitionError(f"{path}:{start + 1}: front matter: is not closed; {_close_hint(lines, start)}")
    body = "\n".join(lines[end + 1 :])
    if lines[start].endswith("\r"):
        body = body.replace("\r\n", "\n")
    front = "".join(f"{line}\n" for line in lines[start + 1 : end])
    return _Parts(front, body.strip(), start + 2)


def _begin_hint(line: str) -> str:
    hint = f"begin the file with a line that is exactly '{MARK}'"
    return f"{hint}, not {shorten(line, 20)!r}" if line.startswith(MARK) else hint


def _close_hint(lines: list[str], start: int) -> str:
    hint = f"end it with a line that is exactly '{MARK}'"
    near = (n for n, line in enumerate(lines[start + 1 :], start + 1) if line.strip(" \t\r-") == "" and MARK in line)
    number = next(near, None)
    return hint if number is None else f"{hint}, line {number + 1} is {shorten(lines[number], 20)!r}"


def _sort_out(document: Document) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """Tell the keys of an agent from those this version does not know, at the top and below ``constraints``."""
    if "instruction" in document.values:
        raise document.error(("instruction",), "is the text after the front matter; move it there")
    known, extra = _divide(document.values, KEYS)
    limits = known.get("constraints")
    if isinstance(limits, dict):
        known["constraints"], unknown = _divide(limits, LIMITS)
        if unknown:
            extra["constraints"] = unknown
    return known, extra


def _divide(
    values: Mapping[str, JsonValue], keys: tuple[str, ...]
) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    known = {key: value for key, value in values.items() if key in keys}
    return known, {key: value for key, value in values.items() if key not in keys}


def _front_matter(spec: AgentSpec) -> dict[str, Any]:
    """Return what is written above the instruction, in order."""
    changed = spec.model_dump(include=set(KEYS), exclude_defaults=True)
    front = {key: changed[key] for key in KEYS if key in changed}
    front = {"name": spec.name, "description": spec.description, **front}
    extra = dict(spec.extra)
    limits = extra.pop("constraints", None)
    taken = [key for key in extra if key in (*KEYS, "instruction")]
    if limits is not None:
        own = front.get("constraints", {})
        if not isinstance(limits, dict) or any(key in LIMITS for key in limits):
            taken.append("constraints")
        else:
            front["constraints"] = {**own, **limits}
    if taken:
        raise DefinitionError(f"agent {spec.name!r}: extra: {taken[0]!r} is a field of its own; set that field instead")
    return {**front, **extra}


def _near(name: str, options: tuple[str, ...]) -> str:
    near = closest(name, options)
    return f"; did you mean {near!r}?" if near is not None else ""
