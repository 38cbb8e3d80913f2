"""What the doctor found: what somebody should look at first, each with what to do next; what is fine below it."""

from __future__ import annotations

from dataclasses import replace

from lango_nb.core.text import counted
from lango_nb.doctor.finding import Finding, Report, Status
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN
from lango_nb.viz.escape import one_line

_COLOURS: dict[Status, str] = {"fail": BAD, "warn": WARN, "ok": GOOD, "skip": ROOT}
_CHECK = 60
"""Characters of the name of a check that are shown."""
_SENTENCE = 200
"""Characters of a sentence on one line."""
_MOST = 20
"""Lines of evidence of one finding that are shown."""


def line(report: Report) -> str:
    """Write the report in one line."""
    return f"doctor: {report.summary}"


def document(report: Report) -> doc.Document:
    """Write what is wrong, then what is fine; a page folds that when something else is not."""
    worst_first = sorted(report, key=lambda finding: -finding.severity)
    wrong = tuple(_item(finding) for finding in worst_first if finding.status in _OPEN)
    fine = tuple(_item(finding) for finding in worst_first if finding.status not in _OPEN)
    title = doc.Title("doctor", [report.summary])
    if not wrong:
        return (title, doc.GAP, doc.Items(fine))
    folded = (doc.Fold(doc.Muted(_rest(report)), (doc.Items(fine),), plain="open"),) if fine else ()
    return (title, doc.GAP, doc.Items(wrong), *folded)


def finding_line(finding: Finding) -> str:
    """Write a finding on one line: how it is, what was looked at, and what was found."""
    return f"{finding.status}  {one_line(finding.check, _CHECK)}: {one_line(finding.text, _SENTENCE)}"


def finding_blocks(finding: Finding) -> doc.Document:
    """Write everything about one finding."""
    return (doc.Items((replace(_item(finding), is_quiet=False),)),)


def _item(finding: Finding) -> doc.Item:
    return doc.Item(
        doc.Badge(finding.status, _COLOURS[finding.status]),
        one_line(finding.check, _CHECK),
        finding.text,
        tuple(_evidence(finding)),
        finding.next_step,
        is_quiet=finding.status not in _OPEN,
    )


def _rest(report: Report) -> str:
    fine, skipped = len(report.of("ok")), len(report.of("skip"))
    said = [f"{counted(fine, 'check')} found nothing" if fine else "", f"{skipped} skipped" if skipped else ""]
    return ", ".join(filter(None, said))


def _evidence(finding: Finding) -> list[str]:
    more = len(finding.evidence) - _MOST
    return [
        *finding.evidence[:_MOST],
        *([f"and {more:,} more; the record and its frame have them"] if more > 0 else []),
    ]


_OPEN = frozenset({"warn", "fail"})
"""What somebody should look at."""

RENDERER = Renderer(line, document)
