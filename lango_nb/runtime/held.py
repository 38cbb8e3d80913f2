"""Questions that were left open on purpose, written down: they outlive the process that asked them.

    hold ──▶ kept while it is open ──▶ answered, expired, withdrawn: dropped
                     └──▶ the process ends ──▶ left: shown by the next one
                                                   ├──▶ allowed   exactly this call may run once, when it comes again
                                                   └──▶ denied    dropped

The run that asked ends with its process: what it said and did is masked where it is kept, so nothing could go on with
it. What can outlive it is the answer. The arguments are kept as they are only where no secret is in them; otherwise
they are masked, nobody can see what would run, and the question can only be dropped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from lango_nb.core.errors import RefusedError, StoreError, shorten
from lango_nb.core.masking import mask, mask_arguments
from lango_nb.runtime.questions import ApprovalAnswer, ApprovalRequest, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from lango_nb.runtime.approvals import Approvals
    from lango_nb.stores.store import Documents, Row, Store

logger = logging.getLogger("lango_nb")

KIND = "question"
"""Kind of the documents that hold open questions."""


@dataclass(frozen=True, slots=True)
class LeftQuestion:
    """A question whose process is gone; it is answered like one that is open."""

    approvals: Approvals
    request: ApprovalRequest
    is_whole: bool
    """Whether the arguments are exactly those that would run; otherwise secrets in them are masked."""
    outcome: None = None

    @property
    def id(self) -> str:
        """The request's id."""
        return self.request.id

    @property
    def obstacle(self) -> str:
        """Say why nothing can be allowed any more; empty when it can."""
        if self.request.is_once:
            return "it touches a protected file"
        return "" if self.is_whole else "its arguments hold a secret, which is not kept"

    def allow(self, scope: Scope = "once", by: str = "person") -> ApprovalAnswer:
        """Let exactly this call run without a question when it comes again in its session.

        Parameters
        ----------
        scope : {"once", "turn", "session"}
            Once, or each time for the session; the turn is over.
        by : str

        Raises
        ------
        RefusedError
            Nobody can see what would run.
        """
        if self.obstacle:
            name = shorten(self.id)
            raise RefusedError(f"approval {name!r} cannot be given any more: {self.obstacle}; ask again, or deny it")
        lasting: Scope = "session" if scope == "session" else "once"
        return self.approvals.leave(self, ApprovalAnswer(True, by, scope=lasting))

    def deny(self, detail: str = "", by: str = "person") -> ApprovalAnswer:
        """Drop the question."""
        return self.approvals.leave(self, ApprovalAnswer(False, by, detail or f"the {by} said no"))


class HeldQuestions:
    """The open questions of a store.

    Parameters
    ----------
    store : Store
        One that outlives the process.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def _documents(self) -> Documents:
        return self._store.documents(KIND)

    def keep(self, request: ApprovalRequest) -> None:
        """Write an open question down; where that fails it is open for this process only."""
        if request.problem or not request.session_id:
            return  # nothing would run, or nobody could ask again
        arguments = mask_arguments(request.arguments)
        row: Row = {
            "id": _row_id(request),
            "name": request.id,
            "session_id": request.session_id,
            "turn_id": request.turn_id,
            "run_id": request.run_id,
            "call_id": request.call_id,
            "agent": request.agent,
            "tool": request.tool,
            "arguments": cast("JsonValue", arguments),
            "is_whole": arguments == request.arguments,
            "arguments_hash": request.arguments_hash,
            "reason": mask(request.reason),
            "order": request.order,
            "is_grant": request.is_grant,
            "is_once": request.is_once,
        }
        self._try(lambda: self._documents.put({**row, "writer": self._store.writer()}, is_urgent=False), request)

    def drop(self, request: ApprovalRequest) -> None:
        """Forget a question that has ended."""
        self._try(lambda: self._documents.remove(_row_id(request)), request)

    def left(self, approvals: Approvals) -> tuple[LeftQuestion, ...]:
        """Return the questions whose process is gone, oldest first."""
        try:
            rows = self._documents.find()
        except StoreError:  # it was closed; what is in memory can still be looked at
            return ()
        return tuple(_read(row, approvals) for row in rows if self._store.is_gone(cast("int", row["writer"])))

    def _try(self, change: Callable[[], object], request: ApprovalRequest) -> None:
        try:
            change()
        except StoreError as error:
            logger.warning("that %s is asked about is not written down: %s", request.tool, error)


def _read(row: Mapping[str, JsonValue], approvals: Approvals) -> LeftQuestion:
    request = ApprovalRequest(
        str(row["call_id"]),
        str(row["tool"]),
        cast("Mapping[str, JsonValue]", row["arguments"]),
        str(row["arguments_hash"]),
        str(row["agent"]),
        str(row["reason"]),
        id=str(row["name"]),
        session_id=str(row["session_id"]),
        turn_id=str(row["turn_id"]),
        run_id=str(row["run_id"]),
        order=str(row["order"]),
        is_grant=bool(row["is_grant"]),
        is_once=bool(row["is_once"]),
    )
    return LeftQuestion(approvals, request, bool(row["is_whole"]))


def _row_id(request: ApprovalRequest) -> str:
    session, name = (quote(one, safe="", errors="surrogatepass") for one in (request.session_id, request.id))
    return f"{session}/{name}/{request.arguments_hash}"
