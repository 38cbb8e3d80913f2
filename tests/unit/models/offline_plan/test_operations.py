"""Operations on what tools gave: each on its own, as people keep their files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lango_nb.models.offline.operations import OPERATIONS, Entry, NoSuch, Unsure, json_set
from lango_nb.models.offline.plan import acts

TEXT = "b\na\n\nB\nlonger line\na\n"
TABLE = """item;price;shop;date
"milk; fresh";1,20 €;north;1.5.2024
olive oil;8,50 €;south;2.4.2024
bread;2,30 €;north;3.6.2024
"""
PLAIN = "name,amount\nAnn,$1200.50\nBob,12 USD\n"
JSON = '{"port": 8080, "server": {"host": "local", "tags": ["a", "b"]}, "tea_money": 23.40}'
CODE = "def one():\n    return 1\n\n\nclass Two:\n    def three(self): ...\n"
SHELL = "greet() {\n  echo hi\n}\n\nfunction bye {\n  echo bye\n}\n"
ENTRIES = [Entry("a.csv", bytes=5, changed="2"), Entry("b.txt", bytes=9, changed="3"), Entry("old", is_folder=True)]


@pytest.mark.parametrize(
    ("name", "text", "words", "expected"),
    [
        ("count.lines", TEXT, (), 6),
        ("count.lines", "no end", (), 1),
        ("count.words", TEXT, (), 6),
        ("count.words", "今日は良い", (), 5),
        ("count.chars", "añ\n", (), 3),
        ("count.matches", "cat concat Cat", ("cat",), 2),
        ("count.matches", "concat", ("cat",), 1),
        ("count.rows", TABLE, (), 3),
        ("count.rows", "# x\n- a\n- b\n", (), 2),
        ("count.rows", '{"all": [1, 2, 3]}', (), 3),
        ("read.first", TEXT, (2,), ["b", "a"]),
        ("read.first", TEXT, (), ["b"]),
        ("read.last", TEXT, (2,), ["longer line", "a"]),
        ("read.line", TEXT, (2,), ["a"]),
        ("read.line", TEXT, (-1,), ["a"]),
        ("read.lines", TEXT, (2, 1), ["b", "a"]),
        ("read.longest", TEXT, (), ["longer line"]),
        ("read.shortest", TEXT, (), ["b"]),
        ("read.sorted", TEXT, (), ["a", "a", "B", "b", "longer line"]),
        ("read.unique", TEXT, (), ["b", "a", "", "B", "longer line"]),
        ("read.without", TEXT, ("b",), ["a", "", "longer line", "a"]),
        ("read.reversed", "a\nb\n", (), ["b", "a"]),
        ("read.upper", "ä b\n", (), ["Ä B"]),
        ("read.lower", "Ä B\n", (), ["ä b"]),
        ("search", "Café\nother\n", ("cafe",), ["Café"]),
        ("summary", "# Title\n\ntext here\nmore\n", (), ["# Title", "text here"]),
        ("columns", TABLE, (), ["item", "price", "shop", "date"]),
        ("column.sum", TABLE, ("Price",), "12"),
        ("column.sum", PLAIN, ("amounts",), "1212.5"),
        ("column.mean", TABLE, ("price",), "4"),
        ("column.distinct", TABLE, ("shop",), ["north", "south"]),
        ("rows.count", TABLE, ("north",), 2),
        ("rows.count", TABLE, ("north", "shop"), 2),
        ("cell", TABLE, ("olive oil", "price"), ["8,50 €"]),
        ("cell", PLAIN, ("Ann's", "amount"), ["$1200.50"]),
        ("rows.where", PLAIN, ("bob",), ["name,amount", "Bob,12 USD"]),
        ("rows.over", PLAIN, ("amount", "100"), ["name,amount", "Ann,$1200.50"]),
        ("rows.under", PLAIN, ("amount", "100"), ["name,amount", "Bob,12 USD"]),
        ("json.get", JSON, ("host",), "local"),
        ("json.get", JSON, ("tea money",), "23.40"),
        ("json.get", JSON, ("server.tags",), ["a", "b"]),
        ("json.keys", JSON, (), ["port", "server", "tea_money"]),
        ("code.list", CODE, (), ["one", "Two", "Two.three"]),
        ("code.list", SHELL, (), ["greet", "bye"]),
        ("code.show", CODE, ("one()",), ["def one():", "    return 1"]),
        ("code.show", SHELL, ("greet",), ["greet() {", "  echo hi", "}"]),
        ("compare", "a\nb\n", ("a\nc\n",), ["-b", "+c"]),
        ("compare", "a\n", ("a\n",), []),
        ("list.names", ENTRIES, ("OLD",), [ENTRIES[2]]),
        ("list.largest", ENTRIES, (1,), [ENTRIES[1]]),
        ("list.smallest", ENTRIES, (1,), [ENTRIES[0]]),
    ],
)
def test_an_operation_gives_what_is_asked_for(name: str, text: Any, words: tuple[Any, ...], expected: Any) -> None:
    assert OPERATIONS[name].function(text, *words) == expected


def test_extremes_come_with_their_rows_and_dates_are_ordered_as_dates() -> None:
    assert OPERATIONS["column.max"].function(TABLE, "price") == ["8,50 €", "olive oil, 8,50 €, south, 2.4.2024"]
    assert OPERATIONS["column.min"].function(TABLE, "date")[0] == "2.4.2024"  # type: ignore[index]
    assert OPERATIONS["rows.sorted"].function(TABLE, "date")[1].startswith("olive oil")  # type: ignore[index]


def test_every_act_that_works_on_a_text_has_its_operation() -> None:
    worked = ("count.lines", "read.", "column", "rows.", "cell", "json.", "code.")
    assert {name for name in acts() if name.startswith(worked)} <= set(OPERATIONS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("column.sum", ("colour",)),
        ("rows.where", ("cheese",)),
        ("cell", ("cheese", "price")),
        ("column.sum", ("item",)),
    ],
)
def test_what_is_not_in_a_table_is_said(name: str, words: tuple[str, ...]) -> None:
    with pytest.raises(NoSuch):
        OPERATIONS[name].function(TABLE, *words)


def test_two_keys_that_fit_equally_are_both_named() -> None:
    with pytest.raises(Unsure) as caught:
        OPERATIONS["json.get"].function('{"a": {"host": 1}, "b": {"host": 2}}', "host")
    assert caught.value.options == ("a.host", "b.host")


def test_setting_a_json_value_leaves_everything_else_as_it_is_written() -> None:
    text = '{\n    "a" : 1,\n\t"b": [true, {"c": "x"}]\n}'
    assert json_set(text, "c", "y") == text.replace('"x"', '"y"')
    assert json.loads(json_set(text, "a", "five"))["a"] == 5
