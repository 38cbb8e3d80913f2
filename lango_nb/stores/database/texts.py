"""How rows and names are spelled in a database.

Rows are JSON as :mod:`lango_nb.stores.lines` writes it, without the checksum: a database has its own. They are plain
text for the database, since PostgreSQL's ``jsonb`` changes the order of members and refuses the character NUL. Names
that are searched for (ids, sessions, agents) stand in columns of their own, as they are, as long as they are short and
hold nothing that a database refuses.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

import orjson

from lango_nb.stores.lines import encode
from lango_nb.stores.store import Row

if TYPE_CHECKING:
    from pydantic import JsonValue

BY_HAND = "{ "
"""How a text begins that orjson can neither write nor read; see :mod:`lango_nb.stores.lines`."""
_CHECKSUM = len(encode({"a": 1})) - len('{"a":1')
_ODD = re.compile("[\\\\\x00\ud800-\udfff]")
_HALF = re.compile("[\ud800-\udfff]")
_LONGEST_TIME = 64
"""Characters of a time in a column; a stamp has 32."""
_LONGEST = 200
"""Characters of a name in a column: the indexes of PostgreSQL take 2700 bytes."""


def to_text(row: Row) -> str:
    """Write a row as JSON.

    Parameters
    ----------
    row : dict

    Returns
    -------
    str

    Raises
    ------
    StoreError
        With code ``bad_row``: something in it is not JSON.

    Examples
    --------
    >>> to_text({"id": "task-1"})
    '{"id":"task-1"}'
    """
    return encode(row)[:-_CHECKSUM].decode() + "}" if row else "{}"


def from_text(text: str) -> Row:
    """Read a row.

    Parameters
    ----------
    text : str

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        It is damaged: somebody else wrote into the table.

    Examples
    --------
    >>> from_text('{"id":"task-1"}')
    {'id': 'task-1'}
    """
    row = (json if text.startswith(BY_HAND) else orjson).loads(text)
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - a text that is damaged, not an argument of a wrong type
    return row


def to_name(name: str) -> str:
    r"""Spell a name as it stands in a column: different names are spelled differently.

    Parameters
    ----------
    name : str

    Returns
    -------
    str
        The name itself, unless it is very long or holds a backslash, a NUL, or half a character.

    Examples
    --------
    >>> to_name("main")
    'main'
    >>> to_name("a\\b\0")
    'a\\u005cb\\u0000'
    """
    spelled = _ODD.sub(lambda odd: f"\\u{ord(odd[0]):04x}", name)
    if len(spelled) <= _LONGEST:
        return spelled
    return f"{spelled[:_LONGEST]}…{hashlib.sha256(spelled.encode()).hexdigest()}"


def to_time(at: str) -> str:
    r"""Spell a time so that it stands before and behind stamps as Python says, whatever it holds.

    Parameters
    ----------
    at : str

    Returns
    -------
    str

    Examples
    --------
    >>> to_time("2026-01-01T00:00:00.000000+00:00")
    '2026-01-01T00:00:00.000000+00:00'
    """
    return _HALF.sub("\ufffd", at.partition("\0")[0])[:_LONGEST_TIME]


def member(name: str, value: JsonValue) -> str:
    """Return what the JSON of every row holds in which a field is that text; empty when nothing can be said.

    Parameters
    ----------
    name : str
    value : JSON
        Only texts are told: ``1``, ``1.0`` and ``true`` are spelled differently and equal all the same.

    Returns
    -------
    str

    Examples
    --------
    >>> member("agent", "writer"), member("count", 1)
    ('"agent":"writer"', '')
    """
    text = to_text({name: value}) if isinstance(value, str) else BY_HAND
    return "" if text.startswith(BY_HAND) else text[1:-1]
