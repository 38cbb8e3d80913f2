"""A genome: its agents, and how they came to be what they are."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import frame
from lango_nb.specs.genome.history import Commit
from lango_nb.specs.genome.members import Member


def _names(names: Sequence[str]) -> str:
    return ", ".join(names)


MEMBER_COLUMNS = (
    Column("agent", "member.agent.name", "string", "", "Name, unique within the genome."),
    Column("version", "member.agent.version", "Int64", "", "Counted up with every change."),
    Column("description", "member.agent.description", "string", "", "What it does, in its own words."),
    Column("model", "member.agent.model", "string", "", "A tier (best, balanced, fast), or a model of its own."),
    Column("tools", lambda member: _names(member.tools), "string", "", "Tools it lists."),
    Column("delegates", lambda member: _names(member.delegates), "string", "", "Agents it may delegate to."),
    Column("listed_by", lambda member: _names(member.listed_by), "string", "", "Agents that may delegate to it."),
    Column("can_spawn", "member.agent.constraints.can_spawn", "boolean", "", "Whether it may delegate at all."),
    Column("can_learn", "member.agent.constraints.can_learn", "boolean", "", "Whether what it sees is learned from."),
    Column("max_depth", "member.agent.constraints.max_depth", "Int64", "", "Its runs are less deep; 0 is no limit."),
    Column("max_turns", "member.agent.constraints.max_turns", "Int64", "calls", "Model calls per run; 0 is no limit."),
    Column("timeout_s", "member.agent.constraints.timeout_s", "float64", "s", "Time per run; 0 is the setting's."),
    Column("tags", lambda member: _names(member.agent.tags), "string", "", "Words to find it by."),
    Column("actions", "member.actions", "Int64", "", "Goals it worked on."),
    Column("stumbles", "member.stumbles", "Int64", "", "How often something went wrong with them."),
)


@frame("genome", MEMBER_COLUMNS, Member)
def genome_df(members: Sequence[Member]) -> Sources:
    """List the agents of a genome.

    Parameters
    ----------
    members : Member or iterable of Member

    Returns
    -------
    DataFrame
        One row per agent; join with others by ``agent``.
    """
    return {"member": list(members)}


COMMIT_COLUMNS = (
    Column("commit", "commit.short_id", "string", "", "Beginning of its id, which names it."),
    Column("at", "commit.at", "datetime64[ns, UTC]", "UTC", "When it was made."),
    Column("operation", "commit.operation", "string", "", "What was done: add, update, remove, sync, rollback, …"),
    Column("noun", "commit.noun", "string", "", "To what: agent, memory, rule; empty for none of them."),
    Column("name", "commit.name", "string", "", "To which one; of a rollback, the commit that it took back."),
    Column("subject", "commit.subject", "string", "", "The same in words."),
    Column("files", lambda commit: _names(commit.files), "string", "", "Files that differ, separated by commas."),
    Column("id", "commit.id", "string", "", "The whole id."),
    Column("parent", "commit.parent", "string", "", "Id of the commit before; empty for the first."),
)


@frame("genome_history", COMMIT_COLUMNS, Commit)
def genome_history_df(commits: Sequence[Commit]) -> Sources:
    """List the changes of a genome.

    Parameters
    ----------
    commits : Commit or iterable of Commit

    Returns
    -------
    DataFrame
        One row per commit.
    """
    return {"commit": list(commits)}
