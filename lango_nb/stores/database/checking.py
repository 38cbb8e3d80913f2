"""A look at everything that is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lango_nb.stores.database.reading import damaged
from lango_nb.stores.database.tables import Database
from lango_nb.stores.database.texts import from_text
from lango_nb.stores.store import Problem

if TYPE_CHECKING:
    from lango_nb.stores.database.log import SqlLog

PAGE = 1000
"""Rows that are looked at at once."""

_DATA = {
    "lango_documents": "SELECT position, kind, id, data FROM lango_documents WHERE position > :last",
    "lango_turns": "SELECT number, id, data FROM lango_turns WHERE number > :last",
    "lango_turn_bodies": "SELECT turn, data FROM lango_turn_bodies WHERE turn > :last",
}
_EVENTS = """
SELECT turn, position, data FROM lango_events WHERE turn > :turn OR (turn = :turn AND position > :position)
ORDER BY turn, position LIMIT :page
"""
_WITHOUT_BODY = """
SELECT id FROM lango_turns
WHERE state = 'closed' AND NOT EXISTS (SELECT 1 FROM lango_turn_bodies WHERE turn = number) ORDER BY number
"""
_WITHOUT_EVENTS = """
SELECT id, events - (SELECT count(*) FROM lango_events WHERE turn = number) FROM lango_turns
WHERE events > (SELECT count(*) FROM lango_events WHERE turn = number) ORDER BY number
"""
_RESTORE = "restore it from a copy, or remove the turn"


def check(database: Database, log: SqlLog) -> list[Problem]:
    """Say what is wrong with a database; changes nothing.

    Parameters
    ----------
    database : Database
    log : SqlLog

    Returns
    -------
    list of Problem
    """
    if not database.exists():
        return []
    problems = list(_damaged_pages(database))
    if problems:
        return problems  # nothing else that is read can be relied on
    problems += [damaged(table, name) for table, name, text in _texts(database) if not _is_whole(text)]
    for (key,) in database.rows(_WITHOUT_BODY):
        problems.append(Problem("missing", "lango_turn_bodies", f"turn {key} has lost its messages", _RESTORE))
    for key, count in database.rows(_WITHOUT_EVENTS):
        problems.append(Problem("missing", "lango_events", f"turn {key} has lost {count} of its events", _RESTORE))
    for row in log.unfinished():
        found = f"turn {row['number']} is open, and the process that began it is gone"
        problems.append(Problem("unfinished", "lango_turns", found, "open the store with lango_nb, which closes it"))
    return problems


def _damaged_pages(database: Database) -> Iterator[Problem]:
    if database.dialect.name != "sqlite":
        return
    for (found,) in database.rows("PRAGMA quick_check(10)"):
        if found != "ok":
            yield Problem("damaged", "the database file", str(found), "restore it from a copy")


def _texts(database: Database) -> Iterator[tuple[str, str, str]]:
    for table, query in _DATA.items():
        statement, last = f"{query} ORDER BY 1 LIMIT {PAGE}", -1
        while found := database.rows(statement, last=last):
            yield from ((table, "/".join(map(str, names or (place,))), text) for place, *names, text in found)
            last = found[-1][0]
    turn, position = -1, -1
    while found := database.rows(_EVENTS, turn=turn, position=position, page=PAGE):
        yield from (("lango_events", f"{turn}/{position}", text) for turn, position, text in found)
        turn, position, _ = found[-1]


def _is_whole(text: str) -> bool:
    try:
        from_text(text)
    except ValueError:
        return False
    return True
