"""Open questions as cards with buttons. Cards appear and disappear on their own, during and after a cell."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import ipywidgets

from lango_nb.core.bus import Bus
from lango_nb.runtime.approval_types import Scope
from lango_nb.runtime.approvals import LeftQuestion, PendingApproval
from lango_nb.viz import document as doc
from lango_nb.viz.approvals import answered_text, question_box, questions_document
from lango_nb.widgets.as_live import as_live
from lango_nb.widgets.panel import Panel

_SCOPES: Mapping[str, Scope] = {"once": "once", "turn": "turn", "session": "session"}
_LATEST = 3
"""Number of past answers that are shown."""
_EMPTY = "Nothing waits for an answer. A question appears here as soon as a call needs one."


def _key(question: PendingApproval | LeftQuestion) -> tuple[str, str, str]:
    """Return a unique key: a question that is asked again may reuse the id of an earlier one."""
    return question.id, type(question).__name__, question.request.arguments_hash


class Questions(Protocol):
    """The open questions and the means to answer them: ``lab.approvals``."""

    @property
    def record(self) -> Sequence[PendingApproval | LeftQuestion]:
        """The questions, oldest first."""
        ...

    def allow(self, request_id: str | None = None, scope: Scope = "once") -> Any:
        """Let a call run."""
        ...

    def deny(self, request_id: str | None = None, detail: str = "") -> Any:
        """Refuse a call."""
        ...


class ApprovalsPanel(Panel):
    """A card for each question: tool, agent, exact arguments, what would change, and a button for each answer.

    Parameters
    ----------
    questions : callable
        Returns the open questions.
    changes : Bus
        Reports when a question is opened or closed. It does not keep the panel alive.
    empty : str
        Text that is shown while there are none.
    """

    def __init__(self, questions: Callable[[], Questions], changes: Bus, empty: str = _EMPTY) -> None:
        super().__init__()
        self._questions, self._empty = questions, empty
        self._cards: dict[tuple[str, str, str], ipywidgets.Widget] = {}
        self.answered: list[str] = []
        """Recent answers, latest last."""
        me = weakref.ref(self)

        def changed(_topic: str, _question: object) -> None:
            if (panel := me()) is not None:
                panel.refresh()

        self.while_seen(lambda: changes.subscribe(changed))

    def document(self) -> doc.Document:
        """Return every question with its buttons."""
        return questions_document(self._questions().record)

    def do(self, key: str, value: str) -> None:
        """Answer a question: ``key`` is its id, ``value`` the scope of a yes, or ``no``."""
        questions = self._questions()
        question = next((one for one in questions.record if one.id == key), None)
        view = questions.allow(key, _SCOPES[value]) if value in _SCOPES else questions.deny(key)
        if question is not None:
            self.answered.append(f"{question.request.tool}: {answered_text(question, view.record)}")
            del self.answered[:-_LATEST]

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the cards of open questions, so that no click is lost when another question arrives."""
        record = self._questions().record
        known = self._cards
        self._cards = cards = {
            _key(one): known.get(_key(one)) or as_live((question_box(one),), self.act) for one in record
        }
        said = [] if cards else [doc.Note(self._empty)]
        below = (*said, *map(doc.Note, self.answered), *self.remark())
        return [*cards.values(), as_live(below, self.act)]
