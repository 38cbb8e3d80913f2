"""The records that a command of the terminal reads, without an engine around them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lango_nb.commands.terminal.output import complain
from lango_nb.config.loading import home_folder
from lango_nb.core.errors import UnknownNameError
from lango_nb.core.paths import HOME
from lango_nb.records.history import History
from lango_nb.records.resume import resume_quietly
from lango_nb.records.retention import check_forgotten
from lango_nb.records.tee import Tee
from lango_nb.specs.topologies import root_of
from lango_nb.stores.opening import open_store
from lango_nb.stores.store import StoredTurn, TurnQuery

if TYPE_CHECKING:
    from lango_nb.config.settings import StoreSettings
    from lango_nb.stores.store import Store

_MOST_OFFERED = 200
"""Numbers of turns that an error may suggest."""


def open_records(settings: StoreSettings) -> Store:
    """Open the records of the settings, the home folder's where they name none, and say what was left open in them.

    Parameters
    ----------
    settings : StoreSettings

    Raises
    ------
    StoreError
        The store is there and cannot be read.
    """
    store = open_store(
        settings.url or HOME, home=home_folder(), durability=settings.durability, lock_timeout_s=settings.lock_timeout_s
    )
    tee = Tee(settings.tee) if settings.tee else None
    for item in resume_quietly(store, datetime.now(UTC), root_of, tee):
        complain(item.sentence)
    return store


class Records:
    """What is stored, as a command line asks for it.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def history(self, session: str | None = None) -> History:
        """Return the turns of a session, or all of them.

        Raises
        ------
        UnknownNameError
            There is no such session.
        """
        if session is not None:
            self._check_session(session)
        return History(self.store.log).where(session=session)

    @property
    def latest_session(self) -> str | None:
        """Name of the session of the latest turn; ``None`` where there is no turn."""
        rows = self.store.log.rows(TurnQuery(newest_first=True, limit=1))
        return next((str(row["session_id"]) for row in rows), None)

    def turn(self, ref: str) -> StoredTurn:
        """Return a turn by its number, by its place from the end, or by its id.

        Parameters
        ----------
        ref : str
            ``12``, ``-1`` or an id.

        Raises
        ------
        UnknownNameError
            There is no such turn.
        """
        log = self.store.log
        found = log.read(self._id_of(int(ref)) if _is_number(ref) else ref)
        if found is None:
            if _is_number(ref):
                check_forgotten(self.store, int(ref))
            newest = log.rows(TurnQuery(newest_first=True, limit=_MOST_OFFERED))
            numbers = sorted(int(str(row["number"])) for row in newest)
            raise UnknownNameError("turn", ref, [str(number) for number in numbers], where=f"{self.store.name} records")
        return found

    def _id_of(self, number: int) -> str:
        """Return the id of a turn by its number or its place from the end; empty when there is none."""
        log = self.store.log
        if number > 0:
            rows = log.rows(TurnQuery(after=number - 1, limit=1))
            return next((str(row["id"]) for row in rows if row["number"] == number), "")
        newest = log.rows(TurnQuery(newest_first=True, limit=-number)) if number else []
        numbers = sorted(newest, key=lambda row: int(str(row["number"])))
        return str(numbers[0]["id"]) if len(numbers) == -number and numbers else ""

    def _check_session(self, name: str) -> None:
        names = [str(row["id"]) for row in self.store.log.sessions()]
        if name not in names:
            raise UnknownNameError("session", name, names)


def _is_number(ref: str) -> bool:
    digits = ref.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 9  # noqa: PLR2004 - more is an id
