"""A request as words, and what they mean: each word by its shape, and its concepts in ten languages.

Chinese and Japanese have no blanks between words: there every character is one. The table of concepts is
``data/reading/lexicon.tsv``. It knows nothing of sentences: a word may have several concepts, and what they say of a
request is learned.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from lango_nb.core.lazy import compiled
from lango_nb.models.offline.plan import read_rows
from lango_nb.routing.features import fold

# -- words -------------------------------------------------------------------------------------------------------------

MOST_WORDS = 400
"""Words that are read of a request; what is wanted stands at its beginning or its end."""
_LETTERS = "A-Za-zÀ-ɏ\u0370-\u052f\u1e00-\u1eff\uac00-\ud7af"
_UNSPACED = "\u3005\u3006\u3040-\u30ff\u3400-\u9fff"
_NAME = rf"[{_LETTERS}0-9_][{_LETTERS}0-9_.\-]*"
_PATH = rf"{_LETTERS}0-9_.\-/"
_ODD = r"\\\x00-\x08\x0b\x0c\x0e-\x1f\x7f"
"""Signs by which a name goes on, though hardly any name has them: nobody means only what stands behind them."""
_RUN = rf"^\s{_UNSPACED}\"'`“”„«»‘’"  # noqa: RUF001 - signs that people type
_SHAPES = (
    ("url", rf"https?://[^\s{_UNSPACED}]+|www\.[^\s{_UNSPACED}]+"),
    ("long", rf"(?<![{_RUN}])[{_RUN}]{{300,}}"),  # no name is, and what it is made of would take long
    ("mail", r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ("glob", rf"\*\.?[{_LETTERS}0-9_*]*|[{_LETTERS}0-9_-]+\*[{_LETTERS}0-9_.*-]*"),
    (
        "file",
        rf"(?<![{_PATH}])(?:[A-Za-z]:)?[{_PATH}]*(?:[{_ODD}][{_PATH}]*)+|~?\.{{0,2}}/?(?:[{_LETTERS}0-9_.\-]+/)*{_NAME}\.[A-Za-z][A-Za-z0-9]{{0,5}}(?![{_LETTERS}0-9_/])",
    ),
    ("folder", rf"(?:~|\.{{1,2}})?/?(?:[{_LETTERS}0-9_.\-]+/)+[{_LETTERS}0-9_.\-]*|(?<!\w)/[{_LETTERS}0-9_.\-]+"),
    ("ending", rf"(?<![{_LETTERS}0-9_])\.[A-Za-z][A-Za-z0-9]{{0,5}}(?![{_LETTERS}0-9_])"),
    ("option", r"(?<!\S)--?[A-Za-z][\w-]*"),
    ("id", rf"[{_LETTERS}]+[-_#]?\d[{_LETTERS}0-9_-]*(?:\.\d+)*|#\d+|0x[0-9a-fA-F]+"),
    ("measure", rf"\d[\d.,:]*[{_LETTERS}]{{1,3}}\d*(?![{_LETTERS}\d])"),
    ("number", r"[-+]?\d[\d.,:]*\d%?|\d%?"),
    ("name", rf"[{_LETTERS}0-9]+(?:_[{_LETTERS}0-9]+)+|[a-zà-ÿ]+(?:[A-Z][a-zà-ÿ]+)+"),
    ("word", rf"[{_LETTERS}]+(?:['’\-][{_LETTERS}]+)*"),  # noqa: RUF001 - signs that people type
    ("kana", "[\u30a1-\u30ff]{2,}"),
    ("character", f"[{_UNSPACED}]"),
    ("sign", r"->|=>|\S"),
)
_ANY = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _SHAPES)
_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|「([^「」]+)」|『([^『』]+)』|`([^`]+)`|«\s?([^«»]+?)\s?»"
    r"|(?<!\w)'([^']+)'(?!\w)|(?<!\w)‘([^‘’]+)’(?!\w)"  # noqa: RUF001 - signs that people type
)
_ENDINGS = frozenset(
    (
        "md txt py json yaml yml toml csv tsv log html htm js ts css ini cfg conf sh ipynb rst xml sql pdf png jpg jpeg gif svg lock env "
        "bak doc docx xls xlsx ppt odt zip gz tar mp3 mp4 wav mov tex bib rs go java c cpp h tmp orig old dat db r rb php bat eml ics vcf"
    ).split()
)
REFUSING = frozenset(("no", "not", "none", "stop", "dismiss", "forget"))
"""Concepts that no yes has."""
NEGATING = frozenset(("no", "not"))
ASK_SIGNS = ("?", "\uff1f")
UNSPACED = frozenset(("kana", "character"))
"""Kinds of words between which there are no blanks."""


class Word(NamedTuple):
    """One word, or one thing that is no word."""

    start: int
    end: int
    text: str
    folded: str
    kind: str
    """``word``, ``character``, ``file``, ``number`` and so on."""
    is_quoted: bool


def quotations(text: str) -> list[tuple[int, int]]:
    """Return where quotations begin and end, without their marks."""
    return [(match.start(match.lastindex or 0), match.end(match.lastindex or 0)) for match in _QUOTED.finditer(text)]


_BEHIND_KANA = re.compile("(?<=[\u3041-\u309f])[A-Za-z0-9][\\w.-]*\\.[A-Za-z0-9]{1,8}$", re.ASCII)
"""A name behind what holds a Japanese sentence together."""


@lru_cache(maxsize=64)
def words(text: str) -> tuple[Word, ...]:
    """Split a request into words.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of Word

    Examples
    --------
    >>> [(word.text, word.kind) for word in words("sort notes.md by 2")]
    [('sort', 'word'), ('notes.md', 'file'), ('by', 'word'), ('2', 'number')]
    >>> [word.text for word in words("notes.mdの行数")], words("名前だけa.txtに")[-2].text
    (['notes.md', 'の', '行', '数'], 'a.txt')
    """
    quoted = quotations(text)
    begins = [begin for begin, _ in quoted]
    marks = {place for start, end in quoted for place in (start - 1, end)}
    found: list[Word] = []
    for match in compiled(_ANY).finditer(text):
        kind = str(match.lastgroup)
        start, shown = match.start(), match.group()
        if kind == "sign" and start in marks:
            continue
        if kind in {"file", "folder"} and (shorter := shown.rstrip(".-")) != shown:
            shown = shorter or shown
        if kind == "file" and (tail := _BEHIND_KANA.search(shown)) is not None:  # "Brookの会員だけbrook.csvに"
            found += [
                one._replace(start=one.start + start, end=one.end + start) for one in words(shown[: tail.start()])
            ]
            start, shown = start + tail.start(), tail[0]
        if kind == "file" and shown.rpartition(".")[2].lower() not in _ENDINGS:
            kind = "dotted"
        at = bisect_right(begins, start) - 1
        is_quoted = at >= 0 and start < quoted[at][1]
        found.append(Word(start, start + len(shown), shown, fold(shown), kind, is_quoted))
    half = MOST_WORDS // 2
    return tuple(found if len(found) <= MOST_WORDS else found[:half] + found[-half:])


# -- concepts ----------------------------------------------------------------------------------------------------------

_SHORTEST = 3
"""Letters of the shortest beginning that stands for words."""
_NONE: frozenset[str] = frozenset()
_JOINTS = re.compile("(?<=')|-")
_PRONOUNS = frozenset("le la les lui leur y en moi toi nous vous o a os as lo los lhe lhes me te se nos".split())
"""What is joined to verbs by hyphens in French and Portuguese."""
Concepts = frozenset[str]


def _without_pronouns(word: str) -> str:
    """Return a verb without the pronouns that are joined to it by hyphens: "montre-la-moi", "apaga-o"."""
    verb, *rest = word.split("-")
    return verb if rest and len(verb) >= _SHORTEST and _PRONOUNS.issuperset(rest) else word


@cache
def folded(listed: str) -> tuple[str, ...]:
    """Return the words of a list with commas between them, folded."""
    entries = fold(listed.replace(",", "\n")).splitlines()  # folding makes commas of other signs
    return tuple([word for entry in entries if (word := entry.strip())])


class Lexicon:
    """Concepts by word, beginning, phrase and, where words have no blanks between them, by piece.

    Parameters
    ----------
    rows : sequence of sequence of str
        Concept, language, and words with commas between them.
    """

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        self._words: dict[str, Concepts] = {}
        self._starts: dict[str, Concepts] = {}
        self._phrases: dict[str, Concepts] = {}
        self._pieces: dict[str, Concepts] = {}
        for concept, _, listed in rows:
            one = frozenset((concept,))
            for word in folded(listed):
                table = self._words
                if not word.isascii() and word[0] > "\u3000":
                    table = self._pieces
                elif word.endswith("*"):
                    table, word = self._starts, word[:-1]  # noqa: PLW2901 - what words begin with
                elif " " in word:
                    table = self._phrases
                table[word] = table[word] | one if word in table else one
        self._longest_start = max(map(len, self._starts), default=0)
        self._longest_piece = max(map(len, self._pieces), default=0)
        self._longest_phrase = max((phrase.count(" ") + 1 for phrase in self._phrases), default=0)
        self._begins = frozenset(phrase.partition(" ")[0] for phrase in self._phrases)
        self._of_word = lru_cache(maxsize=4096)(self._look_up)
        self._of_words = lru_cache(maxsize=512)(self._look_up_all)  # a turn asks ten times for the same words

    def _look_up(self, word: str) -> Concepts:
        found = set(self._words.get(word, _NONE))
        for size in range(_SHORTEST, min(len(word), self._longest_start) + 1):
            found |= self._starts.get(word[:size], _NONE)
        return frozenset(found)

    def concepts(self, words: Sequence[Word]) -> tuple[Concepts, ...]:
        """Return the concepts of every word.

        Parameters
        ----------
        words : sequence of Word, length n

        Returns
        -------
        tuple of frozenset of str, length n

        Examples
        --------
        >>> from lango_nb.models.offline.lexicon import words
        >>> told = lexicon().concepts(words("zeig mir die letzte Zeile"))
        >>> sorted(told[0] & {"show"}), sorted(told[3] & {"last"}), sorted(told[4] & {"line"})
        (['show'], ['last'], ['line'])
        """
        return self._of_words(tuple(words))

    def _look_up_all(self, words: tuple[Word, ...]) -> tuple[Concepts, ...]:
        found = [_NONE if word.kind in UNSPACED else self._of_word(_without_pronouns(word.folded)) for word in words]
        for place, first in enumerate(words):
            if first.folded not in self._begins:
                continue
            for size in range(2, min(self._longest_phrase, len(words) - place) + 1):
                phrase = " ".join([word.folded for word in words[place : place + size]])
                if phrase in self._phrases:
                    for covered in range(place, place + size):
                        found[covered] |= self._phrases[phrase]
        place = 0
        while place < len(words):
            size = self._piece_at(words, place)
            if size:
                piece = "".join([word.folded for word in words[place : place + size]])
                for covered in range(place, place + size):
                    found[covered] |= self._pieces[piece]
            place += size or 1
        return tuple(found)

    def _piece_at(self, words: Sequence[Word], place: int) -> int:
        """Return how many words the longest piece has that begins at a place; 0 when none does."""
        if words[place].kind not in UNSPACED:
            return 0
        run = 1
        for one, following in pairwise(words[place : place + self._longest_piece]):
            if following.kind not in UNSPACED or following.start != one.end:
                break
            run += 1
        return next(
            (
                size
                for size in range(run, 0, -1)
                if "".join([word.folded for word in words[place : place + size]]) in self._pieces
            ),
            0,
        )


@cache
def lexicon() -> Lexicon:
    """Return the lexicon that comes with the package; read once."""
    return Lexicon([row for row in read_rows("lexicon.tsv") if len(row) > 2])  # noqa: PLR2004 - its columns


@cache
def lexicon_of(language: str) -> Lexicon:
    """Return the words of one language: "le" is no "you" in French, and "show" no praise in English."""
    return Lexicon([row for row in read_rows("lexicon.tsv") if row[1:2] == [language]])


_TELLS, _HINTS = 2.0, 0.8
"""What it counts against a language that a small word, or a word of the lexicon, is of other languages only."""
_LEAST_LIKELY = 0.002
"""Least probability of a language: what stands in the text may always outweigh the reader."""
_WRITTEN_OTHERWISE = (20.0, 5.0)
"""The same for the signs of a text: it has none of a language that needs them; it has some, maybe in a name."""
_KANA, _KANA_TELLS = re.compile("[\u3040-\u30fa\u30fc-\u30ff]"), 3.0
"""Signs that Chinese has none of, and Japanese is hardly written without."""
_OF_EAST = ("ja", "zh")
"""Languages that are written in signs of their own."""
_CLEARLY_OTHER = 1.5
"""What has to speak more against the language spoken before than against another one."""


def language_of(text: str, likely: Mapping[str, float]) -> str:
    """Return the language of a text: the likeliest by the reader and by the words that few languages have.

    Small words (``data/reading/tongues.tsv``) tell most; nothing else is left of a text of three words.

    Parameters
    ----------
    text : str
    likely : mapping of str to float
        Probability of each language.

    Examples
    --------
    >>> language_of("che camera ha?", {"pt": 0.6, "it": 0.4}), language_of("notes.md", {"pt": 0.6, "it": 0.4})
    ('it', 'pt')
    """
    against = _against(text)
    return max(likely, key=lambda one: math.log(max(likely[one], _LEAST_LIKELY)) - against.get(one, 0.0))


def likelier_language(text: str, language: str, other: str) -> str:
    """Return which of two languages the words of a text are of; the first where it is not clear.

    Examples
    --------
    >>> likelier_language("ho sbagliato, non Favre ma Zanetti", "it", "pl"), likelier_language("show me the list", "it", "en")
    ('it', 'en')
    """
    against = _against(text)
    return other if against.get(language, 0.0) - against.get(other, 0.0) > _CLEARLY_OTHER else language


@lru_cache(maxsize=64)
def _against(text: str) -> Mapping[str, float]:
    """Return what speaks against each language: words are of others only, or it is written otherwise."""
    speakers, known = _speakers(), _known()
    said = [word for word in words(text) if not word.is_quoted]
    signs = any(word.kind in UNSPACED for word in said)
    total, has = 0.0, dict.fromkeys(tongues(), 0.0)
    for word in said:
        for part in _JOINTS.split(word.text.casefold().replace("\u2019", "'")) if word.kind == "word" else ():
            of = speakers.get(part)
            weight = _TELLS if of else _HINTS
            if of := of or _languages_of(fold(part), known):
                total += weight
                for language in of:
                    has[language] += weight
    against = {
        one: total - mine + (_WRITTEN_OTHERWISE[signs] if (one in _OF_EAST) != signs else 0.0)
        for one, mine in has.items()
    }
    against["zh" if _KANA.search(text) else "ja"] += _KANA_TELLS * signs
    return against


@cache
def tongues() -> tuple[str, ...]:
    """Return the languages that are told apart."""
    return (*dict.fromkeys(language for language, _ in read_rows("tongues.tsv")), *_OF_EAST)


def is_small_in(word: str, language: str) -> bool:
    """Tell whether a word only holds sentences of a language together."""
    return language in _speakers().get(word, _NONE)


def is_small_anywhere(word: str) -> bool:
    """Tell whether a word only holds sentences together in some language."""
    return word in _speakers()


def _languages_of(word: str, known: Mapping[str, frozenset[str]]) -> frozenset[str]:
    if found := known.get(word):
        return found
    starts = [found for size in range(len(word), _SHORTEST - 1, -1) if (found := known.get(f"{word[:size]}*"))]
    return starts[0] if starts else _NONE


@cache
def _speakers() -> Mapping[str, frozenset[str]]:
    """Return the languages that have each small word, with accents and without."""
    found: dict[str, frozenset[str]] = {}
    for language, listed in read_rows("tongues.tsv"):
        for word in listed.split(", "):
            for form in {word, fold(word)}:
                found[form] = found.get(form, _NONE) | {language}
    return found


@cache
def _known() -> Mapping[str, frozenset[str]]:
    """Return the languages of each word, and each beginning, of the lexicon."""
    found: dict[str, frozenset[str]] = {}
    for _, language, listed in (row for row in read_rows("lexicon.tsv") if len(row) > 2):  # noqa: PLR2004 - its columns
        one = frozenset((language,))
        for word in folded(listed):
            if " " not in word:
                found[word] = found[word] | one if word in found else one
    return found


_LEAST_SLIPPED = 5
"""Letters of a word in which a slip of the keyboard is seen."""


def without_slip(text: str, language: str, wanted: Concepts) -> str:
    """Return a text whose first word is spelt as the one word of some concepts that it hardly differs from.

    Parameters
    ----------
    text : str
    language : str
    wanted : frozenset of str
        Concepts that the word may have.

    Examples
    --------
    >>> without_slip("reanme a.txt to b.txt", "en", frozenset({"rename", "read"})), without_slip("Marco is here", "en", frozenset({"rename"}))
    ('rename a.txt to b.txt', 'Marco is here')
    """
    first = next(iter(words(text)), None)
    is_known = first is None or first.kind != "word" or first.is_quoted or bool(lexicon().concepts((first,))[0])
    if first is None or is_known or len(first.folded) < _LEAST_SLIPPED or is_small_in(first.folded, language):
        return text
    near = {known for known in _plain_words(language, wanted) if _is_slip(first.folded, known)}
    return text[: first.start] + near.pop() + text[first.end :] if len(near) == 1 else text


_COUNTED = frozenset(("line", "word", "character", "row", "file", "folder", "first", "last"))
"""Concepts of what is counted, or told by its place: words that are known where two of their letters changed places."""


def without_swap(text: str, language: str) -> str:
    """Return a text whose words for what is counted are spelt as they are, where two letters changed places.

    Examples
    --------
    >>> without_swap("how many wrods does a.txt have", "en"), without_swap("how many limes are in a.txt", "en")
    ('how many words does a.txt have', 'how many limes are in a.txt')
    """
    known = _plain_words(language, _COUNTED)
    for word, told in zip(words(text), lexicon().concepts(words(text)), strict=True):
        is_free = word.kind == "word" and not (word.is_quoted or told or is_small_anywhere(word.folded))
        if is_free and len(word.folded) >= _LEAST_SLIPPED:
            near = {one for one in known if sorted(one) == sorted(word.folded) and _is_slip(word.folded, one)}
            if len(near) == 1:
                return text[: word.start] + near.pop() + text[word.end :]
    return text


@cache
def _plain_words(language: str, wanted: Concepts) -> Concepts:
    """Return the words of a language, each a whole one, that have some of several concepts."""
    rows = (row for row in read_rows("lexicon.tsv") if len(row) > 2 and row[1] == language and row[0] in wanted)  # noqa: PLR2004 - its columns
    return frozenset(word for row in rows for word in folded(row[2]) if word.isalpha() and len(word) >= _LEAST_SLIPPED)


def _is_slip(said: str, known: str) -> bool:
    """Tell whether two words differ by one letter, by two that changed places, or by two that come twice: "rember"."""
    start = next((at for at, (a, b) in enumerate(zip(said, known, strict=False)) if a != b), min(len(said), len(known)))
    one, other = said[start:], known[start:]
    is_twice = start > 1 and one == other[2:] and other[:2] == known[start - 2 : start]
    is_swapped = len(one) > 1 and one[:2] == other[1::-1] and one[2:] == other[2:]
    return said != known and (is_swapped or is_twice or one[1:] == other[1:] or one[1:] == other or one == other[1:])


def concepts_of(text: str) -> Concepts:
    """Return all concepts of a text.

    Examples
    --------
    >>> sorted(concepts_of("zeig mir die letzte Zeile") & {"show", "last", "write"})
    ['last', 'show']
    """
    return _NONE.union(*lexicon().concepts(words(text)))
