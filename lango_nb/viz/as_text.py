"""Documents as plain text that lines up in a terminal."""

from __future__ import annotations

from lango_nb.viz import document as doc
from lango_nb.viz import text
from lango_nb.viz.escape import one_line
from lango_nb.viz.lanes import PIECES, Lane, lane_bars, lives, zoomed
from lango_nb.viz.spans import kind_of

_QUOTED = 12
"""Lines of a request that are shown."""
_NAME = 30
"""Columns of a candidate's name at most."""
_NODE = 28
"""Columns of an agent's name in a tree at most."""
_BAR = 24
_INDENT = "  "
_LANE = 24
"""Columns of the name of a lane at most."""
_ALIVE = "·"
_HARD_SPACE = "\N{NO-BREAK SPACE}"


def as_text(document: doc.Document) -> str:
    """Write a document as text.

    Parameters
    ----------
    document : Document

    Returns
    -------
    str
        At most :data:`lango_nb.viz.text.WIDTH` columns wide, but for what may not be wrapped.

    Examples
    --------
    >>> from lango_nb.viz.document import GAP, Note, Rows, Title
    >>> rows = Rows(("name",), (("fs_read",), ("exec",)))
    >>> print(as_text((Title("tools", ["2"]), GAP, rows, GAP, Note(""))))
    tools · 2
    <BLANKLINE>
    name
    ───────
    fs_read
    exec
    """
    return "\n".join(_lines(document, text.WIDTH))


def _lines(blocks: doc.Document, width: int) -> list[str]:
    """Write blocks one below the other."""
    lines: list[str] = []
    has_gap = False
    for block in blocks:
        if isinstance(block, doc.Gap):
            has_gap = bool(lines)
        elif made := _block(block, width):
            lines += ["", *made] if has_gap else made
            has_gap = False
    return lines


def _block(block: doc.Block, width: int) -> list[str]:  # noqa: PLR0911, C901, PLR0912 - one case per kind of block
    match block:
        case doc.Title(said, facts):
            return text.facts([said, *map(inline, facts)], width).split("\n")
        case doc.Paragraph(inner):
            return _wrapped(inline(inner), width)
        case doc.Line(parts, is_stacked=True):
            return [line for part in parts for line in _wrapped(inline(part), width)]
        case doc.Line(parts):
            return _wrapped(" · ".join(filter(None, map(inline, parts))), width)
        case doc.Facts(facts):
            return text.facts(facts, width).split("\n") if any(facts) else []
        case doc.Note(said) | doc.Prose(said):
            return _wrapped(said, width)
        case doc.Heading(_, plain):
            return _wrapped(plain, width)
        case doc.Quote(said):
            return text.wrap(f"“{said}”", width)[:_QUOTED]
        case doc.Code(said):
            return said.split("\n") if said else []
        case doc.Difference(said):
            return _wrapped(said, width)
        case doc.Rows():
            return _rows(block, width)
        case doc.Fields():
            return _fields(block, width)
        case doc.Fold(summary, blocks, plain=plain):
            return _fold(inline(summary), blocks, plain, width)
        case doc.Box(head, blocks):
            return [*_wrapped(inline(head), width), *_indented(_lines(blocks, width - len(_INDENT)))]
        case doc.Items(items):
            return [line for item in items for line in _item(item, width)]
        case doc.Candidates(candidates):
            return _candidates(candidates, width)
        case doc.Tree():
            return tree_text(block, width)
        case doc.Lanes():
            return _lanes(block)
        case doc.Exchange():
            return _exchange(block, width)
        case doc.Rule():
            return ["─" * text.WIDTH]
        case doc.Plain(blocks):
            return _lines(blocks, width)
        case doc.Choice() if block.rows > 1:
            return _lines(block.listed, width)
        case doc.Entry(_, label, value) | doc.Choice(_, label, _, value):
            return _fields(doc.Fields(((label, value),)), width)
        case doc.Slider(_, label, last, value):
            return _fields(doc.Fields(((label, f"{value:,} of {last:,}"),)), width)
        case doc.Rich() | doc.Matrix() | doc.Legend() | doc.Picture() | doc.Buttons() | doc.Gap():
            return []


# -- pieces of a line --------------------------------------------------------------------------------------------------


def inline(piece: doc.Inline) -> str:  # noqa: PLR0911, C901 - one case per kind of piece
    """Write a piece of a line.

    Examples
    --------
    >>> from lango_nb.viz.document import Badge, Muted, Name
    >>> inline((Name("root", "#000000"), Muted(" → "), Badge("success", "#000000")))
    'root → success'
    """
    match piece:
        case str():
            return piece
        case tuple():
            return "".join(map(inline, piece))
        case doc.Strong(inner) | doc.Muted(inner):
            return inline(inner)
        case doc.Words(pieces):
            return " ".join(filter(None, map(inline, pieces)))
        case doc.Name(name, _, beside, plain):
            said = f"{name} {beside}".rstrip()
            return one_line(said, plain) if plain else said
        case doc.Badge(said):
            return said
        case doc.Tag(kind):
            return f"{kind_of(kind).sign} {kind}"
        case doc.Cut(said, _, plain):
            return one_line(said, plain) if plain else said
        case doc.Chip(said, beside):
            return f"{said} {beside}".rstrip()
        case doc.Chips(chips):
            return ", ".join(map(inline, chips))
        case doc.Pairs(pairs, _, plain):
            return "; ".join(f"{name}: {one_line(said, plain)}" for name, said in pairs)
        case doc.Bar(parts, columns=columns):
            return text.bar(sum(share for share, _, _ in parts), 1, columns) if columns else ""
        case doc.Either(said) | doc.Tinted(said):
            return said
        case doc.Fold():
            return ""


# -- lines -------------------------------------------------------------------------------------------------------------


def _wrapped(said: str, width: int) -> list[str]:
    return text.wrap(said, width) if said else []


def _indented(lines: list[str]) -> list[str]:
    return [_INDENT + line if line else line for line in lines]


def _hanging(said: str, mark: str, width: int) -> list[str]:
    """Put a mark before a text; further lines begin below its first letter."""
    first, *rest = text.wrap(said, width - len(mark))
    return [mark + first, *(" " * len(mark) + line for line in rest)]


def _rows(block: doc.Rows, width: int) -> list[str]:
    cells = [[inline(cell) for cell in row] for row in block.rows]
    align = block.align.ljust(len(block.heads), "<")
    kept = [place for place, head in enumerate(block.heads) if head or any(row[place] for row in cells)]
    return text.table(
        [block.heads[place] for place in kept],
        [[row[place] for place in kept] for row in cells],
        "".join(align[place] for place in kept),
        width,
    ).split("\n")


def _fields(block: doc.Fields, width: int) -> list[str]:
    said = [(name, value.text if isinstance(value, doc.Code) else inline(value)) for name, value in block.fields]
    said = [(name, value) for name, value in said if value]
    match block.form:
        case "sentences":
            return [line for name, value in said for line in text.wrap(f"{name}: {value}", width)]
        case "stacked":
            lines = [["", f"{name}:", *_indented(text.wrap(value, width - len(_INDENT)))] for name, value in said]
            return [line for one in lines for line in one][1:]
    size = max((len(name) for name, _ in said), default=0) + len(_INDENT)
    return [line for name, value in said for line in _hanging(value, f"{name:<{size}}", width)]


def _fold(summary: str, blocks: doc.Document, plain: str, width: int) -> list[str]:
    match plain:
        case "open":
            return _lines(blocks, width)
        case "titled":
            return [*text.wrap(summary, width), *_indented(_lines(blocks, width - len(_INDENT)))]
    return []


def _item(item: doc.Item, width: int) -> list[str]:
    lines = _hanging(f"{item.name}: {item.text}", f"{item.badge.text:<4}  ", width)
    for point in () if item.is_quiet else item.points:
        lines += _hanging(point, "      · ", width)
    if item.next_step:
        lines += _hanging(item.next_step, "      → ", width)
    return lines


def _candidates(candidates: tuple[doc.Candidate, ...], width: int) -> list[str]:
    size = min(_NAME, max((text.width(one.name) for one in candidates), default=0))
    lines: list[str] = []
    for one in candidates:
        name = text.pad(text.cut(one_line(one.name), size), size)
        numbers = "".join(f"{number:>6}  " for number in one.numbers)
        lines += ["", f"{one.sign or ' '} {name}  {numbers}{text.bar(one.share, 1, _BAR)}".rstrip()]
        rest = [one.rest_said] if one.rest else []
        lines += [f"    {line}" for line in _wrapped(" · ".join([*map(inline, one.terms), *rest]), width - 4)]
        for veto in one.vetoes:
            first, *rest = text.wrap(f"out: {veto}", width - 6)
            lines += [f"    {first}", *(f"      {line}" for line in rest)]
    return lines[1:]


def tree_text(tree: doc.Tree, width: int = text.WIDTH) -> list[str]:
    """Draw a tree with lines.

    Parameters
    ----------
    tree : Tree
    width : int
        Columns.

    Returns
    -------
    list of str
    """
    lines = text.wrap(f"{tree.root.name}  {'; '.join(tree.root.lines)}", width)
    size = min(_NODE, max((text.width(node.name) for node in tree.nodes), default=0)) + 2
    for place, node in enumerate(tree.nodes, 1):
        stem, below = ("└─ ", "   ") if place == len(tree.nodes) else ("├─ ", "│  ")
        said = ["; ".join(node.lines) + "".join(f" [{mark}]" for mark in (*node.marks, node.edge) if mark)]
        said.append(node.description)
        parts = [part for sentence in said if sentence for part in text.wrap(sentence, width - size - 3)]
        if text.width(node.name) + 2 > size:
            parts.insert(0, "")
        lines.append(stem + text.pad(node.name, size) + parts[0])
        lines += [below + " " * size + part for part in parts[1:]]
    return lines


def _exchange(block: doc.Exchange, width: int) -> list[str]:
    """Write a line for everything that went from one actor to another, or that one did."""
    names = [one_line(f"{actor.name} {actor.beside}".rstrip()) for actor in block.actors]
    size = min(_LANE, max(map(text.width, names), default=0))
    shown = [text.pad(text.cut(name, size), size) for name in names]
    lines = []
    for arrow in block.arrows:
        to = " " * size if arrow.sender == arrow.target else shown[arrow.target]
        line = f"{shown[arrow.sender]} {kind_of(arrow.kind).sign} {to}  {one_line(arrow.text, width)}"
        lines.append(text.cut(line, width))
    return lines


# -- lanes -------------------------------------------------------------------------------------------------------------


def lane_text(lane: Lane) -> str:
    """Name a lane; runs are set in, and say their id.

    Examples
    --------
    >>> lane_text(Lane("vault", "arun-1", 1)), lane_text(Lane("user"))
    (' └ vault arun-1', 'user')
    """
    name = one_line(f"{lane.agent} {lane.run_id}" if lane.run_id else lane.agent)
    return f"{' ' * (2 * lane.depth - 1)}└ {name}" if lane.depth else name


def _lanes(block: doc.Lanes) -> list[str]:
    """Write lanes as lines of signs, and what the signs mean."""
    first, last = block.stretch or (1, block.slots)
    made, slots = zoomed(block.spans, first, last) if block.stretch else block.spans, last - first + 1
    if not made:
        return []
    bars, alive = lane_bars(made, slots, PIECES), lives(made, slots)
    names = {key: text.cut(lane_text(lane), _LANE) for key, lane in block.lanes.items() if key in bars}
    size = max(map(text.width, names.values()))
    total = min(slots, PIECES)
    lines = []
    for key, name in names.items():
        signs = [" "] * total
        if key in alive:
            _fill(signs, *alive[key], _ALIVE)
        for bar in bars[key]:
            _fill(signs, bar.left, bar.size, kind_of(bar.kind).sign)
        lines.append(f"{text.pad(name, size)}  {''.join(signs)}")
    kinds = [inline(doc.Tag(kind)) for kind in dict.fromkeys(span.kind for span in made)]
    kinds += [f"{_ALIVE} a run is at work or waits"] if alive else []
    legend = text.wrap("  ".join(kind.replace(" ", _HARD_SPACE) for kind in kinds), text.WIDTH)
    return [*lines, "", *(part.replace(_HARD_SPACE, " ") for part in legend)]


def _fill(signs: list[str], left: float, size: float, sign: str) -> None:
    first = round(left * len(signs))
    for place in range(first, min(len(signs), first + max(1, round(size * len(signs))))):
        signs[place] = sign
