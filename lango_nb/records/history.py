"""Everything that is stored, or some of it: turns by session, agent, tool, outcome, time and text.

History(log) ─ where(outcome="timeout", since="24h") ─ where(agent="vault")
    │                   chooses, reads nothing
    ├── rows(), turns(), sessions(), len()      read summaries, no event
    └── traces()                                reads what is asked for, one turn after the other
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from lango_nb.config.units import parse_duration
from lango_nb.core.clock import Clock, SystemClock
from lango_nb.core.errors import UnknownNameError, UsageError, shorten
from lango_nb.stores.store import EVERY_TURN, Row, StoredTurn, TurnLog, TurnQuery

if TYPE_CHECKING:
    from lango_nb.records.turns import Trace, Turn

When = datetime | str
"""A time, or a text that names one: ``2026-01-31``, ``2026-01-31T08:00``, or ``24h`` for that long ago."""


class History:
    """Turns that are stored; nothing is read before it is asked for, and then as it is at that moment.

    Parameters
    ----------
    log : TurnLog
    query : TurnQuery
        Which turns; all when absent.
    clock : Clock, optional
        Says what ``24h`` ago is; the machine's when absent.

    Examples
    --------
    >>> from lango_nb.stores.sql import memory_store
    >>> log = memory_store().log
    >>> for number, session in enumerate(("main", "main", "other"), 1):
    ...     started_at = f"2026-01-0{number}T00:00:00.000000+00:00"
    ...     _ = log.begin({"id": f"turn-{number}", "session_id": session, "text": "hi", "started_at": started_at})
    >>> history = History(log)
    >>> len(history), len(history.where(session="main")), len(history.where(since="2026-01-02"))
    (3, 2, 2)
    >>> history.where(session="main", outcome="running").where(limit=1)
    History(session='main', outcomes=('running',), limit=1)
    """

    def __init__(self, log: TurnLog, query: TurnQuery = EVERY_TURN, clock: Clock | None = None) -> None:
        self.log = log
        self.query = query
        self._clock = clock or SystemClock()

    # -- choosing ------------------------------------------------------------------------------------------------------

    def where(  # noqa: PLR0913 - what one may ask for
        self,
        *,
        session: str | None = None,
        agent: str | None = None,
        tool: str | None = None,
        outcome: str | Collection[str] | None = None,
        since: When | None = None,
        until: When | None = None,
        text: str = "",
        ids: Collection[str] | None = None,
        limit: int | None = None,
        newest_first: bool | None = None,
    ) -> History:
        """Narrow it down; what is left out narrows nothing.

        Parameters
        ----------
        session : str, optional
        agent : str, optional
            Somebody who worked in the turn, teammates included.
        tool : str, optional
            A tool that was called in it.
        outcome : str or collection of str, optional
            ``success``, ``timeout`` …; ``running`` for turns that have not ended. One of several is enough.
        since, until : datetime or str, optional
            Started at that time or later, before that time. A time without a zone is UTC.
        text : str
            Part of the request or the answer, upper and lower case alike.
        ids : collection of str, optional
        limit : int, optional
            The first so many of what is left.
        newest_first : bool, optional

        Returns
        -------
        History
            Turns that this one has and that are as asked for. Usually nothing is read; narrowing what has a limit, or
            asking for a second session, agent, tool or text, finds the ids of the turns so far first.

        Raises
        ------
        UnknownNameError
            There is no such outcome.
        UsageError
            A time cannot be understood, or the limit is negative.

        Examples
        --------
        >>> from lango_nb.stores.sql import memory_store
        >>> History(memory_store().log).where(outcome="timout")
        Traceback (most recent call last):
        ...
        lango_nb.core.errors.UnknownNameError: outcome 'timout' not found; did you mean 'timeout'?
        """
        if limit is not None and limit < 0:
            raise UsageError(f"limit={limit} is not a number of turns; give 0 or more")
        base = self.query
        pairs = (session, base.session), (agent, base.agent), (tool, base.tool), (text, base.text)
        if base.limit is not None or any(new and old and new != old for new, old in pairs):
            base = TurnQuery(ids=tuple(str(row["id"]) for row in self.rows()), newest_first=base.newest_first)
        outcomes = _outcomes(outcome)
        both = tuple(name for name in outcomes if name in base.outcomes) if base.outcomes and outcomes else None
        chosen = base.ids if ids is None else [name for name in ids if base.ids is None or name in base.ids]
        times = [self._time("since", since), base.since], [self._time("until", until), base.until]
        first, last = ([time for time in pair if time is not None] for pair in times)
        return History(
            self.log,
            replace(
                base,
                session=base.session if session is None else session,
                agent=base.agent if agent is None else agent,
                tool=base.tool if tool is None else tool,
                text=text or base.text,
                outcomes=both or outcomes or base.outcomes,
                since=max(first, default=None),
                until=min(last, default=None),
                ids=() if both == () else chosen,
                limit=limit,
                newest_first=base.newest_first if newest_first is None else newest_first,
            ),
            self._clock,
        )

    def _time(self, name: str, given: When | None) -> datetime | None:
        """Read a time; one without a zone is UTC."""
        if given is None:
            return None
        time = given if isinstance(given, datetime) else _read_time(given, self._clock)
        if time is None:
            forms = "2026-01-31, 2026-01-31T08:00, or 24h for that long ago"
            raise UsageError(f"{name}={shorten(repr(given), 60)} is not a time; give {forms}")
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time

    # -- reading -------------------------------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        """Return the summaries as they are stored, by number; no event is read."""
        return self.log.rows(self.query)

    def turns(self) -> tuple[Turn, ...]:
        """Return the turns, by number; no event is read.

        Raises
        ------
        StoreError
            One cannot be read.
        """
        from lango_nb.records.packing import unpack_turn

        return tuple(unpack_turn(row) for row in self.rows())

    def traces(self) -> Iterator[Trace]:
        """Go through everything that happened, turn by turn, without holding all of it.

        Yields
        ------
        Trace
            Up to the turn's end; what its runs did later is in :meth:`events`.

        Raises
        ------
        StoreError
            One cannot be read.
        """
        from lango_nb.records.packing import unpack_trace

        for stored in self.scan():
            yield unpack_trace(stored)

    def scan(self, *, with_events: bool = True) -> Iterator[StoredTurn]:
        """Go through turns as they are stored; see :meth:`~lango_nb.stores.store.TurnLog.scan`."""
        return self.log.scan(self.query, with_events=with_events)

    def events(self) -> Iterator[tuple[Row, list[Row]]]:
        """Go through summaries and events as they are stored: the fast way to many events."""
        return self.log.events(self.query)

    def sessions(self) -> list[Row]:
        """Return the sessions of these turns, in order of creation; no event is read.

        Returns
        -------
        list of dict
            ``id``, ``created_at``, ``last_at`` and ``title`` are the whole session's; ``turns`` counts those of this
            history.
        """
        every = self.log.sessions()
        if self.query == EVERY_TURN:
            return every
        counts = Counter(row["session_id"] for row in self.rows())
        return [{**row, "turns": counts[row["id"]]} for row in every if row["id"] in counts]

    def __len__(self) -> int:
        """Count the turns."""
        return self.log.count(self.query)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        said = [
            f"ids={len(value)}" if field.name == "ids" else f"{field.name}={_shown(value)}"
            for field in fields(self.query)
            if (value := getattr(self.query, field.name)) != field.default
        ]
        return f"History({', '.join(said)})"


def _outcomes(given: str | Collection[str] | None) -> tuple[str, ...]:
    """Check names of outcomes."""
    if given is None:
        return ()
    from lango_nb.core.events import OUTCOMES

    names = (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
    for name in names:
        if name not in OUTCOMES:
            raise UnknownNameError("outcome", str(name), OUTCOMES)
    return names


def _read_time(text: object, clock: Clock) -> datetime | None:
    """Read a date, a time, or how long ago; ``None`` when it is none of them."""
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        pass
    try:
        ago = parse_duration(text) if text.strip().isascii() and text.strip()[-1:].isalpha() else None
        return None if ago is None else clock.now() - timedelta(seconds=ago)
    except (ValueError, OverflowError):
        return None


def _shown(value: object) -> str:
    return repr(value.isoformat() if isinstance(value, datetime) else value)
