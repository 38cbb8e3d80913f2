"""Tools of which only the description is known: somebody else's system, looked at from here.

    names                 ["fs_read", "cron_add"], or a .txt file with one name a line
    dicts                 {"name": …, "description": …, "safety": …, "family": …, "parameters": …}
    MCP                   the answer of tools/list, with or without its JSON-RPC envelope
    function tools        {"type": "function", "function": {…}}, as chat completion requests hold them
    files                 .json with any of these, .csv with a header (name, description, safety, family, params)
    data frames           anything with ``to_dict("records")`` and the columns of the .csv
    functions             as ``@tool`` makes tools of them: these run, and count as dangerous

They are partitioned and routed like any other; a call answers that only the name is known, where there is no function.
Three sets come along: :func:`spec_families`, :func:`sample_tools` and whatever you bring.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from lango_nb.core.errors import DefinitionError, shorten, suggest
from lango_nb.core.messages import ToolRole
from lango_nb.tools.definitions import JSON_TYPES, CheckedSchema, check_name, check_safety, check_schema, family_of
from lango_nb.tools.tool import Safety, Tool

_DATA = Path(__file__).parents[1] / "data" / "tools"
_LOG = logging.getLogger("lango_nb")
_NAME_KEYS = ("name", "tool")
"""What the column of names is called: in tables of others, and in ``tools_df``."""
_SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema", "schema")
_SHORT_TYPES = {
    **{kind: kind for kind in JSON_TYPES},
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}
_NO_PARAMETERS = CheckedSchema(lambda: {"type": "object", "properties": {}})
_PARAM = re.compile(r"\s*(\w+)\s*(\*?)\s*(?::\s*(\w+)\s*)?(?:\{([^}]*)\}\s*)?(?:,|$)")


def tools_by_name(source: object) -> tuple[Tool, ...]:
    """Read tools of which only the description is known.

    Parameters
    ----------
    source : list, mapping, path or data frame
        See the top of this module. A text is the path of a file; a :class:`Tool` in a list stays as it is, and a
        function becomes what :func:`~lango_nb.tools.decorator.tool` makes of it.

    Returns
    -------
    tuple of Tool
        In the order given. A tool that does not say how safe it is counts as dangerous.

    Raises
    ------
    DefinitionError
        With the file and row: no file, no header, no name, two of one name, a schema that is not one …

    Examples
    --------
    >>> [(tool.name, tool.family, tool.is_by_name) for tool in tools_by_name(["lint_run", "review"])]
    [('lint_run', 'lint', True), ('review', 'review', True)]
    >>> answer = {"result": {"tools": [{"name": "look", "annotations": {"readOnlyHint": True}, "inputSchema": {}}]}}
    >>> tools_by_name(answer)[0].safety
    'safe'
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source).expanduser()
        label = path.name
        entries = _from_file(path)
    else:
        label = "tools"
        entries = _from_value(source, label)
    tools: list[Tool] = []
    seen: dict[str, str] = {}
    for where, entry in entries:
        tool = _tool(entry, where, label)
        if tool.name in seen:
            raise DefinitionError(
                f"{where}: {tool.name!r} is there already ({seen[tool.name]}); rename or leave out one"
            )
        seen[tool.name] = where
        tools.append(tool)
    return tuple(tools)


@cache
def spec_families() -> tuple[Tool, ...]:
    """Return the tools of every family the specification names that is not built yet, by name only.

    Returns
    -------
    tuple of Tool
        Together with the real ones (:func:`~lango_nb.tools.builtin.builtin_tools`), which are not among them, enough
        that every agent of every topology owns something.

    Examples
    --------
    >>> {tool.name for tool in spec_families()} >= {"browser_navigate", "cron_add", "graph_query"}
    True
    """
    return _bundled("spec_families")


@cache
def sample_tools() -> tuple[Tool, ...]:
    """Return the tool catalogue of the original system, by name only: a system of some size to try things on.

    Returns
    -------
    tuple of Tool
        201 tools, those of economy, escrow and smart accounts among them.

    Examples
    --------
    >>> len(sample_tools())
    201
    """
    return _bundled("sample_tools")


def _bundled(name: str) -> tuple[Tool, ...]:
    """Load a set that comes with the package; tests check it, so loading does not."""
    source = "specification" if name == "spec_families" else "sample"
    return tuple(
        Tool(
            name=row["name"],
            description=row["description"],
            safety=row["safety"],
            family=row["family"],
            schema_source=CheckedSchema(lambda row=row: row["parameters"]),  # type: ignore[misc]  # binds this row
            source=source,
            role=row.get("role", "work"),
        )
        for row in json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))
    )


def _tool(entry: object, where: str, label: str) -> Tool:
    """Make a tool of one entry."""
    if isinstance(entry, Tool):
        return entry
    if isinstance(entry, str):
        name = check_name(entry.strip(), where)
        return Tool(name, family=family_of(name), schema_source=_NO_PARAMETERS, source=label)
    if callable(entry):
        from lango_nb.tools.decorator import tool

        return tool(entry)
    if not isinstance(entry, Mapping):
        raise DefinitionError(
            f"{where}: {shorten(repr(entry), 40)} is not a tool; give a function, a name or a mapping with one"
        )
    inner = entry.get("function")
    row = {
        key: value for key, value in (inner if isinstance(inner, Mapping) else entry).items() if not _is_blank(value)
    }
    name = check_name(row.get("name", row.get("tool")), where)
    where = f"{where} ({name})"
    schema = check_schema(_schema_of(row, where), where)
    return Tool(
        name=name,
        description=_text(row, "description", where),
        safety=_safety_of(row, where),
        family=_text(row, "family", where) or family_of(name),
        schema_source=CheckedSchema(lambda: schema),
        source=_text(row, "source", where) or label,
        role=_role_of(row, where),
    )


def _role_of(row: Mapping[str, Any], where: str) -> ToolRole:
    """Read what a tool is there for; ``tools_df`` says it."""
    role = _text(row, "role", where) or "work"
    if role not in {"work", "control"}:
        raise DefinitionError(f"{where}: role {shorten(role)!r} is none of work, control")
    return cast("ToolRole", role)


def _schema_of(row: Mapping[str, Any], where: str) -> object:
    given = next((row[key] for key in _SCHEMA_KEYS if key in row), None)
    if isinstance(given, str):
        try:
            return json.loads(given)
        except (ValueError, RecursionError) as error:
            raise DefinitionError(f"{where}: the schema is not JSON: {error}") from error
    if given is None and "params" in row:
        return _short_schema(_text(row, "params", where), where)
    return given


def _short_schema(text: str, where: str) -> dict[str, Any]:
    """Read parameters in short form, ``path*:str, mode:str{full/range}``; a star means required."""
    properties: dict[str, Any] = {}
    required = []
    place = 0
    while text[place:].strip():
        found = _PARAM.match(text, place)
        kind = _SHORT_TYPES.get((found[3] or "str").lower()) if found else None
        if found is None or kind is None:
            raise DefinitionError(
                f"{where}: params {shorten(text[place:].strip(), 40)!r} cannot be read; "
                "write name:type, name*:type where it is required, name:str{a/b} for a choice"
            )
        name, star, _, choices = found.groups()
        properties[name] = {"type": kind} | ({"enum": [one.strip() for one in choices.split("/")]} if choices else {})
        if star:
            required.append(name)
        place = found.end()
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _safety_of(row: Mapping[str, Any], where: str) -> Safety:
    """Read the safety, or what MCP's annotations say of it."""
    hints = row.get("annotations")
    if "safety" not in row and isinstance(hints, Mapping):
        if hints.get("readOnlyHint") is True:
            return "dangerous" if hints.get("destructiveHint") is True else "safe"
        if hints.get("destructiveHint") is False:
            return "moderate"
    return check_safety(row.get("safety"), where)


def _text(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str):
        raise DefinitionError(f"{where}: {key} is text, not {shorten(repr(value), 40)}")
    return value.strip()


def _is_blank(value: object) -> bool:
    """Tell whether a cell holds nothing: absent, empty, or a data frame's NaN (which no value equals, itself least)."""
    if value is None or type(value).__name__ == "NAType":  # pandas', which no comparison can see
        return True
    return value == "" or (isinstance(value, float) and value != value)  # noqa: PLR0124 - NaN


def _from_value(source: Any, label: str) -> Iterator[tuple[str, object]]:
    """Find the entries in a value, each with the place it stands in."""
    if hasattr(source, "to_dict") and hasattr(source, "columns"):
        columns = [str(column) for column in source.columns]
        _check_header(columns, label)
        source = source.to_dict("records")
    elif isinstance(source, Mapping):
        source = _list_in(source, label)
    if isinstance(source, (bytes, bytearray)) or not isinstance(source, Iterable):
        raise DefinitionError(
            f"{label}: {shorten(repr(source), 40)} holds no tools; give names, mappings, a file or an MCP tools/list"
        )
    for number, entry in enumerate(source, 1):
        yield f"{label}, entry {number}", entry


def _list_in(source: Mapping[str, Any], label: str) -> object:
    """Find the list of tools in an answer of MCP's ``tools/list``."""
    if "error" in source:
        raise DefinitionError(f"{label}: the answer is an error, not tools: {shorten(str(source['error']))}")
    answer = source["result"] if isinstance(source.get("result"), Mapping) else source
    if isinstance(answer.get("tools"), list):
        if answer.get("nextCursor"):
            _LOG.warning("%s: this is one page of several (nextCursor is set); the others' tools are missing", label)
        return answer["tools"]
    if "name" in source or "function" in source:
        return [source]
    raise DefinitionError(f"{label}: neither 'tools' nor 'result.tools' is a list; give an answer of MCP tools/list")


def _from_file(path: Path) -> Iterator[tuple[str, object]]:
    readers = {".csv": _from_csv, ".json": _from_json, ".txt": _from_txt}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise DefinitionError(
            f"{shorten(str(path))!r} is not a tools file; give one ending in {', '.join(readers)}, or a list of names"
        )
    return reader(_read(path), path.name)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        near = [one.name for one in path.parent.glob(f"*{path.suffix}")] if path.parent.is_dir() else []
        raise DefinitionError(f"tools file {path.name!r} not found; {suggest(path.name, sorted(near))}") from None
    except UnicodeDecodeError as error:
        raise DefinitionError(f"{path.name}: not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DefinitionError(f"{path.name}: cannot be read: {reason}") from error


def _from_txt(text: str, file: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(text.splitlines(), 1):
        name = line.partition("#")[0].strip()
        if name:
            yield f"{file}, line {number}", name


def _from_json(text: str, file: str) -> Iterator[tuple[str, object]]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise DefinitionError(f"{file}: not JSON: {error}") from error
    except RecursionError as error:
        raise DefinitionError(f"{file}: nested too deep") from error
    if isinstance(value, str):  # a text is not a list of its letters
        raise DefinitionError(f"{file}: holds one text; give a list of names or an MCP tools/list")
    return _from_value(value, file)


def _from_csv(text: str, file: str) -> Iterator[tuple[str, object]]:
    import csv

    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = [column.strip() for column in next(reader, [])]
        if len(header) == 1 and header[0] not in _NAME_KEYS:  # no names of columns: a plain list
            yield from _from_txt(text, file)
            return
        _check_header(header, file)
        for fields in reader:
            where = f"{file}, row {reader.line_num}"
            if len(fields) > len(header):
                raise DefinitionError(
                    f"{where}: {len(fields)} fields where the header has {len(header)}; quote a text that holds a comma"
                )
            if any(field.strip() for field in fields):
                yield where, dict(zip(header, (field.strip() for field in fields), strict=False))
    except csv.Error as error:
        raise DefinitionError(f"{file}, row {reader.line_num}: {error}") from error


def _check_header(header: list[str], label: str) -> None:
    if not any(key in header for key in _NAME_KEYS):
        found = ", ".join(column for column in header if column) or "nothing"
        raise DefinitionError(
            f"{label}: the first row names the columns and one of them is 'name'; found {shorten(found)}"
        )
