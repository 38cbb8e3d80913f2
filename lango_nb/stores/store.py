"""What a store can do: plain JSON rows in, the same rows out. What they mean is the business of ``records/``.

    Store
    ├── documents(kind)   tasks, memories, runs, approvals, …: one row per id, changed in place
    └── log               turns: begun, filled with events, finished once, and read again by whoever wants to look

Rows that were given or got are read-only for both sides. Every time is a text as :meth:`datetime.isoformat` writes it,
in UTC with microseconds (:func:`stamp`), so that texts sort like times. Everything may be called from any thread; a
durable store may be used by several processes at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, overload

import orjson

from lango_nb.core.errors import StoreError

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

Row = dict[str, "JsonValue"]
"""One record as JSON."""
_STAMP = 34
"""Characters of a time with microseconds, in quotes."""
Durability = Literal["turn", "event", "none"]
"""When bytes are forced to the disk: at the end of a turn and before risky calls, with every event, or never."""


@dataclass(frozen=True, slots=True)
class TurnQuery:
    """Which turns are wanted; what is ``None`` or empty narrows nothing.

    Examples
    --------
    >>> TurnQuery(session="main", outcomes=("timeout",)).matches({"session_id": "main", "outcome": "success"})
    False
    """

    session: str | None = None
    agent: str | None = None
    """Somebody who worked in it, teammates included."""
    tool: str | None = None
    """A tool that was called in it."""
    outcomes: Collection[str] = ()
    since: datetime | None = None
    """Started at that time or later."""
    until: datetime | None = None
    """Started before that time."""
    text: str = ""
    """Part of the request or the answer, upper and lower case alike."""
    ids: Collection[str] | None = None
    """Only turns of these ids."""
    after: int = 0
    """Only turns of higher numbers."""
    before: int = 0
    """Only turns of lower numbers, where it is not 0."""
    newest_first: bool = False
    limit: int | None = None

    def matches(self, row: Mapping[str, object]) -> bool:
        """Tell whether a turn's row is wanted; limit and order are the caller's.

        Parameters
        ----------
        row : mapping
            A row of :meth:`TurnLog.rows`.

        Returns
        -------
        bool
        """
        return (
            (self.session is None or row.get("session_id") == self.session)
            and (self.ids is None or row.get("id") in self.ids)
            and (not self.outcomes or row.get("outcome") in self.outcomes)
            and (not self.after or _number(row) > self.after)
            and (not self.before or _number(row) < self.before)
            and self._is_in_time(str(row.get("started_at") or ""))
            and (self.agent is None or self.agent in _names(row, "agents"))
            and (self.tool is None or self.tool in _names(row, "tools"))
            and (not self.text or self._holds_text(row))
        )

    def _is_in_time(self, started_at: str) -> bool:
        return (self.since is None or started_at >= stamp(self.since)) and (
            self.until is None or started_at < stamp(self.until)
        )

    def _holds_text(self, row: Mapping[str, object]) -> bool:
        wanted = self.text.casefold()
        return wanted in str(row.get("text") or "").casefold() or wanted in str(row.get("answer") or "").casefold()


EVERY_TURN = TurnQuery()


class StoredTurn(NamedTuple):
    """Everything a store holds of one turn."""

    row: Row
    """Its summary, as :meth:`TurnLog.rows` gives it."""
    events: list[Row]
    """In the order in which they were written; what its runs did after its end comes last."""
    body: Row
    """What was given to :meth:`TurnLog.finish`; empty while the turn is open."""
    lost: tuple[str, ...] = ()
    """What is damaged and left out, ``2 of its 13 events`` for instance."""


class Stamps(Sequence[str]):
    """Times as they are stored, all of one length: a few long texts, which are read in a fraction of the time.

    Parameters
    ----------
    texts : iterable of str
        Of whole times.

    Examples
    --------
    >>> stamps = Stamps.of(["2026-01-02T03:04:05.000000+00:00", "2026-01-02T03:04:06.000000+00:00"])
    >>> len(stamps), stamps[1], Stamps.of(["2026-01-02", None]) is None
    (2, '2026-01-02T03:04:06.000000+00:00', True)
    """

    __slots__ = ("texts",)
    WIDTH = 32
    """Characters of a time."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = [*texts]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Stamps | None:
        """Return values if all of them are such times."""
        try:
            return cls(["".join(values)]) if set(map(len, values)) <= {cls.WIDTH} else None
        except TypeError:  # one is missing, or is no text
            return None

    def __len__(self) -> int:
        return sum(map(len, self.texts)) // self.WIDTH

    def __iter__(self) -> Iterator[str]:
        return (text[start : start + self.WIDTH] for text in self.texts for start in range(0, len(text), self.WIDTH))

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        return [*self][place]


class Group(NamedTuple):
    """Rows of a table that are of one kind, column by column."""

    places: array[int]
    """Where they stand among all rows, in order."""
    columns: list[list[Any] | Stamps]
    """The values of each column; ``None`` where a row has none."""


class Problem(NamedTuple):
    """Something that is not as it should be with a store."""

    code: Literal["damaged", "unfinished", "newer_schema", "missing", "full", "read_only", "locked", "unsaved"]
    where: str
    """File or table, without the folder it is in."""
    detail: str
    """One sentence: what was found, and what became of it."""
    next_step: str = ""
    """What to do about it; empty when nothing is to be done."""


class Documents(Protocol):
    """JSON rows of one kind, by their ``id``, in the order in which they first came."""

    changes: int
    """How often they were changed through this object."""

    def get(self, key: str) -> Row | None:
        """Return a row, or ``None``."""
        ...

    def put(self, *rows: Row, is_urgent: bool = True) -> None:
        """Keep rows, all or none; each replaces the one of its id and keeps its place.

        Parameters
        ----------
        *rows : dict
            Each with a text under ``id``.
        is_urgent : bool
            Whether the rows are on the disk when this returns; otherwise with the end of the turn, or
            :meth:`Store.sync`. They survive the end of the process either way.

        Raises
        ------
        StoreError
            They cannot be written; nothing is changed.
        """
        ...

    def add(self, row: Row, *, is_urgent: bool = True) -> None:
        """Keep a row whose id is new.

        Raises
        ------
        StoreError
            With code ``conflict``: there is one of that id.
        """
        ...

    def change(self, key: str, change: Callable[[Row], Row], *, is_urgent: bool = True) -> Row | None:
        """Replace a row by what a function makes of it; nobody else writes in between, in no process.

        Parameters
        ----------
        key : str
        change : callable
            Gets the present row, returns the new one of the same id; what it raises is raised, and nothing changed. It
            must not use the store.
        is_urgent : bool

        Returns
        -------
        dict or None
            The new row; ``None`` when there is none of that id.
        """
        ...

    def remove(self, *keys: str) -> int:
        """Forget rows and count them; one that is not there is no error."""
        ...

    def find(
        self, where: Mapping[str, JsonValue] | None = None, *, newest_first: bool = False, limit: int | None = None
    ) -> list[Row]:
        """Return rows whose fields equal all given values, oldest first.

        Parameters
        ----------
        where : mapping, optional
            Values by name of a top-level field; a missing field equals ``None``.
        newest_first : bool
        limit : int, optional

        Returns
        -------
        list of dict
        """
        ...

    def __len__(self) -> int:
        """Count the rows."""
        ...


class TurnLog(Protocol):
    """Turns of all sessions: their events in the order in which they happened, and one summary each.

    A *row* is a turn's summary: ``id``, ``number``, ``session_id``, ``text``, ``started_at``, ``topology``, ``model``
    from the beginning; ``outcome`` (``running`` until it is closed), ``answer``, ``error_code``, ``path``, ``agents``,
    ``tools``, ``rounds``, ``steps``, ``tool_calls``, ``ended_at``, ``duration_ms``, ``input_tokens``,
    ``output_tokens`` once it is.
    """

    def begin(self, row: Row, events: Sequence[Row] = ()) -> int:
        """Write a turn ahead.

        Parameters
        ----------
        row : dict
            ``id``, ``session_id``, ``text``, ``started_at``, and what else is known; no number.
        events : sequence of dict
            What happened already.

        Returns
        -------
        int
            The turn's number among all turns of the store, from 1; numbers grow in the order of beginning, and one
            that was given is never given again.

        Raises
        ------
        StoreError
            It cannot be written, or with code ``conflict``: there is a turn of that id.
        """
        ...

    def write(self, turn_id: str, events: Sequence[Row], *, is_urgent: bool = False) -> None:
        """Add events to an open turn, or what its runs did after its end.

        Parameters
        ----------
        turn_id : str
        events : sequence of dict
        is_urgent : bool
            Whether they, and all written before, are on the disk when this returns.

        Raises
        ------
        StoreError
            They cannot be written, or the turn is unknown.
        """
        ...

    def finish(self, turn_id: str, events: Sequence[Row], row: Row, body: Row) -> None:
        """Close a turn in one durable write.

        Parameters
        ----------
        turn_id : str
        events : sequence of dict
            Those that were not written yet.
        row : dict
            The whole summary; the number may be left out.
        body : dict
            What else belongs to the turn: ``messages``, ``history``, ``decisions``, ``steps``, ``runs``, each a list of
            records.

        Raises
        ------
        StoreError
            It cannot be written; with code ``closed``: it has ended before.
        """
        ...

    def changes(self, session_id: str) -> tuple[object, int]:
        """Tell whether a session has to be read again; costs next to nothing.

        Parameters
        ----------
        session_id : str

        Returns
        -------
        tuple
            What is not equal to what it was before once others have written to the store, or when nobody can tell; and
            how many turns of the session were closed through this object.
        """
        ...

    def complete(self, turn_id: str, body: Row) -> None:
        """Replace lists of a closed turn: its runs went on after its end.

        Parameters
        ----------
        turn_id : str
        body : dict
            The lists that are longer now, whole, as for :meth:`finish`; the others stay. Of a turn that is still open
            nothing is changed: its end brings all.

        Raises
        ------
        StoreError
            They cannot be written, or with code ``unknown``: there is no such turn.
        """
        ...

    def rows(self, query: TurnQuery = EVERY_TURN) -> list[Row]:
        """Return the summaries of turns by number; reads no event."""
        ...

    def numbers(self, query: TurnQuery = EVERY_TURN) -> list[int]:
        """Return the numbers of turns; reads nothing else of them."""
        ...

    def histories(self, numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Go through what later turns see of turns, by number: the messages of each as JSON, in order."""
        ...

    def count(self, query: TurnQuery = EVERY_TURN) -> int:
        """Count turns."""
        ...

    def read(self, turn_id: str) -> StoredTurn | None:
        """Return everything there is of one turn, or ``None``."""
        ...

    def scan(self, query: TurnQuery = EVERY_TURN, *, with_events: bool = True) -> Iterator[StoredTurn]:
        """Go through turns by number without holding all of them; those that are removed meanwhile are among them.

        Parameters
        ----------
        query : TurnQuery
        with_events : bool
            Whether their events are wanted: without, only rows and bodies are read.

        Yields
        ------
        StoredTurn
        """
        ...

    def events(self, query: TurnQuery = EVERY_TURN) -> Iterator[tuple[Row, list[Row]]]:
        """Go through rows and events of turns by number, without bodies."""
        ...

    def tables(
        self, wanted: Mapping[str, Sequence[str] | None], query: TurnQuery = EVERY_TURN
    ) -> dict[str, dict[Any, Group]] | None:
        """Return columns of tables for the turns of a query, as they are stored at one moment: the fast way to many.

        Parameters
        ----------
        wanted : mapping of str to sequence of str or None
            Columns by table: ``turns``, ``events``, ``messages`` … (:mod:`lango_nb.stores.schema`). These are given as
            they are: to check a row all of it has to be read. In place of columns ``None`` gives ``turn``,
            ``position``, all that records are made of, and ``data``; then every row is checked, and one that is damaged
            is left out and noted.
        query : TurnQuery

        Returns
        -------
        dict of str to dict of Group, or None
            By table, and by the value of its column ``kind``; an empty text where that is none of the columns.
            ``None``: a row has something in ``data`` that belongs into a column, so the columns alone do not tell
            everything.
        """
        ...

    def keep(self, turns: Iterable[StoredTurn]) -> None:
        """Keep whole turns that have their numbers already, in one write."""
        ...

    def sessions(self) -> list[Row]:
        """Return ``id``, ``turns``, ``created_at`` and ``last_at`` (starts of the first and the latest turn), and
        ``title`` (text of the first turn) of every session, in order of creation.
        """  # noqa: D205
        ...

    def unfinished(self) -> list[Row]:
        """Return rows of open turns whose process is gone: nobody else will close them."""
        ...

    def remove(self, turn_ids: Collection[str], *, setting: str = "", at: str = "") -> int:
        """Forget closed turns with all that belongs to them; open and unknown ones are left alone.

        Parameters
        ----------
        turn_ids : collection of str
        setting : str
            Why, for those who will look for them: counted in the table ``forgotten`` in the same write. Nothing is
            written down when absent.
        at : str
            When, as :func:`stamp` writes it.

        Returns
        -------
        int
            How many there were.
        """
        ...


class Store(Protocol):
    """Where records lie."""

    name: str
    """``memory``, ``sqlite`` or ``postgresql``."""
    where: str
    """Folder or address as it may be shown: without password, home folder written as ``~``."""
    is_durable: bool
    """Whether records outlive the process."""
    problems: list[Problem]
    """What was found and mended so far."""

    @property
    def log(self) -> TurnLog:
        """Its turns."""
        ...

    def documents(self, kind: str) -> Documents:
        """Return the rows of one kind; the same object each time."""
        ...

    def writer(self) -> int:
        """Return the number of this opening, from 1: no other opening of the store ever had it.

        What is open is known as this writer's until :meth:`close`, or until the process ends.
        """
        ...

    def is_gone(self, writer: int) -> bool:
        """Tell whether the opening of that number is over: its process ended, or it was closed."""
        ...

    def sync(self) -> None:
        """Force what was written to the disk."""
        ...

    def check(self) -> list[Problem]:
        """Look through everything that is stored and say what is wrong with it; changes nothing."""
        ...

    def close(self) -> None:
        """Let go of files and connections; closing twice is no error."""
        ...


def stamp(at: datetime) -> str:
    """Write a time so that texts sort like times.

    Examples
    --------
    >>> stamp(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2026-01-02T03:04:05.000000+00:00'
    """
    if at.tzinfo is UTC:  # in a third of the time
        text = orjson.dumps(at).decode()
        return text[1:-1] if len(text) == _STAMP else f"{text[1:20]}.000000+00:00"  # no microseconds: they are left out
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _number(row: Mapping[str, object]) -> int:
    number = row.get("number")
    return number if isinstance(number, int) else 0


def _names(row: Mapping[str, object], field: str) -> Collection[object]:
    names = row.get(field)
    return names if isinstance(names, list | tuple) else ()


def key_of(row: Mapping[str, object], kind: str) -> str:
    """Return the id of a row.

    Parameters
    ----------
    row : mapping
    kind : str
        What errors call it.

    Returns
    -------
    str

    Raises
    ------
    StoreError
        It has none.
    """
    key = row.get("id")
    if not isinstance(key, str) or not key:
        raise StoreError(f"a {kind} needs a text under 'id' to be stored, got {key!r}", "bad_row")
    return key


def check_session(row: Mapping[str, object]) -> None:
    """Make sure that a turn's row names its session.

    Parameters
    ----------
    row : mapping

    Raises
    ------
    StoreError
        It does not.
    """
    session = row.get("session_id")
    if not isinstance(session, str):
        raise StoreError(f"a turn needs a text under 'session_id', got {session!r}; name its session", "bad_row")


def check_end(turn_id: str, row: Mapping[str, object]) -> None:
    """Make sure that the row a turn ends with is its own.

    Parameters
    ----------
    turn_id : str
    row : mapping

    Raises
    ------
    StoreError
        It is of another turn, or of no session.
    """
    if key_of(row, "turn") != turn_id:
        raise StoreError(f"turn {turn_id} cannot end as {row['id']}; give it a row of its own", "bad_row")
    check_session(row)
