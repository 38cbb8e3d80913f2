"""Lines say themselves whether they are whole, and what is whole among broken ones is found."""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.stores import lines
from lango_nb.stores.schema import SCHEMA
from lango_nb.stores.store import Row

ROWS: list[Row] = [
    {"id": "task-1", "title": "Water the plants"},
    {"a": {"b": [1, 2.5, None, True, {"c": []}]}, "crc": "of somebody else"},
    {"text": 'ü 漢字 😀 \n " \\ \u2028 \x00'},
]
WHOLE = [lines.encode(row) for row in ROWS]


def rows_of(data: bytes) -> list[Row]:
    return [row for _, row in lines.read(data).rows]


@pytest.mark.parametrize("row", ROWS)
def test_line_is_plain_json_with_its_checksum_last(row: Row) -> None:
    line = lines.encode(row)
    found = json.loads(line)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert list(found)[-1] == "crc"
    assert len(found["crc"]) == 8
    assert lines.decode(line) == lines.decode(line[:-1]) == row


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"a": 2**70, "b": [-(2**64)]}, id="integers of more than 64 bits"),
        pytest.param({"a": "half \ud83d of a character"}, id="half a character"),
        pytest.param({"a": json.loads("[" * 300 + "]" * 300)}, id="nested deeper than orjson goes"),
    ],
)
def test_what_orjson_does_not_know_is_kept_too(row: Row) -> None:
    line = lines.encode(row)
    assert lines.decode(line) == row
    assert rows_of(b"?" + line + WHOLE[0]) == [row, ROWS[0]]
    assert json.loads(line).keys() == {*row, "crc"}


def test_numbers_that_are_none_become_null_and_tuples_lists() -> None:
    row = cast("Row", {"a": float("nan"), "b": (1, 2), "c": float("-inf")})
    assert lines.decode(lines.encode(row)) == {"a": None, "b": [1, 2], "c": None}
    assert lines.decode(lines.encode({**row, "d": 2**64})) == {"a": None, "b": [1, 2], "c": None, "d": 2**64}


@dataclass
class Thing:
    a: int = 1


def circle() -> list[object]:
    inner: list[object] = []
    inner.append(inner)
    return inner


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (object(), "object"),
        (b"bytes", "bytes"),
        (datetime(2026, 1, 1, tzinfo=UTC), "datetime"),
        (Thing(), "Thing"),
        ({1: "one"}, "key 1"),
        ({"deep": [{None: 1}]}, "key None"),
        ({"a"}, "set"),
        (circle(), "nested too deeply"),
    ],
)
def test_what_is_not_json_is_refused(value: object, named: str) -> None:
    with pytest.raises(StoreError, match=named) as caught:
        lines.encode(cast("Row", {"a": value}))
    assert caught.value.code == "bad_row"
    assert "\n" not in str(caught.value)


def test_empty_record_is_refused() -> None:
    with pytest.raises(StoreError, match="empty"):
        lines.encode({})


@pytest.mark.parametrize("line", WHOLE)
def test_every_changed_byte_is_noticed(line: bytes) -> None:
    for at in range(len(line) - 1):
        for other in {line[at] ^ 1, line[at] ^ 32, 0, 255, ord('"'), ord("}")} - {line[at]}:
            with pytest.raises(ValueError, match="checksum"):
                lines.decode(line[:at] + bytes([other]) + line[at + 1 :])


@pytest.mark.parametrize("data", [b"", b"\n", b"{}", b'{"a":1}', b'{"a":1,"crc":"00000000"}', b'{"a":1,"crc":1}'])
def test_what_has_no_right_checksum_is_no_record(data: bytes) -> None:
    with pytest.raises(ValueError, match="checksum"):
        lines.decode(data)


def test_checksum_that_is_right_does_not_make_an_object() -> None:
    with pytest.raises(ValueError, match="column"):
        lines.decode(b'[1,"crc":"%08x"}' % zlib.crc32(b"[1"))


def test_reading_gives_rows_with_their_offsets() -> None:
    data = b"".join(WHOLE)
    reading = lines.read(data, start=100)
    assert [row for _, row in reading.rows] == ROWS
    assert [offset for offset, _ in reading.rows] == [100, 100 + len(WHOLE[0]), 100 + len(WHOLE[0]) + len(WHOLE[1])]
    assert (reading.torn, reading.torn_at, reading.damaged, reading.lacks_newline) == (b"", 100 + len(data), [], False)


def test_nothing_holds_nothing() -> None:
    assert lines.read(b"") == lines.Reading()
    assert lines.read(b"\n\n").rows == []


def test_every_cut_of_the_last_line_is_torn_or_whole() -> None:
    data = b"".join(WHOLE)
    start = len(data) - len(WHOLE[-1])
    for cut in range(start, len(data) + 1):
        reading = lines.read(data[:cut])
        is_whole = cut >= len(data) - 1
        assert [row for _, row in reading.rows] == (ROWS if is_whole else ROWS[:-1])
        assert reading.damaged == []
        assert reading.torn == (b"" if is_whole else data[start:cut])
        assert reading.torn_at == (cut if is_whole else start)
        assert reading.lacks_newline == (cut == len(data) - 1)


def test_damaged_line_costs_no_other() -> None:
    broken = b"x" + WHOLE[1][1:]
    reading = lines.read(WHOLE[0] + broken + WHOLE[2])
    assert [row for _, row in reading.rows] == [ROWS[0], ROWS[2]]
    assert reading.damaged == [(len(WHOLE[0]), broken[:-1])]


@pytest.mark.parametrize("junk", [b"", b"?", b",", b"{", b"\x00", b"\r"])
def test_records_glued_by_a_damaged_newline_are_found(junk: bytes) -> None:
    data = junk.join(line[:-1] for line in WHOLE) + b"\n"
    reading = lines.read(data)
    assert [row for _, row in reading.rows] == ROWS
    assert [found for _, found in reading.damaged] == [junk] * 2 * bool(junk)
    for (offset, row), line in zip(reading.rows, WHOLE, strict=True):
        assert data[offset : offset + len(line) - 1] == line[:-1]
        assert lines.decode(line) == row


@pytest.mark.parametrize("size", range(1, len(WHOLE[0]) - 1))
def test_record_behind_a_torn_one_is_found(size: int) -> None:
    """Somebody died in the middle of a line, and somebody else went on behind it."""
    reading = lines.read(WHOLE[2] + WHOLE[0][:size] + WHOLE[1] + WHOLE[2])
    assert [row for _, row in reading.rows] in ([ROWS[2], ROWS[1], ROWS[2]], [ROWS[2], ROWS[2]])
    is_within = WHOLE[0][size - 1 : size] in b":[,"  # then it may as well be a part of the torn one
    assert (len(reading.rows) == 3) or is_within
    assert b"".join(data for _, data in reading.damaged).startswith(WHOLE[0][:size])


def test_what_a_damaged_record_quotes_does_not_become_a_record() -> None:
    """A tool may have read lines of a store, and its result lies in another line."""
    inner = json.loads(WHOLE[0])
    for outer in ({"result": inner}, {"results": [inner, inner]}, {"text": WHOLE[0].decode()}):
        line = lines.encode(cast("Row", outer))
        assert line[:-1].count(b'"title"') or b"title" in line
        damaged = line[:2] + b"X" + line[3:]
        assert rows_of(damaged + WHOLE[2]) == [ROWS[2]]
        assert rows_of(line) == [outer]
        assert rows_of(line[:-1] + b"?" + WHOLE[2]) == [outer, ROWS[2]]


def test_zeros_after_a_crash_are_set_apart() -> None:
    reading = lines.read(WHOLE[0] + b"\0" * 4096 + b"\n" + WHOLE[1] + b"\0" * 512)
    assert [row for _, row in reading.rows] == ROWS[:2]
    assert reading.damaged == [(len(WHOLE[0]), b"\0" * 4096)]
    assert reading.torn == b"\0" * 512


def test_search_in_a_hopeless_piece_ends() -> None:
    piece = b'{"a":{"b":1},' * 20_000 + b' {x,"crc":"00000000"}' * 2_000
    began = time.perf_counter()
    reading = lines.read(piece + b"\n" + WHOLE[0])
    assert [row for _, row in reading.rows] == [ROWS[0]]
    assert reading.damaged == [(0, piece)]
    assert time.perf_counter() - began < 5


def test_header_names_schema_and_kind() -> None:
    row = lines.header("events", session="main")
    assert row == {"schema": SCHEMA, "kind": "events", "session": "main"}
    lines.check_header(row, "events", "main.jsonl")


@pytest.mark.parametrize(
    ("row", "code", "words"),
    [
        ({"schema": 7, "kind": "events"}, "newer_schema", "main.jsonl was written by a newer lango_nb (schema 7"),
        ({"schema": 99, "kind": "other"}, "newer_schema", "upgrade lango_nb"),
        ({"schema": 1, "kind": "documents"}, "damaged", "'documents' where 'events' belongs"),
        ({"schema": "1", "kind": "events"}, "damaged", "move it away"),
        ({"schema": True, "kind": "events"}, "damaged", "move it away"),
        ({"schema": 0, "kind": "events"}, "damaged", "move it away"),
        ({"schema": 1}, "damaged", "move it away"),
        ({"id": "task-1"}, "damaged", "move it away"),
    ],
)
def test_wrong_header_is_refused(row: Row, code: str, words: str) -> None:
    with pytest.raises(StoreError) as caught:
        lines.check_header(row, "events", "main.jsonl")
    assert caught.value.code == code
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "line", [b'{"schema": 6, "kind": "events"}', b'{"schema":7}', b'{"schema":6,"kind":"events","sum":"other"}']
)
def test_header_of_a_newer_version_without_our_checksum_is_refused(line: bytes) -> None:
    with pytest.raises(StoreError) as caught:
        lines.check_damaged_header(line, "main.jsonl")
    assert caught.value.code == "newer_schema"


@pytest.mark.parametrize("line", [b"", b"\0\0", b"[]", b'{"schema":1}', b'{"schema":"2"}', b'{"a":1}', b"7"])
def test_damaged_header_is_no_newer_version(line: bytes) -> None:
    lines.check_damaged_header(line, "main.jsonl")


@pytest.mark.parametrize("digits", [b"3", b"9", b"11", b"21"])
def test_damaged_digit_of_our_own_header_is_no_newer_version(digits: bytes) -> None:
    line = lines.encode(lines.header("events")).replace(b'"schema":%d' % SCHEMA, b'"schema":' + digits)
    lines.check_damaged_header(line, "main.jsonl")
