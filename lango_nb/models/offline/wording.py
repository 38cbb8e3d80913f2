"""Answers from what tools gave: JSON becomes lines to read, errors say what to do, and nothing grows without end.

What a tool gave is data: it is quoted, line by line and cut to size, and never followed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from lango_nb.core.errors import shorten
from lango_nb.core.masking import MASK, mask, mask_arguments
from lango_nb.models.offline.conversation import Done

MOST_ITEMS = 10
MOST_FIELDS = 20
_MOST_DETAILS = 4
_VALUE_CHARS = 200
_TEXT_CHARS = 8000
_LABELS = ("title", "name", "key", "label", "id", "url", "path", "subject")
"""Fields an item of a list is called by, the best first."""
_LISTS = ("results", "items", "entries", "rows", "matches", "data", "records")
_SECRET_TOOLS = frozenset({"secrets_store"})
_BY_NAME_ONLY = "known by name only"


def worded(done: Done) -> str:
    """Say what a call gave.

    Parameters
    ----------
    done : Done

    Returns
    -------
    str
    """
    if done.result.is_error:
        return _failed(done)
    text = done.result.content.strip()
    if text[:1] in {"{", "["}:
        try:
            return said_of(json.loads(text)) or "Done."
        except (ValueError, RecursionError):
            pass
    return shorten_text(text) or "Done."


def shown_arguments(tool: str, arguments: Mapping[str, Any]) -> str:
    """Write arguments for an answer, without secrets.

    Examples
    --------
    >>> shown_arguments("secrets_store", {"name": "mail", "value": "hunter2"})
    "name = 'mail', value = '[masked]'"
    """
    masked = {
        name: MASK if tool in _SECRET_TOOLS and name == "value" else value
        for name, value in mask_arguments(dict(arguments)).items()
    }
    return ", ".join(f"{name} = {shorten(repr(value), _VALUE_CHARS)}" for name, value in masked.items())


def said_of(value: Any, noun: str = "result") -> str:
    r"""Write a JSON value as lines.

    Examples
    --------
    >>> print(said_of({"jobs": [{"id": "cron-1", "name": "backup"}, {"id": "cron-2", "name": "mail"}]}))
    2 jobs:
    - backup (id: cron-1)
    - mail (id: cron-2)
    >>> print(said_of({"balance": "12.5", "currency": "USDC"}))
    balance: 12.5
    currency: USDC
    >>> said_of([]), said_of({"status": "ok"}), said_of({"jobs": []})
    ('No results.', 'status: ok', 'No jobs.')
    """
    if isinstance(value, list):
        return _listed(value, noun)
    if not isinstance(value, dict):
        return shorten_text(_plain(value))
    inner = [(name, item) for name, item in value.items() if isinstance(item, list)]
    inner.sort(key=lambda pair: (pair[0] not in _LISTS, -len(pair[1])))
    if inner:
        name, items = inner[0]
        rest = {key: item for key, item in value.items() if key != name and key not in {"count", "total"}}
        noun = re.sub(r"ies$", "y", _spoken(name)) if name.endswith("ies") else _spoken(name).removesuffix("s")
        lines = [_listed(items, "result" if name in _LISTS else noun)]
        return "\n".join([*lines, *_fields(rest)])
    return "\n".join(_fields(value))


def shorten_text(text: str) -> str:
    """Cut a text that is too long for an answer, and say so."""
    if len(text) <= _TEXT_CHARS:
        return text
    return f"{text[:_TEXT_CHARS]}\n… and {len(text) - _TEXT_CHARS:,} characters more"


def _failed(done: Done) -> str:
    text = shorten_text(done.result.content.strip())
    if _BY_NAME_ONLY in text:
        given = shown_arguments(done.call.name, done.call.arguments)
        return f"I would call {done.call.name}({given}), but here it is known by name only, so nothing was run."
    return f"I could not do that: {mask(text)}"


def _listed(items: list[Any], noun: str) -> str:
    if not items:
        return f"No {_plural(noun)}."
    lines = [f"- {_item(item)}" for item in items[:MOST_ITEMS]]
    more = [f"… and {len(items) - MOST_ITEMS} more"] if len(items) > MOST_ITEMS else []
    return "\n".join([f"{len(items)} {noun if len(items) == 1 else _plural(noun)}:", *lines, *more])


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in set("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def _item(item: Any) -> str:
    if not isinstance(item, dict):
        return _plain(item)
    label = next((name for name in _LABELS if isinstance(item.get(name), str | int) and item[name] != ""), None)
    others = [(name, value) for name, value in item.items() if name != label and value not in (None, "", [], {})]
    details = ", ".join(f"{_spoken(name)}: {_plain(value)}" for name, value in others[:_MOST_DETAILS])
    if label is None:
        return details or "an empty entry"
    return f"{_plain(item[label])} ({details})" if details else _plain(item[label])


def _fields(value: Mapping[str, Any]) -> list[str]:
    lines = [f"{_spoken(name)}: {_plain(item)}" for name, item in list(value.items())[:MOST_FIELDS]]
    return [*lines, f"… and {len(value) - MOST_FIELDS} more"] if len(value) > MOST_FIELDS else lines


def _spoken(name: str) -> str:
    return str(name).replace("_", " ").strip()


def _plain(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case str():
            return shorten(value, _VALUE_CHARS) if value else "(empty)"
        case int() | float():
            return str(value)
        case _:
            return shorten(json.dumps(value, ensure_ascii=False), _VALUE_CHARS)
