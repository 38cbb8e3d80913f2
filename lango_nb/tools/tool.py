"""A tool: its name, what it is for, a JSON schema, how dangerous it is, and a handler, or none: known by name only.

Tools known by name only are first-class: they are partitioned, routed and asked for like any other, and a call of one
answers that it is known by name only. That is how people look at a system they did not build here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field, replace
from typing import Any, Literal, get_args

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import ToolRole, ToolSchema
from lango_nb.tools.context import ToolContext

Safety = Literal["safe", "moderate", "dangerous"]
"""How much harm a call can do; a tool that does not say counts as dangerous."""
SAFETIES: tuple[str, ...] = get_args(Safety)
_NOT_DANGEROUS = ("safe", "moderate")

BY_NAME_ONLY = "known by name only"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call gave."""

    content: str
    """What the model reads."""
    is_error: bool = False
    code: str = ""
    """Short word for what went wrong: ``missing_argument``, ``outside_workspace``, ``by_name_only`` …"""
    data: JsonValue = None
    """The same answer as data, where a tool has it."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call would do, as things are now, for whoever is asked about it."""

    summary: str
    """One line: ``replaces 4 lines of todo.txt with 1 line``."""
    difference: str = ""
    """What would change, as a unified diff of some lines."""


def unknown_safety(where: str, safety: object) -> DefinitionError:
    """Return the error that refuses a safety.

    Parameters
    ----------
    where : str
        Begins the message: ``tool 'fs_wipe'``, a file and row …
    safety : object
        As it was given.
    """
    return DefinitionError(f"{where}: safety {shorten(repr(safety), 40)} is none of {', '.join(SAFETIES)}")


Handler = Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolResult]]
"""Runs a call whose arguments were already checked against the schema."""
Previewer = Callable[[Mapping[str, Any], ToolContext], Preview | str]
"""Looks what a call would do, and changes nothing; a :class:`ToolError` says why it would fail."""
SchemaSource = Callable[[], dict[str, JsonValue]]


def _no_parameters() -> dict[str, JsonValue]:
    return {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """One tool.

    Parameters
    ----------
    name : str
        Letters, digits, ``_``, ``.`` and ``-``; 128 characters at most.
    description : str
        What it does, for a model that has to choose.
    safety : {"safe", "moderate", "dangerous"}
        How much harm a call can do.
    family : str
        What it belongs to, ``fs`` for instance; empty when unknown.
    handler : callable, optional
        Runs a call; ``None`` for a tool known by name only.
    schema_source : callable
        Gives the JSON schema of the arguments when it is first needed.
    source : str
        Where it was found: ``builtin``, a file name, ``cell`` …
    role : {"work", "control"}
        A control tool belongs to the root and to every role that has tools; no list narrows it, and it counts as no
        work. What a tool is called says nothing about that.
    preview : callable, optional
        Looks what a call would do, for the question whether it may; takes the arguments and a context, changes nothing,
        may block.

    Raises
    ------
    DefinitionError
        The safety is another word.

    Examples
    --------
    >>> Tool("fs_wipe", safety="Dangerous")
    Traceback (most recent call last):
    lango_nb.core.errors.DefinitionError: tool 'fs_wipe': safety 'Dangerous' is none of safe, moderate, dangerous
    """

    name: str
    description: str = ""
    safety: Safety = "dangerous"
    family: str = ""
    handler: Handler | None = field(default=None, repr=False)
    schema_source: SchemaSource = field(default=_no_parameters, repr=False)
    source: str = ""
    role: ToolRole = "work"
    preview: Previewer | None = field(default=None, repr=False)
    _schema: list[ToolSchema] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        """Refuse an unknown safety."""
        if self.safety not in SAFETIES:
            raise unknown_safety(f"tool {shorten(str(self.name), 40)!r}", self.safety)

    @property
    def is_dangerous(self) -> bool:
        """Whether a call counts as dangerous: whatever is neither ``safe`` nor ``moderate`` does."""
        return self.safety not in _NOT_DANGEROUS

    @property
    def is_control(self) -> bool:
        """Whether it keeps the work going and does none itself."""
        return self.role == "control"

    def as_work(self) -> Tool:
        """Return the same tool as one that somebody works with, where agents list theirs."""
        return replace(self, role="work", _schema=[])

    @property
    def is_by_name(self) -> bool:
        """Whether only the name is known: it can be routed, not run."""
        return self.handler is None

    @property
    def schema(self) -> ToolSchema:
        """The tool as a model sees it; made on first use."""
        if not self._schema:
            self._schema.append(
                ToolSchema(
                    name=self.name, description=self.description, parameters=self.schema_source(), role=self.role
                )
            )
        return self._schema[0]

    @property
    def parameters(self) -> dict[str, JsonValue]:
        """JSON schema of the arguments."""
        return self.schema.parameters

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the arguments a call must hold."""
        required = self.parameters.get("required")
        return tuple(str(name) for name in required) if isinstance(required, list) else ()

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Run the tool, or answer that only its name is known.

        Parameters
        ----------
        arguments : mapping of str to any
            Checked against the schema beforehand (see :func:`lango_nb.tools.arguments.check_arguments`).
        context : ToolContext

        Returns
        -------
        ToolResult
            Never raises for what the model can mend; other exceptions pass through to the turn.
        """
        if self.handler is None:
            return ToolResult(
                f"tool {self.name!r} is {BY_NAME_ONLY}: it can be routed but not run here", True, "by_name_only"
            )
        return await self.handler(arguments, context)
