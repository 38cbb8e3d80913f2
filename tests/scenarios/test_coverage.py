"""Every promise of the specification has a line, and every line of a finished part has a test.

``coverage.csv`` is the map from the five documents to the tests:

==========  ============================================================================================
column      what it holds
==========  ============================================================================================
id          ``<document>-<line>``, with a letter where one line of a document makes several promises
document    ``000`` … ``004``
line        line in the document
kind        ``scenario`` (a WHEN/THEN block), ``row`` (of a table or list), ``sentence`` (anything else)
text        the scenario's title, or the gist of the promise
part        the step of the work in which it is kept, see ``PARTS``
test        where that is checked: ``path::name``, ``path::name[case]``; empty for parts still to come
note        anything a reader has to know
==========  ============================================================================================

Which later part a promise belongs to is a forecast; whoever builds a part moves the lines that turn out to belong
elsewhere. The documents are not part of the package, so the numbers of lines expected of each stand here as constants.
"""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
DONE_PARTS = {1, 2, 3, 6}
PARTS = {
    1: "frame, agents as data, settings, partition, tree, prompts, router, first turns, views, magics, terminal",
    2: "turn engine: spawn, wait, stop, isolation, hooks, approvals, limits, memory, tasks, completion contract",
    3: "stores, traces on disk, doctor",
    4: "models, router fitted to data",
    5: "tool families made real",
    6: "genome topology",
    7: "dashboards, evaluation, teaching widgets",
    8: "remote agents, teams, pool, payment",
}
SCENARIOS = {"000": 35}
"""``#### Scenario`` blocks; the other documents have none."""
AT_LEAST = {"000": 100, "001": 25, "002": 27, "003": 270, "004": 100}
"""Lines of each document: a line may be split, never dropped."""
LENGTH = {"000": 186, "001": 46, "002": 67, "003": 369, "004": 405}
"""Number of lines of each document."""

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


class Line(NamedTuple):
    """One line of the map."""

    id: str
    document: str
    line: str
    kind: str
    text: str
    part: str
    test: str
    note: str


@cache
def lines() -> tuple[Line, ...]:
    with (Path(__file__).parent / "coverage.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, strict=True)
        assert next(reader) == list(Line._fields)
        return tuple(Line(*row) for row in reader)


@cache
def contents(path: Path) -> dict[str, frozenset[str]]:
    """Return the tests of a file, ``name`` or ``Class::name``, with the ids of its cases."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    found: dict[str, frozenset[str]] = {}
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            shared = _cases(node.decorator_list, constants)
            for item in node.body:
                if isinstance(item, FUNCTION) and item.name.startswith("test"):
                    found[f"{node.name}::{item.name}"] = shared | _cases(item.decorator_list, constants)
        elif isinstance(node, FUNCTION) and node.name.startswith("test"):
            found[node.name] = _cases(node.decorator_list, constants)
    return found


def _cases(decorators: list[ast.expr], constants: dict[str, ast.expr]) -> frozenset[str]:
    """Collect what a ``parametrize`` decorator can make ids of: literals, and keys and items of named constants."""
    words: set[str] = set()
    for call in decorators:
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.parametrize"):
            continue
        todo: list[ast.expr] = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
        while todo:
            value = todo.pop()
            match value:
                case ast.Constant(value=str(word)):
                    words.add(word)
                case ast.Name(id=name) if name in constants:
                    todo.append(constants[name])
                case ast.Dict(keys=keys):
                    todo += [key for key in keys if key is not None]
                case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                    todo += items
                case ast.Call(args=items, keywords=named):
                    todo += [*items, *(keyword.value for keyword in named)]
                case _:
                    pass
    return frozenset(words)


def complaint(test: str) -> str:
    """Say what is wrong with the id of a test; nothing when it exists."""
    parsed = re.fullmatch(r"(tests/[\w/]+\.py)::((?:Test\w+::)?test\w+)(?:\[([^\]]+)\])?", test)
    if parsed is None:
        return f"{test!r} is not path::name or path::name[case]"
    path, name, case = parsed.groups()
    if not (ROOT / path).is_file():
        return f"there is no file {path}"
    found = contents(ROOT / path)
    if name not in found:
        return f"{path} has no test {name}"
    if case is not None and case not in found[name]:
        return f"{path}::{name} has no case {case!r}"
    return ""


def slug(title: str) -> str:
    """Name the test of a scenario."""
    return "test_" + re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")


def test_ids_are_unique_and_follow_from_the_place() -> None:
    assert [line_id for line_id, number in Counter(line.id for line in lines()).items() if number > 1] == []
    wrong = [line.id for line in lines() if not re.fullmatch(rf"{line.document}-{int(line.line):03d}[a-z]?", line.id)]
    assert wrong == []


def test_every_column_holds_what_it_says() -> None:
    for line in lines():
        assert line.document in LENGTH, line
        assert 1 <= int(line.line) <= LENGTH[line.document], line
        assert line.kind in {"scenario", "row", "sentence"}, line
        assert int(line.part) in PARTS, line
        assert line.text.strip() == line.text != "", line
        assert len(line.text) <= 120, line
        assert '"' not in line.text, line


def test_lines_stand_in_the_order_of_the_documents() -> None:
    places = [(line.document, int(line.line)) for line in lines()]
    assert places == sorted(places)


@pytest.mark.parametrize("document", ["000", "001", "002", "003", "004"])
def test_no_promise_is_lost(document: str) -> None:
    own = [line for line in lines() if line.document == document]
    assert len(own) >= AT_LEAST[document]
    assert sum(line.kind == "scenario" for line in own) == SCENARIOS.get(document, 0)


def test_every_scenario_has_a_test_of_its_name() -> None:
    scenarios = [line for line in lines() if line.kind == "scenario"]
    wrong = [line.id for line in scenarios if line.test.partition("::")[2] != slug(line.text)]
    assert wrong == []
    assert len({line.test for line in scenarios}) == len(scenarios)


def test_every_line_of_a_finished_part_has_a_test() -> None:
    assert [line.id for line in lines() if int(line.part) in DONE_PARTS and not line.test] == []


def test_every_named_test_exists() -> None:
    assert {line.id: problem for line in lines() if line.test and (problem := complaint(line.test))} == {}


def test_every_scenario_test_stands_for_a_line() -> None:
    """A test file of a document holds nothing that no line of the map needs."""
    named = {line.test.partition("[")[0] for line in lines()}
    extra = [
        f"tests/scenarios/{path.name}::{name}"
        for path in sorted(Path(__file__).parent.glob("test_00*.py"))
        for name in contents(path)
        if f"tests/scenarios/{path.name}::{name}" not in named
    ]
    assert extra == []


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("tests/scenarios/test_coverage.py::test_no_promise_is_lost", ""),
        ("tests/scenarios/test_coverage.py::test_no_promise_is_lost[003]", ""),
        ("tests/scenarios/test_coverage.py::test_no_promise_is_lost[005]", "has no case '005'"),
        ("tests/scenarios/test_coverage.py::test_nothing_of_the_kind", "has no test test_nothing_of_the_kind"),
        ("tests/scenarios/test_nowhere.py::test_it", "there is no file"),
        ("test_coverage", "is not path::name"),
    ],
)
def test_a_missing_test_is_noticed(test: str, expected: str) -> None:
    assert expected in complaint(test)
    assert bool(expected) == bool(complaint(test))
