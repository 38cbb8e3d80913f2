"""Tell IPython how to show records, so that records themselves stay plain."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lango_nb.core.visible import visible
from lango_nb.viz import HOMES, mimebundle, to_line, to_text

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_FRAMES = (
    ("pandas", "DataFrame"),
    ("pandas", "Series"),
    ("pandas.core.frame", "DataFrame"),
    ("pandas.core.series", "Series"),
)
"""What pandas shows, by the names of its versions."""
_KEPT = "lango_nb variable"
"""Under which name the ``attrs`` of a frame say for which variable it was made."""
_TABLES = tuple((module, name) for module, name in _FRAMES if name == "DataFrame")


def register(shell: InteractiveShell) -> None:
    """Show records as text and HTML in notebooks, and as text in terminals; frames as text that is safe there.

    Parameters
    ----------
    shell : InteractiveShell
        Registering twice does no harm.
    """
    bundles, plain, _ = _formatters(shell)
    for module, name in HOMES:
        bundles.for_type_by_name(module, name, mimebundle)
        plain.for_type_by_name(module, name, _plain)
    for module, name in _FRAMES:
        plain.for_type_by_name(module, name, _plain_frame)
    show_frames(shell)


def show_frames(shell: InteractiveShell, *, is_wanted: bool = True) -> None:
    """Let a notebook show the frames of this package in their own way, or leave that to pandas again.

    Parameters
    ----------
    shell : InteractiveShell
    is_wanted : bool
    """
    pages = _formatters(shell)[2]
    for module, name in _TABLES:
        if is_wanted:
            pages.for_type_by_name(module, name, _page_frame)
        else:
            _take_back(pages, _page_frame, f"{module}.{name}")


def unregister(shell: InteractiveShell) -> None:
    """Take the views away again; only those that :func:`register` put there.

    Parameters
    ----------
    shell : InteractiveShell
        One that was never registered is fine.
    """
    bundles, plain, _ = _formatters(shell)
    for formatter, ours, kinds in (
        (bundles, mimebundle, HOMES),
        (plain, _plain, HOMES),
        (plain, _plain_frame, _FRAMES),
    ):
        for module, name in kinds:
            _take_back(formatter, ours, f"{module}.{name}")
    show_frames(shell, is_wanted=False)


def _take_back(formatter: Any, ours: object, kind: str) -> None:
    """Take a printer away, if it is still ours."""
    with contextlib.suppress(KeyError):
        if formatter.lookup_by_type(kind) is ours:
            formatter.pop(kind)


def _formatters(shell: InteractiveShell) -> tuple[Any, Any, Any]:
    display = shell.display_formatter
    if display is None:  # a shell that shows nothing
        return _NoFormatter(), _NoFormatter(), _NoFormatter()
    return display.mimebundle_formatter, display.formatters["text/plain"], display.formatters["text/html"]


class _NoFormatter:
    """Stands in where a shell has no display."""

    def for_type_by_name(self, module: str, name: str, function: object) -> None:
        """Forget a printer."""

    def lookup_by_type(self, kind: str) -> object:
        """Find no printer."""
        raise KeyError(kind)


def _plain(record: object, printer: Any, cycle: bool) -> None:
    """Write a record in full, or in one line where it stands inside another value, a list for instance."""
    is_alone = len(printer.stack) == 1
    printer.text(to_text(record) if is_alone else f"<{type(record).__name__} {'…' if cycle else to_line(record)}>")


def _plain_frame(frame: object, printer: Any, _cycle: bool) -> None:
    """Write a frame as pandas does, with control characters made visible: its values came from models and files."""
    printer.text(visible(repr(frame)))


def _page_frame(frame: Any) -> str | None:
    """Write a frame of this package as its table, any other as pandas does."""
    from lango_nb.viz.frame import frame_html, is_shown_here

    by_pandas: Callable[[], str | None] = frame._repr_html_
    return frame_html(frame) if is_shown_here(frame) else by_pandas()


def keep_frame(name: str, frame: object) -> str:
    """Put a frame into a variable of the notebook that runs here.

    Parameters
    ----------
    name : str
        What the variable is called; where the user has something else under that name, a number is added.
    frame : DataFrame

    Returns
    -------
    str
        The variable's name; empty outside of IPython.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return ""
    names, kept, number = shell.user_ns, name, 1
    while kept in names and not _is_kept(names[kept], name):
        number += 1
        kept = f"{name}{number}"
    frame.attrs[_KEPT] = name  # type: ignore[attr-defined]  # pandas is not loaded for its type
    names[kept] = frame
    return kept


def _is_kept(value: object, name: str) -> bool:
    attrs = getattr(value, "attrs", None)
    return isinstance(attrs, dict) and attrs.get(_KEPT) == name
