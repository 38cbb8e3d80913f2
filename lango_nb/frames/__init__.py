"""Records as DataFrames: one function per noun, one :class:`Column` per column, the same dtypes however few rows.

    tree.py     before a turn            turns.py      a turn and what it is made of     events.py      what happened
    runs.py     teammates                handoffs.py   decisions and what came of them   approvals.py   questions
    lab.py      around the turns         visibility.py who saw what                      evaluation.py  who is right

    agents_df       agents of a tree                tools_df        tools and who works with them
    partition_df    who owns which tool, and why    prompt_df       prompts by section
    routing_df      candidates and signals          decisions_df    hand-overs and candidates
    sessions_df     conversations                   turns_df        turns
    events_df       everything that happened        messages_df     what was said, in every conversation
    steps_df        model calls, and what they were given
    runs_df         teammate runs                   delegations_df  hand-overs and what came of them
    tasks_df        what is to be done              memories_df     what agents remember
    approvals_df    calls that need an answer       visibility_df   who could see what was said, did, and should not
    metrics_df      how agents did                  findings_df     what the doctor found
    models_df       models that can be used         evaluation_df   how often a router or a model is right
    shelf_df        notes, tags, examples, results  ledger_df       what runs waited for
    hooks_df        what surrounds a tool call      task_evaluation_df  how many tasks are done
    learning_df     what lessons bring
    genome_df       agents of a genome              genome_history_df   its changes
    stumbles_df     what went wrong for agents      genome_learning_df  what is learned of it, and whether that helps

Each takes one record or several, and what is about turns also a :class:`~lango_nb.records.history.History`: then
rows are read as they are stored, and with ``columns=[…]`` only what these columns are made of. ``strict=False`` gives
``(frame, errors)`` instead of raising. pandas loads with the first frame, not with this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lango_nb.core.errors import UnknownNameError
from lango_nb.frames import approvals, evaluation, events, genome, handoffs, lab, runs, tree, turns, visibility
from lango_nb.frames.approvals import approvals_df
from lango_nb.frames.column import Column, FrameError
from lango_nb.frames.evaluation import evaluation_df, learning_df, task_evaluation_df
from lango_nb.frames.events import events_df
from lango_nb.frames.frame import columns_frame
from lango_nb.frames.genome import genome_df, genome_history_df, genome_learning_df, stumbles_df
from lango_nb.frames.handoffs import decisions_df, delegations_df
from lango_nb.frames.lab import findings_df, hooks_df, metrics_df, models_df, shelf_df
from lango_nb.frames.runs import ledger_df, memories_df, runs_df, tasks_df
from lango_nb.frames.texts import selection_df
from lango_nb.frames.tree import agents_df, partition_df, prompt_df, routing_df, tools_df
from lango_nb.frames.turns import messages_df, sessions_df, steps_df, turns_df
from lango_nb.frames.visibility import visibility_df

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "COLUMNS",
    "Column",
    "FrameError",
    "agents_df",
    "approvals_df",
    "decisions_df",
    "delegations_df",
    "describe",
    "evaluation_df",
    "events_df",
    "findings_df",
    "genome_df",
    "genome_history_df",
    "genome_learning_df",
    "hooks_df",
    "learning_df",
    "ledger_df",
    "memories_df",
    "messages_df",
    "metrics_df",
    "models_df",
    "partition_df",
    "prompt_df",
    "routing_df",
    "runs_df",
    "selection_df",
    "sessions_df",
    "shelf_df",
    "steps_df",
    "stumbles_df",
    "task_evaluation_df",
    "tasks_df",
    "tools_df",
    "turns_df",
    "visibility_df",
]

COLUMNS: dict[str, tuple[Column, ...]] = {
    "agents": tree.AGENT_COLUMNS,
    "tools": tree.TOOL_COLUMNS,
    "partition": tree.PARTITION_COLUMNS,
    "routing": tree.ROUTE_COLUMNS,
    "prompt": tree.PROMPT_COLUMNS,
    "sessions": turns.SESSION_COLUMNS,
    "turns": turns.TURN_COLUMNS,
    "evaluation": evaluation.SUMMARY,
    "task_evaluation": evaluation.TASK_COLUMNS["summary"],
    "learning": evaluation.LEARNING,
    "events": events.COLUMNS,
    "messages": turns.MESSAGE_COLUMNS,
    "steps": turns.STEP_COLUMNS,
    "decisions": handoffs.DECISION_COLUMNS,
    "delegations": handoffs.DELEGATION_COLUMNS,
    "runs": runs.RUN_COLUMNS,
    "ledger": runs.LEDGER_COLUMNS,
    "tasks": runs.TASK_COLUMNS,
    "memories": runs.MEMORY_COLUMNS,
    "approvals": approvals.COLUMNS,
    "visibility": visibility.COLUMNS,
    "metrics": lab.METRIC_COLUMNS,
    "models": lab.MODEL_COLUMNS,
    "hooks": lab.HOOK_COLUMNS,
    "findings": lab.FINDING_COLUMNS,
    "shelf": lab.SHELF_COLUMNS,
    "genome": genome.MEMBER_COLUMNS,
    "genome_history": genome.COMMIT_COLUMNS,
    "genome_learning": genome.LEARNING_COLUMNS,
    "stumbles": genome.STUMBLE_COLUMNS,
}
"""The columns of every frame; the frame of a noun is made by ``<noun>_df``."""


def describe(noun: str | None = None) -> pd.DataFrame:
    """Describe the columns of one frame, or of all.

    Parameters
    ----------
    noun : str, optional
        ``agents``, ``events`` …; all when absent.

    Returns
    -------
    DataFrame
        One row per column: noun, name, dtype, unit, sentence.

    Raises
    ------
    UnknownNameError
        There is no such frame.

    Examples
    --------
    >>> describe("partition")["name"].tolist()[:4]
    ['tool', 'agent', 'rule', 'prefix']
    """
    if noun is None:
        return columns_frame(COLUMNS)
    if noun not in COLUMNS:
        raise UnknownNameError("frame", noun, COLUMNS)
    return columns_frame({noun: COLUMNS[noun]})
