"""The routing table: one row per target of the root, written into its prompt as markdown and read back from there.

The markdown is the only thing a model sees of the roster, so the router of the offline model reads it too: what is not
in the table cannot influence a route.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from html import unescape

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.core.text import folded


@dataclass(frozen=True, slots=True)
class RoutingRow:
    """What the root knows of one target."""

    name: str
    role: str = ""
    """Description of the agent, one line."""
    keywords: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    """What it declares and what its tools' prefixes stand for, without repetition."""
    actions: tuple[str, ...] = ()
    """Its tools of a kind that no prefix stands for, each by its name in words and what its author says of it."""
    told: str = ""
    """How its instruction begins, where the router knows it by nothing but its author's words."""
    accepts: str = ""
    returns: str = ""
    cannot: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    not_for: str = ""
    """When not this agent."""
    is_remote: bool = False


_LABELS = {
    "role": "Role",
    "keywords": "Keywords",
    "capabilities": "Capabilities",
    "actions": "Actions",
    "told": "Is told",
    "accepts": "Accepts",
    "returns": "Returns",
    "cannot": "Cannot",
    "examples": "Example requests",
    "not_for": "When not this agent",
    "is_remote": "Where",
}
_REMOTE = "remote A2A agent"
_TUPLES = {"keywords", "capabilities", "actions", "cannot", "examples"}
_HEADING = re.compile(r"^### (\S+)$")
_ENTRY = re.compile(r"^- \*\*([^*]+)\*\*: (.*)$")
_AGENT_LINE = re.compile(r'^- "([^"]+)": (.*?)(?: ?Capabilities: (.*?))?(?: ?Actions: (.*?))?( \(remote A2A agent\))?$')
_AGENT_ELEMENT = re.compile(r'^<agent name="([^"]+)">(.*?)(?: ?Capabilities: (.*?))?(?: ?Actions: (.*?))?()</agent>$')
_COMMA = re.compile(r", (?![^()]*\))")
_SEPARATOR = "; "


def _escape(item: str) -> str:
    return folded(item).replace("\\", "\\\\").replace(";", "\\;")


def join_items(items: Iterable[str]) -> str:
    """Write several texts into one line, so that they can be told apart again."""
    return _SEPARATOR.join(map(_escape, items))


def _split(text: str) -> tuple[str, ...]:
    parts = re.findall(r"(?:\\.|[^;\\])+", text)
    return tuple(re.sub(r"\\(.)", r"\1", part).strip() for part in parts if part.strip())


@dataclass(frozen=True, slots=True)
class RoutingTable:
    """All targets of a root, in the order of the tree.

    Examples
    --------
    >>> table = RoutingTable((RoutingRow("vault", "keeps secrets", keywords=("secret", "sign")),))
    >>> print(table.to_markdown())
    ### vault
    - **Role**: keeps secrets
    - **Keywords**: secret; sign
    >>> RoutingTable.from_markdown(table.to_markdown()) == table
    True
    """

    rows: tuple[RoutingRow, ...] = ()

    def __iter__(self) -> Iterator[RoutingRow]:
        """Iterate over the rows."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.rows)

    def __getitem__(self, name: str) -> RoutingRow:
        """Row of one agent."""
        for row in self.rows:
            if row.name == name:
                return row
        raise UnknownNameError("agent", name, self.names, where="the routing table")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all targets, in order."""
        return tuple(row.name for row in self.rows)

    def to_markdown(self) -> str:
        """Write the table as the root's prompt holds it."""
        return "\n\n".join(_write_row(row) for row in self.rows)

    @classmethod
    def from_markdown(cls, text: str) -> RoutingTable:
        """Read a table out of a text; whatever is not a row is passed over.

        Prompts without a table have a line per agent (``- "executor": Runs things. Capabilities: file operations``), or
        an element per agent (``<agent name="reader">Reads files</agent>``); those are rows too.

        Parameters
        ----------
        text : str
            A prompt, or what :meth:`to_markdown` wrote.

        Raises
        ------
        DefinitionError
            Two rows have the same name.
        """
        rows: list[dict[str, object]] = []
        inside = False
        for line in text.splitlines():
            if heading := _HEADING.match(line):
                rows.append({"name": heading[1]})
                inside = True
            elif line.startswith("#"):
                inside = False
            elif inside and (entry := _ENTRY.match(line)):
                _read_entry(rows[-1], entry[1], entry[2])
            elif line.startswith('- "') and (agent := _AGENT_LINE.match(line)):
                rows.append(_read_agent_line(agent))
            elif line.startswith("<agent ") and (agent := _AGENT_ELEMENT.match(line)):
                rows.append(_read_agent_line(agent, unescape))
        known = [row for row in rows if len(row) > 1]
        names = [row["name"] for row in known]
        for name in names:
            if names.count(name) > 1:
                raise DefinitionError(f"the routing table has two rows for {name!r}; keep one")
        return cls(tuple(RoutingRow(**row) for row in known))  # type: ignore[arg-type]  # keys come from the fields


def _write_row(row: RoutingRow) -> str:
    lines = [f"### {row.name}"]
    for item in fields(row)[1:]:
        value = getattr(row, item.name)
        if item.name == "role":
            lines.append(f"- **Role**: {folded(value)}")
        elif value:
            written = (
                _REMOTE if item.name == "is_remote" else join_items(value) if item.name in _TUPLES else folded(value)
            )
            lines.append(f"- **{_LABELS[item.name]}**: {written}")
    return "\n".join(lines)


def _read_agent_line(match: re.Match[str], read: Callable[[str], str] = str) -> dict[str, object]:
    name, role, capabilities, actions, remote = (read(part) if part else part for part in match.groups())
    listed = tuple(_COMMA.split(capabilities)) if capabilities else ()
    row = {"name": name, "role": role.strip(), "capabilities": listed, "is_remote": bool(remote)}
    return row if actions is None else {**row, "actions": _split(actions)}


def _read_entry(row: dict[str, object], label: str, value: str) -> None:
    for field, written in _LABELS.items():
        if written == label:
            row[field] = True if field == "is_remote" else _split(value) if field in _TUPLES else value.strip()
