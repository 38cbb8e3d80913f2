"""Numbers of payment cards: told from other numbers by issuer, length and check digit (Luhn).

A card stands in one piece or in groups, ``4111 1111 1111 1111`` or ``3782-822463-10005``. Times, sizes, fractions,
parts of a uuid and of longer runs of letters and digits are none.
"""

from __future__ import annotations

import re

from lango_nb.core.escapes import begins

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
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
CARD = re.compile(rf"{_BEFORE}(?:{_GROUPED})(?!\w)", re.ASCII)
"""Digits that stand together as those of a card; :func:`card_end` says whether they are one."""
_EVERY_CARD = re.compile(rf"{_BEFORE}(?=((?:{_GROUPED})(?!\w)))\d", re.ASCII)
"""The same wherever it begins, overlapping or not."""
_LAST_OF_FIVE = re.compile(rf"(?<=\d){_BETWEEN}\d{{1,3}}\Z", re.ASCII)
"""What may follow a card of four groups without being a part of it."""
_USUAL = 16
"""Digits of four groups."""
_DOUBLED = bytes.maketrans(b"0123456789", b"0246813579")
"""Digits of every other place, doubled, and the digits of that added up."""
_ISSUED = re.compile(
    rb"""
    4(?:\d{12}|\d{15}|\d{18})                                           # Visa
    | (?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}  # Mastercard
    | 3[47]\d{13}                                                       # American Express
    | 3(?:0[0-59]|[689]\d)\d{11}(?:\d\d)?                               # Diners Club
    | (?:6011|64[4-9]\d|65\d\d|62\d\d|81\d\d)\d{12,15}                  # Discover, UnionPay
    | 35(?:2[89]|[3-8]\d)\d{12,15}                                      # JCB
    | (?:50(?:18|20|38)|5[6-8]\d\d|6304|67\d\d)\d{9,15}                 # Maestro
    | 220[0-4]\d{12,15}                                                 # Mir
    | (?:60\d\d|508\d|82\d\d|9792|5067|6362|6363)\d{12}                 # RuPay, Troy, Elo
    """,
    re.VERBOSE,
)


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
    return digits.isascii() and _is_card(digits.encode())


def _is_card(digits: bytes) -> bool:
    if _ISSUED.fullmatch(digits) is None:
        return False
    places = digits[::-1]
    return (sum(places[::2]) + sum(places[1::2].translate(_DOUBLED)) - 48 * len(places)) % 10 == 0


def card_end(found: re.Match[str]) -> int:
    """Return how many characters of what :data:`CARD` found are a card, counted from its beginning; 0 when none are.

    Parameters
    ----------
    found : match

    Returns
    -------
    int
        The longer one, where a card of four groups and one of five begin there.
    """
    length = _length(found[0])
    return 0 if length and _is_in_uuid(found.string, found.start(), found.start() + length) else length


def _length(text: str) -> int:
    """Return how much of a text, from its beginning, is a card: all of it, or all but its last group."""
    digits = text.encode("ascii", "ignore").translate(None, b" -")
    if _is_card(digits):
        return len(text)
    shorter = _LAST_OF_FIVE.search(text) if len(digits) > _USUAL else None
    return shorter.start() if shorter is not None and _is_card(digits[:_USUAL]) else 0


def replace_cards(text: str, replacement: str) -> str:
    """Replace every card of a text.

    Parameters
    ----------
    text, replacement : str

    Returns
    -------
    str
        The same text where it holds none.

    Examples
    --------
    >>> replace_cards("5 4111 1111 1111 1111 12/27, 0.4111111111111111", "[card]")
    '5 [card] 12/27, 0.4111111111111111'
    """
    parts: list[str] = []
    kept = 0
    for found in _EVERY_CARD.finditer(text):
        start = found.start()
        length = _length(found[1]) if start >= kept else 0
        if length and not _is_in_uuid(text, start, start + length):
            parts += (text[kept:start], replacement)
            kept = start + length
    return "".join((*parts, text[kept:])) if parts else text


def _is_in_uuid(text: str, start: int, end: int) -> bool:
    first = max(start - _UUID_LENGTH, 0)
    around = _UUID.finditer(text, first, end + _UUID_LENGTH)
    return any(found.start() < end and found.end() > start for found in around)
