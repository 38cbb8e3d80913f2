"""``@tool``: a typed function with a docstring becomes a tool.

    @tool(safety="safe")
    def word_count(text: str) -> int:
        '''Count the words of a text.'''
        return len(text.split())

The name gives the family and decides who owns it, the first paragraph of the docstring is the description, the
annotations give the JSON schema. What comes of it is a :class:`Tool` that can still be called as the function.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from functools import partial
from typing import Any, Generic, ParamSpec, TypeVar, overload

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, ToolError, shorten
from lango_nb.core.messages import ToolRole
from lango_nb.tools.context import ToolContext
from lango_nb.tools.definitions import CheckedSchema, check_name, check_safety, family_of
from lango_nb.tools.signatures import Convert, Signature, convert_arguments, read_docstring, read_signature
from lango_nb.tools.tool import Previewer, Safety, Tool, ToolResult
from lango_nb.tools.workers import WORKERS

_GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


P = ParamSpec("P")
R = TypeVar("R")


class _OfFunction:
    """The signature of the function, for whoever completes a call; the class itself has none of its own."""

    def __get__(self, made: FunctionTool[..., Any] | None, owner: type) -> inspect.Signature:
        if made is None:
            raise AttributeError("__signature__")
        return inspect.signature(made.function)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionTool(Tool, Generic[P, R]):
    """A tool made of a function.

    Examples
    --------
    >>> @tool
    ... def word_count(text: str) -> int:
    ...     return len(text.split())
    >>> word_count("three short words"), word_count.name
    (3, 'word_count')
    """

    function: Callable[P, R] = field(kw_only=True, repr=False)
    __signature__ = _OfFunction()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself: no argument is checked, no hook asked, no event written."""
        return self.function(*args, **kwargs)


@overload
def tool(
    function: Callable[P, R],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    safety: Safety | None = None,
    family: str | None = None,
    source: str | None = None,
    role: ToolRole = "work",
    preview: Previewer | None = None,
) -> FunctionTool[P, R]: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    safety: Safety | None = None,
    family: str | None = None,
    source: str | None = None,
    role: ToolRole = "work",
    preview: Previewer | None = None,
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(  # noqa: PLR0913 - options, all by name
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    safety: Safety | None = None,
    family: str | None = None,
    source: str | None = None,
    role: ToolRole = "work",
    preview: Previewer | None = None,
) -> FunctionTool[..., Any] | Callable[[Callable[..., Any]], FunctionTool[..., Any]]:
    """Make a tool of a function.

    Parameters
    ----------
    function : callable
        ``def`` or ``async def``; every parameter has a type. One annotated :class:`ToolContext` is given by the caller
        and is not part of the schema. Blocking functions run in a thread.
    name : str, optional
        The function's name when absent.
    description : str, optional
        First paragraph of the docstring when absent.
    safety : {"safe", "moderate", "dangerous"}, optional
        Counts as dangerous when absent.
    family : str, optional
        What stands before the first ``_`` of the name when absent.
    source : str, optional
        Where it was found; the file's name, or ``cell``, when absent.
    role : {"work", "control"}
        What it is there for; control tools steer the work of agents and do none themselves.
    preview : callable, optional
        Looks what a call would do, for whoever is asked whether it may run: takes the arguments and a
        :class:`ToolContext`, returns a line or a :class:`~lango_nb.tools.tool.Preview`, and changes nothing.

    Returns
    -------
    FunctionTool
        Or, called without a function, what makes one.

    Raises
    ------
    DefinitionError
        Not a function, no usable name, or a parameter a model could not fill.

    Notes
    -----
    What the function returns becomes the result: text as it is, ``None`` as ``done``, bytes as text where they are
    text, anything JSON can say as JSON with ``data`` set. A :class:`ToolError` becomes an error result that the model
    reads; other exceptions pass through to the turn.

    Examples
    --------
    >>> @tool(safety="safe")
    ... def word_count(text: str) -> int:
    ...     '''Count the words of a text.'''
    ...     return len(text.split())
    >>> word_count.name, word_count.family, word_count.required
    ('word_count', 'word', ('text',))
    """
    if function is None:
        options = {"description": description, "safety": safety, "family": family, "source": source, "role": role}
        return partial(tool, name=name, preview=preview, **options)
    called = _name_of(function, name)
    where = f"tool {called!r}"
    handler = _handler(called, function)
    summary = description if description is not None else _summary(function)
    return FunctionTool(
        name=called,
        description=summary,
        safety=check_safety(safety, where),
        family=family_of(called) if family is None else family,
        handler=handler,
        schema_source=CheckedSchema(handler.schema),
        source=_source_of(function) if source is None else source,
        role=role,
        preview=preview,
        function=function,
    )


def as_result(name: str, answer: object) -> ToolResult:
    """Turn what a function returned into a tool result.

    Parameters
    ----------
    name : str
        Name of the tool, for the error.
    answer : object

    Returns
    -------
    ToolResult

    Raises
    ------
    DefinitionError
        JSON cannot say it.

    Examples
    --------
    >>> as_result("t", {"lines": 3})
    ToolResult(content='{"lines":3}', is_error=False, code='', data={'lines': 3})
    """
    if isinstance(answer, ToolResult):
        return answer
    if isinstance(answer, str):
        return ToolResult(answer.encode("utf-8", "backslashreplace").decode())
    if answer is None:
        return ToolResult("done")
    if isinstance(answer, (bytes, bytearray)):
        return ToolResult(_bytes_as_text(bytes(answer)))
    from pydantic_core import from_json, to_json

    if isinstance(answer, (set, frozenset)):
        answer = sorted(answer, key=str)
    try:
        text = to_json(answer, inf_nan_mode="null")
    except ValueError as error:
        kind = type(answer).__name__
        raise DefinitionError(
            f"tool {name!r} returned a {kind}, which JSON cannot say; return text or plain data"
        ) from error
    return ToolResult(text.decode(), data=from_json(text))


class FunctionHandler:
    """Runs a call with a function; goes to another process as its function does.

    Parameters
    ----------
    name : str
        Name of the tool.
    function : callable
    signature : Signature
    """

    def __init__(self, name: str, function: Callable[..., Any], signature: Signature) -> None:
        self._name, self._function, self._signature = name, function, signature
        self._is_async = inspect.iscoroutinefunction(function)
        self._converters: dict[str, Convert] | None = None

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Call the function with the arguments, and make a result of what it returns."""
        if self._converters is None:
            self._converters = self._signature.converters()
        function = self._function
        try:
            ready = convert_arguments(arguments, self._converters)
            ready.update(dict.fromkeys(self._signature.context_names, context))
            answer = function(**ready) if self._is_async else await WORKERS.run(partial(function, **ready))
            if inspect.isawaitable(answer):  # also what a plain function wrapped around an async one returns
                answer = await _survive(answer)
        except ToolError as error:
            return ToolResult(str(error), is_error=True, code=error.code)
        return as_result(self._name, answer)

    def schema(self) -> dict[str, Any]:
        """Make the JSON schema of the arguments."""
        return self._signature.schema(read_docstring(self._function.__doc__)[1])

    def __reduce__(self) -> tuple[Callable[..., FunctionHandler], tuple[str, Callable[..., Any]]]:
        return _handler, (self._name, self._function)


def _handler(name: str, function: Callable[..., Any]) -> FunctionHandler:
    return FunctionHandler(name, function, read_signature(function, f"tool {name!r}"))


async def _survive(answer: Awaitable[Any]) -> Any:
    """Wait for an answer; ``SystemExit`` would stop the event loop and everything on it."""
    try:
        return await answer
    except SystemExit as error:
        raise RuntimeError("the tool raised SystemExit") from error


def _name_of(function: Any, name: str | None) -> str:
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    if code is None:
        kind = "class" if isinstance(function, type) else type(function).__name__
        raise DefinitionError(f"@tool makes a tool of a function; this is a {kind}: {shorten(repr(function), 40)}")
    if name is None and function.__name__ == "<lambda>":
        raise DefinitionError("a lambda has no name; write a def, or give tool(name=…)")
    if code.co_flags & _GENERATOR:
        raise DefinitionError(f"tool {function.__name__!r} is a generator; return one answer instead of yielding parts")
    return check_name(function.__name__ if name is None else name, f"@tool on {function.__name__!r}")


def _summary(function: Callable[..., Any]) -> str:
    """Return the first paragraph of a docstring; the quick road when it is one line."""
    text = function.__doc__ or ""
    first, _, rest = text.strip().partition("\n")
    return first if not rest or not rest.split("\n", 1)[0].strip() else read_docstring(text)[0]


def _source_of(function: Callable[..., Any]) -> str:
    """Name where a function stands, without the folders of this machine."""
    module = sys.modules.get(function.__module__)
    file = getattr(module, "__file__", None)
    return os.path.basename(file) if file else "cell"  # noqa: PTH119 - a third of the time of making a tool otherwise


def _bytes_as_text(answer: bytes) -> str:
    try:
        return answer.decode()
    except UnicodeDecodeError:
        return f"{len(answer)} bytes that are not text"
