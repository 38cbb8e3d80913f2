"""Searching with a regular expression that somebody else wrote, in a process that is ended when it takes too long.

Python's expressions backtrack: ``(a+)+b`` takes for ever on a line of ``a``, and nothing inside a process can end that.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence

from lango_nb.core.errors import ToolError, shorten
from lango_nb.tools.arguments import BAD_ARGUMENT

TOO_SLOW = "pattern_too_slow"
LONGEST = 500
"""Characters of the longest pattern."""
_META = re.compile(r"[\\.^$*+?{}\[\]|()]")
_SEARCH = """
import json, re, sys
pattern, within = json.loads(sys.stdin.buffer.readline())
lines = sys.stdin.buffer.read().decode().split("\\n")
try:
    find = re.compile(pattern).search
except (re.error, OverflowError, RecursionError) as error:
    text, place = getattr(error, "msg", "it is too large"), getattr(error, "pos", None)
    print(json.dumps(text if place is None else f"{text} at character {place + 1}"))
else:
    hits = ((number, find(line)) for number, line in enumerate(lines))
    print(json.dumps([number for number, found in hits if found and found.start() < within]))
"""


def is_expression(pattern: str) -> bool:
    """Tell whether a pattern is more than a plain text.

    Examples
    --------
    >>> is_expression("def "), is_expression("def f()")
    (False, True)
    """
    return _META.search(pattern) is not None


def matching_lines(pattern: str, lines: Sequence[str], timeout_s: float, within: int = sys.maxsize) -> list[int]:
    r"""Return the numbers, from 0, of the lines in which an expression matches.

    Parameters
    ----------
    pattern : str
    lines : sequence of str
        Without line feeds.
    timeout_s : float
    within : int
        Only matches that begin before this character count.

    Raises
    ------
    ToolError
        It is no expression (``bad_argument``), or takes too long (``pattern_too_slow``).

    Examples
    --------
    >>> matching_lines(r"^\d+$", ["one", "22", "3x"], 30)
    [1]
    """
    import subprocess

    asked = "\n".join((json.dumps([pattern, within]), *lines)).encode("utf-8", "replace")
    command = [sys.executable or "python3", "-I", "-S", "-W", "ignore", "-c", _SEARCH]
    try:
        done = subprocess.run(command, input=asked, capture_output=True, timeout=timeout_s, check=True)  # noqa: S603 - our own interpreter and script
    except subprocess.TimeoutExpired:
        raise too_slow(pattern, timeout_s) from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise ToolError(f"regular expressions do not work here ({type(error).__name__}); give a plain text") from error
    found = json.loads(done.stdout)
    if isinstance(found, str):
        raise ToolError(f"pattern {shorten(pattern, 60)!r} is no regular expression: {found}", BAD_ARGUMENT)
    return [int(number) for number in found]


def too_slow(pattern: str, timeout_s: float) -> ToolError:
    """Return the error of a search that was ended."""
    told = f"pattern {shorten(pattern, 60)!r} took longer than {timeout_s:g} s; give a plain text or a simpler one"
    return ToolError(told, TOO_SLOW)
