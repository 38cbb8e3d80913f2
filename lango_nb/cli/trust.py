"""``lango trust``: see what a folder's settings would change, and trust them."""

from __future__ import annotations

import argparse

from lango_nb.cli.output import ask, say, say_record
from lango_nb.core.paths import path_of


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango trust``."""
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="whose settings are meant (.)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the folders that are trusted; changes nothing")
    what.add_argument("--remove", action="store_true", help="trust the folder no longer")
    parser.epilog = (
        "Until a folder is trusted, its lango.json and pyproject.toml may only make things stricter or say what is "
        "harmless. Trust holds until the settings change."
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Trust a folder, list those that are trusted, or take trust away.

    Raises
    ------
    RefusedError
        Nobody is there to ask.
    UsageError
        There is no such folder.
    SettingsError
        Its settings are wrong.
    """
    from lango_nb.config.loading import home_folder
    from lango_nb.lab.trust import distrust_folder, trust_folder, trusted_folders

    folder, home = path_of(args.folder), home_folder()
    if args.list:
        say_record(trusted_folders(home))
    elif args.remove:
        say(distrust_folder(folder, home))
    else:
        say(trust_folder(folder, home, say, ask))
    return 0
