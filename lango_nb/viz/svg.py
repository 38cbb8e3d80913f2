"""Drawings that cannot take the page's colours: filled boxes with white text, grey lines, widths reckoned on the safe side.

A drawing is shown as an image (see :func:`~lango_nb.viz.html.picture`), so it holds no script, no link and no style sheet.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from lango_nb.viz.colours import CARD
from lango_nb.viz.escape import esc, visible

FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',Helvetica,Arial,sans-serif"
LINE = "#8a939b"
SOFT = "#dbe2e8"
"""Text on a card that is less important."""
_NARROW = frozenset("iljtfrI.,:;'|!()[]{} ·-")
_WIDE = frozenset("mwMW@%—…")
_PAD = 12
_BREAK = re.compile(r"(?<=[-_. /,;:])")


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Reckon how wide a text is at most, in the widest of the fonts a browser may take.

    Parameters
    ----------
    text : str
    size : float
        Font size, px.
    bold : bool

    Returns
    -------
    float
        px.
    """
    ems = 0.0
    for char in text:
        if char in _NARROW:
            ems += 0.42
        elif char in _WIDE or unicodedata.east_asian_width(char) in "WF":
            ems += 1.03
        elif char.isupper() or char.isdigit() or not char.isascii():
            ems += 0.74
        else:
            ems += 0.635
    return ems * size * (1.1 if bold else 1.0)


def wrap_px(text: str, most: float, size: float, *, bold: bool = False) -> list[str]:
    """Break a text into lines no wider than a number of pixels; breaks after ``-``, ``_``, ``.``, blanks and commas.

    Examples
    --------
    >>> wrap_px("memory-manager", 80, 13)
    ['memory-', 'manager']
    """
    lines: list[str] = []
    line = ""
    for piece in _BREAK.split(visible(text).replace("\n", " ")):
        if line and text_width(line + piece.rstrip(), size, bold=bold) > most:
            lines.append(line.rstrip())
            line = ""
        line += piece
        while text_width(line.rstrip(), size, bold=bold) > most and len(line) > 1:
            keep = len(line) - 1
            while keep > 1 and text_width(line[:keep], size, bold=bold) > most:
                keep -= 1
            lines.append(line[:keep])
            line = line[keep:]
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


@dataclass(frozen=True, slots=True)
class Card:
    """A box with a name and lines under it."""

    name: str
    lines: tuple[str, ...]
    colour: str
    """Of the strip at its left edge."""
    dashed: bool = False
    """Whether the line to it is dashed."""


@dataclass(frozen=True, slots=True)
class _Laid:
    """A card whose texts are broken into lines."""

    card: Card
    name: list[str]
    lines: list[str]

    @classmethod
    def of(cls, card: Card, most: float) -> _Laid:
        inner = most - 2 * _PAD - 6
        lines = [part for line in card.lines for part in wrap_px(line, inner, 12)]
        return cls(card, wrap_px(card.name, inner, 13, bold=True), lines)

    @property
    def width(self) -> float:
        names = [text_width(line, 13, bold=True) for line in self.name]
        return max([0.0, *names, *(text_width(line, 12) for line in self.lines)]) + 2 * _PAD + 6

    @property
    def height(self) -> float:
        return 14 + 18 * len(self.name) + 16 * len(self.lines)

    def draw(self, x: float, y: float, width: float) -> str:
        height = self.height
        parts = [
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" fill="{CARD}" stroke="#66737f"/>',
            f'<rect x="{x:g}" y="{y:g}" width="6" height="{height:g}" rx="3" fill="{self.card.colour}"/>',
        ]
        baseline = y + 7 + 13
        for line in self.name:
            parts.append(_text(x + 6 + _PAD, baseline, line, "#ffffff", 13, bold=True))
            baseline += 18
        baseline -= 2
        for line in self.lines:
            parts.append(_text(x + 6 + _PAD, baseline, line, SOFT, 12))
            baseline += 16
        return "".join(parts)


def _text(x: float, y: float, text: str, colour: str, size: float, *, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" font-size="{size:g}"{weight}>{esc(text)}</text>'


def tree_drawing(root: Card, cards: Sequence[Card], *, root_most: float = 260, most: float = 520) -> tuple[str, float]:
    """Draw a root on the left and its cards stacked on the right, joined by curves.

    Parameters
    ----------
    root : Card
    cards : sequence of Card
    root_most, most : float
        Widths at which texts are wrapped, px.

    Returns
    -------
    str, float
        The SVG, and its width in px.
    """
    left, right = _Laid.of(root, root_most), [_Laid.of(card, most) for card in cards]
    gap, between, edge = 8.0, 64.0, 2.0
    left_width = max(140.0, left.width)
    right_width = max([220.0, *(laid.width for laid in right)])
    stack = sum(laid.height for laid in right) + gap * max(0, len(right) - 1)
    height = max(stack, left.height) + 2 * edge
    total = left_width + (between + right_width if right else 0) + 2 * edge
    middle = height / 2
    lines, boxes = [], [left.draw(edge, middle - left.height / 2, left_width)]
    x1, x2, y = edge + left_width, edge + left_width + between, edge + (height - 2 * edge - stack) / 2
    for laid in right:
        end = y + laid.height / 2
        dash = ' stroke-dasharray="5 4"' if laid.card.dashed else ""
        half = (x1 + x2) / 2
        lines.append(
            f'<path d="M{x1:g},{middle:g} C{half:g},{middle:g} {half:g},{end:g} {x2:g},{end:g}" fill="none" '
            f'stroke="{LINE}" stroke-width="1.5"{dash}/>'
        )
        boxes.append(laid.draw(x2, y, right_width))
        y += laid.height + gap
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total:g}" height="{height:g}" viewBox="0 0 {total:g} {height:g}" '
        f'font-family="{FONT}">{"".join(lines)}{"".join(boxes)}</svg>'
    )
    return drawing, total
