"""Pieces of HTML with inline styles only.

What survives an untrusted notebook decides: no ``<style>``, no script, no id, no inline SVG, no ``transform``. Text
takes the page's own colour, surfaces are translucent grey, and colours carry white text, so that light and dark pages
look equally good. Everything that is not written by this package goes through :func:`~lango_nb.viz.escape.esc`.

Arguments called ``inner``, ``body`` or ``cells`` are HTML; all others are texts and get escaped here.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

from lango_nb.viz.colours import ROOT
from lango_nb.viz.escape import esc, one_line

EDGE = "rgba(127,127,127,.35)"
SURFACE = "rgba(127,127,127,.14)"
FAINT = "rgba(127,127,127,.07)"
MUTED = ".75"
"""Opacity of what matters less."""
SMALL = "12px"
_LETTERS = 11
"""Letters that fit the width of a column."""
_MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
_LONG = 320
"""Characters of a value that are shown before it is folded."""
_LONG_LINES = 12
_LONGEST = 50_000
"""Characters of a folded value that are kept: a page with whole books in it opens no more."""


def css(**rules: str) -> str:
    """Write style rules.

    Examples
    --------
    >>> css(min_width="0", color="#ffffff")
    'min-width:0;color:#ffffff'
    """
    return ";".join(f"{name.replace('_', '-')}:{value}" for name, value in rules.items() if value)


def tag(name: str, inner: str, *, title: str = "", **rules: str) -> str:
    """Write an element; ``title`` shows when the pointer rests on it."""
    style = f' style="{css(**rules)}"' if rules else ""
    hover = f' title="{esc(title)}"' if title else ""
    return f"<{name}{style}{hover}>{inner}</{name}>"


def div(*inner: str, title: str = "", **rules: str) -> str:
    """Write a block."""
    return tag("div", "".join(inner), title=title, **rules)


def span(*inner: str, title: str = "", **rules: str) -> str:
    """Write a piece of a line."""
    return tag("span", "".join(inner), title=title, **rules)


def view(*inner: str) -> str:
    """Wrap a whole view."""
    return div(*inner, max_width="100%", font_size="13px", line_height="1.5", overflow_wrap="break-word")


def line(*inner: str, margin: str = "0 0 4px 0") -> str:
    """Put pieces beside each other; they wrap when there is no room."""
    return div(*inner, display="flex", flex_wrap="wrap", align_items="baseline", gap="2px 10px", margin=margin)


def title(text: str) -> str:
    """Write what a view is of."""
    return span(esc(text), font_size="15px", font_weight="600", min_width="0", overflow_wrap="break-word")


def header(text: str, facts: Iterable[str] = (), beside: Iterable[str] = ()) -> str:
    """Write the first line of a view: a title, what stands beside it (HTML), and a few facts."""
    said = " · ".join(fact for fact in facts if fact)
    return line(title(text), *beside, muted(said) if said else "", margin="0 0 6px 0")


def heading(text: str) -> str:
    """Write a small heading inside a view."""
    return div(esc(text), margin="12px 0 4px 0", font_weight="600")


def badge(text: str, colour: str = ROOT) -> str:
    """Write a word on a colour."""
    return span(
        esc(text),
        display="inline-block",
        max_width="100%",
        box_sizing="border-box",
        padding="0 8px",
        border_radius="9px",
        background=colour,
        color="#ffffff",
        font_size="11px",
        font_weight="600",
        line_height="18px",
        vertical_align="middle",
        overflow="hidden",
        text_overflow="ellipsis",
        white_space="nowrap",
    )


def tagged(sign: str, text: str, fill: str, colour: str = "", edge: str = "") -> str:
    """Write a sign and a word on a surface with corners, so that it is no badge and no name."""
    return span(
        span(esc(sign), display="inline-block", min_width="12px", text_align="center", margin_right="4px"),
        esc(text),
        display="inline-block",
        max_width="100%",
        box_sizing="border-box",
        padding="0 6px 0 4px",
        border=f"1px solid {edge or 'transparent'}",
        border_radius="3px",
        background=fill,
        color=colour,
        font_size="11px",
        line_height="16px",
        vertical_align="middle",
        overflow="hidden",
        text_overflow="ellipsis",
        white_space="nowrap",
    )


def chip(text: str, beside: str = "", *, edge: str = "", dashed: bool = False, hint: str = "") -> str:
    """Write a name on a grey surface.

    Parameters
    ----------
    text : str
    beside : str
        A word or number after it.
    edge : str
        Colour of its left edge.
    dashed : bool
        Whether it is drawn hollow.
    hint : str
        What shows when the pointer rests on it.
    """
    return span(
        esc(text),
        f" {muted(beside)}" if beside else "",
        title=hint,
        display="inline-block",
        max_width="100%",
        box_sizing="border-box",
        padding="0 6px",
        margin="1px 4px 2px 0",
        border=f"1px dashed {EDGE}" if dashed else "1px solid transparent",
        border_left=f"3px solid {edge}" if edge else "",
        border_radius="4px",
        background="transparent" if dashed else SURFACE,
        font_size=SMALL,
        line_height="18px",
        overflow_wrap="break-word",
        vertical_align="top",
    )


def tinted(text: str, colour: str, strength: float, hint: str = "") -> str:
    """Write a word on a tint of a colour, and with a line of that colour below it: text stays as readable as it was."""
    share = round(255 * (0.12 + 0.28 * min(max(strength, 0.0), 1.0)))
    return span(
        esc(text),
        title=hint,
        background=f"{colour}{share:02x}",
        border_bottom=f"2px solid {colour}",
        border_radius="2px",
        padding="0 1px",
    )


def dot(colour: str) -> str:
    """Write a coloured dot."""
    return span(
        display="inline-block",
        width="9px",
        height="9px",
        border_radius="5px",
        background=colour,
        margin_right="6px",
        flex="0 0 auto",
    )


def flat_named(name: str, colour: str, beside: str = "") -> str:
    """Write a name with its dot where there is one line for it, that ends in …."""
    return dot(colour) + esc(name) + (f" {muted(beside)}" if beside else "")


def named(name: str, colour: str, beside: str = "") -> str:
    """Write a name with its coloured dot before it, and a word after it; they are never torn apart."""
    said = esc(name) + (f" {muted(beside)}" if beside else "")
    inner = span(said, min_width="0", overflow_wrap="break-word")
    return span(dot(colour), inner, display="inline-flex", align_items="baseline", max_width="100%")


def muted(text: str) -> str:
    """Write a text less strongly."""
    return span(esc(text), opacity=MUTED)


def small(text: str) -> str:
    """Write a line of facts in small, muted type."""
    return div(esc(text), font_size=SMALL, opacity=MUTED, margin="2px 0 6px 0") if text else ""


def note(text: str) -> str:
    """Write a remark under a view."""
    return div(esc(text), font_size=SMALL, opacity=MUTED, margin="6px 0 0 0") if text else ""


def cell(inner: str, **rules: str) -> str:
    """Put something on one line that ends in … when there is no room."""
    return span(inner, overflow="hidden", text_overflow="ellipsis", white_space="nowrap", min_width="0", **rules)


def block(text: str) -> str:
    """Write a text with its own line ends."""
    return div(esc(text), white_space="pre-wrap", overflow_wrap="break-word")


def pre(text: str, longest: int = _LONGEST) -> str:
    """Write a text as it is in fixed type, folding what is long; 0 keeps all of it, however long."""
    if len(text) <= _LONG and text.count("\n") < _LONG_LINES:
        return _pre(text)
    kept = text[: longest or None]
    hidden = len(text) - len(kept)
    rest = note(f"{hidden:,} more characters are not shown here; the record and its frame have them") if hidden else ""
    whole = details(muted(f"all {len(text):,} characters"), _pre(kept) + rest)
    head = "\n".join(text[:_LONG].split("\n")[:_LONG_LINES])
    return _pre(head.rstrip() + " …") + whole


def _pre(text: str) -> str:
    return tag(
        "pre",
        esc(text),
        margin="2px 0",
        padding="6px 9px",
        border="0",
        border_radius="4px",
        background=FAINT,
        font_family=_MONO,
        font_size=SMALL,
        line_height="1.45",
        white_space="pre-wrap",
        overflow_wrap="break-word",
        max_width="100%",
        box_sizing="border-box",
    )


def code_lines(lines: Iterable[tuple[str, str]]) -> str:
    """Write lines of fixed type, each on a background of its own: text and colour."""
    rows = "".join(
        div(
            esc(text),
            padding="0 8px",
            min_height="18px",
            background=colour,
            white_space="pre-wrap",
            overflow_wrap="break-word",
        )
        for text, colour in lines
    )
    return div(
        rows,
        margin="3px 0",
        padding="4px 0",
        border_radius="4px",
        background=FAINT,
        font_family=_MONO,
        font_size=SMALL,
        line_height="1.5",
    )


def inline(text: str, limit: int = 160) -> str:
    """Write a text on one line, cut; the whole text shows when the pointer rests on it."""
    short = one_line(text, limit)
    return span(esc(short), title=text[:2000]) if short != text else esc(short)


def details(summary: str, body: str, *, is_open: bool = False, **rules: str) -> str:
    """Fold HTML under a line of HTML."""
    style = css(**(rules or {"margin": "3px 0"}))
    inner = div(body, padding="2px 0 6px 18px")
    head = tag("summary", summary, cursor="pointer")
    return f'<details style="{style}"{" open" if is_open else ""}>{head}{inner}</details>'


def row_details(columns: str, cells: Iterable[str], body: str) -> str:
    """Fold HTML under a row of cells that stand in columns.

    Parameters
    ----------
    columns : str
        Widths, as CSS grids take them.
    cells : iterable of str
        HTML.
    body : str
        HTML.
    """
    return details(row(columns, cells), body, margin="0", padding="2px 0", border_bottom=f"1px solid {SURFACE}")


def row(columns: str, cells: Iterable[str], width: str = "calc(100% - 20px)") -> str:
    """Put cells in columns, beside the sign that opens what is folded."""
    return span(
        *cells,
        display="inline-grid",
        grid_template_columns=columns,
        gap="0 10px",
        align_items="baseline",
        width=width,
        vertical_align="top",
    )


def fields(pairs: Iterable[tuple[str, str]]) -> str:
    """Write names with their values (HTML) beside them; those without a value are left out."""
    rows = "".join(
        div(esc(name), opacity=MUTED) + div(value, min_width="0", overflow_wrap="break-word")
        for name, value in pairs
        if value
    )
    columns = "minmax(70px,max-content) minmax(0,1fr)"
    return div(rows, display="grid", grid_template_columns=columns, gap="2px 14px") if rows else ""


def grid(columns: str, *cells: str, gap: str = "0 12px") -> str:
    """Put cells in columns."""
    return div(*cells, display="grid", grid_template_columns=columns, gap=gap, align_items="center")


CELL: dict[str, str] = {
    "vertical_align": "top",
    "padding": "4px 12px 4px 0",
    "border": "0",
    "white_space": "normal",
    "line_height": "1.45",
    "overflow_wrap": "break-word",
}


def td(inner: str, **rules: str) -> str:
    """Write a cell of a table; JupyterLab's own rules for tables are overruled."""
    return tag("td", inner, **{"text_align": "left", **CELL, **rules})


def th(inner: str, **rules: str) -> str:
    """Write a head of a table."""
    return tag("th", inner, **{"text_align": "left", **CELL, "font_weight": "600", **rules})


def table(head: str, rows: Iterable[str], **rules: str) -> str:
    """Write a table out of rows of cells; it scrolls sideways by itself when it does not fit."""
    under = f"1px solid {SURFACE}"
    lines = "".join(tag("tr", row, background="transparent", border_bottom=under) for row in rows)
    above = f"<thead>{tag('tr', head, background='transparent')}</thead>" if head else ""
    inner = f"{above}<tbody>{lines}</tbody>"
    style = {
        "border_collapse": "collapse",
        "border": "0",
        "margin": "4px 0",
        "font_size": "13px",
        "table_layout": "auto",
        "width": "auto",
        **rules,
    }
    return div(tag("table", inner, **style), max_width="100%", overflow_x="auto")


def breakable(name: str) -> str:
    """Let a long name break where its parts end, and anywhere when a part is long."""
    made: list[str] = []
    run = 0
    for char in name:
        run = 0 if char in "-_." else run + 1
        made.append(esc(char))
        if run in {0, _LETTERS}:
            made.append("<wbr>")
            run = 0
    return "".join(made)


def listing(heads: Sequence[str], rows: Iterable[Sequence[str]], align: str = "", widths: Sequence[str] = ()) -> str:
    """Write a table of columns.

    Parameters
    ----------
    heads : sequence of str, length k
        Or none, for a table without heads.
    rows : iterable of sequence of str, length k each
        HTML.
    align : str, optional
        ``<`` or ``>`` per column; left when shorter.
    widths : sequence of str, optional
        CSS widths per column; with them the table fills the page and cells break.

    Returns
    -------
    str
        HTML.
    """
    number = max(len(heads), len(widths))
    sides = ["right" if how == ">" else "left" for how in align.ljust(number, "<")]
    sizes = [*widths, *[""] * (number - len(widths))]
    head = "".join(
        th(breakable(text), text_align=side, width=size, border_bottom=f"1px solid {EDGE}")
        for text, side, size in zip(heads, sides, sizes, strict=False)
    )
    columns = [(side, "" if heads else size) for side, size in zip(sides, sizes, strict=True)]
    lines = (
        "".join(td(cell, text_align=side, width=size) for cell, (side, size) in zip(row, columns, strict=True))
        for row in rows
    )
    fixed = {"table_layout": "fixed", "width": "100%"} if widths else {}
    return table(head, lines, **fixed)


def picture(svg: str, alt: str, width: float) -> str:
    """Show a drawing as an image: the one way that keeps it in an untrusted notebook."""
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode("ascii")
    style = css(max_width="100%", height="auto", display="block", margin="4px 0")
    return f'<img alt="{esc(alt)}" width="{round(width)}" style="{style}" src="data:image/svg+xml;base64,{data}">'


def segments(parts: Iterable[tuple[float, str, str]], height: int = 12) -> str:
    """Draw a bar of coloured pieces: share of the whole from 0 to 1, colour, and a hint."""
    inner = "".join(
        div(title=hint, width=f"{100 * share:.3f}%", height=f"{height}px", background=colour, flex="0 0 auto")
        for share, colour, hint in parts
        if share > 0
    )
    return div(
        inner,
        display="flex",
        width="100%",
        height=f"{height}px",
        border_radius="3px",
        overflow="hidden",
        background=SURFACE,
    )


def at(left: float, size: float, *inner: str, title: str = "", **rules: str) -> str:
    """Place a piece over a bar: from ``left`` on, ``size`` long, both shares of the bar from 0 to 1."""
    place = {"position": "absolute", "left": f"{100 * left:.3f}%", "width": f"{100 * size:.3f}%"}
    return tag("div", "".join(inner), title=title, **{**place, **rules})


def legend(entries: Iterable[tuple[str, str]]) -> str:
    """Say what colours mean: text and colour."""
    inner = "".join(
        span(dot(colour), muted(text), display="inline-block", margin_right="14px", white_space="nowrap")
        for text, colour in entries
    )
    return div(inner, margin="6px 0 0 0", font_size=SMALL) if inner else ""
