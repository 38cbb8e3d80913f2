"""Which tool a request means: what people say for each tool, as a table, and how likely the tool's family is.

The table is ``cues.tsv``; tools it does not know are told by their names, their descriptions and their parameters.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from lango_nb.core.messages import ToolSchema
from lango_nb.routing.capabilities import router_family
from lango_nb.routing.features import fold
from lango_nb.routing.words import stem, stems

_TABLE = "cues.tsv"
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_ASKS = (
    r"[?\uff1f]\s*$|か[\u3002?]?$|吗|什么|谁|多少|哪|^\W*(?:what|which|who|whose|whom|where|when|why|how|is|are|was|were|do|does|did|have|has|had|any|can"
    r"|tell me|show|list|remind me (?:what|who|how|which)|was|welche\w*|wer|wem|wie|wo|wann|warum|wieso|hat|haben|ist|sind|gibt|que|qu'|quel\w*|qui|où|combien"
    r"|comment|y a|est-ce|de quoi|cu[aá]l\w*|qu[eé]|qui[eé]n|cu[aá]nt\w*|c[oó]mo|d[oó]nde|hay|chi|che|cosa|qual\w*|quant\w*|come|dove|c'è|ci sono|o que|quem|onde"
    r"|há|wat|welke|hoe\w*|wanneer|zijn|heeft|co|kto|ile|czy|gdzie|jak\w*|które)\b"
)
"""Questions, in the languages whose first words tell."""
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("§url", r"https?://|\bwww\.|\blocalhost:\d"),
        ("§path", r"(?<![\w/:.])(?:~|\.{1,2})?/?(?:[\w.-]+/)+[\w.-]*|(?<![\w.@-])[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{1,4}\b"),
        ("§id", r"\b[a-z]{1,10}-(?=\w*\d)\w+\b|\b[a-z]{1,4}\d{1,4}\b|\b\w+-\w+-\d+\b"),
        ("§pid", r"(?<![\w/.])p\d{1,4}\b"),
        ("§quote", r"\"[^\"]+\"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|(?<!\w)'[^']+'(?!\w)"),
        ("§tick", r"`[^`]+`"),
        ("§number", r"(?<![\w.])\d+(?![\w.])"),
        ("§amount", r"[$€£]\s?\d|\b\d[\d.,]*\s?(?:usdc|usd|dollars?|euros?|eur)\b"),
        ("§address", r"\b0x[0-9a-f]{4,}"),
        ("§date", r"\b\d{4}-\d\d-\d\d"),
        ("§json", r"\{.*\}|\[[^\]]*\]"),
        ("§assign", r"\w\s?=\s?\S"),
        ("§selector", r"(?<!\S)[#.][a-z][\w-]*|\b(?:h[1-6]|div|span|input|button)[.#][\w-]+"),
        ("§schedule", r"(?:[\d*/,-]+\s+){4}[\d*/,-]+|\b(?:daily|hourly|weekly|nightly)\b"),
        ("§always", r""),
        (
            "§asks",
            _ASKS,
        ),
    )
)  # fmt: skip
_FAMILY_WEIGHT = 1.0
"""Of the logarithm of a family's probability, beside the weights of cues."""
_FAMILY_FLOOR = 0.003
_SILENT = 2.0
"""Taken off a tool of the table for which the request says nothing."""
_UNKNOWN = 0.05
"""Taken for the probability of the family of a tool of an unknown kind."""
_NAME_WEIGHT = 3.0
_DESCRIPTION_WEIGHT = 0.4
_DESCRIPTION_MOST = 1.6
_STOP = frozenset(
    stems("a an the of to in on for from with by and or it its is are be this that what which all any one as at")
)


class Cue(NamedTuple):
    """Something a request may say."""

    parts: tuple[str, ...]
    weight: float


class ToolCues(NamedTuple):
    """What the table says of one tool."""

    families: tuple[str, ...]
    cues: tuple[Cue, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """How well a tool fits a request."""

    tool: ToolSchema
    cues: float
    """What the request says of the tool."""
    score: float
    """The same with the likelihood of its family."""


@lru_cache(maxsize=1)
def table() -> Mapping[str, ToolCues]:
    """Return the table of cues, read once."""
    found: dict[str, ToolCues] = {}
    for line in files("lango_nb.models.offline").joinpath(_TABLE).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            tool, families, cues = line.split("\t")
            found[tool] = ToolCues(tuple(families.split(",")), tuple(map(_cue, cues.split(", "))))
    return found


def choose(tools: Sequence[ToolSchema], text: str, likely: Mapping[str, float]) -> tuple[Choice, ...]:
    """Rate tools, best first.

    Parameters
    ----------
    tools : sequence of ToolSchema
    text : str
        The request.
    likely : mapping of str to float
        Probabilities of tool families.

    Returns
    -------
    tuple of Choice
    """
    said = _weights(text)
    rated = [_rate(tool, text, said, likely) for tool in tools]
    return tuple(sorted(rated, key=lambda choice: (-choice.score, len(choice.tool.name))))


def is_known(tool: str) -> bool:
    """Tell whether the table knows a tool."""
    return tool in table()


@lru_cache(maxsize=256)
def heard(text: str) -> frozenset[str]:
    """Return what cues can match: words, their beginnings, words side by side, and shapes.

    Examples
    --------
    >>> said = heard("Lösche notes.md")
    >>> {"losche", "losch*", "§path", "notes md"} <= said
    True
    """
    words = [fold(word) for word in _WORD.findall(text[:2000])]
    found = set(words)
    for word in words:
        found.update(f"{word[:size]}*" for size in range(3, min(len(word), 16) + 1))
    for size in (2, 3, 4):
        found.update(" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
    found.update(name for name, pattern in _SHAPES if pattern.search(text))
    return frozenset(found)


@lru_cache(maxsize=1)
def _index() -> Mapping[str, tuple[tuple[str, Cue], ...]]:
    """Return the cues of all tools by the first of their parts."""
    found: defaultdict[str, list[tuple[str, Cue]]] = defaultdict(list)
    for tool, entry in table().items():
        for cue in entry.cues:
            found[cue.parts[0]].append((tool, cue))
    return {part: tuple(cues) for part, cues in found.items()}


@lru_cache(maxsize=256)
def _weights(text: str) -> Mapping[str, float]:
    """Return the sum of a text's cues for each tool of the table that it says anything of."""
    said, index = heard(text), _index()
    found: defaultdict[str, float] = defaultdict(float)
    for part in said.intersection(index):
        for tool, cue in index[part]:
            if said.issuperset(cue.parts):
                found[tool] += cue.weight
    return dict(found)


def _cue(written: str) -> Cue:
    body, _, weight = written.strip().partition("=")
    parts = tuple(body.split("+"))
    return Cue(parts, float(weight) if weight else float(len(parts)))


def _rate(tool: ToolSchema, text: str, said: Mapping[str, float], likely: Mapping[str, float]) -> Choice:
    entry = table().get(tool.name)
    if entry is None:
        family = router_family(tool.name)
        part = likely.get(family, 0.0) if family else _UNKNOWN
        cues = _own_words(tool, text)
    else:
        part = max(likely.get(family, 0.0) for family in entry.families)
        cues = said.get(tool.name, -_SILENT)
    return Choice(tool, cues, cues + _FAMILY_WEIGHT * math.log(max(part, _FAMILY_FLOOR)))


def _own_words(tool: ToolSchema, text: str) -> float:
    """Rate a tool by the words of its name, its description and its parameters."""
    asked = frozenset(stems(text)) - _STOP
    name, described = _words_of(tool.name, tool.description, tuple(_parameters(tool)))
    named = len(asked & name)
    rest = _DESCRIPTION_WEIGHT * len((asked & described) - name)
    return _NAME_WEIGHT * named + min(rest, _DESCRIPTION_MOST)


@lru_cache(maxsize=1024)
def _words_of(name: str, description: str, parameters: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    named = frozenset(stems(name.replace("_", " "))) - _STOP
    described = frozenset(stems(f"{description} {' '.join(parameters)}".replace("_", " "))) - _STOP
    return named, described


def _parameters(tool: ToolSchema) -> list[str]:
    properties = tool.parameters.get("properties")
    return [stem(str(name)) for name in properties] if isinstance(properties, dict) else []
