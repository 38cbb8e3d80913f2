"""Lines of a file that say themselves whether they are whole: one JSON object each, its checksum as the last member.

::

    {"id":"task-1","title":"Water the plants","crc":"c5cae262"}

The checksum is the CRC-32 of the bytes before ``,"crc":``. Every line is plain JSON for whoever reads it with other
programs, and the first line of every file is a header with the version of what follows.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from lango_nb.core.errors import StoreError, shorten
from lango_nb.stores.rows import from_text, to_text
from lango_nb.stores.schema import SCHEMA

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue
    from lango_nb.stores.store import Row

_MEMBER = b',"crc":"'
_LENGTH = len(_MEMBER) + 8 + 2  # the member with its eight digits, the quote and the brace after them


def encode(row: Row) -> bytes:
    r"""Write a record as one line.

    Parameters
    ----------
    row : dict
        JSON with at least one member; see :func:`lango_nb.stores.rows.to_text`.

    Returns
    -------
    bytes
        With the newline.

    Raises
    ------
    StoreError
        With code ``bad_row``: it is empty, or something in it is not JSON.

    Examples
    --------
    >>> encode({"id": "task-1"})
    b'{"id":"task-1","crc":"13ae1147"}\n'
    """
    if not row:
        raise StoreError("an empty record cannot be stored; give it at least one member", "bad_row")
    body = to_text(row).encode()[:-1]
    return b'%b,"crc":"%08x"}\n' % (body, zlib.crc32(body))


def decode(line: bytes) -> Row:
    """Read one line.

    Parameters
    ----------
    line : bytes
        With or without the newline.

    Returns
    -------
    dict
        Without the checksum.

    Raises
    ------
    ValueError
        It is damaged.

    Examples
    --------
    >>> decode(encode({"id": "task-1"}))
    {'id': 'task-1'}
    """
    end = len(line) - line.endswith(b"\n") - _LENGTH
    body = line[: max(end, 0)]
    if line[end : end + _LENGTH] != b'%b%08x"}' % (_MEMBER, zlib.crc32(body)):
        raise ValueError("the checksum does not fit")
    return from_text((body + b"}").decode())


def read(data: bytes) -> list[tuple[int, Row]]:
    """Read lines.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    list of (int, dict)
        Each with its offset; one that is damaged is empty.

    Examples
    --------
    >>> line = encode({"id": "task-1"})
    >>> read(line + b"?" + line + line[:5])
    [(0, {'id': 'task-1'}), (33, {}), (67, {})]
    """
    found: list[tuple[int, Row]] = []
    offset = 0
    for line in data.split(b"\n"):
        if line:
            try:
                found.append((offset, decode(line)))
            except ValueError:
                found.append((offset, {}))
        offset += len(line) + 1
    return found


def header(kind: str, **values: JsonValue) -> Row:
    """Return the first record of a file.

    Parameters
    ----------
    kind : str
        What the file holds, ``lango export`` for instance.
    **values
        What else belongs there.

    Returns
    -------
    dict
    """
    return {"schema": SCHEMA, "kind": kind, **values}


def check_header(row: Row, kind: str, where: str) -> None:
    """Make sure that a file can be read before anything else of it is.

    Parameters
    ----------
    row : dict
        Its first record.
    kind : str
        What it ought to hold.
    where : str
        The file, as errors name it.

    Raises
    ------
    StoreError
        With code ``newer_schema``, or ``damaged`` when it is not a header of that kind.

    Examples
    --------
    >>> check_header(header("tasks"), "notes", "notes.jsonl")
    Traceback (most recent call last):
    ...
    lango_nb.core.errors.StoreError: notes.jsonl holds 'tasks' where 'notes' belongs; move it away
    """
    schema = row.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1 or "kind" not in row:
        raise StoreError(f"{where} does not begin with the header of a file of lango_nb; move it away", "damaged")
    if schema > SCHEMA:
        raise StoreError(
            f"{where} was written by a newer lango_nb (schema {schema}, this one knows {SCHEMA}); upgrade lango_nb",
            "newer_schema",
        )
    if row["kind"] != kind:
        found = shorten(str(row["kind"]))
        raise StoreError(f"{where} holds {found!r} where {kind!r} belongs; move it away", "damaged")
