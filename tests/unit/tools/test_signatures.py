# ruff: noqa: B006, B008, F821, PLR0913, PLR0917, PYI061 - functions as others write them
# mypy: disable-error-code="empty-body, type-arg, no-untyped-def, name-defined"
"""What a model is told of functions of every shape, and what is said against those it cannot be told of."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

from pydantic import BaseModel, Field

from lango_nb.core.errors import DefinitionError, ToolError
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import as_result, tool
from lango_nb.tools.signatures import convert_arguments, read_signature
from tests.expected import same_as_expected


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Size(NamedTuple):
    width: int
    height: int = 1


@dataclass
class Point:
    x: int
    y: float = 0.5
    tags: list[str] = field(default_factory=list)


@dataclass
class Branch:
    points: list[Point]
    inner: Branch | None = None


class Order(BaseModel):
    """An order."""

    thing: str = Field(description="What is ordered.")
    colour: Colour = Colour.RED


def simple(text: str, number: int = 3, ratio: float = 0.5, is_on: bool = False, nothing: None = None) -> str:
    """Say it."""


def lists(
    words: list[str],
    numbers: list[int] = [1],
    rows: list[list[float]] = [],
    any_: list = [],
    t: tuple[int, str] = (1, "a"),
) -> None:
    """Give lists.

    Further words are not told.
    """


def mappings(
    counts: dict[str, int], free: dict[str, Any], bare: dict = {}, by: dict[Literal["a", "b"], int] = {}
) -> None:
    pass


def choices(
    one: Literal["a"],
    some: Literal["a", "b"] = "b",
    mixed: Literal["a", 1, None] = 1,
    none: Literal["a", "b"] | None = None,
    number: Literal["all"] | int = "all",
    first: None | Literal["a"] = None,  # noqa: RUF036 - as people write it
) -> None:
    """Choose."""


def enums(colour: Colour, level: Level = Level.HIGH, colours: list[Colour] | None = None) -> None:
    """Colour it."""


def unions(either: int | str, maybe: str | None = None, deep: list[int | None] | dict[str, str] | None = None) -> None:
    """Take either."""


def objects(point: Point, branch: Branch | None = None, order: Order | None = None, size: Size = Size(1)) -> None:
    """Take objects."""


def moments(
    day: date,
    at: datetime,
    takes: timedelta = timedelta(seconds=1),
    path: Path = Path("x"),
    price: Decimal = Decimal(1),
    id_: UUID | None = None,
) -> None:
    """Take moments."""


def bounded(
    small: Annotated[int, Field(ge=1, le=5, description="How many.")],
    word: Annotated[str, Field(min_length=2, pattern="^a")] = "ab",
    plain: Annotated[float, "a note"] = 1.0,
) -> None:
    """Keep within."""


def numpy_notes(path: str, first: int = 1, last: int = 2) -> str:
    """Read
    some lines.

    Not this.

    Parameters
    ----------
    path : str
        Which file,
        below the workspace.
    first, last : int
        Which lines.

    Returns
    -------
    str
        The lines.
    """


def google_notes(path: str, first: int = 1, other: int = 2) -> str:
    """Read some lines.

    Args:
        path: Which file,
            below the workspace.
        first (int): From which line.
        missing: Nothing.

    Returns:
        The lines.
    """


def only_args(path: str) -> str:
    """
    Args:
        path: Which file.
    """


def context_first(context: ToolContext, text: str) -> None:
    """Know where."""


def context_last(text: str, *, around: ToolContext | None = None) -> None:
    """Know where."""


def keyword_only(*, text: str, more: str = "") -> None:
    """Name it."""


def no_type(text) -> None:
    """Lack a type."""


def many(*texts: str) -> None:
    """Take many."""


def named(**texts: str) -> None:
    """Take named ones."""


def positional(text: str, /) -> None:
    """Take by position."""


def odd_type(what: Callable[[], int]) -> None:
    """Take what JSON cannot say."""


def odd_inside(what: list[Callable[[], int]] | None = None) -> None:
    """Take what JSON cannot say."""


def unknown_name(what: Nowhere) -> None:
    """Name what is not there."""


def odd_default(what: Any = object(), deep: Any = {1: {2}}) -> None:
    """Have a default that JSON cannot say."""


def nothing() -> None:
    """Take nothing."""


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    simple, lists, mappings, choices, enums, unions, objects, moments, bounded, numpy_notes, google_notes, only_args,
    context_first, context_last, keyword_only, no_type, many, named, positional, odd_type, odd_inside, unknown_name,
    odd_default, nothing, lambda x: x, len, str, dict.fromkeys,
)  # fmt: skip
GIVEN: dict[Callable[..., Any], list[dict[str, Any]]] = {
    simple: [{"text": "a"}, {"text": "a", "ratio": 2, "nothing": None}, {"text": 1}, {"number": 1}],
    lists: [{"words": ["a"], "numbers": [1, 2.0], "rows": [[1, 2.5]], "t": [1, "b"]}, {"words": ["a"], "t": [1]}],
    enums: [{"colour": "red", "level": 2, "colours": ["blue"]}, {"colour": "green"}, {"colour": "red", "level": 3}],
    objects: [
        {"point": {"x": 1}, "branch": {"points": [{"x": 1, "y": 2}], "inner": {"points": []}}, "size": [2, 3]},
        {"point": {"y": 1}},
        {"point": {"x": "a"}},
        {"point": {"x": 1}, "order": {"thing": "t", "colour": "blue"}},
        {"point": {"x": 1}, "branch": {"points": [{}]}},
    ],
    moments: [
        {"day": "2026-01-02", "at": "2026-01-02T03:04:05", "takes": "PT5S", "path": "a/b", "price": "1.50"},
        {"day": "soon", "at": "2026-01-02T03:04:05"},
        {"day": "2026-13-02", "at": "later", "id_": "no"},
    ],
    bounded: [{"small": 1}, {"small": 9}, {"small": 1, "word": "b"}, {"small": 1, "plain": 3}],
    unions: [{"either": 1}, {"either": "a", "maybe": None, "deep": [1, None]}, {"either": [], "deep": {"a": "b"}}],
}


def described(function: Callable[..., Any]) -> str:
    """Return all that a model is told of a function, or why it cannot be told."""
    try:
        made = tool(function)
        schema = json.dumps(made.schema.parameters, ensure_ascii=False, indent=1, sort_keys=True)
    except DefinitionError as error:
        return f"{error}"
    return f"{made.name} · {made.family} · {made.safety} · {made.description}\n{made!r}\n{schema}"


def converted(function: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """Return what arguments become for a function, or what is said against them."""
    try:
        checked = check_arguments(tool(function), arguments)
        found = convert_arguments(checked, read_signature(function, "f").converters())
    except ToolError as error:
        return f"{error.code}: {error}"
    return f"→ {found!r}"


def test_every_function_is_described_as_expected() -> None:
    rows = [f"━━━ {function.__name__}\n{described(function)}" for function in FUNCTIONS]
    same_as_expected("functions/described.txt", "\n".join(rows))


def test_every_argument_becomes_what_is_expected() -> None:
    rows = [
        f"{function.__name__} {arguments}\n    {converted(function, arguments)}"
        for function, given in GIVEN.items()
        for arguments in given
    ]
    same_as_expected("functions/converted.txt", "\n".join(rows))


def test_every_answer_becomes_a_result() -> None:
    answers: list[Any] = [
        None, "", "text", "two\nlines", 1, 2.5, True, b"bytes", b"\xff\x00", [1, "a"], (1, 2), {"a": 1}, {1: 2},
        {"b"},
        Colour.RED, Level.LOW, Point(1), Size(1), Order(thing="t"), date(2026, 1, 2), Path("a/b"), ValueError("wrong"),
        float("nan"), "\ud800", [Point(1)], {"at": datetime(2026, 1, 2)},  # noqa: DTZ001
    ]  # fmt: skip
    rows = []
    for answer in answers:
        try:
            result = as_result("t", answer)
            rows.append(f"{answer!r}   → {result.content!r} {result.is_error} {result.code} {result.data!r}")
        except (ToolError, DefinitionError) as error:
            rows.append(f"{answer!r}   {type(error).__name__}: {error}")
    same_as_expected("functions/results.txt", "\n".join(rows))
