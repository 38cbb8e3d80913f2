"""The answer to "who would get this request?": every candidate, its score, and each term the score is made of."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Literal, cast

from lango_nb.core.dataclass import dataclass
from lango_nb.core.lazy import Deferred
from lango_nb.routing.function_words import FUNCTION_WORDS

SignalKind = Literal[
    "name",
    "keyword",
    "example",
    "family",
    "structure",
    "sentence",
    "taught",
    "description",
    "related",
    "prior",
    "other",
    "cannot",
]
"""Where a part of a score comes from.

``name``: the text calls the agent by name. ``keyword``: one of its keywords. ``example``: like one of its example
requests. ``family``: a word that the learned model knows from requests for a tool family it owns. ``structure``: an
address, path, amount or time in the text. ``sentence``: what the sentence as a whole is like, with the extra
``semantic``. ``taught``: what requests of your own say. ``description``: a word of its description, capabilities or
tools. ``related``: a word that lies near those. ``prior``: how often such requests are made at all. ``other``: words
with little weight, and further families it owns. ``cannot``: the text is about something it declares it cannot do.
"""


Term = tuple[SignalKind, str, float]
"""One term of a score before it is rounded and shown as a :class:`Signal`: kind, what was found, what it adds."""
_LEADING = 3
"""Terms that are named where a reason is given."""
_WORDLIKE = frozenset({"family", "keyword", "description", "related"})
"""Kinds of terms that are words of the text and nothing else."""
_ELSEWHERE = "…"
"""Stands in a term for the rest of the text: where it begins, or ends."""
_WORDS = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Signal:
    """One term of a score."""

    kind: SignalKind
    term: str
    """What was found, as a person would read it."""
    weight: float
    """What it adds to the score; negative when it speaks against the agent."""

    @property
    def words(self) -> str:
        """The term as part of a sentence.

        Examples
        --------
        >>> Signal("keyword", "delete", 1.0).words, Signal("structure", "a web address", 1.5).words
        ("keyword 'delete'", 'a web address')
        """
        match self.kind:
            case "structure" | "prior" | "other" | "sentence":
                return self.term
            case "name":
                return f"its name {self.term!r}"
            case "keyword":
                return f"keyword {self.term!r}"
            case "example":
                return f"its example {self.term!r}"
            case "taught":
                return f"your own {self.term!r}"
            case "cannot":
                return f"cannot do {self.term}"
            case _:
                return repr(self.term)

    @property
    def is_telling(self) -> bool:
        """Whether a person would name it as a reason: no function word, no place in the sentence, no sum of the rest.

        Examples
        --------
        >>> [Signal("family", term, 1.0).is_telling for term in ("lines", "does", "many lines", "text files", "hash …")]
        [True, False, False, True, False]
        """
        if self.kind not in {"family", "description", "related"}:
            return self.kind not in {"prior", "other"}
        words = _WORDS.findall(self.term.casefold())
        return bool(words) and _ELSEWHERE not in self.term and FUNCTION_WORDS.isdisjoint(words)


@dataclass(frozen=True)
class Candidate:
    """One agent's chances."""

    agent: str
    score: float
    """Exactly the sum of the weights: log-odds before the temperature, so one more is several times as likely; about 0
    says nothing."""
    signals: tuple[Signal, ...] = cast("tuple[Signal, ...]", Deferred(()))
    """Strongest first; of a router they are made when they are first looked at."""
    vetoes: tuple[str, ...] = ()
    """Why the agent is out whatever its score; empty when it is not."""
    confidence: float = 0.0
    """Its part, 0 to 1, among all candidates, the root and nobody; how often it is right is another matter."""

    def __getstate__(self) -> dict[str, object]:
        """Return what is pickled and copied: with the signals, not with what makes them."""
        return {**self.__dict__, "signals": self.signals}

    @property
    def leading(self) -> str:
        """What speaks for it most, in a short clause; empty when nothing does.

        What a person would name goes first, and each word for itself once.

        Examples
        --------
        >>> Candidate("vault", 1.5, (Signal("other", "3 words", 2.0), Signal("family", "hash", 1.5))).leading
        "'hash'"
        """
        named: list[Signal] = []
        said: set[str] = set()
        for one in self.signals:
            words = {word.removesuffix("s") for word in _WORDS.findall(one.term.casefold())} - FUNCTION_WORDS
            is_new = one.kind not in _WORDLIKE or words.isdisjoint(said)
            if one.weight > 0 and one.is_telling and is_new:
                named.append(one)
                said |= words
                if len(named) == _LEADING:
                    break
        others = [one for one in self.signals if one.weight > 0 and one.kind not in {"prior", "other"}]
        return ", ".join(one.words for one in named or others[:_LEADING])


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
    """Confidence below which the router abstains."""
    min_margin: float = 0.0
    """Margin below which the router abstained, in routes that were stored before the router was fitted to data."""
    is_conversation: bool = False
    """Whether the root answers itself: small talk, an opinion, general knowledge, or there is no other agent."""
    domains: tuple[str, ...] = field(default=())
    """Tool families the text may be about, likeliest first."""
    root_confidence: float = 0.0
    """Confidence, 0 to 1, that the root answers itself."""

    @property
    def is_abstention(self) -> bool:
        """Whether the router would not say."""
        return self.chosen is None and not self.is_conversation

    @property
    def confidence(self) -> float:
        """Confidence in what was decided, 0 to 1; of an abstention that of the best candidate."""
        if self.is_conversation:
            return self.root_confidence
        return max((one.confidence for one in self.candidates if not one.vetoes), default=0.0)
