"""From the options of a command to settings, a lab and a request."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.cli.output import complain
from lango_nb.core.errors import SettingsError, UsageError, shorten, suggest

if TYPE_CHECKING:
    from lango_nb.config.loading import LoadedSettings
    from lango_nb.lab import Lab
    from lango_nb.runtime.approvals import Approver

MULTI_AGENT = "agent.multiAgent"
TOPOLOGY = "lab.topology"


def read_settings(args: argparse.Namespace, *, is_quiet: bool = False) -> LoadedSettings:
    """Load the settings of this user, the workspace, this environment and these options.

    What is held back of a workspace nobody has trusted is said first, in one line.

    Parameters
    ----------
    args : argparse.Namespace
        With the common options.
    is_quiet : bool
        Whether the caller says what is held back.

    Raises
    ------
    UsageError
        ``--settings`` is not given as KEY=VALUE, or one key is given twice.
    SettingsError
        A place holds something that is not a setting, or names a topology that does not exist.
    """
    from lango_nb.config.loading import ARGUMENT, home_folder, load_settings
    from lango_nb.specs.topologies import topology_names

    loaded = load_settings(Path(args.workspace), home_folder(), os.environ, overrides(args))
    name, origin = loaded.settings.lab.topology, loaded.origins[TOPOLOGY]
    if origin != ARGUMENT and name not in topology_names():
        raise SettingsError(
            f"{origin}: {TOPOLOGY}: topology {shorten(name)!r} not found; {suggest(name, topology_names())}"
        )
    if loaded.warning and not is_quiet:
        complain(loaded.warning)
    return loaded


def overrides(args: argparse.Namespace) -> dict[str, str]:
    """Return the settings that the options set, by dotted key.

    Raises
    ------
    UsageError
        ``--settings`` is not given as KEY=VALUE, or one key is given twice.
    """
    found: dict[str, str] = {}
    options = [("agent.model", args.model), (TOPOLOGY, args.topology)]
    for key, value in [*(split(written) for written in args.overrides), *options]:
        if value is None:
            continue
        if key in found:
            raise UsageError(f"{key} is given twice; keep one")
        found[key] = value
    return found


def split(written: str) -> tuple[str, str]:
    """Take KEY=VALUE apart.

    Raises
    ------
    UsageError
        There is no ``=`` or no key.

    Examples
    --------
    >>> split("agent.model=a=b")
    ('agent.model', 'a=b')
    """
    key, sign, value = written.partition("=")
    if not sign or not key:
        raise UsageError(f"--settings takes KEY=VALUE, agent.maxTurns=5 for instance, not {shorten(written)!r}")
    return key.strip(), value


def open_lab(
    args: argparse.Namespace, approver: Approver | str = "deny", *, is_kept: bool = False, is_quiet: bool = False
) -> Lab:
    """Build the lab a command works with: the terminal is another door to what a notebook has.

    Parameters
    ----------
    args : argparse.Namespace
        With the common options.
    approver : Approver or str
        Who answers before a dangerous call.
    is_kept : bool
        Whether what happens is kept: in the home folder, unless the setting ``store.url`` says where.
    is_quiet : bool
        Whether the caller says what is held back of the workspace's settings.

    Raises
    ------
    LangoError
        A setting, a name or a definition is wrong.

    Notes
    -----
    A lab starts with the setting ``lab.topology``; where ``agent.multiAgent`` is written down as false, and no topology
    is asked for, it works alone.
    """
    from lango_nb.lab import Lab
    from lango_nb.stores.opening import HOME

    loaded = read_settings(args, is_quiet=is_quiet)  # also names the place of a topology that does not exist
    store = (loaded.settings.store.url or HOME) if is_kept else "memory"
    lab = Lab(args.topology, workspace=args.workspace, settings=loaded, approver=approver, store=store)
    for item in lab.engine.records.found:
        complain(item.sentence)
    return lab


def read_text(text: str) -> str:
    """Return the request as it is; ``-`` reads standard input to its end.

    Raises
    ------
    UsageError
        It is not UTF-8.
    """
    if text == "-":
        try:
            return sys.stdin.buffer.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"standard input: byte {error.start + 1} is not UTF-8") from error
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError("TEXT is not UTF-8") from error
    return text
