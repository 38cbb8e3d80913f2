"""``lango shelf``: what is kept of your own."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lango_nb.cli.door import read_settings
from lango_nb.cli.output import say, say_json
from lango_nb.cli.parser import add_common
from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.core.paths import path_of

if TYPE_CHECKING:
    from lango_nb.lab.shelf import Shelf
    from lango_nb.records.shelf_items import ShelfItem


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango shelf``."""
    parser.add_argument("kind", metavar="KIND", nargs="?", default="", help="only this kind, notes for instance")
    parser.add_argument("--search", metavar="TEXT", default="", help="only what holds this somewhere")
    add_file(parser)
    add_common(parser)
    parser.set_defaults(run=run)


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the option that names another shelf than that of the home folder."""
    parser.add_argument("--file", metavar="FILE", help="a shelf of your own, in place of that in the home folder")


def open_shelf_of(args: argparse.Namespace) -> Shelf:
    """Open the shelf that the options mean.

    Parameters
    ----------
    args : argparse.Namespace
        With ``--file`` and the common options.

    Raises
    ------
    UsageError
        The file is not there.
    StoreError
        It is no shelf, or damaged.
    """
    from lango_nb.config.loading import home_folder
    from lango_nb.lab.shelf import open_shelf
    from lango_nb.lab.shelving import shelf_path
    from lango_nb.stores.opening import HOME

    if args.file is None:
        return open_shelf(shelf_path(read_settings(args).settings.store.url or HOME, home_folder()))
    if not path_of(args.file).exists():
        raise UsageError(f"there is no file {args.file!r}; name a shelf that is there")
    return open_shelf(args.file)


def run(args: argparse.Namespace) -> int:
    """List the items.

    Raises
    ------
    UnknownNameError
        There is no such kind.
    """
    from lango_nb.lab.shelf.entries import KINDS

    shelf = open_shelf_of(args)
    kinds = sorted({*KINDS, *shelf.tables()})
    if args.kind and args.kind not in kinds:
        raise UnknownNameError("kind", args.kind, kinds, where="the shelf")
    view = shelf.view(args.kind, args.search)
    if args.output == "json":
        say_json([item_data(item) for item in view.record])
    elif not view.record:
        fits = "nothing fits" if args.kind or args.search else "nothing is kept yet; lango note TURN TEXT keeps a note"
        say(f"{shelf.name}: {fits}")
    else:
        say(view.text)
    return 0


def item_data(item: ShelfItem) -> dict[str, Any]:
    """Return an item as plain data, as its file has it."""
    fields = {"name": item.name, "text": item.text, "agent": item.agent, "turn": item.turn, "turn_id": item.turn_id}
    at = {"at": item.at.isoformat()} if item.at is not None else {}
    return {
        "item": item.id,
        **{name: value for name, value in fields.items() if value not in {"", None}},
        **at,
        **item.more,
    }
