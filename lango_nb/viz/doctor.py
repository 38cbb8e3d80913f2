"""What the doctor found: the worst first, each with what to do next."""

from __future__ import annotations

from lango_nb.doctor.finding import COLUMNS, STATUSES, Finding, Report
from lango_nb.viz import html, text
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN
from lango_nb.viz.escape import esc
from lango_nb.viz.renderer import Renderer

_COLOURS = {"fail": BAD, "warn": WARN, "ok": GOOD, "skip": ROOT}


def line(report: Report) -> str:
    """Write the report in one line."""
    return f"doctor: {report.summary}"


def to_text(report: Report) -> str:
    """Write what is wrong as blocks, and what is fine as one line each."""
    lines = [f"doctor · {report.summary}", ""]
    for finding in _worst_first(report):
        lines += _indented(f"{finding.status:<4}  {finding.check}: {finding.text}", "", text.WIDTH)
        for item in finding.evidence if _is_open(finding) else ():
            lines += _indented(item, "      · ")
        if finding.next_step:
            lines += _indented(finding.next_step, "      → ")
    return "\n".join(lines)


def _indented(said: str, mark: str, width: int = text.WIDTH) -> list[str]:
    first, *rest = text.wrap(said, width - len(mark) - 6) or [""]
    blank = " " * (len(mark) or 6)
    return [mark + first, *(blank + piece for piece in rest)]


def _is_open(finding: Finding) -> bool:
    """Tell whether somebody should look at it."""
    return finding.status in {"warn", "fail"}


def to_html(report: Report) -> str:
    """Show one row per finding."""
    rows = [
        [
            html.badge(finding.status, _COLOURS[finding.status]),
            esc(finding.check),
            _said(finding),
            html.inline(finding.next_step, 300),
        ]
        for finding in _worst_first(report)
    ]
    return html.view(
        html.header("doctor", [report.summary]),
        html.listing(COLUMNS, rows, "<<<<", ("60px", "130px", "", "30%")),
    )


def _said(finding: Finding) -> str:
    said = html.inline(finding.text, 600)
    if not finding.evidence:
        return said
    pieces = "".join(map(_evidence, finding.evidence))
    return html.div(said, pieces) if _is_open(finding) else html.details(said, pieces)


def _evidence(item: str) -> str:
    return html.div(html.muted("· "), html.inline(item, 300), margin="2px 0 0 0")


def _worst_first(report: Report) -> list[Finding]:
    return sorted(report, key=lambda finding: -_RANK[finding.status])


_RANK = {"skip": 0, "ok": 1, "warn": 2, "fail": 3}
assert set(_RANK) == set(STATUSES)  # noqa: S101 - a new status needs its place here

RENDERER = Renderer(line, to_text, to_html)
