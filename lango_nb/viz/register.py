"""Tell IPython how to show records, so that records themselves stay plain."""

from __future__ import annotations

import contextlib
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


def register(shell: InteractiveShell) -> None:
    """Show records as text and HTML in notebooks, and as text in terminals; frames as text that is safe there.

    Parameters
    ----------
    shell : InteractiveShell
        Registering twice does no harm.
    """
    bundles, plain = _formatters(shell)
    for module, name in HOMES:
        bundles.for_type_by_name(module, name, mimebundle)
        plain.for_type_by_name(module, name, _plain)
    for module, name in _FRAMES:
        plain.for_type_by_name(module, name, _plain_frame)


def unregister(shell: InteractiveShell) -> None:
    """Take the views away again; only those that :func:`register` put there.

    Parameters
    ----------
    shell : InteractiveShell
        One that was never registered is fine.
    """
    bundles, plain = _formatters(shell)
    for formatter, ours, kinds in (
        (bundles, mimebundle, HOMES),
        (plain, _plain, HOMES),
        (plain, _plain_frame, _FRAMES),
    ):
        for module, name in kinds:
            kind = f"{module}.{name}"
            with contextlib.suppress(KeyError):
                if formatter.lookup_by_type(kind) is ours:
                    formatter.pop(kind)


def _formatters(shell: InteractiveShell) -> tuple[Any, Any]:
    display = shell.display_formatter
    if display is None:  # a shell that shows nothing
        return _NoFormatter(), _NoFormatter()
    return display.mimebundle_formatter, display.formatters["text/plain"]


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
