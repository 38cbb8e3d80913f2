"""How a piece of work ends: with an answer, or at something that lets it go no further."""

from __future__ import annotations

from dataclasses import dataclass

from lango_nb.core.events import Outcome


@dataclass(frozen=True, slots=True)
class Ending:
    """How a piece of work came out."""

    outcome: Outcome
    code: str
    text: str
    """The visible answer, or why there is none."""
    is_answered: bool = False
    """Whether somebody answered: what still goes on may go on."""


class Stopped(Exception):  # noqa: N818 - a signal inside the turn, like StopIteration; never seen outside
    """The work cannot go on: a limit, or a reply that leads nowhere.

    Parameters
    ----------
    code : str
        Short word kept in the trace.
    detail : str
        One sentence.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
