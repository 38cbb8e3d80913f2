"""Reading cells: by path, by function, from records of several kinds, with slots or without."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from lango_nb.frames.column import Column, some
from lango_nb.frames.reading import Reader


@dataclass(frozen=True, slots=True)
class Slotted:
    name: str
    inner: object = None


def read(column: Column, **sources: list[object]) -> tuple[list[object], object, dict[int, str]]:
    found = Reader(sources, [column]).read(column)
    return found.cells, found.rows, found.problems


def test_a_path_reaches_into_records_with_and_without_slots() -> None:
    deep = SimpleNamespace(inner=SimpleNamespace(name="a"))
    column = Column("x", "it.inner.name", "string", "", "")
    assert read(column, it=[deep])[0] == ["a"]
    assert read(column, it=[Slotted("", Slotted("b"))])[0] == ["b"]


def test_a_path_without_an_attribute_is_the_source_itself() -> None:
    assert read(Column("x", "it", "Int64", "", ""), it=[1, 2]) == ([1, 2], None, {})


def test_a_function_gets_the_sources_its_parameters_are_named_after() -> None:
    def both(left: int, right: int) -> int:
        return left - right

    assert read(Column("x", both, "Int64", "", ""), right=[1, 2], left=[10, 20])[0] == [9, 18]


def test_only_kinds_that_have_it_are_asked_and_rows_tell_whose_it_is() -> None:
    records: list[object] = [SimpleNamespace(a=1), Slotted("s"), None, SimpleNamespace(a=2)]
    found = Reader({"it": records}, [column := some("x", "it.a", "Int64", "", "")]).read(column)
    assert (found.cells, list(found.rows or [])) == ([1, 2], [0, 3])


def test_a_kind_that_all_lack_gives_nothing() -> None:
    assert read(some("x", "it.nope", "string", "", ""), it=[Slotted("s")])[0] == []


def test_a_property_is_read_like_an_attribute() -> None:
    class Record:
        def __init__(self, number: int) -> None:
            self.number = number

        @property
        def double(self) -> int:
            return 2 * self.number

    columns = [Column("x", "it.double", "Int64", "", ""), Column("y", "it.number", "Int64", "", "")]
    reader = Reader({"it": [Record(1), Record(2)]}, columns)
    assert [reader.read(column).cells for column in columns] == [[2, 4], [1, 2]]


def test_records_of_one_kind_with_different_attributes_name_the_row_at_fault() -> None:
    records: list[object] = [SimpleNamespace(a=n) for n in range(600)]
    records[555] = SimpleNamespace(b=1)
    cells, _, problems = read(Column("x", "it.a", "Int64", "", ""), it=records)
    assert list(problems) == [555]
    assert "AttributeError" in problems[555]
    assert cells[554:557] == [554, None, 556]


def test_blocks_are_put_together_in_order() -> None:
    cells, rows, problems = read(Column("x", "it.a", "Int64", "", ""), it=[SimpleNamespace(a=n) for n in range(1300)])
    assert (cells, rows, problems) == (list(range(1300)), None, {})
