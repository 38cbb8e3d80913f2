"""Lines of a file that say themselves whether they are whole: one JSON object each, its checksum as the last member.

::

    {"id":"task-1","title":"Water the plants","crc":"c5cae262"}

The checksum is the CRC-32 of the bytes before ``,"crc":``. Every line is plain JSON for whoever reads it with other
programs, and the first line of every file is a header with the version of what follows.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson

from lango_nb.core.errors import StoreError, shorten
from lango_nb.stores.schema import SCHEMA
from lango_nb.stores.store import Row

if TYPE_CHECKING:
    from pydantic import JsonValue

_MEMBER = b',"crc":"'
_LENGTH = len(_MEMBER) + 8 + 2  # the member with its eight digits, the quote and the brace after them
_BY_HAND = b"{ "
"""How a line begins that orjson can neither write nor read: integers of more than 64 bits, halves of characters."""
_ENDS = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_STARTS = re.compile(rb"(?<![:\[,])\{")
"""Beginnings of objects that do not lie within others: what a record quotes must not become a record."""
_SEARCHED = 64_000_000
"""Bytes that are summed up at most in the search for records within one damaged piece."""
_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


@dataclass(slots=True)
class Reading:
    """What bytes of a file hold."""

    rows: list[tuple[int, Row]] = field(default_factory=list)
    """Whole records, each with its offset."""
    torn: bytes = b""
    """Last bytes without a newline that are no record: a write that did not end, or has not ended yet."""
    torn_at: int = 0
    """Where they begin; the end of the data when nothing is torn."""
    damaged: list[tuple[int, bytes]] = field(default_factory=list)
    """Everything else that is no record, each with its offset."""
    lacks_newline: bool = False
    """Whether the last record has no newline, so that one must be written before the next."""


def encode(row: Row) -> bytes:
    r"""Write a record as one line.

    Parameters
    ----------
    row : dict
        JSON with at least one member. Numbers that are none (``nan``, ``inf``) become null, as JSON has no word for
        them; tuples become lists.

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
    try:
        body = orjson.dumps(row, option=_OPTIONS)
    except TypeError:
        body = _by_hand(row)
    body = body[:-1]
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
    row: Row = (json if body.startswith(_BY_HAND) else orjson).loads(body + b"}")  # what ends so can only be an object
    return row


def read(data: bytes, start: int = 0) -> Reading:
    """Read lines, and find out what is wrong with those that are not whole.

    Parameters
    ----------
    data : bytes
        From the beginning of a line.
    start : int
        Offset of the data in its file; counts in all offsets that are returned.

    Returns
    -------
    Reading
        Records that were glued together because the newline between them is damaged are found again.

    Examples
    --------
    >>> line = encode({"id": "task-1"})
    >>> read(line + b"?" + line + line[:5])
    Reading(rows=[(0, {'id': 'task-1'}), (34, {'id': 'task-1'})], torn=b'{"id"', torn_at=67, damaged=[(33, b'?')],
            lacks_newline=False)
    """
    reading = Reading(torn_at=start + len(data))
    *pieces, last = data.split(b"\n")
    offset = start
    for piece in pieces:
        if piece:
            try:
                reading.rows.append((offset, decode(piece)))
            except ValueError:
                rest = _rescue(piece, offset, reading)
                if rest:
                    reading.damaged.append((offset + len(piece) - len(rest), rest))
        offset += len(piece) + 1
    if last:
        reading.torn = _rescue(last, offset, reading)
        reading.torn_at -= len(reading.torn)
        reading.lacks_newline = reading.torn != last
    return reading


def header(kind: str, **values: JsonValue) -> Row:
    """Return the first record of a file.

    Parameters
    ----------
    kind : str
        What the file holds, ``documents`` for instance.
    **values
        What else belongs there.

    Returns
    -------
    dict

    Examples
    --------
    >>> header("events", session="main")
    {'schema': 2, 'kind': 'events', 'session': 'main'}
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
        With code ``newer_schema``, or ``damaged`` when it is no header of that kind.

    Examples
    --------
    >>> check_header({"schema": 9, "kind": "events"}, "events", "events/main.jsonl")
    Traceback (most recent call last):
    ...
    lango_nb.core.errors.StoreError: events/main.jsonl was written by a newer lango_nb (schema 9, this one knows 2);
    upgrade lango_nb
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


def check_damaged_header(line: bytes, where: str) -> None:
    """Make sure that a first line which does not check was not written by a newer version in another way.

    Parameters
    ----------
    line : bytes
    where : str
        The file, as errors name it.

    Raises
    ------
    StoreError
        With code ``newer_schema``.
    """
    try:
        row = orjson.loads(line)
    except ValueError:
        return
    schema = row.get("schema") if isinstance(row, dict) else None
    if not isinstance(schema, int) or schema <= SCHEMA:
        return
    try:  # our own header with a damaged digit
        decode(line.replace(b'"schema":%d' % schema, b'"schema":%d' % SCHEMA, 1))
    except ValueError:
        check_header({"kind": "", **row}, "", where)


def _rescue(piece: bytes, offset: int, reading: Reading) -> bytes:
    """Find the records within a piece that is not one; return what is left behind the last of them."""
    ends = [found.end() for found in _ENDS.finditer(piece)]
    done = 0
    while ends and done < len(piece):
        found = _next_record(piece, done, ends)
        if found is None:
            break
        start, end, row = found
        if start > done:
            reading.damaged.append((offset + done, piece[done:start]))
        reading.rows.append((offset + start, row))
        done = end
    return piece[done:]


def _next_record(piece: bytes, done: int, ends: list[int]) -> tuple[int, int, Row] | None:
    searched = 0
    for start in _possible_starts(piece, done):
        for end in ends[bisect_right(ends, start) :]:
            try:
                return start, end, decode(piece[start:end])
            except ValueError:
                searched += end - start
            if searched > _SEARCHED:
                return None
    return None


def _possible_starts(piece: bytes, done: int) -> Iterator[int]:
    near = [start for start in (done, done + 1) if piece[start : start + 1] == b"{"]
    yield from near
    yield from (found.start() for found in _STARTS.finditer(piece, done) if found.start() not in near)


def _by_hand(row: Row) -> bytes:
    try:
        text = json.dumps(_plain(row), separators=(",", ":"))
    except (TypeError, RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise StoreError(f"a record cannot be stored as JSON: {reason}; store plain values", "bad_row") from error
    return _BY_HAND + text[1:].encode()


def _plain(value: object) -> object:
    if isinstance(value, dict):
        wrong = [key for key in value if not isinstance(key, str)]
        if wrong:
            raise TypeError(f"the key {shorten(repr(wrong[0]))} is no text")
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{shorten(repr(value))} is a {type(value).__name__}")
