"""Recordings of models and tools: made once with the real ones, replayed for ever without them.

    record   a live model ──▶ Cassette ──▶ shed.json          known calls are answered from the file, new ones are kept
    replay                    Cassette ◀── shed.json          nothing is ever called; an unknown call says which it is

Calls are found by their content (``cassette_form.py``), so agents may ask in any order. Secrets are masked before
anything is written: a replay says ``[masked]`` where the model said a secret.
"""

from __future__ import annotations

import asyncio
import threading
from bisect import insort
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lango_nb.core.errors import ModelError, StoreError, ToolError, shorten
from lango_nb.core.masking import mask, mask_arguments, mask_value
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.core.paths import path_of
from lango_nb.core.text import counted
from lango_nb.models.cassette_file import ModelTaped, Taped, ToolTaped, read_cassette, write_cassette, writing
from lango_nb.models.cassette_form import (
    ENGINE_KINDS,
    Form,
    Names,
    difference,
    form_of,
    hide_reply,
    is_said_elsewhere,
    json_text,
    nearness,
    show_reply,
)
from lango_nb.models.model import Model, StreamingModel, is_live
from lango_nb.models.reading import pieces
from lango_nb.models.shipped import shipped_names
from lango_nb.tools.tape import MISS, ToolTape
from lango_nb.tools.tool import Tool, ToolResult

SHOWN = 60
"""Characters of a request that a message shows."""
STOPPED = Reply(text="the turn was stopped here when it was recorded")
"""Stands for the reply of a call during which the turn was stopped: a replay stops the turn there."""


class Entry:
    """One call, its place, and whether it was asked for since the cassette was opened or rewound."""

    def __init__(self, taped: Taped, place: int) -> None:
        self.taped, self.place, self.is_used = taped, place, False

    @property
    def key(self) -> str:
        """What it is found by."""
        if isinstance(self.taped, ModelTaped):
            return self.taped.form.key
        return tool_key(self.taped.tool, self.taped.arguments)

    @property
    def is_stop(self) -> bool:
        """Whether the turn was stopped during this call of a model."""
        return isinstance(self.taped, ModelTaped) and self.taped.reply is None

    @property
    def agent(self) -> str:
        """Who asked."""
        return self.taped.form.agent if isinstance(self.taped, ModelTaped) else self.taped.agent

    def __str__(self) -> str:
        if isinstance(self.taped, ToolTaped):
            return f"call {self.place + 1}: {called(self.taped.tool, self.taped.arguments)}"
        return f"call {self.place + 1}: {asked(self.taped.form)}"


class Entries:
    """All calls of a file.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: list[Entry] = []
        self._by_key: dict[str, list[Entry]] = defaultdict(list)
        self._places = 0
        self._seen = _signature(path)
        for taped in read_cassette(path):
            self.add(taped, self.new_place())

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def of(self, key: str) -> Sequence[Entry]:
        """Return the calls of a key, in the order in which they were recorded."""
        return self._by_key.get(key, ())

    def new_place(self) -> int:
        """Return the place of a call that begins now: the file has calls in this order, whoever ends first."""
        self._places += 1
        return self._places - 1

    def add(self, taped: Taped, place: int) -> Entry:
        """Put a call into its place."""
        entry = Entry(taped, place)
        for row in (self._entries, self._by_key[entry.key]):
            insort(row, entry, key=lambda one: one.place)
        return entry

    def write(self) -> None:
        """Write all calls down, with what another cassette of the same file has added meanwhile."""
        with writing(self.path):
            found = _signature(self.path)
            if found is not None and found != self._seen:
                self._join(read_cassette(self.path))
            write_cassette(self.path, [entry.taped for entry in self._entries])
            self._seen = _signature(self.path)

    def drop_unused(self) -> int:
        """Take out what nobody asked for, if the file is as it was read."""
        kept = [entry for entry in self._entries if entry.is_used]
        if _signature(self.path) != self._seen:
            raise StoreError(f"cassette {self.path.name} was changed by somebody else; open it again", "conflict")
        dropped = len(self._entries) - len(kept)
        if dropped:
            write_cassette(self.path, [entry.taped for entry in kept])
            self._seen = _signature(self.path)
            self._clear()
            for entry in kept:
                self.add(entry.taped, self.new_place()).is_used = True
        return dropped

    def _clear(self) -> None:
        self._entries = []
        self._by_key.clear()
        self._places = 0

    def _join(self, found: Sequence[Taped]) -> None:
        """Take over the calls of a file that somebody else has changed; ours that are not in it come last."""
        own, places = list(self._entries), self._places
        self._clear()
        for taped in found:
            same = next((one for one in own if _equal(one.taped, taped)), None)
            entry = self.add(taped, self.new_place())
            if same is not None:
                own.remove(same)
                entry.is_used = same.is_used
        for one in own:
            self.add(one.taped, self.new_place()).is_used = one.is_used
        self._places = max(self._places, places)  # calls that are under way have their places


def called(tool: str, arguments: Mapping[str, Any]) -> str:
    """Word a call of a tool.

    Examples
    --------
    >>> called("fs_read", {"path": "notes.md"})
    "fs_read(path='notes.md')"
    """
    given = ", ".join(f"{name}={shorten(repr(value), SHOWN)}" for name, value in arguments.items())
    return f"{tool}({given})"


def asked(form: Form) -> str:
    """Word a request to a model: who asked, and what was said last."""
    said = form.messages[-1].content if form.messages else ""
    return f"{form.agent or 'somebody'} after {shorten(said, SHOWN)!r}"


def tool_key(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return what two calls of a tool share that ask for the same."""
    return f"{tool} {json_text(arguments)}"


def _equal(one: Taped, other: Taped) -> bool:
    if isinstance(one, ModelTaped) and isinstance(other, ModelTaped):
        return one.form.key == other.form.key and one.reply == other.reply
    return one == other


def _signature(path: Path) -> tuple[int, int, int] | None:
    """Tell one state of a file from another, as well as the system can."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


_LONGEST = 300
"""Characters of an error that a turn keeps: what to do stands last in it and is not to be cut."""


class Cassette:
    """A file with calls of models and tools.

    Parameters
    ----------
    path : str or Path
        JSON; need not be there before the first recording.

    Raises
    ------
    StoreError
        The file is there and no cassette, damaged, or of a newer version.

    Notes
    -----
    The same request may be recorded several times: its replies come in the order in which they were recorded, and then
    there is none. A wait for a teammate that is still at work is not counted as one. A turn that was stopped during a
    call is stopped there again.

    Examples
    --------
    >>> import asyncio
    >>> from tempfile import mkdtemp
    >>> from lango_nb.core.messages import Message
    >>> from lango_nb.models.scripted import ScriptedModel
    >>> path, hello = Path(mkdtemp(), "hello.json"), [Message(role="user", content="hello")]
    >>> asyncio.run(Cassette(path).record(ScriptedModel(["Hi there."])).complete(hello, [])).text
    'Hi there.'
    >>> tape = Cassette(path)
    >>> asyncio.run(tape.replay().complete(hello, [])).text, tape.unused
    ('Hi there.', ())
    >>> asyncio.run(tape.replay().complete([Message(role="user", content="bye")], []))
    Traceback (most recent call last):
    ...
    lango_nb.core.errors.ModelError: call 2 is not on hello.json: somebody after 'bye'; nearest is its call 1, but \
message 1 differs: recorded 'hello', now 'bye'; record it with lab.record('hello.json') or %lango model NAME \
--record hello.json
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path_of(path)
        self._lock = threading.RLock()
        self._asked = 0
        self._misses: list[str] = []
        self._entries = Entries(self.path)

    def __repr__(self) -> str:
        models = sum(isinstance(entry.taped, ModelTaped) for entry in self._entries)
        counts = f"{counted(models, 'model call')}, {counted(len(self) - models, 'tool call')}"
        return f"<Cassette {self.path.name!r}: {counts}>"

    def __len__(self) -> int:
        return len(self._entries)

    def __reduce__(self) -> tuple[type[Cassette], tuple[Path]]:
        """Open it anew where it is unpickled, as if nobody had asked for anything."""
        return Cassette, (self.path.absolute(),)

    # -- what it gives -------------------------------------------------------------------------------------------------

    def record(self, model: Model) -> Model:
        """Return a model that answers known calls from the file, and asks another one for the others and keeps them.

        Parameters
        ----------
        model : Model
            Asked at most once for each new call; a call that fails is not kept.
        """
        return Recorder(self, model)

    def replay(self) -> Model:
        """Return a model that never calls anything.

        Raises
        ------
        StoreError
            There is no such file yet; code ``missing``.
        """
        if not self._entries and not self.path.exists():
            known = ""
            if self.path == Path(self.path.name):
                known = f"with the package come {' and '.join(shipped_names())}; "
            raise StoreError(f"cassette {self.path.name} is not there; {known}{self._advice()}", "missing")
        return Player(self)

    def model(self, live: Model | None = None) -> Model:
        """Return what :meth:`record` does with a live model, and what :meth:`replay` does without one."""
        return self.replay() if live is None else self.record(live)

    def tools(self, tools: Sequence[Tool], *, live: bool = False) -> tuple[Tool, ...]:
        """Serve tools from the file, or let them run and keep what they give.

        Parameters
        ----------
        tools : sequence of Tool
        live : bool
            Whether they run. Otherwise nothing happens outside of the engine: a call that is not on the cassette is
            answered with an error of code ``cassette_miss``.

        Returns
        -------
        tuple of Tool, of the same length

        Notes
        -----
        Tools that work on the engine's own runs, tasks and outputs always run: their ids are this engine's.
        """
        return ToolTape(self, live=live).tools(tools)

    # -- how far it is -------------------------------------------------------------------------------------------------

    @property
    def unused(self) -> tuple[str, ...]:
        """The recorded calls nobody asked for yet, a line each."""
        with self._lock:
            return tuple(str(entry) for entry in self._entries if not entry.is_used)

    @property
    def misses(self) -> tuple[str, ...]:
        """The calls that were not on the cassette, a line each; the first is often the cause of the others."""
        return tuple(self._misses)

    def rewind(self) -> None:
        """Begin again: every recorded call can be asked for once more."""
        with self._lock:
            for entry in self._entries:
                entry.is_used = False
            self._asked = 0
            self._misses.clear()

    def drop_unused(self) -> int:
        """Take the calls nobody asked for out of the file, after it was recorded anew.

        Returns
        -------
        int
            How many these were.

        Raises
        ------
        StoreError
            The file cannot be written, or somebody else has changed it since it was read.
        """
        with self._lock:
            return self._entries.drop_unused()

    def check_finished(self) -> None:
        """Refuse a cassette that was not played to its end, or that was asked for what it does not hold.

        Raises
        ------
        ModelError
            With code ``cassette_miss`` or ``cassette_unused``.
        """
        if self._misses:
            raise _model_error(self._misses[0], MISS)
        left = self.unused
        if left:
            more = f" and {len(left) - 1} more" if len(left) > 1 else ""
            detail = f"{left[0]}{more} of {self.path.name} was never asked for; record it again, or drop_unused()"
            raise _model_error(detail, "cassette_unused")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, stack: TracebackType | None
    ) -> None:
        if error is None:
            self.check_finished()

    # -- calls of models -----------------------------------------------------------------------------------------------

    def find(self, form: Form, names: Names, *, is_replay: bool = False) -> Reply | None:
        """Return the next recorded reply to a request, in the ids of its conversation; ``None`` when there is none.

        Parameters
        ----------
        form : Form
        names : Names
        is_replay : bool
            Whether nobody else can answer. A reply may then come once more after a wait that came to nothing, because a
            teammate is slower now; and a turn that was stopped is stopped again, see :data:`STOPPED`.
        """
        with self._lock:
            entries = [entry for entry in self._entries.of(form.key) if is_replay or not entry.is_stop]
            entry = next((entry for entry in entries if not entry.is_used), None)
            if entry is None and is_replay and form.is_poll and entries:
                entry = entries[-1]
            if entry is None:
                return None
            entry.is_used = True
            taped, turn = entry.taped, self._next_number()
        assert isinstance(taped, ModelTaped)  # noqa: S101 - keys of tools are of another shape
        if taped.reply is None:
            return STOPPED
        reply = show_reply(taped.reply, names, f"{form.key} {turn}")
        usage = reply.usage if reply.usage.model else reply.usage.model_copy(update={"model": taped.model})
        return reply.model_copy(update={"usage": usage})

    def keep_stop(self, form: Form, model: str, place: int) -> None:
        """Write down that the turn was stopped during a call."""
        with self._lock:
            self._entries.add(ModelTaped(form, mask(model), None), place).is_used = True
            self._entries.write()

    def keep(self, form: Form, names: Names, model: str, reply: Reply, place: int) -> None:
        """Write a new call down."""
        hidden = hide_reply(reply, names)
        with self._lock:
            before = self._entries.of(form.key)
            if form.is_poll and before and _is_same(before[-1].taped, hidden):
                return  # the same answer to "still running": a replay repeats it as often as it has to
            self._entries.add(ModelTaped(form, mask(model), hidden), place).is_used = True
            self._entries.write()

    def miss(self, form: Form) -> ModelError:
        """Say which call is new, and what of the nearest recorded one is different."""
        with self._lock:
            number = self._next_number()
            models = [(entry, entry.taped.form) for entry in self._entries if isinstance(entry.taped, ModelTaped)]
            if not models:
                why = "it holds no call of a model"
            else:
                entry, nearest = max(
                    models, key=lambda pair: (nearness(pair[1], form), not pair[0].is_used, pair[0].place)
                )
                differs = difference(nearest, form)
                place = entry.place + 1
                why = (
                    f"nearest is its call {place}, but {differs}"
                    if differs
                    else f"it is recorded as call {place}, which was asked for already"
                )
            anew = (
                "begin a new conversation: lab.new(), or "
                if is_said_elsewhere(form, (taped for _, taped in models))
                else ""
            )
            head, advice = f"call {number} is not on {self.path.name}: {asked(form)}", f"{anew}{self._advice()}"
            self._misses.append(f"{head}; {why}; {advice}")
        return _model_error(f"{head}; {shorten(why, _room(head, advice))}; {advice}", MISS)

    def new_place(self) -> int:
        """Count a call that begins now, and return its place: the file has calls in this order, whoever ends first."""
        with self._lock:
            self._asked += 1
            return self._entries.new_place()

    # -- calls of tools ------------------------------------------------------------------------------------------------

    def find_tool(self, tool: str, arguments: Mapping[str, Any], agent: str) -> ToolResult:
        """Return what a call of a tool gave."""
        names, hidden = _hidden_arguments(arguments)
        key = tool_key(tool, hidden)
        with self._lock:
            number = self._next_number()
            entries = self._entries.of(key)
            free = [entry for entry in entries if not entry.is_used]
            # the same call by two agents: each gets its own, else whoever is first
            entry = next((entry for entry in free if entry.agent == agent), free[0] if free else None)
            if entry is None:
                text = self._tool_miss(number, tool, hidden, agent, entries)
                self._misses.append(text)
                raise ToolError(text, MISS)
            entry.is_used = True
            taped = entry.taped
        assert isinstance(taped, ToolTaped)  # noqa: S101 - keys of models are of another shape
        maker = f"{key} {entry.place}"
        data = names.show_in(taped.data, maker)
        return ToolResult(names.show(taped.content, maker), taped.is_error, taped.code, data)

    def keep_tool(self, tool: str, arguments: Mapping[str, Any], agent: str) -> Callable[[ToolResult], None]:
        """Note that a tool runs; what is returned keeps its result."""
        names, hidden = _hidden_arguments(arguments)
        place = self.new_place()

        def keep(result: ToolResult) -> None:
            taped = ToolTaped(
                agent=agent,
                tool=tool,
                arguments=hidden,
                content=mask(names.hide(result.content)),
                is_error=result.is_error,
                code=result.code,
                data=mask_value(names.hide_in(result.data)),
            )
            with self._lock:
                self._keep_tool(taped, place)

        return keep

    def _keep_tool(self, taped: ToolTaped, place: int) -> None:
        """Let the next recorded result of the same call be the new one; the tool did run."""
        known = self._entries.of(tool_key(taped.tool, taped.arguments))
        entry = next((one for one in known if not one.is_used and one.agent == taped.agent), None)
        if entry is None:
            self._entries.add(taped, place).is_used = True
        else:
            entry.is_used = True
            if entry.taped == taped:
                return
            entry.taped = taped
        self._entries.write()

    def _tool_miss(
        self, number: int, tool: str, arguments: Mapping[str, Any], agent: str, entries: Sequence[Entry]
    ) -> str:
        others = [entry.taped for entry in self._entries if isinstance(entry.taped, ToolTaped)]
        same = [called(taped.tool, taped.arguments) for taped in others if taped.tool == tool]
        who = f" of {agent}" if agent else ""
        head = f"call {number} is not on {self.path.name}: {called(tool, arguments)}{who}"
        advice = f"nothing was run; {self._advice()}"
        if entries:
            why = f"it is recorded {counted(len(entries), 'time')}, and was asked for once more"
        elif same:
            why = f"recorded are {shorten(', '.join(same), _room(head, 'recorded are', advice))}"
        else:
            why = f"no call of {tool} is recorded"
        return f"{head}; {why}; {advice}"

    # -- the entries ---------------------------------------------------------------------------------------------------

    def _next_number(self) -> int:
        self._asked += 1
        return self._asked

    def _advice(self) -> str:
        """Word how to record in a notebook; of an absolute path only the name is told, notebooks keep what is said."""
        file = self.path.name if self.path.is_absolute() else str(self.path)
        line = "" if any(map(str.isspace, file)) else f" or %lango model NAME --record {file}"
        return f"record it with lab.record({file!r}){line}"


def _hidden_arguments(arguments: Mapping[str, Any]) -> tuple[Names, dict[str, Any]]:
    """Bring arguments into the form in which they are compared: ids of tools stay, they come from the tape as well."""
    names = Names(kinds=ENGINE_KINDS)
    return names, mask_arguments({name: names.hide_in(value) for name, value in arguments.items()})


def _room(*parts: str) -> int:
    """Return how much may still be said beside these parts of an error."""
    return max(_LONGEST - len("; ".join((*parts, ""))), SHOWN // 2)


def _is_same(taped: Taped, reply: Reply) -> bool:
    """Tell whether a reply says what a recorded one says, whatever it cost."""
    if not isinstance(taped, ModelTaped) or taped.reply is None:
        return False
    return (taped.reply.text, taped.reply.tool_calls) == (reply.text, reply.tool_calls)


async def _stop() -> None:
    """Cancel the task that asks, as Stop did when the turn was recorded."""
    task = asyncio.current_task()
    if task is not None:
        task.cancel(STOPPED.text)
    await asyncio.sleep(0)


def _model_error(text: str, code: str) -> ModelError:
    error = ModelError(text)
    error.code = code
    return error


# -- the models that a cassette gives ----------------------------------------------------------------------------------


class Player:
    """Answers with what is on a cassette and calls nothing.

    Parameters
    ----------
    tape : Cassette
    """

    def __init__(self, tape: Cassette) -> None:
        self.tape = tape

    @property
    def name(self) -> str:
        """``cassette:`` and the name of the file."""
        return f"cassette:{self.tape.path.name}"

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
        reply = self.tape.find(form, names, is_replay=True)
        if reply is None:
            raise self.tape.miss(form)
        if reply is STOPPED:
            await _stop()
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
    tape : Cassette
    live : Model
    """

    def __init__(self, tape: Cassette, live: Model) -> None:
        self.tape, self.live = tape, live

    @property
    def name(self) -> str:
        """What the other model is called."""
        return self.live.name

    @property
    def is_live(self) -> bool:
        """Whether the other model is live."""
        return is_live(self.live)

    def __repr__(self) -> str:
        return f"<Recorder {self.name!r} on {self.tape.path.name!r}>"

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
        reply = self.tape.find(form, names)
        return await self._ask(form, names, messages, tools) if reply is None else reply

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncIterator[str | Reply]:
        """Give the recorded reply, or ask and record; in the pieces in which the other model says it.

        Yields
        ------
        str or Reply
            An answer that is cut, or that nobody listens to until its end, is not kept.
        """
        form, names = form_of(messages, tools)
        reply = self.tape.find(form, names)
        if reply is None and isinstance(self.live, StreamingModel):
            place = self.tape.new_place()
            stream = self.live.stream(messages, tools)
            try:
                async for piece in stream:
                    if isinstance(piece, Reply):
                        self._keep(form, names, piece, place)
                    yield piece
            except asyncio.CancelledError as stop:
                self._keep_stop(form, stop, place)
                raise
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
        place = self.tape.new_place()
        try:
            reply = await self.live.complete(messages, tools)
        except asyncio.CancelledError as stop:
            self._keep_stop(form, stop, place)
            raise
        self._keep(form, names, reply, place)
        return reply

    def _keep_stop(self, form: Form, stop: asyncio.CancelledError, place: int) -> None:
        """Keep that somebody stopped the turn; a time limit says its name, and comes by itself."""
        if not stop.args:
            self.tape.keep_stop(form, self.name, place)

    def _keep(self, form: Form, names: Names, reply: object, place: int) -> None:
        """Keep a reply, unless it is none: the turn refuses such a one and says why."""
        if not isinstance(reply, Reply):
            return
        try:
            whole = Reply.model_validate(reply.model_dump(warnings=False))
        except ValueError:
            return
        self.tape.keep(form, names, self.name, whole, place)
