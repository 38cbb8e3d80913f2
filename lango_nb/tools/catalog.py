"""The tools there are: registered once, found by name, by words or by category."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.tools.definitions import CheckedSchema, check_name, check_schema
from lango_nb.tools.tool import Tool

_WORD = re.compile(r"[^\W_]+")
_SHORTEST_STEM = 3


class ToolCatalog:
    """Tools by name, in the order in which they were registered; safe under threads.

    Parameters
    ----------
    tools : iterable of Tool
        Registered right away.

    Raises
    ------
    DefinitionError
        As :meth:`register`.

    Examples
    --------
    >>> catalog = ToolCatalog([Tool("fs_read", family="fs"), Tool("cron_add", family="cron")])
    >>> catalog.names, catalog.get("cron_add").family
    (('fs_read', 'cron_add'), 'cron')
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._lock = threading.RLock()
        self._tools: dict[str, Tool] = {}
        self.register(*tools)

    def register(self, *tools: Tool) -> None:
        """Add tools: all of them, or none when one is refused.

        Parameters
        ----------
        *tools : Tool

        Raises
        ------
        DefinitionError
            No name or a bad one, a name that is taken (both sources are named), or a schema that is not one.
        """
        for number, tool in enumerate(tools, 1):
            check_name(tool.name, tool.source or f"tool {number} of {len(tools)}")
            if not isinstance(tool.schema_source, CheckedSchema):
                _check_made_schema(tool)
        with self._lock:
            merged = dict(self._tools)
            for tool in tools:
                if tool.name in merged:
                    places = " and ".join(repr(one.source or "unknown") for one in (merged[tool.name], tool))
                    raise DefinitionError(
                        f"two tools are called {tool.name!r} (from {places}); rename or leave out one"
                    )
                merged[tool.name] = tool
            self._tools = merged

    def unregister(self, name: str) -> Tool:
        """Take a tool out.

        Parameters
        ----------
        name : str

        Returns
        -------
        Tool
            The one that was there.

        Raises
        ------
        UnknownNameError
            There is none of that name.
        """
        with self._lock:
            tool = self.get(name)
            self._tools = {key: one for key, one in self._tools.items() if key != name}
        return tool

    def get(self, name: str) -> Tool:
        """Return a tool.

        Parameters
        ----------
        name : str

        Returns
        -------
        Tool

        Raises
        ------
        UnknownNameError
            There is none of that name; the message offers the nearest.
        """
        tools = self._tools
        found = tools.get(name)
        if found is None:
            raise UnknownNameError("tool", name, tools)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in the order of registration."""
        return tuple(self._tools)

    def __contains__(self, name: object) -> bool:
        """Tell whether a tool of that name is there."""
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        """Iterate over the tools there are at this moment."""
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        """Count the tools."""
        return len(self._tools)

    def categories(self) -> Mapping[str, tuple[Tool, ...]]:
        """Group the tools.

        Returns
        -------
        mapping of str to tuple of Tool
            Family to its tools, both in the order of registration; tools of no family stand under ``""``.

        Examples
        --------
        >>> list(ToolCatalog([Tool("fs_read", family="fs"), Tool("fs_stat", family="fs")]).categories())
        ['fs']
        """
        grouped: dict[str, list[Tool]] = {}
        for tool in self:
            grouped.setdefault(tool.family, []).append(tool)
        return MappingProxyType({family: tuple(tools) for family, tools in grouped.items()})

    def search(self, query: str = "", category: str | None = None) -> tuple[Tool, ...]:
        """Find tools by words.

        Parameters
        ----------
        query : str
            Words of the name, family or description; an empty one finds everything.
        category : str, optional
            Only tools of this family.

        Returns
        -------
        tuple of Tool
            Best first; tools of one score in the order of registration.

        Raises
        ------
        UnknownNameError
            There is no such category.

        Examples
        --------
        >>> catalog = ToolCatalog([Tool("cron_list", "Show every job."), Tool("fs_list", "Show what a folder holds.")])
        >>> [tool.name for tool in catalog.search("folder list")]
        ['fs_list', 'cron_list']
        """
        tools: Iterable[Tool] = self
        if category is not None:
            categories = self.categories()
            if category not in categories:
                raise UnknownNameError("category", category, categories)
            tools = categories[category]
        wanted = _words(query)
        if not wanted:
            return tuple(tools) if not query.strip() else ()
        scored = [(_score(tool, query.strip().casefold(), wanted), tool) for tool in tools]
        return tuple(tool for score, tool in sorted(scored, key=lambda one: -one[0]) if score)


def _check_made_schema(tool: Tool) -> None:
    """Refuse a tool whose hand-made schema is none; making it is the only way to know."""
    from pydantic import ValidationError

    where = f"tool {tool.name!r}"
    try:
        check_schema(tool.schema_source(), where)
        _ = tool.schema
    except ValidationError as error:
        raise DefinitionError(f"{where}: its schema is not JSON: {error.errors()[0]['msg']}") from error


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _score(tool: Tool, query: str, wanted: list[str]) -> int:
    """Add up what speaks for a tool.

    20 for its very name; per word 4 in the name (3 where one word is the other's beginning: "file", "files"), else 2
    in the family; 1 in the description.
    """
    name, family, told = _words(tool.name), [tool.family.casefold()], _words(tool.description)
    score = 20 if query == tool.name.casefold() else 0
    for word in wanted:
        if word in name:
            score += 4
        elif _is_near(word, name):
            score += 3
        elif _is_near(word, family):
            score += 2
        score += _is_near(word, told)
    return score


def _is_near(word: str, words: list[str]) -> bool:
    return any(
        word == other
        or (min(len(word), len(other)) >= _SHORTEST_STEM and (other.startswith(word) or word.startswith(other)))
        for other in words
    )
