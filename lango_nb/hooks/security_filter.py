"""SecurityFilter: commands that destroy a machine are blocked, and personal data does not reach tools.

It is wired in every engine, whatever the settings say. A command is looked at as a shell would read it: capitals, runs
of spaces, quotes, backslashes and ``${IFS}`` hide nothing. Still, it is a net for accidents and for the known tricks,
not a cage: whoever may run commands can spell anything. What keeps a person in charge is the approval gate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from lango_nb.core.personal import redact
from lango_nb.core.tool_patterns import ToolPatterns
from lango_nb.hooks.hook import CONTINUE, Block, HookCall, HookResult, Modify, Observe
from lango_nb.tools.workers import WORKERS

DISKS = ("sd", "hd", "vd", "nvme", "mmcblk", "disk")
"""What names of whole disks begin with, below /dev."""
BLOCKED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("rm -rf /", ("rm -rf /",)),
    ("mkfs.", ("mkfs.", "mkfs ")),
    ("dd if=/dev/zero", ("dd if=/dev/zero",)),
    ("dd if=/dev/random", ("dd if=/dev/random", "dd if=/dev/urandom")),
    ("dd of=/dev/", ("dd of=/dev/",)),
    ("> /dev/sda", tuple(f">/dev/{disk}" for disk in DISKS)),
    ("tee /dev/sda", tuple(f"tee /dev/{disk}" for disk in DISKS)),
    ("chmod -R 777 /", ("chmod -r 777 /",)),
    ("chmod +s", ("chmod +s", "chmod u+s", "chmod g+s", "chmod ug+s")),
    ("chown root", ("chown root",)),
    ("mv / ", ("mv / ",)),
    ("shred /", ("shred /",)),
    ("sudo ", ("sudo ",)),
    ("su -", ("su -",)),
    ("nc -l", ("nc -l",)),
    ("ncat ", ("ncat ",)),
    ("socat ", ("socat ",)),
    ("crontab -r", ("crontab -r",)),
)
"""What is told, and what is looked for in a command made plain."""
OBSERVED = ("python -c", "python3 -c", "perl -e", "node -e", "ruby -e")
"""Code given on the command line: worth a note, no harm in itself."""
LARGE = 50_000
"""Characters of arguments from which a thread looks at them, so that other turns go on."""

_SHELL = r"(?:/(?:usr/)?bin/)?(?:ba|z|da|k)?sh"


class SecurityFilter:
    """Blocks commands and tools, and masks personal data.

    Parameters
    ----------
    blocked_commands : iterable of str
        Further patterns no command may hold, found anywhere in it; blank ones are passed over.
    blocked_tools : iterable of str
        Tools nobody may use, as :mod:`lango_nb.core.tool_patterns` reads them.
    is_redacting : bool
        Whether personal data is masked in what tools are given.
    """

    name = "security_filter"
    priority = 10

    def __init__(
        self,
        blocked_commands: Iterable[str] = (),
        blocked_tools: Iterable[str] = (),
        *,
        is_redacting: bool = False,
    ) -> None:
        own = {plain(pattern): pattern for pattern in blocked_commands if pattern.strip()}
        self._own = tuple(own.items())
        self._blocked_tools = ToolPatterns.of(blocked_tools)
        self._is_redacting = is_redacting

    async def before(self, call: HookCall) -> HookResult:
        """Judge one call."""
        if self._blocked_tools.catches(call.tool.name, call.arguments):
            return Block(f"tool {call.tool.name!r} is blocked by security policy")
        if not self._is_redacting and "command" not in call.arguments:
            return CONTINUE
        if _size(call.arguments) <= LARGE:
            return self._judge(call.arguments)
        return await WORKERS.run(lambda: self._judge(call.arguments))

    def _judge(self, arguments: Mapping[str, Any]) -> HookResult:
        command = _command(arguments)
        found = self._blocked_pattern(command) if command else ""
        if found:
            return Block(f"command matches blocked pattern: {found}")
        seen = _observed(command) if command else ""
        if self._is_redacting:
            masked, kinds = redact(dict(arguments))
            if kinds and isinstance(masked, dict):
                return Modify(masked, f"masked personal data: {', '.join(kinds)}{f'; {seen}' if seen else ''}")
        return Observe(seen) if seen else CONTINUE

    def _blocked_pattern(self, command: str) -> str:
        """Return the pattern a command matches, as it was written; empty when it matches none."""
        for text in _readings(command):
            for pattern, shown in self._own:
                if pattern in text:
                    return shown.strip()
            for shown, needles in BLOCKED:
                for needle in needles:
                    if needle in text and _has_word(text, needle):
                        return shown.strip()
            for shown, test in _RULES:
                if test(text):
                    return shown
        return ""


def plain(command: str) -> str:
    r"""Write a command with single spaces, in lower case, and without spaces around operators.

    Examples
    --------
    >>> plain("RM   -rf\t/  &&  echo >  done")
    'rm -rf /&&echo>done'
    """
    text = command.lower()
    words = " ".join(text.split())
    if text[:1].isspace():
        words = f" {words}"
    if text[-1:].isspace() and words != " ":
        words = f"{words} "
    return _shapes().operator.sub(r"\1", words)


def _readings(command: str) -> Iterator[str]:
    """Return a command made plain as it is written, and as a shell reads it where that is something else."""
    yield plain(command)
    shapes = _shapes()
    if shapes.hiding.search(command):
        read = shapes.separator.sub(" ", command.replace("\\\n", ""))
        yield plain(shapes.hiding.sub("", read))


def _command(arguments: Mapping[str, Any]) -> str:
    command = arguments.get("command")
    if isinstance(command, list):
        return " ".join(str(word) for word in command)
    return command if isinstance(command, str) else ""


def _size(value: object) -> int:
    """Count the characters of all texts in a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list) else 0


class _Shapes(NamedTuple):
    """Patterns that every command is held against."""

    operator: re.Pattern[str]
    hiding: re.Pattern[str]
    """What a shell takes away before it runs a command."""
    separator: re.Pattern[str]
    """What a shell reads as a space."""
    into_shell: re.Pattern[str]
    """A pipe that ends in a shell."""
    of_fetched: re.Pattern[str]
    """A shell that runs what was fetched."""
    removes: re.Pattern[str]
    function: re.Pattern[str]


@cache
def _shapes() -> _Shapes:
    """Compile the patterns when the first command is looked at."""
    return _Shapes(
        operator=re.compile(r" ?([|<>&;]) ?"),
        hiding=re.compile(r"[\"'\\]|\$(?=[\"'])|\$\{?ifs", re.IGNORECASE),
        separator=re.compile(r"\$\{ifs[^}]{0,20}\}|\$ifs\b", re.IGNORECASE),
        into_shell=re.compile(rf"\|&?{_SHELL}(?![\w.-])"),
        of_fetched=re.compile(
            rf"(?<![\w.-])(?:{_SHELL}|eval|source)(?: -\w+)* ?[<$(`]{{1,5}} ?(?:curl|wget)(?![\w.-])"
        ),
        removes=re.compile(r"(?<![\w.-])rm((?: --?[a-z][a-z-]*)+)(?: --)? (?:/|~|\$\{?home)"),
        function=re.compile(r"(?<![\w:.])([\w:.]{1,40})(?:\(\))?\{"),
    )


def _has_word(text: str, needle: str) -> bool:
    """Tell whether a text holds a pattern that does not begin inside a word: ``rsync -la`` is no ``nc -l``."""
    place = text.find(needle)
    while place >= 0:
        before = text[place - 1] if place else " "
        if not needle[0].isalnum() or not (before.isalnum() or before in "_-."):
            return True
        place = text.find(needle, place + 1)
    return False


def _runs_fetched(text: str) -> bool:
    if not _has_word(text, "curl ") and not _has_word(text, "wget "):
        return False
    return (_shapes().into_shell.search(text) or _shapes().of_fetched.search(text)) is not None


def _hides_in_background(text: str) -> bool:
    """Find a silenced command left running; ``… && next`` is none."""
    quiet = ">/dev/null 2>&1&"
    return quiet in text.replace(f"{quiet}&", "")


def _removes_root(text: str) -> bool:
    """Find ``rm`` of the root or the home folder, however its options are spelled: -fr, -r -f, --recursive."""
    if "rm " not in text:
        return False
    for found in _shapes().removes.finditer(text):
        options = found[1].split()
        short = "".join(option for option in options if not option.startswith("--"))
        if ("r" in short or "--recursive" in options) and ("f" in short or "--force" in options):
            return True
    return False


def _writes_disk(text: str) -> bool:
    return _has_word(text, "dd ") and any(f" of=/dev/{disk}" in text for disk in DISKS)


def _is_fork_bomb(text: str) -> bool:
    """Find a function that pipes itself into itself: ``:(){ :|:& };:`` under any name."""
    if "|" not in text or "&" not in text or "{" not in text:
        return False
    compact = text.replace("function ", "").replace(" ", "")
    for found in _shapes().function.finditer(compact):
        name = found[1]
        if f"{name}|{name}&" in compact[found.end() : found.end() + 200]:
            return True
    return False


_RULES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("rm -rf /", _removes_root),
    ("dd of=/dev/", _writes_disk),
    ("fork bomb", _is_fork_bomb),
    ("> /dev/null 2>&1 &", _hides_in_background),
    ("curl … | sh", _runs_fetched),
)
"""What no fixed text finds."""


def _observed(command: str) -> str:
    text = plain(command)
    seen = next((pattern for pattern in OBSERVED if _has_word(text, pattern)), "")
    return f"command runs code given on its line: {seen}" if seen else ""
