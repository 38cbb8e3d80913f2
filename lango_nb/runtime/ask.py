"""The question before a dangerous call: put to the person at the cell or terminal, with the exact arguments.

It is asked on the thread that waits for the turn, because only that one owns the input. Nobody there, no terminal, a
closed input, a notebook that runs without a person: each of these means no.
"""

from __future__ import annotations

import builtins
import json
import sys
from collections.abc import Mapping
from types import BuiltinFunctionType

from lango_nb.runtime.approvals import ApprovalRequest
from lango_nb.runtime.loop import ask_caller

YES = frozenset({"y", "yes"})
LONGEST = 2000
"""Characters of one argument that are shown; the rest is counted."""


async def ask_person(request: ApprovalRequest) -> bool | None:
    """Ask whoever sits there whether a call may run.

    Parameters
    ----------
    request : ApprovalRequest

    Returns
    -------
    bool or None
        ``None`` when nobody is there.

    Raises
    ------
    KeyboardInterrupt
        On the calling thread, when the person stops the cell instead of answering.
    """
    if not is_anybody_there():
        return None
    try:
        return await ask_caller(lambda: _is_yes(input(question(request))))
    except (EOFError, NotImplementedError, OSError):  # a notebook without input raises a kind of NotImplementedError
        return None


def question(request: ApprovalRequest) -> str:
    r"""Word the question.

    Parameters
    ----------
    request : ApprovalRequest

    Returns
    -------
    str
        Several lines; the last waits for the answer. Characters that could disguise an argument are spelled out.

    Examples
    --------
    >>> print(question(ApprovalRequest("call-1", "fs_delete", {"path": "a\u202e.md"}, "9f", "operator", "dangerous")))
    operator wants to call fs_delete (dangerous)
      path = "a\u202e.md"
    Allow it? [y/N]
    """
    head = f"{_plain(request.agent)} wants to call {_plain(request.tool)} ({_plain(request.reason)})"
    return "\n".join((head, *_argument_lines(request.arguments), "Allow it? [y/N] "))


def is_anybody_there() -> bool:
    """Tell whether a question could be answered: a kernel brings its own ``input``; otherwise a terminal is needed."""
    if not isinstance(builtins.input, BuiltinFunctionType):
        return True
    try:
        return sys.stdin is not None and sys.stdin.isatty()
    except ValueError:  # closed
        return False


def _argument_lines(arguments: Mapping[str, object]) -> list[str]:
    return [f"  {_plain(name)} = {_shown(value)}" for name, value in arguments.items()] or ["  (no arguments)"]


def _shown(value: object) -> str:
    written = _plain(json.dumps(value, ensure_ascii=False, default=str))
    left_out = len(written) - LONGEST
    return written if left_out <= 0 else f"{written[:LONGEST]} … and {left_out} more characters"


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _is_yes(answer: str) -> bool:
    return answer.strip().casefold() in YES
