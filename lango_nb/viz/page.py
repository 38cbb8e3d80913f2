"""Turns as one page: a file that needs nothing else, no script, no font, no network."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from lango_nb.core.text import counted
from lango_nb.records.turns import Trace, Turn
from lango_nb.viz import html, to_html
from lango_nb.viz.colours import outcome_colour
from lango_nb.viz.escape import esc, one_line

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
</head>
<body style="margin:24px auto;padding:0 16px;max-width:1100px;font-family:system-ui,sans-serif;line-height:1.5">
"""
_LINK = "color:inherit"


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
    name = one_line(traces[0].turn.text, 80) if len(traces) == 1 else counted(len(traces), "turn")
    parts = [_HEAD.format(title=esc(f"lango: {name}"))]
    if len(traces) != 1:
        parts.append(html.view(html.header(name, [_sessions(traces)]), _contents(traces)))
    for place, trace in enumerate(traces, 1):
        edge = f"padding:24px 0 0 0;border-top:1px solid {html.EDGE}" if len(traces) > 1 else "padding:0"
        back = f' · <a href="#" style="{_LINK}">all turns</a>' if len(traces) > 1 else ""
        said = html.div(esc(_said(trace.turn, timing=timing)), back, font_size=html.SMALL, opacity=html.MUTED)
        body = said + to_html(trace, timing=timing)
        parts.append(f'<section id="turn-{place}" style="margin:0 0 32px 0;{edge}">{body}</section>\n')
    return "".join([*parts, "</body>\n</html>\n"])


def _said(turn: Turn, *, timing: bool) -> str:
    """Say where a turn belongs and when it was; its number, and what it was made with, are told below, in itself."""
    said = [f"session {one_line(turn.session_id, 100)}"]
    if timing:
        said.append(f"{turn.started_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC")
    return " · ".join(said)


def _sessions(traces: Sequence[Trace]) -> str:
    names = list(dict.fromkeys(trace.turn.session_id for trace in traces))
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")  # noqa: PLR2004 - a line


def _contents(traces: Sequence[Trace]) -> str:
    """List the turns by their numbers, with links to them; what did not go well has a colour."""
    entries = [
        f'<li value="{trace.turn.number}"><a href="#turn-{place}" style="{_LINK}">{_request(trace.turn)}</a>'
        f"{'' if trace.turn.is_ok else ' ' + html.badge(trace.turn.outcome, outcome_colour(trace.turn.outcome))}</li>"
        for place, trace in enumerate(traces, 1)
    ]
    return f'<ol style="margin:0 0 24px 0;padding-left:40px">{"".join(entries)}</ol>\n' if entries else ""


def _request(turn: Turn) -> str:
    return esc(one_line(turn.text, 100) or "(no words)")
