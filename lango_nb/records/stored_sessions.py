"""Conversations in a store: read when they are opened, and again when another process went on with them."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from threading import RLock

from lango_nb.core.collector import paused_collector
from lango_nb.core.errors import StoreError
from lango_nb.core.messages import Message
from lango_nb.records.masked import masked
from lango_nb.records.packing import pack_message, read_history, unpack_message
from lango_nb.records.rows import rows_in
from lango_nb.records.sessions import MOST_TOKENS, Session, Sessions
from lango_nb.records.summaries import KIND, Summary, summary_of
from lango_nb.stores.store import Documents, Row, Store, TurnLog, TurnQuery

logger = logging.getLogger("lango_nb")

_PAGE = 256
"""Turns that are read at once."""
_FIRST, _AT_LEAST = 32, 8
"""Turns that are read at once when nobody knows yet how long they are, and when hardly any fit."""
_AT_ONCE = 8
"""How many turns of one session run at once, hardly."""
LATE = "message"
"""Kind of the documents that hold what runs left after the end of their turns."""


def late_row(log: TurnLog, source: str, session_id: str, messages: Sequence[Message]) -> Row:
    """Return what a run left as a row, with the turn after which a session has it from now on.

    Parameters
    ----------
    log : TurnLog
    source : str
        Id of the run.
    session_id : str
    messages : sequence of Message
    """
    row: Row = {"id": source, "session_id": session_id, "messages": [pack_message(masked(one)) for one in messages]}
    latest = log.rows(TurnQuery(session=session_id, newest_first=True, limit=_AT_ONCE))
    closed = (one["number"] for one in latest if one["outcome"] != "running")
    return {**row, "after": next(closed, 0)}


class StoredSession(Session):
    """A conversation whose late messages are written down, and whose summaries are found again.

    Parameters
    ----------
    session_id : str
    log : TurnLog
    late : Documents
    most_tokens : int
    """

    def __init__(self, session_id: str, log: TurnLog, late: Documents, most_tokens: int) -> None:
        super().__init__(session_id, most_tokens=most_tokens)
        self.is_read = False
        """Whether its stored turns were read, the latest of them at least."""
        self.settled = 0
        """Number of the turn up to which all are known."""
        self.late = ""
        """The run that left the latest of the late messages."""
        self.seen: object = None
        """What the store said of changes when it was read last."""
        self.own = 0
        """How many turns were heard as they ended, and not read."""
        self.looked = 0
        """Number of the turn up to which summaries were looked for, or need not be."""
        self._log, self._late = log, late
        self._unsaved: list[tuple[str, Sequence[Message]]] = []

    def hear(self, messages: Sequence[Message], turn_id: str) -> None:
        """Keep what later turns see of a turn that ran here."""
        super().hear(messages, turn_id)
        self.own += 1

    def summary(self, most_tokens: int) -> Summary | None:
        """Return the latest summary that was made for a number of tokens, in whatever process."""
        if self.settled > self.looked:
            for _, events in self._log.events(TurnQuery(session=self.id, after=self.looked)):
                for event in events:
                    if event.get("kind") == KIND:
                        self.sum_up(summary_of(event))
            self.looked = self.settled
        return super().summary(most_tokens)

    def leave(self, messages: Sequence[Message], source: str) -> None:
        """Keep what a run left after its turn had ended; what cannot be written now is written with the next."""
        super().leave(messages, source)
        try:
            if messages:
                self._unsaved.append((source, messages))
            self.save()
        except StoreError as error:
            logger.warning("what run %s left is not written down yet; it is kept in memory: %s", source, error)

    def save(self) -> None:
        """Write down what could not be before.

        Raises
        ------
        StoreError
            It still cannot; everything is kept in memory.
        """
        if self._unsaved:
            self._late.put(*(late_row(self._log, source, self.id, messages) for source, messages in self._unsaved))
            self._unsaved.clear()


class StoredSessions(Sessions):
    """All conversations of a store.

    Parameters
    ----------
    store : Store
    most_tokens : int
        How much of each is kept at hand.
    """

    def __init__(self, store: Store, most_tokens: int = MOST_TOKENS) -> None:
        super().__init__(most_tokens)
        self._log: TurnLog = store.log
        self._late = store.documents(LATE)
        self._lock = RLock()

    def open(self, session_id: str) -> Session:
        """Return a session as it is now: with what other processes added, in the order of their turns."""
        with self._lock:
            session = super().open(session_id)
            assert isinstance(session, StoredSession)  # noqa: S101 - this class makes them
            if session.is_read:
                self._read(session)
            else:
                with paused_collector():
                    self._read(session)
        return session

    def save(self) -> None:
        """Write down what runs left and could not be written before; see :meth:`StoredSession.save`."""
        with self._lock:
            for session in self._by_id.values():
                assert isinstance(session, StoredSession)  # noqa: S101 - this class makes them
                session.save()

    def _new(self, session_id: str) -> Session:
        return StoredSession(session_id, self._log, self._late, self.most_tokens)

    def _read(self, session: StoredSession) -> None:
        """Read what is new, unless all that was written since is what this process has heard."""
        others, ended = self._log.changes(session.id)
        seen = (others, ended - session.own, self._late.changes)
        if seen == session.seen and len(session.known) < _PAGE:
            return
        if not session.is_read:
            self._read_latest(session)
            session.is_read = True
        rows = self._log.rows(TurnQuery(session=session.id, after=session.settled))
        new = [
            int(str(row["number"])) for row in rows if row["outcome"] != "running" and row["id"] not in session.known
        ]
        for _, history in self._log.histories(new):
            session.add(read_history(history))
        session.known.update(str(row["id"]) for row in rows if row["outcome"] != "running")
        for row in rows:  # up to the first one that still runs, nothing will change any more
            if row["outcome"] == "running":
                break
            session.settled = int(str(row["number"]))
            session.known.discard(str(row["id"]))
        latest = self._late.find({"session_id": session.id}, newest_first=True, limit=1)
        if latest and latest[0]["id"] != session.late:
            session.late = str(latest[0]["id"])
            self._read_late(session)
        session.seen = seen

    def _read_latest(self, session: StoredSession) -> None:
        """Read as many of the latest turns as fit; what is before them is in the records."""
        query = TurnQuery(session=session.id, newest_first=True)
        latest = self._log.numbers(replace(query, limit=1))
        if not latest:
            return
        running = self._log.rows(TurnQuery(outcomes=("running",)))  # of all sessions: they are few, and found at once
        before = min([latest[0] + 1, *(int(str(row["number"])) for row in running if row["session_id"] == session.id)])
        left, read = self._log.count(replace(query, before=before)), 0
        late = self._placed(session) if left else []
        while left and session.tokens <= session.most_tokens:
            wanted = self._turns_that_fit(session, read)
            *numbers, lower = [*self._log.numbers(replace(query, before=before, limit=wanted + 1)), -1][: wanted + 1]
            upper = before - 1
            if not numbers:  # they were removed meanwhile
                break
            if not read:
                session.settled = upper = numbers[0]
                session.known.update(source for after, source, _ in late if after <= upper)
            pages = list(self._log.histories(numbers[::-1]))
            pages += [(after, text) for after, _, text in late if lower < after <= upper]
            pages.sort(key=itemgetter(0))  # what runs left stands behind the turn
            texts = [text[1:-1] for _, text in pages if text != "[]"]
            session.add_before(read_history(f"[{','.join(texts)}]"))
            before, left, read = lower + 1, left - len(numbers) if lower >= 0 else 0, read + len(numbers)
        session.dropped = left
        session.looked = before - 1 if left else 0

    def _turns_that_fit(self, session: StoredSession, turns: int) -> int:
        """Return how many turns to read next: about as many as still fit, if they are like those that were read."""
        if not session.tokens:
            return max(_FIRST, min(turns, _PAGE))  # nothing was said in those that were read
        return min(_PAGE, (session.most_tokens - session.tokens) * turns // session.tokens + _AT_LEAST)

    def _placed(self, session: StoredSession) -> list[tuple[int, str, str]]:
        """Return what runs left that is known to stand behind a turn: its number, the run, and messages as JSON.

        Of what does not say so, it is the turn that had the run.
        """
        rows = self._late.find({"session_id": session.id})
        turns = {str(row["id"]): _turn_of(row) for row in rows if "after" not in row}
        numbers = (
            {row["id"]: row["number"] for row in self._log.rows(TurnQuery(ids=tuple(turns.values())))} if turns else {}
        )
        found = []
        for row in rows:
            after = row["after"] if "after" in row else numbers.get(turns[str(row["id"])])
            if isinstance(after, int):
                found.append((after, str(row["id"]), json.dumps(row["messages"])))
        return found

    def _read_late(self, session: StoredSession) -> None:
        for row in self._late.find({"session_id": session.id}):
            if row["id"] not in session.known:
                session.known.add(str(row["id"]))
                packed = row["messages"]
                assert isinstance(packed, list)  # noqa: S101 - written above
                session.add([unpack_message(message) for message in packed])  # type: ignore[arg-type]

    def names(self) -> list[str]:
        """Return the names of all sessions of the store, and of those opened here that have no turn yet."""
        stored = [str(row["id"]) for row in self._log.sessions()]
        return list(dict.fromkeys([*stored, *super().names()]))


def _turn_of(row: Row) -> str:
    """Return the turn that had the run which left something."""
    (first, *_) = rows_in(row, "messages", "what a run left")
    return str(first.get("id", "")).rpartition(".")[0]
