"""Small things about wording: a number with its noun, a text on one line, about how many tokens it takes."""

from __future__ import annotations

CHARS_PER_TOKEN = 4
"""Rule of thumb for English text and code; real tokenizers differ by model."""


def estimate_tokens(chars: int) -> int:
    """Estimate how many tokens a text of a length has.

    Examples
    --------
    >>> estimate_tokens(0), estimate_tokens(5)
    (0, 2)
    """
    return -(-chars // CHARS_PER_TOKEN)


def counted(number: int, noun: str) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> counted(1, "turn"), counted(1200, "tool call"), counted(2, "family"), counted(0, "day")
    ('1 turn', '1,200 tool calls', '2 families', '0 days')
    """
    if number == 1:
        return f"1 {noun}"
    is_ies = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{number:,} {noun[:-1]}ies" if is_ies else f"{number:,} {noun}s"


def folded(text: str) -> str:
    r"""Put a text on one line: white space of any kind and length becomes one space.

    Examples
    --------
    >>> folded(" a\n  b ")
    'a b'
    """
    return " ".join(text.split())


def printable(text: str) -> str:
    r"""Keep a text on one line and fit to be shown: what cannot be encoded or printed is escaped.

    Examples
    --------
    >>> print(printable("größe\n"))
    größe\n
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
