"""Documents: kept by id, replaced in place, changed by a function, removed."""
# ruff: noqa: D102, PLR2004, S101 - a test's name says which promise is broken

from __future__ import annotations

from pathlib import Path

from lango_nb.core.errors import StoreError
from lango_nb.stores.store import Documents, Row
from lango_nb.testing.stores.checks import at_once, ids, is_refused, letters, refuses
from lango_nb.testing.stores.contract import StoreUnderTest
from lango_nb.testing.stores.samples import task


class _OwnError(Exception):
    """Something that went wrong outside of the store."""


class DocumentsContract(StoreUnderTest):
    """What ``store.documents(kind)`` promises, searching aside."""

    def tasks(self, place: Path, *names: str) -> Documents:
        """Open the documents of one kind, with rows of these ids in them."""
        documents = self.open(place).documents("task")
        documents.put(*map(task, names))
        return documents

    def test_what_was_put_can_be_got(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put(task("a", "Water the plants"))
        assert tasks.get("a") == task("a", "Water the plants")
        assert len(tasks) == 1

    def test_an_unknown_id_gets_none(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        assert tasks.get("b") is None
        assert tasks.get("") is None
        assert tasks.get("A") is None

    def test_many_rows_can_be_put_at_once(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put(task("b"), task("a"), task("c"))
        assert ids(tasks.find()) == ["b", "a", "c"]

    def test_putting_nothing_changes_nothing(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        tasks.put()
        assert tasks.find() == [task("a")]

    def test_a_row_put_again_replaces_the_one_of_its_id_as_a_whole(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put({"id": "a", "title": "old", "note": "x"})
        tasks.put({"id": "a", "title": "new"})
        assert tasks.get("a") == {"id": "a", "title": "new"}
        assert len(tasks) == 1

    def test_a_replaced_row_keeps_its_place(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b", "c")
        tasks.put(task("b", "again"), task("d"), task("a", "again"))
        assert ids(tasks.find()) == ["a", "b", "c", "d"]
        assert [row["title"] for row in tasks.find()][:2] == ["again", "again"]

    def test_of_two_rows_of_one_id_put_at_once_the_last_counts(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put(task("a", "first"), task("b"), task("a", "last"))
        assert ids(tasks.find()) == ["a", "b"]
        assert tasks.find()[0]["title"] == "last"

    def test_of_rows_put_at_once_all_are_kept_or_none(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        with refuses("task", code="bad_row"):
            tasks.put(task("a", "changed"), task("b"), {"title": "has no id"})
        assert tasks.find() == [task("a")]

    def test_a_row_without_an_id_is_refused(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        with refuses("task", "id", code="bad_row"):
            tasks.put({"title": "Water the plants"})
        with refuses("task", "id", code="bad_row"):
            tasks.add({})
        assert len(tasks) == 0

    def test_an_id_is_a_text_that_is_not_empty(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        for key in (7, None, "", ["a"], True):
            with refuses("task", code="bad_row"):
                tasks.put({"id": key})  # type: ignore[dict-item]  # what is wrong on purpose
            with refuses("task", code="bad_row"):
                tasks.add({"id": key})  # type: ignore[dict-item]
        assert tasks.find() == []

    def test_a_new_row_can_be_added(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        tasks.add(task("b", "added"))
        assert tasks.get("b") == task("b", "added")
        assert ids(tasks.find()) == ["a", "b"]

    def test_adding_a_row_of_a_known_id_is_a_conflict(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b")
        with refuses("task", "a", code="conflict"):
            tasks.add(task("a", "another"))
        assert tasks.find() == [task("a"), task("b")]

    def test_a_removed_id_can_be_added_again(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        tasks.remove("a")
        tasks.add(task("a", "another"))
        assert tasks.find() == [task("a", "another")]

    def test_a_change_gets_the_present_row_and_returns_the_new_one(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        seen: list[Row] = []

        def finish(row: Row) -> Row:
            seen.append(row)
            return {**row, "status": "done"}

        assert tasks.change("a", finish) == task("a", status="done")
        assert seen[-1] == task("a")
        assert tasks.get("a") == task("a", status="done")

    def test_a_changed_row_keeps_its_place(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b", "c")
        tasks.change("a", lambda row: {**row, "status": "done"})
        assert ids(tasks.find()) == ["a", "b", "c"]
        assert ids(tasks.find({"status": "done"})) == ["a"]

    def test_a_change_can_drop_fields(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        tasks.change("a", lambda row: {"id": row["id"]})
        assert tasks.find() == [{"id": "a"}]

    def test_changing_an_unknown_row_asks_nobody(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        asked: list[Row] = []
        assert tasks.change("b", lambda row: asked.append(row) or row) is None  # type: ignore[func-returns-value]
        assert asked == []
        assert ids(tasks.find()) == ["a"]

    def test_a_change_that_raises_leaves_everything_as_it_was(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b")

        def fail(row: Row) -> Row:
            raise _OwnError(row["id"])

        raised = None
        try:
            tasks.change("a", fail)
        except _OwnError as error:
            raised = error
        assert raised is not None, "what a change raises is raised as it is"
        assert raised.args == ("a",)
        assert tasks.find() == [task("a"), task("b")]

    def test_a_change_does_not_make_another_row_of_it(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b")
        for other in (task("b", "changed"), task("c"), {"title": "has no id"}, {}):
            with refuses("task", code="bad_row"):
                tasks.change("a", lambda _, other=other: other)  # type: ignore[misc]
        assert tasks.find() == [task("a"), task("b")]

    def test_a_change_that_raises_keeps_nobody_out(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")

        def fail(_: Row) -> Row:
            raise StoreError("not now; try again", "own")

        with refuses("not now", code="own"):
            tasks.change("a", fail)
        at_once(lambda: tasks.change("a", lambda row: {**row, "status": "done"}))
        tasks.put(task("b"))
        assert tasks.find() == [task("a", status="done"), task("b")]

    def test_removed_rows_are_gone_and_counted(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b", "c")
        assert tasks.remove("a", "c") == 2
        assert tasks.get("a") is None
        assert ids(tasks.find()) == ["b"]
        assert len(tasks) == 1
        assert tasks.change("a", lambda row: row) is None

    def test_removing_what_is_not_there_counts_nothing(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a")
        assert tasks.remove("b") == 0
        assert tasks.remove() == 0
        assert tasks.remove("b", "a", "c") == 1
        assert tasks.remove("a") == 0
        assert len(tasks) == 0

    def test_a_row_named_twice_is_removed_and_counted_once(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b")
        assert tasks.remove("a", "a", "a") == 1
        assert ids(tasks.find()) == ["b"]

    def test_a_row_put_after_its_removal_comes_last(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b", "c")
        tasks.remove("a")
        tasks.put(task("a"))
        assert ids(tasks.find()) == ["b", "c", "a"]

    def test_kinds_do_not_mix(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        tasks, memories = store.documents("task"), store.documents("memory")
        tasks.put(task("a", "a task"))
        memories.add({"id": "a", "content": "a memory"})
        memories.put({"id": "b"})
        assert tasks.find() == [task("a", "a task")]
        assert tasks.get("b") is None
        assert (len(tasks), len(memories)) == (1, 2)
        assert tasks.remove("a", "b") == 1
        assert ids(memories.find()) == ["a", "b"]

    def test_a_kind_without_a_table_is_refused(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        for kind in ("turns", "select", "a b", "Task", "ä'\"%", ""):
            assert is_refused(lambda kind=kind: store.documents(kind)), kind  # type: ignore[misc]
        assert store.log.count() == 0

    def test_the_documents_of_a_kind_are_one_object(self, tmp_path: Path) -> None:
        store = self.open(tmp_path)
        assert store.documents("task") is store.documents("task")
        assert store.documents("task") is not store.documents("memory")

    def test_what_is_not_urgent_can_be_got_at_once_as_well(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        tasks.put(task("a"), is_urgent=False)
        tasks.add(task("b"), is_urgent=False)
        assert tasks.change("a", lambda row: {**row, "status": "done"}, is_urgent=False) == task("a", status="done")
        assert tasks.find() == [task("a", status="done"), task("b")]
        with refuses("a", code="conflict"):
            tasks.add(task("a"), is_urgent=False)

    def test_rows_that_were_given_are_not_changed(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        given = [task("a", tags=["x"]), task("b", nested={"x": [1]})]
        before = letters(given)
        tasks.put(*given)
        tasks.change("a", lambda row: {**row, "status": "done"})
        tasks.remove("b")
        tasks.find({"status": "done"})
        assert letters(given) == before

    def test_rows_that_were_got_do_not_change_later(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b")
        got, found = tasks.get("a"), tasks.find()
        tasks.put(task("a", "put again"))
        tasks.change("a", lambda row: {**row, "status": "done"})
        tasks.remove("b")
        tasks.put(task("c"))
        assert got == task("a")
        assert found == [task("a"), task("b")]

    def test_one_row_may_be_changed_five_hundred_times(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "b")
        for number in range(500):
            tasks.put(task("a", "x" * 200, number=number), is_urgent=False)
        assert tasks.find() == [task("a", "x" * 200, number=499), task("b")]

    def test_ten_thousand_rows(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path)
        rows = [task(f"task-{number}", group=number % 10) for number in range(10_000)]
        tasks.put(*rows)
        assert len(tasks) == 10_000
        assert tasks.get("task-9999") == rows[9999]
        assert tasks.find() == rows
        assert tasks.find({"group": 3}, newest_first=True, limit=2) == [rows[9993], rows[9983]]

    def test_forty_thousand_ids_can_be_removed_at_once(self, tmp_path: Path) -> None:
        tasks = self.tasks(tmp_path, "a", "task-5", "b", "task-39999")
        assert tasks.remove(*(f"task-{number}" for number in range(40_000))) == 2
        assert ids(tasks.find()) == ["a", "b"]
