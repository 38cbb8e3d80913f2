"""Summaries of what models are not given any more of a conversation: kept with the turn that made them, as its event.

    said    ├── stands in a summary ──┼── given ──────────────┤
    later   ├── stands in a summary ──┼── given ─────────── … ┼── more than fits: half of it goes into the next
    then    ├── stands in the next one, made of the summary and what went ──┼── given ──┤

A summary says what it stands for by the request of its last exchange, so it is found again however the session was
read. Every budget has its own: a model that is given less is summed up more. It is forgotten with its turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lango_nb.core.messages import SUMMARY, Message

if TYPE_CHECKING:
    from lango_nb.stores.store import Row

KIND = "history.summarized"
"""Kind of the events that hold summaries."""


class Summary(NamedTuple):
    """What stands for the beginning of a conversation; an event has the same fields."""

    text: str
    dropped: int
    """Messages it stands for."""
    through: str
    """Id of the request that begins the last exchange it stands for."""
    limit_tokens: int
    """How many tokens of the conversation the model is given that it was made for."""

    def message(self, author: str) -> Message:
        """Return what a model is given in place of the messages; it is told that it is not a request.

        Parameters
        ----------
        author : str
            The root agent.

        Examples
        --------
        >>> print(Summary("They talked about milk.", 12, "turn-6.1", 1000).message("root").content)
        (The 12 messages before are left out. This is a summary of them, not a request.)
        They talked about milk.
        """
        which = "message" if self.dropped == 1 else f"{self.dropped:,} messages"
        said = f"(The {which} before are left out. This is a summary of them, not a request.)\n{self.text}"
        return Message.unchecked("user", author, said, SUMMARY, "")


def summary_of(row: Row) -> Summary:
    """Return the summary that the row of an event holds."""
    text, through = str(row["text"]), str(row["through"])
    return Summary(text, int(str(row["dropped"])), through, int(str(row["limit_tokens"])))
