"""How a notebook shows the frames of this package: what IPython gets to show, nothing else changes.

Texts stand left and numbers right, units stand below the names of columns, agents have their dots, long ids are cut to
what tells them apart. Rows and columns are left out as pandas' options say. A frame is one of these as long as its
``attrs`` say so, which pandas hands on to what is selected from it; every other frame is shown by pandas itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from lango_nb.core.messages import USER
from lango_nb.core.text import counted
from lango_nb.frames import COLUMNS
from lango_nb.frames.evaluation import COLUMNS as OF_EVALUATIONS
from lango_nb.frames.evaluation import TASK_COLUMNS
from lango_nb.frames.frame import MADE
from lango_nb.routing.taught import ROOT as ROOT_NAME
from lango_nb.specs.topologies import load_topology, topology_names
from lango_nb.viz import html
from lango_nb.viz.colours import PERSON, ROOT, RUNS, WARN, agent_colours, outcome_colour
from lango_nb.viz.escape import esc, one_line

if TYPE_CHECKING:
    import pandas as pd

_AGENTS = frozenset(
    "agent author target from_agent to_agent chosen runner_up router_choice spawned_by run_agent failed_agent right "
    "got".split()
)
"""Columns of texts that name agents."""
_NOBODY = "("
"""How names begin that stand for nobody: (abstained), (nobody)."""
_TEXT = 120
"""Characters of a text that are shown; the whole of it appears when the pointer rests on it."""
_HINT = 2000
_NAME = 60
"""Characters of a name that are shown."""
_ID = 12
"""Characters up to which an id is shown whole."""
_TAIL = 4
"""Characters that are left of a longer one at least."""
_DIGITS = 4
_TIMES, _NOTHING = "\N{MULTIPLICATION SIGN}", "\N{EN DASH}"
_SHORT = 40
"""Characters from which a text gets room to break in."""


def is_shown_here(frame: pd.DataFrame) -> bool:
    """Tell whether a frame is one of this package, still has one row of heads, and pandas may show frames as pages."""
    import pandas as pd

    is_flat = frame.index.nlevels == frame.columns.nlevels == 1 and frame.columns.name is None
    return is_flat and isinstance(frame.attrs.get(MADE), str) and bool(pd.get_option("display.notebook_repr_html"))


def frame_html(frame: pd.DataFrame) -> str:
    """Write a frame as a table.

    Parameters
    ----------
    frame : DataFrame
        One of this package, or what was selected from one.

    Returns
    -------
    str
        HTML with inline styles only; every text in it is escaped.
    """
    rows, columns = _places(frame, "rows", 0), _places(frame, "columns", 1)
    units = _units(str(frame.attrs[MADE]))
    shown = [None if place is None else _Column(frame.iloc[:, place], units, rows) for place in columns]
    index = ["⋮" if row is None else esc(one_line(str(frame.index[row]), _NAME)) for row in rows]
    corner = "" if frame.index.name is None else esc(one_line(str(frame.index.name), _NAME))
    side = "right" if _NUMBER.match(str(frame.index.dtype)) else "left"
    lines = [
        html.tag("th", corner, text_align=side, vertical_align="top")
        + "".join(_GAP if one is None else one.head for one in shown)
    ]
    lines += [
        html.tag("td", label, text_align=side, opacity=html.MUTED)
        + "".join(_GAP if one is None else one.cells[line] for one in shown)
        for line, label in enumerate(index)
    ]
    body = "".join(html.tag("tr", line) for line in lines)
    table = html.tag("table", body, border_collapse="collapse", font_size="13px")
    is_cut = None in rows or None in columns
    count = f"{counted(frame.shape[0], 'row')} {_TIMES} {counted(frame.shape[1], 'column')}" if is_cut else ""
    return html.div(html.div(table, overflow_x="auto", max_width="100%"), html.small(count))


_GAP = html.tag("td", "…", text_align="left")


def _places(frame: pd.DataFrame, what: str, side: int) -> list[int | None]:
    """Return which rows or columns are shown, as pandas' options say; ``None`` stands for those that are left out."""
    import pandas as pd

    total, most = frame.shape[side], pd.get_option(f"display.max_{what}")
    if not most or total <= most:
        return list(range(total))
    kept = (pd.get_option("display.min_rows") or most) if what == "rows" else most
    first = max(1, min(kept, most) // 2)
    last = min(kept, most) - first
    return [*range(first), None, *range(total - last, total)]


class _Column:
    """A column as it is shown: its head, and a cell for each row."""

    def __init__(self, values: pd.Series[Any], units: Mapping[str, str], rows: Sequence[int | None]) -> None:
        name, kind = str(values.name), str(values.dtype)
        is_text = not _NUMBER.match(kind)
        shown = values.iloc[[row for row in rows if row is not None]]
        write = _writer(name, values, shown, is_text=is_text, is_time=kind.startswith("datetime"))
        side = "left" if is_text else "right"
        cells = zip(shown.tolist(), shown.isna().tolist(), strict=True)
        written = (html.tag("td", _NOTHING, text_align=side, opacity=html.MUTED) if is_missing else write(value)
                   for value, is_missing in cells)  # fmt: skip
        unit = units.get(name, "")
        below = (
            f"<br>{html.span(esc(unit), opacity=html.MUTED, font_weight='400', white_space='nowrap')}" if unit else ""
        )
        self.head = html.tag("th", esc(one_line(name, _NAME)) + below, text_align=side, vertical_align="top")
        self.cells = [_GAP.replace("…", "⋮") if row is None else next(written) for row in rows]


_NUMBER = re.compile("u?int|float", re.IGNORECASE)


def _writer(
    name: str, values: pd.Series[Any], shown: pd.Series[Any], *, is_text: bool, is_time: bool
) -> Callable[[Any], str]:
    """Return what writes the cells of a column; ``shown`` are those that are."""
    if is_time:
        return lambda value: html.tag("td", f"{value:%Y-%m-%d %H:%M:%S}", title=str(value), white_space="nowrap",
                                      text_align="left")  # fmt: skip
    if not is_text:
        decimals = _decimals(shown.dropna().tolist())
        return lambda value: html.tag("td", _number(value, decimals))
    if name in _AGENTS:
        colours = _colours(values.dropna().astype(str).unique())
        return lambda value: _text(str(value), colours.get(str(value), ""))
    if name == "outcome":
        return lambda value: html.tag(
            "td", html.badge(one_line(str(value), _TEXT), _ENDS.get(str(value)) or outcome_colour(str(value))), **_LEFT
        )
    if name.endswith("_id"):
        size = _least([*dict.fromkeys(map(str, shown.dropna()))])
        return lambda value: _id(str(value), size)
    return lambda value: _text(str(value))


_ENDS: Mapping[str, str] = {**RUNS, "declined": WARN, "returned": WARN}
"""Colours of what came of hand-overs, beside the outcomes of turns."""
_LEFT = {"text_align": "left"}


def _text(value: str, colour: str = "") -> str:
    said = one_line(value, _TEXT)
    title = value[:_HINT] if said != value else ""
    inner = html.flat_named(said, colour) if colour else esc(said)
    room = {"white_space": "nowrap"} if colour else {"min_width": "220px"} if len(said) > _SHORT else {}
    return html.tag("td", inner, title=title, **_LEFT, **room)


def _id(value: str, size: int) -> str:
    is_long = len(value) > max(_ID, size + 1)
    return html.tag("td", f"…{esc(value[-size:])}" if is_long else esc(one_line(value, _TEXT)),
                    title=value[:_HINT] if is_long else "", **_LEFT)  # fmt: skip


def _least(ids: Sequence[str]) -> int:
    """Say how many last characters tell ids apart.

    Examples
    --------
    >>> _least(["2026-11-26-a1b2c3d4", "2026-11-26-a1b2c3ff"]), _least(["turn-1"])
    (4, 4)
    """
    longest = max(map(len, ids), default=0)
    return next((size for size in range(_TAIL, longest) if len({one[-size:] for one in ids}) == len(ids)), longest)


def _decimals(values: Sequence[Any]) -> int | None:
    """Say how many decimals numbers of one column have, so that their points stand below each other.

    Examples
    --------
    >>> _decimals([0.56, 0.371]), _decimals([12.5, 3.25]), _decimals([1, 2]), _decimals([1227.25, 0.3])
    (3, 2, 0, None)
    """
    sizes = [abs(float(value)) for value in values if value]
    if not sizes or max(sizes) >= min(10**_DIGITS, 10**_DIGITS / 10 * min(sizes)) or min(sizes) < 10**-_DIGITS:
        return None
    wanted = max(len(f"{size:.{_DIGITS}f}".rstrip("0").partition(".")[2]) for size in sizes)
    return min(wanted, max(0, _DIGITS - len(str(int(max(sizes)))) + (max(sizes) < 1)))


def _number(value: Any, decimals: int | None = None) -> str:
    """Write a number: whole ones as they are, others with as many digits as tell something.

    Examples
    --------
    >>> _number(12345), _number(0.123456), _number(1234.5678), _number(2.0), _number(0.56, 3)
    ('12,345', '0.1235', '1,235', '2', '0.560')
    """
    if decimals is not None:
        return f"{value:,.{decimals}f}"
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.0f}" if abs(value) >= 10**_DIGITS / 10 else f"{value:.{_DIGITS}g}"
    return f"{value:,.0f}" if abs(value) < 10**15 else f"{value:g}"


def _colours(names: Iterable[str]) -> Mapping[str, str]:
    """Return the colours of agents; who is nobody has none."""
    agents = sorted(name for name in names if name and not name.startswith(_NOBODY))
    known = dict.fromkeys(_roots(), ROOT) | {USER: PERSON}
    return {
        **agent_colours(name for name in agents if name not in known),
        **{n: c for n, c in known.items() if n in agents},
    }


@cache
def _roots() -> tuple[str, ...]:
    """Name the roots of the topologies that come with the package."""
    return (ROOT_NAME, *{load_topology(name).root: None for name in topology_names()})


@cache
def _units(noun: str) -> Mapping[str, str]:
    """Return the units of the columns of a noun, by name; those that a name ends in already are left out."""
    groups = {"evaluation": [*OF_EVALUATIONS.values()], "task_evaluation": [*TASK_COLUMNS.values()]}
    columns = [column for group in (*groups.get(noun, ()), COLUMNS.get(noun, ())) for column in group]
    return {one.name: one.unit for one in columns if not f"_{one.name}".endswith(f"_{one.unit.casefold()}")}
