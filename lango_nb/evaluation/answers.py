"""What a router or a model answered to a request, and whether it was right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lango_nb.evaluation.requests import NOBODY
from lango_nb.routing.route import Signal
from lango_nb.routing.taught import ROOT

Kind = Literal["agent", "root", "abstained", "invalid", "error"]
"""``agent``: somebody gets it. ``root``: the root answers itself. ``abstained``: the router would not say. ``invalid``:
the model named somebody who is not there, or its hand-over could not be read. ``error``: no answer came."""
KINDS: tuple[Kind, ...] = ("agent", "root", "abstained", "invalid", "error")

Verdict = Literal["right", "wrong_agent", "kept", "abstained", "invalid", "error"]
"""``wrong_agent``: somebody got it who should not have. ``kept``: the root kept what belongs to an agent.
``abstained``: nobody was chosen though somebody is right. ``invalid`` and ``error`` as in :data:`Kind`."""
VERDICTS: tuple[Verdict, ...] = ("right", "wrong_agent", "kept", "abstained", "invalid", "error")


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; what it cost is there for models."""

    kind: Kind
    agent: str = ""
    """Who was chosen; of an invalid answer the name that was given."""
    reason: str = ""
    """Why, in the subject's own words."""
    leader: str = ""
    """Who would get it if there were no threshold: an agent or ``root``; empty where there are no confidences."""
    confidence: float | None = None
    """The leader's confidence, 0 to 1."""
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    """Dollars; ``None`` when nobody knows the price."""
    time_ms: float = 0.0

    @property
    def got(self) -> str:
        """Where the request went: an agent, ``root``, or what happened instead in brackets."""
        match self.kind:
            case "agent":
                return self.agent
            case "root":
                return ROOT
            case _:
                return f"({self.kind})"


@dataclass(frozen=True, slots=True)
class Judged:
    """A request, who was right, and what was answered."""

    number: int
    """Row of the data, from 1."""
    text: str
    """Without secrets."""
    right: str
    """An agent, ``root``, or empty where nobody owns what it takes."""
    answer: Answer
    verdict: Verdict
    language: str = ""
    group: str = ""
    chosen_terms: tuple[Signal, ...] = ()
    """Of a mistake of a router: what spoke for the agent that was chosen, strongest first."""
    right_terms: tuple[Signal, ...] = ()
    """The same for the agent that was right."""

    @property
    def is_right(self) -> bool:
        """Whether the request went where it belongs."""
        return self.verdict == "right"

    @property
    def belongs(self) -> str:
        """Where it belongs, as tables write it."""
        return self.right or "(nobody)"


def judge(right: str, answer: Answer, *, is_model: bool = False) -> Verdict:
    """Say whether an answer is right, and if not in which way it is wrong.

    Parameters
    ----------
    right : str
        An agent, ``root``, or empty where nobody owns what the request takes.
    answer : Answer
    is_model : bool
        A model cannot abstain: its root's own words are how it says that nobody can do it.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> vault = Answer("agent", "vault")
    >>> judge("vault", vault), judge("root", vault), judge("", Answer("abstained"))
    ('right', 'wrong_agent', 'right')
    """
    match answer.kind:
        case "agent":
            return "right" if answer.agent == right else "wrong_agent"
        case "root":
            return "right" if right == ROOT or (is_model and right == NOBODY) else "kept"
        case "abstained":
            return "right" if right == NOBODY else "abstained"
        case "invalid" | "error":
            return answer.kind
