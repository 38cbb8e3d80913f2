"""What a genome may learn from stumbles: proposals that are accepted or refused by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from lango_nb.core.errors import UnknownNameError
from lango_nb.evaluation.learner import Learner, Learning
from lango_nb.evaluation.proposals import Proposal
from lango_nb.lab.view_types import frames
from lango_nb.viz.view import View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.specs.genome.history import Diff
    from lango_nb.widgets.learning import LearningPanel


class ProposalsView(View[Learning]):
    """What may be learned, with reasons and differences, and what came of what was accepted; nothing happens by itself.

    Parameters
    ----------
    learner : Learner
    changed : callable
        Called when the genome has changed.
    """

    def __init__(self, learner: Learner, changed: Callable[[], object]) -> None:
        super().__init__(learner.learning, self._frame_of_learning)
        self._learner, self._changed = learner, changed

    def _frame_of_learning(self) -> pd.DataFrame:
        made: pd.DataFrame = frames().genome_learning_df((*self.record.trials, *self.record.proposals))
        return made

    @property
    def open(self) -> tuple[Proposal, ...]:
        """The proposals that wait for a decision."""
        return tuple(one for one in self.record.proposals if one.state == "open")

    def __iter__(self) -> Iterator[Proposal]:
        return iter(self.record.proposals)

    def __len__(self) -> int:
        return len(self.record.proposals)

    def __getitem__(self, number: int) -> Proposal:
        found = next((one for one in self if one.number == number), None)
        if found is None:
            raise UnknownNameError("proposal", str(number), [str(one.number) for one in self])
        return found

    def accept(self, number: int) -> View[Diff]:
        """Make what is proposed, as one change of the genome, and show what that changed.

        Parameters
        ----------
        number : int

        Raises
        ------
        UnknownNameError
            There is no proposal of that number.
        UsageError
            It is accepted or refused already.
        """
        proposal = self._learner.accept(number)
        self._changed()
        self._renew()
        return View(proposal.diff)

    def refuse(self, number: int) -> ProposalsView:
        """Leave everything as it is; the same is not proposed again until the kernel restarts.

        Parameters
        ----------
        number : int

        Raises
        ------
        UnknownNameError
            There is no proposal of that number.
        UsageError
            It is accepted or refused already.
        """
        self._learner.refuse(number)
        self._renew()
        return self

    def panel(self) -> LearningPanel:
        """Show the proposals as cards with buttons; without widgets it is the same without them."""
        from lango_nb.widgets.learning import LearningPanel

        return LearningPanel(lambda: ProposalsView(self._learner, self._changed))

    def _renew(self) -> None:
        self.record, self._df = self._learner.learning, None
