"""What the doctor found: what somebody should look at first, each with what to do next; what is fine below it."""

from __future__ import annotations

from collections.abc import Iterable

from lango_nb.doctor.finding import COLUMNS, STATUSES, Finding, Report, Status
from lango_nb.viz import html, text
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN
from lango_nb.viz.escape import count, one_line
from lango_nb.viz.renderer import Renderer

_COLOURS: dict[Status, str] = {"fail": BAD, "warn": WARN, "ok": GOOD, "skip": ROOT}
_CHECK = 60
"""Characters of the name of a check that are shown."""
_MOST = 20
"""Lines of evidence of one finding that are shown."""


def line(report: Report) -> str:
    """Write the report in one line."""
    return f"doctor: {report.summary}"


def to_text(report: Report) -> str:
    """Write what is wrong as blocks, and what is fine as one line each."""
    lines = []
    for finding in _worst_first(report):
        lines += _indented(f"{one_line(finding.check, _CHECK)}: {finding.text}", f"{finding.status:<4}  ")
        if finding.status in _OPEN:
            lines += [piece for item in _evidence(finding) for piece in _indented(item, "      · ")]
        if finding.next_step:
            lines += _indented(finding.next_step, "      → ")
    return "\n".join([f"doctor · {report.summary}", *([""] if lines else []), *lines])


def _indented(said: str, mark: str) -> list[str]:
    """Put a mark before a text; further lines begin below its first letter."""
    first, *rest = text.wrap(said, text.WIDTH - len(mark)) or [""]
    return [(mark + first).rstrip(), *((" " * len(mark) + piece).rstrip() for piece in rest)]


def to_html(report: Report) -> str:
    """Show a row per finding; what is fine is folded when something else is not."""
    worst_first = _worst_first(report)
    wrong = [finding for finding in worst_first if finding.status in _OPEN]
    fine = [finding for finding in worst_first if finding.status not in _OPEN]
    head = html.header("doctor", [report.summary])
    if not wrong:
        return html.view(head, _fine(fine) if fine else "")
    rows = [
        [
            html.badge(finding.status, _COLOURS[finding.status]),
            html.inline(finding.check, _CHECK),
            html.div(html.inline(finding.text, 600), *map(_point, _evidence(finding))),
            html.inline(finding.next_step, 300),
        ]
        for finding in wrong
    ]
    folded = html.details(html.muted(_rest(report)), _fine(fine), margin="6px 0 0 0") if fine else ""
    return html.view(head, html.listing(COLUMNS, rows, "<<<<", ("52px", "120px", "", "32%")), folded)


def _rest(report: Report) -> str:
    fine, skipped = len(report.of("ok")), len(report.of("skip"))
    said = [f"{count(fine, 'check')} found nothing" if fine else "", f"{skipped} skipped" if skipped else ""]
    return ", ".join(filter(None, said))


def _fine(findings: Iterable[Finding]) -> str:
    """List what nobody has to look at: a dot, what was looked at, how it is."""
    cells = []
    for finding in findings:
        said = html.inline(finding.text, 300)
        evidence = "".join(map(_point, _evidence(finding)))
        cells += [
            html.named(one_line(finding.check, _CHECK), _COLOURS[finding.status]),
            html.details(said, evidence, margin="0") if evidence else html.div(said, min_width="0"),
        ]
    return html.div(
        *cells,
        display="grid",
        grid_template_columns="minmax(110px,max-content) minmax(0,1fr)",
        gap="2px 16px",
        align_items="baseline",
    )


def _point(item: str) -> str:
    """Write one line of evidence; further lines begin below its first letter."""
    return html.div(
        html.muted("·"),
        html.div(html.inline(item, 300), min_width="0", overflow_wrap="break-word"),
        display="flex",
        gap="6px",
        margin="2px 0 0 0",
    )


def _evidence(finding: Finding) -> list[str]:
    more = len(finding.evidence) - _MOST
    return [
        *finding.evidence[:_MOST],
        *([f"and {more:,} more; the record and its frame have them"] if more > 0 else []),
    ]


def _worst_first(report: Report) -> list[Finding]:
    return sorted(report, key=lambda finding: -_RANK[finding.status])


_OPEN = frozenset({"warn", "fail"})
"""What somebody should look at."""
_RANK: dict[Status, int] = {"skip": 0, "ok": 1, "warn": 2, "fail": 3}
assert set(_RANK) == set(STATUSES)  # noqa: S101 - a new status needs its place here

RENDERER = Renderer(line, to_text, to_html)
