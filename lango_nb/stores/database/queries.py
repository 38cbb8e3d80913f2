"""Which turns are wanted, as a condition of SQL.

Every condition means what :meth:`~lango_nb.stores.store.TurnQuery.matches` does. Only the text is left to Python: upper
and lower case are alike there for all languages, in SQLite for English alone, in PostgreSQL as the server is set up.
"""

from __future__ import annotations

from lango_nb.stores.database.tables import Dialect
from lango_nb.stores.database.texts import to_name
from lango_nb.stores.store import TurnQuery, stamp

_LARGEST = 2**63 - 1
"""What an integer of a database holds."""


def where(query: TurnQuery, dialect: Dialect) -> tuple[str, dict[str, object]]:
    """Return the condition of a query, and its values.

    Parameters
    ----------
    query : TurnQuery
    dialect : Dialect

    Returns
    -------
    tuple of (str, dict)
        Begins with ``WHERE`` unless nothing is narrowed. Text, order and limit are the caller's.

    Examples
    --------
    >>> from lango_nb.stores.database.tables import SQLITE
    >>> where(TurnQuery(session="main", after=3), SQLITE)
    (' WHERE session_id = :session AND number > :after', {'session': 'main', 'after': 3})
    """
    conditions: list[str] = []
    values: dict[str, object] = {}

    def narrow(condition: str, name: str, value: object) -> None:
        conditions.append(condition)
        values[name] = value

    if query.session is not None:
        narrow("session_id = :session", "session", to_name(query.session))
    if query.ids is not None:
        narrow(dialect.among("id", "ids"), "ids", dialect.values([to_name(key) for key in query.ids]))
    if query.outcomes:
        outcomes = [to_name(outcome) for outcome in query.outcomes]
        narrow(dialect.among("outcome", "outcomes"), "outcomes", dialect.values(outcomes))
    if query.after:
        narrow("number > :after", "after", max(min(query.after, _LARGEST), -_LARGEST))
    if query.since is not None:
        narrow("started_at >= :since", "since", stamp(query.since))
    if query.until is not None:
        narrow("started_at < :until", "until", stamp(query.until))
    for role, name in (("agent", query.agent), ("tool", query.tool)):
        if name is not None:
            named = f"SELECT turn FROM lango_turn_names WHERE role = '{role}' AND name = :{role}"  # noqa: S608
            narrow(f"number IN ({named})", role, to_name(name))
    return (" WHERE " + " AND ".join(conditions) if conditions else ""), values


def limit(wanted: int | None) -> int | None:
    """Return a limit as a database takes it."""
    return max(0, min(wanted, _LARGEST)) if wanted is not None else None


def order(query: TurnQuery) -> str:
    """Return the order of a query."""
    return " ORDER BY number DESC" if query.newest_first else " ORDER BY number"
