"""Where a file tool may reach: links are resolved first, then the place has to lie under the workspace.

Nothing a tool says names the workspace's own folder: places are shown as they are seen from inside it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from lango_nb.core.errors import ToolError, shorten, suggest
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.context import ToolContext

OUTSIDE_WORKSPACE = "outside_workspace"
NOT_FOUND = "not_found"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Place:
    """A place under the workspace, whether something is there or not."""

    root: Path
    """The workspace, links resolved."""
    real: Path
    """The place, links resolved."""
    link: Path
    """The place with its last part as it was written: a link itself rather than what it points to."""

    @property
    def shown(self) -> str:
        """The place as seen from the workspace, fit for one line of text."""
        return self.show(self.real)

    def show(self, path: Path) -> str:
        """Show another path of the same workspace."""
        return printable(path.relative_to(self.root).as_posix())

    @property
    def is_root(self) -> bool:
        """Whether it is the workspace itself."""
        return self.real == self.root


def locate(context: ToolContext, given: str) -> Place:
    """Find the place a path means, and refuse it when it lies outside the workspace.

    Parameters
    ----------
    context : ToolContext
    given : str
        Relative to the workspace, or absolute and inside it. ``~`` is not expanded.

    Returns
    -------
    Place

    Raises
    ------
    ToolError
        With code ``outside_workspace``, or ``bad_argument`` for what is no path at all.
    """
    root = Path(os.path.realpath(context.workspace))
    if not given.strip():
        raise ToolError("path is empty; '.' is the workspace itself", BAD_ARGUMENT)
    shown = printable(shorten(given.replace(str(root), "."), 80))
    if _CONTROL.search(given):
        raise ToolError(f"path '{shown}' holds a control character; leave it out", BAD_ARGUMENT)
    if given.startswith("~"):
        _refuse(shown, "'~' is not expanded")
    if given.startswith(("//", "\\\\")) or _DRIVE.match(given):
        _refuse(shown, "it names another computer or drive")
    try:
        os.fsencode(given)
        whole = root / given
        real = Path(os.path.realpath(whole))  # Path.resolve raises for links that go in a circle
        link = real if whole.name in {"", ".."} else Path(os.path.realpath(whole.parent)) / whole.name
    except (OSError, ValueError) as error:
        raise ToolError(f"path '{shown}' cannot be used: {_reason(error)}", BAD_ARGUMENT) from error
    if not (real.is_relative_to(root) and link.is_relative_to(root)):
        _refuse(shown, "it leads out")
    return Place(root, real, link)


def _refuse(shown: str, why: str) -> NoReturn:
    message = f"path '{shown}' is refused: {why}; file tools stay inside the workspace"
    raise ToolError(message, OUTSIDE_WORKSPACE)


@contextmanager
def telling(place: Place) -> Iterator[None]:
    """Turn what the operating system objects to into a sentence about a place.

    Parameters
    ----------
    place : Place

    Raises
    ------
    ToolError
        For every ``OSError``; a place where nothing is gets the code ``not_found`` and the nearest names.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise ToolError(f"{shorten(place.shown, 120)} does not exist; {_neighbours(place)}", NOT_FOUND) from error
    except OSError as error:
        raise ToolError(f"{shorten(place.shown, 120)}: {_reason(error)}", "os_error") from error


def _neighbours(place: Place) -> str:
    folder = place.real.parent
    try:
        return suggest(place.real.name, sorted(printable(one.name) for one in folder.iterdir()))
    except OSError:
        return f"nor does the folder {place.show(folder)}"


def printable(text: str) -> str:
    """Make any text fit to be shown: what cannot be encoded or printed is escaped.

    Examples
    --------
    >>> printable("größe" + chr(10)) == "größe" + chr(92) + "n"
    True
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def _reason(error: Exception) -> str:
    """Word an error without the path it holds."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return "it holds characters that no file name can hold" if isinstance(error, ValueError) else type(error).__name__
