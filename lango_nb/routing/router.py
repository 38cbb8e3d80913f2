"""Score a text against a routing table and say why: the offline model's judgement, and the ruler for anybody else's.

The table is compiled once into an index from stems to terms, so that a route costs a dictionary look-up per word. A
score is exactly the sum of its signals. The router abstains when the best score is below the threshold, or too close to
the next one: a wrong agent costs more than a question.

This is a demo router made of word lists. What it scores is no probability, and its accuracy is a matter of measurement.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from lango_nb.routing.families import (
    CONVERSATION,
    CREATIVE,
    FAMILIES,
    GREETINGS,
    SHAPES,
    Family,
    by_capability,
    by_refusal,
)
from lango_nb.routing.route import Candidate, Route, Signal, SignalKind
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.routing.words import stem, words

DECLINED = "already declined this request"
"""Why an agent is out of the question when nobody says more."""

THRESHOLD = 1.5
"""Score below which the router abstains: one strong cue, or two weak ones."""
MIN_MARGIN = 0.2
"""Lead over the next agent below which the router abstains."""
READ_CHARS = 4000
"""Characters of a text that are scored; what people ask for stands at the beginning."""

_KEYWORD = 1.0
_CAPABILITY_WORD = 1.0
_DESCRIPTION = 0.25
_DESCRIPTION_MOST = 0.75
_EXAMPLE = 2.0
_EXAMPLE_LEAST = 0.5
_NAME = 3.0
_CANNOT = -1.0
_SMALL_TALK_WORDS = 4
_LEAST_WORDS = 2
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")
_STOP = frozenset(
    (
        "a an and are as at be by can could do does for from get give have how i if in into is it its just let "
        "like me my of on one or our out please so some tell that the their them then there these this to up us "
        "use want was we what when where which who will with would you your need also"
    ).split()
)


Key = tuple[SignalKind, str]
Terms = dict[Key, Signal]
"""The signals of one row: each kind and term counts once, however often it is said."""


class _Share(NamedTuple):
    """What one term adds to one row; made once, so that a route only looks it up."""

    row: int
    key: Key
    signal: Signal


class _Term(NamedTuple):
    """One phrase, and what it says."""

    phrase: tuple[str, ...]
    family: str
    """Tool family it speaks of; empty for keywords and descriptions."""
    weight: float
    """What it adds to the family."""
    shares: tuple[_Share, ...]


class _Refusal(NamedTuple):
    """An agent that declares it cannot do what a family is about."""

    row: int
    reason: str
    share: _Share
    own: tuple[str, ...]
    """Families the agent does own."""


class _Example(NamedTuple):
    row: int
    text: str
    stems: frozenset[str]
    norm: float


@lru_cache(maxsize=8192)
def _stems_of(phrase: str) -> tuple[str, ...]:
    return tuple(stem(word.removesuffix("'s")) for word in words(phrase))


class Router:
    """Routes texts over one routing table.

    Parameters
    ----------
    table : RoutingTable
        Targets; nothing else is known of them.
    threshold : float
        Score below which the router abstains.
    min_margin : float
        Lead below which the router abstains.

    Examples
    --------
    >>> table = RoutingTable((RoutingRow("vault", "keeps secrets", keywords=("secret", "password")),
    ...                       RoutingRow("clock", "runs things later", keywords=("schedule",))))
    >>> Router(table, threshold=0.5).route("store my password please").chosen
    'vault'
    """

    def __init__(self, table: RoutingTable, threshold: float = THRESHOLD, min_margin: float = MIN_MARGIN) -> None:
        self.table = table
        self.threshold = threshold
        self.min_margin = min_margin
        self._index: defaultdict[str, list[_Term]] = defaultdict(list)
        self._shapes: dict[str, list[tuple[str, float, tuple[_Share, ...]]]] = defaultdict(list)
        self._refusals: defaultdict[str, list[_Refusal]] = defaultdict(list)
        self._owners: defaultdict[str, dict[int, int]] = defaultdict(dict)
        """How many of its capabilities stand for a family, by family and row."""
        self._examples: list[_Example] = []
        self._by_example_stem: defaultdict[str, list[int]] = defaultdict(list)
        self._names: list[tuple[str, ...]] = []
        self._families: list[tuple[str, ...]] = []
        self._no_vetoes: list[tuple[str, ...]] = [()] * len(table)
        self._silent = [Candidate(row.name, 0.0) for row in table]
        self._compile()

    def route(self, text: str, exclude: Collection[str] | Mapping[str, str] = ()) -> Route:
        """Say who would get a request.

        Parameters
        ----------
        text : str
            Any length; the first 4000 characters are scored.
        exclude : collection of str, or mapping of str to str
            Agents that are out of the question, with the reason where it is a mapping: an open circuit breaker for
            instance. Without one they declined this very request.

        Returns
        -------
        Route
            Every target as a candidate, best first, even those without a single signal.
        """
        read = text[:READ_CHARS]
        said = words(_without_quotes(read))
        found = [stem(word.removesuffix("'s")) for word in said]
        signals: list[Terms] = [{} for _ in self.table.rows]
        families: defaultdict[str, float] = defaultdict(float)
        self._add_words(found, signals, families)
        self._add_names(said, signals)
        self._add_shapes(read, signals, families)
        self._add_examples(found, signals)
        domains = tuple(sorted(families, key=lambda name: (-families[name], name)))
        vetoes = self._vetoes(domains, families, signals, exclude)
        candidates = self._rank(signals, vetoes)
        about = domains[0] if domains and families[domains[0]] >= self.threshold else None
        return self._conclude(text, candidates, domains, about, is_talk=_is_small_talk(said), read=read)

    # -- compiling -----------------------------------------------------------------------------------------------------

    def _compile(self) -> None:
        rows = self.table.rows
        spread = _Spread(rows)
        known = by_capability()
        for number, row in enumerate(rows):
            self._names.append(tuple(words(row.name)))
            for phrase in row.keywords:
                self._add_own_term(number, "keyword", phrase, _KEYWORD * spread.rarity(phrase))
            for phrase in row.capabilities:
                if phrase not in known:
                    self._add_own_term(number, "description", phrase, _CAPABILITY_WORD)
            self._add_description(number, row, spread)
            self._add_row_examples(number, row)
            counts = _families_of(row)
            self._families.append(tuple(counts))
            for owned, count in counts.items():
                self._owners[owned][number] = count
        for family in FAMILIES:
            self._add_family(family)
        for number, row in enumerate(rows):
            self._add_refusals(number, row)

    def _add_term(self, phrase: str, family: str, weight: float, shares: Sequence[_Share]) -> None:
        found = _stems_of(phrase)
        if found:
            self._index[found[0]].append(_Term(found, family, weight, tuple(shares)))

    def _add_own_term(self, row: int, kind: SignalKind, phrase: str, weight: float) -> None:
        self._add_term(phrase, "", 0.0, [_share(row, kind, phrase, weight)])

    def _add_family(self, family: Family) -> None:
        """Let a family's cues and shapes count for its owners, in full for whoever owns most of it.

        A family that nobody owns is kept too: a text may still be about it.
        """
        owners = self._owners.get(family.name, {})
        most = max(owners.values(), default=1)
        cues: dict[tuple[str, ...], tuple[str, float]] = {}
        for phrase, weight in family.cues.items():  # "file" and "files" are one cue
            cues.setdefault(_stems_of(phrase), (phrase, weight))
        for phrase, weight in cues.values():
            shares = [_share(row, "family", phrase, weight * count / most) for row, count in owners.items()]
            self._add_term(phrase, family.name, weight, shares)
        labels = {shape.name: shape.label for shape in SHAPES}
        for shape, weight in family.shapes.items():
            shares = [_share(row, "structure", labels[shape], weight * n / most) for row, n in owners.items()]
            self._shapes[shape].append((family.name, weight, tuple(shares)))

    def _add_refusals(self, number: int, row: RoutingRow) -> None:
        for item in row.cannot:
            for family in by_refusal().get(item.casefold(), ()):
                if number not in self._owners.get(family.name, {}):
                    share = _share(number, "cannot", item, _CANNOT)
                    own = self._families[number]
                    self._refusals[family.name].append(_Refusal(number, f"cannot do {item}", share, own))

    def _add_description(self, number: int, row: RoutingRow, spread: _Spread) -> None:
        said = {stem(word): word for word in words(row.role) if word not in _STOP}
        for key, word in said.items():
            if spread.count(key) == 1:
                share = _share(number, "description", word, _DESCRIPTION)
                self._index[key].append(_Term((key,), "", 0.0, (share,)))

    def _add_row_examples(self, number: int, row: RoutingRow) -> None:
        for text in row.examples:
            content = frozenset(s for s in _stems_of(text) if s not in _STOP)
            if content:
                norm = math.sqrt(len(content))
                self._examples.append(_Example(number, text, content, norm))
                for key in content:
                    self._by_example_stem[key].append(len(self._examples) - 1)

    # -- scoring -------------------------------------------------------------------------------------------------------

    def _add_words(
        self,
        found: Sequence[str],
        signals: list[Terms],
        families: defaultdict[str, float],
    ) -> None:
        spoken: set[tuple[str, ...]] = set()
        index = self._index
        for place, key in enumerate(found):
            if key not in index:
                continue
            for phrase, family, weight, shares in index[key]:
                size = len(phrase)
                if size > 1 and tuple(found[place : place + size]) != phrase:
                    continue
                if family and (family, *phrase) not in spoken:
                    spoken.add((family, *phrase))
                    families[family] += weight
                for row, term, signal in shares:
                    signals[row].setdefault(term, signal)

    def _add_names(self, said: Sequence[str], signals: list[Terms]) -> None:
        """Look for agents called by their names, letter by letter: a "plan" is no call for the planner."""
        for number, name in enumerate(self._names):
            if name and name[0] in said:
                place = said.index(name[0])
                if tuple(said[place : place + len(name)]) == name:
                    term = self.table.rows[number].name
                    signals[number]["name", term] = Signal("name", term, _NAME)

    def _add_shapes(
        self,
        text: str,
        signals: list[Terms],
        families: defaultdict[str, float],
    ) -> None:
        folded = text.casefold()
        shapes = {shape.name for shape in SHAPES if shape.occurs(text, folded)}
        if "url" in shapes:
            without = SHAPES[0].pattern.sub(" ", text)
            if not SHAPES[1].pattern.search(without):
                shapes.discard("path")
        for shape in shapes:
            for family, weight, shares in self._shapes.get(shape, ()):
                families[family] += weight
                for row, term, signal in shares:
                    signals[row].setdefault(term, signal)

    def _add_examples(self, found: Sequence[str], signals: list[Terms]) -> None:
        content = {key for key in found if key not in _STOP}
        shared: defaultdict[int, int] = defaultdict(int)
        for key in content:
            for number in self._by_example_stem.get(key, ()):
                shared[number] += 1
        best: dict[int, tuple[float, str]] = {}
        for number, count in shared.items():
            example = self._examples[number]
            likeness = count / (math.sqrt(len(content)) * example.norm)
            if likeness >= _EXAMPLE_LEAST and likeness > best.get(example.row, (0.0, ""))[0]:
                best[example.row] = (likeness, example.text)
        for row, (likeness, text) in best.items():
            signals[row]["example", text] = Signal("example", text, round(_EXAMPLE * likeness, 3))

    def _vetoes(
        self,
        domains: Sequence[str],
        families: defaultdict[str, float],
        signals: list[Terms],
        exclude: Collection[str] | Mapping[str, str],
    ) -> list[tuple[str, ...]]:
        """Veto whoever is excluded, and whoever declares it cannot do what the text is clearly about."""
        top = domains[0] if domains and families[domains[0]] >= self.threshold else None
        if top is None and not exclude:
            return self._no_vetoes
        why = exclude if isinstance(exclude, Mapping) else {}
        reasons: list[tuple[str, ...]] = [
            (why.get(row.name, DECLINED),) if row.name in exclude else () for row in self.table.rows
        ]
        if top is not None:
            strongest = families[top] - _KEYWORD
            for row, reason, share, own in self._refusals.get(top, ()):
                if all(families.get(family, 0.0) < strongest for family in own):
                    reasons[row] = (*reasons[row], reason)
                    if signals[row]:
                        signals[row][share.key] = share.signal
        return reasons

    def _rank(self, signals: list[Terms], vetoes: list[tuple[str, ...]]) -> tuple[Candidate, ...]:
        candidates = [
            _candidate(row.name, terms, reasons) if terms or reasons else self._silent[number]
            for number, (row, terms, reasons) in enumerate(zip(self.table.rows, signals, vetoes, strict=True))
        ]
        candidates.sort(key=lambda candidate: (bool(candidate.vetoes), -candidate.score))
        return tuple(candidates)

    def _conclude(  # noqa: PLR0913 - what a verdict is made of
        self,
        text: str,
        candidates: tuple[Candidate, ...],
        domains: tuple[str, ...],
        about: str | None,
        *,
        is_talk: bool,
        read: str,
    ) -> Route:
        open_ones = [candidate for candidate in candidates if not candidate.vetoes]
        best = open_ones[0] if open_ones else None
        second = open_ones[1] if len(open_ones) > 1 else None
        margin = round(best.score - (second.score if second else 0.0), 3) if best else 0.0
        chosen: str | None = None
        conversation = False
        is_creative = bool(CREATIVE.search(read)) and not any(
            signal.kind == "structure" for candidate in candidates for signal in candidate.signals
        )
        if best is None or best.score < self.threshold or is_creative:
            conversation = is_creative or is_talk or (about is None and bool(CONVERSATION.search(read.strip())))
            reason = self._no_choice(best, about, conversation=conversation, is_empty=not read.strip())
        elif margin < self.min_margin and second is not None:
            reason = f"{best.agent} and {second.agent} are too close: {best.score:g} and {second.score:g}"
        else:
            chosen = best.agent
            leading = ", ".join(signal.words for signal in best.signals[:3] if signal.weight > 0)
            reason = f"{best.agent} leads by {margin:g}: {leading}"
        return Route(
            text=text,
            chosen=chosen,
            reason=reason,
            candidates=candidates,
            runner_up=second.agent if second and second.score > 0 else None,
            margin=margin,
            threshold=self.threshold,
            min_margin=self.min_margin,
            is_conversation=conversation,
            domains=domains,
        )

    def _no_choice(self, best: Candidate | None, about: str | None, *, conversation: bool, is_empty: bool) -> str:
        if is_empty:
            return "the request is empty"
        if conversation:
            return "small talk, an opinion or general knowledge: the root answers itself"
        if about is not None and not self._owners.get(about):
            return f"it is about {about}, and no agent owns tools of that family"
        if best is None or best.score <= 0:
            return "no agent matches"
        return f"the best score, {best.agent} with {best.score:g}, is below {self.threshold:g}"


class _Spread:
    """In how many rows each stem and keyword occurs."""

    def __init__(self, rows: Sequence[RoutingRow]) -> None:
        self._rows = len(rows)
        self._stems: defaultdict[str, int] = defaultdict(int)
        self._phrases: defaultdict[tuple[str, ...], int] = defaultdict(int)
        for row in rows:
            for key in {stem(word) for word in words(row.role)}:
                self._stems[key] += 1
            for phrase in {_stems_of(keyword) for keyword in row.keywords}:
                self._phrases[phrase] += 1

    def count(self, key: str) -> int:
        """Count the rows whose role holds a stem."""
        return self._stems[key]

    def rarity(self, phrase: str) -> float:
        """Rate a keyword from nearly 0 (every row has it) to 1 (one row has it)."""
        return math.log(1 + self._rows / self._phrases[_stems_of(phrase)]) / math.log(1 + self._rows)


def _families_of(row: RoutingRow) -> dict[str, int]:
    """Return the families a row owns, with how many of its capabilities stand for each.

    A family without tools belongs to a row without capabilities whose role speaks of it.
    """
    known = by_capability()
    owned: dict[str, int] = {}
    for text in row.capabilities:
        if text in known:
            owned[known[text].name] = owned.get(known[text].name, 0) + 1
    spoken = set(words(row.role))
    for family in FAMILIES:
        if family.marks and not row.capabilities and spoken.intersection(family.marks):
            owned[family.name] = 1
    return owned


def _share(row: int, kind: SignalKind, term: str, weight: float) -> _Share:
    return _Share(row, (kind, term), Signal(kind, term, round(weight, 3)))


def _candidate(name: str, terms: Mapping[Key, Signal], vetoes: tuple[str, ...]) -> Candidate:
    kept = _cap(sorted(terms.values(), key=lambda s: (-abs(s.weight), s.kind, s.term)))
    return Candidate(name, round(sum(signal.weight for signal in kept), 3), kept, vetoes)


def _cap(signals: Sequence[Signal]) -> tuple[Signal, ...]:
    """Keep words of the description from adding up: no more than three of them count."""
    kept, described = [], 0.0
    for signal in signals:
        if signal.kind == "description" and signal.weight == _DESCRIPTION:
            if described >= _DESCRIPTION_MOST:
                continue
            described += signal.weight
        kept.append(signal)
    return tuple(kept)


def _is_small_talk(said: Sequence[str]) -> bool:
    """Tell whether a short text begins as small talk does."""
    return 0 < len(said) <= _SMALL_TALK_WORDS and said[0] in GREETINGS


def _without_quotes(text: str) -> str:
    """Take quoted strings out: they are what is worked on, not what is wanted."""
    if '"' not in text and "'" not in text and "“" not in text:
        return text
    rest = _QUOTED.sub(" ", text)
    return rest if len(rest.split()) >= _LEAST_WORDS else text


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
def router_for_prompt(prompt: str) -> Router:
    """Return the router of the table that a prompt holds.

    Parameters
    ----------
    prompt : str
        A root's system prompt.

    Returns
    -------
    Router
        Over no targets when the prompt holds no table.
    """
    return router_for(RoutingTable.from_markdown(prompt))
