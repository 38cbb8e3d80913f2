"""The command that plants faults plants real ones, the same for the same seed; see :mod:`tests.mutants`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import mutants

ROOT = Path(__file__).parents[2]


def test_every_fault_of_a_module_is_python_and_another_text() -> None:
    path = "lango_nb/routing/partition.py"
    source = (ROOT / path).read_text(encoding="utf-8")
    faults = mutants.faults_of(source, path)
    assert len(faults) > 100
    assert len({fault.kind for fault in faults}) > 6
    for fault in faults:
        changed = mutants.planted(source, fault)
        compile(changed, path, "exec")
        assert changed != source
        assert source.encode()[fault.start : fault.end].decode() == fault.old


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("def f(x):\n    raise ValueError(x)\n", {"def f(x):\n    pass\n"}),
        ("def f(x: int = 3): ...\n", {"def f(x: int = 4): ...\n"}),
        ("x = escape(y)\n", {"x = y\n"}),
        ("x = a or b\n", {"x = (a and b)\n"}),
        ("x = 1 if not y else z\n", {"x = 2 if not y else z\n", "x = 1 if y else z\n"}),
        ("x: Literal[3] = 'ä' in y\n", {"x: Literal[3] = ('ä' not in y)\n"}),
        ("if TYPE_CHECKING:\n    x = 1\n", set()),
        ("@f(1)\ndef g():\n    '''Say 1.'''\n", set()),
        ("x = f'{1}'\n", set()),
        ("def f():\n    return ''\n", {"def f():\n    return 'changed'\n"}),
        ("def f():\n    return False\n", {"def f():\n    return True\n"}),
        ("x = frozenset({y})\n", set()),
        ("class P(Protocol):\n    def f(self, x: int = 3): ...\n", set()),
    ],
)
def test_what_is_changed_and_what_is_not(source: str, changed: set[str]) -> None:
    assert {mutants.planted(source, fault) for fault in mutants.faults_of(source, "m.py")} == changed


def test_a_seed_draws_the_same_places_and_only_where_it_is_told() -> None:
    places = mutants.all_faults(["lango_nb/core/lazy.py"])
    assert places == mutants.all_faults(["lango_nb/core/lazy.py"])
    assert {fault.path for fault in places} == {"lango_nb/core/lazy.py"}


def test_the_tests_that_know_most_come_first() -> None:
    first, second, *_ = mutants.nearest_tests("lango_nb/routing/lint.py", "remarks")
    assert (first, second) == ("lango_nb/routing/lint.py", "tests/unit/routing/test_lint.py")
    assert mutants.nearest_tests("lango_nb/routing/lint.py", "remarks") is mutants.nearest_tests(
        "lango_nb/routing/lint.py", "remarks"
    )


def test_a_fault_is_put_into_the_functions_it_stands_in_and_not_into_what_runs_at_import() -> None:
    source = "x = 1\ndef f(y=2):\n    def g():\n        return y + 3\n    return g\n"
    source += "class A:\n    z = 4\n    def h(self):\n        return 5\n"
    found = {}
    for fault in mutants.faults_of(source, "m.py"):
        codes = (compile(text, "m.py", "exec") for text in (source, mutants.planted(source, fault)))
        found[fault.old, fault.new] = [new.co_name for _, new in mutants.differing(*codes)]
    assert found == {
        ("1", "2"): [],
        ("2", "3"): [],
        ("return y + 3", "return None"): ["f", "g"],
        ("y + 3", "(y - 3)"): ["f", "g"],
        ("3", "4"): ["f", "g"],
        ("return g", "return None"): ["f"],
        ("4", "5"): [],
        ("return 5", "return None"): ["h"],
        ("5", "6"): ["h"],
    }
