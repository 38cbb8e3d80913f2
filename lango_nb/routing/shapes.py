"""Shapes that a text can hold and that are no words: addresses, paths, commands, amounts, times."""

from __future__ import annotations

import re
from typing import NamedTuple


class Shape(NamedTuple):
    """Something a text can hold that is no word."""

    name: str
    label: str
    """How it is shown."""
    hints: tuple[str, ...]
    """Pieces of lower-case text one of which must be there: quicker to test than the pattern."""
    pattern: re.Pattern[str]

    def occurs(self, text: str, folded: str) -> bool:
        """Tell whether a text, given as it is and in lower case, holds the shape."""
        return any(hint in folded for hint in self.hints) and self.pattern.search(text) is not None


_EXTENSIONS = (
    "md|txt|py|json|ya?ml|toml|csv|tsv|log|html?|js|ts|css|ini|cfg|sh|ipynb|rst|xml|sql|pdf|png|jpe?g|lock|env|bak"
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekday|weekend"
SHAPES: tuple[Shape, ...] = (
    Shape(
        "url",
        "a web address",
        ("://", "www.", "."),
        re.compile(r"\bhttps?://\S+|\bwww\.\S+|\b[\w-]+\.(?:com|org|net|io|dev)\b", re.IGNORECASE),
    ),
    Shape(
        "path",
        "a file or folder name",
        ("/", "."),
        re.compile(
            rf"(?<![\w/:])(?:\.{{0,2}}/)?(?:[\w.-]+/)+[\w.-]*|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:{_EXTENSIONS}|orig|bak\d*|old|tmp|gz|zip|tar)(?![\w-]|\.\w)",
            re.IGNORECASE,
        ),
    ),
    Shape(
        "command",
        "a shell command",
        ("",),
        re.compile(
            r"`[^`]+`|(?:^|\$\s*)(?:ls|cat|git|pytest|npm|pip|python3?|docker|grep|echo|uname|df|du|ps|whoami|pwd|curl|wget|"
            r"cargo|bash|sh|mkdir|rm|cp|mv)(?=\s|$)|\b(?:run|execute)\s+(?:make|find|go|node|true|false|date|env|sleep|ls|cat|git|"
            r"pytest|npm|pip|python3?|docker|grep|echo|uname|df|du|ps|whoami|pwd|curl|wget|cargo|bash|sh)(?=\s|$)",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    Shape("process", "a process id", ("p",), re.compile(r"(?<![\w/.])p\d{1,4}\b", re.IGNORECASE)),
    Shape("address", "a wallet address", ("0x",), re.compile(r"\b0x[0-9a-fA-F]{6,}\b")),
    Shape(
        "amount",
        "an amount of money",
        ("$", "€", "usd", "dollar", "eur"),
        re.compile(r"\b\d+(?:\.\d+)?\s?(?:usdc|dollars?|usd|eur|euros?)\b|[$€]\d", re.IGNORECASE),
    ),
    Shape(
        "schedule",
        "a repeating time",
        ("every", "ly", "*"),
        re.compile(
            rf"\bevery\s+(?:\d+\s+)?(?:second|minute|hour|day|night|morning|evening|week|month|year|other|{_DAYS})s?\b"
            rf"|\b(?:daily|hourly|weekly|nightly|monthly)\b|(?:[\d*/,-]+\s+){{4}}[\d*/,-]+",
            re.IGNORECASE,
        ),
    ),
    Shape(
        "time",
        "a point in time",
        ("at ", "by ", "tomorrow", "in ", "next "),
        re.compile(
            rf"\b(?:at|by)\s+\d{{1,2}}(?::\d\d)?\s?(?:am|pm|o'clock)?\b|\btomorrow\b|\bin\s+\d+\s+(?:minutes|hours|days)\b|\bnext\s+(?:week|month|{_DAYS})\b",
            re.IGNORECASE,
        ),
    ),
)
