"""Large results of tool calls: a model is shown the beginning and the end, and the whole is kept for questions.

    the beginning
    [… 41,350 characters left out …]
    the end
    {"_meta":{"originalTokens":12345,"tier":"large","contentType":"text","compressed":true,"storedRef":"out-…"}}

``tool_output_get`` reads the rest by its ``storedRef``. Results within the budget pass untouched.

A reference is made from the call and what it gave. It repeats to the letter, and nobody who was not told it can guess
it: one agent does not read another's results by counting up.

A line longer than :data:`LINE` characters counts as several, so that the parts of one endless line can be had too.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

from lango_nb.core.clock import Clock
from lango_nb.core.errors import ToolError, shorten
from lango_nb.core.text import CHARS_PER_TOKEN, estimate_tokens
from lango_nb.hooks.hook import AfterResult, HookCall
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.expressions import is_expression, matching_lines
from lango_nb.tools.tool import ToolResult
from lango_nb.tools.workers import WORKERS

Mode = Literal["full", "range", "grep"]
LINE = 1000
"""Characters of a line; longer ones count as several."""
OVERLAP = 500
"""How far into the next piece of an endless line a match may reach; the longest pattern, too."""
MATCHES = 50
"""Matching lines that are given when the call does not say."""
SEARCH_S = 3.0
"""How long a regular expression may search."""


class _Kept(NamedTuple):
    content: str
    until_s: float


class OutputStore:
    r"""Keeps whole results.

    Parameters
    ----------
    clock : Clock
    ttl_s : float
        How long a result is kept, seconds.
    most_characters : int
        Of all results together; the oldest go first, and one that is larger by itself is not kept.
    answer_characters : int
        Of what :meth:`fetch` gives at once.

    Examples
    --------
    >>> from lango_nb.core.clock import SteppedClock
    >>> store = OutputStore(SteppedClock())
    >>> ref = store.keep("call-1", "one\ntwo")
    >>> ref == store.keep("call-1", "one\ntwo"), len(store.refs)
    (True, 1)
    """

    def __init__(
        self,
        clock: Clock,
        *,
        ttl_s: float = 600.0,
        most_characters: int = 64_000_000,
        answer_characters: int = 8000,
    ) -> None:
        self._clock = clock
        self._ttl_s = ttl_s
        self._most = most_characters
        self._answer = answer_characters
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    @property
    def refs(self) -> tuple[str, ...]:
        """References of all results that are kept, oldest first."""
        return tuple(self._kept)

    def keep(self, call_id: str, content: str) -> str:
        """Keep a result.

        Parameters
        ----------
        call_id : str
        content : str

        Returns
        -------
        str
            The reference; empty when the result is too large to be kept.
        """
        if len(content) > self._most:
            return ""
        ref = _reference(call_id, content)
        until_s = self._clock.monotonic_s() + self._ttl_s
        with self._lock:
            self._forget(ref)
            self._kept[ref] = _Kept(content, until_s)
            self._characters += len(content)
            while self._characters > self._most:
                self._forget(next(iter(self._kept)))
        return ref

    def content(self, ref: str) -> str:
        """Return a whole result.

        Raises
        ------
        ToolError
            There is none of that reference, or not any more; code ``output_not_found``.
        """
        now_s = self._clock.monotonic_s()
        with self._lock:
            for old in [old for old, kept in self._kept.items() if kept.until_s <= now_s]:
                self._forget(old)
            kept = self._kept.get(ref)
        if kept is None:
            minutes = f"{self._ttl_s / 60:g} minutes"
            detail = f"no stored output {shorten(ref, 40)!r}; outputs are kept for {minutes}: call the tool again"
            raise ToolError(detail, "output_not_found")
        return kept.content

    async def fetch(  # noqa: PLR0913 - all by name
        self,
        ref: str,
        mode: str = "full",
        *,
        start_line: int = 0,
        end_line: int = 0,
        pattern: str = "",
        max_lines: int = 0,
    ) -> ToolResult:
        """Return a kept result, or a part of it, numbered by line.

        Parameters
        ----------
        ref : str
        mode : {"full", "range", "grep"}
        start_line, end_line : int
            First and last line of a range, from 1; 0 stands for the first and the last there are.
        pattern : str
            Plain text or a regular expression; a line that holds either fits.
        max_lines : int
            Lines at most; 0 takes what fits.

        Raises
        ------
        ToolError
            Nothing is kept under that reference, the range is none, or the pattern takes too long.
        """
        content = self.content(ref)
        match mode:
            case "full":
                return self._full(content)
            case "range":
                return await WORKERS.run(partial(self._range, content, start_line, end_line, max_lines))
            case "grep":
                return await WORKERS.run(partial(self._grep, content, pattern, max_lines))
        raise ToolError(f"mode is one of full, range, grep, got {shorten(mode, 40)!r}", BAD_ARGUMENT)

    def _full(self, content: str) -> ToolResult:
        if len(content) <= self._answer:
            return ToolResult(content)
        rest = len(content) - self._answer
        return ToolResult(
            f"{content[: self._answer]}\n[{rest:,} of {len(content):,} characters left out; use mode range or grep]"
        )

    def _range(self, content: str, start: int, end: int, most: int) -> ToolResult:
        lines = _lines(content)
        first, last = max(start, 1), min(end, len(lines)) if end > 0 else len(lines)
        if first > last:
            raise ToolError(f"lines {start}-{end} are out of range: there are {len(lines):,}", BAD_ARGUMENT)
        numbers = range(first - 1, min(last, first - 1 + most) if most > 0 else last)
        shown = self._numbered(lines, numbers)
        return ToolResult(f"lines {first:,}-{first + len(shown) - 1:,} of {len(lines):,}:\n" + "\n".join(shown))

    def _grep(self, content: str, pattern: str, most: int) -> ToolResult:
        if not pattern:
            raise ToolError("missing pattern parameter; mode grep needs one", "missing_argument")
        if len(pattern) > OVERLAP:
            raise ToolError(f"pattern has {len(pattern):,} characters and may have {OVERLAP}", BAD_ARGUMENT)
        found = _find(content, pattern)
        lines = _lines(content)
        if not found:
            return ToolResult(f"none of {len(lines):,} lines matches {pattern!r}", data={"matches": 0})
        shown = self._numbered(lines, found[: most if most > 0 else MATCHES])
        told = "" if len(shown) == len(found) else f", the first {len(shown):,} of them"
        verb = "matches" if len(found) == 1 else "match"
        head = f"{len(found):,} of {len(lines):,} lines {verb} {pattern!r}{told}:"
        return ToolResult("\n".join((head, *shown)), data={"matches": len(found)})

    def _numbered(self, lines: list[str], numbers: range | list[int]) -> list[str]:
        """Write lines with their numbers, as many as fit; the first one always."""
        shown: list[str] = []
        room = self._answer
        for number in numbers:
            line = f"{number + 1}: {lines[number]}"
            room -= len(line) + 1
            if room < 0 and shown:
                break
            shown.append(line)
        return shown

    def _forget(self, ref: str) -> None:
        kept = self._kept.pop(ref, None)
        if kept is not None:
            self._characters -= len(kept.content)


def _reference(call_id: str, content: str) -> str:
    """Name a result by its call and its beginning, end and length: quick for large ones."""
    import hashlib

    seen = f"{call_id}\0{len(content)}\0{content[:65536]}\0{content[-65536:]}"
    return f"out-{hashlib.blake2b(seen.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


def _lines(content: str, overlap: int = 0) -> list[str]:
    """Split into lines of at most :data:`LINE` characters, each with a look at how its own line goes on."""
    whole = content.removesuffix("\n").split("\n")
    if max(map(len, whole)) <= LINE:
        return whole
    lines: list[str] = []
    for line in whole:
        if len(line) <= LINE:
            lines.append(line)
        else:
            lines += [line[place : place + LINE + overlap] for place in range(0, len(line), LINE)]
    return lines


def _find(content: str, pattern: str) -> list[int]:
    """Return the numbers, from 0, of the lines that hold a text or match an expression."""
    is_plain = not is_expression(pattern)
    if is_plain and pattern not in content:
        return []
    lines = _lines(content, OVERLAP)
    plain = [number for number, line in enumerate(lines) if 0 <= line.find(pattern) < LINE]
    if is_plain:
        return plain
    try:
        return sorted({*plain, *matching_lines(pattern, lines, SEARCH_S, LINE)})
    except ToolError as error:
        if error.code == BAD_ARGUMENT:  # a text with characters that mean something in expressions
            return plain
        raise


__all__ = ["OutputManager", "OutputStore", "compress"]

FETCH = "tool_output_get"
"""The control tool that reads a kept result; what it gives is not kept once more."""
_MEDIUM = 3
"""Budgets up to which a result counts as medium; beyond it is large."""
_FRAME = 250
"""Characters that are taken by what says how much was left out, and where it is."""
_NEAR = 200
"""Characters within which a cut moves to the end of a line."""


class OutputManager:
    """Compresses large results.

    Parameters
    ----------
    store : OutputStore, optional
        Keeps the whole results; without one they are cut and gone.
    token_budget : int
        Tokens of a result that passes untouched.
    head_ratio, tail_ratio : float
        Shares of the budget for the beginning and the end; scaled down when they are more than the whole.
    """

    name = "output_manager"
    priority = 20

    def __init__(
        self,
        store: OutputStore | None = None,
        *,
        token_budget: int = 2000,
        head_ratio: float = 0.7,
        tail_ratio: float = 0.3,
    ) -> None:
        self._store = store
        self._budget = token_budget * CHARS_PER_TOKEN
        whole = max(head_ratio + tail_ratio, 1.0)
        room = max(self._budget - _FRAME, self._budget // 2)
        self._head = int(room * head_ratio / whole)
        self._tail = int(room * tail_ratio / whole)

    async def after(self, call: HookCall, result: ToolResult) -> AfterResult:
        """Compress what is larger than the budget, unless it is a part of something kept already."""
        content = result.content
        if len(content) <= self._budget or (call.tool.is_control and call.tool.name == FETCH):
            return None
        ref = (
            self._store.keep(f"{call.turn_id} {call.run_id} {call.call_id}", content) if self._store is not None else ""
        )
        meta = {
            "originalTokens": estimate_tokens(len(content)),
            "tier": "medium" if len(content) <= _MEDIUM * self._budget else "large",
            "contentType": content_type(content),
            "compressed": True,
            "storedRef": ref or None,
        }
        told = json.dumps({"_meta": meta}, separators=(",", ":"))
        return replace(result, content=f"{compress(content, self._head, self._tail)}\n{told}")


def compress(content: str, head: int, tail: int) -> str:
    r"""Leave out the middle of a text.

    Parameters
    ----------
    content : str
    head, tail : int
        Characters to keep of the beginning and the end; a little less where a line ends nearby.

    Examples
    --------
    >>> print(compress("first line\n" + "x" * 5000 + "\nlast line", 15, 12))
    first line
    [… 5,001 characters left out …]
    last line
    """
    if head + tail >= len(content):
        return content
    first = _end_of_line(content, head)
    last = _start_of_line(content, len(content) - tail)
    left_out = f"[… {last - first:,} characters left out …]"
    return "\n".join(part for part in (content[:first].rstrip("\n"), left_out, content[last:]) if part)


def content_type(content: str) -> Literal["json", "text"]:
    """Guess what a result is from its two ends; parsing something large would take too long.

    Examples
    --------
    >>> content_type('  {"a": 1}'), content_type("a: 1")
    ('json', 'text')
    """
    ends = content[:_NEAR].lstrip()[:1] + content[-_NEAR:].rstrip()[-1:]
    return "json" if ends in {"{}", "[]"} else "text"


def _end_of_line(content: str, place: int) -> int:
    """Move a cut back behind the end of a line, if one is near."""
    found = content.rfind("\n", max(place - _NEAR, 0), place)
    return found + 1 if found > 0 else place


def _start_of_line(content: str, place: int) -> int:
    """Move a cut forward to the start of a line, if one is near."""
    found = content.find("\n", max(place - 1, 0), place + _NEAR)
    return found + 1 if 0 <= found < len(content) - 1 else place
