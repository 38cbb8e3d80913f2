"""Goes through a text once, from left to right, and takes secrets out; also while the text still grows.

    |....... shown .......|......... undecided .........|
          | looked back at |                            | the next piece

A :class:`Scanner` keeps the end of what it has shown, for what a secret may be announced by, and what is undecided: the
last word, or from the first place on that only more text can decide. Everything else is looked at once, however the
text is cut into pieces; a whole text is masked in the same way, a window at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple

from lango_nb.core.lazy import compiled
from lango_nb.core.secrets.formats import ELLIPSES, SHORTEST_RUN, around_runs, before_ellipses, beginnings_in
from lango_nb.core.secrets.rules import (
    RULES,
    TOKEN,
    Form,
    Rule,
    key_forms,
    number_forms,
    own_form,
    start_of_key,
)
from lango_nb.core.secrets.sight import MASK, OwnPattern, SecretSpan, Sight, Unfinished

WINDOW = 8_192
"""Characters of a whole text that are looked at together."""
_BEHIND, _BACK = 160, 240
"""Characters before a place that a rule looks at, and characters that are shown and looked at again."""
_SHORTEST = (("card", b"0" * 13), ("cut card", b"0" * 9), ("phone", b"0" * 7))
"""Digits of the shortest of each kind, without what stands between them."""
_ACCOUNT = b"0" * 15
_AS_DIGITS = bytes(48 if code in b"0123456789" else 120 for code in range(256))
_AS_ACCOUNT = bytes(48 if code in b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" else 120 for code in range(256))
_BETWEEN_DIGITS = b" -?()+./"
_PLAIN = tuple((word, rule) for rule in RULES if not rule.needs for word in rule.words if word.isascii())
_OTHER = tuple((word, rule) for rule in RULES if not rule.needs for word in rule.words if not word.isascii())
_NEEDY = tuple(rule for rule in RULES if rule.needs)
_LAST_WORD = (
    r"[0-9A-Z()+./-]{0,19}(?:[ \t\u00a0\u2009\u202f]{1,2}[0-9A-Z()+./-]{1,9}(?![^\s])){1,9}"
    r"|[^\s\u2e80-\U0010ffff]{0,160}"
)
"""Groups of digits, or a last word, that may go on; read backwards."""


class Rules(NamedTuple):
    """Secrets of your own; replaced as a whole, so that no thread ever sees half of them."""

    patterns: tuple[OwnPattern, ...] = ()
    values: tuple[str, ...] = ()
    """Secrets as they are."""
    keys: tuple[str, ...] = ()
    """Names, as :func:`~lango_nb.core.secrets.names.normal_key` writes them."""
    has_phones: bool = False
    hints: tuple[str, ...] = ()
    """First words of the keys: a text without any of them names none."""
    forms: tuple[Form, ...] = ()
    """The patterns, as they are looked for."""
    is_any: bool = False
    longest: int = 0
    """Characters at the end of a growing text in which a secret of these may have begun, more than a word has."""

    def with_more(
        self,
        patterns: Iterable[OwnPattern] = (),
        values: Iterable[str] = (),
        keys: Iterable[str] = (),
        *,
        has_phones: bool = False,
    ) -> Rules:
        """Return these and further ones."""
        every = tuple(dict.fromkeys((*self.patterns, *patterns)))
        plain = tuple(dict.fromkeys((*self.values, *values)))
        names = tuple(sorted({*self.keys, *keys}))
        lengths = [one.longest for one in every if one.has_blanks or one.longest > _BEHIND]
        lengths += [len(one) for one in plain if len(one) > _BEHIND or len(one.split()) > 1]
        return Rules(
            every,
            plain,
            names,
            has_phones or self.has_phones,
            tuple(sorted({name.split()[0] for name in names})),
            tuple(map(own_form, every)),
            bool(every or plain or names or has_phones or self.has_phones),
            max(lengths, default=0),
        )


class _Seeker(NamedTuple):
    """The next place where a rule has something to look at."""

    at: int
    number: int
    """Tells seekers of one place apart, always in the same order."""
    rule: Rule
    word: str
    seek: Callable[[int], int]
    """Returns the next such place from a place on; -1 when there is none."""
    announced: int = 0
    """Where a secret was announced that begins later."""
    span: SecretSpan | None = None
    """That secret."""


class Scanner:
    """Masks a text piece by piece.

    Parameters
    ----------
    rules : Rules
        Secrets of your own.

    Examples
    --------
    >>> scanner = Scanner(Rules())
    >>> scanner.add("use sk-abcdefg"), scanner.add("hijklmnop1234 for"), scanner.add(" it", is_last=True)
    ('use ', '[masked] ', 'for it')
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._text = ""
        self._shown = self._first = 0
        self._masked: list[SecretSpan] = []
        """What was taken out of the text that is kept."""
        self._is_hidden = False

    def add(self, piece: str, *, is_last: bool = False) -> str:
        """Add a piece, and return what can be shown after it.

        Parameters
        ----------
        piece : str
        is_last : bool
            Whether nothing follows.

        Returns
        -------
        str
            Goes on where what was returned before ended; nothing of it is ever taken back.
        """
        if self._is_hidden:
            return ""
        text = self._text + piece
        spans, undecided = self._spans(text, is_last=is_last)
        limit = len(text)
        if not is_last:
            limit = max(min(self._settled(text, limit), self._settled(text, undecided)), self._shown)
        parts: list[str] = []
        place = self._shown
        for span in spans:
            if span.start >= limit and not is_last:
                break
            parts += (text[place : span.start], span.instead)
            place = span.end
            self._masked.append(span)
        parts.append(text[place:limit])
        self._is_hidden = place > len(text)
        self._keep(text, max(place, limit))
        return "".join(parts)

    def _keep(self, text: str, shown: int) -> None:
        """Keep what is undecided, and of what is shown what may still announce a secret."""
        cut = max(shown - _BEHIND - _BACK, 0)
        self._text, self._shown = text[cut:], shown - cut
        if cut:
            self._first = _BEHIND
            self._masked = [SecretSpan(max(one.start - cut, 0), one.end - cut) for one in self._masked if one.end > cut]
        for span in self._masked:
            self._text = _blotted(self._text, span)

    def _settled(self, text: str, end: int) -> int:
        """Return where the last word before a place begins, which may go on."""
        found = compiled(_LAST_WORD).match(text[max(end - _BACK, 0) : end][::-1])
        word = end - max(found.end() if found is not None else 0, self._rules.longest)
        return min(word, start_of_key(text, 0, end))

    def _spans(self, text: str, *, is_last: bool) -> tuple[list[SecretSpan], int]:
        """Return further secrets, in order, and from where on nothing is decided.

        One that goes on as far as its rule looks ends behind the text: it hides what follows.
        """
        texts = [text]
        """The text, in which what is found to be secret looks to what follows as the mask does."""
        seekers = _seekers(texts, self._first, self._rules)
        masked = self._masked.copy()
        known = len(masked)
        while seekers:
            seeker = seekers[0]
            at, span = seeker.at, seeker.span
            announced = at if span is None else seeker.announced
            inside, before = _around(masked, announced)
            place, last = max(at + 1, inside), masked[-1] if masked else SecretSpan(0, 0)
            if inside:
                span = None
            elif span is None or last.start >= announced:  # anew, where what is in between became a secret
                try:
                    span = self._find(seeker, texts[0], announced, before, is_last=is_last)
                except Unfinished:
                    return masked[known:], announced
                if span is not None and span.start > at:  # others may begin before it
                    heapreplace(seekers, _Seeker(span.start, *seeker[1:5], announced, span))
                    continue
            if span is not None and span.start >= last.end and span.end > self._shown:
                masked.append(span)
                texts[0] = _blotted(texts[0], span)
                place = span.end
            at = seeker.seek(place)
            if at < 0:
                heappop(seekers)
            else:
                heapreplace(seekers, _Seeker(at, *seeker[1:5]))
        return masked[known:], len(text)

    def _find(self, seeker: _Seeker, text: str, at: int, before: int, *, is_last: bool) -> SecretSpan | None:
        """Return the secret that is announced at a place; one that goes on as far as its rule looks hides the rest."""
        end = min(at + seeker.rule.reach, len(text))
        sight = Sight(text, at, seeker.word, end, is_last or end < len(text), before, self._rules.keys)
        span = seeker.rule.find(sight)
        return span._replace(end=len(text) + 1) if span is not None and span.end >= end < len(text) else span


def _blotted(text: str, span: SecretSpan) -> str:
    """Return a text of the same length without a secret: a sign stands there that ends every word, as the mask does."""
    return f"{text[: span.start]}{MASK[-1] * (min(span.end, len(text)) - span.start)}{text[span.end :]}"


def _around(masked: list[SecretSpan], at: int) -> tuple[int, int]:
    """Return where the secret ends that a place is in, and where the last one before it does; 0 where there is none."""
    for span in reversed(masked):
        if span.start <= at:
            return (span.end, 0) if at < span.end else (0, span.end)
    return 0, 0


def is_clean(text: str, rules: Rules) -> bool:
    """Tell whether a short text holds nothing to look at, in a few quick looks.

    Parameters
    ----------
    text : str
    rules : Rules

    Returns
    -------
    bool
        Where it is false, there may be a secret or not.
    """
    if rules.is_any or not text.isascii():
        return False
    folded = text.lower()
    pattern, words = _announcing()
    if pattern.search(folded) if len(text) < _FEW else any(map(folded.__contains__, words)):
        return False
    coded = text.encode()
    if _SHORTEST[-1][1] in coded.translate(_AS_ACCOUNT, _BETWEEN_DIGITS):
        return False
    around = around_runs(text, coded) if len(text) >= SHORTEST_RUN else ""
    return not (around and (beginnings_in(around) or any(form.rule.needs[0] in around for form in key_forms())))


_FEW = 100
"""Characters up to which one pattern is quicker than a search for each word."""


@cache
def _announcing() -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return everything that announces a secret, as a pattern and as words."""
    words = {*(word for word, _ in _PLAIN), *(word for rule in _NEEDY for word in rule.needs), *ELLIPSES}
    least = tuple(sorted(word for word in words if not any(other in word for other in words - {word})))
    return re.compile("|".join(map(re.escape, least))), least


def _seekers(texts: list[str], first: int, rules: Rules) -> list[_Seeker]:
    """Return a heap of what there is to look at in a text: nothing at all, in most."""
    text = texts[0]
    folded = text.lower()
    if len(folded) != len(text):
        folded = "".join(one if len(one.lower()) > 1 else one.lower() for one in text)
    words = [(word, rule) for word, rule in _PLAIN if word in folded]
    if not text.isascii():
        words += [(word, rule) for word, rule in _OTHER if word in folded]
    words += [(word, rule) for rule in _NEEDY if any(map(folded.__contains__, rule.needs)) for word in rule.words]
    words += [(hint, _NAMED) for hint in rules.hints if hint in folded]
    seeks: list[tuple[str, Rule, Callable[[int], int]]]
    seeks = [(word, rule, partial(folded.find, word)) for word, rule in words]
    coded = text.encode("ascii", "replace")
    forms = rules.forms
    cut = before_ellipses(text)
    if around := around_runs(text, coded) + cut:
        seeks += [(word, TOKEN, partial(text.find, word)) for word in beginnings_in(around)]
        forms += tuple(form for form in key_forms() if form.rule.needs[0] in around)
    digits = coded.translate(_AS_DIGITS, _BETWEEN_DIGITS)
    kinds = [kind for kind, shortest in _SHORTEST if shortest in digits]
    if "phone" in kinds or _ACCOUNT in coded.translate(_AS_ACCOUNT, _BETWEEN_DIGITS):
        left_out = {"" if cut else "cut card", "" if rules.has_phones else "phone"}
        forms += tuple(form for kind in (*kinds, "iban") if kind not in left_out for form in number_forms(kind))
    seeks += [(value, _VALUE, partial(text.find, value)) for value in rules.values if value in text]
    seeks += [("", form.rule, partial(_search, form.seek, texts)) for form in forms]
    found = ((seek(first), number, rule, word, seek) for number, (word, rule, seek) in enumerate(seeks))
    seekers = [_Seeker(*one) for one in found if one[0] >= 0]
    heapify(seekers)
    return seekers


def _search(pattern: re.Pattern[str], texts: list[str], place: int) -> int:
    found = pattern.search(texts[0], place)
    return -1 if found is None else found.start()


_NAMED = next(rule for rule in RULES if rule.kind == "named")
_VALUE = Rule("value", (), lambda sight: SecretSpan(sight.at, sight.at + len(sight.word)), reach=100_000)
