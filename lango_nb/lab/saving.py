"""Writing agents and topologies to folders, from which they can be read again."""

from __future__ import annotations

from pathlib import Path

from lango_nb.core.errors import LangoError, StoreError, UsageError
from lango_nb.records.exporting import write_whole
from lango_nb.routing.editing import Shape
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.agent_md import render_agent_md
from lango_nb.specs.sources import AGENT_FILE
from lango_nb.specs.topologies import TOPOLOGY_FILE, read_topology, topology_files


def save_agent(spec: AgentSpec, path: Path, *, overwrite: bool = False) -> Path:
    """Write the definition of an agent; see :meth:`lango_nb.lab.lab.Lab.save_agent`."""
    target = path / AGENT_FILE if path.is_dir() else path
    _write(target, render_agent_md(spec), overwrite=overwrite)
    return target


def save_topology(shape: Shape, folder: Path, *, overwrite: bool = False) -> Path:
    """Write a topology with all its agents; see :meth:`lango_nb.lab.lab.Lab.save_topology`.

    Notes
    -----
    What takes the longest to be noticed is written last: a folder without ``topology.yaml`` is no topology.
    """
    is_there = (folder / TOPOLOGY_FILE).exists()
    if is_there and not overwrite:
        raise UsageError(
            f"there is a topology in {folder.name!r} already; choose another folder, or say that it may be overwritten"
        )
    own = tuple(spec for spec in shape.agents if spec.source is not Source.EMBEDDED)
    agents = (*shape.topology.agents, *own)
    names = [spec.name for spec in agents]
    order = tuple(name for name in shape.topology.match_order if name in names)
    topology = shape.topology.model_copy(update={"agents": agents, "match_order": order})
    for name in _left_over(folder, {*names}) if is_there else ():
        (folder / "agents" / name / AGENT_FILE).unlink(missing_ok=True)
    files = topology_files(topology)
    for name in sorted(files, key=lambda one: one == TOPOLOGY_FILE):
        _write(folder / name, files[name], overwrite=overwrite)
    return folder


def _left_over(folder: Path, names: set[str]) -> set[str]:
    """Name the agents of the topology that is replaced which are not there any more; other files stay."""
    try:
        before = read_topology(folder)
    except LangoError:  # not one that was written here: nothing of it is taken away
        return set()
    return {Path(spec.path).parent.name for spec in before.agents} - names


def _write(target: Path, text: str, *, overwrite: bool) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{target.parent.name} cannot be made: {error.strerror}; choose another folder") from error
    write_whole(target, [text.encode()], overwrite=overwrite)
