"""Proposals of a genome as cards: each with its reason, the change it would make, and two buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from lango_nb.evaluation.learner import Learning
from lango_nb.viz import document as doc
from lango_nb.viz import learning
from lango_nb.widgets.panel import Panel


class Proposals(Protocol):
    """The open proposals and the means to decide on them."""

    @property
    def record(self) -> Learning:
        """Open and past proposals."""
        ...

    def accept(self, number: int) -> Any:
        """Accept a proposal."""
        ...

    def refuse(self, number: int) -> Any:
        """Refuse a proposal."""
        ...


class LearningPanel(Panel):
    """A card for each proposal.

    Parameters
    ----------
    proposals : callable
        Returns the present proposals.
    """

    def __init__(self, proposals: Callable[[], Proposals]) -> None:
        super().__init__()
        self._proposals = proposals

    def document(self) -> doc.Document:
        """Return every proposal with its buttons, and the results of accepted ones."""
        return learning.document(self._proposals().record)

    def do(self, key: str, value: str) -> None:
        """Accept or refuse: ``key`` is the number of a proposal, ``value`` ``accept`` or ``refuse``."""
        proposals = self._proposals()
        (proposals.accept if value == "accept" else proposals.refuse)(int(key))
