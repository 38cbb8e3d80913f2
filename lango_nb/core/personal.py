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
from typing import NamedTuple

from pydantic import JsonValue

from lango_nb.core.cards import CARD, card_end

_IBAN_LENGTHS = {
    entry[:2]: int(entry[2:])
    for entry in (
        "AD24 AE23 AL28 AT20 BA20 BE16 BG22 BR29 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 "
        "GR27 HR21 HU28 IE22 IL23 IS26 IT27 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 NL18 NO15 PK24 "
        "PL28 PT25 QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 TR26 UA29 XK20"
    ).split()
}
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
    hint, forms = _forms()
    if hint.search(text) is None:
        return text
    for form in forms:
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


class _Form(NamedTuple):
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


@cache
def _forms() -> tuple[re.Pattern[str], tuple[_Form, ...]]:
    """Return a pattern every text with personal data matches, and all forms, the more certain ones first."""
    rows: tuple[tuple[str, str | re.Pattern[str], Callable[[re.Match[str]], int]], ...] = (
        ("email", r"(?<![\w.%+'-])[\w.%+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])", _email),
        ("iban", r"(?<![A-Za-z0-9])([A-Za-z]{2})\d{2}(?: ?[A-Za-z0-9]){11,30}", _iban),
        ("card", CARD, card_end),
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
    return re.compile(r"[@\d]"), tuple(_Form(kind, re.compile(pattern), accept) for kind, pattern, accept in rows)
