"""Lines say themselves whether they are whole, and what is whole among broken ones is found."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.records import lines
from lango_nb.stores.schema import SCHEMA
from lango_nb.stores.store import Row

ROWS: list[Row] = [
    {"id": "task-1", "title": "Water the plants"},
    {"a": {"b": [1, 2.5, None, True, {"c": []}]}, "crc": "of somebody else"},
    {"text": 'ü 漢字 😀 \n " \\ \u2028 \x00'},
]
WHOLE = [lines.encode(row) for row in ROWS]


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
    first, second, third = WHOLE
    assert lines.read(first + second + third) == [
        (0, ROWS[0]),
        (len(first), ROWS[1]),
        (len(first) + len(second), ROWS[2]),
    ]
    assert lines.read(b"") == lines.read(b"\n\n") == []


def test_every_cut_of_the_last_line_is_damaged_or_whole() -> None:
    first, last = WHOLE[:2]
    for cut in range(1, len(last) - 1):
        assert lines.read(first + last[:cut]) == [(0, ROWS[0]), (len(first), {})]
    assert lines.read(first + last[:-1]) == [(0, ROWS[0]), (len(first), ROWS[1])], "only the newline is missing"


def test_damaged_line_costs_no_other() -> None:
    first, second, third = WHOLE
    found = lines.read(first + second[:5] + b"?" + second[6:] + third)
    assert [row for _, row in found] == [ROWS[0], {}, ROWS[2]]


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
