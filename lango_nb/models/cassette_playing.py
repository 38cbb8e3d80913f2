"""The models that a cassette gives: one replays, one records."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import TYPE_CHECKING, Protocol

from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.models.cassette_form import Form, form_of
from lango_nb.models.cassette_names import Names
from lango_nb.models.model import Model, StreamingModel, is_live
from lango_nb.models.reading import pieces

if TYPE_CHECKING:
    from pathlib import Path

    from lango_nb.core.errors import ModelError


class Tape(Protocol):
    """What a model needs of a cassette."""

    path: Path

    def find(self, form: Form, names: Names, *, waits_again: bool = False) -> Reply | None:
        """Return the next recorded reply to a request; ``None`` when there is none."""
        ...

    def keep(self, form: Form, names: Names, model: str, reply: Reply, place: int) -> None:
        """Write a new call down."""
        ...

    def miss(self, form: Form) -> ModelError:
        """Say which call is new."""
        ...

    def new_place(self) -> int:
        """Return the place of a call that begins now."""
        ...


class Player:
    """Answers with what is on a cassette and calls nothing.

    Parameters
    ----------
    tape : Tape
    """

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    @property
    def name(self) -> str:
        """``cassette:`` and the name of the file."""
        return f"cassette:{self._tape.path.name}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Give the recorded reply.

        Raises
        ------
        ModelError
            It is not on the cassette, or was given already; code ``cassette_miss``.
        """
        form, names = form_of(messages, tools)
        reply = self._tape.find(form, names, waits_again=True)
        if reply is None:
            raise self._tape.miss(form)
        return reply

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncIterator[str | Reply]:
        """Give the recorded reply word by word, and at last as a whole.

        Yields
        ------
        str or Reply
        """
        reply = await self.complete(messages, tools)
        for piece in pieces(reply.text):
            yield piece
        yield reply


class Recorder:
    """Answers known calls from a cassette, and has another model answer new ones.

    Parameters
    ----------
    tape : Tape
    live : Model
    """

    def __init__(self, tape: Tape, live: Model) -> None:
        self._tape, self._live = tape, live

    @property
    def name(self) -> str:
        """What the other model is called."""
        return self._live.name

    @property
    def is_live(self) -> bool:
        """Whether the other model is live."""
        return is_live(self._live)

    def __repr__(self) -> str:
        return f"<Recorder {self.name!r} on {self._tape.path.name!r}>"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Give the recorded reply, or ask and record.

        Raises
        ------
        StoreError
            The reply cannot be written down.
        Exception
            Whatever the other model raises; nothing is kept then.
        """
        form, names = form_of(messages, tools)
        reply = self._tape.find(form, names)
        return await self._ask(form, names, messages, tools) if reply is None else reply

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncIterator[str | Reply]:
        """Give the recorded reply, or ask and record; in the pieces in which the other model says it.

        Yields
        ------
        str or Reply
            An answer that is cut, or that nobody listens to until its end, is not kept.
        """
        form, names = form_of(messages, tools)
        reply = self._tape.find(form, names)
        if reply is None and isinstance(self._live, StreamingModel):
            place = self._tape.new_place()
            stream = self._live.stream(messages, tools)
            try:
                async for piece in stream:
                    if isinstance(piece, Reply):
                        self._keep(form, names, piece, place)
                    yield piece
            finally:
                if isinstance(stream, AsyncGenerator):
                    await stream.aclose()
            return
        if reply is None:
            reply = await self._ask(form, names, messages, tools)
        for piece in pieces(reply.text):
            yield piece
        yield reply

    async def _ask(self, form: Form, names: Names, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        place = self._tape.new_place()
        reply = await self._live.complete(messages, tools)
        self._keep(form, names, reply, place)
        return reply

    def _keep(self, form: Form, names: Names, reply: object, place: int) -> None:
        """Keep a reply, unless it is none: the turn refuses such a one and says why."""
        if not isinstance(reply, Reply):
            return
        try:
            whole = Reply.model_validate(reply.model_dump(warnings=False))
        except ValueError:
            return
        self._tape.keep(form, names, self.name, whole, place)
