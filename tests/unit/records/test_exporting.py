"""A file of JSON lines reads back to what was written, or says why not; nothing is half written or half read."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lango_nb.core.errors import LangoError, StoreError, UsageError
from lango_nb.records.exporting import read_jsonl, read_turns, write_jsonl
from lango_nb.records.lines import encode
from lango_nb.records.packing import history_of, late_events, pack_event, pack_trace
from lango_nb.records.sessions import author_of
from lango_nb.records.turns import Trace
from lango_nb.stores.schema import SCHEMA
from lango_nb.stores.store import Row, StoredTurn
from tests.unit.records import strategies as made
from tests.unit.viz import samples

FIXTURES = Path(__file__).parents[2] / "data" / "records"


def several() -> list[Trace]:
    first = samples.trace()
    return [first, replace(samples.trace("tool_error"), turn=replace(first.turn, id="turn-2", number=2))]


def written(folder: Path) -> Path:
    file = folder / "turns.jsonl"
    write_jsonl(file, several())
    return file


def test_traces_come_back_equal(tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"
    assert write_jsonl(file, several()) == 2
    back = read_jsonl(file)
    assert back == several()
    routes = [[decision.route for decision in trace.decisions] for trace in back]
    assert routes == [[decision.route for decision in trace.decisions] for trace in several()]


@given(st.lists(made.traces(), max_size=2))
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_any_traces_come_back_equal(tmp_path_factory: pytest.TempPathFactory, traces: list[Trace]) -> None:
    file = tmp_path_factory.mktemp("any") / "turns.jsonl"
    write_jsonl(file, traces)
    assert read_jsonl(file) == traces


def test_stored_turns_keep_their_history_and_what_came_late(tmp_path: Path) -> None:
    trace = samples.trace()
    row, body = pack_trace(trace, trace.messages[:1])
    events = [pack_event(event) for event in (*trace.events, trace.events[1])]
    file = tmp_path / "turns.jsonl"
    write_jsonl(file, iter([StoredTurn(row, events, body)]))
    (back,) = read_turns(file)
    assert back == StoredTurn(row, events, body)
    assert history_of(back.body) == trace.messages[:1]
    assert late_events(back) == [trace.events[1]]
    assert read_jsonl(file) == [replace(trace, late=(trace.events[1],))]


def test_every_line_is_plain_json_for_other_programs(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in written(tmp_path).read_text(encoding="utf-8").splitlines()]
    assert lines[0]["schema"] == SCHEMA
    assert lines[0]["kind"] == "lango export"
    assert next(event["event"]["kind"] for event in lines if "event" in event) == "turn.started"
    assert lines[-1]["end"] == {"turns": 2, "lines": len(lines)}


def test_nothing_is_a_whole_file_too(tmp_path: Path) -> None:
    file = tmp_path / "nothing.jsonl"
    assert write_jsonl(file, []) == 0
    assert read_jsonl(file) == []


# -- writing -----------------------------------------------------------------------------------------------------------


def test_a_file_that_is_there_is_replaced_with_leave_only(tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"
    file.write_text("mine")
    left = iter(several())
    with pytest.raises(UsageError, match=r"turns\.jsonl is there already; choose another name, or allow overwriting"):
        write_jsonl(file, left)
    assert file.read_text() == "mine"
    assert len(list(left)) == 2
    write_jsonl(file, several(), overwrite=True)
    assert read_jsonl(file) == several()
    assert [one.name for one in tmp_path.iterdir()] == ["turns.jsonl"]


def test_a_file_that_somebody_makes_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"

    def slow() -> Iterator[Trace]:
        yield from several()
        file.write_text("theirs")

    with pytest.raises(UsageError, match="is there already"):
        write_jsonl(file, slow())
    assert file.read_text() == "theirs"
    assert [one.name for one in tmp_path.iterdir()] == ["turns.jsonl"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    file = written(tmp_path)
    before = file.read_bytes()

    def failing() -> Iterator[Trace]:
        yield samples.trace()
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StoreError, match=r"turns\.jsonl cannot be written: No space left on device"):
        write_jsonl(file, failing(), overwrite=True)
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["turns.jsonl"]


def test_without_links_the_name_is_still_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    assert read_jsonl(written(tmp_path)) == several()


def test_a_folder_that_nobody_may_write_to_says_so(folder_of_nobody: Path) -> None:
    folder_of_nobody.chmod(0o500)
    with pytest.raises(StoreError, match=r"cannot be written: Permission denied"):
        write_jsonl(folder_of_nobody / "turns.jsonl", [])


@pytest.mark.parametrize(("name", "says"), [("none/x.jsonl", "there is no folder"), ("", "is a folder; give the name")])
def test_a_place_that_is_no_file_is_refused(tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        write_jsonl(tmp_path / name, [])


# -- reading -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", range(SCHEMA + 1))
def test_files_of_every_version_are_read(schema: int) -> None:
    (trace,) = read_jsonl(FIXTURES / f"schema-{schema}.jsonl")
    assert (trace.turn.outcome, trace.turn.path, len(trace.events)) == ("success", ("lango-orchestrator", "vault"), 6)
    assert trace.decisions[0].route.candidates[0].signals[0].term == "hash"
    assert trace.messages[0].author == "user"


def test_messages_from_before_authors_are_the_roots() -> None:
    (old,) = read_jsonl(FIXTURES / "schema-0.jsonl")
    (new,) = read_jsonl(FIXTURES / "schema-1.jsonl")
    assert [message.author for message in old.messages] == ["user", None, None, None]
    assert [author_of(message, "lango-orchestrator") for message in old.messages[1:]] == ["lango-orchestrator"] * 3
    assert [message.author for message in new.messages] == ["user", "vault", "vault", "vault"]
    assert replace(old, messages=()) == replace(new, messages=())


def test_there_is_a_file_for_every_version() -> None:
    assert sorted(file.name for file in FIXTURES.glob("schema-*.jsonl")) == [
        f"schema-{n}.jsonl" for n in range(SCHEMA + 1)
    ]


def test_a_file_from_the_future_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "new.jsonl"
    file.write_bytes(encode({"schema": 7, "kind": "lango export"}) + encode({"dream": {}}))
    with pytest.raises(StoreError, match=r"new\.jsonl was written by a newer lango_nb \(schema 7") as raised:
        read_jsonl(file)
    assert raised.value.code == "newer_schema"


@pytest.mark.parametrize(
    "content", [b"", b"hello\n", b"[]", b'{"schema":1}\n', encode({"schema": 1, "kind": "events"})]
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "other.jsonl"
    file.write_bytes(content)
    with pytest.raises(StoreError, match=r"other\.jsonl is not an export of lango_nb"):
        read_jsonl(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no file .*gone\.jsonl"):
        read_jsonl(tmp_path / "gone.jsonl")
    with pytest.raises(StoreError, match="cannot be read: Is a directory"):
        read_jsonl(tmp_path)


def test_a_file_that_was_cut_anywhere_is_refused(tmp_path: Path) -> None:
    whole = written(tmp_path).read_bytes()
    for end in (*range(0, len(whole) - 1, 97), *(len(whole) - cut for cut in range(2, 40))):
        (tmp_path / "cut.jsonl").write_bytes(whole[:end])
        with pytest.raises(StoreError, match=r"is damaged at byte|ends before|is not an export"):
            read_jsonl(tmp_path / "cut.jsonl")


def test_a_line_that_is_missing_is_noticed(tmp_path: Path) -> None:
    lines = written(tmp_path).read_bytes().splitlines(keepends=True)
    seen = set()
    for place, line in enumerate(lines):
        if b'"event":' in line[:9]:
            continue
        (tmp_path / "less.jsonl").write_bytes(b"".join(lines[:place] + lines[place + 1 :]))
        with pytest.raises(LangoError) as raised:
            read_jsonl(tmp_path / "less.jsonl")
        seen.add(str(raised.value).partition(" ")[2].split("turn")[0])
    assert len(seen) >= 3


def test_an_event_that_is_missing_is_noticed(tmp_path: Path) -> None:
    lines = written(tmp_path).read_bytes().splitlines(keepends=True)
    (tmp_path / "less.jsonl").write_bytes(b"".join(lines[:3] + lines[4:]))
    with pytest.raises(StoreError, match="lacks"):
        read_jsonl(tmp_path / "less.jsonl")


def test_a_byte_that_changed_is_found(tmp_path: Path) -> None:
    whole = bytearray(written(tmp_path).read_bytes())
    for place in range(60, len(whole), 131):
        changed = whole.copy()
        changed[place] ^= 1
        (tmp_path / "bad.jsonl").write_bytes(changed)
        with pytest.raises(StoreError, match=r"bad\.jsonl is damaged at byte \d+"):
            read_jsonl(tmp_path / "bad.jsonl")


def test_lines_that_belong_to_no_turn_are_refused(tmp_path: Path) -> None:
    head, end = encode({"schema": 1, "kind": "lango export"}), encode({"end": {"turns": 0, "lines": 3}})
    strays: list[Row] = [{"event": {}}, {"body": {}}, {"turn": {}, "event": {}}, {"turn": 1}, {"colour": "red"}]
    for stray in strays:
        (tmp_path / "odd.jsonl").write_bytes(head + encode(stray) + end)
        with pytest.raises(StoreError, match=r"odd\.jsonl has a line with .* where none belongs"):
            read_jsonl(tmp_path / "odd.jsonl")
