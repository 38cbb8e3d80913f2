"""From words to names of what is there: files, columns, keys, functions, as people write and describe them.

exact → capitals → accents and signs → the ending left out → plural → all words of it → another language → misspelt
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from lango_nb.models.offline.lexicon import (
    UNSPACED,
    Lexicon,
    Word,
    concepts_of,
    is_small_anywhere,
    is_small_in,
    lexicon,
    lexicon_of,
)
from lango_nb.models.offline.lexicon import words as words_in
from lango_nb.models.offline.plan import read_rows
from lango_nb.routing import abroad
from lango_nb.routing.features import fold
from lango_nb.routing.words import stems

_CLAUSE_BEGINS = 2
"""Words with which a clause begins."""
_ASKING = frozenset(("what", "who", "where", "when", "why", "many", "which"))
FIRST_WORDS = 2
"""Words by which a request shows that it asks, or takes something back."""
_EXPLAINED_IN = 5
"""Words in which a request says that it wants to know how something is done."""
_SHOWING = frozenset(("show", "list"))
_ONLY_ASKED = frozenset(("what", "who", "where", "when", "why", "which", "how", "many", "max", "min", "sum", "time"))
"""Concepts of words that only ask where there are no blanks between words."""
_ONLY_ASKING = frozenset(("what", "who", "where", "when", "why", "which", "how", "have"))
_NOT = frozenset(("not", "no"))
_NOT_THIS = frozenset(("not", "correct"))
_MAKING = frozenset(("create", "folder", "file", "please"))
"""Concepts of words that are no names of what is to be made."""
_PLACING = frozenset(("in", "into"))
_UNNAMED = frozenset(
    "create folder file please in into from contain write append put copy move delete read show text line and then name new it you i".split()
)
"""Concepts of words behind "file" with which no name begins."""
_FIGURES = {sign: place for place, sign in enumerate("一二三四五六七八九", 1)} | {"两": 2}
_CHARACTERS = re.compile("[一二三四五六七八九十两]+")
_DATED = re.compile("[\\d一二三四五六七八九十][月年時时]")
"""A month, a year or an hour: no place in a row."""
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]+")
_KANA = re.compile("[\u3040-\u30ff]")
_BEFORE_NAMES = re.compile(
    "[\\s\u3001\u3002\uff0c\uff1a\u300c\u300e\u201c\u300a,:「『]|[をにへはがでと]|叫做|叫|名为|名叫|新建|创建|文件|ファイル|改成|改为|换成|[把在成为到从向给和]|"
    "(?:一[个個份张張篇本]|空的|空の|新的|新しい|新しく|新規に?)\\Z"
)
"""What may stand before a name in Japanese and Chinese."""
_SAID_BEFORE = ("て", "で", "から", "まで", "成", "为", "到", "建", "个", "個", "份")
"""How words end behind which a name in other letters begins."""
_HIRAGANA = re.compile("[\u3040-\u309f]+")
_PARTICLES = re.compile("[のをにはがでと的那这个这張张本份次]|ファイル|文件|やつ")
_HYPHENED = frozenset("le la les lui o a os as lo los lhe".split())
"""Pronouns that are joined to a verb by a hyphen."""
_AS_ARTICLES = frozenset(
    "the same la le das die den der er sie es y lo to go ten ta il o a os as el los las het de du il".split()
) | {"the same"}
"""Pronouns that are articles as well, or words of another language."""
ARTICLES = frozenset("a an un une uno una um uma een ein one ones eins eine einer eines".split())
NEAR = 0.75
"""Likeness from which a name is taken for a misspelt one."""
_TRANSLATED = 0.9
"""What a word of another language or one that means the same counts beside the word itself."""
_LONG_NAME, _KINDRED = 6, 0.6
"""Letters of a word that may be like a name in another language, and how alike the two must be."""
CLEARLY = 0.08
"""How much nearer it has to be than the next."""
EAST = frozenset(("ja", "zh"))
"""Languages without blanks between words."""
_SEPARATORS = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ENDING = re.compile(r"\.[^./\s]{1,8}\Z")
_DIGITS = re.compile(r"-?\d+")
_SUFFIXES = ("ungen", "ies", "es", "en", "'s", "s", "n", "e")
_SHORTEST = 4
_MOST_SOUGHT = 24
"""Words of a question that are looked for."""
_MOST_SOUGHT_LINES = 2000
"""Lines of a file that are looked through."""
_MOST_FOUND = 5
_TELLING = 3
"""Letters of a word that says something."""
_NOUNS = frozenset(
    "character column day entity error function graph item job key knowledge letter log money name number observation path person plan script "
    "secret size skill status table task test text time tool value weather web word workflow left".split()
)
"""Concepts of things: words with others make requests, whatever they are about."""
_EXACT = frozenset(("number", "measure", "id", "file"))
"""Kinds of words that say something however short they are."""
_ENOUGH = 2
"""Words of a question that a line has to have."""
_LEAST_LINE = 1.2
"""Weight they have to have together, as logarithms of how rare they are."""
_SAID_SO = 1.5
"""How much more a word counts that a line has itself, and not one that means the same."""
_AS_GOOD = 0.85
_COMMAS = re.compile(r"\s*[,;\u3001\uff0c\uff1b]\s*")
_COMMAS_AND = re.compile(
    r"\s*[,;\u3001\uff0c\uff1b]\s*(?:(?:and|und|et|y|e|en|i)\s+)?|\s+(?:and|und|et|y|e|en|i)\s+|\s*[と和]\s*"
)
_SPAN = re.compile(r"(\d+)\s*[-\u2013\u2014~\uff5e]\s*(\d+)")
_LITERAL = ('"', "'", "“", "„", "«", "「", "『", "`", ":", "\uff1a")
"""Signs before words that are meant as they are."""
_LISTS = frozenset(("list", "todo"))
"""What words for a list and for the tasks mean."""
_SHORT_NOUN = 6
"""Characters of a pronoun with a noun, where there are no blanks between them."""
_PLURAL = 2
"""Letters of the ending of a plural."""
_MOST_BLANKS = 3
"""Words before the last one of a new name."""
_LONG_STEM = 5
"""Letters that two forms of a word have in common at least."""
_BESIDE = "beside"
"""What stands between two things that are compared."""
_COMPARING = frozenset(("compare", "same", "what", "which", "who", "have", "show", "please"))
"""Concepts of words before them."""
_AGES = frozenset(("old", "new"))
"""What is said of one of several files, and of two that are compared."""
_LEAD = re.compile(
    r"^(?:the|a|an|my|our|your|that|this|those|file|files|folder|der|die|das|den|dem|des|mein\w*|unser\w*|datei|ordner|"
    r"le|la|les|l'|mon|ma|mes|nos|notre|du|de|des|fichier|dossier|el|los|las|mi|mis|nuestr\w*|archivo|carpeta|o|os|as|"
    r"by|per|each|every|pro|je|nach|por|meu\w*|minha\w*|arquivo|pasta|il|lo|gli|i|mio|mia|miei|mie|cartella|het|mijn|onze|bestand|map|mój|moj\w*|plik|folder)\b[\s:]*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s-]*\b(?:file|files|folder|datei|ordner|fichier|archivo|arquivo|bestand|plik)\b$|ファイル$|文件$", re.IGNORECASE
)


class Pick(NamedTuple):
    """Which of several names is meant."""

    name: str = ""
    """Empty when none is, or several are."""
    is_guess: bool = False
    """Whether it had to be guessed, so that the answer should say so."""
    rivals: tuple[str, ...] = ()
    """Names that fit equally well."""


_DAY_SAID = re.compile(r"\d{1,4}(?:st|nd|rd|th|er|º)?", re.IGNORECASE)
_LAST_DAY = 31
_DATE_NUMBERS, _MOST_OF_DATE = 2, 5
"""Numbers of a day of a month in a year, and words of a line that only says that."""
_MARKS = "\"\" '' `` “” „“ „” «» \u2018\u2019 「」 『』".split()


def unquoted(words: str) -> str:
    """Take the quotation marks off that stand around words.

    Examples
    --------
    >>> unquoted("«buy milk»"), unquoted("'a' and 'b'"), unquoted("it's")
    ('buy milk', "'a' and 'b'", "it's")
    """
    bare = words.strip()
    for marks in _MARKS:
        left, right = marks[0], marks[1]
        inner = bare[1:-1]
        if (
            len(bare) > 1
            and bare.startswith(left)
            and bare.endswith(right)
            and left not in inner
            and right not in inner
        ):
            return inner.strip()
    return words


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Write a text in small letters without accents, its words parted by single blanks.

    Examples
    --------
    >>> plain("Größe_der Häuser.TXT"), plain("teaMoney")
    ('grosse der hauser txt', 'tea money')
    """
    return _SEPARATORS.sub(" ", unaccented(_CAMEL.sub(" ", text))).strip()


def unaccented(text: str) -> str:
    """Write a text in small letters without accents."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFC", "".join(sign for sign in letters if not _is_accent(sign)))


def _is_accent(sign: str) -> bool:
    return "\u0300" <= sign <= "\u036f"


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Cut the plural and the like from a plain word, never to less than four letters."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST:
            return word[: -len(suffix)]
    return word[:-1] if len(word) == _SHORTEST and word[-1] == "s" and word[-2] not in "su" else word


def pick(wanted: str, options: Iterable[str], *, is_file: bool = False) -> Pick:
    """Find the name that is meant.

    Parameters
    ----------
    wanted : str
        Words of a request.
    options : iterable of str
        What there is.
    is_file : bool
        Whether endings may be left out, and folders.

    Returns
    -------
    Pick

    Examples
    --------
    >>> files = ["todo.txt", "Summer Plan.md", "notes.md", "notes.txt", "letters/letter5.txt"]
    >>> pick("tdo.txt", files, is_file=True)
    Pick(name='todo.txt', is_guess=True, rivals=())
    >>> pick("summer plan", files, is_file=True).name, pick("letter number 5", files, is_file=True).name
    ('Summer Plan.md', 'letters/letter5.txt')
    >>> pick("notes", files, is_file=True).rivals, pick("invoice.pdf", files, is_file=True).name
    (('notes.md', 'notes.txt'), '')
    >>> pick("the shopping list", ["shop.log", "shopping.txt"]).name
    'shopping.txt'
    """
    names = list(dict.fromkeys(options))
    if wanted in names:
        return Pick(wanted)
    bare = wanted.strip().strip("\"'`“”„«»「」").rstrip("/")
    for words in dict.fromkeys((bare, bare.removeprefix("./"), trimmed(bare))):
        if words and (found := _by_tiers(words, names, is_file=is_file)):
            return _chosen(found)
    words = trimmed(bare) or bare
    described, is_guess = _described(words, names)
    bare = list_named(words) if is_guess else ""
    if bare and bare != words and len(bare.split()) > 1:  # "the list with old jingles" is old_jingles.txt
        named, is_other = _described(bare, names)
        described, is_guess = (described, is_guess) if is_other or not named else (named, False)
    if described:
        return _chosen(described, is_guess=is_guess)
    return _misspelt(words, names, is_file=is_file)


def nearest_name(words: str, names: Sequence[str]) -> str:
    """Return the one of a few names that has a word clearly like one of some words, as in a kindred language; else empty.

    Examples
    --------
    >>> nearest_name("a da distribuidora", ["b/bezoeker.txt", "b/distributeur.txt"]), nearest_name("the old one", ["a.txt", "b.txt"])
    ('b/distributeur.txt', '')
    """
    said = [word for word in plain(words).split() if len(word) >= _LONG_NAME]
    scored = sorted(
        (max((likeness(one, part) for one in said for part in _parts(_base(name))), default=0.0), name)
        for name in names
    )
    if len(scored) < 2 or scored[-1][0] < _KINDRED or scored[-1][0] - scored[-2][0] < CLEARLY:  # noqa: PLR2004 - nothing to choose from
        return ""
    return scored[-1][1]


def list_named(words: str) -> str:
    """Return what words say of a list besides that it is one; empty for that of the tasks.

    Examples
    --------
    >>> list_named("the shopping list"), list_named("my to-do list"), list_named("la liste de courses")
    ('shopping', '', 'courses')
    """
    return " ".join(
        word for word in _words_of(words) if not (is_small(word) or is_pointer(word, "it") or _is_list(word))
    )


def calls_list(words: str) -> bool:
    """Tell whether words call something a list, and say which.

    Examples
    --------
    >>> calls_list("listę przeglądu"), calls_list("the recipes"), calls_list("the list"), calls_list("the thank you letter")
    (True, False, False, False)
    """
    return any(map(_is_list, _words_of(words))) and bool(list_named(words))


def _is_list(word: str) -> bool:
    """Tell whether a word means a list, or the tasks; what means a letter in one language is a list in another."""
    told = _told(word)
    return bool(forms_of(plain(word)) & _LISTS) and ("list" in told or "letter" not in told)


def _words_of(words: str) -> list[str]:
    return [piece for word in words.split() for piece in word_pieces(word)]


def how_many(text: str) -> int:
    """Return how many things a text says are all that is meant, as "both" does; 0 where it does not say that.

    Examples
    --------
    >>> how_many("copy both stats files there"), how_many("die beiden Mails"), how_many("copy the stats")
    (2, 2, 0)
    """
    words = text.casefold()
    counts = table_of("count")
    return next(
        (int(counts[one]) for one in counts if (f" {one} " in f" {words} " if one.isascii() else one in words)), 0
    )


def without_count(words: str) -> str:
    """Leave out of words how many things they mean: "the two recipes" are the recipes.

    Examples
    --------
    >>> without_count("the two recipes"), without_count("both"), without_count("week 2")
    ('recipes', 'both', 'week 2')
    """
    said = f" {words} "
    for count in sorted(table_of("count"), key=len, reverse=True):
        said = re.sub(rf" {re.escape(count)}(?= )", "", said, flags=re.IGNORECASE)
    return said.strip() or words


def counted_up(text: str) -> tuple[str, ...]:
    """Return the single words that a text counts up, the first of them behind what else it says; none where it does not.

    Examples
    --------
    >>> counted_up("please create day1, day2 and day3"), counted_up("make a folder, then show it"), counted_up("make x1 and x2 in c")
    (('day1', 'day2', 'day3'), (), ('x1', 'x2'))
    """
    parts = [part.strip(" .!?").split() for part in _COMMAS_AND.split(text.partition("\n")[0])]
    for at, part in enumerate(parts[:-1]):
        names = part[-1:]
        for following in parts[at + 1 :]:
            is_end = len(following) > 1 and is_small(following[1]) and not _told(following[0])
            if len(following) != 1 and not is_end:
                break
            names += following[:1]
            if is_end:
                break
        if len(names) > 1:
            is_list = not any(map(is_small, (*part[-2:-1], *names))) and not any(
                _told(name) & _MAKING for name in names
            )
            return tuple(names) if is_list else ()
    return ()


def _told(word: str) -> frozenset[str]:
    """Return the concepts of a word that stands by itself."""
    return frozenset().union(*lexicon().concepts(words_in(word)))


def pick_list(words: str, options: Iterable[str]) -> Pick:
    """Find the file of a list: one of which all is said, in whatever language, or one that is called almost so.

    Examples
    --------
    >>> files = ["shopping list.txt", "CHECKLIST.txt", "todo.txt", "guests.csv"]
    >>> [pick_list(words, files).name for words in ("la lista della spesa", "the checklist", "shoping list", "gardening list")]
    ['shopping list.txt', 'CHECKLIST.txt', 'shopping list.txt', '']
    """
    names = list(dict.fromkeys(options))
    said = " ".join(word for word in list_named(words).split() if not is_small_anywhere(word.casefold()))
    if not said:
        return Pick()
    found = pick(said, names, is_file=True)
    if found.name and not found.is_guess:
        return found
    forms = [forms_of(plain(word)) for word in said.split()]
    whole = []
    for name in names:
        parts = [part for part in _parts(_without_ending(_base(name))) if not forms_of(part) & _LISTS]
        if parts and all(any(_meets(form, _stemmed([part]), part) for one in forms for form in one) for part in parts):
            whole.append(name)
    if whole:
        return _chosen(whole)
    near = _misspelt(trimmed(words), names, is_file=True)
    begun = {
        word[:1] for word in plain(said).split()
    }  # a slip is hardly in the first letter: "gardening" is no "shopping"
    return (
        near if any(part[:1] in begun for part in _parts(_base(near.name)) if not forms_of(part) & _LISTS) else Pick()
    )


def rank(word: str) -> int | None:
    """Read a number or an ordinal; from the end it is negative.

    Examples
    --------
    >>> rank("12"), rank("3rd"), rank("der fünfte"), rank("the last one"), rank("一番目"), rank("5. Zeile"), rank("bread")
    (12, 3, 5, -1, 1, 5, None)
    >>> rank("一月那份"), rank("3月の")
    (None, None)
    """
    text = word.strip().casefold()
    if _DATED.search(text):
        return None
    if (digits := _DIGITS.search(text)) and len(_DIGITS.findall(text)) == 1:
        return int(digits[0])
    places = _places()
    for part in dict.fromkeys((text, trimmed(text), plain(text), *reversed(plain(text).split()))):
        if part in places:
            return int(places[part])
    if text.isascii():
        return None
    found = next((place for one, place in _places_within() if one in text), None)
    return found if found is not None else _in_characters(text)


@cache
def _places() -> Mapping[str, str]:
    """Return the words for places in an order, with accents and without."""
    places = table_of("place")
    return {**{plain(word): place for word, place in places.items()}, **places}


@cache
def _places_within() -> tuple[tuple[str, int], ...]:
    """Return the words for places that are recognized within others: those of languages with letters of their own."""
    return tuple((word, int(place)) for word, place in _places().items() if not word.isascii() and len(word) > 1)


def line_numbers(words: str) -> list[int]:
    """Read the numbers of lines: one, several, or from one to another; none where that is not clear.

    Examples
    --------
    >>> line_numbers("the second"), line_numbers("2, 5 and 7"), line_numbers("2-4"), line_numbers("2 of 3"), line_numbers("sun")
    ([2], [2, 5, 7], [2, 3, 4], [], [])
    """
    if (one := rank(words)) is not None:
        return [one]
    if span := _SPAN.fullmatch(words.strip()):
        first, last = int(span[1]), int(span[2])
        return list(range(first, last + 1)) if last - first < _MOST_SOUGHT_LINES else []
    parts = [part for part in _COMMAS_AND.split(words.strip()) if part]
    return [int(part) for part in parts] if all(part.isdecimal() for part in parts) else []


def _in_characters(text: str) -> int | None:
    """Read a number that is written in Chinese characters: 三, 十五, 二十."""
    run = _CHARACTERS.search(text)
    if run is None:
        return None
    tens, ten, ones = run[0].partition("十")
    if not ten:
        return _FIGURES[tens[0]]
    return 10 * _FIGURES.get(tens[-1:], 1) + _FIGURES.get(ones[:1], 0)


def is_pointer(word: str, kind: str) -> bool:
    """Tell whether words point at what was said: kinds are ``it``, ``those``, ``answer``, ``other``."""
    said = word.strip(" .!?,;").casefold()
    tail = said.rpartition("-")[2]  # "renomme-le", "apaga-o"
    return said in table_of(kind) or (kind == "it" and tail != said and tail in _HYPHENED)


def is_small(word: str) -> bool:
    """Tell whether a word is an article, a preposition or the like."""
    return plain(word) in table_of("small")


def is_singular(word: str) -> bool:
    """Tell whether a noun stands for one thing: another form of it is longer by the ending of the plural.

    Examples
    --------
    >>> is_singular("brief"), is_singular("briefe"), is_singular("carta"), is_singular("cartas")
    (True, False, True, False)
    """
    forms = (form for row in _nouns().get(word, ()) for form in _noun_rows()[row] if word in _noun_rows()[row])
    return any(form != word and form.startswith(word) and len(form) - len(word) <= _PLURAL for form in forms)


def says_something(word: str) -> bool:
    """Tell whether a word is no article, no preposition and none of those that requests are made of.

    Examples
    --------
    >>> says_something("ladder"), says_something("the"), says_something("change")
    (True, False, False)
    """
    return not (is_small(word) or _told(word) or word.isdigit() or len(word) < 3)  # noqa: PLR2004 - "is", "on"


def is_part(words: str) -> bool:
    """Tell whether words speak of a line, a row or a word: something that is in a file.

    Examples
    --------
    >>> is_part("delete that line"), is_part("その行は消して"), is_part("旅行のファイルを消して")
    (True, True, False)
    """
    said = plain(words)
    pieces = {piece for word in said.split() for piece in word_pieces(word)}
    return any(part in pieces or (len(part) > 1 and not part.isascii() and part in said) for part in _file_parts())


def tells_past(text: str) -> bool:
    """Tell whether a text says that something was done, or nearly: accents tell "supprimé" from "supprime".

    Examples
    --------
    >>> tells_past("I nearly deleted it"), tells_past("supprime-le"), tells_past("もう消した。"), tells_past("消したい")
    (True, False, True, False)
    """
    forms, said = table_of("past"), text.casefold()
    end = said.rstrip(" .!\u3002\uff01よねわ")
    return any(word in forms for word in re.findall(r"\w+", said)) or any(
        end.endswith(form) if _KANA.search(form) else form in said for form in forms if _UNSPACED.match(form)
    )


def not_meant(text: str, language: str = "en", names: Collection[str] = ()) -> frozenset[str]:
    """Return the files that a text names behind a negation (in Japanese before one), or in a clause that begins with one.

    Parameters
    ----------
    text : str
    language : str
    names : collection of str
        What may be a name besides what looks like one.

    Examples
    --------
    >>> sorted(not_meant("add it to notes.md, not to the todo.txt")), sorted(not_meant("don't wait, read a.txt"))
    (['todo.txt'], [])
    >>> sorted(not_meant("todo.txtではなくnotes.mdに書いて", "ja")), sorted(not_meant("write to a.md, do not touch b.md"))
    (['todo.txt'], ['b.md'])
    """
    found = [word for word in words_in(text) if not word.is_quoted]
    if not names and all(word.kind not in {"file", "folder"} for word in found):
        return frozenset()
    told = lexicon().concepts(found)
    says_no = [_says_no(word, one, language) for word, one in zip(found, told, strict=True)]
    out: set[str] = set()
    clauses: list[tuple[bool, set[str]]] = [(False, set())]
    for at, word in enumerate(found):
        if word.kind == "sign":
            clauses.append((any(says_no[at + 1 : at + 1 + _CLAUSE_BEGINS]), set()))
        if word.kind not in {"file", "folder"} and word.text not in names:
            continue
        clauses[-1][1].add(word.text)
        before = at - 1
        while before > 0 and not says_no[before] and (is_small(found[before].text) or told[before] & _PLACING):
            before -= 1
        behind = takewhile(lambda place: found[place].kind == "character", range(at + 1, min(at + 4, len(found))))
        if (before >= 0 and says_no[before]) or (language == "ja" and any(told[one] & _NOT_THIS for one in behind)):
            out.add(word.text)
    if any(names - out for is_not, names in clauses if not is_not):
        out = out.union(*(names for is_not, names in clauses if is_not))
    return frozenset(out)


def is_ruled_out(phrase: str, text: str, language: str = "en") -> bool:
    """Tell whether a text describes a file behind a negation.

    Examples
    --------
    >>> said = "put it on your own list, not in the todo file"
    >>> is_ruled_out("the todo file", said), is_ruled_out("your own list", said)
    (True, False)
    """
    name = "ruled-out.txt"
    is_described = " " in phrase and all(word.kind not in {"file", "folder"} for word in words_in(phrase))
    return is_described and text.count(phrase) == 1 and name in not_meant(text.replace(phrase, name), language)


def _says_no(word: Word, concepts: Collection[str], language: str) -> bool:
    if word.kind in UNSPACED:
        return language == "zh" and not _NOT.isdisjoint(concepts)
    return "not" in concepts and not (language == "pt" and "in" in concepts)  # "no todo.txt": in it


@cache
def _file_parts() -> frozenset[str]:
    return frozenset(map(plain, table_of("part")))


def endings(word: str) -> tuple[str, ...]:
    """Return the endings of a kind of file.

    Examples
    --------
    >>> endings("*.CSV"), endings("Markdown files"), endings("csv-dateien"), endings(".tar.gz"), endings("die Tabelle")
    (('.csv',), ('.md',), ('.csv',), ('.tar.gz',), ('.csv', '.tsv'))
    """
    text = word.strip().strip("\"'`").casefold().removesuffix("'s")
    if re.fullmatch(r"\*?(?:\.\w+)+", text):
        return (text.lstrip("*"),)
    kinds = table_of("kind")
    body = trimmed(text)
    for part in dict.fromkeys((text, body, *re.split(r"[\s_-]+", body))):
        if part == "csv":
            return (".csv",)
        if found := kinds.get(part) or kinds.get(part[:-1] if part[-1:] in "sn" else part) or kinds.get(stem(part)):
            return tuple(found.split())
    first, *rest = body.split() or [""]
    short = first.split("-")[0] if all("file" in concepts_of(word) for word in rest) else ""  # no "all letters"
    is_short = re.fullmatch(r"[a-z0-9]{1,5}", short) is not None and "all" not in concepts_of(short)
    return (f".{short}",) if is_short else ()


def begins_with_pointer(words: str) -> bool:
    """Tell whether words are a pronoun and what it stands for: "that card"."""
    first = words.split(maxsplit=1)[0].casefold() if words.split() else ""
    return first not in _AS_ARTICLES and is_pointer(first, "it")


def points_at_answer(words: str, text: str) -> bool:
    """Tell whether words of a request mean what was answered last: a pronoun, or one with a noun, and no quotation.

    Examples
    --------
    >>> points_at_answer("that output", "put that output in a.txt"), points_at_answer("that", 'put "that" in a.txt')
    (True, False)
    >>> points_at_answer("那些名字", "把那些名字保存到 a.txt"), points_at_answer("milk", "put milk in a.txt")
    (True, False)
    """
    before = text.partition(words)[0].rstrip()[-1:]
    if before in _LITERAL:
        return False
    first, _, rest = words.strip().partition(" ")
    if first.isascii() or rest:
        return is_pointer(words, "answer") or (begins_with_pointer(words) and " " not in rest)
    begins = (word for kind in ("it", "those") for word in table_of(kind) if not word.isascii() and len(word) > 1)
    return is_pointer(words, "answer") or (len(words) <= _SHORT_NOUN and words.startswith(tuple(begins)))


def parts_of_lines(words: str, text: str) -> tuple[str, ...]:
    """Return the lines that a text is to have, where a request says how many that are, or that they are lines.

    Examples
    --------
    >>> parts_of_lines("a, b and c", "make x.txt with three lines: a, b and c"), parts_of_lines("a, b", "write a, b to x.txt")
    (('a', 'b', 'c'), ('a, b',))
    >>> parts_of_lines("Brot, Milch und Butter", "leg eine Datei x.txt an mit den Zeilen Brot, Milch und Butter")
    ('Brot', 'Milch', 'Butter')
    """
    before = [word for word in text.partition(words)[0].replace(":", " ").split() if word]
    numbers = {rank(word) for word in before} - {None}
    called, said = table_of("lines"), words.split(" ")
    is_led = bool(before) and before[-1].casefold() in called
    if led := next((at for at in (1, 2) if len(said) > at and said[at - 1].casefold().rstrip(":") in called), 0):
        words, is_led = " ".join(said[led:]), True  # "the lines bread, milk and butter"
    for separator in (_COMMAS_AND, _COMMAS) if is_led and not numbers else (_COMMAS, _COMMAS_AND):
        parts = tuple(part.strip() for part in separator.split(words) if part.strip())
        if len(parts) > 1 and (len(parts) in numbers or (is_led and not numbers)):
            return parts
    return (words,)


def whole_new_name(word: str, text: str) -> str:
    """Return a new name as the request has it: from "called" on, or in Japanese and Chinese from the last particle on.

    Examples
    --------
    >>> whole_new_name("sign.txt", "create a file called door sign.txt that says hello"), whole_new_name("a.txt", "write x to a.txt")
    ('door sign.txt', 'a.txt')
    >>> whole_new_name("b.csv", "kopieer a.csv en noem m b.csv"), whole_new_name("m b.csv", "kopieer a.csv en noem m b.csv")
    ('b.csv', 'b.csv')
    >>> whole_new_name("b.txt", "zet die namen even in b.txt"), whole_new_name("b.txt", "put all the names quickly into b.txt")
    ('b.txt', 'b.txt')
    >>> whole_new_name("規則.md", "Rules.mdを当番規則.mdに名前変更して")
    '当番規則.md'
    >>> whole_new_name(".txt", "todo.txtの名前をやること.txtに変えて")
    'やること.txt'
    >>> whole_new_name("2026.md", "把rules.md改名为club rules 2026.md"), whole_new_name("otwarcia.txt", "utwórz plik godziny otwarcia.txt")
    ('club rules 2026.md', 'godziny otwarcia.txt')
    >>> whole_new_name("plan.txt", "新建一个plan.txt"), whole_new_name("plan.txt", "新しくplan.txtを作って")
    ('plan.txt', 'plan.txt')
    """
    first, _, bare = word.partition(" ")
    *_, verb = text.partition(word)[0].casefold().split() or [""]
    word = bare if bare and _is_clitic(first) and verb in table_of("called") else word
    at = text.rfind(word) if word.startswith(".") else text.find(word)  # an ending is that of the old name, too
    if at < 0:
        return word
    before = text[:at]
    if _UNSPACED.search(text) and before[-1:] == " ":  # 改名为regels 2026.md
        found = re.search(r"(?:[^\W\d_][\w'&-]*\s+){1,3}\Z", _UNSPACED.sub("\n", before).rpartition("\n")[2])
        return (found[0] if found else "") + word
    if _UNSPACED.match(before[-1:]):
        is_led = before.endswith(_SAID_BEFORE) and word[0].isascii() and word[0].isalnum()  # 抜き出してerrors.txt
        begins = [0, *(found.end() for found in _BEFORE_NAMES.finditer(before))]
        most = at - word.startswith(".")  # 「やること」 ends like a particle
        return word if is_led else before[next(place for place in reversed(begins) if place <= most) :] + word
    parts = before.split()
    for size in range(1, min(_MOST_BLANKS, len(parts) - 1) + 1):
        lead, between = parts[-size - 1], parts[-size:]
        if (
            before[-1:] == " "
            and "file" in _told(lead)
            and not any(is_small(one) or _told(one) & _UNNAMED for one in between)
        ):
            return " ".join((*between, word))  # "plik godziny otwarcia.txt"
        if any(map(_ENDING.search, between)) or _told(between[-1]) & _PLACING:
            return word  # "call a.txt b.txt", "zet die namen even in b.txt"
        if lead.casefold() in table_of("called") and not _told(between[0]) & _PLACING:
            if _is_clitic(parts[-size]):
                rest = between[1:]  # "nenn sie neu.txt", "muda o nome dele para novo.txt"
                return word if not rest or _told(rest[0]) & _PLACING else " ".join((*rest, word))
            return " ".join(parts[-size:]).lstrip("\"'“„«") + " " + word
    return word


def _is_clitic(word: str) -> bool:
    """Tell whether a word is a pronoun between a verb that names and the name, however short: "noem m b.csv"."""
    return is_pointer(word, "it") or word.casefold() in _clitics()


@cache
def _clitics() -> frozenset[str]:
    return frozenset(
        word for concept, _, said in read_rows("listed.tsv") if concept == "clitic" for word in said.split(", ")
    )


def called_before(text: str) -> str:
    """Return the name that stands before "called" in Japanese; empty where none does.

    Examples
    --------
    >>> called_before("写真っていうフォルダ作って"), called_before("旅行という名前のフォルダを作って"), called_before("フォルダを作って")
    ('写真', '旅行', '')
    """
    said = [word for word in table_of("called") if _KANA.search(word) and word in text]
    before = text.partition(max(said, key=len))[0] if said else ""
    begins = [0, *(found.end() for found in re.finditer("[\\s、。]", before))]
    return before[begins[-1] :].strip('「」『』"')


def back_in(text: str) -> dict[str, str]:
    """Return what in a text says that something shall be as before, and how far back that is: ``last`` change, or ``ever``; ``kept`` says that it was not to go.

    Examples
    --------
    >>> back_in("no, not after all"), back_in("nee, die soll wieder rein"), back_in("no backups")
    ({'after all': 'last'}, {'wieder': 'ever'}, {})
    >>> back_in("uy no, devuélvemelo"), back_in("oh no, ridammela")
    ({'devuélvemelo': 'ever'}, {'ridammela': 'ever'})
    """
    said = text.casefold()
    found = {
        word: far
        for word, far in {**table_of("back"), **dict.fromkeys(_speech_of("returned"), "ever")}.items()
        if word in said and (not word.isascii() or re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said))
    }
    return {word: far for word, far in found.items() if not any(word != other and word in other for other in found)}


def compared_in(text: str, language: str) -> tuple[str, str]:
    """Return how a text compares two files, and the words that do; nothing where it does not.

    Examples
    --------
    >>> compared_in("move the shorter one to old", "en"), compared_in("長い方を見せて", "ja"), compared_in("a text", "en")
    (('shorter', 'shorter'), ('longer', '長い方'), ('', ''))
    """
    found = words_in(text)
    told = [one - _AGES - {_BESIDE} for one in _comparing(language).concepts(found)]
    kinds = {kind for one in told for kind in one}
    said = [word for word, one in zip(found, told, strict=True) if one]
    if len(kinds) != 1:
        return "", ""
    return kinds.pop(), ("" if any(word.kind in UNSPACED for word in said) else " ").join(word.text for word in said)


def described_both(text: str, language: str) -> tuple[str, ...]:
    """Return the words that describe each of two files that are compared; none where there are not two.

    Examples
    --------
    >>> described_both("which is longer, the letter to Ann or my notes?", "en"), described_both("vergleiche die Notizen mit der Liste", "de")
    (('letter to Ann', 'notes'), ('Notizen', 'Liste'))
    >>> described_both("is that longer?", "en"), described_both("is a.md longer than b.md?", "en")
    ((), ())
    """
    found = words_in(text)
    if any(word.kind in {"file", *UNSPACED} or word.is_quoted for word in found):
        return ()
    parts: list[list[Word]] = [[]]
    both = zip(found, _comparing(language).concepts(found), lexicon_of(language).concepts(found), strict=True)
    for word, compared, told in both:
        if word.kind == "sign" or _BESIDE in compared or (compared - _AGES and parts[-1]):
            parts.append([])
        elif not (
            compared - _AGES or (told & _COMPARING and not parts[-1]) or (not parts[-1] and _is_filler(word, language))
        ):
            parts[-1].append(word)
    said = tuple(text[part[0].start : part[-1].end] for part in parts if part)
    return said if len(said) == 2 else ()  # noqa: PLR2004 - two are compared


def _is_filler(word: Word, language: str) -> bool:
    return is_small(word.folded) or is_small_in(word.text.casefold(), language)


def age_in(text: str, language: str) -> str:
    """Return whether words choose the ``old`` or the ``new`` one of several; empty where they do not.

    Examples
    --------
    >>> age_in("the old one", "en"), age_in("die neue", "de"), age_in("旧的", "zh"), age_in("the one from May", "en")
    ('old', 'new', 'old', '')
    """
    ages = _AGES.intersection(*(frozenset[str]().union(*_comparing(language).concepts(words_in(text))),))
    return next(iter(ages)) if len(ages) == 1 else ""


@cache
def _comparing(language: str) -> Lexicon:
    return Lexicon([row for row in read_rows("compared.tsv") if row[1] == language])


def says_merge(text: str) -> bool:
    """Tell whether a text says that several are to become one.

    Examples
    --------
    >>> says_merge("merge a.txt and b.txt into c.txt"), says_merge("crea una carpeta")
    (True, False)
    """
    found = words_in(text)
    told = zip(found, lexicon().concepts(found), strict=True)
    return any("merge" in one and word.folded not in ARTICLES and not is_small(word.text) for word, one in told)


def says_name(text: str) -> bool:
    """Tell whether a request gives a name ("called", "as") and not a place."""
    words = text.casefold()
    return any((f" {word} " in f" {words} ") if word.isascii() else word in words for word in table_of("called"))


def kind_of_file(words: str) -> tuple[str, ...]:
    """Return the endings of the kind of file that words name and nothing else; empty when they name none."""
    kinds = table_of("kind")
    body = trimmed(words.strip().casefold())
    return next(
        (
            tuple(kinds[one].split())
            for one in (body, body.removesuffix("s"), body.removesuffix("n"), stem(body))
            if one in kinds
        ),
        (),
    )


def is_here(words: str) -> bool:
    """Tell whether words mean the folder that is worked in.

    Examples
    --------
    >>> is_here("the main folder"), is_here("Hauptordner"), is_here("letters")
    (True, True, False)
    """
    return plain(words) in _heres() or plain(trimmed(words)) in _heres()


def here_in(text: str) -> str:
    """Return the words by which a text names the folder that is worked in, as it stands there; empty where it does not.

    Examples
    --------
    >>> here_in("kopier a/b.txt in den Hauptordner"), here_in("copy a/b.txt to c")
    ('den hauptordner', '')
    """
    said = text.casefold()
    found = [word for _, listed in read_rows("here.tsv") for word in listed.split(", ") if word in said]
    whole = [word for word in found if not word.isalpha() or _is_whole(word, said)]
    return max(whole, key=len, default="")


def _is_whole(word: str, text: str) -> bool:
    """Tell whether a word stands by itself in a text, or has no blanks around it in its language: "cá" is no part of "cámbialo".

    Examples
    --------
    >>> _is_whole("cá", "cámbialo"), _is_whole("cá", "põe cá"), _is_whole("ここ", "ここに置いて")
    (False, True, True)
    """
    return ord(max(word)) > _LAST_LATIN or re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


_LAST_LATIN = 0x24F
"""The last letter of alphabets whose words stand between blanks."""


@cache
def _heres() -> frozenset[str]:
    said = [plain(word) for _, listed in read_rows("here.tsv") for word in listed.split(", ")]
    return frozenset((*said, *(plain(trimmed(word)) for word in said)))


def pointer_in(text: str) -> str:
    """Return the first word of a text that points at what was spoken of and is no article there; empty where none does.

    Examples
    --------
    >>> pointer_in("copy this to b.txt"), pointer_in("これをコピーして"), pointer_in("copy a.txt to b.txt")
    ('this', 'これ', '')
    >>> pointer_in("kopier das als b.txt"), pointer_in("kopier das Bild als b.txt")
    ('das', '')
    """
    said = [word.text for word in words_in(text.partition("\n")[0]) if word.kind == "word"]
    bare = (one for one, behind in pairwise(said) if is_pointer(one, "it") and behind.casefold() in table_of("called"))
    east = (word for word in table_of("it") if not word.isascii() and len(word) > 1 and text.startswith(word))
    return next((word for word in said if begins_with_pointer(word)), next(bare, next(east, "")))


def points_back(text: str) -> bool:
    """Tell whether a request says "those", "it", "there": it is about what was spoken of.

    Examples
    --------
    >>> points_back("show me those with fuse"), points_back("find fuse")
    (True, False)
    """
    pointers = {*table_of("it"), *table_of("those")} - _AS_ARTICLES
    words = text.casefold()
    return any(word in pointers for word in re.findall(r"\w+", words))


def asks(text: str) -> bool:
    """Tell whether a text has a word or a sign that asks, or begins with wanting something shown or told."""
    if _ASKING & concepts_of(text) or any(sign in text for sign in "?\uff1f"):
        return True
    if text.lstrip().casefold().startswith(_speech_of("told")) or _asks_whether(text):
        return True
    return bool(_SHOWING.intersection(*lexicon().concepts(words_in(text))[:1]))


def _asks_whether(text: str) -> bool:
    """Tell whether a text begins as a question does that wants a yes or a no: "did the backup work"."""
    return f"{text.lstrip().casefold()} ".startswith(tuple(f"{one} " for one in _speech_of("whether")))


def is_asking(text: str) -> bool:
    """Tell whether a request begins with a word that asks: what, who, why, how many; or wants to know how to do it.

    Examples
    --------
    >>> is_asking("what happened?"), is_asking("explain how to run `ls`"), is_asking("run `ls`")
    (True, True, False)
    """
    first = lexicon().concepts(words_in(text.partition("\n")[0])[:_EXPLAINED_IN])
    if _asks_whether(text):
        return True
    asks_how = bool(first) and "explain" in first[0] and any("how" in told for told in first[1:])
    said = text.rstrip(" ?\uff1f")
    if said.endswith(_speech_of("ends")) and not any(word in said for word in _speech_of("polite")):
        return True  # 一样吗
    return asks_how or any(told & _ASKING for told in first[:FIRST_WORDS])


@cache
def _speech_of(concept: str) -> tuple[str, ...]:
    """Return the words of a concept of ``data/reading/speech.tsv``."""
    return tuple(word for one, _, listed in read_rows("speech.tsv") if one == concept for word in listed.split(", "))


def is_date(line: str) -> bool:
    """Tell whether a line says a day of a month, and nothing else but a place, a day of the week or a year.

    Examples
    --------
    >>> is_date("3 June 2024"), is_date("Berlin, den 3. Juni 2024"), is_date("see you on 3 June at 10:15, Ann"), is_date("June")
    (True, True, False, False)
    """
    found = [word for word in words_in(line) if word.kind != "sign"]
    months, numbers = table_of("month"), [word for word in found if _DAY_SAID.fullmatch(word.text)]
    is_named = any(plain(word.text) in months for word in found) and 0 < len(numbers) <= _DATE_NUMBERS
    is_whole = any(re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}", part) for part in line.split())
    return (is_named or is_whole) and len(found) <= _MOST_OF_DATE


def days_in(text: str) -> list[tuple[int, int, int]]:
    r"""Return the days that lines of a text are, each as year, month and day; of those that tell a year.

    Examples
    --------
    >>> days_in("Dear Ann,\n22 April 2024"), days_in("3 June")
    ([(2024, 4, 22)], [])
    """
    found = []
    for line in filter(is_date, text.splitlines()):
        months = [int(month) for word in words_in(line) if (month := table_of("month").get(plain(word.text)))]
        numbers = [int(one) for one in re.findall(r"\d+", line)]
        years, days = [one for one in numbers if one > _LAST_DAY], [one for one in numbers if one <= _LAST_DAY]
        if len(years) == len(months) == len(days) == 1:
            found.append((years[0], months[0], days[0]))
    return found


def without_asking(text: str) -> str:
    """Leave out of a question the words that only ask: "who has the key?" is about the key."""
    found = words_in(text)
    if any(word.kind in UNSPACED for word in found):
        return text
    told = lexicon().concepts(found)
    kept = [word.text for word, one in zip(found, told, strict=True) if word.is_quoted or not one & _ONLY_ASKING]
    return " ".join(kept)


def trimmed(words: str) -> str:
    """Take articles, possessives and the word for a file from words."""
    text, before = words.strip(), ""
    while text != before:
        before, text = text, _LEAD.sub("", text, count=1).strip()
    shorter = _TAIL.sub("", text).strip()
    return shorter or text or words.strip()


def _chosen(names: Sequence[str], *, is_guess: bool = False) -> Pick:
    return Pick(names[0], is_guess) if len(names) == 1 else Pick(rivals=tuple(names))


def _base(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


def _without_ending(name: str) -> str:
    return _ENDING.sub("", name)


def _by_tiers(words: str, names: Sequence[str], *, is_file: bool) -> list[str]:
    """Return the names that fit in the strictest way in which any fits."""
    folded, simple = words.casefold(), plain(words)
    tiers: list[Callable[[str], bool]] = [
        lambda name: name == words,
        lambda name: name.casefold() == folded,
        lambda name: bool(simple) and plain(name) == simple and not (is_file and _ENDING.search(words)),
    ]
    if is_file:
        tiers[1:1] = [lambda name: _base(name) == words]
        tiers += [
            lambda name: _base(name).casefold() == folded,
            lambda name: bool(simple) and plain(_base(name)) == simple,
            lambda name: bool(simple) and plain(_without_ending(_base(name))) == simple,
            lambda name: bool(simple) and _stems(_without_ending(_base(name))) == _stems(words),
        ]
    tiers.append(lambda name: bool(simple) and _stems(name) == _stems(words))
    for fits in tiers:
        if found := [name for name in names if fits(name)]:
            shallow = min(name.count("/") for name in found)
            return [name for name in found if not is_file or name.count("/") == shallow]
    return []


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in plain(text).split())


_NUMBERED = re.compile(r"\b(?:number|no|nr|nummer|numero|numéro|número)\b\.?|#", re.IGNORECASE)


def _described(words: str, names: Sequence[str]) -> tuple[list[str], bool]:
    """Find names by the words they share with a description; whether that is a guess."""
    if _ENDING.search(words) and " " not in words:
        return [], False
    small = table_of("small")
    said = [word for word in _spread(_NUMBERED.sub(" ", words)).split() if word not in small]
    places = table_of("place")
    said = [places.get(word, word) if word not in ARTICLES else word for word in said]
    said = [
        piece
        for word in said
        for piece in word_pieces(word)
        if len(piece) > 1 or piece.isdigit() or not piece.isascii()
    ]
    sought = [stem(word) for word in said]
    if not sought:
        return [], False
    related = [{stem(word), *related_words(stem(word)), *_head(word), *_month(word)} for word in said]
    whole = related_words(plain(words))
    kinds = table_of("kind")
    ends = [tuple(kinds.get(word, kinds.get(stem(word), "")).split()) for word in said]
    scores: dict[str, float] = {}
    for name in names:
        parts, shown, joined = _parts_of(name)
        bare = [part.lstrip("0") for part in parts if part.isdigit()]
        hits = [
            1.0
            if _meets(word, shown, joined) or word.lstrip("0") in bare or (kind and name.casefold().endswith(kind))
            else _TRANSLATED * any(_meets(one, shown, joined) for one in options)
            for word, options, kind in zip(sought, related, ends, strict=True)
        ]
        score = sum(hits) / len(hits)
        if score < 1 and whole and any(_meets(one, shown, joined) for one in whole):
            score = _TRANSLATED
        digits = [word for word in sought if word.isdigit()]
        if any(word not in parts and word.lstrip("0") not in [part.lstrip("0") for part in parts] for word in digits):
            score = 0.0
        scores[name] = score + 0.1 * sum(hits) / (len(parts) + 1) if score else 0.0
    best = max(scores.values(), default=0.0)
    if best < 0.5:  # noqa: PLR2004 - half of what was said
        return [], False
    found = [name for name, score in scores.items() if score > best - 0.02]
    whole_said = {one for word, options in zip(sought, related, strict=True) for one in (word, *options)}
    exact = [name for name in found if not whole_said.isdisjoint(_parts_of(name)[0])]
    return exact or found, best < _TRANSLATED  # "the shopping list" is shopping.txt, and not shop.log


@lru_cache(maxsize=2048)
def _parts_of(name: str) -> tuple[Sequence[str], _Stemmed, str]:
    parts = _parts(name)
    return parts, _stemmed(parts), "".join(parts) + " " + "".join(plain(_without_ending(_base(name))).split())


def _month(word: str) -> tuple[str, ...]:
    """Return the number of a month, as dates in the names of files have it."""
    number = table_of("month").get(word, "")
    return (number, number.zfill(2)) if number else ()


def word_pieces(word: str) -> list[str]:
    """Split a word without blanks between its parts: into nouns that are known, and what is left between them."""
    if not _UNSPACED.search(word):
        return [word]
    found: list[str] = []
    for run in _PARTICLES.split(word):
        at, rest = 0, ""
        while at < len(run):
            size = next((size for size in range(min(6, len(run) - at), 0, -1) if _is_noun(run[at : at + size])), 0)
            if size and (size > 1 or not rest):
                found += [rest] * bool(rest) + [run[at : at + size]]
                rest = ""
            else:
                rest += run[at]
            at += size or 1
        found += [rest] * bool(rest)
    return found


def _is_noun(word: str) -> bool:
    return word in _nouns() or word in table_of("kind")


def likeliest_lines(  # noqa: PLR0913 - what is looked for, and how
    question: str,
    texts: Mapping[str, str],
    *,
    is_part: bool = False,
    language: str = "",
    before: str = "",
    is_headed: bool = False,
) -> list[tuple[str, str]]:
    r"""Find the lines that a question is about.

    Parameters
    ----------
    question : str
    texts : mapping of str to str
        Name of a file to what it holds.
    is_part : bool
        Whether one word of the question is enough.
    language : str, optional
        Of the question: lines are looked for by what its words mean in English as well, and by the names of files.
    before : str, optional
        Question that this one goes on from: its words count where a line has one of the new words too.
    is_headed : bool
        Whether a line has the words of the heading above it as well.

    Returns
    -------
    list of tuple of str
        Name and line; none when no line has enough of the question's words.

    Examples
    --------
    >>> texts = {"a.md": "The key is in the blue tin.\nClosed on Monday.", "b.md": "Nothing here."}
    >>> likeliest_lines("where is the key for the blue case?", texts)
    [('a.md', 'The key is in the blue tin.')]
    >>> likeliest_lines("wo ist der Schlüssel für die blaue Kiste?", texts, language="de")
    [('a.md', 'The key is in the blue tin.')]
    >>> hours = {"a.md": "# Opening hours\nSaturday 8:00\n# Visits\nSaturday: Ann"}
    >>> likeliest_lines("when do we open on saturdays?", hours, is_headed=True)
    [('a.md', 'Saturday 8:00')]
    >>> likeliest_lines("who wrote Hamlet?", texts), likeliest_lines("wer hat Hamlet geschrieben?", texts, language="de")
    ([], [])
    """
    new = _sought(question, language)
    sought = list(dict.fromkeys((*new, *_sought(before, language))))[:_MOST_SOUGHT]
    options = [
        frozenset({stem(word), *related_words(stem(word)), *_head(stem(word)), *in_english(word, language)})
        for word in sought
    ]
    as_said = [frozenset({stem(word), *in_english(word, language)}) for word in sought]
    rows: list[tuple[str, str, frozenset[int], frozenset[int]]] = []
    of_columns = rows.copy()
    for name, text in texts.items():
        heading = ""
        if name.casefold().endswith((".csv", ".tsv")):
            heading = text.partition("\n")[0]
        named = _named(options, f"{_without_ending(_base(name))} {_title(text)}") if language else frozenset()
        above = frozenset[int]()
        for line in text.splitlines()[:_MOST_SOUGHT_LINES]:
            above = _named(options, line) if is_headed and line.startswith("#") else above
            whole = f"{line} {heading}" if line != heading else line
            parts = {*_parts(whole), *(stems(fold(whole)) if language else ())}
            own = frozenset(
                place
                for place, words in enumerate(options)
                if words & parts or (language in EAST and any(not one.isascii() and one in whole for one in words))
            )
            hits = own | named | above
            if own and (not before or any(place < len(new) for place in hits)):
                itself = frozenset(() if heading else _parts(line))
                said = frozenset(place for place, words in enumerate(as_said) if words & itself)
                is_of_column = bool(heading) and (line == heading or not _named(options, line))
                (of_columns if is_of_column else rows).append((name, line, hits, said))
    rows = rows or of_columns  # what a column is called tells nothing of a row
    if not rows:
        return []
    count_all = sum(text.count("\n") + 1 for text in texts.values())
    weights = [math.log(1 + count_all / (1 + sum(place in row[2] for row in rows))) for place in range(len(sought))]
    scored = [
        (sum(weights[place] * (_SAID_SO if place in said else 1) for place in hits), len(hits), name, line)
        for name, line, hits, said in rows
    ]
    best, count, *_ = max(scored, key=lambda row: row[:2])
    if (
        count < (1 if is_part else _ENOUGH if language else min(_ENOUGH, len(sought)))
        or len(sought) == 0
        or (best < _LEAST_LINE and not is_part)
    ):
        return []
    return [(name, line) for score, _, name, line in scored if score >= _AS_GOOD * best][:_MOST_FOUND]


def _named(options: Sequence[frozenset[str]], name: str) -> frozenset[int]:
    """Return the places of words that a name has, or a part of it begins with: "open" in "openingstijden"."""
    shown = _stemmed((*_parts(name), *stems(fold(name))))
    return frozenset(place for place, words in enumerate(options) if any(_meets(word, shown, "") for word in words))


def _title(text: str) -> str:
    """Return the heading a text begins with; empty when it has none."""
    first = text.partition("\n")[0]
    return first if first.startswith("#") else ""


def _sought(question: str, language: str) -> list[str]:
    """Return the words of a question that lines are looked for by; short ones say something behind a number: "40 Nm"."""
    small = table_of("small")
    if language in EAST:
        return _sought_in_characters(question, language)[:_MOST_SOUGHT]
    said = [
        word
        for before, word in pairwise(("", *plain(question).split()))
        if word not in small
        and (len(word) > 2 or word.isdigit() or before.isdigit())  # noqa: PLR2004 - "is", "on"
        and not (language and is_small_in(word, language))
    ]
    return list({stem(word): word for word in said}.values())[:_MOST_SOUGHT]


def _sought_in_characters(question: str, language: str) -> list[str]:
    """Return what lines are looked for by where there are no blanks: known words, and pairs of the characters between them.

    Examples
    --------
    >>> _sought_in_characters("红烧肉要多少五花肉", "zh"), _sought_in_characters("地下室的钥匙放哪儿了", "zh")
    (['红烧', '烧肉', '肉要', '五花', '花肉'], ['地下室', '钥匙'])
    """
    found = words_in(question)
    runs, end = [""], 0
    for word, told in zip(found, lexicon_of(language).concepts(found), strict=True):
        is_asking = word.kind in UNSPACED and bool(told & _ONLY_ASKED)
        if is_asking or word.start != end:
            runs.append("")
        runs[-1] += "" if is_asking else word.text
        end = word.end
    said = [word for run in runs for word in _words_in_characters(run)] or [
        one for run in runs for one in _one_sign(run)
    ]
    return list(dict.fromkeys(said))


def _words_in_characters(run: str) -> list[str]:
    """Return the known words of a text without blanks, and what is looked for of the characters between them."""
    found: list[str] = []
    rest, at = "", 0
    while at < len(run):
        whole = _KATAKANA.match(run, at)
        is_east = _UNSPACED.match(run, at) is not None
        known = whole[0] if whole else next(abroad.load().pieces(run[at : at + _LONGEST_WORD]), "") if is_east else ""
        if len(known) < _SHORTEST_WORD or known[0].isdigit() or not run.startswith(known, at):
            rest += run[at]
            at += 1
            continue
        found += [*telling_words(rest), *([] if _HIRAGANA.fullmatch(known) else [known])]
        rest, at = "", at + len(known)
    return [*found, *telling_words(rest)]


_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
"""What only holds sentences together."""
_KATAKANA = re.compile(r"[\u30a1-\u30fc]{2,}")
_SHORTEST_WORD, _LONGEST_WORD = 2, 8


def _one_sign(run: str) -> list[str]:
    return (
        [run] if len(run) == 1 and _UNSPACED.match(run) and not _KANA.match(run) and not _PARTICLES.match(run) else []
    )


def in_english(word: str, language: str) -> frozenset[str]:
    """Return the stems of what a word means in English; a word the language does not have may be of a kindred one."""
    if language in {"", "en"}:
        return frozenset()
    found = abroad.load().meanings(fold(word)) or abroad.load().meanings(stem(fold(word)))  # "Laborwerte"
    of_language = [one.stem for one in found if one.language == language] or [one.stem for one in found]
    return frozenset(of_language[: abroad.MOST_MEANINGS]) - {""}


def telling_words(text: str) -> list[str]:
    """Return the words of a text that say what it is about; of one without blanks, its pairs of characters.

    Examples
    --------
    >>> telling_words("what was the door code again?"), telling_words("我的学号是多少")
    (['what', 'door', 'code', 'again'], ['学号', '号是', '是多', '多少'])
    """
    small = table_of("small")
    found: list[str] = []
    for word in plain(text).split():
        for run in re.split(f"({_UNSPACED.pattern})", word):
            if _UNSPACED.match(run):
                parts = [part for part in _PARTICLES.split(run) if part]
                pairs = [part[at : at + 2] for part in parts for at in range(max(len(part) - 1, 1))]
                found += [pair for pair in pairs if not _HIRAGANA.fullmatch(pair) and len(pair) > 1]
            elif run not in small and (len(run) > 2 or run.isdigit()):  # noqa: PLR2004 - "is", "on"
                found.append(run)
    return list(dict.fromkeys(found))[:_MOST_SOUGHT]


def unexplained(text: str, language: str, shown: str = "", *, is_all: bool = False) -> tuple[str, ...]:
    """Return the words of a request that say something, belong to no request as such, and are not met in what is shown.

    Parameters
    ----------
    text : str
    language : str
    shown : str
        Names, lines, a plan: words there meet those of the request in whatever form and language.
    is_all : bool
        Whether only words with which requests are made are left out, and not all that the lexicon knows.

    Examples
    --------
    >>> unexplained("show me the rent of the barn for 12 May", "en", "barn.md"), unexplained("show it to me", "en")
    (('rent', '12'), ())
    >>> unexplained("how much disk space is left", "en", is_all=True)
    ('disk space', 'left')
    """
    found = words_in(text.partition("\n")[0])
    told = lexicon_of(language).concepts(found)
    met, joined = _stemmed(_parts(shown)), "".join(plain(shown).split())
    left: list[tuple[int, int]] = []
    for word, one in zip(found, told, strict=True):
        is_known = not one <= _NOUNS if is_all else bool(one)
        is_filler = (
            is_known or is_small(word.text) or is_small_in(word.text.casefold(), language) or word.kind == "sign"
        )
        is_short = len(word.text) < _TELLING and word.kind not in _EXACT and not _UNSPACED.match(word.text)
        if is_filler or is_short or _PARTICLES.fullmatch(word.text) or word.text in shown:
            continue
        if word.kind not in UNSPACED and any(_meets(form, met, joined) for form in _forms_in(word.text, language)):
            continue
        if _HIRAGANA.fullmatch(word.text):
            continue
        if left and text[left[-1][1] : word.start] == ("" if word.kind in UNSPACED else " "):
            left[-1] = left[-1][0], word.end
        else:
            left.append((word.start, word.end))
    said = dict.fromkeys(text[start:end] for start, end in left)
    return tuple(word for word in said if len(word) > 1 or word.isdigit())[:_MOST_FOUND]


def share_met(text: str, language: str, shown: str) -> float:
    """Return the share of a request's words that say something, and belong to no request as such, that is met in what is shown.

    Examples
    --------
    >>> share_met("where is the ladder?", "en", "shed.txt: the ladder is red"), share_met("where is the ladder?", "en", "a hammer")
    (1.0, 0.0)
    """
    every = sum(len(one.split()) for one in unexplained(text, language))
    return 1 - sum(len(one.split()) for one in unexplained(text, language, shown)) / every if every else 1.0


def _forms_in(word: str, language: str) -> frozenset[str]:
    return forms_of(plain(word)) | in_english(word, language)


def forms_of(word: str) -> frozenset[str]:
    """Return the stems by which a word may stand in a text, in any of the languages."""
    return frozenset({stem(word), *related_words(word), *related_words(stem(word)), *_head(word)})


def telling_in(text: str, language: str) -> list[str]:
    """Return the words of a text that say what it is about, in a language; where that has no blanks, signs that mean nothing else as well.

    Examples
    --------
    >>> telling_in("私の席は何番", "ja"), telling_in("where is my car parked", "en")
    (['何番', '席'], ['where', 'car', 'parked'])
    """
    if language not in EAST:
        return telling_words(text)
    found = words_in(text)
    told = lexicon_of(language).concepts(found)
    signs = [word.text for word, one in zip(found, told, strict=True) if word.kind == "character" and not one]
    signs = [sign for sign in signs if not _HIRAGANA.fullmatch(sign)]
    return list(dict.fromkeys((*_sought_in_characters(text, language), *signs)))


def nearest_texts(question: str, texts: Sequence[str], language: str = "") -> tuple[list[str], int]:
    """Return the texts that share most of a question's telling words, and how many words those are.

    In a language, what its words mean in English counts as well.

    Examples
    --------
    >>> facts = ["the code of the lab door is 7319", "the guide is called Anton Ritz"]
    >>> nearest_texts("what was the door code again?", facts), nearest_texts("who wrote Hamlet?", facts)
    ((['the code of the lab door is 7319'], 2), ([], 0))
    >>> nearest_texts("墨水", ["call the plumber", "buy ink"], "zh"), nearest_texts("de loodgieter", ["call the plumber"], "nl")
    ((['buy ink'], 1), (['call the plumber'], 1))
    >>> nearest_texts("den Helm", ["Fahrradhelm holen", "Brot"], "de")
    (['Fahrradhelm holen'], 1)
    """
    telling = _sought_in_characters(question, language) if language in EAST else telling_words(question)
    options = [forms_of(word) | in_english(word, language) for word in telling]
    counts = {}
    for text in texts:
        shown, joined = _stemmed(_parts(text)), "".join(plain(text).split())
        counts[text] = sum(any(_meets(form, shown, joined) for form in forms) for forms in options)
    most = max(counts.values(), default=0)
    if not most and language in _COMPOUNDING:  # "den Helm": "den Fahrradhelm mitbringen"
        ends = tuple(word for word in telling if len(word) >= _SHORTEST)
        counts = {text: sum(part.endswith(ends) for part in plain(text).split()) for text in texts}
        most = max(counts.values(), default=0)
    return [text for text, count in counts.items() if count == most] if most else [], most


_COMPOUNDING = frozenset(("de", "nl"))
"""Languages that write what something is of before it, in one word."""


def _parts(name: str) -> list[str]:
    return [stem(part) for part in _spread(name).split()]


def _spread(text: str) -> str:
    """Write a text plainly, its numbers apart from its words."""
    return re.sub(r"(?<=[^\W\d])(?=\d)|(?<=\d)(?=[^\W\d])", " ", plain(text))


class _Stemmed(NamedTuple):
    """Stems of a name or a text, in the forms in which a word is looked for among them."""

    stems: frozenset[str]
    line: str
    """Each of them after a blank."""
    long: tuple[str, ...]
    """Those that may be the beginning of a word."""


def _stemmed(stems: Iterable[str]) -> _Stemmed:
    every = tuple(stems)
    return _Stemmed(frozenset(every), " ".join(("", *every)), tuple(one for one in every if len(one) >= _SHORTEST))


def _meets(word: str, shown: _Stemmed, joined: str) -> bool:
    """Tell whether a word is one of the stems, stands in what they make together, or begins as one of them."""
    if word in shown.stems:
        return True
    size = len(word)
    if (size > _SHORTEST or not word.isascii()) and word in joined:
        return True
    if size < _SHORTEST:
        return False
    return word.startswith(shown.long) or (" " not in word and f" {word}" in shown.line)


def _misspelt(words: str, names: Sequence[str], *, is_file: bool) -> Pick:
    """Find the name that is clearly nearest."""
    simple = plain(words)
    if len(simple) < _SHORTEST - 1:
        return Pick()
    scored = []
    for name in names:
        forms = {plain(name)} | ({plain(_base(name)), plain(_without_ending(_base(name)))} if is_file else set())
        if is_file and (given := _ENDING.search(words)) is not None:
            has = _ENDING.search(name)
            if has is not None and has[0].casefold() != given[0].casefold() and given[0].casefold() in _known_endings():
                continue
            forms = {plain(_base(name)), plain(name)}
        scored.append((max(likeness(simple, form) for form in forms), name))
    scored.sort(reverse=True)
    if not scored or scored[0][0] < NEAR:
        return Pick()
    if len(scored) > 1 and scored[0][0] - scored[1][0] < CLEARLY:
        return Pick(rivals=tuple(name for score, name in scored if score > scored[0][0] - CLEARLY))
    return Pick(scored[0][1], is_guess=True)


@lru_cache(maxsize=8192)
def likeness(one: str, other: str) -> float:
    """Return how alike two words are: 1 less the part of their letters that is missing, wrong or exchanged.

    Examples
    --------
    >>> likeness("routes", "ruotes") > likeness("notes", "ruotes")
    True
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        last, before, row = before, row, [place] + [0] * len(other)
        for at, sign in enumerate(other, 1):
            row[at] = min(before[at] + 1, row[at - 1] + 1, before[at - 1] + (letter != sign))
            if place > 1 and at > 1 and letter == other[at - 2] and one[place - 2] == sign:
                row[at] = min(row[at], last[at - 2] + 1)
    return 1 - row[-1] / (max(len(one), len(other)) or 1)


@cache
def _known_endings() -> frozenset[str]:
    return frozenset(ending for kind in table_of("kind").values() for ending in kind.split())


@lru_cache(maxsize=4096)
def related_words(word: str) -> frozenset[str]:
    """Return the words that mean the same in any of the languages."""
    rows = _nouns().get(word)
    if rows is None and len(word) > _LONG_STEM and word.isascii():  # a case or a tense that nobody listed
        alike = _nouns_by_beginning().get(word[:_LONG_STEM], ())
        near = [one for one in alike if abs(len(one) - len(word)) <= 3]  # noqa: PLR2004
        rows = _nouns()[min(near, key=lambda one: (abs(len(one) - len(word)), one))] if near else None
    found = frozenset[str]().union(*(_same_as(row) for row in rows or ()))
    if "letter" in found and not word.startswith("list"):  # which is a list in Polish alone
        return frozenset(form for form in found if not form.startswith("list"))
    return found


def _head(word: str) -> frozenset[str]:
    """Return what a compound is about that ends in the word for a list, a book, a table: "kostentabelle"."""
    for end in table_of("compound"):
        if word.endswith(end) and len(word) - len(end) >= _SHORTEST:
            bare = word[: -len(end)].rstrip("s-")
            return frozenset({stem(bare), *related_words(stem(bare))})
    return frozenset()


@cache
def _nouns() -> Mapping[str, tuple[int, ...]]:
    """Return the rows of nouns by each of their forms."""
    found: dict[str, tuple[int, ...]] = {}
    for place, words in enumerate(_noun_rows()):
        for word in words:
            form = word.lower() if word.isascii() and word.isalnum() else plain(word)
            found[form] = (*found.get(form, ()), place)
            if (short := stem(form)) != form:
                found[short] = (*found.get(short, ()), place)
    return found


def is_noun_of_file(word: str) -> bool:
    """Tell whether a word is one that files are called by: notes, a diary, a recipe.

    Examples
    --------
    >>> is_noun_of_file("Notizen"), is_noun_of_file("Anneke")
    (True, False)
    """
    return " " not in word and bool(_nouns().get(plain(word)) or _nouns().get(stem(plain(word))))


@cache
def _nouns_by_beginning() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for noun in _nouns():
        found.setdefault(noun[:_LONG_STEM], []).append(noun)
    return found


@cache
def _noun_rows() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(words.split(", ")) for kind, _, words in read_rows("pointing.tsv") if kind == "noun")


@cache
def _same_as(row: int) -> frozenset[str]:
    return frozenset(stem(plain(word)) for word in _noun_rows()[row] if " " not in word)


@cache
def table_of(kind: str) -> Mapping[str, str]:
    """Return the words of a kind in ``data/reading/pointing.tsv``, each with what it stands for."""
    found: dict[str, str] = {}
    for row, meaning, words in read_rows("pointing.tsv"):
        if row == kind:
            for word in words.split(", "):
                found.setdefault(word.casefold(), meaning)
    return found
