"""Opening JupyterLab from a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lango_nb.commands.command import Command, Option

if TYPE_CHECKING:
    from lango_nb.commands.terminal.session import Terminal


@Command(
    "lab",
    "open JupyterLab on copies of the notebooks",
    options=(
        Option("--dir", "folder of the copies (lango-notebooks)", "DIR"),
        Option("--port", "port (from 8888 the first free one)", "PORT"),
        Option("--no-browser", "print the address and open nothing"),
        Option("--allow-root", "run as root, in a container for instance"),
    ),
    takes_settings=False,
    note="A file that is already in the folder is never overwritten; where the shipped one differs, it is put beside "
    "it as <name>.new.ipynb.",
).in_terminal
def lab(
    _terminal: Terminal,
    *,
    dir: str = "lango-notebooks",  # noqa: A002 - its name on the line
    port: str | None = None,
    no_browser: bool = False,
    allow_root: bool = False,
) -> int:
    """Copy the notebooks, start JupyterLab, and wait until it ends."""
    from lango_nb.commands.terminal.jupyter import open_notebooks

    return open_notebooks(dir, port, has_browser=not no_browser, as_root=allow_root)
