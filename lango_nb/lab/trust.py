"""Trusting the settings of a folder: what a person sees, the question, and what is trusted already.

Only a person gives trust, at a terminal or in a notebook, after seeing every value. A tool cannot: inside a turn the
question is not asked, and a command that an agent runs has no terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lango_nb.config.files import FILE, PROJECT_FILE
from lango_nb.config.loading import load_settings
from lango_nb.config.trust import FolderTrust, give_trust, read_trust, remove_trust
from lango_nb.core.errors import RefusedError, UsageError, shorten
from lango_nb.core.paths import path_of
from lango_nb.core.private import shown_path
from lango_nb.core.text import counted, printable
from lango_nb.engine import is_inside_a_turn
from lango_nb.runtime.ask import is_anybody_there
from lango_nb.viz.table import Table

QUESTION = "Trust this folder with these settings? [y]es / [N]o "


def trust_folder(
    folder: Path, home: Path, show: Callable[[str], None], read: Callable[[str], str] | None = None
) -> str:
    """Show what a folder's settings would change, ask, and write down a yes.

    Parameters
    ----------
    folder : Path
    home : Path
        The home folder, whose settings count as the user's own.
    show : callable
        Shows a text.
    read : callable, optional
        Puts a question to a person and returns the line that was typed; ``input``, as it is then, when absent.

    Returns
    -------
    str
        One sentence: what came of it.

    Raises
    ------
    RefusedError
        Nobody is there to ask, or a tool wants to trust a folder.
    UsageError
        There is no such folder.
    SettingsError
        Its settings are wrong, or the answer cannot be written down.
    """
    if not path_of(folder).is_dir():
        raise UsageError(f"{shorten(str(folder))!r} is not a folder; name one that holds {FILE} or {PROJECT_FILE}")
    found = load_settings(folder, home).trust
    if found is None:
        return f"nothing in {FILE} or {PROJECT_FILE} of {shown_path(folder.resolve())} needs trust"
    show(listing(found))
    if found.is_trusted:
        return "trusted already, with exactly these settings"
    if is_inside_a_turn():
        raise RefusedError("trust is given by a person, not by a tool; nothing was trusted")
    try:
        answer = (read or input)(QUESTION) if is_anybody_there() else None
    except (EOFError, NotImplementedError, OSError):  # a notebook without input raises a kind of NotImplementedError
        answer = None
    if answer is None:
        raise RefusedError(f"nobody is there to ask, so nothing was trusted; run {found.command} at a terminal")
    if answer.strip().casefold() not in {"y", "yes"}:
        return "not trusted; the settings stay held back"
    give_trust(home, found)
    return "trusted until these settings change; they hold for every Lab and command from now on"


def listing(found: FolderTrust) -> str:
    """Write exactly what trust is needed for, every value whole.

    Parameters
    ----------
    found : FolderTrust

    Returns
    -------
    str
        Several lines.
    """
    lines = [f"{found.shown} wants to set"]
    for setting in found.settings:
        lines.append(f"  {setting.key} = {setting.value}   ({setting.file})")
        lines.append(f"      {setting.sentence}")
        if setting.accepts:
            lines.append(f"      Holds without trust: {setting.accepts}.")
        if setting.files:
            lines.append(f"      Trusted with it, as they are now: {', '.join(map(printable, setting.files))}.")
    return "\n".join(lines)


def trusted_folders(home: Path) -> Table:
    """List the folders that are trusted, and whether their settings are still those that were trusted.

    Parameters
    ----------
    home : Path

    Returns
    -------
    Table
    """
    rows = tuple((shown_path(Path(folder)), _state(Path(folder), home)) for folder in sorted(read_trust(home)))
    return Table(f"{counted(len(rows), 'trusted folder')}", ("folder", "state"), rows, empty="no folder is trusted")


def distrust_folder(folder: Path, home: Path) -> str:
    """Take trust from a folder.

    Parameters
    ----------
    folder : Path
        May be gone.
    home : Path

    Returns
    -------
    str
        One sentence: what came of it.
    """
    shown = shown_path(folder.resolve())
    return f"{shown} is not trusted any more" if remove_trust(home, folder.resolve()) else f"{shown} was not trusted"


def _state(folder: Path, home: Path) -> str:
    if not folder.is_dir():
        return "gone"
    found = load_settings(folder, home).trust
    if found is None:
        return "nothing in it needs trust any more"
    return "trusted" if found.is_trusted else "changed since; held back again"
