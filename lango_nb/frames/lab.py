"""Around the turns: hooks, models, how agents did, what the doctor found, what is on the shelf."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lango_nb.doctor.finding import Finding, Report
from lango_nb.frames.column import Column, Sources, json_text, some
from lango_nb.frames.frame import frame
from lango_nb.hooks.chain import HookRow
from lango_nb.models.usable import ModelRow
from lango_nb.records.metrics import AgentMetrics
from lango_nb.records.shelf_items import ShelfItem

# -- hooks -------------------------------------------------------------------------------------------------------------

HOOK_COLUMNS = (
    Column("hook", "row.name", "string", "", "Name of the hook."),
    Column("phase", "row.phase", "string", "", "before or after a call."),
    Column("priority", "row.priority", "Int64", "", "Its place: lower numbers come first."),
    Column("source", "row.source", "string", "", "builtin or user."),
    Column("is_wired", "row.is_wired", "boolean", "", "Whether it takes part."),
    Column("why", "row.why", "string", "", "Why it does or does not."),
)


@frame("hooks", HOOK_COLUMNS, HookRow)
def hooks_df(rows: Iterable[HookRow]) -> Sources:
    """List the hooks around a tool call.

    Parameters
    ----------
    rows : HookRow or iterable of HookRow

    Returns
    -------
    DataFrame
        One row per hook, in their order.
    """
    return {"row": list(rows)}


# -- models ------------------------------------------------------------------------------------------------------------

MODEL_COLUMNS = (
    Column("provider", "model.provider", "string", "", "Who answers."),
    Column("example", "model.example", "string", "", "A name that could be given."),
    Column(
        "state",
        "model.state",
        "string",
        "",
        "usable, or the kind of thing that is missing: key, package, server, model, network.",
    ),
    Column("key", "model.key", "string", "", "Where its key was found; empty where none was, or none is needed."),
    Column("missing", "model.missing", "string", "", "What is missing and what to do; empty when nothing is."),
)


@frame("models", MODEL_COLUMNS, ModelRow)
def models_df(models: Sequence[ModelRow]) -> Sources:
    """List which models can be used here.

    Parameters
    ----------
    models : ModelRow or iterable of ModelRow

    Returns
    -------
    DataFrame
        One row per provider; of a server that was found on this machine, one per model.
    """
    return {"model": list(models)}


# -- metrics -----------------------------------------------------------------------------------------------------------

METRIC_COLUMNS = (
    Column("agent", "it.agent", "string", "", "The agent."),
    Column("turns", "it.turns", "Int64", "", "Finished turns that belong to it: it was the first they were handed to."),
    Column("success", "it.success", "Int64", "", "Those that ended with success."),
    Column("failure", "it.failure", "Int64", "", "Those that failed: all others but those that ask something of you."),
    Column("limit_reached", "it.limit_reached", "Int64", "", "Failures at a limit of tokens, cost or turns."),
    Column("input_required", "it.input_required", "Int64", "", "Turns that asked back, understood nothing, or wait."),
    some("success_rate", "it.success_rate", "float64", "0 to 1", "Share that ended well; missing without turns."),
    Column(
        "tool_calls",
        "it.tool_calls",
        "Int64",
        "",
        "Calls that ended, refused ones too; control tools are none.",
    ),
    Column("delegations_in", "it.delegations_in", "Int64", "", "How often it got work."),
    Column("delegations_out", "it.delegations_out", "Int64", "", "How often it gave work."),
    some("p50_ms", "it.p50_ms", "float64", "ms", "Half of its turns took no longer; missing without turns."),
    some("p95_ms", "it.p95_ms", "float64", "ms", "95 of 100 took no longer."),
    some("p99_ms", "it.p99_ms", "float64", "ms", "99 of 100 took no longer."),
)


@frame("metrics", METRIC_COLUMNS, AgentMetrics)
def metrics_df(metrics: Sequence[AgentMetrics]) -> Sources:
    """List what agents were measured at.

    Parameters
    ----------
    metrics : AgentMetrics or iterable of AgentMetrics

    Returns
    -------
    DataFrame
        One row per agent; durations are those of whole turns. Join by ``agent``.
    """
    return {"it": list(metrics)}


# -- findings ----------------------------------------------------------------------------------------------------------

FINDING_COLUMNS = (
    Column("check", "finding.check", "string", "", "What was looked at."),
    Column("status", "finding.status", "string", "", "ok, warn, fail, or skip where there was nothing to look at."),
    Column("text", "finding.text", "string", "", "What was found, in one sentence."),
    Column("turn", "finding.turn", "string", "", "Turn it is about; empty when it is about none."),
    some("turn_number", "finding.turn_number", "Int64", "", "Number of the turn: what lab.trace(2) takes."),
    Column("session", "finding.session", "string", "", "Session it is about; empty when it is about none."),
    Column("next_step", "finding.next_step", "string", "", "What to do about it; empty when nothing is to be done."),
    Column("evidence", "finding.evidence", "string", "", "What it was concluded from, a line each.", convert="\n".join),
)


@frame("findings", FINDING_COLUMNS, Report, Finding)
def findings_df(report: Sequence[Report | Finding]) -> Sources:
    """List what the doctor found.

    Parameters
    ----------
    report : Report, Finding, or iterable of them

    Returns
    -------
    DataFrame
        One row per finding, in the order of examination.
    """
    found: list[Finding] = []
    for item in report:
        found += item.findings if isinstance(item, Report) else (item,)
    return {"finding": found}


# -- shelf -------------------------------------------------------------------------------------------------------------

SHELF_COLUMNS = (
    Column("item", "it.id", "string", "", "Kind and number: what %lango forget takes."),
    Column("kind", "it.kind", "string", "", "notes, tags, examples, requests, agents and so on."),
    Column("number", "it.number", "Int64", "", "Number among the items of its kind."),
    Column("name", "it.name", "string", "", "What it is called; a tag is its name. Empty for most notes."),
    Column("text", "it.text", "string", "", "What it says; of a tag the request of its turn."),
    Column("agent", "it.agent", "string", "", "The agent it is about, or the right one for a request; may be empty."),
    some("turn", "it.turn", "Int64", "", "Number of the turn it is about."),
    Column("turn_id", "it.turn_id", "string", "", "Id of that turn; empty when it is about none."),
    some("at", "it.at", "datetime64[ns, UTC]", "", "When it was put there."),
    Column("more", "it.more", "string", "JSON", "Its other fields.", convert=json_text),
)


@frame("shelf", SHELF_COLUMNS, ShelfItem)
def shelf_df(items: Sequence[ShelfItem]) -> Sources:
    """List what is on a shelf.

    Parameters
    ----------
    items : ShelfItem or iterable of ShelfItem
        What ``lab.shelf.items()`` gives.

    Returns
    -------
    DataFrame
        One row per item; join by ``turn_id`` or ``agent``.
    """
    return {"it": list(items)}
