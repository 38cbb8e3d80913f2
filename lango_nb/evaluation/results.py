"""An evaluation: one result per topology, each with every answer and all that is measured of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lango_nb.core.errors import UnknownNameError
from lango_nb.evaluation import measures
from lango_nb.evaluation.answers import Judged
from lango_nb.evaluation.measures import AgentMeasure, Bin, Cell, GroupMeasure, Point, Share, Usage
from lango_nb.routing.taught import ROOT


@dataclass(frozen=True)
class Result:
    """How a subject did in one topology."""

    topology: str
    agents: tuple[str, ...]
    """Names of whoever could be chosen, without the root."""
    judged: tuple[Judged, ...]
    """Every request with its answer, in the order of the data."""
    threshold: float | None = None
    """Confidence below which the router abstains; ``None`` for models."""

    @property
    def n(self) -> int:
        """How many requests there were."""
        return len(self.judged)

    @cached_property
    def accuracy(self) -> Share:
        """The right agent got it, the root answered what is its own, or nobody got what nobody can do."""
        return measures.share_of(self.judged, "right")

    @cached_property
    def owned(self) -> Share:
        """The same of the requests that an agent or the root owns: where most are nobody's, silence is mostly right."""
        return measures.share_of([one for one in self.judged if one.right], "right")

    @cached_property
    def wrong_agent(self) -> Share:
        """An agent got it who should not have."""
        return measures.share_of(self.judged, "wrong_agent")

    @cached_property
    def kept(self) -> Share:
        """The root kept what belongs to an agent."""
        return measures.share_of(self.judged, "kept")

    @cached_property
    def abstained(self) -> Share:
        """The router would not say, rightly or not."""
        return measures.abstention(self.judged)

    @cached_property
    def invalid(self) -> Share:
        """A model named somebody who is not there."""
        return measures.share_of(self.judged, "invalid")

    @cached_property
    def errors(self) -> Share:
        """No answer came."""
        return measures.share_of(self.judged, "error")

    @cached_property
    def by_agent(self) -> tuple[AgentMeasure, ...]:
        """Precision, recall and F1 of every agent, the root first."""
        return measures.by_agent(self.judged, (ROOT, *self.agents))

    @cached_property
    def confusion(self) -> tuple[Cell, ...]:
        """Where requests belong and where they went."""
        return measures.confusion(self.judged, (ROOT, *self.agents))

    @cached_property
    def curve(self) -> tuple[Point, ...]:
        """What other thresholds would have meant; empty without confidences."""
        return measures.curve(self.judged)

    @cached_property
    def calibration(self) -> tuple[Bin, ...]:
        """How often answers of about the same confidence are right; empty without confidences."""
        return measures.calibration(self.judged)

    @cached_property
    def by_language(self) -> tuple[GroupMeasure, ...]:
        """How languages came out."""
        return measures.by_group(self.judged, lambda one: one.language)

    @cached_property
    def by_group(self) -> tuple[GroupMeasure, ...]:
        """How groups came out."""
        return measures.by_group(self.judged, lambda one: one.group)

    @cached_property
    def mistakes(self) -> tuple[Judged, ...]:
        """Requests that did not go where they belong."""
        return tuple(one for one in self.judged if not one.is_right)

    @cached_property
    def usage(self) -> Usage:
        """What the answers cost."""
        return measures.usage_of(one.answer for one in self.judged)


@dataclass(frozen=True)
class Evaluation:
    """How often a router or a model is right, in one topology or several side by side.

    Iterating gives the results; ``evaluation["octet"]`` is one of them.
    """

    subject: str
    """``router``, ``keywords``, or a model's name."""
    data: str
    """Where the requests come from."""
    of: int
    """How many requests the data has; fewer were used where a sample was taken."""
    results: tuple[Result, ...]
    """By topology, in the order that was asked for."""
    is_model: bool = False
    seed: int = 0
    """Of the sample."""
    resumed: int = 0
    """Answers that were taken from the file of an earlier run."""
    is_stopped: bool = False
    """Whether it was stopped, so that requests are left without an answer."""

    @property
    def n(self) -> int:
        """How many requests were used."""
        return self.results[0].n if self.results else 0

    @property
    def mistakes(self) -> tuple[Judged, ...]:
        """The mistakes in all topologies."""
        return tuple(one for result in self.results for one in result.mistakes)

    def __iter__(self) -> Iterator[Result]:
        """Iterate over the results."""
        return iter(self.results)

    def __len__(self) -> int:
        """Count the topologies."""
        return len(self.results)

    def __getitem__(self, topology: str) -> Result:
        """Return the result of one topology."""
        for result in self.results:
            if result.topology == topology:
                return result
        names = [result.topology for result in self.results]
        raise UnknownNameError("topology", str(topology), names, where="this evaluation")
