"""The commands of ``%lango`` for things of your own."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import LangoError, UnknownNameError, UsageError
from lango_nb.magics.line import Line

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from lango_nb.lab import Lab
    from lango_nb.specs.agent import AgentSpec
    from lango_nb.tools.tool import Tool
    from lango_nb.viz.view import View

Names = Mapping[str, Any]


class ShelfCommands:
    """What a lab keeps of your own, as commands."""

    shell: InteractiveShell

    @property
    def lab(self) -> Lab:
        """The lab behind the commands."""
        raise NotImplementedError

    def do_shelf(self, line: Line, _names: Names) -> View[Any]:
        """Show the shelf, let what is on it join again, or go on with another file."""
        word, search = line.word or "", line.options.get("--search", "")
        is_file = Path(word).suffix == ".json" or "/" in word or "\\" in word
        if is_file:
            self.lab.open_shelf(word)
        shelf = self.lab.shelf
        kind = "" if is_file else word
        if "--restore" in line.options:
            return self.lab.restore(kind or "agents", self.shell.user_ns)
        if kind and kind not in (kinds := kinds_of(self.lab)):
            raise UnknownNameError("kind", kind, kinds, where="the shelf")
        return shelf.view(kind, search)

    def do_note(self, line: Line, _names: Names) -> View[Any]:
        """Put a note on a turn."""
        return self.lab.note(line.word, line.text)

    def do_tag(self, line: Line, _names: Names) -> View[Any]:
        """Put tags on a turn."""
        if len(line.words) < 2:  # noqa: PLR2004 - a turn and a tag
            raise UsageError("tag needs a turn and a word, as in '%lango tag -1 slow'")
        turn, *tags = line.words
        return self.lab.tag(turn, *tags)

    def do_label(self, line: Line, _names: Names) -> View[Any]:
        """Keep a request with its right agent."""
        return self.lab.label(line.text, line.word or "")

    def do_save(self, line: Line, _names: Names) -> View[Any]:
        """Keep the last result."""
        return self.lab.save(line.word or "")

    def do_forget(self, line: Line, _names: Names) -> View[Any]:
        """Remove items."""
        return self.lab.forget(*line.words)


def kinds_of(lab: Lab) -> list[str]:
    """List the kinds that a lab makes, and those that are on its shelf besides."""
    from lango_nb.lab.shelf.entries import KINDS

    return sorted({*KINDS, *lab.shelf.tables()})


def items_of(lab: Lab) -> list[str]:
    """List the items of a lab's shelf."""
    return [item.id for item in lab.shelf.items()]


def keep_cell(lab: Lab, made: AgentSpec | Sequence[Tool], source: str) -> None:
    """Keep the definition of a cell; where that cannot be, say so in a line: the definition holds all the same.

    Parameters
    ----------
    lab : Lab
    made : AgentSpec or sequence of Tool
        What the cell defines.
    source : str
        The cell.
    """
    from lango_nb.specs.agent import AgentSpec

    try:
        if isinstance(made, AgentSpec):
            lab.keep_agent(made, source)
        else:
            lab.keep_tools(made, source)
    except LangoError as error:
        print(f"lango: {error}", file=sys.stderr)  # noqa: T201 - beside the result, as a warning
