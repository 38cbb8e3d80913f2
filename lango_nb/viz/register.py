"""Tell IPython how to show records, so that records themselves stay plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lango_nb.viz import RENDERERS, mimebundle, to_line

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def register(shell: InteractiveShell) -> None:
    """Show records as text and HTML in notebooks, and as text in terminals.

    Parameters
    ----------
    shell : InteractiveShell
        Registering twice does no harm.
    """
    bundles, plain = _formatters(shell)
    for kind in RENDERERS:
        bundles.for_type(kind, mimebundle)
        plain.for_type(kind, _line)


def unregister(shell: InteractiveShell) -> None:
    """Take the views away again; only those that :func:`register` put there.

    Parameters
    ----------
    shell : InteractiveShell
        One that was never registered is fine.
    """
    bundles, plain = _formatters(shell)
    for kind in RENDERERS:
        for formatter, ours in ((bundles, mimebundle), (plain, _line)):
            if formatter.type_printers.get(kind) is ours:
                formatter.pop(kind)


def _formatters(shell: InteractiveShell) -> tuple[Any, Any]:
    display = shell.display_formatter
    if display is None:  # a shell that shows nothing
        return _NoFormatter(), _NoFormatter()
    return display.mimebundle_formatter, display.formatters["text/plain"]


class _NoFormatter:
    """Stands in where a shell has no display."""

    def __init__(self) -> None:
        self.type_printers: dict[type, object] = {}

    def for_type(self, kind: type, function: object) -> None:
        self.type_printers[kind] = function

    def pop(self, kind: type) -> None:
        self.type_printers.pop(kind, None)


def _line(record: object, printer: Any, cycle: bool) -> None:
    """Write a record that stands inside another value, a list for instance, in one line."""
    printer.text(f"<{type(record).__name__} {'…' if cycle else to_line(record)}>")
