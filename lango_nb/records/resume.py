"""What a process left open when it ended in the middle of something: found by the next one, closed, and said.

A turn that was interrupted is closed with everything that was written ahead. Its calls that had begun are answered with
"interrupted": nobody knows what they did, so nothing of them is done again, and the conversation says so. Its runs, and
those that outlived their turn, end as cancelled, except those that only wait for an answer: they go on with it
(:mod:`lango_nb.records.questions`). Several processes may begin with this at once: each thing is closed by one of them,
and only that one says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from lango_nb.core.errors import StoreError
from lango_nb.core.events import ApprovalAsked, Event, RunFinished
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.closing import INTERRUPTED as INTERRUPTED  # noqa: PLC0414 - whoever asks what was interrupted
from lango_nb.records.closing import Closing, answers, end_of, ended_as, note, open_calls, risky
from lango_nb.records.packing import pack_event, unpack_event
from lango_nb.records.questions import is_answered, waiting_calls
from lango_nb.records.stored_runs import StoredRuns
from lango_nb.records.stored_sessions import LATE, late_row
from lango_nb.stores.store import Row, Store, StoredTurn

if TYPE_CHECKING:
    from lango_nb.records.tee import Tee


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A turn, or a run whose turn had ended, that a process left open."""

    number: int
    """Number of the turn; 0 when that is not known any more."""
    turn_id: str
    session_id: str
    text: str
    """What was asked of it, without secrets."""
    calls: tuple[str, ...]
    """Tools that are not safe, had begun and had not ended: it is not known what they did."""
    run_id: str = ""
    """The run that had outlived its turn; empty when the turn itself was open."""
    problem: str = ""
    """Why it could not be closed; empty when it is closed now."""
    asked: str = ""
    """The tool of the call with whose answer the turn goes on; empty where there is none."""

    @property
    def sentence(self) -> str:
        """Say what was found, and what became of it.

        Examples
        --------
        >>> print(Interrupted(7, "turn-1-7", "main", "Delete a.txt", ()).sentence)
        turn 7 (main) was interrupted and is closed now; no call that changes anything was under way
        """
        what = f"turn {self.number} ({self.session_id})" if self.number else f"turn {self.turn_id}"
        if self.run_id:
            what = f"run {self.run_id} of {what}"
        if self.problem:
            return f"{what} was interrupted and is still open: {self.problem}"
        said = f"{what} was interrupted and is closed now"
        if self.asked:
            return f"{said}; {self.asked} waits for an answer with which it goes on"
        if not self.calls:
            return f"{said}; no call that changes anything was under way"
        return f"{said}; {', '.join(self.calls)} had begun: look whether it was done before asking again"


def resume(store: Store, now: datetime, root: Callable[[str], str]) -> list[Interrupted]:
    """Close what processes that are gone left open.

    Parameters
    ----------
    store : Store
    now : datetime
        When this happens; a turn's own times are those of what was written last.
    root : callable
        Name of the root agent of a topology.

    Returns
    -------
    list of Interrupted
        Turns by number, then runs that had outlived their turns. What another process closes at the same time is not
        among them; what cannot be written, because the disk is full for instance, is, and waits for the next opening.

    Raises
    ------
    StoreError
        The store cannot be read, or with code ``read_only``: it may not be written.
    """
    runs, waiting = StoredRuns(store), waiting_calls(store)
    found = []
    for row in store.log.unfinished():
        stored = store.log.read(str(row["id"]))
        if stored is None:
            continue
        made = runs.of_turn(str(row["id"]))
        go_on = frozenset(run.id for run in made if _is_waiting(run, stored, waiting))
        asked = _asked(stored, waiting)
        closing = Closing(stored, made, now, root(str(row.get("topology") or "")), waiting=go_on, asked=asked)
        number, session = int(str(row["number"])), str(row["session_id"])
        left = Interrupted(number, str(row["id"]), session, str(row["text"]), closing.calls, asked=asked)
        try:
            closing.write(store)
        except StoreError as error:
            if error.code == "read_only":
                raise
            if error.code != "closed":  # otherwise another process was first
                found.append(replace(left, problem=str(error)))
        else:
            found.append(left)
    return [*found, *_end_runs(store, now, root)]


def resume_quietly(
    store: Store, now: datetime, root: Callable[[str], str], tee: Tee | None = None
) -> list[Interrupted]:
    """Close what was left open where that is possible: nothing in memory, and nothing in a folder that is read-only.

    Parameters
    ----------
    store, now, root
        As for :func:`resume`.
    tee : Tee, optional
        Gets the turns that are closed, and once more those whose runs are.

    Returns
    -------
    list of Interrupted

    Raises
    ------
    StoreError
        The store cannot be read.
    """
    if not store.is_durable:
        return []
    try:
        found = resume(store, now, root)
    except StoreError as error:
        if error.code != "read_only":
            raise
        return []
    if tee is not None:
        for turn_id in dict.fromkeys(item.turn_id for item in found if not item.problem):
            if (stored := store.log.read(turn_id)) is not None:
                tee.append(stored)
    return found


def _end_runs(store: Store, now: datetime, root: Callable[[str], str]) -> list[Interrupted]:
    """End the runs that had outlived their turns and whose process is gone, unless they wait for an answer."""
    found, waiting = [], waiting_calls(store)
    for writer, run in list(StoredRuns(store).living()):
        if not store.is_gone(writer):
            continue
        stored = store.log.read(run.turn_id)
        if stored is not None and stored.row.get("outcome") == "running":
            continue  # it could not be closed, or somebody else closes it just now, with its runs
        if stored is not None and _is_waiting(run, stored, waiting):
            continue
        try:
            ended = end_run(store, run, stored, now, root)
        except StoreError as error:
            if error.code == "read_only":
                raise
            ended = replace(_interrupted(run, stored, ()), problem=str(error))
        if ended is not None:
            found.append(ended)
    return found


def end_run(
    store: Store, run: AgentRun, stored: StoredTurn | None, now: datetime, root: Callable[[str], str]
) -> Interrupted | None:
    """End a run whose process is gone, in its row first: of several processes that try, one succeeds and does the rest.

    Parameters
    ----------
    store : Store
    run : AgentRun
    stored : StoredTurn, optional
        The turn that made it, where that is not forgotten.
    now, root
        As for :func:`resume`.

    Returns
    -------
    Interrupted or None
        ``None`` where there was nothing to do any more.

    Raises
    ------
    StoreError
        It cannot be written.
    """
    own = _own(run, stored) if stored is not None else []
    said = next((event for event in own if isinstance(event, RunFinished)), None)
    ended = ended_as(run, said, now)
    if not StoredRuns(store).end(ended) or said is not None:
        return None  # another process was first, or it had ended and only its row did not say so
    calls = open_calls(own)
    found = _interrupted(run, stored, risky(calls))
    if stored is None:
        return found
    last = max((int(str(row["seq"])) for row in stored.events), default=0)
    new = answers(calls, last + 1, now)
    new.append(end_of(ended, run.turn_id, last + len(new) + 1, now))
    store.log.write(run.turn_id, [pack_event(event) for event in new], is_urgent=True)
    if found.calls:
        left = note(f"Run {run.id}", found.calls, root(str(stored.row.get("topology") or "")))
        store.documents(LATE).put(late_row(store.log, run.id, found.session_id, [left]))
    return found


def _is_waiting(run: AgentRun, stored: StoredTurn, waiting: Mapping[str, str]) -> bool:
    """Tell whether a run waits for an answer with which it can go on."""
    call_id = waiting.get(run.id)
    return call_id is not None and not run.is_terminal and not is_answered(call_id, _own(run, stored))


def _asked(stored: StoredTurn, waiting: Mapping[str, str]) -> str:
    """Return the tool of the call with whose answer a turn goes on; empty where it waits for none."""
    call_id = waiting.get(str(stored.row["id"]), "")
    own = [event for row in stored.events if not (event := unpack_event(row)).run_id]
    asked = (event.tool for event in own if isinstance(event, ApprovalAsked) and event.call_id == call_id)
    return "" if is_answered(call_id, own) else next(asked, "")


def _own(run: AgentRun, stored: StoredTurn) -> list[Event]:
    """Return what happened in a run."""
    return [event for row in stored.events if (event := unpack_event(row)).run_id == run.id]


def _interrupted(run: AgentRun, stored: StoredTurn | None, calls: tuple[str, ...]) -> Interrupted:
    row: Row = stored.row if stored is not None else {}
    session = str(row.get("session_id", run.parent_id))
    return Interrupted(int(str(row.get("number", 0))), run.turn_id, session, run.instruction, calls, run.id)
