"""Documents as widgets: controls become buttons, fields and choices; everything between them becomes HTML.

    document ──as_live(document, act)──▶ VBox of HTML, Button, Text, Dropdown, Select
                                          │ pressed, typed, chosen
                                          ▼
                                        act(key, value)

Plain ipywidgets only: whatever shows widgets shows these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby

import ipywidgets

from lango_nb.core.visible import visible
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html, inline
from lango_nb.viz.colours import BAD, GOOD
from lango_nb.viz.escape import one_line
from lango_nb.viz.html import EDGE, breakable, span

Act = Callable[[str, str], None]
"""Receives the key of a control and its new value: the name of a button, a text, a choice."""
_LOOKS = {
    "": {},
    "good": {"button_color": GOOD, "text_color": "#ffffff"},
    "bad": {"button_color": BAD, "text_color": "#ffffff"},
}
"""JupyterLab's own green and red are too light for the words on them."""
_HEIGHT = "28px"
_HEAD = 24
"""Characters of the name of a row or a column."""


def as_live(document: doc.Document, act: Act) -> ipywidgets.VBox:
    """Make widgets of a document.

    Parameters
    ----------
    document : Document
    act : callable
        Called for every action of the user, on the thread that delivers the front end's message.

    Returns
    -------
    VBox
    """
    return ipywidgets.VBox(list(_widgets(document, act)), layout=ipywidgets.Layout(max_width="100%"))


def _widgets(blocks: doc.Document, act: Act) -> Iterable[ipywidgets.Widget]:
    """Make a widget of each part."""
    for part in parts_of(blocks):
        yield _widget(part[0], act) if can_be_acted_on(part[0]) else ipywidgets.HTML(as_html(part))


def parts_of(blocks: doc.Document) -> Iterable[doc.Document]:
    """Split a document into its controls, one by one, and the static blocks between them."""
    for is_live, grouped in groupby(blocks, can_be_acted_on):
        part = tuple(grouped)
        yield from ((block,) for block in part) if is_live else (part,)


def can_be_acted_on(block: doc.Block) -> bool:
    """Tell whether a block contains a control."""
    match block:
        case doc.Buttons() | doc.Entry() | doc.Choice() | doc.Slider():
            return True
        case doc.Matrix():
            return bool(block.key)
        case doc.Box(_, blocks) | doc.Rich(blocks):
            return any(map(can_be_acted_on, blocks))
    return False


def _widget(block: doc.Block, act: Act) -> ipywidgets.Widget:
    match block:
        case doc.Buttons(key, buttons):
            return ipywidgets.HBox(
                [as_button(key, one, act) for one in buttons], layout=ipywidgets.Layout(flex_flow="row wrap")
            )
        case doc.Entry(key, label, value, hint, _, rows) if rows > 1:
            area = ipywidgets.Textarea(value=value, placeholder=hint, description=label, rows=rows, layout=_wide())
            return _told(area, key, act)
        case doc.Entry(key, label, value, hint, enter):
            entry = ipywidgets.Text(value=value, placeholder=hint, description=label, layout=_wide())
            if enter:
                entry.on_msg(partial(_entered, enter, act))
            return _told(entry, key, act)
        case doc.Choice(key, label, options, value, rows):
            chosen, shown = value if value in options else None, listed(options)
            if rows > 1:
                choice = ipywidgets.Select(options=shown, value=chosen, rows=rows, description=label, layout=_wide())
            else:
                choice = ipywidgets.Dropdown(options=shown, value=chosen, description=label)
            return _told(choice, key, act)
        case doc.Slider(key, label, last, value, first):
            slider = ipywidgets.IntSlider(value, first, max(first, last), description=label, layout=_wide())
            return _told(slider, key, act)
        case doc.Matrix():
            return _matrix(block, act)
        case doc.Box(head, blocks):
            inner = list(_widgets(blocks, act))
            if head:
                inner.insert(0, ipywidgets.HTML(inline(head)))
            edge = ipywidgets.Layout(
                border_left=f"4px solid {EDGE}", padding="2px 0 6px 12px", margin="6px 0 12px 0", max_width="100%"
            )
            return ipywidgets.VBox(inner, layout=edge)
        case doc.Rich(blocks):
            return as_live(blocks, act)
    raise TypeError(f"nothing in a {type(block).__name__} can be acted on")


def listed(options: Iterable[str]) -> tuple[str, ...] | tuple[tuple[str, str], ...]:
    r"""Return the options of a choice for its widget, with invisible characters replaced by visible signs.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["\x1b[2J"])
    (('a', 'b'), (('␛[2J', '\x1b[2J'),))
    """
    plain = tuple(options)
    shown = tuple(map(visible, plain))
    return plain if shown == plain else tuple(zip(shown, plain, strict=True))


def _matrix(matrix: doc.Matrix, act: Act) -> ipywidgets.GridBox:
    """Return a grid with a button for each number other than 0, and the names of rows and columns."""
    cells: list[ipywidgets.Widget] = [_head(""), *(_head(name) for name, _ in matrix.columns)]
    for row, fields in matrix.rows:
        cells.append(_head(row))
        for (column, _), (number, colour) in zip(matrix.columns, fields, strict=True):
            cells.append(_field(matrix, f"{row} → {column}", number, colour, act) if number else ipywidgets.Box())
    columns = f"minmax(64px, 150px) repeat({len(matrix.columns)}, minmax(40px, 96px))"
    look = ipywidgets.Layout(grid_template_columns=columns, grid_gap="2px 4px", align_items="center", overflow="auto")
    return ipywidgets.GridBox(cells, layout=look)


def _head(name: str) -> ipywidgets.HTML:
    look = {"display": "inline-block", "font_size": "10px", "line_height": "1.2", "overflow_wrap": "anywhere"}
    said = span(breakable(one_line(name, _HEAD)), title=name, **look)
    return ipywidgets.HTML(said, layout=ipywidgets.Layout(margin="0"))


def _field(matrix: doc.Matrix, place: str, number: int, colour: str, act: Act) -> ipywidgets.Button:
    button = as_button(matrix.key, doc.Button(place, f"{number:,}", hint=place), act)
    button.layout.min_width, button.layout.margin = "0", "0"
    button.style.button_color = colour
    if place == matrix.value:
        button.layout.border = "2px solid currentColor"
    return button


def _wide() -> ipywidgets.Layout:
    return ipywidgets.Layout(width="auto")


def as_button(key: str, button: doc.Button, act: Act) -> ipywidgets.Button:
    """Return a button that reports its key and name when pressed."""
    made = ipywidgets.Button(
        description=button.label,
        style=_LOOKS[button.look],
        tooltip=button.hint or button.label,
        layout=ipywidgets.Layout(width="auto", min_width="72px", height=_HEIGHT),
    )
    made.on_click(partial(_pressed, key, button.name, act))
    return reachable(made)


def _pressed(key: str, name: str, act: Act, _button: object) -> None:
    act(key, name)


def _entered(key: str, act: Act, entry: ipywidgets.Text, content: Mapping[str, object], _buffers: object) -> None:
    if content.get("event") == "submit":
        act(key, entry.value)


def _told(widget: ipywidgets.Widget, key: str, act: Act) -> ipywidgets.Widget:
    """Report every change of a widget's value, including each typed letter."""
    widget.observe(lambda change: act(key, "" if change["new"] is None else str(change["new"])), "value")
    return reachable(widget)


def reachable(widget: ipywidgets.Widget) -> ipywidgets.Widget:
    """Let clicks and letters reach the kernel while it runs a cell.

    ipykernel sends what a front end says of a widget to wherever that was last written from: for one that was made in
    a cell that is the main shell, which is busy until the cell ends. Without its note of that the message goes where
    the front end wants it, to a subshell.
    """
    vars(widget.comm).pop("_reply_subshell_id", None)
    return widget
