"""Every JSON value comes back as it was given, in a document, an event, a turn's row or its body."""
# ruff: noqa: D102, S101 - a test's name says which promise is broken

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.stores.store import Documents, Row, Store, TurnQuery
from lango_nb.testing.stores.checks import ids, is_refused, letters
from lango_nb.testing.stores.contract import StoreUnderTest, needs
from lango_nb.testing.stores.samples import begun, document, ended, event, task

if TYPE_CHECKING:
    from pydantic import JsonValue


class ValuesContract(StoreUnderTest):
    """What a store keeps, to the letter."""

    def keeps(self, place: Path, value: JsonValue) -> None:
        """Make sure that a value is kept everywhere, and is still there in a store that is opened again."""
        store = self.open(place)
        kept, first, last = task(value=value), event(seq=1, value=value), event(seq=2, value=value)
        row, body = ended(begun(value=value), value=value), document("", messages=[value], runs=[{"value": value}])
        store.documents("task").put(kept)
        store.log.begin(begun(value=value), [first])
        store.log.finish("turn-1", [last], row, body)
        for opened in self.now_and_later(place, store):
            self.holds(opened, value, kept, [first, last], body)

    def holds(self, store: Store, value: JsonValue, kept: Row, events: list[Row], body: Row) -> None:
        """Make sure that a value stands everywhere."""
        assert letters(store.documents("task").get("task-1")) == letters(kept)
        assert letters(store.documents("task").find()) == letters([kept])
        turn = store.log.read("turn-1")
        assert turn is not None
        assert letters(turn.row["value"]) == letters(value)
        assert letters(turn.events) == letters(events)
        assert letters(turn.body) == letters(body)
        assert letters([found["value"] for found in store.log.rows()]) == letters([value])
        assert letters([found for _, found in store.log.events()]) == letters([events])

    def test_texts(self, tmp_path: Path) -> None:
        self.keeps(tmp_path, ["Water the plants", "x" * 3000, "null", "1", "true", "{}", '"', "'", "\\", "%s", "$x"])

    def test_nothing_empty_gets_lost(self, tmp_path: Path) -> None:
        self.keeps(tmp_path, {"text": "", "list": [], "dict": {}, "none": None, "zero": 0, "no": False, "": {"": ""}})

    def test_numbers_and_truth_keep_their_type(self, tmp_path: Path) -> None:
        self.keeps(tmp_path, [1, 1.0, True, 0, 0.0, -0.0, False, None, "1"])

    def test_floats_are_exact(self, tmp_path: Path) -> None:
        self.keeps(tmp_path, [0.1, 0.1 + 0.2, 1e300, 5e-324, 1.7976931348623157e308, 123456789.123456789, -1e-7])

    def test_integers_of_any_size(self, tmp_path: Path) -> None:
        self.keeps(tmp_path, [2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 + 1, 10**24, -(10**40)])

    def test_nested_values(self, tmp_path: Path) -> None:
        self.keeps(tmp_path, {"a": [{"b": [[], [[1]], {"c": {"d": None}}]}], "e": [[1, 2], [3, [4, [5]]]]})

    def test_values_nested_a_hundred_deep(self, tmp_path: Path) -> None:
        value: JsonValue = "inside"
        for _ in range(50):
            value = [{"in": value}]
        self.keeps(tmp_path, value)

    def test_unicode_is_neither_lost_nor_normalised(self, tmp_path: Path) -> None:
        texts = [
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
        ]
        self.keeps(tmp_path, [*texts, {text: text for text in texts}])

    def test_line_ends_and_control_characters(self, tmp_path: Path) -> None:
        everything = "".join(map(chr, range(1, 32))) + "\x7f\x80\x85\u2028\u2029"
        self.keeps(tmp_path, ["a\nb", "a\r\nb", "\n", "\r", "\t", everything, {everything: everything}])

    def test_zero_characters(self, tmp_path: Path) -> None:
        self.keeps(tmp_path, ["\x00", "a\x00b", "\\u0000", {"\x00": "\x00\x00"}])

    def test_halves_of_characters(self, tmp_path: Path) -> None:
        self.keeps(tmp_path, ["\udcff.txt", "\ud83d", "a\udc80\ud800b", {"\udcff": "\udcff"}])

    def test_words_that_a_store_may_use_itself(self, tmp_path: Path) -> None:
        words = "crc schema kind _id doc_id rowid op key value data row body events type version generation put remove"
        self.keeps(tmp_path, {word: word for word in words.split()})

    def test_fields_of_rows_that_a_store_may_use_itself(self, tmp_path: Path) -> None:
        words = "crc schema op table doc_id _id rowid key value data row body events generation place writer is_open"
        more: dict[str, Any] = dict.fromkeys(words.split(), "mine")
        kept, row, first = {**task(), **more}, {**begun(), **more}, {**event(), **more}
        store = self.open(tmp_path)
        store.documents("task").put(kept)
        store.log.begin(row, [first])
        store.log.finish("turn-1", [], ended(row), more)
        for opened in self.now_and_later(tmp_path, store):
            assert opened.documents("task").get("task-1") == kept
            turn = opened.log.read("turn-1")
            assert turn is not None
            assert turn.row == {**ended(row), "number": 1}
            assert turn.events == [first]
            assert turn.body == more

    def test_a_megabyte(self, tmp_path: Path) -> None:
        self.keeps(tmp_path, {"text": "0123456789abcdé\n" * 65_536, "list": list(range(1000))})

    def test_ids_may_hold_anything_readable(self, tmp_path: Path) -> None:
        keys = [
            "a",
            "A",
            "a ",
            " a",
            "a/b",
            "../a",
            "..",
            ".",
            "a\\b",
            "%",
            "'",
            '"',
            "ä",
            "a\u0308",
            "a\nb",
            "k" * 1000,
            "1",
        ]
        store = self.open(tmp_path)
        store.documents("task").put(*(document(key, n=place) for place, key in enumerate(keys)))
        for key in keys:
            store.log.begin(begun(key), [event(key)])
        for opened in self.now_and_later(tmp_path, store):
            tasks = opened.documents("task")
            assert ids(tasks.find()) == keys
            assert [tasks.get(key) for key in keys] == [document(key, n=place) for place, key in enumerate(keys)]
            assert ids(opened.log.rows()) == keys
            assert ids(opened.log.rows(TurnQuery(ids=keys[::-1]))) == keys
            turns = [opened.log.read(key) for key in keys]
            assert [turn.events for turn in turns if turn] == [[event(key)] for key in keys]

    def test_requests_and_answers_may_hold_anything(self, tmp_path: Path) -> None:
        texts = ("", "\n", "a\x00b", "\udcff.txt", "😀", "'; drop table turns; --", "%", "x" * 100_000)
        store = self.open(tmp_path)
        for place, text in enumerate(texts):
            key = f"turn-{place}"
            row = begun(key, "main" if place else "of nothing", text)
            store.log.begin(row)
            store.log.finish(key, [event(key, text=text)], ended(row, answer=text), {})
        for opened in self.now_and_later(tmp_path, store):
            assert letters([[row["text"], row["answer"]] for row in opened.log.rows()]) == letters(
                [[t, t] for t in texts]
            )
            assert ids(opened.log.rows(TurnQuery(text="\x00"))) == ["turn-2"]
            assert ids(opened.log.rows(TurnQuery(text="\udcff"))) == ["turn-3"]
            assert ids(opened.log.rows(TurnQuery(text="Drop Table"))) == ["turn-5"]

    def test_what_is_no_json_is_refused_or_kept_and_spoils_nothing(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        tasks = store.documents("task")
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

    def test_a_number_that_is_none_is_refused_kept_or_none(self, tmp_path: Path) -> None:
        tasks = self.open(tmp_path).documents("task")
        for number in (float("nan"), float("inf"), float("-inf")):
            if not is_refused(partial(tasks.put, task("a", value=number))):
                found = tasks.get("a")
                assert found is not None
                assert found["value"] is None or letters(found["value"]) == letters(number)

    @needs("is_durable")
    def test_an_event_that_is_no_json_leaves_the_turn_open(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        store.log.begin(begun(), [event(seq=1)])
        bad: Any = object()
        assert is_refused(lambda: store.log.write("turn-1", [event(seq=2), event(seq=3, value=bad)]))
        assert is_refused(lambda: store.log.finish("turn-1", [event(seq=2, value=bad)], ended(begun()), {}))
        assert is_refused(lambda: store.log.finish("turn-1", [event(seq=2)], ended(begun(), value=bad), {}))
        assert is_refused(lambda: store.log.finish("turn-1", [event(seq=2)], ended(begun()), {"messages": [bad]}))
        store.log.finish("turn-1", [event(seq=2)], ended(begun()), {})
        turn = self.reopen(tmp_path).log.read("turn-1")
        assert turn is not None
        assert turn.events == [event(seq=1), event(seq=2)]
        assert turn.row["outcome"] == "success"

    @needs("is_durable")
    def test_a_turn_that_is_no_json_does_not_begin(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        bad: Any = object()
        assert is_refused(lambda: store.log.begin(begun("turn-1", value=bad), [event(seq=1)]))
        assert is_refused(lambda: store.log.begin(begun("turn-1"), [event(seq=1), event(seq=2, value=bad)]))
        assert store.log.read("turn-1") is None
        assert store.log.rows() == []
        store.log.begin(begun("turn-1"), [event(seq=1)])
        turn = self.reopen(tmp_path).log.read("turn-1")
        assert turn is not None
        assert turn.events == [event(seq=1)]


def _ways_to_store(tasks: Documents, value: Any) -> tuple[Callable[[], object], ...]:
    return (
        lambda: tasks.put(task("b"), task("a", value=value)),
        lambda: tasks.add(task("b", value=value)),
        lambda: tasks.change("a", lambda row: {**row, "value": value}),
    )
