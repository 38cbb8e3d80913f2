"""OutputManager: a large result is shown to the model by its beginning and its end, and kept whole for questions.

    the beginning
    [… 41,350 characters left out …]
    the end
    {"_meta":{"originalTokens":12345,"tier":"large","contentType":"text","compressed":true,"storedRef":"out-…"}}

``tool_output_get`` reads the rest by its ``storedRef``. Results within the budget pass untouched.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Literal

from lango_nb.hooks.hook import AfterResult, HookCall
from lango_nb.hooks.outputs import OutputStore
from lango_nb.tools.tool import ToolResult

__all__ = ["OutputManager", "OutputStore", "compress"]

FETCH = "tool_output_get"
"""The control tool that reads a kept result; what it gives is not kept once more."""
CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text and code."""
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
        self._budget = token_budget * CHARACTERS_PER_TOKEN
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
            "originalTokens": -(-len(content) // CHARACTERS_PER_TOKEN),
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
