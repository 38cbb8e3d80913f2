"""What a folder that nobody has trusted may do with a setting: rules that stand on the fields themselves.

    name: Free[bool]         any value: the setting is not about safety, keys, addresses or what is kept
    name: Lower[int]         only what is not above the user's own value; of a switch: only off
    name: Higher[bool]       only what is not below it; of a switch: only on
    name: Annotated[…, …]    a rule with words or numbers of its own: limit, ranked, only, WITHIN, BEYOND
    name: str                nothing: the setting needs trust
    name: Annotated[Folder, Contents(…)]   the same, and so does what is in these files

A field without a rule needs trust, so that a setting that comes along is safe before anybody thinks about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, TypeVar

T = TypeVar("T")


class FolderRule(NamedTuple):
    """What a folder may set without being trusted."""

    sentence: str
    """Which values those are, to go after "only"."""
    accepts: Callable[[Any, Any], bool]
    """From the folder's value and the user's own to whether the folder's holds."""


class Contents(NamedTuple):
    """Which files of a folder that a setting names are read: trust is bound to what is in them, too."""

    pattern: str
    """From the folder on, as :meth:`pathlib.Path.glob` takes it."""


FREE = FolderRule("any value", lambda _value, _own: True)
LOWER = FolderRule("what is not above your own value", lambda value, own: bool(value <= own))
HIGHER = FolderRule("what is not below your own value", lambda value, own: bool(value >= own))
WITHIN = FolderRule("names that are among your own", lambda value, own: set(value) <= set(own))
BEYOND = FolderRule("a list that holds all of your own names", lambda value, own: set(value) >= set(own))

Free = Annotated[T, FREE]
Lower = Annotated[T, LOWER]
Higher = Annotated[T, HIGHER]


def limit(unset: float = math.inf) -> FolderRule:
    """Return the rule of a limit: lower is stricter, and 0 or less is not set.

    Parameters
    ----------
    unset : float
        What a limit that is not set comes to.

    Examples
    --------
    >>> rule = limit()
    >>> rule.accepts(5, 0), rule.accepts(0, 5), rule.accepts(6, 5)
    (True, False, False)
    """
    return FolderRule(LOWER.sentence, lambda value, own: (value if value > 0 else unset) <= (own if own > 0 else unset))


def ranked(*words: str) -> FolderRule:
    """Return the rule of words that are ranked, the strictest last.

    Examples
    --------
    >>> ranked("none", "dangerous", "all").accepts("all", "none")
    True
    """
    return FolderRule(
        f"what is as strict as your own value or stricter, of {', '.join(words)}",
        lambda value, own: words.index(value) >= words.index(own),
    )


def only(*values: object) -> FolderRule:
    """Return the rule of a setting of which some values are harmless, whatever the user's own is.

    Examples
    --------
    >>> only("offline").accepts("offline", "openai:gpt-5")
    True
    """
    return FolderRule(" or ".join(map(str, values)), lambda value, _own: value in values)
