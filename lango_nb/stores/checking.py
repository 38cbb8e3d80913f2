"""A look at everything that is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lango_nb.core.errors import StoreError
from lango_nb.stores.database import Database
from lango_nb.stores.failures import clean_message
from lango_nb.stores.reading import NEXT_STEP, damaged
from lango_nb.stores.rows import row_format
from lango_nb.stores.schema import DOCUMENTS
from lango_nb.stores.store import Problem

if TYPE_CHECKING:
    from lango_nb.stores.turns import Turns


def check(database: Database, log: Turns) -> list[Problem]:
    """Say what is wrong with a database; changes nothing.

    Parameters
    ----------
    database : Database
    log : Turns

    Returns
    -------
    list of Problem
        Of a file that is damaged in its structure, only that.
    """
    try:
        if not database.exists():
            return []
        problems = list(_damaged_pages(database))
        if problems:
            return problems  # nothing else that is read can be relied on
        return [*log.problems(), *_damaged_documents(database), *_unfinished(log)]
    except StoreError as error:
        if error.code != "damaged":
            raise
        return [Problem("damaged", database.where, str(error), NEXT_STEP)]


def _damaged_pages(database: Database) -> Iterator[Problem]:
    if database.dialect.name == "sqlite":
        for (found,) in database.rows("PRAGMA integrity_check(10)"):
            if found != "ok":
                yield Problem("damaged", "the database file", clean_message(str(found), ()), NEXT_STEP)


def _damaged_documents(database: Database) -> Iterator[Problem]:
    for table in DOCUMENTS.values():
        form = row_format(table.name)
        columns = ", ".join(f'"{name}"' for name in form.columns)
        for key, *values in database.rows(database.spelled(f"SELECT id, {columns} FROM {{{table.name}}}")):  # noqa: S608
            try:
                form.row(values)
            except ValueError:
                yield damaged(table.name, key)


def _unfinished(log: Turns) -> Iterator[Problem]:
    for row in log.unfinished():
        found = f"turn {row['number']} is open, and the process that began it is gone"
        yield Problem("unfinished", "turns", found, "open the store with lango_nb, which closes it")
