"""A report knows its worst finding, and puts findings in rows."""

import pytest

from lango_nb.doctor import Finding, Report, Status
from lango_nb.doctor.finding import COLUMNS


@pytest.mark.parametrize(
    ("statuses", "worst", "is_healthy"),
    [
        ((), "skip", True),
        (("skip", "ok"), "ok", True),
        (("ok", "warn", "skip"), "warn", True),
        (("fail", "warn", "ok"), "fail", False),
    ],
)
def test_the_worst_finding_counts(statuses: tuple[Status, ...], worst: str, is_healthy: bool) -> None:
    report = Report(tuple(Finding("x", status, "text") for status in statuses))
    assert (report.status, report.is_healthy) == (worst, is_healthy)


def test_findings_are_grouped_counted_and_written_as_rows() -> None:
    first = Finding("loops", "warn", "4 turns", next_step="look", evidence=("turn 1", "turn 2"))
    report = Report((first, Finding("store", "ok", "fine"), Finding("loops", "fail", "worse")))
    assert list(report.by_check()) == ["loops", "store"]
    assert len(report.by_check()["loops"]) == 2
    assert report.summary == "1 failed, 1 to look at, 1 fine"
    assert report.rows()[0] == ("warn", "loops", "4 turns: turn 1; turn 2", "look")
    assert len(report.rows()[0]) == len(COLUMNS)
    assert report.of("fail", "ok") == report.findings[1:]
