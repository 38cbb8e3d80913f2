"""A genome: its agents, and how they came to be what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lango_nb.evaluation.proposals import Proposal
from lango_nb.frames.column import Column, Sources, some
from lango_nb.frames.frame import frame
from lango_nb.records.stumbles import Signal, signals
from lango_nb.records.turns import Trace
from lango_nb.specs.genome.history import Commit
from lango_nb.specs.genome.members import Member
from lango_nb.specs.genome.trials import Trial


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
    Column("max_turns", "member.agent.constraints.max_turns", "Int64", "", "Model calls per run; 0 is no limit."),
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
    Column("at", "commit.at", "datetime64[ns, UTC]", "", "When it was made."),
    Column(
        "operation", "commit.operation", "string", "", "What was done: add, update, remove, sync, rollback or another."
    ),
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


STUMBLE_COLUMNS = (
    Column("turn", "signal.turn", "Int64", "", "Number of the turn."),
    Column("agent", "signal.agent_name", "string", "", "Agent that stumbled."),
    Column("kind", "signal.kind", "string", "", "timeout, failure, error, inefficiency or retry."),
    Column("goal", "signal.goal", "string", "", "What it had to reach, without hints."),
    Column("detail", "signal.detail", "string", "", "What went wrong, in a sentence."),
    Column("by", "signal.observer", "string", "", "Agent that gave it the goal; empty for the root's own turn."),
    Column("at", "signal.at", "datetime64[ns, UTC]", "", "When the work began."),
    Column("turn_id", "signal.turn_id", "string", "", "Id of the turn."),
    Column("run_id", "signal.run_id", "string", "", "Id of the run; empty for the root's own turn."),
)


@frame("stumbles", STUMBLE_COLUMNS, Signal, Trace)
def stumbles_df(stumbles: Sequence[Signal | Trace]) -> Sources:
    """List what went wrong for agents.

    Parameters
    ----------
    stumbles : Signal or Trace or iterable of them
        Of a trace, those of its turn.

    Returns
    -------
    DataFrame
        One row per stumble.
    """
    found: list[Signal] = []
    for one in stumbles:
        found += signals(one) if isinstance(one, Trace) else (one,)
    return {"signal": found}


LEARNING_COLUMNS = (
    some("number", "proposal.number", "Int64", "", "Number of the proposal; missing for those of earlier sessions."),
    Column("agent", "lesson.agent_name", "string", "", "Agent that it was learned for."),
    Column("kind", "lesson.kind", "string", "", "What had gone wrong."),
    Column("change", "lesson.noun", "string", "", "memory, prompt, agent or rule."),
    Column("what", "lesson.told", "string", "", "What is proposed."),
    Column("reason", "lesson.reason", "string", "", "Why, in the model's words."),
    Column("state", "lesson.state", "string", "", "open, accepted or refused."),
    Column("commit", "lesson.commit", "string", "", "Id of the commit; empty while there is none."),
    some("at", "trial.at", "datetime64[ns, UTC]", "", "When it was accepted."),
    some("verdict", "trial.verdict", "string", "", "pending, helpful, neutral, harmful or undone."),
    some("before", "trial.before", "float64", "", "Stumbles for each action of the agent until then."),
    some("after", "trial.after", "float64", "", "Stumbles for each action of the agent since; judged after five."),
)


class _Lesson(NamedTuple):
    """What a proposal and the trial of what was accepted have in common."""

    agent_name: str
    kind: str
    noun: str
    told: str
    reason: str
    state: str
    commit: str


def _lesson(proposal: Proposal | None, trial: Trial | None) -> _Lesson:
    if proposal is not None:
        signal = proposal.signal
        about = signal.agent_name, signal.kind, proposal.change.noun
        return _Lesson(*about, proposal.told, proposal.reason, proposal.state, proposal.commit)
    if trial is None:
        raise TypeError("neither a proposal nor a trial")
    return _Lesson(trial.agent_name, trial.kind, trial.change, trial.subject, trial.reason, "accepted", trial.commit)


@frame("genome_learning", LEARNING_COLUMNS, Proposal, Trial)
def genome_learning_df(learned: Sequence[Proposal | Trial]) -> Sources:
    """List what a genome may learn and has learned.

    Parameters
    ----------
    learned : Proposal or Trial or iterable of them
        A proposal that was accepted and its trial are one row.

    Returns
    -------
    DataFrame
        One row per change, those of earlier sessions first.
    """
    trials = {one.commit: one for one in learned if isinstance(one, Trial)}
    proposals = [one for one in learned if isinstance(one, Proposal)]
    own = {one.commit for one in proposals}
    pairs: list[tuple[Proposal | None, Trial | None]] = [
        (None, one) for one in trials.values() if one.commit not in own
    ]
    pairs += [(one, trials.get(one.commit)) for one in proposals]
    return {
        "lesson": [_lesson(*pair) for pair in pairs],
        "proposal": [proposal for proposal, _ in pairs],
        "trial": [trial for _, trial in pairs],
    }
