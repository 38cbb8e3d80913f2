"""``lango note``: put a note on a turn that is stored."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from lango_nb.cli.door import read_text
from lango_nb.cli.output import say, say_json
from lango_nb.cli.parser import add_common
from lango_nb.cli.shelf import add_file, item_data, open_shelf_of
from lango_nb.cli.stored import find_turn, open_records
from lango_nb.core.errors import UsageError


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango note``."""
    parser.add_argument("turn", metavar="TURN", help="number, -1 for the last, or id; lango trace list shows them")
    parser.add_argument("text", metavar="TEXT", help="the note, one argument; - reads standard input")
    add_file(parser)
    add_common(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Put the note on the shelf, and show it.

    Raises
    ------
    UnknownNameError
        There is no such turn.
    UsageError
        The note has no text.
    """
    from lango_nb.lab.shelf import entries
    from lango_nb.records.packing import unpack_turn

    text = read_text(args.text)
    if not text.strip():
        raise UsageError("a note needs a text")
    with open_records(args) as store:
        turn = unpack_turn(find_turn(store, args.turn).row)
    shelf = open_shelf_of(args)
    item = shelf.put(entries.note(turn, text, datetime.now(UTC)))
    items = tuple(one for one in shelf.items(entries.NOTES) if one.id == item)
    if args.output == "json":
        say_json([item_data(one) for one in items])
    else:
        say(shelf.shown(items, "noted").text)
    return 0
