"""SecurityFilter: commands that destroy a machine are blocked, and personal data does not reach tools.

It is wired in every engine, whatever the settings say. A command is looked at as a shell would read it, see
:mod:`lango_nb.hooks.commands`, and gets a verdict with a code: allowed, observed, which is recorded and runs, or
blocked. It is a seat belt for accidents and the known tricks, no lock: whoever may run commands can spell anything, or
write it to a file first. The lock is the approval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lango_nb.core.lazy import compiled
from lango_nb.core.personal import redact
from lango_nb.core.tool_patterns import ToolPatterns
from lango_nb.hooks.commands.verdict import Verdict
from lango_nb.hooks.hook import CONTINUE, Block, Continue, HookCall, HookResult, Modify, Observe
from lango_nb.tools.workers import WORKERS

LARGE = 10_000
"""Characters of arguments from which a thread looks at them, so that other turns go on."""
_OPERATOR = " ?([|<>&;]) ?"
_HIDING = r"(?i)[\"'\\]|\$(?=[\"'])|\$\{?ifs"
"""What a shell takes away before it runs a command."""
_SEPARATOR = r"(?i)\$\{ifs[^}]{0,20}\}|\$ifs\b"
"""What a shell reads as a space."""


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
            return self._judge(call.arguments, call.workspace)
        return await WORKERS.run(lambda: self._judge(call.arguments, call.workspace))

    def _judge(self, arguments: Mapping[str, Any], workspace: Path | None) -> HookResult:
        command = _command(arguments)
        verdict = self._verdict(command, workspace) if command.strip() else None
        if verdict is not None and verdict.decision == "block":
            return Block(verdict.sentence, verdict=verdict)
        if self._is_redacting:
            masked, kinds = redact(dict(arguments))
            if kinds and isinstance(masked, dict):
                return Modify(masked, f"masked personal data: {', '.join(kinds)}", verdict)
        if verdict is None:
            return CONTINUE
        return Observe(verdict.sentence, verdict) if verdict.decision == "observe" else Continue(verdict)

    def _verdict(self, command: str, workspace: Path | None) -> Verdict:
        from lango_nb.hooks.commands.judge import judge

        for text in _readings(command) if self._own else ():
            for pattern, shown in self._own:
                if pattern in text:
                    return Verdict.of("own_pattern", shown.strip())
        return judge(command, workspace)


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
    return compiled(_OPERATOR).sub(r"\1", words)


def _readings(command: str) -> Iterator[str]:
    """Return a command made plain as it is written, and as a shell reads it where that is something else."""
    yield plain(command)
    if compiled(_HIDING).search(command):
        read = compiled(_SEPARATOR).sub(" ", command.replace("\\\n", ""))
        yield plain(compiled(_HIDING).sub("", read))


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
