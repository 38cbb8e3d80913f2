"""Where agents' definitions come from: folders of ``<any name>/AGENT.md``, the user's own and the package's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from lango_nb.core.errors import DefinitionError
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.agent_md import read_agent_md

AGENT_FILE = "AGENT.md"
PACKAGE = Path(__file__).resolve().parents[1]
"""The installed package. Not ``importlib.resources``: that takes 20 ms to import, and a wheel is always unpacked."""
SHOWN_PACKAGE = "lango_nb"
"""What messages and ``spec.path`` call the package's folder, so that they are the same on every machine."""


class AgentStore(Protocol):
    """Anything a registry can load agents from."""

    def load(self) -> Sequence[AgentSpec]:
        """Return all definitions.

        Raises
        ------
        DefinitionError
            One of them cannot be read; none is returned then.
        """
        ...


class FileStore:
    """A folder with one subfolder per agent.

    The name of a subfolder says nothing; plain files, and subfolders without ``AGENT.md``, are skipped.

    Parameters
    ----------
    folder : Path or str
        May be missing, ``~`` is the home folder.
    source : Source
        What the agents are marked with.
    shown_as : str, optional
        What messages and ``spec.path`` call the folder; the folder as given when absent.

    Notes
    -----
    Source: Multi-Agent Orchestration (spec 003), "File Store".
    """

    def __init__(self, folder: Path | str, source: Source = Source.USER, *, shown_as: str | None = None) -> None:
        self._folder = _expand(Path(folder))
        self._source = source
        self._is_own = self._folder.is_relative_to(PACKAGE)
        self._shown_as = str(self._folder) if shown_as is None else shown_as

    def load(self) -> tuple[AgentSpec, ...]:
        """Read every agent, in the order of the subfolders' names.

        Returns
        -------
        tuple of AgentSpec
            Empty if the folder is missing.

        Raises
        ------
        DefinitionError
            The folder or one ``AGENT.md`` cannot be read, or two agents have the same name.
        """
        specs = tuple(
            read_agent_md(
                file,
                self._source,
                shown_as=f"{self._shown_as}/{file.parent.name}/{AGENT_FILE}",
                is_own=self._is_own,
            )
            for file in self._files()
        )
        _refuse_doubles(specs)
        return specs

    def _files(self) -> list[Path]:
        try:
            return [file for entry in sorted(self._folder.iterdir()) if _is_there(file := entry / AGENT_FILE)]
        except FileNotFoundError:
            return []
        except NotADirectoryError:
            raise DefinitionError(f"{self._shown_as}: is a file; agents are read from a folder of folders") from None
        except OSError as error:
            place = str(error.filename).replace(str(self._folder), self._shown_as, 1)
            what = f"cannot be read ({error.strerror}); check the path and its permissions"
            raise DefinitionError(f"{place}: {what}") from error
        except ValueError as error:
            raise DefinitionError(f"{self._shown_as!r}: is not a path ({error})") from error


class EmbeddedStore:
    """The extras bundled with the package.

    Notes
    -----
    Source: Multi-Agent Orchestration (spec 003), "Embedded Store".
    """

    def load(self) -> tuple[AgentSpec, ...]:
        """Read every bundled agent.

        Returns
        -------
        tuple of AgentSpec

        Raises
        ------
        DefinitionError
            The installation is damaged.
        """
        folder = f"{SHOWN_PACKAGE}/data/agents"
        return FileStore(PACKAGE / "data" / "agents", Source.EMBEDDED, shown_as=folder).load()


def user_agents(folder: Path | None) -> tuple[AgentSpec, ...]:
    """Return the user's agents, or the bundled ones while the user has none.

    Parameters
    ----------
    folder : Path, optional
        ``agent.agentsDir``; may be missing.

    Returns
    -------
    tuple of AgentSpec

    Raises
    ------
    DefinitionError
        One of the user's agents cannot be read; the bundled ones do not step in for it.
    """
    own = FileStore(folder).load() if folder is not None else ()
    return own or EmbeddedStore().load()


def _refuse_doubles(specs: Iterable[AgentSpec]) -> None:
    seen: dict[str, AgentSpec] = {}
    for spec in specs:
        first = seen.setdefault(spec.name, spec)
        if first is not spec:
            raise DefinitionError(f"{spec.path}: name: {spec.name!r} is taken by {first.path}; rename one of them")


def _is_there(file: Path) -> bool:
    """Tell whether a folder holds a file of this name, readable or not."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _expand(folder: Path) -> Path:
    try:
        return folder.expanduser()
    except RuntimeError:  # no such user: the folder is missing, and that is fine
        return folder
