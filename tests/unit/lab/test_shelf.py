"""The shelf is a TinyDB over one readable file: its text, its ids, its secrets, and what a damaged one says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tinydb import Query, TinyDB, where
from tinydb.table import Document

from lango_nb.core.errors import LangoError, RefusedError, StoreError, UsageError
from lango_nb.lab.shelf import Shelf, open_shelf

KEY = "sk-abcdefghijklmnop1234"


@pytest.fixture(params=["file", "memory"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    return open_shelf(tmp_path / "shelf.json" if request.param == "file" else None)


def test_it_is_a_tinydb_and_a_kind_is_a_table(shelf: Shelf) -> None:
    notes = shelf.table("notes")
    assert isinstance(shelf, TinyDB)
    assert notes.insert_multiple([{"text": "one", "agent": "vault"}, {"text": "two"}]) == [1, 2]
    assert notes.update({"text": "zwei"}, doc_ids=[2]) == [2]
    assert notes.get(where("text") == "zwei") == {"text": "zwei"}
    assert notes.upsert({"text": "one", "agent": "planner"}, where("text") == "one") == [1]
    assert notes.remove(where("agent") == "planner") == [1]
    assert shelf.tables() == {"notes"}
    assert [document.doc_id for document in notes] == [2]


def test_all_kinds_are_searched_and_changed_at_once(shelf: Shelf) -> None:
    assert shelf.insert({"kind": "notes", "text": "one", "agent": "vault"}) == "notes/1"
    assert shelf.insert_multiple([{"kind": "tags", "agent": "vault"}, {"kind": "notes"}]) == ["tags/1", "notes/2"]
    assert [item.doc_id for item in shelf.search(where("agent") == "vault")] == ["notes/1", "tags/1"]
    assert shelf.count(where("kind") == "notes") == 2
    assert shelf.get(doc_id="tags/1") == {"kind": "tags", "agent": "vault"}
    assert shelf.table("notes").all() == [{"text": "one", "agent": "vault"}, {}], "the kind is the table's name"
    assert shelf.update({"agent": "operator"}, where("agent") == "vault") == ["notes/1", "tags/1"]
    assert shelf.remove(doc_ids=["tags/1"]) == ["tags/1"]
    assert len(shelf) == 2
    assert shelf.contains(Query().agent == "operator")


def test_what_was_removed_can_be_put_back_with_its_id(shelf: Shelf) -> None:
    shelf.insert_multiple([{"kind": "notes", "text": "one"}, {"kind": "notes", "text": "two"}])
    taken = shelf.get(doc_id="notes/1")
    shelf.remove(doc_ids=["notes/1"])
    assert isinstance(taken, Document)
    assert shelf.insert(taken) == "notes/1"
    with pytest.raises(UsageError, match=r"'notes/1' is taken"):
        shelf.insert(taken)


@pytest.mark.parametrize("item", [{"text": "no kind"}, "text", {"kind": 3}])
def test_an_item_says_its_kind_and_keeps_it(shelf: Shelf, item: Any) -> None:
    with pytest.raises(UsageError, match="says its kind"):
        shelf.insert(item)
    shelf.insert({"kind": "notes", "text": "one"})
    with pytest.raises(UsageError, match="notes/1 stays what it is"):
        shelf.update({"kind": "tags"})
    assert shelf.all() == [{"kind": "notes", "text": "one"}]


def test_nothing_that_was_handed_out_is_shared_with_what_is_kept(shelf: Shelf) -> None:
    words = ["one"]
    shelf.insert({"kind": "notes", "words": words})
    words.append("two")
    shelf.search(where("kind") == "notes")[0]["words"].append("three")
    assert shelf.all() == [{"kind": "notes", "words": ["one"]}]


def test_a_search_sees_what_another_shelf_on_the_file_wrote(tmp_path: Path) -> None:
    first, second = open_shelf(tmp_path / "s.json"), open_shelf(tmp_path / "s.json")
    same = where("agent") == "vault"
    assert first.search(same) == first.table("notes").search(same) == []
    second.insert({"kind": "notes", "agent": "vault"})
    assert len(first.search(same)) == len(first.table("notes").search(same)) == 1
    assert first.table("notes").insert({}) == 2
    assert second.table("notes").insert({}) == 3, "numbers go on from what others wrote"


def test_a_change_inside_a_change_is_refused_since_it_would_be_lost(shelf: Shelf) -> None:
    shelf.insert({"kind": "notes"})

    def meddle(_document: Any) -> None:
        shelf.insert({"kind": "notes"})

    with pytest.raises(UsageError, match="from inside a change"):
        shelf.update(meddle)
    with pytest.raises(UsageError, match="from inside a change"):
        shelf.table("notes").update(meddle)
    assert len(shelf) == 1
    shelf.insert({"kind": "notes"})


def test_threads_lose_nothing_of_each_other(shelf: Shelf) -> None:
    def work(name: str) -> None:
        for number in range(20):
            shelf.table("notes").insert({"by": name, "number": number})

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((note["by"], note["number"]) for note in shelf) == [(name, n) for name in "abc" for n in range(20)]


# -- the file ----------------------------------------------------------------------------------------------------------


def test_the_file_is_text_for_people_and_for_git(tmp_path: Path) -> None:
    file = tmp_path / "shelf.json"
    shelf = open_shelf(file)
    shelf.table("notes").insert_multiple([{"turn": number, "text": f"grüße {number}"} for number in range(1, 13)])
    before = file.read_text(encoding="utf-8").splitlines()
    shelf.table("tags").insert({"name": "日本", "agent": "vault"})
    shelf.table("notes").update({"text": "anders"}, doc_ids=[2])
    after = file.read_text(encoding="utf-8")
    assert '"text": "grüße 12"' in after
    assert list(json.loads(after)["tables"]["notes"]) == [str(number) for number in range(1, 13)]
    gone = [line for line in before if line not in after.splitlines()]
    assert gone == ['        "text": "grüße 2",']
    assert len(after.splitlines()) == len(before) + 6


def test_the_order_in_which_things_are_written_does_not_show(tmp_path: Path) -> None:
    one, other = open_shelf(tmp_path / "one.json"), open_shelf(tmp_path / "other.json")
    one.table("a").insert({"x": 1, "y": {"b": 1, "a": 2}})
    one.table("b").insert({})
    other.table("b").insert({})
    other.table("a").insert({"y": {"a": 2, "b": 1}, "x": 1})
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes()


def test_a_change_that_changes_nothing_leaves_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "shelf.json"
    by_hand = '{"kind": "shelf", "schema": 1, "tables": {"notes": {"1": {"text": "mine"}}}}'
    file.write_text(by_hand, encoding="utf-8")
    shelf = open_shelf(file)
    shelf.remove(where("text") == "yours")
    assert file.read_text(encoding="utf-8") == by_hand


def test_true_is_another_value_than_one(shelf: Shelf) -> None:
    shelf.insert({"kind": "mine", "x": 1})
    shelf.update({"x": True})
    assert shelf.all()[0]["x"] is True


def test_looking_makes_no_file_and_a_folder_is_made_with_the_first_item(tmp_path: Path) -> None:
    shelf = open_shelf(tmp_path / "new" / "shelf.json")
    assert shelf.all() == []
    assert "0 items" in repr(shelf)
    assert list(tmp_path.iterdir()) == []
    shelf.insert({"kind": "notes"})
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [".shelf.json.lock", "shelf.json"]


def test_a_link_stays_a_link_and_the_mode_stays_what_it_was(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    open_shelf(real).insert({"kind": "notes"})
    real.chmod(0o600)
    link.symlink_to(real)
    open_shelf(link).insert({"kind": "notes"})
    assert link.is_symlink()
    assert len(open_shelf(real)) == 2
    assert real.stat().st_mode & 0o777 == 0o600


def test_a_file_that_may_only_be_read_is_read_and_not_replaced(folder_of_nobody: Path) -> None:
    file = folder_of_nobody / "shelf.json"
    open_shelf(file).insert({"kind": "notes"})
    file.chmod(0o400)
    shelf = open_shelf(file)
    with pytest.raises(StoreError, match=r"^shelf\.json cannot be written: Permission denied"):
        shelf.insert({"kind": "notes"})
    assert len(shelf) == 1
    assert sorted(path.name for path in folder_of_nobody.iterdir()) == [".shelf.json.lock", "shelf.json"]


def test_a_lock_that_another_process_holds_is_waited_for_and_then_named(tmp_path: Path) -> None:
    from lango_nb.lab.shelf.place import FilePlace

    code = (
        "import sys\nfrom filelock import FileLock\n"
        "with FileLock(sys.argv[1]):\n    print('held', flush=True)\n    sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / ".s.json.lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    shelf = Shelf(FilePlace(tmp_path / "s.json", timeout_s=0.05))
    with pytest.raises(StoreError, match=r"s\.json has been locked by another process for 0\.05 s") as caught:
        shelf.insert({"kind": "notes"})
    assert caught.value.code == "locked"
    holder.communicate()
    shelf.insert({"kind": "notes"})


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object(), b"bytes"])
def test_what_json_does_not_have_is_refused_and_changes_nothing(shelf: Shelf, value: Any) -> None:
    shelf.insert({"kind": "notes", "text": "one"})
    with pytest.raises(UsageError, match="notes/2 cannot go on the shelf"):
        shelf.insert({"kind": "notes", "value": value})
    assert len(shelf) == 1


# -- damage ------------------------------------------------------------------------------------------------------------

HEAD = '{"kind": "shelf", "schema": 1, "tables": {'
DAMAGED = {
    '{\n  "kind": "shelf",\n  "schema" 1\n}': "line 3, column 12: Expecting ':' delimiter",
    HEAD + '\n"notes": {"1": {"text": "cut o': "line 2, column 25: Unterminated string",
    '{"kind": "shelf",\n<<<<<<< HEAD\n"schema": 1}': "line 2, column 1: a merge was not finished here",
    HEAD + '"notes": {"7": {},\n  "7": {}}}}': "line 2, column 3: '7' stands here a second time",
    HEAD + '"notes": {"7": {"text": "a",\n "text": "b"}}}}': "line 2, column 2: 'text' stands here a second time",
    HEAD + '"notes": {"7": [{"a": 1,\n "a": 2}]}}}': "line 2, column 2: 'a' stands here a second time",
    HEAD + '"notes":\n []}}': "line 1, column 43: 'notes' is a kind: an object in braces",
    HEAD + '"notes": {"1": {},\n "x": {}}}}': "line 2, column 2: 'x' is not the number of an item",
    HEAD + '"notes": {"01": {}}}}': "line 1, column 53: '01' is not the number of an item",
    HEAD + '"notes": {"1": {},\n "2": "text"}}}': "line 2, column 2: an item is an object in braces",
    HEAD + '"notes": {"1": {"n":\n NaN}}}}': "line 2, column 2: NaN is not a number in JSON",
    '{"kind": "shelf", "schema": "1"}': "line 1, column 19: the schema is a whole number",
    '{"kind": "shelf",\n "schema": 1, "tables": []}': "line 2, column 15: tables are an object in braces",
    '{"name": "package"}': "is not a shelf",
    "[]": "is not a shelf",
    '{"kind": "shelf", "schema": 2}': "has schema 2, this version of lango_nb knows 1; update lango_nb",
    "[" * 100_000: "line 1, column 1: ",
}


@pytest.mark.parametrize(("text", "message"), DAMAGED.items(), ids=range(len(DAMAGED)))
def test_damage_is_one_line_with_its_place_and_is_never_overwritten(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "shelf.json"
    shelf = open_shelf(file)
    file.write_text(text, encoding="utf-8")
    deeds = [
        lambda: shelf.insert({"kind": "notes"}),
        lambda: shelf.table("notes").insert({}),
        lambda: shelf.table("notes").truncate(),
        lambda: shelf.drop_table("notes"),
        shelf.drop_tables,
        shelf.all,
        shelf.items,
        lambda: open_shelf(file),
    ]
    for deed in deeds:
        with pytest.raises(StoreError) as caught:
            deed()
        assert message in str(caught.value)
        assert str(caught.value).startswith("shelf.json")
        assert "\n" not in str(caught.value)
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'{"kind": "shelf",\n  "\xff": 1}', "line 2, column 4"),
        (b"\xff", "line 1, column 1"),
        (b"\n\xff", "line 2, column 1"),
        (b"\n\n {\xff", "line 3, column 3"),
    ],
)
def test_bytes_that_are_no_utf8_have_a_place_too(tmp_path: Path, data: bytes, place: str) -> None:
    file = tmp_path / "shelf.json"
    file.write_bytes(data)
    with pytest.raises(StoreError, match=f"{place}: not UTF-8"):
        open_shelf(file)


@pytest.mark.parametrize("text", ["", "\n", "\ufeff" + HEAD + "}}", HEAD.replace(" ", "\r\n") + "}}"])
def test_an_empty_file_and_what_editors_do_to_a_file_are_fine(tmp_path: Path, text: str) -> None:
    file = tmp_path / "shelf.json"
    file.write_bytes(text.encode())
    shelf = open_shelf(file)
    shelf.insert({"kind": "notes", "text": "one"})
    assert len(open_shelf(file)) == 1


# -- secrets -----------------------------------------------------------------------------------------------------------


def test_secrets_are_masked_whatever_wrote_them(tmp_path: Path) -> None:
    file = tmp_path / "shelf.json"
    shelf = open_shelf(file)
    shelf.table("notes").insert({"text": f"use {KEY}", "deep": [{"api_key": "hunter2"}]})
    shelf.upsert({"kind": "notes", "text": f"again {KEY}"}, where("text") == "nothing")
    shelf.table("mine").insert_multiple([{"x": KEY}])
    assert KEY not in file.read_text(encoding="utf-8")
    assert "hunter2" not in file.read_text(encoding="utf-8")
    assert shelf.table("notes").get(doc_id=1) == {"text": "use [masked]", "deep": [{"api_key": "[masked]"}]}


def test_what_a_person_wrote_by_hand_is_left_as_it_is_by_other_changes(tmp_path: Path) -> None:
    file = tmp_path / "shelf.json"
    file.write_text(HEAD + '"notes": {"1": {"text": "mail ada@example.org"}}}}', encoding="utf-8")
    open_shelf(file).insert({"kind": "notes"})
    assert "ada@example.org" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "lines", "line"),
    [
        ("tools", ["def f(x: str) -> str:", f"    return call('{KEY}')"], 2),
        ("tools", ["import os", "password = 'hunter2'"], 2),
        ("tools", ["x = login(user='ada', password='hunter2')"], 1),
        ("tools", ["x = {'api_key': 'abc123'}"], 1),
        ("tools", ["def f(token: str = 'abc123') -> str:", "    return token"], 1),
        ("tools", ["x = 1", f"# the key is {KEY}"], 2),
        ("tools", ["no python (", f"key {KEY}"], 2),
        ("agents", ["---", "description: x", "---", f"Use {KEY} for it."], 4),
    ],
)
def test_source_with_a_secret_is_refused_and_never_masked(kind: str, lines: list[str], line: int) -> None:
    shelf = open_shelf()
    with pytest.raises(RefusedError, match=f"^mine does not go on the shelf: line {line} of its source"):
        shelf.insert({"kind": kind, "name": "mine", "source": lines})
    assert len(shelf) == 0


def test_code_that_only_handles_secrets_is_kept_as_it_is() -> None:
    source = [
        "token = text.split()[0]",
        "api_key = os.environ['API_KEY']",
        "def f(password: str, secret: str = '') -> str:",
        "    return hash(password)",
    ]
    shelf = open_shelf()
    shelf.insert({"kind": "tools", "name": "mine", "source": source})
    assert shelf.all()[0]["source"] == source


# -- to look at --------------------------------------------------------------------------------------------------------


def test_it_shows_itself_and_has_a_frame(shelf: Shelf) -> None:
    assert "nothing here yet" in repr(shelf)
    shelf.insert({"kind": "notes", "text": "<b>asked</b> twice", "agent": "vault", "turn": 3, "turn_id": "turn-3"})
    shelf.insert({"kind": "agents", "name": "tailor", "source": ["---", "<script>"], "at": "2026-01-01T00:00:00+00:00"})
    bundle = shelf._repr_mimebundle_()
    assert bundle["text/plain"] == repr(shelf)
    assert "agents/1" in repr(shelf)
    assert "2026" not in repr(shelf), "a default view holds no time"
    assert "&lt;b&gt;asked" in bundle["text/html"]
    assert "<script>" not in bundle["text/html"]
    frame = shelf.df
    assert frame["item"].tolist() == ["agents/1", "notes/1"]
    assert frame["turn"].tolist()[1] == 3
    assert str(frame["at"][0]) == "2026-01-01 00:00:00+00:00"
    assert frame["more"][0] == '{"source":["---","<script>"]}'


def test_items_are_narrowed_by_kind_and_text(shelf: Shelf) -> None:
    shelf.insert_multiple([{"kind": "notes", "deep": {"x": ["Twice"]}}, {"kind": "tags", "name": "twice"}])
    assert [item.id for item in shelf.items(text="TWICE")] == ["notes/1", "tags/1"]
    assert [item.id for item in shelf.items("tags", "twice")] == ["tags/1"]
    assert "nothing on it fits" in shelf.view(text="thrice").text


@pytest.mark.parametrize("document", [{"text": 5, "turn": True, "at": "soon"}, {"at": 3, "agent": None}, {}])
def test_what_a_person_wrote_by_hand_is_shown_as_far_as_it_goes(shelf: Shelf, document: dict[str, Any]) -> None:
    shelf.table("notes").insert(document)
    assert "notes/1" in repr(shelf)
    assert len(shelf.df) == 1


# -- other processes ---------------------------------------------------------------------------------------------------

WRITER = """
import sys
from lango_nb.lab.shelf import open_shelf, where
path, name, many = sys.argv[1], sys.argv[2], int(sys.argv[3])
shelf = open_shelf(path)
print("ready", flush=True)
sys.stdin.readline()
shelf.put({"kind": "counts", "name": "all", "value": 0}, where("name") == "none")
def more(document):
    document["value"] += 1
for number in range(many):
    shelf.table("notes").insert({"by": name, "number": number, "pad": "p" * 500})
    shelf.table("counts").update(more, where("name") == "shared")
    print(number, flush=True)
"""


def _writer(path: Path, name: str, many: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(many)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )


def test_two_processes_lose_nothing_of_each_other(tmp_path: Path) -> None:
    file, many = tmp_path / "shelf.json", 25
    shelf = open_shelf(file)
    shelf.insert({"kind": "counts", "name": "shared", "value": 0})
    writers = [_writer(file, name, many) for name in "ab"]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=120)
        assert writer.returncode == 0
    assert sorted((note["by"], note["number"]) for note in shelf.table("notes")) == [
        (name, number) for name in "ab" for number in range(many)
    ]
    shared = shelf.table("counts").get(where("name") == "shared")
    assert isinstance(shared, Document)
    assert shared["value"] == 2 * many


def test_a_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    file = tmp_path / "shelf.json"
    said = -1
    for round_number in range(5):
        writer = _writer(file, str(round_number), 10_000)
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.stdin.write("go\n")
        writer.stdin.flush()
        for _ in range(round_number * 2 + 1):
            said = int(writer.stdout.readline())
        writer.kill()
        rest = writer.communicate()[0].split()
        said = int(rest[-1]) if rest else said
        shelf = open_shelf(file)
        numbers = [note["number"] for note in shelf.table("notes").search(where("by") == str(round_number))]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) >= said + 1, "what a writer was told is kept was lost"
        shelf.insert({"kind": "notes", "by": "me"})
    assert len(shelf.search(where("by") == "me")) == 5


def test_errors_are_ours(tmp_path: Path) -> None:
    with pytest.raises(LangoError, match="cannot be read"):
        open_shelf(tmp_path)


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_refused_and_nobody_waits_for_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "shelf.json"
    os.mkfifo(path) if kind == "pipe" else path.mkdir()
    with pytest.raises(StoreError, match=r"shelf\.json cannot be read: it is not a file; name another one"):
        open_shelf(path).table("notes").all()
