"""Every JSON value comes back as it was given, in a document, an event, a turn's row or its body."""
# ruff: noqa: D102, S101 - a test's name says which promise is broken

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.stores.store import Documents, TurnQuery
from lango_nb.testing.stores.checks import ids, is_refused, letters, whole
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import begun, document, ended, event, events, play, task

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

CONTROL = "".join(map(chr, range(1, 32))) + "\x7f\x80\x85\u2028\u2029"
UNICODE = (
    "Grüße",
    "漢字",
    "😀👩‍👩‍👧",
    "e\u0301",
    "\u00e9",
    "\u202eright\u202c",
    "\u200b",
    "\ufeff",
    "\uffff",
    "\U0010ffff",
)
WORDS = (
    "crc schema kind _id doc_id rowid op key value data row body events type version generation put remove table place "
    "writer is_open"
)
"""Words that a store may use itself."""


def _deep(value: JsonValue, levels: int) -> JsonValue:
    return [{"in": _deep(value, levels - 1)}] if levels else value


VALUES: dict[str, JsonValue] = {
    "texts": ["Water the plants", "x" * 3000, "null", "1", "true", "{}", '"', "'", "\\", "%s", "$x"],
    "nothing": {"text": "", "list": [], "dict": {}, "none": None, "zero": 0, "no": False, "": {"": ""}},
    "types": [1, 1.0, True, 0, 0.0, -0.0, False, None, "1"],
    "floats": [0.1, 0.1 + 0.2, 1e300, 5e-324, 1.7976931348623157e308, 123456789.123456789, -1e-7],
    "integers": [2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 + 1, 10**24, -(10**40)],
    "nested": {"a": [{"b": [[], [[1]], {"c": {"d": None}}]}], "e": [[1, 2], [3, [4, [5]]]]},
    "deep": _deep("inside", 50),
    "unicode": [*UNICODE, dict(zip(UNICODE, UNICODE, strict=True))],
    "control": ["a\nb", "a\r\nb", "\n", "\r", "\t", CONTROL, {CONTROL: CONTROL}],
    "zero characters": ["\x00", "a\x00b", "\\u0000", {"\x00": "\x00\x00"}],
    "halves of characters": ["\udcff.txt", "\ud83d", "a\udc80\ud800b", {"\udcff": "\udcff"}],
    "words of the store": {word: word for word in WORDS.split()},
    "a megabyte": {"text": "0123456789abcdé\n" * 65_536, "list": list(range(1000))},
}
KEYS = (
    "main", "Main", "MAIN", "a/b", "../a", "..", ".", "a\\b", "/etc/passwd", "con", "a b", " a", "a ", "a.b", "a.jsonl",
    "ä", "a\u0308", "漢字", "😀", "a\nb", "%", "'", '"', "*", "index", "documents", "s" * 1000, "ß" * 200, "~", "$HOME",
    "a%2Fb", "-rf", "NUL", "turns", "writers", "x.lock", "1",
)  # fmt: skip
"""Ids and names of sessions somebody may think of, alike on purpose."""


class ValuesContract(StoreUnderTest):
    """What a store keeps, to the letter."""

    def test_every_value_is_kept_everywhere_to_the_letter(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        for key, value in VALUES.items():
            store.documents("task").put(task(key, value=value))
            store.log.begin(begun(key, value=value), [event(key, 1, value=value)])
            body = document("", messages=[value], runs=[{"value": value}])
            store.log.finish(key, [event(key, 2, value=value)], ended(begun(key, value=value), value=value), body)
        for opened in self.now_and_later(tmp_path, store):
            rows, written = opened.log.rows(), dict(zip(VALUES, opened.log.events(), strict=True))
            assert letters([row["value"] for row in rows]) == letters([*VALUES.values()])
            assert letters(opened.documents("task").find()) == letters([task(key, value=VALUES[key]) for key in VALUES])
            for key, value in VALUES.items():
                turn = whole(opened.log, key)
                assert letters(opened.documents("task").get(key)) == letters(task(key, value=value)), key
                assert letters(turn.row["value"]) == letters(value), key
                assert letters(turn.events) == letters([event(key, seq, value=value) for seq in (1, 2)]), key
                assert letters(turn.body) == letters(document("", messages=[value], runs=[{"value": value}])), key
                assert letters(written[key][1]) == letters(turn.events), key

    def test_rows_may_have_fields_that_a_store_may_use_itself(self, tmp_path: Path) -> None:
        more: dict[str, Any] = dict.fromkeys(set(WORDS.split()) - {"kind", "type"}, "mine")
        kept, row, first = {**task(), **more}, {**begun(), **more}, {**event(), **more}
        store = self.open(tmp_path)
        store.documents("task").put(kept)
        store.log.begin(row, [first])
        store.log.finish("turn-1", [], ended(row), more)
        for opened in self.now_and_later(tmp_path, store):
            assert opened.documents("task").get("task-1") == kept
            assert whole(opened.log)[:3] == ({**ended(row), "number": 1}, [first], more)

    def test_ids_and_sessions_may_have_any_name_and_do_not_mix(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.documents("task").put(*(document(key, n=place) for place, key in enumerate(KEYS)))
        for key in KEYS:
            play(store.log, key, key, text=f"wish {key}")
        for opened in self.now_and_later(tmp_path, store):
            tasks = opened.documents("task")
            assert [tasks.get(key) for key in KEYS] == tasks.find() == [document(k, n=n) for n, k in enumerate(KEYS)]
            assert ids(opened.log.rows()) == ids(opened.log.sessions()) == [*KEYS]
            assert ids(opened.log.rows(TurnQuery(ids=KEYS[::-1]))) == [*KEYS]
            assert [row["title"] for row in opened.log.sessions()] == [f"wish {key}" for key in KEYS]
            for key in KEYS:
                assert [(row["id"], found) for row, found in opened.log.events(TurnQuery(session=key))] == [
                    (key, events(key, 1, 4))
                ]
                assert whole(opened.log, key).events == events(key, 1, 4)

    def test_nothing_is_written_outside_of_the_place(self, tmp_path: Path) -> None:
        beside, inside = tmp_path / "beside", tmp_path / "a" / "b" / "c"
        beside.mkdir()
        inside.mkdir(parents=True)
        store = self.open(inside)
        for place, session in enumerate(("../../beside/x", str(beside / "y"), "..", "../..", "../x")):
            play(store.log, f"turn-{place}", session)
        store.close()
        outside = [path for path in tmp_path.rglob("*") if inside not in (path, *path.parents)]
        assert sorted(outside) == [tmp_path / "a", tmp_path / "a" / "b", beside]

    def test_requests_and_answers_may_hold_anything(self, tmp_path: Path) -> None:
        texts = ("", "\n", "a\x00b", "\udcff.txt", "😀", "'; drop table turns; --", "%", "x" * 100_000)
        store = self.open(tmp_path)
        for place, text in enumerate(texts):
            row = begun(f"turn-{place}", "main", text)
            store.log.begin(row)
            store.log.finish(f"turn-{place}", [], ended(row, answer=text), {})
        for opened in self.now_and_later(tmp_path, store):
            found = [[row["text"], row["answer"]] for row in opened.log.rows()]
            assert letters(found) == letters([[text, text] for text in texts])
            assert opened.log.sessions()[0]["title"] == ""
            for text, place in (("\x00", 2), ("\udcff", 3), ("Drop Table", 5)):
                assert ids(opened.log.rows(TurnQuery(text=text))) == [f"turn-{place}"]

    def test_what_is_no_json_is_refused_or_kept_and_spoils_nothing(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")
        tasks.put(task("a"))
        foreign: tuple[Any, ...] = (object(), b"bytes", {1, 2}, {1: "a number for a name"}, 1j, print)
        for value in foreign:
            for work in _ways_to_store(tasks, value):
                if is_refused(work):
                    assert tasks.find() == [task("a")]
                else:
                    assert any(row.get("value") == value for row in tasks.find())
                    tasks.remove("b")
                    tasks.put(task("a"))
        for number in (float("nan"), float("inf"), float("-inf")):
            if not is_refused(partial(tasks.put, task("a", value=number))):
                assert letters([row["value"] for row in tasks.find()]) in (letters([None]), letters([number]))

    @needs("is_durable")
    def test_a_turn_of_what_is_no_json_neither_begins_nor_ends(self, tmp_path: Path) -> None:
        log = self.open(tmp_path).log
        bad: Any = object()
        assert is_refused(lambda: log.begin(begun(value=bad), [event(seq=1)]))
        assert is_refused(lambda: log.begin(begun(), [event(seq=1), event(seq=2, value=bad)]))
        assert log.read("turn-1") is None
        assert log.rows() == []
        log.begin(begun(), [event(seq=1)])
        assert is_refused(lambda: log.write("turn-1", [event(seq=2), event(seq=3, value=bad)]))
        assert is_refused(lambda: log.finish("turn-1", [event(seq=2, value=bad)], ended(begun()), {}))
        assert is_refused(lambda: log.finish("turn-1", [event(seq=2)], ended(begun(), value=bad), {}))
        assert is_refused(lambda: log.finish("turn-1", [event(seq=2)], ended(begun()), {"messages": [bad]}))
        log.finish("turn-1", [event(seq=2)], ended(begun()), {})
        turn = whole(self.reopen(tmp_path).log)
        assert turn.events == [event(seq=1), event(seq=2)]
        assert turn.row["outcome"] == "success"


def _ways_to_store(tasks: Documents, value: Any) -> tuple[Callable[[], object], ...]:
    return (
        lambda: tasks.put(task("b"), task("a", value=value)),
        lambda: tasks.add(task("b", value=value)),
        lambda: tasks.change("a", lambda row: {**row, "value": value}),
    )
