"""What a lab is made of: tools from whatever describes them, who answers, which settings hold, where records lie."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lango_nb.config.loading import LoadedSettings, home_folder, load_settings
from lango_nb.config.settings import Settings
from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.core.paths import HOME, path_of
from lango_nb.engine import SINGLE
from lango_nb.runtime.approvals import Approver, AskWith, approver_named
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families, tools_by_name
from lango_nb.tools.tool import Tool

if TYPE_CHECKING:
    from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
    from lango_nb.stores.store import Store

logger = logging.getLogger("lango_nb")

SHELF = "shelf.json"
"""Name of the shelf in a home."""
MEMORY = "memory"
"""Address of records in memory."""
ToolLike = Tool | Callable[..., Any]
ToolsLike = ToolLike | Sequence[ToolLike] | Sequence[str] | Sequence[Mapping[str, Any]] | Mapping[str, Any] | str | Path


def read_tools(tools: ToolsLike) -> tuple[Tool, ...]:
    """Return tools from whatever describes them; what has no handler is known by name only."""
    return tools_by_name([tools] if callable(tools) or isinstance(tools, Tool) else tools)


def read_approver(approver: Approver | str | None) -> Approver:
    """Return the approver of a name; the person at the keyboard when absent.

    Raises
    ------
    UnknownNameError
        The name is none of ``ask``, ``allow``, ``deny``, ``hold``.
    """
    if approver is None or approver == "ask":
        return AskWith(_ask_person)
    return approver_named(approver) if isinstance(approver, str) else approver


async def _ask_person(request: ApprovalRequest) -> ApprovalAnswer | None:
    from lango_nb.runtime.ask import ask_person

    return await ask_person(request)


def read_settings(
    settings: Settings | LoadedSettings | Mapping[str, Any] | None, folder: Path, home: Path
) -> LoadedSettings:
    """Return the settings that hold: the given ones alone, or over files and environment.

    What is held back of a folder's is said in one line, unless somebody else has loaded them and said it.
    """
    if isinstance(settings, LoadedSettings):
        return _with_teammates(settings)
    if isinstance(settings, Settings):
        return _with_teammates(load_settings(overrides=settings.model_dump(exclude_defaults=True)))
    loaded = load_settings(folder, home, os.environ, settings, trust_home=home_folder())
    if loaded.warning:
        logger.warning("%s", loaded.warning)
    return _with_teammates(loaded)


def _with_teammates(loaded: LoadedSettings) -> LoadedSettings:
    """Switch the teammate runtime on unless somebody wrote down that it is off: a lab is there to show it."""
    background = loaded.settings.background.model_copy(update={"enabled": True})
    return _switched_on(loaded, "background.enabled", background=background)


def with_memory(loaded: LoadedSettings) -> LoadedSettings:
    """Let agents remember, unless somebody wrote down that they do not: where records are in memory, nothing lasts."""
    memory = loaded.settings.agent_memory.model_copy(update={"enabled": True})
    return _switched_on(loaded, "agentMemory.enabled", agent_memory=memory)


def _switched_on(loaded: LoadedSettings, key: str, **group: object) -> LoadedSettings:
    if loaded.origins[key] != "default":
        return loaded
    settings = loaded.settings.model_copy(update=group)
    return loaded._replace(settings=settings, origins={**loaded.origins, key: "lab"})


def first_topology(loaded: LoadedSettings) -> str:
    """Return the topology to start with: a lab shows agents unless somebody wrote down that there is only one."""
    is_said = loaded.origins["agent.multiAgent"] != "default"
    return SINGLE if is_said and not loaded.settings.agent.multi_agent else loaded.settings.lab.topology


def default_tools() -> tuple[Tool, ...]:
    """Return the families that are real, and by name those of the specification that are not built yet."""
    return (*builtin_tools(), *spec_families())


def shelf_path(store: Store | str | Path | None, home: Path) -> Path | None:
    """Say which file the shelf beside some records is.

    Parameters
    ----------
    store : Store or str or Path, optional
        Where records lie, as a lab takes it.
    home : Path
        The home folder.

    Returns
    -------
    Path or None
        Beside a folder of records, in the home folder for a database; ``None``, in memory, where records are.

    Examples
    --------
    >>> shelf_path("home", Path("h")).as_posix(), shelf_path("h", Path("x")).as_posix()
    ('h/shelf.json', 'h/shelf.json')
    """
    if not store or store == MEMORY:
        return None
    if not isinstance(store, str | Path):
        return home / SHELF if store.is_durable else None
    if store == HOME or "://" in str(store):
        return home / SHELF
    return path_of(store) / SHELF


def kind_of(what: str | Path, sessions: Sequence[str]) -> Literal["session", "traces", "records"]:
    """Say what somebody wants to open.

    Parameters
    ----------
    what : str or Path
        As :meth:`~lango_nb.lab.lab.Lab.open` takes it.
    sessions : sequence of str
        Names of those there are.

    Raises
    ------
    UsageError
        Nothing is named, or a file that is not there.
    UnknownNameError
        There is no such session, file or folder.
    """
    name = str(what)
    if isinstance(what, str) and not what.strip():
        raise UsageError("name what to open: a session, a file of traces, a folder for records, home, or an address")
    if isinstance(what, str) and what in sessions:
        return "session"
    if name == HOME or "://" in name:
        return "records"
    path = path_of(name)
    if path.is_file():
        return "traces"
    if path.is_dir() or isinstance(what, Path) or "/" in name or name.startswith((".", "~")):
        if path.suffix in {".json", ".jsonl"}:
            raise UsageError(f"there is no file {name}; name one that is there, a session, or a folder for records")
        return "records"
    raise UnknownNameError("session", name, sessions)
