"""Parts of conversations that nobody copies: a long one is given to a model at every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import overload

from lango_nb.core.messages import Message


class Excerpt(Sequence[Message]):
    """The messages of several lists one after the other, as they were when this was made.

    Parameters
    ----------
    *parts : tuple of (Sequence, int)
        Lists that only grow, each with the place it is read from.

    Examples
    --------
    >>> said = [Message(role="user", content=word) for word in ("old", "new")]
    >>> excerpt = Excerpt((said, 1), (said, 0))
    >>> said.append(Message(role="user", content="later"))
    >>> [message.content for message in excerpt], len(excerpt), excerpt[-1].content
    (['new', 'old', 'new'], 3, 'new')
    """

    __slots__ = ("_length", "_parts")

    def __init__(self, *parts: tuple[Sequence[Message], int]) -> None:
        self._parts = [(messages, start, len(messages)) for messages, start in parts if start < len(messages)]
        self._length = sum([end - start for _, start, end in self._parts])

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Message]:
        return chain.from_iterable([islice(messages, start, end) for messages, start, end in self._parts])

    def __reversed__(self) -> Iterator[Message]:
        for messages, start, end in reversed(self._parts):
            yield from (messages[place] for place in range(end - 1, start - 1, -1))

    @overload
    def __getitem__(self, place: int) -> Message: ...

    @overload
    def __getitem__(self, place: slice) -> list[Message]: ...

    def __getitem__(self, place: int | slice) -> Message | list[Message]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(self._length))]
        if place < 0:  # the latest are asked for most
            for messages, start, end in reversed(self._parts):
                if start <= end + place:
                    return messages[end + place]
                place += end - start
        else:
            for messages, start, end in self._parts:
                if place < end - start:
                    return messages[start + place]
                place -= end - start
        raise IndexError("there are not as many messages")

    def __add__(self, other: Sequence[Message]) -> list[Message]:
        return [*self, *other]

    def __radd__(self, other: Sequence[Message]) -> list[Message]:
        return [*other, *self]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it is compared with what it holds

    def __repr__(self) -> str:
        return repr(list(self))
