"""Budgets of the design, with pytest-benchmark. Not in the default run:

python -m pytest -o addopts= tests/benchmarks --import-mode=importlib --benchmark-only
"""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from tests.benchmarks.measures import MEASURES, Measure, run_fresh
from tests.benchmarks.report import measure_once

RUNS = 5


def _those(kind: str) -> pytest.MarkDecorator:
    chosen = [measure for measure in MEASURES.values() if getattr(measure, kind)]
    return pytest.mark.parametrize("measure", chosen, ids=[measure.key for measure in chosen])


@_those("code")
def test_start_up(measure: Measure, benchmark: Any) -> None:
    """The table of pytest-benchmark shows whole processes; the budget is held against what the process measured."""
    walls: list[float] = []
    benchmark.pedantic(lambda: walls.append(run_fresh(measure)[0]), rounds=RUNS, iterations=1)
    _hold(measure, statistics.median(walls), benchmark)


@_those("prepare")
def test_steady(measure: Measure, benchmark: Any) -> None:
    """A call that was prepared."""
    assert measure.prepare is not None
    benchmark.pedantic(measure.prepare(), rounds=measure.rounds, iterations=1, warmup_rounds=1)
    _hold(measure, benchmark.stats.stats.median * 1000, benchmark)


@_those("value")
def test_turns(measure: Measure, benchmark: Any) -> None:
    """Turns, each run in a process of its own; the table shows whole processes here as well."""
    values: list[float] = []
    benchmark.pedantic(lambda: values.append(measure_once(measure)[0]), rounds=RUNS, iterations=1)
    _hold(measure, statistics.median(values), benchmark)


def _hold(measure: Measure, median: float, benchmark: Any) -> None:
    benchmark.extra_info[f"median_{measure.unit}"] = round(median, 4)
    if measure.budget is not None:
        assert median <= measure.budget, f"{measure.title}: {median:.4g} {measure.unit}, budget {measure.budget}"
