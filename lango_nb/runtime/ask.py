"""The question before a dangerous call: put to the person at the cell or terminal, with the exact arguments.

It is asked on the thread that waits for the turn, because only that one owns the input. Nobody there, no terminal, a
closed input, a notebook that runs without a person: each of these means no.
"""

from __future__ import annotations

import builtins
import itertools
import json
import sys
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType

from lango_nb.runtime.loop import ask_caller
from lango_nb.runtime.questions import ApprovalAnswer, ApprovalRequest, Scope

ANSWERS: Mapping[str, Scope] = {
    "y": "once",
    "yes": "once",
    "once": "once",
    "t": "turn",
    "turn": "turn",
    "s": "session",
    "session": "session",
}
"""What counts as a yes, and for how long; everything else is a no."""
TOO_LATE = "this answer came too late: the question was answered elsewhere, or its time was over\n"
LONGEST = 2000
"""Characters of one argument that are shown; the rest is counted."""
MOST_ARGUMENTS = 50
"""Arguments that are shown; the rest are counted."""
_LONGEST_NAME = 200

_CHOICE = "Allow it? [y]es once / for this [t]urn / for this [s]ession / [N]o "
_SEEN = "It will not run like this. [y]es, tell the agent / [N]o, refuse "


async def ask_person(request: ApprovalRequest, read: Callable[[str], str] | None = None) -> ApprovalAnswer | None:
    """Ask whoever sits there whether a call may run.

    Parameters
    ----------
    request : ApprovalRequest
    read : callable, optional
        Shows a question and returns the line that was typed; ``input`` when absent.

    Returns
    -------
    ApprovalAnswer or None
        ``None`` when nobody is there.

    Raises
    ------
    KeyboardInterrupt
        On the calling thread, when the person stops the cell instead of answering.
    """
    if not is_anybody_there():
        return None
    is_open = True

    def put() -> str:
        if not is_open:  # decided while another question was being answered
            return ""
        typed = (read or input)(question(request))
        if not is_open:
            sys.stderr.write(TOO_LATE)
        return typed

    try:
        return read_answer(await ask_caller(put))
    except (EOFError, NotImplementedError, OSError):  # a notebook without input raises a kind of NotImplementedError
        return None
    finally:
        is_open = False


def read_answer(typed: str) -> ApprovalAnswer:
    """Read what was typed: only a plain yes is one.

    Parameters
    ----------
    typed : str

    Returns
    -------
    ApprovalAnswer

    Examples
    --------
    >>> read_answer("T").scope, read_answer("yes please").allowed
    ('turn', False)
    """
    scope = ANSWERS.get(typed.strip().casefold())
    if scope is None:
        return ApprovalAnswer(False, "ask", "the user said no")
    return ApprovalAnswer(True, "ask", scope=scope)


def question(request: ApprovalRequest) -> str:
    r"""Word the question.

    Parameters
    ----------
    request : ApprovalRequest

    Returns
    -------
    str
        Several lines; the last waits for the answer. The arguments stand there exactly, secrets too: a mask could hide
        what would run. Characters that could disguise an argument are spelled out.

    Examples
    --------
    >>> print(question(ApprovalRequest("call-1", "fs_delete", {"path": "a\u202e.md"}, "9f", "operator", "dangerous")))
    operator wants to call fs_delete (dangerous)
      path = "a\u202e.md"
    Allow it? [y]es once / for this [t]urn / for this [s]ession / [N]o
    """
    head = f"{_named(request.agent)} wants to call {_named(request.tool)} ({_named(request.reason)})"
    lines = [head, *(f"  {line}" for line in argument_lines(request.arguments))]
    if request.problem:
        return "\n".join((*lines, f"The arguments are wrong: {_named(request.problem)}", _SEEN))
    return "\n".join((*lines, _CHOICE))


def argument_lines(arguments: Mapping[str, object], longest: int = LONGEST) -> list[str]:
    r"""Write arguments so that nothing in them is disguised, one line each.

    Parameters
    ----------
    arguments : mapping of str to JSON value
    longest : int
        Characters of one value that are shown; the rest is counted.

    Returns
    -------
    list of str

    Examples
    --------
    >>> argument_lines({"path": "a\nb", "count": 3}, longest=4)
    ['path = "a\\n … and 2 more characters', 'count = 3']
    """
    shown = itertools.islice(arguments.items(), MOST_ARGUMENTS)
    lines = [f"{_named(name)} = {_value(value, longest)}" for name, value in shown]
    if len(arguments) > MOST_ARGUMENTS:
        lines.append(f"… and {len(arguments) - MOST_ARGUMENTS} more arguments")
    return lines or ["(no arguments)"]


def is_anybody_there() -> bool:
    """Tell whether a question could be answered: a kernel brings its own ``input``; otherwise a terminal is needed."""
    if not isinstance(builtins.input, BuiltinFunctionType):
        return True
    try:
        return sys.stdin is not None and sys.stdin.isatty()
    except ValueError:  # closed
        return False


def _value(value: object, longest: int) -> str:
    try:
        written = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):  # no JSON: no tool gets it either
        return f"({type(value).__name__} that cannot be written)"
    left_out = len(written) - longest
    head = _plain(written[:longest])  # cut first: spelling out a million characters takes a while
    return head if left_out <= 0 else f"{head} … and {left_out} more characters"


def _named(name: str) -> str:
    left_out = len(name) - _LONGEST_NAME
    return _plain(name) if left_out <= 0 else f"{_plain(name[:_LONGEST_NAME])}… ({left_out} more characters)"


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
