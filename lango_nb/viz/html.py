"""Pieces of HTML with inline styles only.

What survives an untrusted notebook decides: no ``<style>``, no script, no id, no inline SVG, no ``transform``. Text
takes the page's own colour, surfaces are translucent grey, and colours carry white text, so that light and dark pages
look equally good. Everything that is not written by this package goes through :func:`~lango_nb.viz.escape.esc`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

from lango_nb.viz.colours import ROOT
from lango_nb.viz.escape import esc, one_line

EDGE = "rgba(127,127,127,.35)"
SURFACE = "rgba(127,127,127,.12)"
FAINT = "rgba(127,127,127,.07)"
MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
MUTED = "opacity:.75"
ELLIPSIS = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0"
CELL = (
    "text-align:left;vertical-align:top;padding:4px 12px 4px 0;border:0;white-space:normal;line-height:1.45;"
    "overflow-wrap:break-word;background:transparent"
)
_LONG = 320
"""Characters of a value that are shown before it is folded."""
_LONGEST = 50_000
"""Characters of a folded value that are kept; a page with whole books in it opens no more."""


def view(*parts: str) -> str:
    """Wrap a whole view."""
    inner = "".join(parts)
    return f'<div style="max-width:100%;font-size:13px;line-height:1.5;overflow-wrap:break-word">{inner}</div>'


def tag(name: str, style: str, inner: str, *, title: str = "") -> str:
    """Write an element; ``inner`` is HTML, ``title`` is text."""
    hover = f' title="{esc(title)}"' if title else ""
    return f'<{name} style="{style}"{hover}>{inner}</{name}>'


def header(title: str, facts: Iterable[str] = (), badges: str = "") -> str:
    """Write the first line of a view: a title, badges, and a few facts (texts)."""
    said = " · ".join(esc(fact) for fact in facts if fact)
    return (
        '<div style="display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px;margin:0 0 6px 0">'
        f'<span style="font-size:15px;font-weight:600;min-width:0">{esc(title)}</span>{badges}'
        f'<span style="{MUTED}">{said}</span></div>'
    )


def badge(text: str, colour: str = ROOT) -> str:
    """Write a word on a colour."""
    return tag(
        "span",
        f"display:inline-block;max-width:100%;box-sizing:border-box;padding:0 8px;border-radius:9px;background:{colour};"
        "color:#ffffff;font-size:11px;font-weight:600;line-height:18px;vertical-align:middle;overflow:hidden;"
        "text-overflow:ellipsis;white-space:nowrap",
        esc(text),
    )


def chip(text: str, note: str = "") -> str:
    """Write a name on a grey surface, with a word beside it."""
    beside = f' <span style="{MUTED}">{esc(note)}</span>' if note else ""
    return tag(
        "span",
        f"display:inline-block;max-width:100%;box-sizing:border-box;padding:0 6px;margin:1px 4px 1px 0;border-radius:4px;"
        f"background:{SURFACE};font-size:12px;line-height:19px;overflow-wrap:break-word;vertical-align:top",
        esc(text) + beside,
    )


def dot(colour: str) -> str:
    """Write a coloured dot."""
    return tag(
        "span",
        f"display:inline-block;width:9px;height:9px;border-radius:5px;background:{colour};margin-right:6px;"
        "flex:0 0 auto;vertical-align:baseline",
        "",
    )


def named(name: str, colour: str) -> str:
    """Write a name with its coloured dot before it."""
    return f'<span style="overflow-wrap:break-word">{dot(colour)}{esc(name)}</span>'


def muted(text: str) -> str:
    """Write a text less strongly."""
    return tag("span", MUTED, esc(text))


def paragraph(inner: str) -> str:
    """Write a paragraph of HTML."""
    return tag("div", "margin:4px 0", inner)


def note(text: str) -> str:
    """Write a remark under a view."""
    return tag("div", f"margin:6px 0 0 0;font-size:12px;{MUTED}", esc(text)) if text else ""


def heading(text: str) -> str:
    """Write a small heading inside a view."""
    return tag("div", "margin:12px 0 4px 0;font-weight:600", esc(text))


def pre(text: str) -> str:
    """Write a text as it is, folding what is long."""
    if len(text) <= _LONG and text.count("\n") <= 12:  # noqa: PLR2004 - lines that need no folding
        return _pre(text)
    more = len(text) - _LONGEST
    tail = note(f"{more:,} more characters are not shown here; the record and its frame have them") if more > 0 else ""
    whole = details(muted(f"all {len(text):,} characters"), _pre(text[:_LONGEST]) + tail)
    head = "\n".join(text[:_LONG].split("\n")[:12])
    return _pre(head.rstrip() + " …") + whole


def _pre(text: str) -> str:
    style = (
        f"margin:3px 0;padding:6px 9px;border:0;border-radius:4px;background:{FAINT};{MONO};font-size:12px;line-height:1.45;"
        "white-space:pre-wrap;overflow-wrap:break-word;max-width:100%;box-sizing:border-box"
    )
    return tag("pre", style, esc(text))


def inline(text: str, limit: int = 160) -> str:
    """Write a text on one line, cut; the whole text appears when the pointer rests on it."""
    short = one_line(text, limit)
    return tag("span", "", esc(short), title=text[:2000]) if short != text else esc(short)


def details(summary: str, body: str, *, is_open: bool = False, style: str = "margin:2px 0") -> str:
    """Fold something under a line; both are HTML."""
    return (
        f'<details style="{style}"{" open" if is_open else ""}><summary style="cursor:pointer">{summary}</summary>'
        f'<div style="padding:2px 0 6px 18px">{body}</div></details>'
    )


def fields(pairs: Iterable[tuple[str, str]]) -> str:
    """Write names with their values beside them; values are HTML, those that are empty are left out."""
    rows = "".join(
        f'<div style="{MUTED}">{esc(name)}</div><div style="min-width:0;overflow-wrap:break-word">{value}</div>'
        for name, value in pairs
        if value
    )
    return (
        f'<div style="display:grid;grid-template-columns:minmax(70px,max-content) minmax(0,1fr);gap:2px 14px">{rows}</div>'
        if rows
        else ""
    )


def grid_table(heads: Sequence[str], rows: Iterable[Sequence[str]], align: str = "", widths: Sequence[str] = ()) -> str:
    """Write a table; heads are texts, cells are HTML.

    Parameters
    ----------
    heads : sequence of str, length k
    rows : iterable of sequence of str, length k each
    align : str, optional
        ``<`` or ``>`` per column; left when shorter.
    widths : sequence of str, optional
        CSS widths per column; with them the table fills the page.

    Returns
    -------
    str
        A table that scrolls sideways by itself when it does not fit.
    """
    align = align.ljust(len(heads), "<")
    sizes = [*widths, *[""] * (len(heads) - len(widths))]
    styles = [CELL.replace("text-align:left", "text-align:right") if how == ">" else CELL for how in align]
    head = "".join(
        f'<th style="{style};font-weight:600;border-bottom:1px solid {EDGE};white-space:nowrap'
        f'{";width:" + size if size else ""}">{esc(text)}</th>'
        for text, style, size in zip(heads, styles, sizes, strict=True)
    )
    line = f"border-bottom:1px solid {SURFACE}"
    body = "".join(
        '<tr style="background:transparent">'
        + "".join(f'<td style="{style};{line}">{cell}</td>' for cell, style in zip(row, styles, strict=True))
        + "</tr>"
        for row in rows
    )
    layout = "table-layout:fixed;width:100%" if widths else "table-layout:auto;width:auto"
    return (
        f'<div style="max-width:100%;overflow-x:auto"><table style="border-collapse:collapse;border:0;margin:4px 0;'
        f'font-size:13px;{layout};max-width:100%"><thead><tr style="background:transparent">{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def picture(svg: str, alt: str, width: float) -> str:
    """Show a drawing as an image: the one way that keeps it in an untrusted notebook."""
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode("ascii")
    return (
        f'<img alt="{esc(alt)}" width="{round(width)}" style="max-width:100%;height:auto;display:block;margin:4px 0" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def segments(parts: Iterable[tuple[float, str, str]], height: int = 12) -> str:
    """Draw a bar of coloured pieces: share of the whole from 0 to 1, colour, and what the pointer shows."""
    inner = "".join(
        tag("div", f"width:{100 * share:.3f}%;height:{height}px;background:{colour};flex:0 0 auto", "", title=said)
        for share, colour, said in parts
        if share > 0
    )
    return (
        f'<div style="display:flex;width:100%;height:{height}px;border-radius:3px;overflow:hidden;background:{SURFACE}">'
        f"{inner}</div>"
    )


def legend(entries: Iterable[tuple[str, str]]) -> str:
    """Say what colours mean: text and colour."""
    inner = "".join(
        f'<span style="display:inline-block;margin-right:14px;white-space:nowrap">{dot(colour)}{esc(text)}</span>'
        for text, colour in entries
    )
    return f'<div style="margin:6px 0 0 0;font-size:12px;{MUTED}">{inner}</div>' if inner else ""
