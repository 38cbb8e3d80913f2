"""A report knows its worst finding, and how many there are of which status."""

import pytest

from lango_nb.doctor import Finding, Report, Status


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


def test_findings_are_grouped_and_counted() -> None:
    first = Finding("loops", "warn", "4 turns")
    report = Report((first, Finding("store", "ok", "fine"), Finding("loops", "fail", "worse")))
    assert list(report.by_check()) == ["loops", "store"]
    assert len(report.by_check()["loops"]) == 2
    assert report.summary == "1 failed, 1 to look at, 1 fine"
    assert report.of("fail", "ok") == report.findings[1:]
