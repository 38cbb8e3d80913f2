"""The question before a dangerous call: put to the person at the cell or terminal, with the exact arguments.

It is asked on the thread that waits for the turn, because only that one owns the input. No one there, no terminal, a
closed input, a notebook that runs without a person: each of these means no.
"""

from __future__ import annotations

import builtins
import itertools
import json
import sys
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType

from lango_nb.core.text import printable
from lango_nb.runtime.approval_types import ApprovalAnswer, ApprovalRequest, Scope
from lango_nb.runtime.loop import ask_caller

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
SHOW_ALL = frozenset({"a", "all"})
"""What unfolds a long question."""
LONGEST = 2000
"""Characters of one argument that are shown before it is unfolded; the rest is counted."""
MOST_ARGUMENTS = 50
"""Arguments that are shown before the rest is unfolded; the rest are counted."""
_LONGEST_NAME = 200

_CHOICE = "Allow exactly this call? [y]es, once / every time in this [t]urn / in this [s]ession / {more}[N]o "
_GRANT = (
    "Allow exactly this call? [y]es, once / [t]urn or [s]ession: and give this run {tool}, for any arguments / "
    "{more}[N]o "
)
_ONCE = "Allow exactly this call, this once? [y]es / {more}[N]o "
_SEEN = "It will not run like this. [y]es, tell the agent / {more}[N]o, refuse "
_MORE = "show [a]ll / "


async def ask_person(request: ApprovalRequest, read: Callable[[str], str] | None = None) -> ApprovalAnswer | None:
    """Ask the person at the keyboard whether a call may run.

    Parameters
    ----------
    request : ApprovalRequest
    read : callable, optional
        Shows a question and returns the line that was typed; ``input`` when absent.

    Returns
    -------
    ApprovalAnswer or None
        ``None`` when no one is there.

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
        if is_open and typed.strip().casefold() in SHOW_ALL and is_long(request.arguments):
            typed = (read or input)(question(request, is_whole=True))
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


def question(request: ApprovalRequest, *, is_whole: bool = False) -> str:
    r"""Word the question.

    Parameters
    ----------
    request : ApprovalRequest
    is_whole : bool
        Whether long arguments are unfolded.

    Returns
    -------
    str
        Several lines; the last waits for the answer and says what a yes covers. The arguments stand there exactly,
        secrets too: a mask could hide what would run. Characters that could disguise an argument are spelled out.

    Examples
    --------
    >>> print(question(ApprovalRequest("call-1", "fs_delete", {"path": "a\u202e.md"}, "9f", "operator", "dangerous")))
    operator wants to call fs_delete (dangerous)
      path = "a\u202e.md"
    Allow exactly this call? [y]es, once / every time in this [t]urn / in this [s]ession / [N]o
    """
    limits = (0, 0) if is_whole else (LONGEST, MOST_ARGUMENTS)
    head = f"{_named(request.agent)} wants to call {_named(request.tool)} ({_named(request.reason)})"
    said = (*preview_lines(request), *argument_lines(request.arguments, *limits))
    lines = [head, *(f"  {line}" for line in said)]
    more = "" if is_whole or not is_long(request.arguments) else _MORE
    if request.problem:
        return "\n".join((*lines, f"The arguments are wrong: {_named(request.problem)}", _SEEN.format(more=more)))
    choice = _ONCE if request.is_once else _GRANT if request.is_grant else _CHOICE
    return "\n".join((*lines, choice.format(more=more, tool=_named(request.tool))))


def preview_lines(request: ApprovalRequest) -> list[str]:
    """Write what a call would do, one line each, so that nothing in it is disguised; none where the tool cannot say."""
    if request.preview is None:
        return []
    difference = request.preview.difference
    return [_named(request.preview.summary), *(map(printable, difference.split("\n")) if difference else ())]


def is_long(arguments: Mapping[str, object]) -> bool:
    """Tell whether a question folds its arguments."""
    if len(arguments) > MOST_ARGUMENTS:
        return True
    return any(len(name) > _LONGEST_NAME or len(_written(value)) > LONGEST for name, value in arguments.items())


def argument_lines(arguments: Mapping[str, object], longest: int = LONGEST, most: int = MOST_ARGUMENTS) -> list[str]:
    r"""Write arguments so that nothing in them is disguised, one line each.

    Parameters
    ----------
    arguments : mapping of str to JSON value
    longest : int
        Characters of one value that are shown, and the rest is counted; 0 shows all, of names as well.
    most : int
        Arguments that are shown, and the rest are counted; 0 shows all.

    Returns
    -------
    list of str

    Examples
    --------
    >>> argument_lines({"path": "a\nb", "count": 3}, longest=4)
    ['path = "a\\n … and 2 more characters', 'count = 3']
    """
    shown = itertools.islice(arguments.items(), most or None)
    lines = [f"{_named(name, longest and _LONGEST_NAME)} = {argument(value, longest)}" for name, value in shown]
    if most and len(arguments) > most:
        lines.append(f"… and {len(arguments) - most} more arguments")
    return lines or ["(no arguments)"]


def is_anybody_there() -> bool:
    """Tell whether a question could be answered: a kernel brings its own ``input``; otherwise a terminal is needed."""
    if not isinstance(builtins.input, BuiltinFunctionType):
        return True
    try:
        return sys.stdin is not None and sys.stdin.isatty()
    except ValueError:  # closed
        return False


def argument(value: object, longest: int = 0) -> str:
    """Write the value of an argument as JSON so that nothing in it is disguised; 0 characters shows all."""
    written = _written(value)
    left_out = len(written) - longest
    if not longest or left_out <= 0:
        return printable(written)
    # cut first: spelling out a million characters takes a while
    return f"{printable(written[:longest])} … and {left_out} more characters"


def _written(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):  # no JSON: no tool gets it either
        return f"({type(value).__name__} that cannot be written)"


def _named(name: str, longest: int = _LONGEST_NAME) -> str:
    left_out = len(name) - longest
    if not longest or left_out <= 0:
        return printable(name)
    return f"{printable(name[:longest])}… ({left_out} more characters)"
