"""The hook chain: one visible list around every tool call.

    call ─→ SecurityFilter ─→ AccessControl ─→ … ─→ ApprovalGate ─→ the tool
         ─→ BrowserRecovery ─→ OutputManager ─→ LearningObserver ─→ KnowledgeSaver ─→ EventPublisher ─→ result

Before the call the chain fails closed: a hook that raises or returns nonsense blocks the call. After it the chain fails
open: the tool has already run, so such a hook is noted, the others still run, and the result is what it was.

Guards (:data:`GUARDS`) judge what will run. When another hook changes the arguments after a guard has seen them, the
guard sees the new ones before the tool does, so that nothing unchecked and nothing unapproved ever runs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import field
from typing import Any, Literal

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, ToolError, shorten
from lango_nb.core.events import HookPhase
from lango_nb.hooks.hook import (
    BLOCKED_BY_HOOK,
    CONTINUE,
    HOOK_FAILED,
    AfterHook,
    BeforeHook,
    Block,
    Blocked,
    Continue,
    HookCall,
    HookNote,
    Modify,
    Observe,
)
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.tool import ToolResult

logger = logging.getLogger("lango_nb")

Note = Callable[[HookNote], None]
HookSource = Literal["builtin", "user"]
GUARDS = frozenset({"security_filter", "access_control", "approval_gate"})
"""Built-in hooks that must have seen the arguments a tool is called with."""
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class HookRow:
    """One line of the list: a hook that is wired, or one that is not and why."""

    name: str
    phase: HookPhase
    priority: int
    source: HookSource
    is_wired: bool
    why: str
    hook: Any = field(default=None, repr=False, compare=False)
    """The hook itself; ``None`` where it is not wired."""


class HookChain:
    """All hooks of an engine, in order.

    Parameters
    ----------
    rows : iterable of HookRow
        In any order; those of one number stay as they are given.

    Raises
    ------
    DefinitionError
        Two hooks of one phase have the same name.

    Examples
    --------
    >>> chain = HookChain([HookRow("late", "before", 90, "user", False, "off"),
    ...                    HookRow("early", "before", 10, "user", False, "off")])
    >>> [row.name for row in chain.rows()]
    ['early', 'late']
    """

    def __init__(self, rows: Iterable[HookRow] = ()) -> None:
        self._rows = tuple(sorted(rows, key=lambda row: (row.phase == "after", row.priority)))
        seen: set[tuple[str, str]] = set()
        for row in self._rows:
            if (row.phase, row.name) in seen:
                raise DefinitionError(f"hook {shorten(row.name)!r} is there already ({row.phase} a call); rename one")
            seen.add((row.phase, row.name))
        wired = [row for row in self._rows if row.is_wired]
        self.before: tuple[BeforeHook, ...] = tuple(row.hook for row in wired if row.phase == "before")
        """What is asked before a call, in this order."""
        self.after: tuple[AfterHook, ...] = tuple(row.hook for row in wired if row.phase == "after")
        """What is asked after a call, in this order."""
        self._guards = tuple(
            row.hook for row in wired if row.phase == "before" and row.source == "builtin" and row.name in GUARDS
        )

    def rows(self) -> tuple[HookRow, ...]:
        """Return the whole list, with the hooks that are not wired and why."""
        return self._rows

    def __iter__(self) -> Iterator[HookRow]:
        return iter(self._rows)

    async def run_before(self, call: HookCall, note: Note) -> HookCall | Blocked:
        """Ask every hook whether and how a call may run.

        Parameters
        ----------
        call : HookCall
            With arguments that were checked against the schema.
        note : callable
            Gets what a hook blocked, changed or observed, and what it decided about a command.

        Returns
        -------
        HookCall or Blocked
            The call with its final arguments, or the first hook that said no.

        Notes
        -----
        Source: spec 003 "Tool Hooks".
        """
        given = call
        seen: dict[int, HookCall] = {}
        for hook in self.before:
            due = (hook,) if call is given else (*self._outdated(seen, call, hook), hook)
            for one in due:
                said = await _ask_before(one, call, note)
                if isinstance(said, Blocked):
                    return said
                call = seen[id(one)] = said
        if call is not given:
            for guard in self._guards:
                if seen[id(guard)] is not call:
                    said = await _ask_before(guard, call, note)
                    if isinstance(said, Blocked):
                        return said
                    call = seen[id(guard)] = said
        return call

    def _outdated(self, seen: Mapping[int, HookCall], call: HookCall, coming: BeforeHook) -> list[BeforeHook]:
        """Return the guards that must look again before the next one: nobody is asked about a call that is blocked."""
        if coming not in self._guards:
            return []
        return [guard for guard in self._guards if seen.get(id(guard), call) is not call]

    async def run_after(self, call: HookCall, result: ToolResult, note: Note) -> ToolResult:
        """Show every hook what a call gave.

        Parameters
        ----------
        call : HookCall
            As it ran.
        result : ToolResult
            Also when the tool failed.
        note : callable
            Gets what a hook replaced or observed, and which hook failed.

        Returns
        -------
        ToolResult
            The last replacement, or the result as it was.
        """
        for hook in self.after:
            try:
                said = await hook.after(call, result)
            except BaseException as error:  # noqa: BLE001 - a hook may raise anything
                _raise_if_stopped(error)
                note(_failed(hook, "after", f"{_told(error)}; the result is as it was"))
                continue
            if said is None:
                continue
            if isinstance(said, ToolResult) and isinstance(said.content, str):
                if said is not result:
                    note(HookNote(hook.name, "after", "modify", _replaced(result, said)))
                result = said
            elif isinstance(said, Observe):
                note(HookNote(hook.name, "after", "observe", _reason(said.reason)))
            else:
                detail = f"it returned {_kind(said)}, not None, a ToolResult or Observe(…); the result is as it was"
                note(_failed(hook, "after", detail))
        return result


async def _ask_before(hook: BeforeHook, call: HookCall, note: Note) -> HookCall | Blocked:  # noqa: PLR0911 - one per answer
    """Ask one hook; what it cannot say properly blocks the call."""
    try:
        said = await hook.before(call)
    except BaseException as error:  # noqa: BLE001 - a hook may raise anything
        _raise_if_stopped(error)
        return _broken(hook, call, _told(error), note)
    if said is CONTINUE:
        return call
    verdict = said.verdict if isinstance(said, (Continue, Observe, Block, Modify)) else None
    if verdict is not None:
        note(HookNote(hook.name, "before", verdict.decision, verdict.sentence, verdict))
    match said:
        case Continue():
            return call
        case Observe():
            if verdict is None:
                note(HookNote(hook.name, "before", "observe", _reason(said.reason)))
            return call
        case Block():
            code = said.code if isinstance(said.code, str) and said.code else BLOCKED_BY_HOOK
            reason = _reason(said.reason)
            if verdict is None:
                note(HookNote(hook.name, "before", "block", reason))
            return Blocked(hook.name, call.tool.name, reason, code, verdict)
        case Modify():
            try:
                arguments = check_arguments(call.tool, deepcopy(said.arguments))  # the hook keeps no hold of them
            except Exception as error:  # noqa: BLE001 - what a hook gives may be anything
                why = str(error) if isinstance(error, ToolError) else _told(error)
                return _broken(hook, call, f"it gave arguments that do not fit: {why}", note)
            if arguments == call.arguments:
                return call
            note(HookNote(hook.name, "before", "modify", _reason(said.reason, "changed the arguments")))
            return call.with_arguments(arguments)
    return _broken(hook, call, f"it returned {_kind(said)}, not Continue(), Observe(…), Modify(…) or Block(…)", note)


def _broken(hook: BeforeHook, call: HookCall, detail: str, note: Note) -> Blocked:
    """Block a call because its hook does not work."""
    note(_failed(hook, "before", detail))
    tool = call.tool.name
    sentence = f"hook {hook.name!r} failed, so {tool!r} was not called: {detail}; mend or remove the hook"
    return Blocked(hook.name, tool, sentence, HOOK_FAILED)


def _failed(hook: BeforeHook | AfterHook, phase: HookPhase, detail: str) -> HookNote:
    logger.warning("hook %r failed %s a call: %s", hook.name, phase, detail)
    return HookNote(hook.name, phase, "failed", detail)


def _raise_if_stopped(error: BaseException) -> None:
    """Pass on what was meant for the turn: somebody cancelled it, or pressed Stop."""
    if isinstance(error, (Exception, SystemExit)):
        return
    import asyncio

    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if task is not None and not task.cancelling():  # the hook's own: nobody cancelled the turn
            return
    raise error


def _told(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an error that cannot even be told is still an error
        text = "(no text)"
    return _one_line(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def _reason(reason: object, otherwise: str = "no reason given") -> str:
    """Return a hook's reason as one line of text, whatever the hook took for one."""
    return (_one_line(reason) if isinstance(reason, str) else "") or otherwise


def _one_line(text: str) -> str:
    return shorten(" ".join(text[: 2 * _LONGEST_REASON].split()), _LONGEST_REASON)


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__}"


def _replaced(before: ToolResult, after: ToolResult) -> str:
    if before.is_error and not after.is_error:
        return "turned a failure into a result"
    if after.is_error and not before.is_error:
        return f"turned the result into a failure{f' ({after.code})' if after.code else ''}"
    return f"replaced the result: {len(before.content):,} characters became {len(after.content):,}"
