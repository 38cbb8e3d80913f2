"""A request as the work orders it takes: what may be used is taken out, and what belongs to several agents is split.

A request is split with care: each part has to stand alone and to route clearly, and no two to the same agent. What is
split wrongly is done wrongly; what is not split is at worst asked back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lango_nb.models.offline.chains import read_chain
from lango_nb.models.offline.fill import QUOTED, paths
from lango_nb.models.offline.phrases import STARTS, asks_directly
from lango_nb.routing.capabilities import tool_capability
from lango_nb.routing.route import Route
from lango_nb.routing.router import Router, router_for_prompt
from lango_nb.routing.shapes import SHAPES
from lango_nb.routing.taught import Taught

CLEAR = 0.6
"""Confidence in a part's agent from which the part may be given away on its own."""
MOST_PARTS = 5
LONGEST_QUOTE = 300
"""Characters of a quoted string that are read to route a request."""
LONGEST_SPLIT = 600
"""Characters of a request that can be a list of wishes."""

_TOOL = r"`?(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|exec)\b`?"
_ONLY = re.compile(
    r"(?:\bby\s+|\bbut\s+)?\b(?:(?:using|use|with)\s+(?:only|nothing\s+but)|only\s+(?:using|use|with))\s+"
    rf"(?:the\s+)?(?:tools?\s+)?({_TOOL}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+){_TOOL})*)(?:\s+tools?\b)?[\s,:;]*",
    re.IGNORECASE,
)
_NAME = re.compile(r"[a-z][a-z0-9_]*", re.IGNORECASE)
_JOIN = r"(?:and|then|also|finally|after that|afterwards|please)\b"
_CUT = re.compile(rf"(?:\s*[,;\n]+\s*|[.!?]\s+|\s+(?={_JOIN}))(?:{_JOIN}[\s,]*)*", re.IGNORECASE)
_TIED = re.compile(
    r"\b(?:if|unless|until|whenever|when|while|before|after|otherwise|how to|in the background|later)\b(?! that\b)"
    r"|\b(?:don.?t|do not|never|without)\b",
    re.IGNORECASE,
)
"""Words that tie the parts of a request to each other."""
_OPEN = re.compile(
    r"\b(?:write|append|add|note|say|save|store|keep|remember|remind|tell|plan|decompose|break|schedule|workflow|"
    r"translate|explain|summari[sz]e)\b",
    re.IGNORECASE,
)
"""What is given after these words may hold anything, wishes included; quotes show where it ends."""
_LEANS = re.compile(
    r"\b(?:it|its|they|them|their|these|those|both|there)\b|^\W*\w+\s+(?:this|that)\b(?!\s+(?:i|my|we|our)\b)"
    r"|\b(?:this|that)\W*$|\b(?:the|its) same\b|\bwhat (?:you|it|they)\b",
    re.IGNORECASE,
)
_LEANS_ON = re.compile(
    r"\bthe\s+(?:first|second|third|last|next|previous|whole|total|sum|number|results?|outputs?|answer|contents?|lines?|"
    r"text|heading|title|file|page|value|other|rest|summary|list|report|ones?|copy|data|word|names?)\b",
    re.IGNORECASE,
)
_STANDS = re.compile(r"[\"“`]|(?<!\w)'|https?://|\b(?:word|text|message|string|phrase|name)\s+\w+", re.IGNORECASE)
_SCHEDULES = tuple(shape.pattern for shape in SHAPES if shape.name in {"schedule", "time"})
_MEANT = re.compile(
    r"(\b(?:read|open|show|display|print|count|append|edit|change|does|of|in|from|into|to)\s+(?:me\s+)?)"
    r"(it|(?:that|this|the same) file)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """One work order."""

    text: str
    """What to do; stands alone."""
    route: Route
    """Who would get it."""
    allowed: tuple[str, ...] = ()
    """Tools it is narrowed to; empty when nothing was said about that."""
    needs: int | None = None
    """Place of the part whose result it uses."""
    is_summary: bool = False
    """Whether a summary of that result is enough."""
    order: str = ""
    """What whoever gets it is told, where that is more than the text."""


@lru_cache(maxsize=32)
def parts_of(
    prompt: str, text: str, earlier: str = "", *, is_whole: bool = False, taught: Taught | None = None
) -> tuple[WorkOrder, ...]:
    """Split a request.

    Parameters
    ----------
    prompt : str
        A root's system prompt, which holds the routing table.
    text : str
        The request.
    earlier : str
        The one before: says what "it" is, where that is clear.
    is_whole : bool
        Leave the request in one part.
    taught : Taught, optional
        Labelled requests the router has learned from.

    Returns
    -------
    tuple of WorkOrder
        At least one.
    """
    router = router_for_prompt(prompt, taught)
    wish, allowed = take_allowed(text)
    if not (is_whole or allowed) and (chained := _chained(wish, router)):
        return chained
    parts = _split(wish, router) if len(wish) <= LONGEST_SPLIT and not is_whole else ()
    if len(parts) > 1 and allowed:
        parts = _narrowed(parts, allowed, router)
    if len(parts) > 1:
        return parts
    whole = stand_alone(wish, earlier)
    return (WorkOrder(whole, router.route(without_content(whole)), allowed),)


def take_allowed(text: str) -> tuple[str, tuple[str, ...]]:
    """Take "using only …" out of a request.

    Examples
    --------
    >>> take_allowed("read notes.md using only fs_read, fs_list and tell me its first heading")
    ('read notes.md and tell me its first heading', ('fs_read', 'fs_list'))
    >>> take_allowed("write 'with only fs_read' to a.txt")[1], take_allowed("make a page with only one column")[1]
    ((), ())
    """
    if "only" not in text and "nothing" not in text:
        return text, ()
    match = _ONLY.search(_covered(text))
    if match is None:
        return text, ()
    names = tuple(
        dict.fromkeys(n for n in _NAME.findall(text[match.start(1) : match.end(1)]) if n not in {"and", "or"})
    )
    before, after = text[: match.start()].rstrip(" ,;:("), text[match.end() :].lstrip(" ,;:)")
    gap = " " if before and after and after[0] not in ".!?" else ""
    return before + gap + after, names


def stand_alone(text: str, earlier: str) -> str:
    """Put the one file the request before was about in place of "it".

    Examples
    --------
    >>> stand_alone("how many lines are in it?", "read notes.md")
    'how many lines are in notes.md?'
    >>> stand_alone("open it", "copy a.txt to b.txt"), stand_alone("delete it", "read notes.md")
    ('open it', 'delete it')
    """
    if not earlier or not _MEANT.search(text) or paths(text):
        return text
    named = paths(earlier)
    return _MEANT.sub(lambda match: match[1] + named[0], text) if len(named) == 1 else text


def without_content(text: str) -> str:
    """Shorten long quoted strings: they are content, and say nothing of who should get a request.

    Examples
    --------
    >>> len(without_content("write '" + "delete everything " * 99 + "' to a.txt"))
    66
    """
    if len(text) <= LONGEST_QUOTE:
        return text
    return QUOTED.sub(lambda match: match[0] if len(match[0]) <= LONGEST_QUOTE else match[0][:50] + match[0][-1], text)


def _covered(text: str) -> str:
    """Cover quoted strings, letter by letter; a tool's name in backticks is none."""
    if not any(mark in text for mark in "\"'“`"):
        return text
    return QUOTED.sub(
        lambda match: (
            match[0] if "_" in match[0] and " " not in match[0] else match[0][0] + "\x01" * (len(match[0]) - 1)
        ),
        text,
    )


def _split(text: str, router: Router) -> tuple[WorkOrder, ...]:
    covered = _covered(text)
    cuts = list(_CUT.finditer(covered))
    if (
        not cuts
        or not asks_directly(covered)
        or _TIED.search(covered)
        or any(shape.search(text) for shape in _SCHEDULES)
    ):
        return ()
    ends = [*(cut.start() for cut in cuts[1:]), len(text)]
    parts = [WorkOrder(text[: cuts[0].start()].strip(), router.route(text[: cuts[0].start()]))]
    begin = 0
    for cut, end in zip(cuts, ends, strict=True):
        piece = text[cut.end() : end].strip()
        is_own = _stands_alone(piece) and not _is_open(parts[-1].text)
        route = router.route(piece) if is_own else None
        if route is not None and _is_clear(route) and route.chosen != parts[-1].route.chosen:
            begin = cut.end()
            parts.append(WorkOrder(piece, route))
        else:
            whole = text[begin:end].strip()
            parts[-1] = WorkOrder(whole, parts[-1].route)
    return _checked(parts, router)


def _checked(parts: Sequence[WorkOrder], router: Router) -> tuple[WorkOrder, ...]:
    """Return parts only if every one of them, as it is now, is clearly for an agent of its own."""
    agents = {part.route.chosen for part in parts}
    if not 1 < len(parts) <= MOST_PARTS or len(agents) < len(parts):
        return ()
    again = [part if part.route.text == part.text else WorkOrder(part.text, router.route(part.text)) for part in parts]
    same = all(
        new.route.chosen == old.route.chosen and _is_clear(new.route) for new, old in zip(again, parts, strict=True)
    )
    return tuple(again) if same else ()


def _stands_alone(piece: str) -> bool:
    """Tell whether a piece is a wish of its own that needs nothing said before it."""
    first = re.match(r"\W*([a-z]+)", piece, re.IGNORECASE)
    if first is None or first[1].casefold() not in STARTS or _LEANS.search(piece):
        return False
    return not _LEANS_ON.search(piece) or bool(_STANDS.search(piece) or paths(piece))


def _is_open(piece: str) -> bool:
    return bool(_OPEN.search(_covered(piece))) and not QUOTED.search(piece)


def _is_clear(route: Route) -> bool:
    return route.chosen is not None and route.confidence >= CLEAR


def _chained(text: str, router: Router) -> tuple[WorkOrder, ...]:
    """Return two steps for two agents, the second of which uses what the first gives."""
    chain = read_chain(text) if len(text) <= LONGEST_SPLIT else None
    if chain is None:
        return ()
    first, second = router.route(chain.first), router.route(chain.second)
    if not (_is_clear(first) and _is_clear(second)) or first.chosen == second.chosen:
        return ()
    return WorkOrder(chain.first, first), WorkOrder(chain.second, second, needs=0, is_summary=chain.is_summary)


def _narrowed(parts: tuple[WorkOrder, ...], allowed: tuple[str, ...], router: Router) -> tuple[WorkOrder, ...]:
    """Give each part the allowed tools its agent has; none when they do not fit the parts exactly."""
    narrowed: list[WorkOrder] = []
    for part in parts:
        able = router.table[part.route.chosen or ""].capabilities
        mine = tuple(tool for tool in allowed if tool_capability(tool) in able)
        if not mine:
            return ()
        narrowed.append(WorkOrder(part.text, part.route, mine))
    return tuple(narrowed) if sum(len(part.allowed) for part in narrowed) == len(allowed) else ()
