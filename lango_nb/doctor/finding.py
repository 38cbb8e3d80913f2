"""What the doctor says: findings, and all of them as a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

Status = Literal["ok", "skip", "warn", "fail"]
STATUSES: tuple[Status, ...] = get_args(Status)
_SEVERITY: dict[Status, int] = {"skip": 0, "ok": 1, "warn": 2, "fail": 3}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and how it is."""

    check: str
    """What was looked at: ``store``, ``loops``, …"""
    status: Status
    """``skip``: there was nothing to look at. ``fail``: something is broken. ``warn``: it works, and somebody should
    look at it."""
    text: str
    """One sentence."""
    turn: str = ""
    """Id of the turn it is about, or of the latest of several."""
    turn_number: int | None = None
    """The turn's number: what ``%lango trace`` takes."""
    session: str = ""
    next_step: str = ""
    """What to do about it; empty when nothing is to be done."""
    evidence: tuple[str, ...] = ()
    """What it was concluded from, one line each."""

    @property
    def severity(self) -> int:
        """How much somebody should look at it."""
        return _SEVERITY[self.status]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was found.

    Examples
    --------
    >>> report = Report((Finding("store", "ok", "fine"), Finding("loops", "warn", "4 turns ended in a loop")))
    >>> report.status, report.is_healthy, len(report)
    ('warn', True, 2)
    """

    findings: tuple[Finding, ...] = ()

    @property
    def status(self) -> Status:
        """The worst of all findings; ``skip`` when there was nothing to look at."""
        return max((finding.status for finding in self.findings), key=_SEVERITY.__getitem__, default="skip")

    @property
    def is_healthy(self) -> bool:
        """Whether nothing fails; a warning leaves it healthy."""
        return self.status != "fail"

    def of(self, *statuses: Status) -> tuple[Finding, ...]:
        """Return the findings of some statuses."""
        return tuple(finding for finding in self.findings if finding.status in statuses)

    def by_check(self) -> dict[str, tuple[Finding, ...]]:
        """Return the findings of every check, in the order of examination."""
        found: dict[str, tuple[Finding, ...]] = {}
        for finding in self.findings:
            found[finding.check] = (*found.get(finding.check, ()), finding)
        return found

    @property
    def summary(self) -> str:
        """One line: how many findings there are of which status."""
        counts = {status: len(self.of(status)) for status in STATUSES}
        words = {"fail": "failed", "warn": "to look at", "ok": "fine", "skip": "skipped"}
        worst_first = sorted(STATUSES, key=_SEVERITY.__getitem__, reverse=True)
        said = [f"{counts[status]} {words[status]}" for status in worst_first if counts[status]]
        return ", ".join(said) or "nothing was looked at"

    def __iter__(self) -> Iterator[Finding]:
        """Iterate over the findings."""
        return iter(self.findings)

    def __len__(self) -> int:
        """Count the findings."""
        return len(self.findings)
