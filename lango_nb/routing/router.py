"""Score a text against a routing table and say why: the offline model's judgement, and the ruler for anybody else's.

    text ── learned.py ── a score for each tool family ── the table says who owns it ──┐
         ├─ names and keywords of all rows ────────────────────────────────────────────┼─ candidates ── choice
         └─ described.py ── all that is written of rows without a learned family ──────┘

A score is a sum of shown terms, in log-odds. Scores become confidences (a softmax over the agents, the root, and what
nobody owns), and below a threshold the router abstains: a wrong agent costs more than a question. Threshold and
temperature were fitted on requests of authors the weights had not seen; how often the router is right is measured by
:mod:`lango_nb.evaluation`, not by its confidence.

It is a demo router: it knows words of some thousand example requests and nothing of the world.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from lango_nb.core.lazy import once
from lango_nb.routing.described import Described, Likenesses, Scale, scale_of_package
from lango_nb.routing.families import CONVERSATION
from lango_nb.routing.features import READ_CHARS
from lango_nb.routing.learned import Learned, Scored, load
from lango_nb.routing.own_words import OwnWords, shares_of
from lango_nb.routing.owned import SENTENCE, Heard, OwnedFamilies, Weighed
from lango_nb.routing.route import Candidate, Route, Signal, Term
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.routing.taught import NOBODY, ROOT, Lesson, Task, Taught, learn, read_rows, words_and_pairs

AUTOMATED = re.compile(r"\s*\[Automated Task\b[^\]\n]*\]?\s*:?\s*")
"""How a request begins that a schedule makes: an agent always gets it, by what stands behind the mark."""

DECLINED = "already declined this request"
"""Why an agent is out of the question when nobody says more."""
_SAYS_SOMETHING = re.compile(r"\w")
_SAID_SO = {"name", "taught"}
"""Kinds of terms that outweigh what an agent declares it cannot do."""
_SHOWN_TERMS = 6
"""Words with the largest weights are shown one by one, the others as one sum."""
_SHOWN_OF_OTHERS = 1
_EXPLAINED = 2
"""Candidates whose words are told one by one; of the others less is kept."""
_DIGITS = 3
"""Decimals of a weight."""
_MOST_KNOWN = 32
"""Answers that a router has ready for the same question."""
_LEAST_DOMAIN = 0.1
"""Probability from which a family is named as what a text may be about."""


class Calibration(NamedTuple):
    """How scores become confidences and decisions."""

    threshold: float
    """Confidence from which an agent gets a request."""
    root_threshold: float
    """Confidence from which the root answers itself."""
    temperature: float
    """Scores are divided by it."""


class Sentences(Likenesses, Protocol):
    """Says what a whole sentence is like, beside its words."""

    @property
    def calibration(self) -> Calibration:
        """How scores with its part become confidences and decisions."""
        ...

    def __call__(self, text: str) -> Sequence[float]:
        """Return what is added to the score of each family, in the order of :attr:`Learned.families`."""
        ...


class Router:
    """Routes texts over one routing table.

    Parameters
    ----------
    table : RoutingTable
        Targets; nothing else is known of them.
    threshold : float, optional
        Confidence, 0 to 1, below which the router abstains; the fitted one when absent.
    taught : Taught, optional
        Labelled requests of your own.
    learned : Learned, optional
        Weights; those of the package when absent.
    sentences : Sentences, optional
        What sentences as a whole are like, one more signal; see :mod:`lango_nb.evaluation.semantic`.
    scale : Scale, optional
        How much the words of authors count; that of the package when absent.

    Examples
    --------
    >>> from lango_nb.routing.table import RoutingRow
    >>> table = RoutingTable((RoutingRow("florist", "sells flowers", keywords=("flower", "rose")),
    ...                       RoutingRow("clock", "runs things later", capabilities=("cron job scheduling",))))
    >>> router = Router(table)
    >>> router.route("a dozen roses and some other flowers").chosen
    'florist'
    >>> router.route("wake me up at seven every day").chosen
    'clock'
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that is known beside the table
        self,
        table: RoutingTable,
        threshold: float | None = None,
        taught: Taught | None = None,
        learned: Learned | None = None,
        sentences: Sentences | None = None,
        scale: Scale | None = None,
    ) -> None:
        self.table = table
        self.sentences = sentences
        self.taught = taught or Taught()
        self._learned, self._threshold, self._given_scale = learned, threshold, scale
        self._known: dict[tuple[object, ...], Route] = {}
        """Latest answers: the model that ships with the package asks, and the record of its decision asks again."""
        self._lessons: dict[str, Lesson] = {}
        self._lessons = learn(self._tasks())

    @once
    def learned(self) -> Learned:
        """The weights, read when the router is first asked: many turns never look at its view."""
        return self._learned or load()

    @once
    def calibration(self) -> Calibration:
        """How scores become confidences and decisions."""
        fitted = calibration_of(self.learned) if self.sentences is None else self.sentences.calibration
        if self._threshold is not None:
            return fitted._replace(threshold=self._threshold)
        if not self._is_all_described:
            return fitted
        is_taught = self.described is not None and self.described.is_taught
        return fitted._replace(threshold=self._scale.taught_threshold if is_taught else self._scale.threshold)

    @once
    def _is_all_described(self) -> bool:
        return bool(self.table.rows) and not any(self._shares)

    @once
    def _root(self) -> int:
        return self.learned.families.index(CONVERSATION)

    @once
    def _shares(self) -> list[dict[str, float]]:
        return [shares_of(row) for row in self.table]

    @once
    def _own(self) -> OwnWords:
        return OwnWords(self.table.rows, self._shares)

    @once
    def _owned(self) -> OwnedFamilies:
        return OwnedFamilies(self.learned, self._shares, self.calibration.temperature)

    @once
    def _scale(self) -> Scale:
        return self._given_scale or scale_of_package("words" if self.sentences is None else "sentences")

    @once
    def described(self) -> Described | None:
        """Rows with tools of no learned family, by what their authors wrote; ``None`` where there are none."""
        rows = [
            RoutingRow("", actions=row.actions) if every else row
            for row, every in zip(self.table.rows, self._shares, strict=True)
        ]
        places = [place for place, row in enumerate(rows) if row.name or row.actions]
        if not places:
            return None
        taught: defaultdict[str, list[str]] = defaultdict(list)
        for text, label in self.taught.rows:
            taught[label].append(text)
        requests = {place: taught[self.table.rows[place].name] for place in places}
        return Described(rows, places, requests, self._scale, self.sentences)

    def _beside_agents(self, scores: Sequence[float]) -> list[float]:
        """Return what counts beside the agents: the score of the root, and of the families that nobody owns."""
        found = [scores[place] for place in (self._root, *self._owned.of_nobody)]
        return self._scale.of_others(found) if self._is_all_described else found

    @property
    def threshold(self) -> float:
        """Confidence below which the router abstains."""
        return self.calibration.threshold

    def route(self, text: str, exclude: Collection[str] | Mapping[str, str] = ()) -> Route:
        """Say who would get a request.

        Parameters
        ----------
        text : str
            Any length; of a long one the beginning and the end are read.
        exclude : collection of str, or mapping of str to str
            Agents that are out of the question, with the reason where it is a mapping: an open circuit breaker for
            instance. Without one they declined this very request.

        Returns
        -------
        Route
            Every target as a candidate, best first, even those without a single signal.
        """
        key = (text, tuple(exclude.items()) if isinstance(exclude, Mapping) else tuple(exclude))
        known = self._known.get(key)
        if known is None:
            known = self._route(text, exclude)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            if len(text) <= READ_CHARS:
                self._known[key] = known
        return known

    def _route(self, text: str, exclude: Collection[str] | Mapping[str, str]) -> Route:
        marked = AUTOMATED.match(text)
        if marked is None:
            return self._judged(text, exclude)
        route = replace(self._judged(text[marked.end() :], exclude), text=text, is_conversation=False)
        nearest = next((one.agent for one in route.candidates if not one.vetoes), None)
        if route.chosen is not None or nearest is None:
            return route
        return replace(
            route, chosen=nearest, reason=f"an automated task is always handed over; the nearest is {nearest}"
        )

    def _judged(self, text: str, exclude: Collection[str] | Mapping[str, str]) -> Route:
        scored, own = self._score(text), self._own.terms(text)
        scores = scored.scores
        likely = softmax([score / self.calibration.temperature for score in scores])
        about = [place for place, part in enumerate(likely) if part >= _LEAST_DOMAIN and place != self._root]
        about.sort(key=likely.__getitem__, reverse=True)
        top = max(likely)
        family = self.learned.families[likely.index(top)] if top >= self.threshold else ""
        lessons = self._lessons_of(text)
        for row, terms in zip(self.table.rows, own, strict=True):
            terms.extend(lessons.get(row.name, ()))
        vetoes = self._vetoes(family, own, exclude)
        self._add_described(text, own)
        heard = [self._owned.heard(number, scores) for number in range(len(own))]
        rough = list(map(_rough, heard, own))
        leading = sorted(range(len(own)), key=rough.__getitem__, reverse=True)[:_EXPLAINED]
        made = []
        for number, (terms, one) in enumerate(zip(own, heard, strict=True)):
            if one is None:
                made.append((_total([weight for _, _, weight in terms]), partial(_signals, terms)))
            else:
                weighed = self._owned.weigh(one, scored, _SHOWN_TERMS if number in leading else _SHOWN_OF_OTHERS)
                total = _total([*[weight for _, _, weight in terms], *weighed.weights])
                made.append((total, partial(self._explain, terms, one, scored, weighed)))
        others = self._beside_agents(scores)
        others[0] += _sum(lessons.get(ROOT, ()))
        return self._conclude(text, made, vetoes, others, tuple([self.learned.families[place] for place in about]))

    def scores(self, text: str, *, is_lesson: bool = False) -> dict[str, float]:
        """Return the score of every agent, of the root, and of what nobody owns, without vetoes.

        Parameters
        ----------
        text : str
        is_lesson : bool
            Whether it is one of your own requests: then it is not compared with itself.

        Returns
        -------
        dict of str to float
            By name; the root is called ``root``, and the best family that nobody owns has no name.
        """
        scores, lessons = self._score(text).scores, self._lessons_of(text)
        terms = self._own.terms(text)
        self._add_described(text, terms, is_lesson=is_lesson)
        found = {
            row.name: _rough(self._owned.heard(number, scores), [*own, *lessons.get(row.name, ())])
            for number, (row, own) in enumerate(zip(self.table.rows, terms, strict=True))
        }
        root, *nobody = self._beside_agents(scores)
        root += _sum(lessons.get(ROOT, ()))
        return {**found, ROOT: root, NOBODY: max(nobody, default=-math.inf)}

    def others(self, text: str) -> list[float]:
        """Return the score of the root, and of each family that nobody owns."""
        return self._beside_agents(self._score(text).scores)

    def family_scores(self, text: str) -> dict[str, float]:
        """Return how likely each tool family is, conversation included, whoever owns it.

        Returns
        -------
        dict of str to float
            Probabilities that add up to 1, likeliest first.
        """
        scores = self._score(text).scores
        likely = softmax([score / self.calibration.temperature for score in scores])
        return dict(sorted(zip(self.learned.families, likely, strict=True), key=lambda item: -item[1]))

    def owners(self, family: str) -> tuple[str, ...]:
        """Return the agents that own a tool family, the one with the largest part first.

        Parameters
        ----------
        family : str
            A family's name; ``conversation`` belongs to the root.
        """
        if family == CONVERSATION:
            return (ROOT,)
        return tuple(self.table.rows[row].name for row in self._owned.owners.get(family, ()))

    # -- lessons of your own -------------------------------------------------------------------------------------------

    def fit(self, data: Iterable[object]) -> Router:
        """Return a router that has also learned from labelled requests of your own.

        Parameters
        ----------
        data : DataFrame or iterable
            With columns, keys or attributes ``text`` and one of ``agent`` (a name of the table, or ``root``) and
            ``family`` (a tool family or ``conversation``, which counts in every topology); or pairs of text and label.

        Returns
        -------
        Router
            Of the same table; this one is unchanged, and earlier lessons are kept.

        Raises
        ------
        UsageError
            A row has no text or no label, or its label is neither an agent nor a family: names the row.
        """
        return self.with_taught(self.taught.add(read_rows(data, {*self.table.names, ROOT, *self.learned.families})))

    def with_taught(self, taught: Taught) -> Router:
        """Return the router of the same table with other lessons."""
        return Router(self.table, self._threshold, taught, self.learned, self.sentences, self._given_scale)

    def with_sentences(self, sentences: Sentences | None) -> Router:
        """Return the router of the same table that also hears what whole sentences are like, or no longer does."""
        return Router(self.table, None, self.taught, self.learned, sentences, self._given_scale)

    def over(self, table: RoutingTable) -> Router:
        """Return a router over another table that knows the same: weights, lessons, threshold."""
        return Router(table, self._threshold, self.taught, self.learned, self.sentences, self._given_scale)

    def save(self, path: str | Path) -> Path:
        """Write the lessons and the threshold to a JSON file; secrets in the requests are masked.

        Returns
        -------
        Path
            The file.
        """
        return self.taught.save(path, self.threshold)

    def load(self, path: str | Path) -> Router:
        """Return a router of the same table with the lessons and the threshold of a file.

        Raises
        ------
        UsageError
            The file is none of :meth:`save`.
        """
        taught, threshold = Taught.load(path)
        return Router(self.table, threshold, taught, self.learned, self.sentences, self._given_scale)

    # -- scoring -------------------------------------------------------------------------------------------------------

    def _score(self, text: str) -> Scored:
        """Score the families, with what the sentence as a whole is like as one more part."""
        scored = self.learned.score(text)
        if self.sentences is None:
            return scored
        more = tuple(self.sentences(text))
        total = tuple(one + other for one, other in zip(scored.scores, more, strict=True))
        steps = [one / scale for one, scale in zip(more, scored.scales, strict=True)]
        columns = [(*column, one) for column, one in zip(scored.columns, steps, strict=True)]
        return Scored(total, (*scored.parts, SENTENCE), columns, scored.scales)

    def _add_described(self, text: str, terms: list[list[Term]], *, is_lesson: bool = False) -> None:
        if self.described is not None:
            said = self.described.terms(text, without=text if is_lesson else None)
            for place, more in zip(self.described.places, said, strict=True):
                terms[place].extend(more)

    def _explain(self, own: list[Term], heard: Heard, scored: Scored, weighed: Weighed) -> tuple[Signal, ...]:
        return _signals([*own, *self._owned.terms(heard, scored, weighed)])

    def _lessons_of(self, text: str) -> dict[str, list[Term]]:
        if not self._lessons:
            return {}
        found = words_and_pairs(text)
        return {agent: lesson.terms(found) for agent, lesson in self._lessons.items()}

    def _tasks(self) -> list[Task]:
        """Say what your own requests have to teach here; those about agents of other tables teach nothing."""
        names = {*self.table.names, ROOT}
        tasks = []
        for text, label in self.taught.rows:
            right = label if label in names else next(iter(self.owners(label)), "")
            if right in names:
                tasks.append(Task(right, self.scores(text, is_lesson=True), tuple(words_and_pairs(text))))
        return tasks

    def _vetoes(
        self, family: str, own: list[list[Term]], exclude: Collection[str] | Mapping[str, str]
    ) -> list[tuple[str, ...]]:
        """Veto whoever is excluded, and whoever is mentioned but cannot do what the text is clearly about.

        Where those who could do it are out, those who say that they cannot may still be asked.
        """
        why = exclude if isinstance(exclude, Mapping) else {}
        reasons: list[tuple[str, ...]] = [
            (why.get(row.name, DECLINED),) if row.name in exclude else () for row in self.table.rows
        ]
        if all(name in exclude for name in self.owners(family)):
            return reasons
        for row, reason, term in self._own.refusals(family):
            if own[row] and not any(kind in _SAID_SO for kind, _, _ in own[row]):
                reasons[row] = (*reasons[row], reason)
                own[row].append(term)
        return reasons

    # -- deciding ------------------------------------------------------------------------------------------------------

    def _conclude(
        self,
        text: str,
        made: Sequence[tuple[float, Callable[[], tuple[Signal, ...]]]],
        vetoes: Sequence[tuple[str, ...]],
        others: Sequence[float],
        domains: tuple[str, ...],
    ) -> Route:
        """Turn scores into confidences: parts among the agents that are not out, the root, and what nobody owns.

        Where somebody is out, the root and what nobody owns count only as far as they did before.
        """
        heat = self.calibration.temperature
        totals = [total for total, _ in made]
        whole = softmax([value / heat for value in (*totals, *others)])
        beside = whole[len(made) :]
        left = 1.0 - sum(beside)
        free = [0.0 if out else part for part, out in zip(whole, vetoes, strict=False)]
        scale = left / sum(free) if sum(free) else 0.0
        candidates = [
            Candidate(row.name, total, cast("tuple[Signal, ...]", signals), out, round(part * scale, 4))
            for row, (total, signals), out, part in zip(self.table.rows, made, vetoes, free, strict=True)
        ]
        candidates.sort(key=lambda candidate: (bool(candidate.vetoes), -candidate.score))
        return self._decide(text, tuple(candidates), round(beside[0], 4), beside[1:], domains)

    def _decide(
        self,
        text: str,
        candidates: tuple[Candidate, ...],
        root: float,
        nobody: Sequence[float],
        domains: tuple[str, ...],
    ) -> Route:
        free = [candidate for candidate in candidates if not candidate.vetoes]
        best = free[0] if free else None
        second = free[1] if len(free) > 1 else None
        chosen, is_conversation = None, False
        unowned = max(nobody, default=0.0)
        if not _SAYS_SOMETHING.search(text):
            reason = "the request holds no words" if text.strip() else "the request is empty"
        elif best is not None and best.confidence >= max(root, unowned, self.threshold):
            chosen = best.agent
            reason = f"{best.agent} with confidence {best.confidence:.2f}: {best.leading}"
        elif root >= max(unowned, self.calibration.root_threshold) and (best is None or root > best.confidence):
            is_conversation = True
            reason = f"small talk, an opinion or general knowledge, confidence {root:.2f}: the root answers itself"
        elif unowned >= self.threshold:
            _, place = max(zip(nobody, self._owned.of_nobody, strict=True))
            reason = f"it is about {self.learned.families[place]}, and no agent owns tools of that family"
        else:
            reason = self._unsure(best, second, root)
        return Route(
            text=text,
            chosen=chosen,
            reason=reason,
            candidates=candidates,
            runner_up=second.agent if second else None,
            margin=round(best.score - second.score, 3) if best and second else 0.0,
            threshold=self.threshold,
            is_conversation=is_conversation,
            domains=domains,
            root_confidence=root,
        )

    def _unsure(self, best: Candidate | None, second: Candidate | None, root: float) -> str:
        if best is None or not best.signals:
            return "no agent matches"
        rival = "the root" if second is None or root > second.confidence else second.agent
        other = root if rival == "the root" else second.confidence if second else 0.0
        return (
            f"not sure: {best.agent} with confidence {best.confidence:.2f}, {rival} with {other:.2f}; "
            f"{self.threshold:.2f} is needed"
        )


def softmax(values: Sequence[float]) -> list[float]:
    """Return parts of 1 that are in proportion to the exponentials of some values.

    Examples
    --------
    >>> softmax([0.0, 0.0])
    [0.5, 0.5]
    """
    top = max(values)
    raised = [math.exp(value - top) for value in values]
    total = sum(raised)
    return [value / total for value in raised]


def calibration_of(learned: Learned) -> Calibration:
    """Return the calibration that was fitted with some weights."""
    return Calibration(**{name: float(learned.card["calibration"][name]) for name in Calibration._fields})


def _sum(terms: Iterable[Term]) -> float:
    return sum([weight for _, _, weight in terms])


def _rough(heard: Heard | None, own: Iterable[Term]) -> float:
    return (heard.score if heard else 0.0) + _sum(own)


def _total(weights: Iterable[float]) -> float:
    """Return the sum of the weights of some terms, each rounded as it is shown."""
    return round(sum([round(weight, _DIGITS) for weight in weights]), _DIGITS)


def _signals(terms: Iterable[Term]) -> tuple[Signal, ...]:
    """Return terms as they are shown, strongest first; what rounds to nothing is left out."""
    rounded = [(-abs(weight), kind, term, weight) for kind, term, more in terms if (weight := round(more, _DIGITS))]
    return tuple([Signal(kind, term, weight) for _, kind, term, weight in sorted(rounded)])


@lru_cache(maxsize=64)
def router_for(table: RoutingTable) -> Router:
    """Return the router of a table; compiled once per table.

    Parameters
    ----------
    table : RoutingTable

    Returns
    -------
    Router
    """
    return Router(table)


@lru_cache(maxsize=64)
def router_for_prompt(prompt: str, taught: Taught | None = None) -> Router:
    """Return the router of the table that a prompt holds.

    Parameters
    ----------
    prompt : str
        A root's system prompt.
    taught : Taught, optional
        Labelled requests of your own.

    Returns
    -------
    Router
        Over no targets when the prompt holds no table.
    """
    table = RoutingTable.from_markdown(prompt)
    return Router(table, taught=taught) if taught is not None and taught.rows else router_for(table)
