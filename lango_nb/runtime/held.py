"""Questions that were left open on purpose, written down: they outlive the process that asked them.

    hold ──▶ kept while it is open ──▶ answered, expired, withdrawn: dropped
                     └──▶ the process ends ──▶ left: shown by the next one
                                                   ├──▶ run or turn waits   it goes on with the answer (resumption.py)
                                                   └──▶ nobody waits        a yes lets exactly this call run once, when
                                                                            it comes again; a no drops the question

A run waits that had outlived its turn, and a turn that asked something itself, if the conversation could be kept. A run
that another run asked for ends with its process, and so does an agent in a session of its own that a request was
transferred to: then the answer is all that can outlive it. Arguments and conversations are kept only where no secret is
in them. Where arguments are masked, what would run cannot be seen, and the question can only be dropped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from lango_nb.core.errors import StoreError
from lango_nb.core.masking import mask, mask_arguments
from lango_nb.records.questions import KIND, Conversation, claim, give_back, too_late
from lango_nb.records.stored_runs import NOBODY, StoredRuns
from lango_nb.runtime.approvals import ApprovalRequest, Approvals, LeftQuestion, Resumption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lango_nb.core.json_value import JsonValue
    from lango_nb.stores.store import Documents, Row, Store

logger = logging.getLogger("lango_nb")


class HeldQuestions:
    """The open questions of a store.

    Parameters
    ----------
    store : Store
        One that outlives the process.
    resumption : callable, optional
        Returns what lets runs and turns go on; without it none does.
    """

    def __init__(self, store: Store, resumption: Callable[[], Resumption] | None = None) -> None:
        self._store, self._resumption = store, resumption

    @property
    def _documents(self) -> Documents:
        return self._store.documents(KIND)

    def keep(self, request: ApprovalRequest, conversation: Conversation | None = None) -> bool:
        """Write an open question down; where that fails it is open for this process only.

        Parameters
        ----------
        request : ApprovalRequest
        conversation : Conversation, optional
            That of a run that can go on with it.

        Returns
        -------
        bool
            Whether the run can wait for the answer when this process has ended.
        """
        if request.problem or not request.session_id:
            return False  # nothing would run, or no session could ask again
        arguments = mask_arguments(request.arguments)
        is_whole = arguments == request.arguments
        said = conversation.pack() if conversation is not None and is_whole else None
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
            "is_whole": is_whole,
            "arguments_hash": request.arguments_hash,
            "reason": mask(request.reason),
            "order": request.order,
            "is_grant": request.is_grant,
            "is_once": request.is_once,
            "conversation": said,
        }
        is_kept = self._try(
            lambda: self._documents.put({**row, "writer": self._store.writer()}, is_urgent=False), request
        )
        return is_kept and said is not None

    def drop(self, request: ApprovalRequest, key: str = "") -> None:
        """Forget a question that has ended."""
        self._try(lambda: self._documents.remove(key or _row_id(request)), request)

    def release(self, request: ApprovalRequest) -> None:
        """Leave a question whose turn ends to whoever answers it, in this process too."""
        key = _row_id(request)
        self._try(lambda: self._documents.change(key, lambda row: {**row, "writer": NOBODY}, is_urgent=False), request)

    def claim(self, question: LeftQuestion) -> None:
        """Make a question whose process is gone this one's, before its answer is written down.

        Raises
        ------
        RefusedError
            Somebody else answers it, or has.
        StoreError
            It cannot be written down.
        """
        if not claim(self._store, question.key):
            raise too_late(question.id, question.request.run_id)

    def give_back(self, question: LeftQuestion) -> None:
        """Leave a question to anybody whose answer could not be written down."""
        self._try(lambda: give_back(self._store, question.key), question.request)

    def left(self, approvals: Approvals) -> tuple[LeftQuestion, ...]:
        """Return the questions whose turn or process has ended, oldest first."""
        try:
            rows = [row for row in self._documents.find() if self._store.is_gone(cast("int", row["writer"]))]
            return tuple(self._read(row, approvals) for row in rows)
        except StoreError:  # it was closed; what is in memory can still be looked at
            return ()

    def _try(self, change: Callable[[], object], request: ApprovalRequest) -> bool:
        try:
            change()
        except StoreError as error:
            logger.warning("that %s is asked about is not written down: %s", request.tool, error)
            return False
        return True

    def _read(self, row: Mapping[str, JsonValue], approvals: Approvals) -> LeftQuestion:
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
        conversation = row.get("conversation")
        is_there = isinstance(conversation, dict) and (not request.run_id or self._is_alive(request.run_id))
        said = cast("Row", conversation) if is_there else None
        resumption = self._resumption() if said is not None and self._resumption is not None else None
        return LeftQuestion(approvals, str(row["id"]), request, bool(row["is_whole"]), said, resumption)

    def _is_alive(self, run_id: str) -> bool:
        try:
            run = StoredRuns(self._store).get(run_id)
        except StoreError:  # its row is damaged
            return False
        return run is not None and not run.is_terminal


def _row_id(request: ApprovalRequest) -> str:
    session, name = (quote(one, safe="", errors="surrogatepass") for one in (request.session_id, request.id))
    return f"{session}/{name}/{request.arguments_hash}"
