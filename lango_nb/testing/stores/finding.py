"""Documents are found by what their fields equal, oldest or newest first."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from pathlib import Path

from lango_nb.stores.store import Documents, Row
from lango_nb.testing.stores.checks import ids
from lango_nb.testing.stores.contract import StoreUnderTest
from lango_nb.testing.stores.samples import document


class FindingContract(StoreUnderTest):
    """What ``find`` promises."""

    def kept(self, place: Path, *rows: Row) -> Documents:
        """Open documents with these rows in them."""
        documents = self.open(place).documents("task")
        documents.put(*rows)
        return documents

    def five(self, place: Path) -> Documents:
        """Open documents with five rows in them, even and odd ones."""
        return self.kept(place, *(document(f"t{number}", odd=number % 2 == 1) for number in range(5)))

    def test_nothing_is_found_where_nothing_is(self, tmp_path: Path) -> None:
        tasks = self.kept(tmp_path)
        assert tasks.find() == []
        assert tasks.find({"id": "a"}, newest_first=True, limit=3) == []
        assert len(tasks) == 0

    def test_without_a_condition_everything_is_found_as_it_first_came(self, tmp_path: Path) -> None:
        tasks = self.kept(tmp_path, {"id": "b"}, {"id": "a"}, {"id": "10"}, {"id": "9"})
        assert ids(tasks.find()) == ["b", "a", "10", "9"]
        assert ids(tasks.find({})) == ["b", "a", "10", "9"]

    def test_a_field_equals_the_value(self, tmp_path: Path) -> None:
        tasks = self.kept(
            tmp_path, {"id": "a", "status": "done"}, {"id": "b", "status": "open"}, {"id": "c", "x": "done"}
        )
        assert ids(tasks.find({"status": "done"})) == ["a"]
        assert ids(tasks.find({"status": "nothing"})) == []
        assert ids(tasks.find({"nothing": "done"})) == []

    def test_all_fields_equal_their_values(self, tmp_path: Path) -> None:
        tasks = self.kept(
            tmp_path, {"id": "a", "x": 1, "y": 1}, {"id": "b", "x": 1, "y": 2}, {"id": "c", "x": 2, "y": 2}, {"id": "d"}
        )
        assert ids(tasks.find({"x": 1, "y": 2})) == ["b"]
        assert ids(tasks.find({"x": 1})) == ["a", "b"]
        assert ids(tasks.find({"x": 1, "y": 2, "z": None})) == ["b"]

    def test_the_id_is_a_field_too(self, tmp_path: Path) -> None:
        tasks = self.five(tmp_path)
        assert ids(tasks.find({"id": "t3"})) == ["t3"]
        assert ids(tasks.find({"id": "t3", "odd": False})) == []

    def test_a_missing_field_equals_none(self, tmp_path: Path) -> None:
        tasks = self.kept(tmp_path, {"id": "a"}, {"id": "b", "agent": None}, {"id": "c", "agent": "vault"})
        assert ids(tasks.find({"agent": None})) == ["a", "b"]
        assert ids(tasks.find({"agent": "vault"})) == ["c"]
        assert ids(tasks.find({"agent": None, "id": "b"})) == ["b"]

    def test_what_is_empty_zero_or_false_is_there(self, tmp_path: Path) -> None:
        values: list[Row] = [{"x": ""}, {"x": 0}, {"x": []}, {"x": {}}, {"x": None}, {}]
        tasks = self.kept(tmp_path, *({"id": f"t{number}", **value} for number, value in enumerate(values)))
        assert ids(tasks.find({"x": ""})) == ["t0"]
        assert ids(tasks.find({"x": 0})) == ["t1"]
        assert ids(tasks.find({"x": []})) == ["t2"]
        assert ids(tasks.find({"x": {}})) == ["t3"]
        assert ids(tasks.find({"x": None})) == ["t4", "t5"]

    def test_a_false_field_is_not_a_missing_one(self, tmp_path: Path) -> None:
        tasks = self.kept(
            tmp_path, {"id": "a", "x": False}, {"id": "b"}, {"id": "c", "x": True}, {"id": "d", "x": "false"}
        )
        assert ids(tasks.find({"x": False})) == ["a"]
        assert ids(tasks.find({"x": True})) == ["c"]

    def test_a_number_is_not_its_text(self, tmp_path: Path) -> None:
        tasks = self.kept(
            tmp_path, {"id": "a", "x": 1}, {"id": "b", "x": "1"}, {"id": "c", "x": "null"}, {"id": "d", "x": 1.5}
        )
        assert ids(tasks.find({"x": 1})) == ["a"]
        assert ids(tasks.find({"x": "1"})) == ["b"]
        assert ids(tasks.find({"x": "null"})) == ["c"]
        assert ids(tasks.find({"x": 1.5})) == ["d"]
        assert ids(tasks.find({"x": "1.5"})) == []
        assert ids(tasks.find({"x": None})) == []

    def test_large_numbers_are_told_apart(self, tmp_path: Path) -> None:
        numbers = (2**53, 2**53 + 1, 2**63 - 1, 2**63, 10**24, -(2**63))
        tasks = self.kept(tmp_path, *(document(f"t{place}", x=number) for place, number in enumerate(numbers)))
        for place, number in enumerate(numbers):
            assert ids(tasks.find({"x": number})) == [f"t{place}"]

    def test_nested_values_are_equal_as_a_whole(self, tmp_path: Path) -> None:
        tasks = self.kept(
            tmp_path,
            {"id": "a", "x": ["p", "q"]},
            {"id": "b", "x": ["q", "p"]},
            {"id": "c", "x": "p"},
            {"id": "d", "x": {"p": 1, "q": [1, {"r": None}]}},
        )
        assert ids(tasks.find({"x": ["p", "q"]})) == ["a"]
        assert ids(tasks.find({"x": ["p"]})) == []
        assert ids(tasks.find({"x": "p"})) == ["c"]
        assert ids(tasks.find({"x": {"q": [1, {"r": None}], "p": 1}})) == ["d"], "in whatever order fields are"
        assert ids(tasks.find({"x": {"p": 1}})) == []
        assert ids(tasks.find({"x": '["p", "q"]'})) == []
        assert ids(tasks.find({"x": '["p","q"]'})) == []

    def test_only_top_level_fields_are_looked_at(self, tmp_path: Path) -> None:
        tasks = self.kept(tmp_path, {"id": "a", "x": {"y": 1}}, {"id": "b", "x.y": 1}, {"id": "c", "y": 1})
        assert ids(tasks.find({"y": 1})) == ["c"]
        assert ids(tasks.find({"x.y": 1})) == ["b"]

    def test_field_names_may_hold_anything(self, tmp_path: Path) -> None:
        names = ("a.b", 'a"b', "a'b", "$", "$.x", "", "a b", "[0]", "x' OR '1'='1", "ä", "%s", ":x", "a\\b", "*", "\n")
        tasks = self.kept(tmp_path, *(document(f"t{place}", **{name: "here"}) for place, name in enumerate(names)))
        for place, name in enumerate(names):
            assert ids(tasks.find({name: "here"})) == [f"t{place}"], name
            assert f"t{place}" not in ids(tasks.find({name: None})), name

    def test_values_are_compared_to_the_letter(self, tmp_path: Path) -> None:
        texts = ("a", "A", "a ", " a", "%", "_", "a%", "'", "\\", "e\u0301", "\u00e9", "ß", "ss", "' OR 1=1 --", "")
        tasks = self.kept(tmp_path, *(document(f"t{place}", x=text) for place, text in enumerate(texts)))
        for place, text in enumerate(texts):
            assert ids(tasks.find({"x": text})) == [f"t{place}"], text

    def test_newest_first(self, tmp_path: Path) -> None:
        tasks = self.five(tmp_path)
        tasks.put({"id": "t1", "odd": True, "again": 1})
        assert ids(tasks.find(newest_first=True)) == ["t4", "t3", "t2", "t1", "t0"]
        assert ids(tasks.find({"odd": False}, newest_first=True)) == ["t4", "t2", "t0"]

    def test_a_limit_counts_what_is_found(self, tmp_path: Path) -> None:
        tasks = self.five(tmp_path)
        assert ids(tasks.find(limit=2)) == ["t0", "t1"]
        assert ids(tasks.find({"odd": False}, limit=2)) == ["t0", "t2"]
        assert ids(tasks.find({"odd": True}, limit=1, newest_first=True)) == ["t3"]

    def test_a_limit_of_none_or_of_many_is_no_limit(self, tmp_path: Path) -> None:
        tasks = self.five(tmp_path)
        assert len(tasks.find(limit=None)) == 5
        assert len(tasks.find(limit=5)) == 5
        assert len(tasks.find(limit=10**9)) == 5

    def test_a_limit_of_zero_finds_nothing(self, tmp_path: Path) -> None:
        tasks = self.five(tmp_path)
        assert tasks.find(limit=0) == []
        assert tasks.find({"odd": True}, limit=0, newest_first=True) == []
        assert tasks.find(limit=-1) == []

    def test_what_was_changed_is_found_by_its_new_value_only(self, tmp_path: Path) -> None:
        tasks = self.five(tmp_path)
        tasks.change("t1", lambda row: {**row, "odd": False})
        tasks.put({"id": "t0", "odd": None})
        assert ids(tasks.find({"odd": True})) == ["t3"]
        assert ids(tasks.find({"odd": False})) == ["t1", "t2", "t4"]
        assert ids(tasks.find({"odd": None})) == ["t0"]
