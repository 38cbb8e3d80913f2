"""The records a terminal command reads, and which turns of them are wanted."""

from __future__ import annotations

import argparse
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lango_nb.cli.door import read_settings
from lango_nb.cli.output import complain
from lango_nb.config.loading import home_folder
from lango_nb.core.errors import UnknownNameError
from lango_nb.core.events import OUTCOMES
from lango_nb.records.history import History
from lango_nb.records.resume import resume_quietly
from lango_nb.records.retention import check_forgotten
from lango_nb.records.tee import Tee
from lango_nb.specs.topologies import root_of
from lango_nb.stores.opening import HOME, open_store
from lango_nb.stores.store import StoredTurn, TurnQuery

if TYPE_CHECKING:
    from lango_nb.stores.store import Store

_MOST_OFFERED = 200
"""Numbers of turns that an error may suggest."""


def open_records(args: argparse.Namespace) -> closing[Store]:
    """Open the records of the settings, the home folder's where they name none, and say what was left open in them.

    Parameters
    ----------
    args : argparse.Namespace
        With the common options.

    Returns
    -------
    contextlib.closing
        Gives the store, and closes it at the end of the block.

    Raises
    ------
    SettingsError
        A place holds something that is not a setting.
    StoreError
        The store is there and cannot be read.
    """
    settings = read_settings(args).settings.store
    store = open_store(
        settings.url or HOME,
        home=home_folder(),
        durability=settings.durability,
        lock_timeout_s=settings.lock_timeout_s,
    )
    tee = Tee(settings.tee) if settings.tee else None
    for item in resume_quietly(store, datetime.now(UTC), root_of, tee):
        complain(item.sentence)
    return closing(store)


def add_query(parser: argparse.ArgumentParser) -> None:
    """Add the options that narrow which turns are meant."""
    parser.add_argument("--session", metavar="NAME", help="only turns of this session")
    parser.add_argument(
        "--outcome",
        dest="outcomes",
        metavar="WORD",
        choices=OUTCOMES,
        action="append",
        default=[],
        help="only turns that ended so, timeout for instance; may be given several times",
    )
    parser.add_argument("--agent", metavar="NAME", help="only turns this agent worked in")
    parser.add_argument("--tool", metavar="NAME", help="only turns this tool was called in")
    parser.add_argument("--text", metavar="WORDS", default="", help="only turns whose request or answer holds this")
    add_since(parser)


def add_since(parser: argparse.ArgumentParser) -> None:
    """Add the option that leaves older turns out."""
    parser.add_argument(
        "--since", metavar="TIME", help="only turns begun since: 24h, 7d, 2026-01-31 or 2026-01-31T12:00 (UTC)"
    )


def history_of(store: Store, args: argparse.Namespace, limit: int | None = None) -> History:
    """Return which turns the options mean.

    Parameters
    ----------
    store : Store
    args : argparse.Namespace
        With some of the options of :func:`add_query`.
    limit : int, optional
        Only that many, the newest.

    Returns
    -------
    History

    Raises
    ------
    UnknownNameError
        There is no such session.
    UsageError
        ``--since`` is no time.
    """
    wanted = {name: getattr(args, name, None) for name in ("session", "agent", "tool", "since")}
    if wanted["session"] is not None:
        find_session(store, wanted["session"])
    return History(store.log).where(
        **wanted,
        outcome=getattr(args, "outcomes", None) or None,
        text=getattr(args, "text", ""),
        limit=limit,
        newest_first=limit is not None,
    )


def find_turn(store: Store, ref: str) -> StoredTurn:
    """Return a turn by its number, by its place from the end, or by its id.

    Parameters
    ----------
    store : Store
    ref : str
        ``12``, ``-1`` or an id.

    Returns
    -------
    StoredTurn

    Raises
    ------
    UnknownNameError
        There is no such turn.
    """
    found = store.log.read(_id_of(store, int(ref)) if _is_number(ref) else ref)
    if found is None:
        if _is_number(ref):
            check_forgotten(store, int(ref))
        newest = store.log.rows(TurnQuery(newest_first=True, limit=_MOST_OFFERED))
        numbers = sorted(int(str(row["number"])) for row in newest)
        raise UnknownNameError("turn", ref, [str(number) for number in numbers], where=f"{store.name} records")
    return found


def find_session(store: Store, name: str) -> str:
    """Return the name of a session that is there.

    Raises
    ------
    UnknownNameError
        There is none of that name.
    """
    names = [str(row["id"]) for row in store.log.sessions()]
    if name not in names:
        raise UnknownNameError("session", name, names)
    return name


def _is_number(ref: str) -> bool:
    digits = ref.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 9  # noqa: PLR2004 - more is an id


def _id_of(store: Store, number: int) -> str:
    """Return the id of a turn by its number or its place from the end; empty when there is none."""
    if number > 0:
        rows = store.log.rows(TurnQuery(after=number - 1, limit=1))
        return next((str(row["id"]) for row in rows if row["number"] == number), "")
    newest = store.log.rows(TurnQuery(newest_first=True, limit=-number)) if number else []
    numbers = sorted(newest, key=lambda row: int(str(row["number"])))
    return str(numbers[0]["id"]) if len(numbers) == -number and numbers else ""
