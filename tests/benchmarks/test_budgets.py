"""Budgets of the design, with pytest-benchmark. Not in the default run:

python -m pytest -o addopts= tests/benchmarks --import-mode=importlib --benchmark-only
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.measures import MEASURES, Measure, run_fresh
from tests.benchmarks.report import measure_once

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

RUNS = 5
_all = [pytest.param(measure, id=measure.key) for measure in MEASURES.values()]


@pytest.mark.parametrize("measure", [case for case in _all if case.values[0].code])
def test_start_up(measure: Measure, benchmark: BenchmarkFixture) -> None:
    """The table of pytest-benchmark shows whole processes; the budget is held against what the process measured."""
    walls: list[float] = []
    benchmark.pedantic(lambda: walls.append(run_fresh(measure)[0]), rounds=RUNS, iterations=1)
    _hold(measure, statistics.median(walls), benchmark)


@pytest.mark.parametrize("measure", [case for case in _all if case.values[0].prepare])
def test_steady(measure: Measure, benchmark: BenchmarkFixture) -> None:
    """A call that was prepared."""
    assert measure.prepare is not None
    benchmark.pedantic(measure.prepare(), rounds=measure.rounds, iterations=1, warmup_rounds=1)
    _hold(measure, benchmark.stats.stats.median * 1000, benchmark)


@pytest.mark.parametrize("measure", [case for case in _all if case.values[0].value])
def test_turns(measure: Measure, benchmark: BenchmarkFixture) -> None:
    """Turns, each run in a process of its own; the table shows whole processes here as well."""
    values: list[float] = []
    benchmark.pedantic(lambda: values.append(measure_once(measure)[0]), rounds=3, iterations=1)
    _hold(measure, statistics.median(values), benchmark)


def _hold(measure: Measure, median: float, benchmark: BenchmarkFixture) -> None:
    benchmark.extra_info[f"median_{measure.unit}"] = round(median, 4)
    if measure.budget is not None:
        assert median <= measure.budget, f"{measure.title}: {median:.4g} {measure.unit}, budget {measure.budget}"
