"""Turns as JSON lines, to be sent to somebody or put away: one file that says itself whether it is whole.

    {"schema": 2, "kind": "lango export"}
    {"turn": {…}}        the summary of a turn
    {"event": {…}}       what happened in it, in order; what its runs did after its end comes last
    {"body": {…}}        its messages, decisions and runs
    …                    the next turn
    {"end": {"turns": 2, "lines": 25}}

Every line is plain JSON with its checksum (:mod:`lango_nb.records.lines`). A file that was cut lacks its last line, and
one that lost a line in between has fewer than that says: both are refused like a damaged one. A file that grows
(:mod:`lango_nb.records.tee`) says so in its header and has no last line: what is not whole in it is left out.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

from lango_nb.core.errors import StoreError, UsageError
from lango_nb.core.messages import Message
from lango_nb.core.paths import path_of
from lango_nb.records.lines import check_header, decode, encode, header, read
from lango_nb.records.packing import pack_event, pack_trace, unpack_trace, upgrade_row
from lango_nb.records.turns import Trace
from lango_nb.stores.store import Row, StoredTurn

logger = logging.getLogger("lango_nb")

KIND = "lango export"
"""What the header of such a file says it holds."""
FIRST_SCHEMA = 0
"""The oldest that is read: before authors were kept."""


def write_jsonl(path: str | Path, turns: Iterable[Trace | StoredTurn], *, overwrite: bool = False) -> int:
    """Write turns to a file of JSON lines for its owner alone; the file is there whole, or not at all.

    Parameters
    ----------
    path : str or Path
    turns : iterable of Trace or StoredTurn
        Taken one by one. Stored turns keep what their runs did after their end, and their history.
    overwrite : bool
        Whether a file of that name may be replaced.

    Returns
    -------
    int
        Number of turns.

    Raises
    ------
    UsageError
        There is a file of that name, or no folder for it.
    StoreError
        It cannot be written.
    """
    count = 0

    def pieces() -> Iterator[bytes]:
        nonlocal count
        lines = 2
        yield encode(header(KIND))
        for turn in turns:
            written = list(lines_of(turn))
            yield b"".join(written)
            count, lines = count + 1, lines + len(written)
        yield encode({"end": {"turns": count, "lines": lines}})

    write_whole(path, pieces(), overwrite=overwrite)
    return count


def write_whole(path: str | Path, pieces: Iterable[bytes], *, overwrite: bool = False) -> None:
    """Write a file for its owner alone that is there whole, or not at all.

    Parameters
    ----------
    path : str or Path
    pieces : iterable of bytes
    overwrite : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    UsageError
        There is a file of that name, or no folder for it.
    StoreError
        It cannot be written.
    """
    target = path_of(path)
    _check_free(target, overwrite=overwrite)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(handle)
            _put(Path(name), target, overwrite=overwrite)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}; choose another place") from error


def read_jsonl(path: str | Path) -> list[Trace]:
    """Return the traces of a file of JSON lines, equal to those that were written.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    list of Trace

    Raises
    ------
    UsageError
        There is no such file.
    StoreError
        It is damaged, cut, no export, or was written by a newer version; nothing of it is returned then.
    """
    return [unpack_trace(stored) for stored in read_turns(path)]


def read_turns(path: str | Path) -> Iterator[StoredTurn]:
    """Go through the turns of a file of JSON lines as a store holds them: with history and late events.

    Parameters
    ----------
    path : str or Path

    Yields
    ------
    StoredTurn

    Raises
    ------
    UsageError
        There is no such file.
    StoreError
        It is damaged, cut, no export, or was written by a newer version; before the first turn is given.
    """
    return turns_of(read_bytes(path), str(path))


def read_bytes(path: str | Path) -> bytes:
    """Read a whole file.

    Raises
    ------
    UsageError
        There is none.
    StoreError
        It cannot be read.
    """
    try:
        return Path(path).expanduser().read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; check the name") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}; check its permissions") from error


def is_export(data: bytes) -> bool:
    """Tell whether bytes begin like an export, whole or not."""
    first, _, _ = data.partition(b"\n")
    return b'"schema":' in first and b'"kind":"%b"' % KIND.encode() in first


def turns_of(data: bytes, where: str) -> Iterator[StoredTurn]:
    """Go through the turns of an export; see :func:`read_turns`.

    Parameters
    ----------
    data : bytes
    where : str
        What errors call it.
    """
    if not is_export(data):
        raise StoreError(f"{where} is not an export of lango_nb; give a file exported as JSON lines", "damaged")
    found = read(data)
    rows = [row for _, row in found]
    schema = _schema(rows[0], where)
    if rows[0].get("grows"):
        return iter(_whole(rows[1:], schema, where))
    broken = [place for place, row in found if not row]
    if broken:
        raise StoreError(f"{where} is damaged at byte {min(broken)}; export it once more, or fetch it again", "damaged")
    if rows[-1].keys() != {"end"}:
        raise StoreError(f"{where} ends before its last line; export it once more, or fetch it again", "damaged")
    turns = list(_grouped(rows[1:-1], schema, where))
    if rows[-1]["end"] != {"turns": len(turns), "lines": len(rows)}:
        raise StoreError(f"{where} lacks some of its lines; export it once more, or fetch it again", "damaged")
    return iter(turns)


def growing_header() -> bytes:
    """Return the first line of a file that grows."""
    return encode(header(KIND, grows=True))


def check_growing(line: bytes, where: str) -> None:
    """Make sure that turns may be appended to a file.

    Parameters
    ----------
    line : bytes
        Its first one.
    where : str

    Raises
    ------
    StoreError
        It holds something else.
    """
    try:
        grows = decode(line).get("grows")
    except ValueError:
        grows = False
    if not grows:
        raise StoreError(f"{where} is there already and no such file; name another one")


def _schema(first: Row, where: str) -> int:
    """Return the version of a file; a header that is damaged is found with everything else that is."""
    if not first or first == {"schema": FIRST_SCHEMA, "kind": KIND}:
        return FIRST_SCHEMA
    check_header(first, KIND, where)
    return cast("int", first["schema"])


def lines_of(turn: Trace | StoredTurn, history: Sequence[Message] | None = None) -> Iterator[bytes]:
    """Write a turn as lines.

    Parameters
    ----------
    turn : Trace or StoredTurn
    history : sequence of Message, optional
        What later turns see of a trace, when that is not its own conversation.
    """
    if isinstance(turn, Trace):
        row, body = pack_trace(turn, history)
        turn = StoredTurn(row, [pack_event(event) for event in (*turn.events, *turn.late)], body)
    yield encode({"turn": turn.row})
    for event in turn.events:
        yield encode({"event": event})
    yield encode({"body": turn.body})


def _grouped(rows: list[Row], schema: int, where: str) -> Iterator[StoredTurn]:
    """Put the lines of a turn together again."""
    turn: Row | None = None
    events: list[Row] = []
    for row in rows:
        match row:
            case {"turn": dict(summary), **rest} if turn is None and not rest:
                turn, events = upgrade_row("turn", summary, schema), []
            case {"event": dict(event), **rest} if turn is not None and not rest:
                events.append(upgrade_row("event", event, schema))
            case {"body": dict(body), **rest} if turn is not None and not rest:
                yield StoredTurn(turn, events, upgrade_row("body", body, schema))
                turn = None
            case _:
                found = ", ".join(row)
                raise StoreError(f"{where} has a line with {found} where none belongs; export it once more", "damaged")
    if turn is not None:
        raise StoreError(f"{where} lacks the end of turn {turn.get('id')}; export it once more", "damaged")


def _whole(rows: list[Row], schema: int, where: str) -> list[StoredTurn]:
    """Return the turns of a file that grows; one that is not whole is left out, and one that comes again counts once.

    Ids alone do not tell turns apart: processes that keep records in memory count from one each.
    """
    turns: dict[tuple[object, ...], StoredTurn] = {}
    begun: list[Row] = []
    lost = 0
    for row in rows:
        if "turn" in row or "schema" in row:  # a second process began the file at the same moment
            lost += bool(begun)
            begun = []
        if "schema" not in row:
            begun.append(row)
        if "body" in row:
            try:
                for turn in _grouped(begun, schema, where):
                    turns[tuple(map(turn.row.get, ("id", "session_id", "started_at", "text")))] = turn
            except StoreError:
                lost += 1
            begun = []
    lost += bool(begun)
    if lost:
        logger.warning("%s: what is not whole is left out, %s", where, "1 turn" if lost == 1 else f"{lost} turns")
    return list(turns.values())


def _check_free(target: Path, *, overwrite: bool) -> None:
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise UsageError(f"{target} is a folder; give the name of a file")
    if target.exists() and not overwrite:
        raise _taken(target)


def _put(temporary: Path, target: Path, *, overwrite: bool) -> None:
    """Give a finished file its name; without leave to overwrite, only if nobody took it meanwhile."""
    if overwrite:
        temporary.replace(target)
        return
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise _taken(target) from None
    except OSError:  # a file system without links
        if target.exists():
            raise _taken(target) from None
        temporary.replace(target)


def _taken(target: Path) -> UsageError:
    return UsageError(f"{target} is there already; choose another name, or allow overwriting")
