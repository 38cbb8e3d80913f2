"""The primitives of a genome, for a model that thinks in other tools: what it wants is said as they take it.

fs_read ── read_file      the same
fs_list ── glob           of everything in a folder
fs_write ─ write_file     the same
fs_edit ── edit_file      the lines as they stood, with those around them until they are there once
web_fetch  fetch          the address alone
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from lango_nb.core.messages import ToolSchema
from lango_nb.models.offline.plan import Call, Got

PRIMITIVE_FOR = {
    "fs_read": "read_file",
    "fs_list": "glob",
    "fs_stat": "read_file",
    "fs_write": "write_file",
    "fs_edit": "write_file",
    "fs_mkdir": "write_file",
    "fs_delete": "write_file",
    "web_fetch": "fetch",
}
"""The primitive that shows that an agent can do what a tool does."""
_SAID_AS = {"fs_read": "read_file", "fs_list": "glob", "fs_write": "write_file", "fs_edit": "edit_file", "web_fetch": "fetch"}  # fmt: skip
_UNUSED = frozenset(("grep", "apply_patch"))
"""Primitives that this model does without."""
_PART = re.compile(r"\n?\[lines (\d+)-\d+ of \d+\]\s*\Z")


def under_known_names(tools: Sequence[ToolSchema]) -> tuple[ToolSchema, ...]:
    """Return tools with primitives under the names that the model thinks in; one that is there twice counts once.

    Examples
    --------
    >>> [tool.name for tool in under_known_names([ToolSchema(name="read_file"), ToolSchema(name="grep")])]
    ['fs_read']
    """
    known = {primitive: name for name, primitive in _SAID_AS.items()}
    names = {tool.name for tool in tools}
    if not names & {*known, *_UNUSED}:
        return tuple(tools)
    return tuple(
        tool.model_copy(update={"name": known[tool.name]}) if tool.name in known else tool
        for tool in tools
        if tool.name not in _UNUSED and known.get(tool.name) not in names
    )


class Wording:
    """How calls are said with the tools there are; it sees what files held, and so what an edit takes.

    Parameters
    ----------
    tools : iterable of str
        Names of the tools that are offered.
    """

    def __init__(self, tools: Iterable[str]) -> None:
        self._offered = frozenset(tools)
        self._lines: dict[str, dict[int, str]] = {}

    def of(self, call: Call) -> Call:
        """Say a call with the tools there are."""
        name = _SAID_AS.get(call.tool, "")
        if call.tool in self._offered or name not in self._offered:
            return call
        given = call.arguments
        match name:
            case "glob":
                arguments: Mapping[str, object] = {"pattern": "*", "path": given.get("path") or "."}
            case "fetch":
                arguments = {"url": given.get("url")}
            case "edit_file":
                arguments = self._edit(str(given["path"]), given["startLine"], given["endLine"], str(given["content"]))
            case _:
                arguments = given
        return call._replace(tool=name, arguments=arguments)

    def read(self, call: Call, got: Got) -> Got:
        """Read what a call gave as if its own tool had given it, and keep what a file held."""
        path = str(call.arguments.get("path") or ".")
        if got.is_error or call.tool in self._offered:
            return got
        if call.tool == "fs_read":
            part = _PART.search(got.text)
            text, first = (got.text[: part.start()], int(part[1])) if part else (got.text, 1)
            self._lines.setdefault(path, {}).update(enumerate(StringIO(text, newline=""), first))
        elif call.tool in {"fs_edit", "fs_write"}:
            self._lines.pop(path, None)
        elif call.tool == "fs_list" and path != ".":
            start = f"{path.strip('/')}/"
            return got._replace(text="\n".join(line.removeprefix(start) for line in got.text.split("\n")))
        return got

    def _edit(self, path: str, first: int, last: int, content: str) -> dict[str, object]:
        """Say which text stands in the place of which: whole lines, and as many above as make them the only ones."""
        lines = self._lines.get(path, {})
        whole = "".join(lines[number] for number in sorted(lines))
        new = content if lines.get(last, "\n").endswith(("\n", "\r")) else content.removesuffix("\n")
        old = "".join(lines.get(number, "") for number in range(first, last + 1))
        above, below = first - 1, last + 1
        while whole.find(old, whole.find(old) + 1) >= 0 and (above in lines or below in lines):
            before, after = lines.get(above, ""), lines.get(below, "")
            old, new = before + old + after, before + new + after
            above, below = above - 1, below + 1
        return {"path": path, "old_string": old, "new_string": new}
