"""Whatever is done to a journal: it answers as TinyDB does; whatever is done to its file: only what was hit is lost.

``LANGO_KILLS`` says how many writers are killed; the program that does it runs for itself too:
``python -m tests.kill_journal FOLDER 200``. With ``LANGO_STRIDE=1`` every single byte of a file is changed.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tinydb import Query, TinyDB, where
from tinydb.operations import decrement, delete, increment
from tinydb.storages import MemoryStorage
from tinydb.table import Document

from lango_nb.core.errors import StoreError
from lango_nb.stores import lines
from lango_nb.stores.journal import JournalDB
from lango_nb.stores.memory import MemoryStore
from lango_nb.stores.store import Problem, Row

Step = tuple[str, Callable[[TinyDB], object]]
NAMES = ("_default", "task", "b")
ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("LANGO_KILLS", "15"))
STRIDE = int(os.environ.get("LANGO_STRIDE", "11"))


class TextStorage(MemoryStorage):
    """What TinyDB keeps in a file, without the file: nothing is shared between what was read and what is kept."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.text = "null"

    def read(self) -> Any:
        return json.loads(self.text)

    def write(self, data: Any) -> None:
        self.text = json.dumps(data)


values = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
)
fields = st.dictionaries(
    st.sampled_from(("n", "m", "id", "crc", "")),
    st.integers(0, 3)
    | values
    | st.lists(values, max_size=2)
    | st.dictionaries(st.text(max_size=2), values, max_size=2),
    max_size=3,
)
small = st.integers(1, 8)
conditions = st.one_of(
    st.builds(lambda n: where("n") == n, st.integers(0, 3)),
    st.builds(lambda name: Query()[name].exists(), st.sampled_from(("n", "m"))),
    st.builds(lambda n: (where("n") == n) | ~where("m").exists(), st.integers(0, 3)),
)
changes = st.one_of(fields, st.sampled_from((increment("n"), decrement("m"), delete("n"))))


def _step(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    def build(table: str, given_arguments: tuple[Any, ...]) -> Step:
        def deed(database: TinyDB) -> object:
            return getattr(database.table(table), name)(*copy.deepcopy(given_arguments))

        return f"{table}.{name}{given_arguments}", deed

    return st.builds(build, st.sampled_from(NAMES), st.tuples(*arguments))


steps: st.SearchStrategy[Step] = st.one_of(
    _step("insert", fields),
    _step("insert", st.builds(Document, fields, small)),
    _step("insert_multiple", st.lists(fields, max_size=3)),
    _step("update", changes, conditions),
    _step("update", changes, st.none(), st.lists(small, max_size=3, unique=True)),
    _step("update", changes),
    _step("update_multiple", st.lists(st.tuples(changes, conditions), max_size=2)),
    _step("upsert", fields, conditions),
    _step("upsert", st.builds(Document, fields, small)),
    _step("remove", conditions),
    _step("remove", st.none(), st.lists(small, max_size=3, unique=True)),
    _step("search", conditions),
    _step("count", conditions),
    _step("get", conditions),
    _step("contains", conditions),
    _step("truncate"),
    st.builds(lambda name: (f"drop {name}", lambda database: database.drop_table(name)), st.sampled_from(NAMES)),
    st.just(("drop all", lambda database: database.drop_tables())),
)


def outcome(deed: Callable[[TinyDB], object], database: TinyDB) -> tuple[str, object]:
    """Return what a step came to, with the numbers of the documents it returned."""
    try:
        found = deed(database)
    except Exception as error:  # noqa: BLE001 - both must fail in the same way
        return type(error).__name__, str(error)
    listed = found if isinstance(found, list) else [found]
    return "returned", [(one.doc_id, dict(one)) if isinstance(one, Document) else one for one in listed]


def unexpected(problem: Problem) -> None:
    pytest.fail(problem.detail)


def content(database: TinyDB) -> dict[str, str]:
    """Return everything in order, as text: true is not 1."""
    return {name: json.dumps([(row.doc_id, row) for row in database.table(name)]) for name in sorted(database.tables())}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(steps, st.sampled_from(("stay", "stay", "stay", "reopen", "compact"))), max_size=25),
    st.sampled_from((60, 1_000_000)),
)
def test_journal_answers_as_tinydb_does(deeds: list[tuple[Step, str]], compact_at: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "documents.jsonl"
        journal: TinyDB = JournalDB(path, "documents", durability="none", compact_at=compact_at)
        plain = TinyDB(storage=TextStorage)
        for (name, deed), then in deeds:
            assert outcome(deed, journal) == outcome(deed, plain), name
            assert content(journal) == content(plain), name
            if then == "compact" and isinstance(journal, JournalDB):
                journal.compact()
            if then == "reopen":
                journal.close()
                journal = JournalDB(path, "documents", durability="none", compact_at=compact_at, report=unexpected)
                reopened = TinyDB(storage=TextStorage)
                reopened.storage.write(plain.storage.read() or {})
                plain = reopened
                assert content(journal) == content(plain), name
        journal.close()


keys = st.sampled_from("abcd")
rows = st.builds(lambda key, more: {**more, "id": key}, keys, fields)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("put"), st.lists(rows, max_size=3)),
            st.tuples(st.just("add"), st.lists(rows, min_size=1, max_size=1)),
            st.tuples(st.just("remove"), st.lists(keys, max_size=2)),
            st.tuples(st.just("get"), st.lists(keys, min_size=1, max_size=1)),
            st.tuples(st.just("change"), st.tuples(keys, st.just(lambda row: {**row, "n": 7}))),
        ),
        max_size=30,
    ),
    st.lists(st.sampled_from((0, 1, 2)), min_size=30, max_size=30),
)
def test_rows_of_two_processes_are_as_those_in_memory(deeds: list[tuple[str, Any]], who: list[int]) -> None:
    """The third is opened anew each time."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "documents.jsonl"
        memory = MemoryStore().documents("task")
        databases = [JournalDB(path, "documents", durability="none", compact_at=300) for _ in range(2)]
        for (name, arguments), one in zip(deeds, who, strict=False):
            database = databases[one] if one < 2 else JournalDB(path, "documents", durability="none", compact_at=300)
            found: list[object] = []
            for documents in (memory, database.documents("task")):
                try:
                    found.append(getattr(documents, name)(*arguments))
                except StoreError as error:
                    found.append(str(error))
            assert found[0] == found[1]
            for reader in databases:
                documents = reader.documents("task")
                assert (documents.find(), len(documents)) == (memory.find(), len(memory))
                assert documents.find({"n": 1}, newest_first=True) == memory.find({"n": 1}, newest_first=True)


# ---------------------------------------------------------------------------------------------- bytes


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A journal with a snapshot of two documents, and eight that came later; document n lies in line n."""
    path = tmp_path_factory.mktemp("journal") / "documents.jsonl"
    database = JournalDB(path, "documents", durability="none")
    table = database.table("task")
    for number in range(1, 3):
        table.insert({"n": number, "text": 'line\nbreak, ü and "quotes"'})
    database.compact()
    for number in range(3, 11):
        table.insert({"n": number, "tags": ["a", {"b": None}], "crc": "of the document"})
    database.close()
    return path, path.read_bytes()


def reopened(path: Path, data: bytes) -> tuple[list[int], list[Problem]]:
    """Open a file with that content, and again, and return what it holds and what was reported."""
    shutil.rmtree(path.parent / ".quarantine", ignore_errors=True)
    path.write_bytes(data)
    problems: list[Problem] = []
    found = []
    for _ in range(2):
        database = JournalDB(path, "documents", durability="none", report=problems.append)
        found.append([row["n"] for row in database.table("task")])
        before = len(problems)
        database.close()
    assert found[0] == found[1]
    assert len(problems) == before
    assert lines.read(path.read_bytes()).damaged == []
    return found[0], problems


def owner(data: bytes, at: int) -> int:
    """Return the line a byte belongs to: 0 is the header."""
    return data.count(b"\n", 0, at)


def quarantined(path: Path) -> bytes:
    files = (path.parent / ".quarantine").glob("*")
    return b"\n".join(file.read_bytes() for file in sorted(files, key=lambda file: int(file.name.split("-")[-2])))


def test_every_cut_in_the_last_line_loses_that_line_alone(journal: tuple[Path, bytes]) -> None:
    path, data = journal
    last = data.rindex(b"\n", 0, -1) + 1
    for cut in range(last, len(data) + 1):
        found, problems = reopened(path, data[:cut])
        is_whole = cut >= len(data) - 1
        assert found == list(range(1, 11 if is_whole else 10))
        assert [problem.code for problem in problems] == ["torn"] * (last < cut < len(data) - 1)
        assert quarantined(path) == b""
        database = JournalDB(path, "documents", durability="none")
        database.table("task").insert({"n": 11})
        assert reopened(path, path.read_bytes()) == ([*found, 11], [])


def test_changed_byte_loses_its_own_record_at_most(journal: tuple[Path, bytes]) -> None:
    path, data = journal
    others = (lambda byte: byte ^ 1, lambda byte: 10 if byte != 10 else 44, lambda byte: 0)
    ends = [at for at, byte in enumerate(data) if byte == 10]
    for at in sorted(
        {*range(0, len(data), STRIDE), *ends, *(end - 1 for end in ends), *(end + 1 for end in ends[:-1])}
    ):
        _check_changed_byte(path, data, at, others[at % 3](data[at]))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_changed_byte_loses_its_own_record_at_most(journal: tuple[Path, bytes], draw: st.DataObject) -> None:
    path, data = journal
    at = draw.draw(st.integers(0, len(data) - 1))
    other = draw.draw(st.integers(0, 255).filter(lambda byte: byte != data[at]))
    _check_changed_byte(path, data, at, other)


def _check_changed_byte(path: Path, data: bytes, at: int, other: int) -> None:
    found, problems = reopened(path, data[:at] + bytes([other]) + data[at + 1 :])
    line, is_newline = owner(data, at), data[at] == 10
    expected = [number for number in range(1, 11) if is_newline or number != line]
    assert found == expected, (at, other)
    is_last = at == len(data) - 1
    assert [problem.code for problem in problems] == (["torn"] if is_last else ["damaged"]), (at, other)
    if not is_last:
        damaged = data[at:].partition(b"\n")[0][1:]
        assert damaged[:20] in quarantined(path)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 10_000), st.integers(0, 400), st.binary(max_size=60) | st.sampled_from((b"\n", b"\0" * 100, b"\n\n"))
)
def test_any_hole_loses_nothing_that_lies_outside(
    journal: tuple[Path, bytes], start: int, size: int, junk: bytes
) -> None:
    """Bytes are cut out, and others put in their place; what begins right behind them may have lost its beginning."""
    path, data = journal
    start = start % len(data)
    end = min(start + size, len(data))
    found, _ = reopened(path, data[:start] + junk + data[end:])
    hit = {owner(data, start), owner(data, max(end - 1, start)), owner(data, min(end, len(data) - 1))}
    safe = [n for n in range(1, 11) if n < min(hit) or n > max(hit)]
    assert [n for n in found if n in safe] == safe
    assert set(found) <= set(range(1, 11))


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_can_be_opened_and_none_is_lost(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "documents.jsonl"
        path.write_bytes(data)
        problems: list[Problem] = []
        database = JournalDB(path, "documents", durability="none", report=problems.append)
        assert database.tables() == set()
        assert [problem.code for problem in problems] == ["damaged"] * bool(data)
        assert quarantined(path).replace(b"\n", b"") == data.replace(b"\n", b"")
        database.insert({"n": 1})
        assert JournalDB(path, "documents").all() == [{"n": 1}]


json_rows = st.dictionaries(
    st.text(max_size=4) | st.just("crc"),
    st.recursive(
        values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(json_rows, max_size=5), st.binary(max_size=20).filter(lambda junk: b"\n" not in junk))
def test_what_is_encoded_is_decoded(rows: list[Row], junk: bytes) -> None:
    encoded = [lines.encode(row) for row in rows]
    assert [lines.decode(line) for line in encoded] == rows
    assert [row for _, row in lines.read(b"".join(encoded)).rows] == rows
    glued = lines.read(b"".join(line + junk + b"\n" for line in encoded))
    assert len(glued.rows) == len(rows)
    assert [row for _, row in glued.rows] == rows
    assert [data for _, data in glued.damaged] == [junk] * len(rows) * bool(junk)


# ---------------------------------------------------------------------------------------------- kill -9


def test_killed_writers_lose_nothing_they_were_told_is_kept(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.kill_journal", str(tmp_path), str(KILLS)]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60 + 3 * KILLS, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    report = json.loads(process.stdout.splitlines()[-1])
    assert report["kills"] >= KILLS
    assert report["acknowledged"] > KILLS
    assert report["compactions"] > 0
    assert report["lost"] == report["unreadable"] == 0
