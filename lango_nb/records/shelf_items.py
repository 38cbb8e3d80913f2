"""Items of a shelf as records: notes, tags, labelled requests, definitions, results, or a kind of your own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

_OWN = ("kind", "name", "text", "agent", "turn", "turn_id", "at")


@dataclass(frozen=True, slots=True)
class ShelfItem:
    """One item; what a person wrote by hand is read as far as it goes."""

    kind: str
    """``notes``, ``tags``, ``examples`` and so on."""
    number: int
    """Among the items of its kind."""
    name: str = ""
    """What it is called; a tag is its name."""
    text: str = ""
    """What it says, in a line or more."""
    agent: str = ""
    """The agent it is about."""
    turn: int | None = None
    """Number of the turn it is about."""
    turn_id: str = ""
    at: datetime | None = None
    """When it was put there."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Its other fields."""

    @property
    def id(self) -> str:
        """Its kind and number.

        Examples
        --------
        >>> ShelfItem("notes", 3).id
        'notes/3'
        """
        return f"{self.kind}/{self.number}"

    def holds(self, text: str) -> bool:
        """Tell whether a text stands somewhere in it, upper and lower case alike.

        Examples
        --------
        >>> ShelfItem("notes", 1, text="Asked twice").holds("asked")
        True
        """
        wanted = text.casefold()
        said = (self.id, self.name, self.text, self.agent, self.turn_id, *_texts(self.more.values()))
        return any(wanted in part.casefold() for part in said)

    @classmethod
    def of(cls, kind: str, number: int, document: Mapping[str, Any]) -> ShelfItem:
        """Read a document.

        Parameters
        ----------
        kind : str
        number : int
        document : mapping
            With any of the fields of an item, all of them optional.

        Returns
        -------
        ShelfItem

        Examples
        --------
        >>> ShelfItem.of("tags", 1, {"name": "slow", "turn": "three", "by": "me"})
        ShelfItem(kind='tags', number=1, name='slow', text='', agent='', turn=None, turn_id='', at=None,
                  more={'by': 'me'})
        """
        turn = document.get("turn")
        return cls(
            kind,
            number,
            name=str(document.get("name") or ""),
            text=str(document.get("text") or ""),
            agent=str(document.get("agent") or ""),
            turn=turn if isinstance(turn, int) and not isinstance(turn, bool) else None,
            turn_id=str(document.get("turn_id") or ""),
            at=_time(document.get("at")),
            more={name: value for name, value in document.items() if name not in _OWN},
        )


def _time(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _texts(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, Mapping):
            yield from _texts(value.values())
        elif isinstance(value, list | tuple):
            yield from _texts(value)
        else:
            yield str(value)
