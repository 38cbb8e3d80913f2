"""Personal data is found by its form and, where there is one, by its check digits, and replaced by what it was.

    e-mail addresses · phone numbers · payment cards (Luhn) · bank accounts (IBAN, mod 97)
    national ids of the US, the UK, France, Italy, Spain, Brazil, South Korea and China

A number that merely is long stays: dates, times, versions, hashes, sizes. Every pattern is bounded, so that the time it
takes grows with the text and no faster. Secrets are a different matter: :mod:`lango_nb.core.masking`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from lango_nb.core.escapes import begins
from lango_nb.core.lazy import compiled

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

_IBAN_LENGTHS = {
    entry[:2]: int(entry[2:])
    for entry in (
        "AD24 AE23 AL28 AT20 BA20 BE16 BG22 BR29 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 "
        "GR27 HR21 HU28 IE22 IL23 IS26 IT27 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 NL18 NO15 PK24 "
        "PL28 PT25 QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 TR26 UA29 XK20"
    ).split()
}
_UUID = r"(?ia)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_UUID_LENGTH = 36
_BETWEEN = r"[ \-\u00a0\u2009\u202f\u2010-\u2013]{1,2}"
"""What stands between groups of digits, plain and as typesetters write it."""
_GROUPED = (
    r"\d{13,19}"
    rf"|\d{{4}}{_BETWEEN}(?:\d{{4}}{_BETWEEN}\d{{4}}{_BETWEEN}\d{{4}}(?:{_BETWEEN}\d{{1,3}})?|\d{{6}}{_BETWEEN}\d{{4,5}})"
    rf"|\d{{6}}{_BETWEEN}\d{{7,13}}|\d{{8}}{_BETWEEN}\d{{8}}"
)
_BEFORE = begins(r"(?<!\w)(?<!\d\.)(?<!(?<!\w)\+)")
"""No longer number, no fraction, no phone number; ``q=card+4111…`` is a blank of an address."""
_CARD = rf"(?a){_BEFORE}(?:{_GROUPED})(?!\w)"
"""Digits that stand together as those of a card; :func:`_card` says whether they are one."""
_LAST_OF_FIVE = rf"(?a)(?<=\d){_BETWEEN}\d{{1,3}}\Z"
"""What may follow a card of four groups without being a part of it."""
_USUAL = 16
"""Digits of four groups."""
_DOUBLED = bytes.maketrans(b"0123456789", b"0246813579")
"""Digits of every other place, doubled, and the digits of that added up."""
_ISSUED = r"""(?x)
    4(?:\d{12}|\d{15}|\d{18})                                           # Visa
    | (?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}  # Mastercard
    | 3[47]\d{13}                                                       # American Express
    | 3(?:0[0-59]|[689]\d)\d{11}(?:\d\d)?                               # Diners Club
    | (?:6011|64[4-9]\d|65\d\d|62\d\d|81\d\d)\d{12,15}                  # Discover, UnionPay
    | 35(?:2[89]|[3-8]\d)\d{12,15}                                      # JCB
    | (?:50(?:18|20|38)|5[6-8]\d\d|6304|67\d\d)\d{9,15}                 # Maestro
    | 220[0-4]\d{12,15}                                                 # Mir
    | (?:60\d\d|508\d|82\d\d|9792|5067|6362|6363)\d{12}                 # RuPay, Troy, Elo
    """
_SPANISH = "TRWAGMYFPDXBNJZSQVHLCKE"
"""Check letters of Spanish ids, by number modulo 23."""
_CHINESE = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
"""Weights of the digits of a Chinese id."""


class Redacted(NamedTuple):
    """A text or value without personal data."""

    value: JsonValue
    found: tuple[str, ...]
    """What was in it, ``2 email`` for instance, most first; empty when nothing was."""


def redact(value: JsonValue) -> Redacted:
    """Replace personal data in a text, or in every text of a value, by what it was.

    Parameters
    ----------
    value : JSON value
        Keys of objects stay as they are.

    Returns
    -------
    Redacted

    Notes
    -----
    Source: spec 003 "Hook Types" (the security filter redacts personal data).

    Examples
    --------
    >>> redact("write to ada@example.org or call +44 20 7946 0958")
    Redacted(value='write to [email] or call [phone]', found=('1 email', '1 phone'))
    >>> redact("version 1.2.3 of 2024-01-15, 1700000000000 ms").found
    ()
    """
    counts: Counter[str] = Counter()
    redacted = _redact_value(value, counts)
    return Redacted(redacted, tuple(f"{number} {kind}" for kind, number in counts.most_common()))


def _redact_value(value: JsonValue, counts: Counter[str]) -> JsonValue:
    if isinstance(value, str):
        return _redact_text(value, counts)
    if isinstance(value, list):
        return [_redact_value(item, counts) for item in value]
    if isinstance(value, dict):
        return {name: _redact_value(item, counts) for name, item in value.items()}
    return value


def _redact_text(text: str, counts: Counter[str]) -> str:
    if compiled(r"[@\d]").search(text) is None:
        return text
    for form in _forms():
        text = form.replace(text, counts)
    return text


def _whole(found: re.Match[str]) -> int:
    """Take all that the form finds."""
    return found.end() - found.start()


def _email(found: re.Match[str]) -> int:
    """Leave ``git@github.com``: it is how repositories are addressed."""
    return 0 if found[0].lower().startswith("git@") else _whole(found)


def _prefix(text: str, characters: int, following: str) -> int:
    """Return where a number's first characters end, spaces and dashes not counted; 0 when it does not end there."""
    seen = 0
    for place, character in enumerate(text, 1):
        seen += character.isalnum()
        if seen == characters:
            after = text[place : place + 1] or following
            return 0 if after.isalnum() else place
    return 0


def _iban(found: re.Match[str]) -> int:
    length = _IBAN_LENGTHS.get(found[1].upper(), 0)
    end = _prefix(found[0], length, found.string[found.end() : found.end() + 1]) if length else 0
    account = found[0][:end].replace(" ", "").upper()
    if not end or not account.isascii():
        return 0
    number = int("".join(str(int(character, 36)) for character in account[4:] + account[:4]))
    return end if number % 97 == 1 else 0


def _french(found: re.Match[str]) -> int:
    number = found[0].replace(" ", "").replace("2A", "19").replace("2B", "18")
    return _whole(found) if number.isdigit() and 97 - int(number[:13]) % 97 == int(number[13:]) else 0


def _spanish(found: re.Match[str]) -> int:
    text = found[0].upper().replace("-", "")
    number = int(text[:-1].translate(str.maketrans("XYZ", "012")))
    return _whole(found) if _SPANISH[number % 23] == text[-1] else 0


def _chinese(found: re.Match[str]) -> int:
    total = sum(weight * int(digit) for weight, digit in zip(_CHINESE, found[0], strict=False))
    return _whole(found) if "10X98765432"[total % 11] == found[0][-1].upper() else 0


def is_card(digits: str) -> bool:
    """Tell whether digits are the number of a card: of a known issuer, as long as it issues them, with a right check.

    Parameters
    ----------
    digits : str

    Returns
    -------
    bool

    Examples
    --------
    >>> is_card("4111111111111111"), is_card("4111111111111112"), is_card("1700000000000")
    (True, False, False)
    """
    return digits.isascii() and _is_card(digits)


def _is_card(digits: str) -> bool:
    if compiled(_ISSUED).fullmatch(digits) is None:
        return False
    places = digits[::-1].encode()
    return (sum(places[::2]) + sum(places[1::2].translate(_DOUBLED)) - 48 * len(places)) % 10 == 0


def _card(found: re.Match[str]) -> int:
    """Take the longer one, where a card of four groups and one of five begin there."""
    length = _length(found[0])
    return 0 if length and _is_in_uuid(found.string, found.start(), found.start() + length) else length


def _length(text: str) -> int:
    """Return how much of a text, from its beginning, is a card: all of it, or all but its last group."""
    digits = text.encode("ascii", "ignore").translate(None, b" -").decode()
    if _is_card(digits):
        return len(text)
    shorter = compiled(_LAST_OF_FIVE).search(text) if len(digits) > _USUAL else None
    return shorter.start() if shorter is not None and _is_card(digits[:_USUAL]) else 0


def _is_in_uuid(text: str, start: int, end: int) -> bool:
    first = max(start - _UUID_LENGTH, 0)
    around = compiled(_UUID).finditer(text, first, end + _UUID_LENGTH)
    return any(found.start() < end and found.end() > start for found in around)


class Form(NamedTuple):
    """One form of personal data."""

    kind: str
    pattern: re.Pattern[str]
    accept: Callable[[re.Match[str]], int]
    """Says how many characters of a match are personal; 0 when none are."""

    def replace(self, text: str, counts: Counter[str]) -> str:
        """Replace what has the form and passes its check; what follows is looked at anew, however much was matched."""
        parts: list[str] = []
        kept = place = 0
        while found := self.pattern.search(text, place):
            length = self.accept(found)
            place = found.start() + (length or 1)
            if length:
                counts[self.kind] += 1
                parts += (text[kept : found.start()], f"[{self.kind}]")
                kept = place
        return "".join((*parts, text[kept:])) if parts else text


_ROWS: tuple[tuple[str, str, Callable[[re.Match[str]], int]], ...] = (
    ("email", r"(?<![\w.%+'-])[\w.%+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])", _email),
    ("iban", begins(r"(?<![A-Za-z0-9])") + r"([A-Za-z]{2})\d{2}(?: ?[A-Za-z0-9]){11,30}", _iban),
    ("card", _CARD, _card),
    ("national id", r"(?<!\w)[1-9]\d{5}(?:19|20)\d\d[01]\d[0-3]\d{4}[\dXx](?!\w)", _chinese),
    ("national id", r"(?<![\w.])[12] ?\d\d ?\d\d ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d(?!\w)", _french),
    ("national id", r"(?<![\w-])(?:\d{8}|[XYZxyz]-?\d{7})-?[A-Za-z](?!\w)", _spanish),
    # Italy, South Korea, Brazil, the UK, the US
    ("national id", r"(?<!\w)[A-Za-z]{6}\d\d[A-EHLMPRSTa-ehlmprst]\d\d[A-Za-z]\d{3}[A-Za-z](?!\w)", _whole),
    ("national id", r"(?<!\w)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-8]\d{6}(?!\w)", _whole),
    ("national id", r"(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d\d(?!\w)", _whole),
    ("national id", r"(?<!\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d\d){3} ?[A-D](?!\w)", _whole),
    ("national id", r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])", _whole),
    ("phone", r"(?<![\w+.])\+[1-9](?:[ .()/-]{0,2}\d){7,14}(?!\w)", _whole),
    ("phone", r"(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-])", _whole),
    ("phone", r"(?<![\w.-])0\d{1,4}[ /-]\d{3,4}[ -]?\d{3,5}(?![\w-])", _whole),
)
"""Kind, pattern and check of every form, the more certain ones first."""


@cache
def _forms(kinds: frozenset[str] = frozenset(row[0] for row in _ROWS)) -> tuple[Form, ...]:
    return tuple(Form(kind, compiled(pattern), accept) for kind, pattern, accept in _ROWS if kind in kinds)


def forms_of(kind: str) -> tuple[Form, ...]:
    """Return the forms of one kind of personal data.

    Parameters
    ----------
    kind : str
        ``card`` and ``iban`` are told from other numbers by their check digits, ``phone`` by its form only.

    Returns
    -------
    tuple of Form
    """
    return _forms(frozenset({kind}))
