"""The genome of a lab: its agents, its history, and what takes a change back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.errors import UsageError
from lango_nb.core.paths import path_of
from lango_nb.lab.view_types import frames
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.members import members
from lango_nb.specs.genome.sync import ROOT
from lango_nb.specs.genome.unknown import unknown
from lango_nb.specs.sources import PACKAGE
from lango_nb.viz.genome import document, history_table
from lango_nb.viz.table import Table
from lango_nb.viz.view import ListView, View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.engine import Engine
    from lango_nb.evaluation.learner import Learner
    from lango_nb.lab.learning import ProposalsView
    from lango_nb.records.stumbles import Signal
    from lango_nb.specs.agent import AgentSpec
    from lango_nb.specs.genome.history import Commit, Diff
    from lango_nb.specs.genome.memories import Memory
    from lango_nb.specs.genome.rules import Rule
    from lango_nb.specs.genome.sync import Sync
    from lango_nb.specs.genome.working_tree import Finding

BOOTSTRAP = PACKAGE / "topologies" / "genome" / "bootstrap"
"""The agents that come along."""
NONE_OPEN = "no genome is open; %lango genome init FOLDER makes one in a folder, or opens the one that is there"


def open_genome(engine: Engine, folder: str | Path, bootstrap: str | Path | None = None) -> GenomeView:
    """Open or make a genome, and let an engine work with it."""
    shipped = BOOTSTRAP if bootstrap is None else path_of(bootstrap)
    engine.use_genome(Genome.open_or_init(path_of(folder), shipped, engine.clock, root=ROOT))
    return genome_view(engine)


def genome_view(engine: Engine, learner: Learner | None = None) -> GenomeView:
    """Show the genome that an engine works with, with what others have changed meanwhile.

    Parameters
    ----------
    engine : Engine
    learner : Learner, optional
        Of an earlier view: what it proposed for the same genome is still open.

    Raises
    ------
    UsageError
        It works with none.
    """
    if engine.genome is None:
        raise UsageError(NONE_OPEN)
    engine.follow_genome()
    if learner is None or learner.genome is not engine.genome:
        from lango_nb.evaluation.learner import Learner

        learner = Learner(engine, engine.genome)
    return GenomeView(engine.genome, engine, learner)


class GenomeView(View[Genome]):
    """A genome, and what can be done with it; what changes is in use from the next step of any turn on."""

    def __init__(self, genome: Genome, engine: Engine, learner: Learner) -> None:
        super().__init__(genome, self._frame_of_members, lambda: document(genome, self.strange))
        self._engine = engine
        self.learner = learner
        """What proposes changes, and knows what was proposed."""

    def _frame_of_members(self) -> pd.DataFrame:
        made: pd.DataFrame = frames().genome_df(members(self.record, self._engine.topology.root))
        return made

    @property
    def strange(self) -> tuple[Finding, ...]:
        """What its agents name that is not here: tools of another system, keys that this version does not read."""
        return unknown(self.record, {tool.name for tool in self._engine.catalog})

    @property
    def agents(self) -> tuple[AgentSpec, ...]:
        """Its agents, sorted by name."""
        return self.record.all_agents()

    @property
    def memories(self) -> tuple[Memory, ...]:
        """What it remembers."""
        return self.record.memories

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Its routing rules."""
        return self.record.rules

    def add(self, agent: AgentSpec, parent: str = "") -> GenomeView:
        """Add an agent.

        Parameters
        ----------
        agent : AgentSpec
        parent : str
            Who may delegate to it from now on; nobody when empty.

        Raises
        ------
        DefinitionError
            There is an agent of that name already, or the name is not free.
        UnknownNameError
            There is no such parent.
        """
        self.record.add_agent(agent, parent)
        return self._changed()

    def update(self, agent: AgentSpec) -> GenomeView:
        """Put a new version in an agent's place.

        Raises
        ------
        UnknownNameError
            There is no agent of that name.
        """
        self.record.update_agent(agent)
        return self._changed()

    def remove(self, name: str) -> GenomeView:
        """Remove an agent that no other lists.

        Raises
        ------
        UnknownNameError
            There is no agent of that name.
        RefusedError
            Others list it, or it is the one that everything begins with.
        """
        self.record.remove_agent(name)
        return self._changed()

    def remember(self, text: str, *tags: str) -> Memory:
        """Note something that agents are told when a goal speaks of it."""
        return self.record.add_memory(text, tags)

    def prefer(self, condition: str, preference: str, strength: float = 0.5) -> Rule:
        """Make a routing rule: what to do when a goal speaks of something; agents are told, and their model decides."""
        return self.record.add_rule(condition, preference, strength)

    def sync(self, folder: str | Path | None = None) -> View[Sync]:
        """Take in what is new in a folder of agents; what was changed here stays as it is.

        Parameters
        ----------
        folder : str or Path, optional
            The agents that come along when absent.
        """
        sync = self.record.sync_bootstrap(BOOTSTRAP if folder is None else path_of(folder))
        self._changed()
        groups = (
            ("added", sync.added),
            ("updated", sync.updated),
            ("list merged", sync.merged),
            ("left, changed here too", sync.conflicts),
        )
        rows = tuple((what, ", ".join(names)) for what, names in groups if names)
        return View(sync, None, Table("genome synced", ("what", "agents"), rows, "", "nothing new"))

    def log(self, limit: int = 20) -> ListView[Commit]:
        """List its changes, the latest first.

        Parameters
        ----------
        limit : int
            At most so many.
        """
        commits = self.record.history(limit)
        return ListView(commits, lambda: frames().genome_history_df(commits), history_table(commits))

    def diff(self, commit: str = "HEAD", after: str = "") -> View[Diff]:
        """Show what one change changed, or what differs between two of them.

        Parameters
        ----------
        commit : str
            Beginning of an id as :meth:`log` shows it, or ``HEAD`` for the latest.
        after : str
            The later one of two.

        Raises
        ------
        UnknownNameError
            There is no such change.
        """
        return View(self.record.diff(commit, after) if after else self.record.show(commit))

    def rollback(self, commit: str = "HEAD") -> View[Diff]:
        """Take one change back, by a change that is kept like any other, and show what that changes.

        Parameters
        ----------
        commit : str

        Raises
        ------
        UsageError
            What it changed was changed again since; nothing happens.
        """
        made = self.record.rollback(commit)
        self._changed()
        return View(self.record.show(made.id))

    # -- learning ------------------------------------------------------------------------------------------------------

    def stumbles(self) -> ListView[Signal]:
        """List what went wrong for agents in the latest turns."""
        from lango_nb.viz.learning import stumbles_table

        signals = self.learner.signals()
        return ListView(signals, lambda: frames().stumbles_df(signals), stumbles_table(signals))

    def learn(self) -> ProposalsView:
        """Look at what went wrong, and propose what may be learned of it: one model call for each agent and kind.

        Returns
        -------
        ProposalsView
            Nothing is changed until one is accepted. With the demo model the same stumbles give the same proposals.
        """
        from lango_nb.runtime.loop import run_in_loop

        run_in_loop(lambda _emit: self.learner.look())
        return self.proposals

    @property
    def proposals(self) -> ProposalsView:
        """What :meth:`learn` has proposed so far, and what came of what was accepted."""
        from lango_nb.lab.learning import ProposalsView

        return ProposalsView(self.learner, self._changed)

    def _changed(self) -> GenomeView:
        self._engine.follow_genome()
        self._df = None
        return self
