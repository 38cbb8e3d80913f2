"""Two steps in one request, where the second uses what the first gave: "read a.md and save a summary to b.md"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lango_nb.core.errors import shorten
from lango_nb.models.offline.fill import QUOTED
from lango_nb.models.offline.phrases import asks_directly

HANDED = "\n\nUse this text:\n"
"""Parts a work order from the result of the step before that goes with it."""
LONGEST_HANDED = 20_000
"""Characters of a result that are handed on; a part of a longer one is not passed off as the whole."""
_VERBS = (
    r"save|store|write|put|append|keep|export|hash|encrypt|sign|decrypt|remember|record|send|add|note|"
    r"speichere?|schreibe?|enregistre|sauvegarde|écris|guarda|escribe"
)
_THAT = (
    r"(?:(?:a|the|its)\s+(?:short\s+|brief\s+)?summary(?:\s+of\s+(?:it|this|that|them))?|the\s+(?:whole\s+)?(?:result|output|text|contents?|"
    r"page|hash|signature|ciphertext|answer|digest|list|response)s?|everything|it|this|that|them|es|das|den Text|le|la|lo|ça)"
)
_CHAIN = re.compile(
    rf"^(?P<first>.+?)\s*(?:,\s*|;\s*|\.\s+|\s)(?:and\s+then|then|and|und(?:\s+dann)?|et(?:\s+puis)?|puis|y(?:\s+luego)?)\s+"
    rf"(?:please\s+)?(?P<second>(?:{_VERBS})\s+(?P<what>{_THAT})(?!\w)(?P<rest>.*))$",
    re.IGNORECASE | re.DOTALL,
)
_SUMMARY = re.compile(r"\bsummary\b|\bzusammenfassung\b|\brésumé\b|\bresumen\b", re.IGNORECASE)
_SHORT_LINES = 5
_SHORT_CHARS = 600


@dataclass(frozen=True, slots=True)
class Chain:
    """A request as two steps."""

    first: str
    second: str
    """Stands without the words for what the first step gives."""
    is_summary: bool = False
    """Whether only a summary is used."""


@lru_cache(maxsize=128)
def read_chain(text: str) -> Chain | None:
    """Read two steps from a request; ``None`` when the second uses nothing of the first.

    Examples
    --------
    >>> read_chain("read a.md and save a summary to b.md")
    Chain(first='read a.md', second='save to b.md', is_summary=True)
    >>> read_chain("read a.md and tell me its title"), read_chain("write 'x and save it' to a.txt")
    (None, None)
    """
    covered = QUOTED.sub(lambda match: match[0][0] + "\x01" * (len(match[0]) - 1), text.strip())
    match = _CHAIN.match(covered) if asks_directly(covered) else None
    if match is None or not match["rest"].strip(" .!?"):
        return None
    plain = text.strip()
    verb = plain[match.start("second") : match.start("what")].strip()
    rest = plain[match.end("what") :].strip()
    is_summary = _SUMMARY.search(match["what"]) is not None
    return Chain(plain[: match.end("first")].strip(" ,;"), f"{verb} {rest}", is_summary)


def hand_on(order: str, text: str) -> str:
    """Write a work order that goes with a text."""
    return f"{order}{HANDED}{text}"


def handed(text: str) -> tuple[str, str | None]:
    r"""Part a work order from the text that goes with it.

    Examples
    --------
    >>> handed(hand_on("save to b.md", "a\nb")), handed("save to b.md")
    (('save to b.md', 'a\nb'), ('save to b.md', None))
    """
    order, mark, given = text.partition(HANDED)
    return (order, given) if mark else (text, None)


def summary_of(text: str) -> str:
    r"""Shorten a text: the first line of each paragraph, a few of them.

    Examples
    --------
    >>> summary_of("# Plan\nWe sail.\n\nAt dawn.\nOr later.")
    '# Plan\nAt dawn.'
    """
    firsts = [block.strip().splitlines()[0].strip() for block in re.split(r"\n\s*\n", text) if block.strip()]
    if len(firsts) == 1:
        firsts = [line.strip() for line in text.strip().splitlines() if line.strip()][: _SHORT_LINES - 2]
    return "\n".join(shorten(line, _SHORT_CHARS // _SHORT_LINES) for line in firsts[:_SHORT_LINES])
