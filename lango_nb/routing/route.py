"""The answer to "who would get this request?": every candidate, its score, and each term the score is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

SignalKind = Literal["name", "keyword", "example", "family", "structure", "description", "cannot"]
"""Where a part of a score comes from.

``name``: the text calls the agent by name. ``keyword``: one of its keywords. ``example``: like one of its example
requests. ``family``: a word people use for a tool family it owns. ``structure``: an address, path, amount or time in
the text. ``description``: a word of its description. ``cannot``: the text is about something it
declares it cannot do.
"""


@dataclass(frozen=True, slots=True)
class Signal:
    """One term of a score."""

    kind: SignalKind
    term: str
    """What was found, as a person would read it."""
    weight: float
    """What it adds to the score; negative for ``cannot``."""

    @property
    def words(self) -> str:
        """The term as part of a sentence.

        Examples
        --------
        >>> Signal("keyword", "delete", 1.0).words, Signal("structure", "a web address", 1.5).words
        ("keyword 'delete'", 'a web address')
        """
        match self.kind:
            case "structure":
                return self.term
            case "name":
                return f"its name {self.term!r}"
            case "keyword":
                return f"keyword {self.term!r}"
            case "example":
                return f"its example {self.term!r}"
            case "cannot":
                return f"cannot do {self.term}"
            case _:
                return repr(self.term)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One agent's chances."""

    agent: str
    score: float
    """Exactly the sum of the weights."""
    signals: tuple[Signal, ...] = ()
    """Strongest first."""
    vetoes: tuple[str, ...] = ()
    """Why the agent is out whatever its score; empty when it is not."""


@dataclass(frozen=True, slots=True)
class Route:
    """The router's view of one text."""

    text: str
    chosen: str | None
    """Name of the agent; ``None`` when the root should answer itself or the router abstains."""
    reason: str
    """Why, in one sentence."""
    candidates: tuple[Candidate, ...] = ()
    """Best first; every target of the tree is here."""
    runner_up: str | None = None
    margin: float = 0.0
    """Score of the best minus score of the runner-up."""
    threshold: float = 0.0
    """Score below which the router abstains."""
    min_margin: float = 0.0
    """Margin below which the router abstains."""
    is_conversation: bool = False
    """Whether the text is small talk, an opinion or general knowledge the root answers itself."""
    domains: tuple[str, ...] = field(default=())
    """Tool families the text speaks of, strongest first."""

    @property
    def is_abstention(self) -> bool:
        """Whether the router would not say."""
        return self.chosen is None and not self.is_conversation
