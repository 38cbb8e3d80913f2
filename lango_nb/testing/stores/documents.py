"""Documents: kept by id, replaced in place, changed by a function, removed, and found by what their fields equal."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.stores.store import Documents, Row
from lango_nb.testing.stores.checks import at_once, ids, is_refused, letters, refuses
from lango_nb.testing.stores.contract import StoreUnderTest
from lango_nb.testing.stores.samples import document, task

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

UNLIKE: tuple[JsonValue, ...] = (
    "", 0, 1, 1.5, -1, [], {}, "0", "1", "1.5", "null", "true", "false", "[]", "{}",
    2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 10**24,
    "a", "A", "a ", " a", "%", "_", "a%", "'", "\\", "e\u0301", "\u00e9", "ß", "ss", "' OR 1=1 --",
    ["p", "q"], ["q", "p"], ["p"], '["p", "q"]', '["p","q"]', {"p": 1}, {"p": 1, "q": [1, {"r": None}]},
)  # fmt: skip
"""Values that are easily taken for each other."""
FIELDS = ("a.b", 'a"b', "a'b", "$", "$.x", "", "a b", "[0]", "x' OR '1'='1", "ä", "%s", ":x", "a\\b", "*", "\n", "id ")
"""Names of fields, alike to what a query language makes of them."""


class DocumentsContract(StoreUnderTest):
    """What ``store.documents(kind)`` promises."""

    def tasks(self, place: Path, *names: str) -> Documents:
        """Open the documents of one kind, with rows of these ids in them."""
        documents = self.open(place).documents("task")
        documents.put(*map(task, names))
        return documents

    def test_what_was_put_can_be_got(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put()
        tasks.put(task("b", "Water the plants"), task("a"), task("c"))
        assert tasks.get("b") == task("b", "Water the plants")
        assert [tasks.get(key) for key in ("d", "", "B")] == [None, None, None]
        assert ids(tasks.find()) == ["b", "a", "c"]
        assert len(tasks) == 3

    def test_a_row_put_again_replaces_the_one_of_its_id_as_a_whole_and_keeps_its_place(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b", "c")
        tasks.put({"id": "b", "note": "again"}, task("d", "first"), {"id": "a"}, task("d", "last"))
        assert tasks.find() == [{"id": "a"}, {"id": "b", "note": "again"}, task("c"), task("d", "last")]

    def test_a_row_needs_a_text_as_id_and_of_rows_put_at_once_all_are_kept_or_none(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        rows: tuple[Row, ...] = (
            {},
            {"title": "no id"},
            {"id": 7},
            {"id": None},
            {"id": ""},
            {"id": ["a"]},
            {"id": True},
        )
        for bad in rows:
            with refuses("task", "id", code="bad_row"):
                tasks.put(task("a", "changed"), task("b"), bad)
            with refuses("task", "id", code="bad_row"):
                tasks.add(bad)
        assert tasks.find() == [task("a")]

    def test_a_row_is_added_once(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        tasks.add(task("b", "added"))
        with refuses("task", "a", code="conflict"):
            tasks.add(task("a", "another"))
        assert tasks.find() == [task("a"), task("b", "added")]
        tasks.remove("a")
        tasks.add(task("a", "another"))
        assert tasks.find() == [task("b", "added"), task("a", "another")]

    def test_a_change_gets_the_present_row_and_returns_the_new_one(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b")
        seen: list[Row] = []

        def finish(row: Row) -> Row:
            seen.append(row)
            return {"id": row["id"], "status": "done"}

        assert tasks.change("a", finish) == {"id": "a", "status": "done"}
        assert tasks.change("c", finish) is None
        assert seen == [task("a")]
        assert tasks.find() == [{"id": "a", "status": "done"}, task("b")]

    def test_a_change_that_raises_changes_nothing_and_keeps_nobody_out(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b")
        own, raised = LookupError("not now"), None

        def fail(_: Row) -> Row:
            raise own

        try:
            tasks.change("a", fail)
        except LookupError as error:
            raised = error
        assert raised is own, "what a change raises is raised as it is"
        assert tasks.find() == [task("a"), task("b")]
        at_once(lambda: tasks.change("a", lambda row: {**row, "status": "done"}))
        assert tasks.find() == [task("a", status="done"), task("b")]

    def test_a_change_does_not_make_another_row_of_it(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b")
        for other in (task("b", "changed"), task("c"), {"title": "has no id"}, {}):
            with refuses("task", code="bad_row"):
                tasks.change("a", lambda _, other=other: other)  # type: ignore[misc]
        assert tasks.find() == [task("a"), task("b")]

    def test_removed_rows_are_gone_and_counted_once(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b", "c", "d")
        assert tasks.remove() == tasks.remove("e") == 0
        assert tasks.remove("a", "c", "a", "e") == 2
        assert tasks.remove("a") == 0
        assert tasks.get("a") is None
        assert tasks.change("a", lambda row: row) is None
        tasks.put(task("a"))
        assert ids(tasks.find()) == ["b", "d", "a"], "one that comes again comes last"
        assert len(tasks) == 3

    def test_kinds_do_not_mix(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        tasks, memories = store.documents("task"), store.documents("memory")
        assert store.documents("task") is tasks
        tasks.put(task("a", "a task"))
        memories.add({"id": "a", "content": "a memory"})
        memories.put({"id": "b"})
        assert (tasks.find(), tasks.get("b"), len(tasks), len(memories)) == ([task("a", "a task")], None, 1, 2)
        assert tasks.remove("a", "b") == 1
        assert ids(memories.find()) == ["a", "b"]

    def test_a_kind_without_a_table_is_refused(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        for kind in ("turns", "select", "a b", "Task", "ä'\"%", ""):
            assert is_refused(lambda kind=kind: store.documents(kind)), kind  # type: ignore[misc]
        assert store.log.count() == 0

    def test_what_is_not_urgent_is_there_at_once_as_well(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put(task("a"), is_urgent=False)
        tasks.add(task("b"), is_urgent=False)
        assert tasks.change("a", lambda row: {**row, "status": "done"}, is_urgent=False) == task("a", status="done")
        assert tasks.find() == [task("a", status="done"), task("b")]
        with refuses("a", code="conflict"):
            tasks.add(task("a"), is_urgent=False)

    def test_rows_that_were_given_or_got_do_not_change_later(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        given = [task("a", tags=["x"]), task("b", nested={"x": [1]})]
        before = letters(given)
        tasks.put(*given)
        got, found = tasks.get("a"), tasks.find()
        tasks.change("a", lambda row: {**row, "status": "done"})
        tasks.put(task("a", "put again"), task("c"))
        tasks.remove("b")
        assert letters(given) == letters(found) == before
        assert letters(got) == letters(given[0])

    def test_ten_thousand_rows_and_forty_thousand_ids(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        rows = [task(f"task-{number}", group=number % 10) for number in range(10_000)]
        tasks.put(*rows)
        assert len(tasks) == 10_000
        assert tasks.find() == rows
        assert tasks.find({"group": 3}, newest_first=True, limit=2) == [rows[9993], rows[9983]]
        assert tasks.remove(*(f"task-{number}" for number in range(2, 40_000))) == 9_998
        assert tasks.find() == rows[:2]

    # -- finding -------------------------------------------------------------------------------------------------------

    def test_a_field_equals_a_value_to_the_letter(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put(*(document(f"t{place}", x=value) for place, value in enumerate(UNLIKE)))
        for place, value in enumerate(UNLIKE):
            assert ids(tasks.find({"x": value})) == [f"t{place}"], value
        place = UNLIKE.index({"p": 1, "q": [1, {"r": None}]})
        assert ids(tasks.find({"x": {"q": [1, {"r": None}], "p": 1}})) == [f"t{place}"], "in whatever order fields are"
        assert tasks.find({"x": None}) == tasks.find({"x": ["q"]}) == tasks.find({"nothing": "a"}) == []

    def test_a_missing_field_equals_none_and_is_not_a_false_one(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put({"id": "a"}, document("b", agent=None), document("c", agent="vault"), document("d", agent=""))
        tasks.put(document("e", agent=False), document("f", agent=True), document("g", agent="false"))
        assert ids(tasks.find({"agent": None})) == ["a", "b"]
        assert ids(tasks.find({"agent": None, "id": "b"})) == ["b"]
        assert [ids(tasks.find({"agent": value})) for value in (False, True, "false")] == [["e"], ["f"], ["g"]]

    def test_only_top_level_fields_are_looked_at_whatever_their_names(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put(*(document(f"t{place}", **{name: "here"}) for place, name in enumerate(FIELDS)))
        tasks.put({"id": "nested", "a": {"b": "here"}, "x": {"y": 1}})
        for place, name in enumerate(FIELDS):
            assert ids(tasks.find({name: "here"})) == [f"t{place}"], name
            assert f"t{place}" not in ids(tasks.find({name: None})), name
        assert tasks.find({"y": 1}) == tasks.find({"x.y": 1}) == []

    def test_all_conditions_hold_and_a_limit_counts_what_is_found(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put(*(document(f"t{number}", odd=number % 2 == 1, third=number // 2) for number in range(5)))
        tasks.put(document("t1", odd=True, third=0, again=1))
        wheres: tuple[tuple[Row | None, str], ...] = (
            (None, "01234"), ({}, "01234"), ({"odd": True}, "13"), ({"odd": False, "third": 1}, "2"),
            ({"odd": True, "third": 0, "none": None}, "1"), ({"id": "t3"}, "3"), ({"id": "t3", "odd": False}, ""),
        )  # fmt: skip
        for where, found in wheres:
            for limit in (None, 0, -1, 1, 2, 5, 10**9):
                count = len(found) if limit is None else max(limit, 0)
                wanted = [f"t{number}" for number in found]
                assert ids(tasks.find(where, limit=limit)) == wanted[:count], where
                assert ids(tasks.find(where, newest_first=True, limit=limit)) == wanted[::-1][:count], where

    def test_what_was_changed_is_found_by_its_new_value_only(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put(*(document(f"t{number}", odd=number % 2 == 1) for number in range(4)))
        tasks.change("t1", lambda row: {**row, "odd": False})
        tasks.put({"id": "t0", "odd": None})
        assert [ids(tasks.find({"odd": odd})) for odd in (True, False, None)] == [["t3"], ["t1", "t2"], ["t0"]]
