"""The lists of tools in the settings, compared with the tools that exist: patterns that match nothing are reported.

Such a pattern is not an error, because the tool may come later from a cell or a file. But a misspelt one never matches,
and its author believes that a tool is guarded. It is therefore logged when a turn begins, and the status and the doctor
name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lango_nb.core.errors import closest, shorten
from lango_nb.core.tool_patterns import EVERY, ToolPattern, by_agent

if TYPE_CHECKING:
    from lango_nb.config.settings import Settings
    from lango_nb.tools.tool import Tool


def unfit_patterns(settings: Settings, tools: Iterable[Tool], agents: Iterable[str] = ()) -> tuple[str, ...]:
    """Say which patterns of the settings fit no known tool, or name a parameter or an agent that is not there.

    Parameters
    ----------
    settings : Settings
    tools : iterable of Tool
        What an engine works with; families that are only switched off count as known too.
    agents : iterable of str
        Who there is; not looked at when empty.

    Returns
    -------
    tuple of str
        A sentence each.

    Examples
    --------
    >>> from lango_nb.config.settings import Settings
    >>> settings = Settings.model_validate({"security": {"interceptor": {"sensitiveTools": ["fs_*", "fs_dlete"]}}})
    >>> unfit_patterns(settings, [])
    ("security.interceptor.sensitiveTools: 'fs_dlete' fits no known tool; did you mean 'fs_delete'?",)
    """
    written = [(key, pattern) for key, patterns in _lists(settings) for pattern in patterns]
    if not written:
        return ()
    from lango_nb.tools.builtin import builtin_tools
    from lango_nb.tools.by_name import spec_families

    known = {tool.name: tool for tool in (*spec_families(), *builtin_tools(), *tools)}
    found = ((key, text, _problem(ToolPattern.parse(text), known)) for key, text in written)
    unfit = [f"{key}: {shorten(text)!r} {problem}" for key, text, problem in found if problem]
    return (*unfit, *_strangers(settings, tuple(agents)))


def _strangers(settings: Settings, agents: tuple[str, ...]) -> Iterator[str]:
    """Name the agents of lists that are not there."""
    for key, entries in _agent_lists(settings):
        for agent in by_agent(entries) if agents else ():
            if agent not in {*agents, EVERY}:
                near = closest(agent, agents)
                yield f"{key}: {shorten(agent)!r} is not an agent here{f'; did you mean {near!r}?' if near else ''}"


def _lists(settings: Settings) -> Iterator[tuple[str, tuple[str, ...]]]:
    guard = settings.security.interceptor
    yield "security.interceptor.sensitiveTools", guard.sensitive_tools
    yield "security.interceptor.exemptTools", guard.exempt_tools
    for key, entries in _agent_lists(settings):
        yield key, tuple(pattern for patterns in by_agent(entries).values() for pattern in patterns)


def _agent_lists(settings: Settings) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "hooks.deniedTools", settings.hooks.denied_tools
    yield "hooks.allowedTools", settings.hooks.allowed_tools


def _problem(pattern: ToolPattern, known: dict[str, Tool]) -> str:
    fitting = [tool for name, tool in known.items() if pattern.fits(name)]
    if not fitting:
        name = pattern.written.partition("(")[0].strip()
        return f"fits no known tool{_meant(name, known)}"
    if pattern.argument and not any(pattern.argument in _parameters(tool) for tool in fitting):
        names = {name for tool in fitting for name in _parameters(tool)}
        return f"names a parameter no such tool has{_meant(pattern.argument, names)}"
    return ""


def _meant(name: str, options: Iterable[str]) -> str:
    near = closest(name, options)
    return f"; did you mean {near!r}?" if near else "; it waits for tools that come later"


def _parameters(tool: Tool) -> tuple[str, ...]:
    properties = tool.parameters.get("properties")
    return tuple(properties) if isinstance(properties, dict) else ()
