"""The contract every ``bench_<framework>.py`` is written to: the task, the script of the model, what a bench provides.

The model of a framework looks only at the messages it is given and asks the :class:`Probe` what to do:

    root         hello: a text · delegate: the first specialist · fanout: all eight at once
                 an ``ANS:`` came back: ``DONE:`` and what came
    specialist   no ``FILE:`` yet: call ``fs_read`` · else ``ANS:`` and what the tool said

so the final answer can hold the turn's nonce only if everything between really happened. Nothing but the standard
library is imported here: the file runs in every peer's environment.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Literal

Mode = Literal["hello", "delegate", "fanout"]

SPECIALISTS = ["files", "mail", "web", "calendar", "shell", "notes", "data", "review"]
N_SPECIALISTS = len(SPECIALISTS)
TOOLS_PER_SPECIALIST = 5
ROOT_PROMPT = "You are the root. Answer directly, or give the request to the specialist it belongs to."
SPEC_PROMPT = "You are the {name} specialist. Use your tools, then answer in one sentence."
USER_HELLO = "Hello, who are you?"
USER_DELEGATE = "Please read the file for this turn and tell me what it says."
FANOUT_SLEEP = 0.020
"""Seconds a model call takes in S5."""


class Probe:
    """What a turn shall do and what it really did; models and tools write it, the measuring reads it between turns."""

    def __init__(self) -> None:
        self.mode: Mode = "hello"
        self.sleep = 0.0
        """Seconds per model call."""
        self.nonce = 0
        self.model_calls = 0
        self.tool_runs = 0
        self.root_seen = 0
        """Messages in the last request of the root's model."""
        self.any_seen = 0
        """Messages in the largest request of the turn."""
        self._ids = itertools.count(1)

    def start(self, mode: Mode) -> None:
        """Begin a turn."""
        self.mode = mode
        self.nonce += 1
        self.model_calls = self.tool_runs = self.root_seen = self.any_seen = 0

    def root(self, n_messages: int, last_text: str) -> tuple[str, Any]:
        """Say what the root's model answers: ``("text", text)`` or ``("delegate", names)``."""
        self._count(n_messages)
        self.root_seen = n_messages
        if self.mode == "hello":
            return "text", "Hello there."
        if "ANS:" in last_text:
            return "text", "DONE: " + last_text
        return "delegate", SPECIALISTS[:1] if self.mode == "delegate" else SPECIALISTS

    def spec(self, name: str, n_messages: int, last_text: str) -> tuple[str, str]:
        """Say what a specialist's model answers: ``("text", text)`` or ``("tool", path)``."""
        self._count(n_messages)
        if "FILE:" in last_text:
            return "text", "ANS:" + last_text
        return "tool", f"/data/{self.nonce}-{name}.txt"

    def _count(self, n_messages: int) -> None:
        self.model_calls += 1
        self.any_seen = max(self.any_seen, n_messages)

    def nap(self) -> Awaitable[None]:
        """Take the time of a model call."""
        return asyncio.sleep(self.sleep)

    def call_id(self) -> str:
        """Return an id for a tool call."""
        return f"call_{next(self._ids)}"

    def expect(self, name: str) -> str:
        """Return what must be in the final answer when a specialist was asked."""
        return f"FILE:/data/{self.nonce}-{name}.txt:ok"

    def check(self, answer: str, model_calls: int) -> None:
        """See that a delegate turn did what it should have done.

        Raises
        ------
        AssertionError
            It did not.
        """
        found = (self.tool_runs, self.model_calls, self.expect(SPECIALISTS[0]) in answer)
        if found != (1, model_calls, True):
            raise AssertionError(f"runs of the tool, model calls, nonce arrived: {found}; the answer was {answer!r}")


def tool_functions(probe: Probe, spec: str) -> list[Callable[..., Any]]:
    """Make five fresh typed functions for one specialist; only ``fs_read`` does something."""

    def fs_read(path: str) -> str:
        """Read a text file and return its content.

        Args:
            path: The path of the file to read.
        """
        probe.tool_runs += 1
        return f"FILE:{path}:ok"

    def fs_write(path: str, text: str) -> str:
        """Write a text file.

        Args:
            path: The path of the file to write.
            text: The new content.
        """
        return f"{path}: {len(text)}"

    def search(query: str, limit: int = 10) -> str:
        """Search for something.

        Args:
            query: What to look for.
            limit: How many results at most.
        """
        return query[:limit]

    def summarize(text: str, words: int = 100) -> str:
        """Summarize a text.

        Args:
            text: The text to shorten.
            words: How long the summary may be.
        """
        return " ".join(text.split()[:words])

    def remember(key: str, value: str, tags: list[str] | None = None) -> str:
        """Keep a value for later.

        Args:
            key: The name to keep it under.
            value: The value to keep.
            tags: Optional tags.
        """
        return f"{key}={value} {tags or ''}"

    return [fs_read, fs_write, search, summarize, remember]


class Bench:
    """One framework: what it can do, and how to make it do that."""

    name: ClassVar[str] = "?"
    dists: ClassVar[list[str]] = []
    """Distributions whose versions are reported."""
    modes: ClassVar[dict[str, int]] = {"astool": 4}
    """Idioms, the usual one first, with their model calls in a delegate turn."""
    history: ClassVar[bool] = True
    """Whether it keeps a conversation (S3)."""
    durable: ClassVar[bool] = False
    """Whether it has a store on disk (S4), for ``durable_modes`` or for all."""
    durable_modes: ClassVar[tuple[str, ...] | None] = None
    store: ClassVar[str] = "-"
    fanout_modes: ClassVar[dict[str, int]] = {}
    """Idioms that can ask all specialists at once (S5), with the model calls one after the other."""
    tracing: ClassVar[str] = ""
    """How its tracing is switched on (S2t); empty when it is not measured."""
    notes: ClassVar[str] = ""

    def make_tree(self, probe: Probe, mode: str) -> Any:
        """Build the root and the specialists with their tools, and nothing else (S6)."""
        raise NotImplementedError

    async def open_session(self, tree: Any, sid: str, db: str | None = None) -> Any:
        """Begin a conversation; ``db`` is the path of the store on disk, if one is wanted."""
        raise NotImplementedError

    async def turn(self, session: Any, text: str) -> str:
        """Run one turn and return the text of the final answer."""
        raise NotImplementedError

    async def hello(self, session: Any) -> str:
        """Run the turn of S1."""
        return await self.turn(session, USER_HELLO)

    async def delegate_turn(self, session: Any) -> str:
        """Run the turn of S2, S3 and S4."""
        return await self.turn(session, USER_DELEGATE)

    async def fanout_turn(self, session: Any) -> str:
        """Run the turn of S5."""
        return await self.turn(session, USER_DELEGATE)

    async def close_session(self, session: Any) -> None:
        """End a conversation, where that has to be done."""

    async def stored_count(self, db: str, sid: str, probe: Probe, mode: str) -> int:
        """Open the store on disk with fresh objects and count what it holds of a session (S4)."""
        raise NotImplementedError

    def enable_tracing(self) -> Callable[[], int]:
        """Switch tracing on, kept in memory; return a function that counts what came since it was last called."""
        raise NotImplementedError

    def plan(self) -> list[tuple[str, str]]:
        """List the (scenario, idiom) pairs it can run."""
        first = next(iter(self.modes))
        return [
            ("COLD", first),
            ("MEM", first),
            ("S1", first),
            *(("S2", mode) for mode in self.modes),
            *([("S2t", first)] if self.tracing else []),
            *(("S3", mode) for mode in self.modes if self.history),
            *(("S4", mode) for mode in (self.durable_modes or self.modes) if self.durable),
            *(("S5", mode) for mode in self.fanout_modes),
            *(("S6", mode) for mode in self.modes),
        ]
