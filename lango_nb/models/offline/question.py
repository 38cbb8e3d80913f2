"""A question about a table as words, with what each says, in whatever language: concepts, names, meanings in English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import cache, lru_cache, wraps
from itertools import pairwise
from typing import NamedTuple, TypeVar

from lango_nb.models.offline.lexicon import UNSPACED, Lexicon, Word, is_small_in, lexicon, lexicon_of, words
from lango_nb.models.offline.names import EAST, in_english, is_small, plain, related_words, stem
from lango_nb.models.offline.plan import read_rows
from lango_nb.routing import abroad
from lango_nb.routing.features import fold
from lango_nb.routing.words import stems

KEYS = frozenset(("id", "no", "nr", "code"))
MEASURES = {
    "max": ("max", "largest", "longest", "newest"),
    "min": ("min", "smallest", "shortest", "oldest"),
    "mean": ("mean",),
    "sum": ("sum",),
    "count": ("many", "count"),
    "distinct": ("unique",),
}
MEASURING = frozenset(concept for concepts in MEASURES.values() for concept in concepts)
NEGATING = frozenset(("no", "not", "none", "except"))
COUNTING = frozenset(("many", "count"))
ASKING = frozenset(("what", "who", "where", "when", "many", "show", "read", "which", "please", "contain", "have", "list", "you", "i",
                     "and", "or", "how", "only", "all", "want", "calculate", "table", "row", "file", "column", "value", "search", "sort", "explain", "recall", "print", "fetch", "more", "less", "now", "line", "word", "character"))  # fmt: skip
_OF_COLUMNS = frozenset(("begins", "ends", "lasting", "located", "lower", "upper", "settled", "debts"))
"""Concepts in ``data/reading/asked.tsv`` of what columns are called, and of no words of a question."""
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Concepts of small numbers."""
SHORTEST = 3
"""Letters of a word that is looked for in the values of a column nobody names."""
_LONG_STEM = 6
"""Letters that words of one family have in common."""
_CHARACTER = 0.5
"""What a character of a text without blanks counts beside a word."""
NEAR = 3
"""Words before a value among which a "not" denies it."""
Meant = TypeVar("Meant")


class Unit(NamedTuple):
    """A word of a question in the form in which names are compared."""

    text: str
    token: int
    is_number: bool


def _once(look_up: Callable[[Question, str], Meant]) -> Callable[[Question, str], Meant]:
    """Look each word up once in a question: a table asks for the same words again and again."""
    name = look_up.__name__

    @wraps(look_up)
    def looked_up(self: Question, word: str) -> Meant:
        found = self.known.get((name, word))
        if found is None:
            found = self.known[name, word] = look_up(self, word)
        return found  # type: ignore[return-value]  # what this method found

    return looked_up


class Question:
    """A question as units, with what is known of each.

    Parameters
    ----------
    text : str
    language : str
    tongue : str
        Language of the names that it is read against.
    """

    def __init__(self, text: str, language: str, tongue: str) -> None:
        self.text, self.language = text, language
        self.tokens = words(text)
        self.concepts = lexicon().concepts(self.tokens)
        self.units = [
            Unit(part, place, token.kind in {"number", "measure"})
            for place, token in enumerate(self.tokens)
            if token.kind not in {"file", "folder", "sign"}
            for part in plain(token.text).split()
        ]
        no_names = ASKING | MEASURING | NEGATING
        self.asking = words_of_tables(language).concepts(self.tokens)
        """What each token says in questions about tables (``data/reading/asked.tsv``)."""
        self._no_names = frozenset(
            place for place, told in enumerate(self.concepts) if told & no_names or "them" in self.asking[place]
        )
        self.english = tuple(_in_english(self.tokens, language))
        """Tokens with the stems of what they mean in English."""
        self.tongue = tongue
        self.known: dict[tuple[str, str], object] = {}
        """What was looked up, by method and word."""
        self.used: set[int] = set()
        """Tokens that are explained."""
        self.columns: set[int] = set()
        """Tokens that are words for columns, which are no translations of values."""

    def has(self, concepts: Iterable[str]) -> list[int]:
        """Return the tokens that have one of several concepts."""
        wanted = set(concepts)
        return [place for place, told in enumerate(self.concepts) if told & wanted]

    def asks(self, concepts: Iterable[str]) -> list[int]:
        """Return the tokens that have one of several concepts of questions about tables."""
        wanted = set(concepts)
        return [place for place, told in enumerate(self.asking) if told & wanted]

    def said(self, concepts: Iterable[str]) -> frozenset[str]:
        """Return which of several concepts are said."""
        return frozenset().union(*self.concepts).intersection(concepts)

    @_once
    def find(self, phrase: str) -> Sequence[int]:
        """Return the tokens in which a phrase is said, as whole words; none where it is not."""
        if phrase and not phrase.isascii() and phrase in self.text:
            start = self.text.index(phrase)
            inside = [
                at for at, token in enumerate(self.tokens) if token.start < start + len(phrase) and token.end > start
            ]
            if any(self.tokens[at].kind in UNSPACED for at in inside):
                return inside
        parts = plain(phrase).split()
        for at in range(len(self.units) - len(parts) + 1 if parts else 0):
            said = [self.units[at + n].text for n in range(len(parts))]
            is_plural = len(parts) > 1 and said[:-1] == parts[:-1] and stem(said[-1]) == stem(parts[-1])  # "mic stands"
            if said == parts or is_plural:
                return [self.units[at + n].token for n in range(len(parts))]
        return []

    def says(self, word: str) -> Sequence[int]:
        """Return the tokens that are a word, or its plural."""
        found = [unit.token for unit in self.units if stem(unit.text) == stem(word) or unit.text == f"{word}s"]
        if found or word in KEYS:
            return found
        other = [token for one in sorted(related_words(word)) if not one.isascii() for token in self.find(one)]
        return other or [at for tokens in self._meaning(word) for at in tokens]

    @_once
    def means(self, word: str) -> Sequence[int]:
        """Return the tokens that say a word, or mean the same in some language."""
        same = {stem(word), *related_words(word)}
        stemmed, asking = stem(word), self._no_names
        found = [
            unit.token
            for unit in self.units
            if unit.text == word
            or (unit.token not in asking and (stem(unit.text) in same or stemmed in related_words(unit.text)))
        ]
        if found:
            return found
        for other in sorted(same, key=lambda one: (-len(one), one)):  # the longest: 営業時間 before 時間
            if not other.isascii() and other in self.text and len(other) > 1:
                return self.find(other)
        joined = next((pair for pair in pairwise(self.units) if pair[0].text + pair[1].text == word), ())
        if joined:
            return [unit.token for unit in joined]  # "when can we pick up the van?": pickup
        alike = [unit.token for unit in self.units if unit.token not in asking and is_kindred(unit.text, word)]
        return alike or [at for tokens in self._meaning(word) if not asking.intersection(tokens) for at in tokens]

    @_once
    def _meaning(self, word: str) -> Sequence[tuple[int, ...]]:
        """Return the tokens that mean a word of English, or nearly: "rental" is near "rent"."""
        wanted = frozenset() if self.language == "en" else _stems(word)  # which is looked for as it stands
        foreign = _stems_abroad(word, self.tongue)
        return [
            tokens
            for tokens, meant in self.english
            if meant & (wanted | foreign)
            or any(is_form_of(one, other) or is_kindred(one, other) for one in meant for other in wanted)
        ]

    def denies(self, word: str) -> list[int]:
        """Return the tokens that say the contrary of a word by how they begin: "unpaid", "impayé"."""
        found = []
        for unit in self.units:
            for prefix in words_for("contrary"):
                rest = unit.text.removeprefix(prefix)
                if rest == unit.text or len(rest) < SHORTEST:
                    continue
                english = () if self.language == "en" else in_english(rest, self.language)
                if stem(rest) == stem(word) or stem(word) in related_words(rest) or _stems(word) & set(english):
                    found.append(unit.token)
        return found

    def translates(self, phrase: str) -> list[int]:
        """Return the tokens that say in another language all that a phrase says in English; none where they do not."""
        parts = plain(phrase).split() if self.english else []
        single = [part for at, part in enumerate(parts) if len(part) == 1 and not (at == 0 and is_small(part))]
        letters = [frozenset(self.find(part)) for part in single]  # the B of "Room B"
        said = [self._same_as(part) for part in parts if not is_small(part) and len(part) > 1] + letters
        return sorted(set().union(*said) - self.columns) if all(places - self.columns for places in said) else []

    @_once
    def _same_as(self, word: str) -> frozenset[int]:
        """Return the tokens that mean a word of English, or are the same word of another language."""
        forms = related_words(word) if len(word) > SHORTEST and self.language != "en" else frozenset[str]()
        found = {at for tokens in self._meaning(word) for at in tokens if not self.concepts[at] & COUNTING}
        spaced = (unit for unit in self.units if self.tokens[unit.token].kind not in UNSPACED)
        found.update(unit.token for unit in spaced if stem(unit.text) in forms)
        return frozenset(found).union(*(self.find(one) for one in forms if not one.isascii() and len(one) > 1))

    def abroad(self, word: str) -> list[int]:
        """Return a token that means a word of a value in another language, where it says nothing else."""
        asking = ASKING | MEASURING | NEGATING
        found = (
            [] if len(word) <= SHORTEST or is_small(word) else [at for tokens in self._meaning(word) for at in tokens]
        )
        free = [at for at in found if at not in self.used | self.columns and not self.concepts[at] & asking]
        spaced = [at for at in free if self.tokens[at].kind not in UNSPACED][:1]
        return spaced or (free if len(free) > 1 and free == found else [])  # 电影

    def first(self, word: str) -> int:
        """Return the first token that says a name as a whole and is no part of another; before all others where none does."""
        found = self.find(word)
        return (
            min(found)
            if found and plain(word) == plain(" ".join(self.tokens[at].text for at in dict.fromkeys(found)))
            else -1
        )

    def is_denied(self, place: int) -> bool:
        """Tell whether a "not" or "except" stands right before a word."""
        first = next((at for at, token in enumerate(self.tokens[:NEAR]) if token.kind == "sign"), 0)  # "no, of Tom"
        denying = [
            at
            for at in range(max(first, place - NEAR), place)
            if (self.negates(at) or "without" in self.asking[at]) and not self.concepts[at] & ASKING
        ]
        for at in range(place + 1, min(place + 1 + NEAR, len(self.tokens))):
            if self.tokens[at].kind == "sign":
                break
            is_without = "without" in self.asking[at] and self.language in EAST  # スタンドは抜きで
            if "uncounted" in self.asking[at] or is_without:  # "the cancelled ones not counted"
                denying.append(at)
        self.used.update(denying)
        return bool(denying)

    def negates(self, at: int) -> bool:
        """Tell whether a word says no in the language of the question: "ne" is French, and no German "not"."""
        own = lexicon_of(self.language).concepts(self.tokens)[at]
        is_other = is_small_in(self.tokens[at].text.casefold(), self.language) and not own & NEGATING
        return bool(self.concepts[at] & NEGATING) and not (is_other or "one_number" in own)

    def explained(self, default: float = 0.0) -> float:
        """Return the share of the telling words that are explained; a character counts half a word."""
        used = total = 0.0
        for place, token in enumerate(self.tokens):
            if token.kind in {"sign", "file", "folder", "ending"} or "\u3040" <= token.text <= "\u309f":
                continue
            is_filler = is_small(token.folded) or is_small_in(token.text.casefold(), self.language)
            is_filler = is_filler or "item" in self.concepts[place] or "aside" in self.asking[place]
            if place not in self.used and (self.concepts[place] & ASKING or is_filler):
                continue
            weight = _CHARACTER if token.kind == "character" else 1.0
            total += weight
            used += weight * (place in self.used)
        is_one = total <= _CHARACTER and bool(default)  # 都列出来
        return default if is_one or not total else used / total


def read_question(text: str, language: str = "en", names: Iterable[str] = ()) -> Question:
    """Return a question that is read against some names, nothing of it explained."""
    asked = copy(_read_once(text, language, _tongue(tuple(names), language)))
    asked.used, asked.columns = set(), set()
    return asked


@lru_cache(maxsize=64)
def _read_once(text: str, language: str, tongue: str) -> Question:
    return Question(text, language, tongue)


def _in_english(tokens: Sequence[Word], language: str) -> Iterator[tuple[tuple[int, ...], frozenset[str]]]:
    """Yield what words mean in English; where words have no blanks between them, what pieces of the text mean."""
    place = 0
    while place < len(tokens):
        end = place + 1
        if tokens[place].kind not in UNSPACED:
            if tokens[place].kind == "word" and not is_small_in(tokens[place].text.casefold(), language):
                said = tokens[place].text.replace("\u2019", "'").rpartition("'")[2]  # "d'électricité"
                yield (place,), _stems(said) if language == "en" else in_english(said, language)
            place = end
            continue
        while end < len(tokens) and tokens[end].kind in UNSPACED and tokens[end].start == tokens[end - 1].end:
            end += 1
        run = "".join(fold(token.text) for token in tokens[place:end])
        owners = [at for at in range(place, end) for _ in fold(tokens[at].text)]
        at = 0
        for piece in abroad.load().pieces(run):
            at = run.find(piece, at)
            yield tuple(dict.fromkeys(owners[at : at + len(piece)])), in_english(piece, language)
            at += len(piece)
        place = end


@lru_cache(maxsize=4096)
def _stems(phrase: str) -> frozenset[str]:
    return frozenset(stems(fold(phrase)))


@lru_cache(maxsize=4096)
def _stems_abroad(word: str, language: str) -> frozenset[str]:
    """Return the stems of what a word of a language means in English; of none where there is no language."""
    found = abroad.load().meanings(fold(word)) if language else ()
    return frozenset(one.stem for one in found if one.language == language) - {""}


@lru_cache(maxsize=256)
def _tongue(names: tuple[str, ...], language: str) -> str:
    """Return the language in which columns or keys are called; empty for English, and for that of the question.

    Examples
    --------
    >>> _tongue(("naam", "telefoon", "huur", "betaald"), "pt"), _tongue(("name", "phone", "rent", "paid"), "pt")
    ('nl', '')
    """
    parts = [part for name in names for part in plain(name).split() if len(part) > SHORTEST]
    if not parts or sum(not _stems(part).isdisjoint(abroad.load().english) for part in parts) * 2 >= len(parts):
        return ""
    known = [{one.language for one in abroad.load().meanings(fold(part))} for part in parts]
    counts = Counter(one for languages in known for one in languages)
    best = max(counts, key=lambda one: (counts[one], one == language), default="")
    return best if best != language and counts[best] * 2 >= len(parts) else ""


def is_word_of(word: Word, language: str) -> bool:
    """Tell whether a word is known in a language, so that it is hardly a name.

    Examples
    --------
    >>> [is_word_of(words(one)[0], "en") for one in ("worked", "Dan")], is_word_of(words("cuestan")[0], "es")
    ([True, False], True)
    """
    if lexicon_of(language).concepts([word])[0] or words_of_tables(language).concepts([word])[0]:
        return True
    if language == "en":
        return bool(_stems(word.folded) & abroad.load().english)
    return any(one.language == language for one in abroad.load().meanings(fold(word.text)))


def is_form_of(said: str, word: str) -> bool:
    """Tell whether a word is said, perhaps in another form: "vegetarians", "warnings" of WARN."""
    return stem(said) == stem(word) or (
        len(word) > SHORTEST and 0 < len(said) - len(word) <= NEAR + 1 and said.startswith(word)
    )


def is_kindred(one: str, other: str) -> bool:
    """Tell whether two words have all but their ends in common: "allergic" and "allergies"."""
    shared = max(_LONG_STEM, max(len(one), len(other)) - NEAR)
    return min(len(one), len(other)) >= shared and one[:shared] == other[:shared]


def said_of_tables(text: str, language: str) -> frozenset[str]:
    """Return what a request says in the words of questions about tables (``data/reading/asked.tsv``).

    Examples
    --------
    >>> sorted(said_of_tables("wat scheelt dat?", "nl")), sorted(said_of_tables("from high to low", "en"))
    (['apart'], ['down'])
    """
    return frozenset[str]().union(*words_of_tables(language).concepts(words(text)))


def kind_of_more(text: str, language: str) -> str:
    """Return whether the longer or the shorter of two lists is asked for by what they have more, or less, of; else empty.

    Examples
    --------
    >>> kind_of_more("which of the two has more names?", "en"), kind_of_more("welche von beiden hat weniger Zutaten?", "de")
    ('longer', 'shorter')
    >>> kind_of_more("which has more than 5?", "en"), kind_of_more("show both", "en")
    ('', '')
    """
    own = frozenset[str]().union(*lexicon_of(language).concepts(words(text)))
    is_more = "more" in own or "most" in said_of_tables(text, language)
    is_of_two = "two" in own and not any(word.text.isdigit() for word in words(text))
    return ("longer" if is_more else "shorter" if "less" in own else "") if is_of_two else ""


def says_state(text: str, language: str) -> str:
    """Return which of the things to be done a request is about: those that are ``open``, those that are ``done``; else empty."""
    said = said_of_tables(text, language)
    said |= {"open"} if "rest" in said else frozenset()
    is_not = bool(NEGATING & frozenset[str]().union(*lexicon_of(language).concepts(words(text))))
    return (
        "open" if "open" in said or ("done" in said and (is_not or "not" in said)) else "done" if "done" in said else ""
    )


def number_said(word: Word, told: Iterable[str]) -> int:
    """Return the number that a word is, from two to twelve also in words; 0 where it is none."""
    if word.kind == "number" and word.text.isdigit():
        return int(word.text)
    return next((place for place, name in enumerate(_NUMBERS, 2) if name in told), 0)


@cache
def words_of_tables(language: str) -> Lexicon:
    """Return the words of questions about tables in a language, or in all."""
    return Lexicon([row for row in read_rows("asked.tsv") if language in {"", row[1]} and row[0] not in _OF_COLUMNS])


@cache
def words_for(concept: str) -> frozenset[str]:
    """Return the words of all languages for a concept of ``data/reading/asked.tsv``, as they stand in names."""
    return frozenset(
        plain(word) for one, _, listed in read_rows("asked.tsv") if one == concept for word in listed.split(", ")
    )
