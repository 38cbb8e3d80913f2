"""The run ledger: a journal of runs that wait for an approval, beside the runs themselves.

    a run blocks, or asks again   ──▶ teammate_approval_blocked   {why, which grant, which attempt}
    it is no longer blocked       ──▶ teammate_approval_unblocked {}

It is there to be read later. Whoever waits for a run reads the run; a ledger that fails never fails the run.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

from lango_nb.core.clock import Clock

if TYPE_CHECKING:
    from pydantic import JsonValue

    from lango_nb.records.runs import AgentRun, Observer

LedgerKind = Literal["teammate_approval_blocked", "teammate_approval_unblocked"]

MIRROR_TARGET = "agent_run_projection"
_BLOCKED = "blocked_waiting_approval"
_MIRRORED = ("runtime_condition", "blocked_reason", "grant_request_id", "grant_attempt", "grant_state")

logger = logging.getLogger("lango_nb")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One line of the journal."""

    kind: LedgerKind
    run_id: str
    session_id: str
    agent: str
    at: datetime
    payload: Mapping[str, JsonValue] = field(default_factory=dict)
    """What the run waits for; empty once it no longer does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorFailure:
    """The ledger could not be written, and the run went on."""

    run_id: str
    error: str
    target: str = MIRROR_TARGET
    phase: Literal["append_journal"] = "append_journal"


class RunLedger(Protocol):
    """Where entries are appended."""

    def append(self, entry: LedgerEntry) -> None:
        """Keep an entry for good."""
        ...


class MemoryLedger:
    """A ledger that lives as long as the process; safe under threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[LedgerEntry] = []

    def append(self, entry: LedgerEntry) -> None:
        """Keep an entry."""
        with self._lock:
            self._entries.append(entry)

    def snapshot(self, run_id: str) -> dict[str, JsonValue]:
        """Return what a run waited for when the ledger last heard of it.

        Parameters
        ----------
        run_id : str

        Returns
        -------
        dict
            ``teammate_runtime_condition``, ``teammate_blocked_reason``, ``teammate_grant_request_id``,
            ``teammate_grant_attempt``, ``teammate_grant_state``; empty when it waits for nothing.
        """
        last = next((entry for entry in reversed(tuple(self)) if entry.run_id == run_id), None)
        return {f"teammate_{name}": value for name, value in last.payload.items()} if last else {}

    def __iter__(self) -> Iterator[LedgerEntry]:
        """Iterate over the entries, oldest first."""
        with self._lock:
            return iter(tuple(self._entries))

    def __len__(self) -> int:
        """Count the entries."""
        return len(self._entries)


def mirror(ledger: RunLedger, clock: Clock, on_failure: Callable[[MirrorFailure], None] | None = None) -> Observer:
    """Make an observer of runs that writes down who is blocked.

    Parameters
    ----------
    ledger : RunLedger
    clock : Clock
    on_failure : callable, optional
        Told when the ledger cannot be written.

    Returns
    -------
    callable
        For ``Runs.observers``. It never raises.

    Notes
    -----
    Source: spec 003 "Control Plane Tools" (the durable mirror is best effort).
    """

    def observe(before: AgentRun, after: AgentRun) -> None:
        kind = _transition(before, after)
        if kind is None:
            return
        try:
            payload = {name: getattr(after, name) for name in _MIRRORED} if kind == "teammate_approval_blocked" else {}
            ledger.append(
                LedgerEntry(
                    kind=kind,
                    run_id=after.id,
                    session_id=after.parent_id,
                    agent=after.requested_agent,
                    at=clock.now(),
                    payload=payload,
                )
            )
        except Exception as error:
            logger.exception("the ledger could not note that run %s changed; the run goes on", after.id)
            if on_failure is not None:
                _report(on_failure, MirrorFailure(run_id=after.id, error=f"{type(error).__name__}: {error}"))

    return observe


def _transition(before: AgentRun, after: AgentRun) -> LedgerKind | None:
    was, now = before.runtime_condition == _BLOCKED, after.runtime_condition == _BLOCKED
    if now:
        is_new = not was or any(getattr(before, name) != getattr(after, name) for name in _MIRRORED)
        return "teammate_approval_blocked" if is_new else None
    return "teammate_approval_unblocked" if was else None


def _report(on_failure: Callable[[MirrorFailure], None], failure: MirrorFailure) -> None:
    try:
        on_failure(failure)
    except Exception:
        logger.exception("nobody could be told that the ledger failed for run %s", failure.run_id)
