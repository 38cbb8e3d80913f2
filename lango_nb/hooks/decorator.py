"""``@before_call`` and ``@after_call``: a function becomes a hook of your own.

    @before_call
    def no_friday(call):
        if call.tool.name == "deploy_run" and is_friday():
            return Block("no deployments on Fridays")

    @after_call(tools=("fs_*",), priority=25)
    async def count(call, result):
        ...

A function that returns nothing leaves things as they are. Plain functions run in a thread, as tools do. A hook gets a
copy of the arguments: changing them in place fails and says so, ``Modify`` is the way.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import field
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, ClassVar, TypeVar, cast, overload

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.core.events import HookPhase
from lango_nb.hooks.chain import HookRow
from lango_nb.hooks.hook import CONTINUE, AfterResult, HookCall, HookResult, Modify
from lango_nb.tools.tool import ToolResult
from lango_nb.tools.workers import WORKERS

PRIORITY = 50
"""Number of a hook that does not say: after SecurityFilter and AccessControl, before ApprovalGate."""
H = TypeVar("H", "BeforeCall", "AfterCall")
_STARS: dict[object, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
_GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True, slots=True, eq=False)
class _Own:
    """What both kinds of a user's hooks have."""

    takes: ClassVar[tuple[str, ...]]
    """Names of the function's parameters."""
    phase: ClassVar[HookPhase]
    name: str
    function: Callable[..., Any] = field(repr=False)
    priority: int = PRIORITY
    tools: tuple[str, ...] = ()
    """Patterns of tool names; all tools when empty."""
    _known: dict[str, bool] = field(default_factory=dict, repr=False)

    def concerns(self, tool: str) -> bool:
        """Tell whether the hook looks at a tool."""
        if not self.tools:
            return True
        found = self._known.get(tool)
        if found is None:
            found = self._known[tool] = any(fnmatchcase(tool, pattern) for pattern in self.tools)
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself."""
        return self.function(*args, **kwargs)

    async def _ask(self, call: HookCall, *more: object) -> Any:
        """Call the function with a copy of the arguments; changes to it that are not returned are told."""
        copy = deepcopy(dict(call.arguments))
        given = call.with_arguments(copy)
        if inspect.iscoroutinefunction(self.function):
            said = await self.function(given, *more)
        else:
            said = await WORKERS.run(partial(self.function, given, *more))
            if inspect.isawaitable(said):
                said = await said
        if copy != call.arguments and not isinstance(said, Modify):
            raise DefinitionError("it changed call.arguments in place, which changes nothing; return Modify(…)")
        return said


class BeforeCall(_Own):
    """A function that is asked before a call."""

    __slots__ = ()
    takes: ClassVar = ("call",)
    phase: ClassVar[HookPhase] = "before"

    async def before(self, call: HookCall) -> HookResult:
        """Ask the function; nothing means go on."""
        if not self.concerns(call.tool.name):
            return CONTINUE
        said = await self._ask(call)
        return CONTINUE if said is None else cast("HookResult", said)


class AfterCall(_Own):
    """A function that is told of a call that ran."""

    __slots__ = ()
    takes: ClassVar = ("call", "result")
    phase: ClassVar[HookPhase] = "after"

    async def after(self, call: HookCall, result: ToolResult) -> AfterResult:
        """Tell the function."""
        return cast("AfterResult", await self._ask(call, result)) if self.concerns(call.tool.name) else None


UserHook = BeforeCall | AfterCall


@overload
def before_call(function: Callable[..., Any], /) -> BeforeCall: ...


@overload
def before_call(
    *, name: str | None = None, priority: int = PRIORITY, tools: str | Iterable[str] = ()
) -> Callable[[Callable[..., Any]], BeforeCall]: ...


def before_call(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    priority: int = PRIORITY,
    tools: str | Iterable[str] = (),
) -> BeforeCall | Callable[[Callable[..., Any]], BeforeCall]:
    """Make a hook of a function that is asked before tool calls.

    Parameters
    ----------
    function : callable
        ``def`` or ``async def`` with the one parameter ``call``, a :class:`~lango_nb.hooks.hook.HookCall`. Returns
        ``Block``, ``Modify``, ``Observe``, ``Continue`` or nothing; anything else, and any exception, blocks the call.
    name : str, optional
        The function's name when absent.
    priority : int
        Lower numbers come first; ApprovalGate has 90.
    tools : str or iterable of str
        Patterns of tool names, ``fs_*`` for instance; all tools when empty.

    Returns
    -------
    BeforeCall
        Or, called without a function, what makes one.

    Raises
    ------
    DefinitionError
        The function does not take what a hook is given, or an option is none.

    Examples
    --------
    >>> from lango_nb.hooks.hook import Block
    >>> @before_call(tools="exec*")
    ... def no_commands(call):
    ...     return Block("not today")
    >>> no_commands.name, no_commands.priority, no_commands.tools
    ('no_commands', 50, ('exec*',))
    """
    if function is None:
        return partial(_make, BeforeCall, name=name, priority=priority, tools=tools)
    return _make(BeforeCall, function, name=name, priority=priority, tools=tools)


@overload
def after_call(function: Callable[..., Any], /) -> AfterCall: ...


@overload
def after_call(
    *, name: str | None = None, priority: int = PRIORITY, tools: str | Iterable[str] = ()
) -> Callable[[Callable[..., Any]], AfterCall]: ...


def after_call(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    priority: int = PRIORITY,
    tools: str | Iterable[str] = (),
) -> AfterCall | Callable[[Callable[..., Any]], AfterCall]:
    """Make a hook of a function that is told of tool calls that ran.

    Parameters
    ----------
    function : callable
        ``def`` or ``async def`` with the parameters ``call`` and ``result``. Returns a ``ToolResult`` that takes the
        result's place, ``Observe`` or nothing; anything else, and any exception, leaves the result as it was.
    name, priority, tools
        As for :func:`before_call`.

    Returns
    -------
    AfterCall
        Or, called without a function, what makes one.

    Raises
    ------
    DefinitionError
        The function does not take what a hook is given, or an option is none.
    """
    if function is None:
        return partial(_make, AfterCall, name=name, priority=priority, tools=tools)
    return _make(AfterCall, function, name=name, priority=priority, tools=tools)


def row_of(hook: UserHook) -> HookRow:
    """Return the line a user's hook has in the list.

    Raises
    ------
    DefinitionError
        It is not a hook.
    """
    if not isinstance(hook, UserHook):
        given = shorten(getattr(hook, "__name__", None) or repr(hook), 40)
        raise DefinitionError(f"{given} is not a hook; put @before_call or @after_call on the function")
    why = f"yours, for {', '.join(hook.tools)}" if hook.tools else "yours"
    return HookRow(hook.name, hook.phase, hook.priority, "user", True, why, hook)


def _make(
    kind: type[H], function: Callable[..., Any], *, name: str | None, priority: int, tools: str | Iterable[str]
) -> H:
    called = _check_function(function, kind.takes, name)
    if isinstance(priority, bool) or not isinstance(priority, int):
        raise DefinitionError(f"hook {called!r}: priority is a whole number, not {shorten(repr(priority), 40)}")
    patterns = (tools,) if isinstance(tools, str) else tuple(tools)
    for pattern in patterns:
        if not isinstance(pattern, str) or not pattern:
            raise DefinitionError(f"hook {called!r}: {shorten(repr(pattern), 40)} is not a pattern of tool names")
    return kind(called, function, priority, patterns)


def _check_function(function: Any, names: tuple[str, ...], name: str | None) -> str:
    """Refuse what could not be called as a hook; return its name."""
    expected = f"({', '.join(names)})"
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    if code is None:
        raise DefinitionError(f"a hook is a function that takes {expected}, not {shorten(repr(function), 40)}")
    called = function.__name__ if name is None else name
    if not isinstance(called, str) or not called.strip() or called == "<lambda>":
        raise DefinitionError("a hook needs a name; write a def, or give name=…")
    if code.co_flags & _GENERATOR:
        raise DefinitionError(f"hook {called!r} is a generator; return one answer instead of yielding parts")
    given = tuple(inspect.signature(function).parameters.values())
    plain = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    own = tuple(parameter.name for parameter in given if parameter.kind in plain)[: len(names)]
    needed = [one for one in given[len(names) :] if one.default is one.empty and one.kind not in _STARS]
    if own != names or needed:
        shown = ", ".join(f"{_STARS.get(one.kind, '')}{one.name}" for one in given)
        raise DefinitionError(f"hook {called!r} takes {expected}, not ({shown})")
    return called
