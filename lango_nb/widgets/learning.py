"""What a genome may learn as cards: each proposal with its reason, what it would change, and two buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from lango_nb.evaluation.learner import Learning
from lango_nb.viz import document as doc
from lango_nb.viz import learning
from lango_nb.widgets.panel import Panel


class Proposals(Protocol):
    """The proposals as they are now, and how they are decided on."""

    @property
    def record(self) -> Learning:
        """What may be learned and was."""
        ...

    def accept(self, number: int) -> Any:
        """Make a change."""
        ...

    def refuse(self, number: int) -> Any:
        """Leave everything as it is."""
        ...


class LearningPanel(Panel):
    """A card for each proposal.

    Parameters
    ----------
    proposals : callable
        Returns them as they are now.
    """

    def __init__(self, proposals: Callable[[], Proposals]) -> None:
        super().__init__()
        self._proposals = proposals

    def document(self) -> doc.Document:
        """Write every proposal with its buttons, and what came of those that were accepted."""
        return learning.document(self._proposals().record)

    def do(self, key: str, value: str) -> None:
        """Decide: ``key`` is the number of a proposal, ``value`` ``accept`` or ``refuse``."""
        proposals = self._proposals()
        (proposals.accept if value == "accept" else proposals.refuse)(int(key))
