"""``{name}`` in a text, filled from the notebook: only what exists, only outside braces, and nothing is executed.

IPython's own expansion is all or nothing and evaluates any expression, so that one JSON object in a request stops it
or changes it. Here ``{name}``, ``{name.attribute}``, ``{name[0]}`` and ``{name['key']}`` are filled when the name
exists; everything else, whole JSON objects with what is inside them included, stays as it was typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from lango_nb.core.errors import UsageError, shorten

_NAME = r"[^\W\d]\w*"
_STEP = r"\.[^\W\d_]\w*|\[-?\d{1,9}\]|\['[^'\\]*'\]|\[\"[^\"\\]*\"\]"
_PLACEHOLDER = re.compile(rf"\{{({_NAME})((?:{_STEP})*)\}}")
_STEPS = re.compile(_STEP)
_OBJECT = re.compile(r'\{\s*"')
_DECODER = json.JSONDecoder(strict=False)
_MISSING = object()
MOST_BROKEN_OBJECTS = 20
"""After that many that begin like JSON and are none, only braces are counted: it keeps the time linear."""


def fill_names(text: str, names: Mapping[str, object]) -> str:
    """Fill the placeholders of a text.

    Parameters
    ----------
    text : str
    names : mapping of str to object
        What is there to fill in.

    Returns
    -------
    str
        The same text when nothing in it names anything.

    Raises
    ------
    UsageError
        A value was found but could not be written as text.

    Examples
    --------
    >>> fill_names("read {path} like {path} {unknown} {f(x)} {'a': {path}}", {"path": "notes.md"})
    "read notes.md like notes.md {unknown} {f(x)} {'a': {path}}"
    """
    if "{" not in text:
        return text
    parts: list[str] = []
    done = 0
    for start, end in _outermost_braces(text):
        filled = _fill_one(text[start:end], names)
        if filled is not None:
            parts += (text[done:start], filled)
            done = end
    return "".join((*parts, text[done:])) if parts else text


def _outermost_braces(text: str) -> Iterator[tuple[int, int]]:
    """Find the braces that stand in no other pair and in no JSON object; one without a partner counts for nothing."""
    partners = _partners(text)
    attempts_left = MOST_BROKEN_OBJECTS
    at = text.find("{")
    while at >= 0:
        end = None
        if attempts_left and _OBJECT.match(text, at):
            end = _json_object_end(text, at)
            attempts_left -= end is None
        if end is None and at in partners:
            end = partners[at]
            yield at, end
        at = text.find("{", at + 1 if end is None else end)


def _partners(text: str) -> dict[int, int]:
    """Map every opening brace that is closed to the place after its closing one."""
    opened: list[int] = []
    partners: dict[int, int] = {}
    for found in re.finditer(r"[{}]", text):
        if found[0] == "{":
            opened.append(found.start())
        elif opened:
            partners[opened.pop()] = found.end()
    return partners


def _json_object_end(text: str, at: int) -> int | None:
    """Return where the JSON object that begins here ends; its strings may hold braces of their own."""
    try:
        return _DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return None


def _fill_one(placeholder: str, names: Mapping[str, object]) -> str | None:
    """Return what a placeholder stands for, ``None`` when it names nothing."""
    found = _PLACEHOLDER.fullmatch(placeholder)
    if found is None or found[1] not in names:
        return None
    try:
        value = names[found[1]]
        for step in _STEPS.findall(found[2]):
            value = _follow(value, step)
            if value is _MISSING:
                return None
        return str(value)
    except Exception as error:
        raise UsageError(f"{shorten(placeholder)} cannot be filled in: {type(error).__name__}: {error}") from error


def _follow(value: object, step: str) -> object:
    if step.startswith("."):
        return getattr(value, step[1:], _MISSING)
    key = step[2:-2] if step[1] in "'\"" else int(step[1:-1])
    try:
        return value[key]  # type: ignore[index]  # whatever the notebook holds; what cannot be indexed is not filled
    except (LookupError, TypeError):
        return _MISSING
