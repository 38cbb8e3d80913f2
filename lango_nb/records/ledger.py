"""The run ledger: a journal of runs that wait for an approval, beside the runs themselves.

    a run blocks, or asks again   ──▶ teammate_approval_blocked     what it waits for, which grant, which attempt
    it is no longer blocked       ──▶ teammate_approval_unblocked

It is there to be read later, also by another process, and lasts as long as the turn that made the run. Whoever waits
for a run reads the run; a ledger that cannot be written never fails the run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from lango_nb.core.clock import Clock
from lango_nb.records.rows import pack, unpack

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue
    from lango_nb.records.runs import AgentRun
    from lango_nb.stores.store import Documents, Row

KIND = "ledger"
"""Kind of the documents that hold its entries."""
FAILED = "ledger.failed"
"""Topic under which a :class:`MirrorFailure` is published, where ``hooks.eventPublishing`` is on."""
_BLOCKED = "blocked_waiting_approval"
_MIRRORED = ("runtime_condition", "blocked_reason", "grant_request_id", "grant_attempt", "grant_state")

logger = logging.getLogger("lango_nb")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One line of the journal; what the run waits for is empty once it goes on."""

    id: str
    """The run, and the number of the entry among its own."""
    kind: Literal["teammate_approval_blocked", "teammate_approval_unblocked"]
    run_id: str
    turn_id: str
    session_id: str
    agent: str
    at: datetime
    runtime_condition: str = ""
    blocked_reason: str = ""
    grant_request_id: str = ""
    grant_attempt: int = 0
    grant_state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorFailure:
    """The ledger could not be written, and the run went on."""

    run_id: str
    error: str
    target: str = "agent_run_projection"
    phase: Literal["append_journal"] = "append_journal"


class Ledger:
    """The journal of a store, those of other processes included; an observer of runs writes it.

    Parameters
    ----------
    documents : Documents
        Rows of the kind ``ledger``.
    clock : Clock
    on_failure : callable, optional
        Told when it cannot be written; the log says so in any case.

    Notes
    -----
    Source: spec 003 "Control Plane Tools" (the durable mirror is best effort).
    """

    def __init__(
        self, documents: Documents, clock: Clock, on_failure: Callable[[MirrorFailure], None] | None = None
    ) -> None:
        self._documents, self._clock, self._on_failure = documents, clock, on_failure

    def observe(self, before: AgentRun, after: AgentRun) -> None:
        """Note that a run is blocked, or no longer is; for ``Runs.observers``. Never raises."""
        was, now = before.runtime_condition == _BLOCKED, after.runtime_condition == _BLOCKED
        if not was and not now:
            return
        if was and now and all(getattr(before, name) == getattr(after, name) for name in _MIRRORED):
            return
        try:
            self._append(after, is_blocked=now)
        except Exception as error:  # noqa: BLE001 - the run goes on, whatever a store raises
            logger.warning("the ledger could not note that run %s changed; the run goes on: %s", after.id, error)
            self._report(MirrorFailure(run_id=after.id, error=f"{type(error).__name__}: {error}"))

    def _append(self, run: AgentRun, *, is_blocked: bool) -> None:
        number = len(self._documents.find({"run_id": run.id})) + 1
        entry = LedgerEntry(
            id=f"{run.id}/{number}",
            kind="teammate_approval_blocked" if is_blocked else "teammate_approval_unblocked",
            run_id=run.id,
            turn_id=run.turn_id,
            session_id=run.parent_id,
            agent=run.requested_agent,
            at=self._clock.now(),
            **({name: getattr(run, name) for name in _MIRRORED} if is_blocked else {}),
        )
        self._documents.add(pack(entry), is_urgent=False)

    def _report(self, failure: MirrorFailure) -> None:
        if self._on_failure is None:
            return
        try:
            self._on_failure(failure)
        except Exception:
            logger.exception("nobody could be told that the ledger failed for run %s", failure.run_id)

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
        last = next((_entry(row) for row in self._documents.find({"run_id": run_id}, newest_first=True, limit=1)), None)
        if last is None or not last.runtime_condition:
            return {}
        return {f"teammate_{name}": getattr(last, name) for name in _MIRRORED}

    def __iter__(self) -> Iterator[LedgerEntry]:
        """Iterate over the entries, oldest first."""
        return map(_entry, self._documents.find())

    def __len__(self) -> int:
        """Count the entries."""
        return len(self._documents)


def _entry(row: Row) -> LedgerEntry:
    return unpack(LedgerEntry, row, f"ledger entry {row.get('id')}")
