"""How agents did, as a listing of numbers that line up."""

from __future__ import annotations

import pytest

from lango_nb import viz
from lango_nb.records.metrics import AgentMetrics
from lango_nb.viz.listings import metrics_table
from tests.unit.viz import samples


def test_numbers_stand_to_the_right_and_what_is_not_known_stays_empty() -> None:
    lines = viz.to_text(metrics_table(samples.metrics()[:2])).split("\n")
    assert [line.split() for line in lines[-4:-2]] == [
        ["orchestrator", "1,200", "1,188", "0", "12", "0.99", "40", "3.25", "12.5", "1,234"],
        ["vault", "0", "0", "0", "0", "4"],
    ]
    head = next(line for line in lines if line.startswith("agent"))
    assert head.index("turns") + len("turns") == lines[-4].index("1,200") + len("1,200")


@pytest.mark.parametrize(
    ("duration", "shown"), [(0.01234, "0.0123"), (99.94, "99.9"), (1234.5, "1,234"), (1_234_567.0, "1,234,567")]
)
def test_durations_have_the_digits_that_matter(duration: float, shown: str) -> None:
    measured = AgentMetrics("vault", 1, 1, p50_ms=duration, p95_ms=duration, p99_ms=duration)
    assert viz.to_text(metrics_table((measured,))).split("\n")[-3].split()[-3:] == [shown] * 3


def test_without_turns_it_says_so() -> None:
    assert viz.to_text(metrics_table(())) == "how agents did\n\nno turn has ended yet"
