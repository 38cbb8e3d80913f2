"""Whatever happens to the file: it can be read, what is whole is kept, and somebody is told."""

from __future__ import annotations

import logging
import os
import subprocess
from pathlib import Path

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.stores import lines
from lango_nb.stores.journal import JournalDB
from lango_nb.stores.journal_rows import operations_of
from lango_nb.stores.store import Problem, Row
from tests.journals import Opened, codes, filled, numbers, quarantined, texts

# ---------------------------------------------------------------------------------------------- damage


def test_torn_last_line_is_dropped_and_reported_once(path: Path, opened: Opened, problems: list[Problem]) -> None:
    filled(opened)
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    database = opened()
    assert numbers(database) == [1, 2, 3, 4]
    assert codes(problems) == ["torn"]
    assert problems[0].where == "documents.jsonl"
    assert "dropped" in problems[0].detail
    database.insert({"n": 6})
    assert numbers(opened()) == [1, 2, 3, 4, 6]
    assert codes(problems) == ["torn"]
    assert database.check() == []


def test_last_line_without_its_newline_is_whole(path: Path, opened: Opened, problems: list[Problem]) -> None:
    filled(opened)
    path.write_bytes(path.read_bytes()[:-1])
    database = opened()
    assert numbers(database) == [1, 2, 3, 4, 5]
    database.insert({"n": 6})
    assert numbers(opened()) == [1, 2, 3, 4, 5, 6]
    assert len(texts(path)) == 7
    assert problems == []


def test_damaged_line_is_set_aside_and_the_others_kept(path: Path, opened: Opened, problems: list[Problem]) -> None:
    filled(opened)
    pieces = path.read_bytes().splitlines(keepends=True)
    pieces[3] = pieces[3].replace(b"put", b"PUT")
    path.write_bytes(b"".join(pieces))
    other = opened()
    assert numbers(other) == [1, 2, 4, 5]
    assert codes(problems) == ["damaged"]
    assert "1 damaged piece" in problems[0].detail
    assert ".quarantine" in problems[0].next_step
    assert quarantined(path) == [pieces[3][:-1]]
    assert opened().check() == []
    other.insert({"n": 6})
    assert numbers(opened()) == [1, 2, 4, 5, 6]
    assert codes(problems) == ["damaged"]


@pytest.mark.parametrize("junk", [b"", b"?", b",", b"\0\0\0"])
def test_glued_lines_are_both_kept(path: Path, opened: Opened, problems: list[Problem], junk: bytes) -> None:
    filled(opened)
    pieces = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([*pieces[:2], pieces[2] + junk + pieces[3], *pieces[4:]]) + b"\n")
    assert numbers(opened()) == [1, 2, 3, 4, 5]
    assert codes(problems) == ["damaged"] * bool(junk)


@pytest.mark.parametrize("at", [0, 10, -2])
def test_damaged_header_loses_nothing(path: Path, opened: Opened, problems: list[Problem], at: int) -> None:
    filled(opened)
    header, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(header[:at] + b"#" + header[at:][1:] + b"\n" + rest)
    assert numbers(opened()) == [1, 2, 3, 4, 5]
    assert codes(problems) == ["damaged"]
    assert len(quarantined(path)) == 1
    assert "schema" in texts(path)[0]
    assert numbers(opened()) == [1, 2, 3, 4, 5]
    assert len(problems) == 1


def test_file_without_a_header_gets_one(path: Path, opened: Opened, problems: list[Problem]) -> None:
    filled(opened)
    path.write_bytes(path.read_bytes().split(b"\n", 1)[1])
    assert numbers(opened()) == [1, 2, 3, 4, 5]
    assert "no header" in problems[0].detail
    assert texts(path)[0]["kind"] == "documents"


@pytest.mark.parametrize("data", [b'{"_default": {"1": {"n": 1}}}', b"\0" * 5000, b"hello\n\nthere", b"\xff\xfe\n"])
def test_file_that_is_something_else_is_kept_in_the_quarantine(
    path: Path, opened: Opened, problems: list[Problem], data: bytes
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    database = opened()
    assert database.all() == []
    assert b"\n".join(quarantined(path)).replace(b"\n", b"") == data.replace(b"\n", b"")
    assert codes(problems) == ["damaged"]
    database.insert({"n": 1})
    assert numbers(opened()) == [1]


def test_empty_file_is_an_empty_database(path: Path, opened: Opened, problems: list[Problem]) -> None:
    path.parent.mkdir(parents=True)
    path.touch()
    database = opened()
    assert database.all() == []
    database.insert({"n": 1})
    assert numbers(opened()) == [1]
    assert problems == []


def test_line_whose_checksum_is_right_and_that_says_nothing_is_damaged(
    path: Path, opened: Opened, problems: list[Problem]
) -> None:
    filled(opened, 2)
    strange: list[Row] = [{"ops": 1}, {"ops": [["paint", "a"]]}, {"n": 1}, {"ops": [["put", "a", "1", {}]]}]
    with path.open("ab") as file:
        file.writelines(lines.encode(row) for row in strange)
        file.write(lines.encode({"ops": [["put", "_default", 3, {"n": 3}]]}))
    assert numbers(opened()) == [1, 2, 3]
    assert codes(problems) == ["damaged"]
    assert quarantined(path) == [b"".join(lines.encode(row) for row in strange)[:-1]]


def test_damage_that_another_process_meets_while_it_is_open_is_reported_too(
    path: Path, opened: Opened, problems: list[Problem]
) -> None:
    database = filled(opened, 2)
    with path.open("ab") as file:
        file.write(b"this is no record\n" + lines.encode({"ops": [["put", "_default", 3, {"n": 3}]]}) + b'{"ops":[[')
    assert numbers(database) == [1, 2, 3]
    assert codes(problems) == ["damaged", "torn"]
    assert quarantined(path) == [b"this is no record"]
    assert numbers(opened()) == [1, 2, 3]


def test_damage_is_mended_once_whoever_has_the_lock_is_gone(
    path: Path, opened: Opened, problems: list[Problem], holder: subprocess.Popen[bytes]
) -> None:
    changes: list[Row] = [{"ops": [["put", "_default", number, {"n": number}]]} for number in range(1, 4)]
    good, bad, *rest = [lines.encode(row) for row in (lines.header("documents"), *changes)]
    path.write_bytes(b"".join([good, bad.replace(b"put", b"PUT"), *rest, bad[:9]]))
    database = opened(lock_timeout_s=0.05)
    assert numbers(database) == [2, 3]
    assert problems == []  # perhaps somebody is just writing
    holder.kill()
    holder.wait()
    database.insert({"n": 4})
    assert codes(problems) == ["damaged", "torn"]
    assert numbers(opened()) == numbers(database) == [2, 3, 4]
    assert len(quarantined(path)) == 1


def test_half_a_line_that_somebody_is_writing_is_waited_for(
    path: Path, opened: Opened, problems: list[Problem]
) -> None:
    database = filled(opened, 1)
    line = lines.encode({"ops": [["put", "_default", 2, {"n": 2}]]})
    with path.open("ab") as file:
        file.write(line[:20])
        file.flush()
        assert numbers(database) == [1]
        file.write(line[20:])
    assert numbers(database) == [1, 2]
    assert problems == []


def test_check_finds_damage_and_changes_nothing(path: Path, opened: Opened, problems: list[Problem]) -> None:
    database = filled(opened)
    pieces = path.read_bytes().splitlines(keepends=True)
    broken = b"".join([pieces[0], pieces[1], b"#" + pieces[2][1:], *pieces[3:], b'{"half'])
    path.write_bytes(broken)
    assert codes(database.check()) == ["damaged", "torn"]
    assert path.read_bytes() == broken
    assert problems == []
    path.write_bytes(lines.encode({"schema": 7, "kind": "documents"}))
    assert codes(database.check()) == ["newer_schema"]
    path.unlink()
    assert database.check() == []


@pytest.mark.parametrize("is_whole", [True, False])
def test_newer_version_is_refused_and_left_as_it_is(
    path: Path, opened: Opened, problems: list[Problem], *, is_whole: bool
) -> None:
    path.parent.mkdir(parents=True)
    header = lines.encode({"schema": 2, "kind": "documents"}) if is_whole else b'{"schema": 2, "kind": "documents"}\n'
    data = header + b"whatever comes with version 2\n" + lines.encode({"ops": [["put", "_default", 1, {}]]}) + b"half"
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"newer lango_nb \(schema 2, this one knows 1\); upgrade") as caught:
        opened()
    assert caught.value.code == "newer_schema"
    assert path.read_bytes() == data
    assert [file.name for file in path.parent.iterdir()] == ["documents.jsonl"]
    assert problems == []


def test_file_upgraded_by_another_process_is_refused_from_then_on(path: Path, opened: Opened) -> None:
    database = filled(opened, 1)
    newer = path.with_name("newer")
    newer.write_bytes(lines.encode({"schema": 2, "kind": "documents"}))
    newer.replace(path)
    data = path.read_bytes()
    for deed in (database.all, lambda: database.insert({"n": 2})):
        with pytest.raises(StoreError, match="upgrade lango_nb"):
            deed()
    assert path.read_bytes() == data


def test_file_of_another_kind_is_refused(path: Path, opened: Opened) -> None:
    filled(opened)
    with pytest.raises(StoreError, match="'documents' where 'index' belongs"):
        JournalDB(path, "index")


def test_problems_are_logged_when_nobody_wants_them(
    path: Path, opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    filled(opened)
    path.write_bytes(path.read_bytes()[:-10])
    with caplog.at_level(logging.WARNING, "lango_nb"):
        opened(report=None)
    assert "no whole record" in caplog.text


# ---------------------------------------------------------------------------------------------- removed and replaced


@pytest.mark.parametrize("looks_first", [True, False])
def test_file_removed_under_us_is_written_anew(
    path: Path, opened: Opened, problems: list[Problem], *, looks_first: bool
) -> None:
    database = filled(opened)
    path.unlink()
    if looks_first:
        assert numbers(database) == [1, 2, 3, 4, 5]
        assert path.exists()
    database.insert({"n": 6})
    assert numbers(opened()) == numbers(database) == [1, 2, 3, 4, 5, 6]
    assert codes(problems) == ["missing"]
    assert "5 documents were written anew" in problems[0].detail


def test_folder_removed_under_us_is_made_anew(path: Path, opened: Opened, problems: list[Problem]) -> None:
    database = filled(opened)
    for file in path.parent.iterdir():
        file.unlink()
    path.parent.rmdir()
    database.insert({"n": 6})
    assert numbers(opened()) == [1, 2, 3, 4, 5, 6]
    assert codes(problems) == ["missing"]


def test_what_others_wrote_last_is_not_lost_with_the_file(path: Path, opened: Opened, problems: list[Problem]) -> None:
    idle, other = opened(), opened()
    other.insert({"n": 1})
    assert len(idle) == 1
    other.insert({"n": 2})
    path.unlink()
    assert numbers(idle) == [1, 2]
    assert numbers(other) == [1, 2]
    assert codes(problems) == ["missing"]


def test_removed_file_with_nothing_in_it_is_no_loss(path: Path, opened: Opened, problems: list[Problem]) -> None:
    database = filled(opened, 1)
    database.drop_tables()
    path.unlink()
    assert database.all() == []
    assert not path.exists()
    database.insert({"n": 1})
    assert numbers(opened()) == [1]
    assert problems == []


@pytest.mark.parametrize("size", [0, 30, 250])
def test_file_cut_under_us_is_written_anew(path: Path, opened: Opened, problems: list[Problem], size: int) -> None:
    database = filled(opened)
    os.truncate(path, size)
    assert numbers(database) == [1, 2, 3, 4, 5]
    assert codes(problems) == ["missing"]
    assert numbers(opened()) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("compactions", [0, 3])
def test_file_replaced_by_another_is_used_and_the_former_documents_kept(
    path: Path, opened: Opened, problems: list[Problem], tmp_path: Path, compactions: int
) -> None:
    database = filled(opened)
    with JournalDB(tmp_path / "another.jsonl", "documents") as another:
        another.insert({"n": 100})
        for _ in range(compactions):
            another.compact()
    (tmp_path / "another.jsonl").replace(path)
    assert numbers(database) == [100]
    assert codes(problems) == ["missing"]
    (kept,) = quarantined(path)
    assert [operations_of(row) for _, row in lines.read(kept).rows] == [
        [["put", "_default", number, {"n": number}]] for number in range(1, 6)
    ]


def test_older_copy_put_back_is_used_and_the_newer_documents_kept(
    path: Path, opened: Opened, problems: list[Problem]
) -> None:
    database = filled(opened)
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    database.insert({"n": 6})
    copy.replace(path)
    assert numbers(database) == [1, 2, 3, 4, 5]
    assert codes(problems) == ["missing"]
    assert b'{"n":6}' in quarantined(path)[0]
