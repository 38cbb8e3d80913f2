"""Questions that were left open on purpose, as rows, and the runs and turns that wait for their answers.

A row holds the call that was asked about. Where the conversation of whoever asks holds no secret, the row holds that as
well: with both, a run can go on in another process, and a turn as another one. Such a run is not ended with its
process; it waits. Such a turn is closed, and says that it waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from lango_nb.core.errors import RefusedError, shorten
from lango_nb.core.events import ApprovalAsked, ApprovalDecided, Event, ToolFinished, ToolStarted
from lango_nb.core.messages import Message
from lango_nb.records.masked import masked
from lango_nb.records.stored_runs import NOBODY

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue
    from lango_nb.stores.store import Row, Store

KIND = "question"
"""Kind of the documents that hold open questions."""
WAITING = "waiting"
"""Error code of a turn that ended at a question."""
_PARTS = ("inherited", "own")


class Conversation(NamedTuple):
    """What a run or a turn was given and said until it asked."""

    inherited: tuple[Message, ...]
    """What it sees of earlier conversations."""
    own: tuple[Message, ...]
    """Its work order and all that followed; the last message that calls something is what it asked about."""

    def pack(self) -> dict[str, JsonValue] | None:
        """Return it as JSON; ``None`` where it holds a secret, which is not kept."""
        from lango_nb.records.packing import pack_message

        parts = {name: getattr(self, name) for name in _PARTS}
        if any(masked(message) is not message for messages in parts.values() for message in messages):
            return None
        return {name: [pack_message(message) for message in messages] for name, messages in parts.items()}


def unpack_conversation(row: Row, where: str) -> Conversation:
    """Return the conversation of a row.

    Parameters
    ----------
    row : dict
        As :meth:`Conversation.pack` makes it.
    where : str
        What errors call it.

    Raises
    ------
    StoreError
        It is not what it should be.
    """
    from lango_nb.records.packing import unpack_message
    from lango_nb.records.rows import rows_in

    return Conversation(*(tuple(unpack_message(one) for one in rows_in(row, name, where)) for name in _PARTS))


def waiting_calls(store: Store) -> dict[str, str]:
    """Return the calls that runs and turns wait for which can go on.

    Parameters
    ----------
    store : Store

    Returns
    -------
    dict
        Ids of calls by ids of runs, and of turns that asked something themselves.
    """
    rows = store.documents(KIND).find()
    return {str(row["run_id"] or row["turn_id"]): str(row["call_id"]) for row in rows if row.get("conversation")}


def is_free(store: Store, key: str) -> bool:
    """Tell whether a question still waits for whoever answers it first: nobody has, and nobody is about to."""
    row = store.documents(KIND).get(key)
    return row is not None and store.is_gone(int(str(row["writer"])))


class _TakenError(Exception):
    """Somebody else answers the question."""


def claim(store: Store, key: str) -> bool:
    """Make a question whose process is gone this one's; of several that answer it, one succeeds.

    Parameters
    ----------
    store : Store
    key : str
        Id of its row.

    Raises
    ------
    StoreError
        It cannot be written down.
    """
    own = store.writer()

    def change(present: Row) -> Row:
        if not store.is_gone(int(str(present["writer"]))):
            raise _TakenError
        return {**present, "writer": own}

    try:
        return store.documents(KIND).change(key, change) is not None
    except _TakenError:
        return False


def give_back(store: Store, key: str) -> None:
    """Leave a question to anybody; one that was forgotten meanwhile is gone."""
    store.documents(KIND).change(key, lambda present: {**present, "writer": NOBODY})


def too_late(request_id: str, run_id: str = "") -> RefusedError:
    """Return the error of whoever answers a question after somebody else.

    Examples
    --------
    >>> print(too_late("call_1"))
    approval 'call_1' is already answered; %lango history shows what came of it
    """
    looked = f"run {run_id}" if run_id else "history"
    return RefusedError(f"approval {shorten(request_id)!r} is already answered; %lango {looked} shows what came of it")


def waits(tool: str) -> str:
    """Say why a turn ended at a question: its answer, and what later turns see of it.

    Examples
    --------
    >>> waits("fs_delete")
    'fs_delete waits for an answer; with that the request goes on, as a new turn.'
    """
    return f"{tool} waits for an answer; with that the request goes on, as a new turn."


def is_answered(call_id: str, events: Iterable[Event]) -> bool:
    """Tell whether a call was answered or began: then its question is only left because it could not be removed.

    Parameters
    ----------
    call_id : str
    events : iterable of Event
        Those of the run that asked, in order. A call that nobody answered in time may be asked about again in another
        process.
    """
    told = (ApprovalAsked, ApprovalDecided, ToolStarted, ToolFinished)
    own = [one for one in events if isinstance(one, told) and one.call_id == call_id]
    return bool(own) and not isinstance(own[-1], ApprovalAsked)
