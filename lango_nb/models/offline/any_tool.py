"""Tools that have no act of their own: words of a request become arguments by the tool's schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from lango_nb.core.messages import ToolSchema
from lango_nb.models.offline.answers import quoted
from lango_nb.models.offline.changing import given_text
from lango_nb.models.offline.desk import Ask, CannotWork, Desk, Outcome
from lango_nb.models.offline.folder import Work
from lango_nb.models.offline.names import is_pointer, pick, plain, rank
from lango_nb.models.offline.operations import lines, truth
from lango_nb.models.offline.plan import Step
from lango_nb.models.offline.tables import number
from lango_nb.models.offline.wording import said_of, shorten_text, shown_arguments
from lango_nb.routing.capabilities import tool_capability

_LABELS = frozenset(("name", "key", "title"))
"""Parameters that label what is kept."""
_LABEL_WORDS = 5
_CONTENT = frozenset(
    ("content", "value", "data", "text", "body", "observation", "message", "ciphertext", "yaml_content")
)
"""Parameters that take what the step before gave."""
_AND = re.compile(r"\s*[,;\u3001\uff0c]\s*(?:(?:and|und|et|y|e|en|i)\s+)?|\s+(?:and|und|et|y|e|en|i)\s+|と|和")


def use_tool(desk: Desk, step: Step) -> Work:
    """Call a tool with what the request says.

    Returns
    -------
    Outcome
    """
    schema = desk.tools.get(step.act)
    if schema is None:
        raise CannotWork(not_offered(desk, step))
    arguments = fill(desk, schema, step)
    desk.has_changed = True
    text: str = yield from desk.folder.whole(step.act, **arguments)
    return Outcome(_worded(desk, text), text, step)


def not_offered(desk: Desk, step: Step) -> str:
    """Say which tool would have done it, with what."""
    said = {role: ", ".join(words) for role, words in step.arguments.items()}
    shown = shown_arguments(step.act, said)
    return desk.say("no_tool", tool=step.act, what=f" ({shown})" if shown else "")


def fill(desk: Desk, schema: ToolSchema, step: Step) -> dict[str, Any]:
    """Turn words into arguments; ask for those that are needed and missing, in words.

    Raises
    ------
    desk.Ask
        Something that is needed is missing, or is not what it has to be.
    """
    properties = schema.parameters.get("properties")
    shapes: Mapping[str, Any] = properties if isinstance(properties, dict) else {}
    needed = schema.parameters.get("required")
    found: dict[str, Any] = {}
    answered = step.arguments.get("*", ())  # what was said when asked
    for name, words in step.arguments.items():
        if name in shapes and words:
            shape = shapes[name] if isinstance(shapes[name], dict) else {}
            if len(words) == 1 and is_pointer(words[0], "answer") and desk.context.answer:
                value = read_value((given_text(desk, step, name),), shape)
            else:
                value = read_value(words, shape)
            if value is None and answered:
                value, answered = read_value(answered, shape), ()
            if value is None:
                raise Ask(
                    desk.say("ask.value", what=_spoken(name, shape), word=", ".join(words), options=_options(shape)),
                )
            found[name] = value
    lacking = [
        name for name in (needed if isinstance(needed, list) else []) if isinstance(name, str) and name not in found
    ]
    lacking = [name for name in lacking if "default" not in (shapes.get(name) or {})]
    if lacking and answered:
        shape = shapes.get(lacking[0]) or {}
        if (value := read_value(answered, shape)) is not None:
            found[lacking.pop(0)] = value
    if desk.has_result and (taken := next((name for name in lacking if name in _CONTENT), "")):
        found[taken] = desk.context.answer
        lacking.remove(taken)
    for name in list(lacking):
        if (made := _made_up(name, shapes.get(name) or {}, found)) is not None:
            found[name] = made
            lacking.remove(name)
    if lacking:
        what = desk.say("and").join(_spoken(name, shapes.get(name)) for name in lacking)
        purpose = tool_capability(step.act) or step.act.replace("_", " ")
        raise Ask(desk.say("ask.for_tool", what=what, purpose=purpose))
    return found


def _made_up(name: str, shape: Mapping[str, Any], found: Mapping[str, Any]) -> Any:
    """Return what nobody says by themselves: a label, made of what is kept under it, or which kind of value another is."""
    texts = [value for key, value in found.items() if key != name and isinstance(value, str) and value]
    if name in _LABELS and texts:
        return "-".join(plain(texts[-1]).split()[:_LABEL_WORDS]) or None
    options = shape.get("enum")
    if name.endswith("_type") and isinstance(options, list) and texts:
        return next((one for one in options if str(one) in plain(" ".join(texts)).split()), options[0])
    return None


def read_value(words: tuple[str, ...], shape: Mapping[str, Any]) -> Any:
    """Read words as a value of a schema; ``None`` when they are none.

    Examples
    --------
    >>> read_value(("three",), {"type": "integer"}), read_value(("2,5",), {"type": "number"})
    (3, 2.5)
    >>> read_value(("a, b and c",), {"type": "array", "items": {"type": "string"}}), read_value(("Nein",), {"type": "boolean"})
    (['a', 'b', 'c'], False)
    >>> read_value(("summaries",), {"enum": ["summary", "links"]}), read_value(("soon",), {"type": "integer"})
    ('summary', None)
    """
    text = "\n".join(words)
    if isinstance(options := shape.get("enum"), list) and options:
        by_name = {str(option): option for option in options}
        found = pick(text, by_name)
        return by_name.get(found.name)
    match shape.get("type"):
        case "integer":
            return rank(text)
        case "number":
            value = number(text)
            return float(value) if value is not None else rank(text)
        case "boolean":
            return truth(text.strip())
        case "array":
            parts = [part for word in words for part in _AND.split(word) if part.strip()]
            items = shape.get("items")
            values = [read_value((part.strip(),), items if isinstance(items, dict) else {}) for part in parts]
            return None if None in values else values
        case "object":
            return _object(text)
        case _:
            return text


def _object(text: str) -> Any:
    try:
        read = json.loads(text)
    except ValueError:
        pairs = [re.split(r"\s*[:=]\s*", part, maxsplit=1) for part in re.split(r"\s*[,;\n]\s*", text) if part]
        return {pair[0]: pair[1] for pair in pairs} if pairs and all(len(pair) > 1 for pair in pairs) else None
    return read if isinstance(read, dict) else None


def _spoken(name: str, shape: Any) -> str:
    """Name a parameter the way its author describes it."""
    described = str(shape.get("description") or "") if isinstance(shape, dict) else ""
    first = re.split(r"[.;:(,]", described)[0].strip()
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()
    if not first or len(first) > 60:  # noqa: PLR2004 - a sentence
        return plain
    return (
        f"{plain} ({first[0].lower()}{first[1:]})" if plain not in first.lower() else f"{first[0].lower()}{first[1:]}"
    )


def _options(shape: Mapping[str, Any]) -> str:
    options = shape.get("enum")
    if isinstance(options, list):
        return ", ".join(map(str, options))
    return {"integer": "1, 2, 3 …", "number": "1, 2.5 …", "boolean": "yes, no"}.get(str(shape.get("type")), "…")


def _worded(desk: Desk, text: str) -> str:
    body = text.strip()
    if body[:1] in {"{", "["}:
        try:
            return said_of(json.loads(body)) or desk.say("done")
        except (ValueError, RecursionError):
            pass
    return quoted(lines(shorten_text(body)), desk.language) or desk.say("done")
