"""Documents as HTML with inline styles only; see :mod:`lango_nb.viz.html` for what survives where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lango_nb.viz import document as doc
from lango_nb.viz import html
from lango_nb.viz.cards import tree_drawing
from lango_nb.viz.colours import BAD, GROUPS
from lango_nb.viz.escape import esc, one_line
from lango_nb.viz.lanes import PIECES, Bar, Lane, lane_bars, lives, step_bars, timed_bars, timed_lives, zoomed
from lango_nb.viz.spans import kind_of

_PAGE = 4000
"""Characters of an answer that fill a page."""
_QUOTED = 400
"""Characters of a request that are shown before it is folded."""
_ALT = 2000
"""Characters of the words that stand in for a picture."""
_TIMED = 500
"""Spans that are drawn along real time."""
_LABELLED = 24
"""Events up to which bars of lanes carry a name."""
_CALLS = 160
"""Events up to which model calls are drawn below the order of events."""
_SIGN = 1 / 80
"""Share of a lane in which a sign has room."""
_ACTOR = 84
"""Pixels that an actor needs beside others at least; a wider drawing scrolls."""
_ARROW = 160
"""Characters of an arrow's words."""
_TIPS = ("\N{BLACK LEFT-POINTING POINTER}", "\N{BLACK RIGHT-POINTING POINTER}")
_DASHES = {"call": "solid", "return": "dashed", "note": "dotted"}
_MARK = "rgba(127,127,127,.9)"
_VEIL = "rgba(127,127,127,.5)"
_DIFFERENCES = {"+": "rgba(47,125,70,.22)", "-": "rgba(179,38,30,.20)", "@": "rgba(127,127,127,.18)"}


def as_html(document: doc.Document) -> str:
    """Write a document as one element.

    Parameters
    ----------
    document : Document

    Returns
    -------
    str
        Every text in it is escaped.

    Examples
    --------
    >>> from lango_nb.viz.document import Note
    >>> as_html((Note("<b>"),)).endswith(">&lt;b&gt;</div></div>")
    True
    """
    return html.view(_blocks(document))


def _blocks(blocks: Iterable[doc.Block]) -> str:
    return "".join(map(_block, blocks))


def _block(block: doc.Block) -> str:  # noqa: PLR0911, C901, PLR0912 - one case per kind of block
    match block:
        case doc.Title(said, facts):
            words = [fact for fact in facts if isinstance(fact, str)]
            return html.header(said, words, [inline(fact) for fact in facts if not isinstance(fact, str)])
        case doc.Paragraph(inner):
            return html.div(inline(inner), margin="2px 0", overflow_wrap="break-word")
        case doc.Line(parts):
            return html.line(*(html.span(inline(part), min_width="0") for part in parts if part))
        case doc.Facts(facts):
            return html.small(" · ".join(filter(None, facts)))
        case doc.Note(said):
            return html.note(said)
        case doc.Heading(said):
            return html.heading(said)
        case doc.Quote(said):
            return _quote(said)
        case doc.Prose(said):
            return html.div(html.pre(said) if len(said) > _PAGE else html.block(said), margin="0 0 4px 0")
        case doc.Code(said, is_whole):
            return html.pre(said, 0) if is_whole else html.pre(said)
        case doc.Difference(said):
            return html.code_lines((row, _DIFFERENCES.get(row[:1], "transparent")) for row in said.split("\n"))
        case doc.Rows():
            return _folding_rows(block) if block.folds else _rows(block)
        case doc.Fields(fields):
            return html.fields((name, _value(value)) for name, value in fields)
        case doc.Fold():
            return _fold(block)
        case doc.Box(head, blocks):
            inner = (html.line(inline(head)) if head else "") + _blocks(blocks)
            return html.div(
                inner, margin="6px 0 12px 0", padding="2px 0 2px 12px", border_left=f"4px solid {html.EDGE}"
            )
        case doc.Items(items):
            return _items(items) if items else ""
        case doc.Candidates(candidates, mark):
            return "".join(_candidate(one, mark) for one in candidates)
        case doc.Matrix():
            return _matrix(block)
        case doc.Legend(entries):
            return html.legend(entries)
        case doc.Tree(root, nodes):
            return tree_drawing(root, nodes)
        case doc.Picture(svg, alt, width):
            return html.picture(svg, alt, width)
        case doc.Lanes():
            return _lanes(block)
        case doc.Exchange():
            return _exchange(block)
        case doc.Rich(blocks):
            return _blocks(blocks)
        case doc.Choice() if block.rows > 1:
            return _blocks(block.listed)
        case doc.Entry(_, label, value) | doc.Choice(_, label, _, value):
            return html.fields(((label, esc(value)),))
        case doc.Slider(_, label, last, value):
            return html.fields(((label, f"{value:,} of {last:,}"),))
        case doc.Plain() | doc.Buttons() | doc.Gap() | doc.Rule():
            return ""


# -- pieces of a line --------------------------------------------------------------------------------------------------


def inline(piece: doc.Inline) -> str:  # noqa: PLR0911, C901, PLR0912 - one case per kind of piece
    """Write a piece of a line.

    Examples
    --------
    >>> inline(("a < b", doc.Strong("!")))
    'a &lt; b<span style="font-weight:600">!</span>'
    """
    match piece:
        case str():
            return esc(piece)
        case tuple():
            return "".join(map(inline, piece))
        case doc.Strong(inner):
            return html.span(inline(inner), font_weight="600") if inner else ""
        case doc.Muted(inner):
            return html.span(inline(inner), opacity=html.MUTED) if inner else ""
        case doc.Words(pieces):
            return " ".join(filter(None, map(inline, pieces)))
        case doc.Name():
            return _name(piece)
        case doc.Badge(said, colour):
            return html.badge(said, colour)
        case doc.Tag(kind):
            return _tag(kind)
        case doc.Cut(said, most):
            return html.inline(said, most)
        case doc.Chip(said, beside, edge, is_hollow, hint):
            return html.chip(said, beside, edge=edge, dashed=is_hollow, hint=hint)
        case doc.Chips(chips, most):
            hidden = len(chips) - most
            rest = html.muted(f"and {hidden:,} more") if hidden > 0 else ""
            return "".join(map(inline, chips[:most])) + rest
        case doc.Pairs(pairs, most):
            return " &nbsp;".join(f"{html.muted(name)} {html.inline(said, most)}" for name, said in pairs)
        case doc.Bar():
            return html.div(_bar(piece), margin="4px 0 0 0")
        case doc.Tinted(said, colour, strength, hint):
            return html.tinted(said, colour, strength, hint)
        case doc.Either(_, rich):
            return inline(rich)
        case doc.Fold():
            return _fold(piece)


def _tag(kind: str) -> str:
    sign, group = kind_of(kind)
    return html.tagged(sign, kind, *GROUPS[group])


def _legend_of(kinds: Iterable[str]) -> str:
    return html.line(*map(_tag, kinds), margin="6px 0 0 0")


def _name(piece: doc.Name) -> str:
    shown = one_line(piece.name, piece.most) if piece.most else piece.name
    named = html.named(shown, piece.colour, piece.beside)
    return named if shown == piece.name else html.span(named, title=piece.name[:2000])


def _bar(bar: doc.Bar) -> str:
    drawn = html.segments(bar.parts, bar.height)
    if bar.mark is not None:
        height = f"{bar.height + 4}px"
        drawn += html.at(
            min(bar.mark, 0.99), 0, title=bar.hint, width="2px", top="-2px", height=height, background=_MARK
        )
    return html.div(drawn, position="relative", width=bar.width, height=f"{bar.height}px")


def _value(value: doc.Inline | doc.Code) -> str:
    if not isinstance(value, doc.Code):
        return inline(value)
    return _block(value) if value.text else ""


# -- blocks ------------------------------------------------------------------------------------------------------------


def _quote(said: str) -> str:
    is_long = len(said) > _QUOTED
    shown = esc(one_line(said, _QUOTED)) if is_long else esc(said).replace("\n", "<br>")
    quoted = html.span("“", shown, "”", font_size="15px", min_width="0", overflow_wrap="break-word")
    return html.line(quoted) + (html.details(html.muted("the whole request"), html.pre(said)) if is_long else "")


def _rows(block: doc.Rows) -> str:
    return html.listing(block.heads, ([inline(cell) for cell in row] for row in block.rows), block.align, block.widths)


def _folding_rows(block: doc.Rows) -> str:
    columns = " ".join(block.widths)
    sides = ["right" if how == ">" else "" for how in block.align.ljust(len(block.heads), "<")[: len(block.heads)]]
    heads = (html.cell(esc(said), text_align=side) for said, side in zip(block.heads, sides, strict=True))
    head = html.div(html.row(columns, heads, "calc(100% - 4px)"), padding_left="16px", opacity=html.MUTED)
    rows = (
        html.row_details(
            columns,
            (html.cell(_flat(cell), text_align=side) for cell, side in zip(row, sides, strict=True)),
            _blocks(fold),
        )
        for row, fold in zip(block.rows, block.folds, strict=True)
    )
    return html.div(head, *rows, margin_top="8px")


def _flat(cell: doc.Inline) -> str:
    """Write a cell that has one line."""
    if isinstance(cell, doc.Name):
        named = html.flat_named(cell.name, cell.colour, cell.beside)
        return html.span(named, title=f"{cell.name} {cell.beside}".rstrip())
    return inline(cell)


def _fold(fold: doc.Fold) -> str:
    return html.details(inline(fold.summary), _blocks(fold.blocks), is_open=fold.is_open)


def _items(items: Iterable[doc.Item]) -> str:
    rows = ((inline(item.badge), html.inline(item.name, 60), _finding(item)) for item in items)
    return html.listing((), rows, widths=("52px", "120px", "auto"))


def _finding(item: doc.Item) -> str:
    points = "".join(map(_point, item.points))
    said = html.inline(item.text, 600)
    if points and item.is_quiet:
        said, points = html.details(said, points, margin="0"), ""
    step = html.div(f"→ {html.inline(item.next_step, 300)}", margin="2px 0 0 0") if item.next_step else ""
    return html.div(said, points, step)


def _point(said: str) -> str:
    """Write one line of evidence; further lines begin below its first letter."""
    inner = html.div(html.inline(said, 300), min_width="0", overflow_wrap="break-word")
    return html.div(html.muted("·"), inner, display="flex", gap="6px", margin="2px 0 0 0")


def _candidate(one: doc.Candidate, mark: float) -> str:
    strong = "600" if one.is_chosen else "400"
    numbers = [html.span(esc(number), font_weight=strong) for number in one.numbers[:-1]]
    numbers += map(html.muted, one.numbers[-1:])
    bar = doc.Bar(((min(one.share, 1.0), one.colour, f"{one.name}: {' '.join(one.numbers)}"),), height=14,
              mark=mark or None)  # fmt: skip
    stack = html.div(_bar(doc.Bar(one.stack, height=8)), margin="3px 0 0 0") if one.stack else ""
    head = html.grid(
        "minmax(90px,170px) minmax(0,1fr) 96px",
        html.div(html.named(one_line(one.name), one.colour), min_width="0", font_weight=strong),
        html.div(_bar(bar), stack, opacity=".45" if one.vetoes else ""),
        html.div(" ".join(numbers), text_align="right", white_space="nowrap"),
    )
    vetoes = "".join(html.badge(f"out: {one_line(veto, 100)}", BAD) + " " for veto in one.vetoes)
    rest = "".join(map(inline, one.rest))
    return html.div(
        head,
        html.div(vetoes, *map(inline, one.terms), margin_top="3px"),
        html.details(html.muted(one.rest_said), rest, margin="0") if rest else "",
        margin="0 0 6px 0",
        padding="4px 8px",
        border_left=f"4px solid {one.colour if one.is_chosen else html.EDGE}",
        background=html.FAINT if one.is_chosen else "transparent",
    )


def _matrix(matrix: doc.Matrix) -> str:
    number = {"text_align": "center", "vertical_align": "middle", "padding": "1px 3px", "min_width": "30px"}
    name = {"vertical_align": "middle", "padding": "1px 12px 1px 0", "max_width": "220px"}
    top = {**number, "vertical_align": "bottom", "max_width": "92px"}
    head = html.th(esc(matrix.corner), **{**name, "vertical_align": "bottom"}) + "".join(
        html.th(html.breakable(said), **top, border_bottom=f"3px solid {colour}") for said, colour in matrix.columns
    )

    def row(said: str, cells: Sequence[tuple[int, str]], total: int | None) -> str:
        inner = "".join(_field(value, colour, number) for value, colour in cells)
        last = "" if total is None else html.td(f"{total:,}", **number, opacity=html.MUTED)
        return html.td(html.inline(said, 64), **name) + inner + last

    if not matrix.sums:
        return html.table(head, [row(said, cells, None) for said, cells in matrix.rows], font_size=html.SMALL)
    ends, bottom = matrix.sums
    rows = [row(said, cells, end) for (said, cells), end in zip(matrix.rows, ends, strict=True)]
    rows.append(
        html.td("all", **name, font_weight="600")
        + "".join(html.td(f"{value:,}", **number, font_weight="600") for value in bottom)
    )
    return html.table(head + html.th("all", **top), rows, font_size=html.SMALL)


def _field(value: int, colour: str, style: dict[str, str]) -> str:
    if not value:
        return html.tag("td", "", padding="0", border="0")
    is_solid = colour.startswith("#")
    filled = html.span(
        f"{value:,}",
        display="inline-block",
        min_width="26px",
        padding="0 4px",
        border_radius="4px",
        background=colour,
        color="#ffffff" if is_solid else "",
        font_weight="600" if is_solid else "",
        line_height="18px",
    )
    return html.td(filled, **style)


# -- exchanges ---------------------------------------------------------------------------------------------------------


def _exchange(block: doc.Exchange) -> str:
    """Draw actors side by side, and below them a row for each arrow across their lines."""
    if not block.actors:
        return ""
    number = len(block.actors)
    heads = (
        html.div(
            html.flat_named(actor.name, actor.colour, actor.beside),
            title=f"{actor.name} {actor.beside}".rstrip(),
            flex="1 1 0",
            min_width="0",
            padding="0 4px 4px 4px",
            box_sizing="border-box",
            text_align="center",
            font_size=html.SMALL,
            overflow="hidden",
            text_overflow="ellipsis",
            white_space="nowrap",
        )
        for actor in block.actors
    )
    lifelines = "".join(
        html.at((place + 0.5) / number, 0, width="1px", top="0", height="100%", background=actor.colour, opacity=".4")
        for place, actor in enumerate(block.actors)
    )
    rows = (
        html.div(lifelines, _arrow(arrow, number), position="relative", height="34px" if _is_across(arrow) else "24px")
        for arrow in block.arrows
    )
    kinds = dict.fromkeys(arrow.kind for arrow in block.arrows)
    drawn = html.div(html.div(*heads, display="flex"), *rows, min_width=f"{_ACTOR * number}px")
    return html.div(drawn, overflow_x="auto", max_width="100%", margin="4px 0") + _legend_of(kinds)


def _is_across(arrow: doc.Arrow) -> bool:
    return arrow.sender != arrow.target


def _arrow(arrow: doc.Arrow, number: int) -> str:
    """Draw what went across, its words above it; or what one did, its words beside its line."""
    start, end = sorted(((arrow.sender + 0.5) / number, (arrow.target + 0.5) / number))
    is_before = start + end > 1  # its words go on to where there is more room
    sign, group = kind_of(arrow.kind)
    colour = GROUPS[group].fill if GROUPS[group].text else _MARK
    words = html.div(
        esc(one_line(arrow.text, _ARROW)),
        title=f"{arrow.kind}: {arrow.text}"[:_ALT],
        min_width="0",
        padding="0 8px",
        font_size=html.SMALL,
        line_height="18px",
        white_space="nowrap",
        overflow="hidden",
        text_overflow="ellipsis",
    )
    if not _is_across(arrow):
        mark = html.div(sign, width="12px", flex="0 0 auto", text_align="center", font_size=html.SMALL)
        return _beside(start, (words, mark) if is_before else (mark, words), "3px", is_before=is_before)
    shaft = html.div(flex="1 1 0", border_top=f"2px {_DASHES[arrow.form]} {colour}")
    tip = html.span(_TIPS[arrow.target > arrow.sender])
    parts = (shaft, tip) if arrow.target > arrow.sender else (tip, shaft)
    line = html.at(
        start, end - start, *parts, display="flex", align_items="center", top="18px", height="12px", font_size="11px"
    )
    return line + _beside(end if is_before else start, (words,), "1px", is_before=is_before)


def _beside(place: float, parts: Sequence[str], top: str, *, is_before: bool) -> str:
    """Put pieces before a place, or from it on."""
    left, size, side = (0.0, place, "flex-end") if is_before else (place, 1 - place, "")
    return html.at(left, size, *parts, top=top, display="flex", align_items="center", justify_content=side)


# -- lanes -------------------------------------------------------------------------------------------------------------


def _lanes(block: doc.Lanes) -> str:
    """Draw who was at work when, along the order of events or along real time."""
    (first, last), timing = block.stretch or (1, block.slots), block.is_timed
    made = block.spans if block.stretch is None else zoomed(block.spans, first, last)
    slots = last - first + 1
    if not made:
        return ""
    if timing:
        bars, calls = timed_bars(made, _TIMED)
        alive = timed_lives(made)
        total = (max(span.end for span in made) - made[0].start).total_seconds() * 1000
        ends = ("0 ms", "time", f"{total:,.1f} ms")
    else:
        bars, calls = lane_bars(made, slots, PIECES), step_bars(made, slots, _CALLS)
        alive = lives(made, slots)
        ends = (f"event {first:,}", "order of events", f"event {last:,}")
    labelled = slots <= _LABELLED and not timing
    rows = []
    for key, lane in block.lanes.items():
        if key not in bars:  # nothing of it lies in the stretch
            continue
        colour = block.colours[lane.agent]
        pieces = [_life(*alive[key], colour)] if key in alive else []
        pieces += [_lane_bar(bar, _free(bar, bars[key]), labelled=labelled) for bar in bars[key]]
        pieces += [_call(call, colour) for call in calls[key]]
        if block.until is not None and not timing:
            pieces.append(_later(min(max(block.until - first + 1, 0), slots) / slots))
        rows.append((_lane_name(lane, colour) if block.has_names else "") + _lane(pieces))
    axis = (html.div() if block.has_names else "") + html.div(
        *(html.span(end) for end in ends),
        display="flex",
        justify_content="space-between",
        font_size="11px",
        opacity=html.MUTED,
    )
    chart = html.grid(f"{'minmax(80px,190px) ' * block.has_names}minmax(0,1fr)", *rows, axis, gap="3px 12px")
    if block.until is not None:  # the events stand in a list beside it
        return chart
    kinds = _legend_of(dict.fromkeys(span.kind for span in made))
    return chart + kinds + html.note(_meaning(any(calls.values()), bool(alive), timing=timing))


def _meaning(has_calls: bool, has_runs: bool, *, timing: bool) -> str:
    call = "a thin line is a model call" if timing else "a line under bars is the model call that led to them"
    said = [call] if has_calls else []
    said += ["a run stands under whoever asked for it, on a tint as long as it lived"] if has_runs else []
    return "; ".join(said)


def _lane_name(lane: Lane, colour: str) -> str:
    return html.div(
        html.flat_named(lane.agent, colour, lane.run_id),
        title=f"{lane.agent} {lane.run_id}".rstrip(),
        font_size=html.SMALL,
        padding_left=f"{14 * lane.depth}px" if lane.depth else "",
        overflow="hidden",
        text_overflow="ellipsis",
        white_space="nowrap",
        min_width="0",
    )


def _lane(pieces: Sequence[str]) -> str:
    return html.div(
        *pieces,
        position="relative",
        height="24px",
        border_radius="4px",
        background=html.SURFACE,
        overflow="hidden",
    )


def _life(left: float, size: float, colour: str) -> str:
    return html.at(left, size, top="0", height="24px", background=colour, opacity=".3")


def _later(left: float) -> str:
    """Grey what comes after the event up to which a turn is looked at."""
    return html.at(
        left,
        1 - left,
        top="0",
        height="24px",
        box_sizing="border-box",
        border_left=f"2px solid {_MARK}",
        background=_VEIL,
    )


def _free(bar: Bar, others: Iterable[Bar]) -> float:
    """Say which share of a bar is left for words: those that begin after it lie over the rest."""
    covered = [other.left for other in others if bar.left < other.left < bar.left + bar.size]
    return (min(covered) - bar.left) / bar.size if covered else 1.0


def _lane_bar(bar: Bar, free: float, *, labelled: bool) -> str:
    sign, group = kind_of(bar.kind)
    paint = GROUPS[group]
    cut = {"overflow": "hidden", "text_overflow": "ellipsis"}
    said = f"{sign} {esc(bar.label.removeprefix(sign).lstrip())}" if labelled else sign if bar.size > _SIGN else ""
    return html.at(
        bar.left,
        bar.size,
        said if free == 1 else html.div(said, width=f"{100 * free:.3f}%", **cut),
        title=bar.kind if bar.label in {"", bar.kind} else f"{bar.kind}: {bar.label}",
        top="2px",
        height="16px",
        box_sizing="border-box",
        border=f"1px solid {paint.edge or 'transparent'}",
        background=paint.fill,
        background_clip="padding-box",
        border_radius="3px",
        color=paint.text,
        font_size="10px",
        line_height="14px",
        padding_left="3px" if labelled else "1px",
        white_space="nowrap",
        **cut,
    )


def _call(call: Bar, colour: str) -> str:
    return html.at(
        call.left,
        call.size,
        title=call.label,
        top="20px",
        height="3px",
        box_sizing="border-box",
        border_left="1px solid transparent",
        background=colour,
        background_clip="padding-box",
    )
