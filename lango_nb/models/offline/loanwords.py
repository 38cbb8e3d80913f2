"""Names of English that Japanese writes as it says them: ホットチョコレート of "Hot Chocolate".

A katakana word and a name are compared by their consonants as they are heard: l is r, v is b, th is s, a "w" and an
"r" that no vowel follows are nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from lango_nb.models.offline.names import in_english, likeness, plain
from lango_nb.routing.features import fold
from lango_nb.routing.words import stems

_ROWS = (
    ("", "アイウエオ"), ("k", "カキクケコ"), ("g", "ガギグゲゴ"), ("s", "サシスセソ"), ("z", "ザジズゼゾ"), ("t", "タチツテト"),
    ("d", "ダヂヅデド"), ("n", "ナニヌネノ"), ("h", "ハヒフヘホ"), ("b", "バビブベボ"), ("p", "パピプペポ"), ("m", "マミムメモ"),
    ("", "ヤ　ユ　ヨ"), ("r", "ラリルレロ"), ("", "ワ　　　ヲ"), ("", "ァィゥェォ"), ("", "ャ　ュ　ョ"),
)  # fmt: skip
_SMALL = "ァィゥェォャュョ"
"""Signs that take the place of the vowel before them."""
_SPECIAL = {"フ": "fu", "ヴ": "bu", "ン": "n", "ッ": "", "ー": "", "・": ""}
_SOFT = str.maketrans(
    {"チ": "シ", "ツ": "ス", "ジ": "シ", "ズ": "ス", "ヂ": "シ", "ヅ": "ス", "ザ": "サ", "ゼ": "セ", "ゾ": "ソ"}
)
"""What may be heard as an s: チ of "cheese", and not of "ticket"."""
_HARD = str.maketrans({"ジ": "ヂ", "ザ": "サ", "ズ": "ス", "ゼ": "セ", "ゾ": "ソ"})
_HEARD = tuple(
    (re.compile(pattern), heard)
    for pattern, heard in (
        (r"^kn", "n"), (r"ph", "f"), (r"cc(?=[ei])", "s"), (r"(.)\1", r"\1"), (r"dg|j", "s"), (r"tch|ch|sh|th|z", "s"), (r"ck|qu?", "k"), (r"x", "ks"),
        (r"g(?=e\b)", "s"), (r"c(?=[eiy])", "s"), (r"c", "k"), (r"wh", "h"), (r"w", ""), (r"v", "b"), (r"m(?=[pb])", "n"),
        (r"l", "r"), (r"y", "i"), (r"e\b", ""),
    )
)  # fmt: skip
_UNHEARD = re.compile(r"r(?![aeiouyr])")
"""An r that no vowel follows."""
_SOFT_G = re.compile(r"g(?=[ei])")
_KATAKANA = re.compile("[ァ-ヺー・]{2,}")
_LATIN = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
_CLEAR, _LONG = 3, 5
"""Consonants that are enough, and of which one may differ."""
_ALIKE = (1.0, 0.8, 0.5)
"""How alike whole words have to be that have so few consonants."""


def with_names(text: str, names: Iterable[str]) -> str:
    """Return a text in which each katakana word that sounds like one of some names is that name.

    Parameters
    ----------
    text : str
    names : iterable of str

    Examples
    --------
    >>> with_names("ホットチョコレートはいくら", ["Espresso", "Hot Chocolate", "Chai"]), with_names("チャイは", ["Chai"])
    ('Hot Chocolateはいくら', 'Chaiは')
    >>> with_names("チェックインって何時", ["09:30 ferry", "check in"]), with_names("ノラは", ["Nora", "Sam"])
    ('check inって何時', 'Noraは')
    >>> with_names("トマトは", ["Espresso", "Tom"])
    'トマトは'
    """
    runs = _KATAKANA.findall(text)
    if not runs:
        return text
    every = [name for name in dict.fromkeys(names) if _LATIN.search(name)]
    known = {part for name in every for part in stems(fold(name))}
    for run in sorted(runs, key=len, reverse=True):
        meant = in_english(run, "ja")
        met = [] if meant and meant <= known else [name for name in every if sounds_like(run, name)]
        if met:
            text = text.replace(run, max(met, key=lambda name: likeness(_said(run), _written(name))))
    return text


def pieces_of(text: str) -> Iterable[str]:
    """Return the names that a text may hold: up to three words behind each other.

    Examples
    --------
    >>> list(pieces_of("- 15:00 check in"))
    ['check', 'check in', 'in']
    """
    for line in text.splitlines():
        words = re.findall(r"[A-Za-z]+", line)
        for at in range(len(words)):
            yield from (" ".join(words[at:end]) for end in range(at + 1, min(at + _CLEAR, len(words)) + 1))


def sounds_like(run: str, name: str) -> bool:
    """Tell whether a katakana word sounds as a name is written.

    Examples
    --------
    >>> sounds_like("カプチーノ", "Cappuccino"), sounds_like("クロワッサン", "Croissant"), sounds_like("ラテ", "Latte")
    (True, True, True)
    >>> sounds_like("ケーキ", "Coffee"), sounds_like("サム", "Simone"), sounds_like("ツナ", "tuna")
    (False, False, True)
    """
    called = plain(name)
    ways = {
        _written(one)
        for one in (
            called,
            called.removesuffix("s"),
            called.removesuffix("ed"),
            _UNHEARD.sub("_", called),
            _SOFT_G.sub("s", called),
        )
    }
    for said in (_said(run.translate(_SOFT)), _said(run.translate(_HARD))):
        for written in ways:
            one, other = _bare(said), _bare(written)
            is_near = max(len(one), len(other)) >= _LONG and _is_one_off(one, other)
            if is_near or (
                one == other
                and (len(one) >= _CLEAR or (said[:1] == written[:1] and likeness(said, written) >= _ALIKE[len(one)]))
            ):
                return True
    return False


def _is_one_off(one: str, other: str) -> bool:
    """Tell whether one of two words lacks a letter of the other, or has another in its place."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    return any(
        short[:at] + short[at + (len(long) == len(short)) :] == long[:at] + long[at + 1 :] for at in range(len(long))
    )


@cache
def _sounds() -> dict[str, str]:
    found = {sign: f"{row}{vowel}" for row, signs in _ROWS for sign, vowel in zip(signs, "aiueo", strict=True)}
    return found | _SPECIAL


@lru_cache(maxsize=1024)
def _said(run: str) -> str:
    """Return a katakana word in Latin letters."""
    heard = ""
    for sign in run:
        heard = (heard[:-1] if sign in _SMALL else heard) + _sounds().get(sign, "")
    return heard


@lru_cache(maxsize=4096)
def _written(name: str) -> str:
    """Return a name as it is heard."""
    heard = plain(name)
    for pattern, sound in _HEARD:
        heard = pattern.sub(sound, heard)
    return heard.replace(" ", "")


def _bare(heard: str) -> str:
    """Return the consonants of what is heard."""
    return re.sub(r"[aeiou\W_]", "", heard)
