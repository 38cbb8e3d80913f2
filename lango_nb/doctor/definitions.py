"""What people wrote: settings of a folder that nobody trusts, and every ``AGENT.md``; each that is wrong is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.errors import DefinitionError, LangoError
from lango_nb.core.text import counted
from lango_nb.doctor.case import listed
from lango_nb.doctor.finding import Finding
from lango_nb.specs.agent import Source
from lango_nb.specs.agent_md import findings, read_agent_md
from lango_nb.specs.registry import AgentRegistry
from lango_nb.specs.sources import AGENT_FILE

if TYPE_CHECKING:
    from lango_nb.config.settings import Settings
    from lango_nb.config.trust import FolderTrust
    from lango_nb.specs.agent import AgentSpec
    from lango_nb.specs.topology import Topology

_CHECK = "registry"


def examine_definitions(settings: Settings, topology: Topology, *, has_own: bool = False) -> Iterator[Finding]:
    """Look at ``agent.agentsDir`` and everything in it.

    Parameters
    ----------
    settings : Settings
    topology : Topology
        Its agents' names are taken.
    has_own : bool
        Whether agents joined from a cell or an argument, so that the bundled ones do not.

    Yields
    ------
    Finding
        One per file that is wrong, however many there are; an engine stops at the first.

    Notes
    -----
    Needs no engine: with a wrong definition there is none.
    """
    written = settings.agent.agents_dir
    if not written:
        joining = "agents from cells and arguments" if has_own else "the bundled agents"
        yield Finding(_CHECK, "ok", f"agent.agentsDir is not set; {joining} join the topology's own")
        return
    files = _files(Path(written))
    if isinstance(files, Finding):
        yield files
        return
    if not files:
        text = f"{written} holds no agent, so the bundled ones step in"
        yield Finding(_CHECK, "warn", text, next_step=f"write {written}/<name>/{AGENT_FILE}, or unset agent.agentsDir")
        return
    registry = AgentRegistry(topology.agents)
    seen: dict[str, Path] = {}
    read: list[AgentSpec] = []
    for file in files:
        try:
            spec = read_agent_md(file, Source.USER)
            if spec.name in seen:
                what = f"{spec.name!r} is taken by {seen[spec.name]}"
                raise DefinitionError(f"{file}: name: {what}; rename one of them")
            registry.register(spec)
        except LangoError as error:
            yield Finding(_CHECK, "fail", str(error), next_step=f"mend {file}", evidence=(str(file),))
            continue
        seen[spec.name] = file
        read.append(spec)
    for spec in read:
        for odd in findings(spec):
            yield Finding(_CHECK, "warn", odd, next_step=f"mend {spec.path}", evidence=(spec.path,))
    if len(read) == len(files):
        text = f"{written} holds {counted(len(read), 'agent')}"
        yield Finding(_CHECK, "ok", text, evidence=listed([spec.name for spec in read]))


def _files(folder: Path) -> list[Path] | Finding:
    """Return every ``AGENT.md``, or what is wrong with the folder they should lie in."""
    try:
        if not folder.exists():
            text = f"agent.agentsDir leads to {folder}, which is not there"
            return Finding(_CHECK, "warn", text, next_step=f"create {folder}, or unset agent.agentsDir")
        if not folder.is_dir():
            text = f"agent.agentsDir leads to {folder}, which is a file"
            return Finding(_CHECK, "fail", text, next_step="name a folder whose subfolders hold AGENT.md files")
        return [entry / AGENT_FILE for entry in sorted(folder.iterdir()) if os.path.lexists(entry / AGENT_FILE)]
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        place = error.filename if isinstance(error, OSError) and error.filename else folder
        return Finding(_CHECK, "fail", f"{place} cannot be read: {why}", next_step="check the path and its permissions")


def examine_trust(trust: FolderTrust | None) -> Iterator[Finding]:
    """Say what is held back.

    Parameters
    ----------
    trust : FolderTrust, optional
        What the settings of the folder at hand need; ``None`` when they need nothing.

    Yields
    ------
    Finding
        At most one.
    """
    if trust is not None and trust.held:
        text = f"settings of {trust.shown} are held back, because nobody has trusted the folder: {trust.keys}"
        evidence = tuple(f"{setting.file}: {setting.key} = {setting.value}" for setting in trust.held)
        yield Finding("trust", "warn", text, next_step=f"%{trust.command} shows and trusts them", evidence=evidence)
