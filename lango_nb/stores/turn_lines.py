"""How a turn is written in its session's file, and read back.

::

    {"schema":1,"kind":"events","token":"5f0c…","session":"main","crc":"…"}
    {"record":"begin","turn_id":"turn-1","writer":3,"row":{…},"crc":"…"}
    {"kind":"turn.started","turn_id":"turn-1","seq":1,…,"crc":"…"}
    {"record":"end","turn_id":"turn-1","row":{…},"body":{…},"crc":"…"}

Events stand as they are; one that could be taken for something else is put into ``{"record":"event",…}``.
"""

from __future__ import annotations

import re
import secrets
import zlib
from collections.abc import Sequence
from typing import cast

import orjson

from lango_nb.core.errors import StoreError
from lango_nb.stores import lines
from lango_nb.stores.store import Row

KIND = "events"
"""What the header of a session's file says."""
HEAD = 80
"""Bytes at the beginning of a file that are enough to find its token."""
_TOKEN = re.compile(rb'\{ ?"schema":(\d+),"kind":"events","token":"([0-9a-f]{16})"')
_RECORD = b'{"record":"'
_WRAPPED = b'{"record":"event"'
_CRC = 18
"""Bytes of the checksum at the end of a line without its newline."""


_MEMBERS: dict[str | None, tuple[str, ...]] = {"begin": ("row",), "end": ("row", "body"), "event": ("event",), None: ()}
"""What every kind of line has beside the turn's id."""


def new_header(session_id: str) -> tuple[bytes, str]:
    """Return the first line of a new file, and a token for it that no other file has.

    An inode is given to another file as soon as the first is removed, so it cannot tell two files apart.

    Parameters
    ----------
    session_id : str

    Returns
    -------
    line : bytes
    token : str
    """
    line = lines.encode(lines.header(KIND, token=secrets.token_hex(8), session=session_id))
    return line, token_in(line)


def token_in(head: bytes) -> str:
    """Return the token of a file, or nothing.

    Parameters
    ----------
    head : bytes
        The first bytes of the file, :data:`HEAD` of them.

    Returns
    -------
    str
        With the version of what follows.
    """
    found = _TOKEN.match(head)
    return b"-".join(found.groups()).decode() if found is not None else ""


def begin_line(turn_id: str, row: Row, writer: int) -> bytes:
    """Write that a turn begins.

    Parameters
    ----------
    turn_id : str
    row : dict
        With its number.
    writer : int

    Returns
    -------
    bytes
    """
    return lines.encode({"record": "begin", "turn_id": turn_id, "writer": writer, "row": row})


def event_lines(turn_id: str, events: Sequence[Row]) -> bytes:
    """Write events of a turn.

    Parameters
    ----------
    turn_id : str
    events : sequence of dict

    Returns
    -------
    bytes
    """
    return b"".join([lines.encode(_recognisable(turn_id, event)) for event in events])


def end_line(turn_id: str, row: Row, body: Row) -> bytes:
    """Write that a turn is closed.

    Parameters
    ----------
    turn_id : str
    row : dict
        The whole summary.
    body : dict

    Returns
    -------
    bytes
    """
    return lines.encode({"record": "end", "turn_id": turn_id, "row": row, "body": body})


def events_in(data: bytes) -> list[Row] | None:
    """Read the events of a turn, fast.

    Parameters
    ----------
    data : bytes
        Its lines.

    Returns
    -------
    list of dict or None
        ``None`` when something is not as it was written: :func:`content_of` finds out what.
    """
    found: list[Row] = []
    keep, sum_up, parse = found.append, zlib.crc32, orjson.loads
    try:
        for line in data.split(b"\n"):
            if not line:
                continue
            if line.startswith(b"{ "):  # no other parser reads these
                return None
            if sum_up(line[:-_CRC]) != int(line[-10:-2], 16):
                return None
            if not line.startswith(_RECORD):
                event = parse(line)
                del event["crc"]
                keep(event)
            elif line.startswith(_WRAPPED):
                keep(parse(line)["event"])
    except (ValueError, KeyError):
        return None
    return found


def content_of(data: bytes) -> tuple[list[Row], Row, bool]:
    """Read events and body of a turn, whatever its lines look like; what is no line is passed over.

    Parameters
    ----------
    data : bytes
        Its lines.

    Returns
    -------
    events : list of dict
    body : dict
    is_whole : bool
        Whether nothing was passed over.
    """
    events: list[Row] = []
    body: Row = {}
    reading = lines.read(data)
    for _, row in reading.rows:
        record = row.get("record")
        if record is None:
            events.append(row)
        elif record == "event":
            events.append(cast("Row", row["event"]))
        elif record == "end":
            body = cast("Row", row["body"])
    return events, body, not (reading.damaged or reading.torn)


def body_in(data: bytes) -> Row | None:
    """Read the body out of a line that closes a turn.

    Parameters
    ----------
    data : bytes
        Beginning with that line.

    Returns
    -------
    dict or None
        ``None`` when it is damaged.
    """
    try:
        row = lines.decode(data[: data.find(b"\n") + 1] or data)
    except ValueError:
        return None
    return cast("Row", row["body"]) if row.get("record") == "end" else None


def turn_of(row: Row) -> str:
    """Return the id of the turn that a line is of.

    Parameters
    ----------
    row : dict
        Any line but a header.

    Returns
    -------
    str

    Raises
    ------
    StoreError
        With code ``damaged``: the line is whole and still no line of a turn.
    """
    turn_id, record = row.get("turn_id"), row.get("record")
    needed = _MEMBERS.get(record) if record is None or isinstance(record, str) else None
    if not isinstance(turn_id, str) or needed is None or not all(isinstance(row.get(name), dict) for name in needed):
        raise StoreError("a line is no part of a turn; its checksum is right, so another program wrote it", "damaged")
    return turn_id


def _recognisable(turn_id: str, event: Row) -> Row:
    is_plain = (
        event.get("turn_id") == turn_id and "record" not in event and "crc" not in event and "schema" not in event
    )
    return event if is_plain else {"record": "event", "turn_id": turn_id, "event": event}
