"""What a view is made of: a document of blocks, pieces of a line inside them, and nothing about how they are shown.

    record ──document(record)──▶ Document ──as_text──▶ plain text
                                          ──as_html──▶ HTML
                                          ──as_live──▶ widgets, where parts can be acted on (:mod:`lango_nb.widgets`)

A noun's module turns its record into a document, once. The back ends write every block and every piece; they alone
escape, wrap and align. Where a page can show what a text cannot, or the other way round, :func:`plain`, :func:`rich`
and :class:`Either` say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from lango_nb.viz.lanes import Key, Lane
    from lango_nb.viz.spans import Span

# -- pieces of a line --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Strong:
    """What matters more."""

    inner: Inline


@dataclass(frozen=True, slots=True)
class Muted:
    """What matters less."""

    inner: Inline


@dataclass(frozen=True, slots=True)
class Words:
    """Pieces with blanks between them; empty ones are left out."""

    pieces: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Name:
    """An agent, in its colour."""

    name: str
    colour: str
    beside: str = ""
    """Its run."""
    plain: int = 0
    """Characters that a text shows; 0 for all."""
    most: int = 0
    """Characters that a page shows; 0 for all."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A word on a colour: an outcome, a state, a verdict."""

    text: str
    colour: str


@dataclass(frozen=True, slots=True)
class Tag:
    """A kind of event: its sign and its name."""

    kind: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A name on a surface, with a number or a word beside it."""

    text: str
    beside: str = ""
    edge: str = ""
    """Colour of its left edge."""
    is_hollow: bool = False
    hint: str = ""
    """What a page tells when the pointer rests on it."""


@dataclass(frozen=True, slots=True)
class Chips:
    """Many chips; of very many, those that are left out are counted."""

    chips: tuple[Chip, ...]
    most: int = 100

    @classmethod
    def of(cls, names: Iterable[str]) -> Chips:
        """Make a chip of each name."""
        return cls(tuple(map(Chip, names)))


@dataclass(frozen=True, slots=True)
class Cut:
    """A text of any length on one line; a page shows the whole of it when the pointer rests there."""

    text: str
    most: int
    """Characters that a page shows."""
    plain: int = 0
    """Characters that a text shows; 0 for all of it, as it is."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Names with short values, on one line."""

    pairs: tuple[tuple[str, str], ...]
    most: int
    """Characters of a value that a page shows."""
    plain: int
    """Characters of a value that a text shows."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: parts of a whole from 0 to 1, each with a colour and a hint."""

    parts: tuple[tuple[float, str, str], ...]
    width: str = "100%"
    height: int = 12
    columns: int = 0
    """Columns of a full bar in a text; 0 leaves it out there."""
    mark: float | None = None
    """Where an upright line stands."""
    hint: str = ""
    """What the upright line is."""


@dataclass(frozen=True, slots=True)
class Tinted:
    """A word on a tint of a colour; a text shows the word."""

    text: str
    colour: str
    strength: float
    """From 0 to 1."""
    hint: str = ""
    """What a page tells when the pointer rests on it."""


@dataclass(frozen=True, slots=True)
class Either:
    """One thing in a text, another on a page."""

    plain: str
    rich: Inline


# -- blocks ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gap:
    """An empty line in a text; pages have distances of their own. Several are one, and none stands at an end."""


GAP = Gap()


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across a text; pages have distances of their own."""


RULE = Rule()


@dataclass(frozen=True, slots=True)
class Title:
    """What a view is of, and a few facts; empty ones are left out."""

    text: str
    facts: Sequence[Inline] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A small heading."""

    text: str
    plain: str = ""
    """What a text says in its place; texts do without when empty."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line or more of words."""

    inner: Inline


@dataclass(frozen=True, slots=True)
class Line:
    """Pieces beside each other."""

    parts: tuple[Inline, ...]
    is_stacked: bool = False
    """Whether each has a line of its own in a text."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Short facts; empty ones are left out."""

    facts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Note:
    """A remark below something; nothing when empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """What a person asked; one that fills the page is folded."""

    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """A text with line ends of its own, such as an answer; one that fills more than a page is folded."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A text as it is, in fixed type; one that is long is folded."""

    text: str
    is_whole: bool = False
    """Whether nothing of it may be left out, however long it is."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A unified difference of two texts."""

    text: str


@dataclass(frozen=True, slots=True)
class Fields:
    """Names with their values; those without a value are left out."""

    fields: tuple[tuple[str, Inline | Code], ...]
    form: Literal["aligned", "sentences", "stacked"] = "aligned"
    """How a text writes them: values in a column, behind a colon, or below their names."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Cells under heads. A column without a head in which a text finds nothing to write is left out there."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Inline]]
    align: str = ""
    """``<`` or ``>`` per column; left when shorter."""
    widths: Sequence[str] = ()
    """CSS widths per column; with them a page's table fills its width."""
    folds: Sequence[Document] = ()
    """What a page unfolds below each row; texts do without."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Something that a page shows after a click; in a row of its own, or a piece of a cell."""

    summary: Inline
    blocks: Document
    is_open: bool = False
    plain: Literal["", "open", "titled"] = ""
    """What a text shows of it: nothing, what is inside, or what is inside set in under its summary."""


@dataclass(frozen=True, slots=True)
class Box:
    """Something that stands together, set in below its head."""

    head: Inline
    blocks: Document


@dataclass(frozen=True, slots=True)
class Item:
    """One of several findings."""

    badge: Badge
    name: str
    text: str
    points: tuple[str, ...] = ()
    next_step: str = ""
    is_quiet: bool = False
    """Whether its points can wait: a page folds them, a text leaves them out."""


@dataclass(frozen=True, slots=True)
class Items:
    """Findings, one below the other."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody or something that was weighed."""

    name: str
    colour: str
    share: float
    """Length of its bar, from 0 to 1."""
    numbers: tuple[str, ...]
    terms: tuple[Chip, ...] = ()
    """What the numbers are made of, as far as a person would name it."""
    rest: tuple[Chip, ...] = ()
    """The other terms: a page folds them."""
    rest_said: str = ""
    """How many those are, and what they come to."""
    vetoes: tuple[str, ...] = ()
    sign: Literal["▶", "✗", ""] = ""
    is_chosen: bool = False
    stack: tuple[tuple[float, str, str], ...] = ()
    """What speaks for it: parts of the most that speaks for anyone, each with a colour and a hint; pages only."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates with bars, and a mark across them where they are measured against something."""

    candidates: tuple[Candidate, ...]
    mark: float = 0.0


@dataclass(frozen=True, slots=True)
class Matrix:
    """Numbers of rows against columns, each on a colour; pages only."""

    corner: str
    columns: Sequence[tuple[str, str]]
    """Name, and colour of the line below it."""
    rows: Sequence[tuple[str, Sequence[tuple[int, str]]]]
    """Name, and per column the number and its background; 0 shows an empty field."""
    sums: Sequence[Sequence[int]] = ()
    """What stands at the end of each row, and what in the last row; none when empty."""
    key: str = ""
    """What a number is about that is clicked where a document is live, told with ``row → column``; when empty, none
    can be clicked."""
    value: str = ""
    """The ``row → column`` that is chosen."""


@dataclass(frozen=True, slots=True)
class Legend:
    """What colours mean; pages only."""

    entries: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Node:
    """An agent of a tree."""

    name: str
    lines: tuple[str, ...]
    """What it works with, and so on."""
    colour: str
    description: str = ""
    marks: tuple[str, ...] = ()
    is_dashed: bool = False
    """Whether the line to it is dashed."""
    edge: str = ""
    """What stands on the line to it; the line is strong then."""
    is_quiet: bool = False
    """Whether it took no part: its card is grey, and the line to it thin."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A root with its agents, drawn."""

    root: Node
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing as SVG, shown as an image; pages only."""

    svg: str
    alt: str
    """Words that stand in for it."""
    width: float
    """px."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """Who was at work when, drawn."""

    spans: Sequence[Span]
    lanes: Mapping[Key, Lane]
    slots: int
    """How many events there are."""
    colours: Mapping[str, str]
    """Of agents."""
    is_timed: bool = False
    """Whether a page draws real time; else the order of events."""
    until: int | None = None
    """The event up to which it is looked at: a page greys what comes after it."""
    stretch: tuple[int, int] | None = None
    """The first and the last event that are drawn; all when absent."""
    has_names: bool = True
    """Whether a page writes the names of lanes; else they stand beside it."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody in an exchange."""

    name: str
    colour: str
    beside: str = ""
    """Its run."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """Something that went from one actor to another, or that one did alone."""

    sender: int
    """Place among the actors."""
    target: int
    """The same as the sender for what one did alone."""
    kind: str
    """As rows of a trace name it."""
    text: str
    form: Literal["call", "return", "note"] = "call"
    """A return is drawn dashed; a note stands beside its actor."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Who said what to whom, from top to bottom, drawn: a sequence diagram."""

    actors: tuple[Actor, ...]
    arrows: tuple[Arrow, ...]


@dataclass(frozen=True, slots=True)
class Button:
    """Something that can be done with a click where a document is live."""

    name: str
    """What is told when it is pressed."""
    label: str
    look: Literal["", "good", "bad"] = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Buttons:
    """Buttons beside each other; only where a document is live."""

    key: str
    """What they are about, told with the name of the one that is pressed."""
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of text that can be changed where a document is live; elsewhere what is in it."""

    key: str
    label: str
    value: str = ""
    hint: str = ""
    """What stands in it while it is empty."""
    enter: str = ""
    """What it is about when Enter is pressed in it, told with the text; nothing when empty."""
    rows: int = 1
    """Lines of it that are seen at once; a text of several may have line ends."""


_MOST_LISTED = 40
"""Texts of a list that are shown where it cannot be scrolled."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several texts, to be changed where a document is live; elsewhere the chosen one, or the list of them."""

    key: str
    label: str
    options: tuple[str, ...]
    value: str
    rows: int = 1
    """How many of them are seen at once; several are a list, of which none need be chosen."""

    @property
    def listed(self) -> Document:
        """What stands for a list where nothing can be changed: its first texts, the chosen one marked."""
        rows = [(Strong(f"▶ {one}") if one == self.value else one,) for one in self.options[:_MOST_LISTED]]
        more = len(self.options) - len(rows)
        return (Rows((self.label,), rows), *([Note(f"and {more:,} more")] if more else []))


@dataclass(frozen=True, slots=True)
class Slider:
    """A whole number between two others, to be changed where a document is live; elsewhere what it is."""

    key: str
    label: str
    last: int
    value: int
    first: int = 0


@dataclass(frozen=True, slots=True)
class Plain:
    """What only a text shows."""

    blocks: Document


@dataclass(frozen=True, slots=True)
class Rich:
    """What only a page shows."""

    blocks: Document


Inline: TypeAlias = (
    "str | Strong | Muted | Words | Name | Badge | Tag | Chip | Chips | Cut | Pairs | Bar | Tinted | Either | Fold"
    " | tuple[Inline, ...]"
)
Block: TypeAlias = (
    "Gap | Rule | Title | Heading | Paragraph | Line | Facts | Note | Quote | Prose | Code | Difference | Fields | Rows"
    " | Fold | Box | Items | Candidates | Matrix | Legend | Tree | Picture | Lanes | Exchange"
    " | Buttons | Entry | Choice | Slider | Plain | Rich"
)
Document: TypeAlias = "tuple[Block, ...]"
"""Blocks, from top to bottom; a part of a document is one, too."""


def plain(*blocks: Block) -> Plain:
    """Let only a text show some blocks."""
    return Plain(blocks)


def rich(*blocks: Block) -> Rich:
    """Let only a page show some blocks."""
    return Rich(blocks)
