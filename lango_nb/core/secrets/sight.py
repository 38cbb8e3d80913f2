"""What a rule is given to look at, and what it finds: :class:`Sight` and :class:`SecretSpan`; and your own patterns."""

from __future__ import annotations

import re
from typing import NamedTuple

from lango_nb.core.lazy import compiled

MASK = "[masked]"
"""What stands in a secret's place."""


LONGEST_OWN = 1_000
"""Characters that a pattern of your own matches at most: a secret that goes on there hides what follows."""


class OwnPattern(NamedTuple):
    """A pattern of your own that was checked."""

    pattern: re.Pattern[str]
    longest: int
    """Characters it matches at most."""
    has_blanks: bool
    """Whether it may match a blank or the end of a line."""


class Unfinished(Exception):  # noqa: N818 - no failure: the text is still growing
    """What follows may still change whether there is a secret, and where it ends."""


class SecretSpan(NamedTuple):
    """A secret in a text, and what comes in its place."""

    start: int
    end: int
    instead: str = MASK


class Sight(NamedTuple):
    """A place where something begins that may be a secret, or announce one."""

    text: str
    at: int
    word: str
    """What was seen there."""
    end: int
    """What stands from here on is not looked at."""
    is_last: bool
    """Whether nothing will follow that could matter."""
    first: int = 0
    """What stands before this is a secret already."""
    keys: tuple[str, ...] = ()
    """Names of your own."""

    def match(self, pattern: str, place: int) -> re.Match[str] | None:
        """Match a pattern at a place.

        Parameters
        ----------
        pattern : str
        place : int

        Returns
        -------
        re.Match or None

        Raises
        ------
        lango_nb.core.secrets.sight.Unfinished
            It goes on to the end of a text that still grows.
        """
        found = compiled(pattern).match(self.text, place, self.end)
        if found is not None:
            self.check(found.end())
        return found

    def check(self, place: int) -> None:
        """See that there is something after a place, or will never be.

        Parameters
        ----------
        place : int

        Raises
        ------
        lango_nb.core.secrets.sight.Unfinished
            The text still grows there.
        """
        if place >= self.end and not self.is_last:
            raise Unfinished

    def check_whole(self, pattern: str, place: int) -> None:
        """See that what a pattern matches at a place is there as a whole.

        Parameters
        ----------
        pattern : str
        place : int

        Raises
        ------
        lango_nb.core.secrets.sight.Unfinished
            It goes on to the end of a text that still grows.
        """
        if not self.is_last:
            self.match(pattern, place)
