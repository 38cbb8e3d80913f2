"""Shell lines that only look, as the acts they mean: they need no shell, and so no leave to run one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from lango_nb.models.offline.plan import Step

_PLAIN = frozenset("lahtrR1Fp")
"""Options of ``ls`` that change how it is shown, or the order."""
_WORDS = frozenset(("cat", "less", "more", "head", "tail", "sort", "stat", "diff", "tree", "dir"))
"""Programs that are words as well: what they are given has to look like a file."""
_COUNTS = {"l": "count.lines", "w": "count.words", "c": "count.chars", "m": "count.chars"}
_SIGNS = frozenset("|&;<>$`(){}*?[]!~\n")
"""Signs that a shell would do something with."""


def as_act(command: str) -> Step | None:
    """Read a shell line as an act.

    Parameters
    ----------
    command : str

    Returns
    -------
    Step or None
        ``None`` when it does anything but look, or more than an act can say.

    Examples
    --------
    >>> as_act("wc -l notes.md"), as_act("head -3 a.log").arguments
    (Step(act='count.lines', arguments={'file': ('notes.md',)}, destination='', text='wc -l notes.md'), {'file': ('a.log',), 'n': ('3',)})
    >>> as_act("ls -la").act, as_act("grep -i error server.log").arguments
    ('list', {'file': ('server.log',), 'find': ('error',)})
    >>> as_act("rm notes.md"), as_act("ls | wc -l"), as_act("tail -f a.log"), as_act("cat 'a")
    (None, None, None, None)
    >>> as_act("more sugar please"), as_act("less notes.md").act
    (None, 'read')
    """
    line = command.strip()
    try:
        program, *words = shlex.split(line)
    except ValueError:
        return None
    if _SIGNS & set(line):
        return None
    options = [word[1:] for word in words if word.startswith("-") and len(word) > 1]
    names = [word for word in words if not word.startswith("-")]
    if program in _WORDS and not all(_is_path(name) for name in names[-1:]):
        return None
    found = _act(program, options, names)
    if found is None:
        return None
    act, roles = found
    return Step(act, {role: tuple(given) for role, given in roles.items() if given}, "", line)


def _is_path(word: str) -> bool:
    return "." in word.strip(".") or "/" in word


def _act(  # noqa: PLR0911 - a case for each program
    program: str, options: Sequence[str], names: Sequence[str]
) -> tuple[str, dict[str, Sequence[str]]] | None:
    match program, options, names:
        case "ls" | "dir", _, _ if len(names) < 2 and set("".join(options)) <= _PLAIN:  # noqa: PLR2004 - one folder
            flags = set("".join(options))
            act = "list.by_date" if "t" in flags else "list.tree" if "R" in flags else "list"
            return act, {"file": [name.rstrip("/") for name in names]}
        case "tree", [], _ if len(names) < 2:  # noqa: PLR2004 - the same
            return "list.tree", {"file": names}
        case "cat" | "less" | "more", [] | ["n"], [_, *_]:
            return "read", {"file": names}
        case "head" | "tail", _, _:
            return _ends("read.first" if program == "head" else "read.last", options, names)
        case "wc", [option], [name] if option in _COUNTS:
            return _COUNTS[option], {"file": [name]}
        case "sort", [], [name]:
            return "read.sorted", {"file": [name]}
        case "grep", _, [wanted, name] if set("".join(options)) <= set("inF"):
            return "search", {"file": [name], "find": [wanted]}
        case "grep", _, [wanted] | [wanted, "."] if "r" in "".join(options) and set("".join(options)) <= set("rinF"):
            return "search", {"find": [wanted]}
        case "stat", [], [name]:
            return "date", {"file": [name]}
        case "diff", [] | ["u"], [_, _]:
            return "compare", {"file": names}
        case _:
            return None


def _ends(act: str, options: Sequence[str], names: Sequence[str]) -> tuple[str, dict[str, Sequence[str]]] | None:
    match options, names:
        case [], [name]:
            return act, {"file": [name], "n": ["10"]}
        case ["n"], [number, name] if number.isdecimal():
            return act, {"file": [name], "n": [number]}
        case [number], [name] if number.removeprefix("n").isdecimal():
            return act, {"file": [name], "n": [number.removeprefix("n")]}
        case _:
            return None
