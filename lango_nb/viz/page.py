"""Turns as one page: a file that needs nothing else, no script, no font, no network."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.records.turns import Trace
from lango_nb.viz import html, to_html
from lango_nb.viz.escape import count, esc, one_line

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
</head>
<body style="margin:24px auto;padding:0 16px;max-width:1100px;font-family:system-ui,sans-serif">
"""


def page(traces: Sequence[Trace], *, timing: bool = True) -> str:
    """Write turns as one HTML page.

    Parameters
    ----------
    traces : sequence of Trace
    timing : bool
        Whether it tells when, and how long everything took.

    Returns
    -------
    str
        A whole document; it follows the reader's light or dark setting.
    """
    first = traces[0].turn if traces else None
    name = one_line(first.text, 80) if first is not None and len(traces) == 1 else count(len(traces), "turn")
    parts = [_HEAD.format(title=esc(f"lango: {name}"))]
    if len(traces) > 1:
        parts.append(html.view(html.header(name, [_sessions(traces)]), _contents(traces)))
    for place, trace in enumerate(traces, 1):
        turn = trace.turn
        said = [f"turn {turn.number}", turn.session_id, turn.topology, turn.model]
        if timing:
            said.append(turn.started_at.isoformat(sep=" ", timespec="seconds"))
        edge = html.EDGE if place > 1 else ""
        parts.append(
            f'<section id="turn-{place}" style="margin:0 0 32px 0;padding:{"24px" if edge else "0"} 0 0 0'
            f'{f";border-top:1px solid {edge}" if edge else ""}">'
            f"{html.small(' · '.join(part for part in said if part))}{to_html(trace, timing=timing)}</section>\n"
        )
    return "".join([*parts, "</body>\n</html>\n"])


def _sessions(traces: Sequence[Trace]) -> str:
    names = list(dict.fromkeys(trace.turn.session_id for trace in traces))
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")  # noqa: PLR2004 - a line


def _contents(traces: Sequence[Trace]) -> str:
    entries = [
        f'<li><a href="#turn-{place}" style="color:inherit">{esc(one_line(trace.turn.text, 100))}</a> '
        f"{html.muted(trace.turn.outcome)}</li>"
        for place, trace in enumerate(traces, 1)
    ]
    return f'<ol style="margin:0 0 24px 0;padding-left:24px">{"".join(entries)}</ol>\n'
