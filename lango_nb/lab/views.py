"""What a lab shows: records of the engine as views, with the small words and tables several of them share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lango_nb.core.text import counted
from lango_nb.lab.view_types import StatusView, TreeView, frames, texts_frame
from lango_nb.viz.table import Table
from lango_nb.viz.view import ListView, View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.config.loading import LoadedSettings
    from lango_nb.core.messages import Message
    from lango_nb.engine import Engine
    from lango_nb.hooks.chain import HookChain
    from lango_nb.models.usable import ModelRow
    from lango_nb.records.ledger import LedgerEntry
    from lango_nb.records.turns import Trace
    from lango_nb.routing.partition import Assignment
    from lango_nb.routing.router import Router
    from lango_nb.routing.tree import AgentNode, AgentTree
    from lango_nb.stores.store import Store
    from lango_nb.tools.tool import Tool

R = TypeVar("R")


def listing(record: R, table: Table, columns: Sequence[str] = ()) -> View[R]:
    """Show a table of texts, which is also the DataFrame.

    Parameters
    ----------
    record : object
        What the table is about.
    table : Table
    columns : sequence of str
        What the DataFrame calls the columns; as the table does when empty.
    """
    return View(record, lambda: texts_frame(columns or table.columns, table.rows), table)


# -- agents and tools --------------------------------------------------------------------------------------------------


def agents_view(tree: AgentTree) -> TreeView:
    """List agents: role, tools, where the definition came from."""
    own = tree.partition.owned
    rows = tuple(
        (node.name, node.role, len(own.get(node.name, node.tools)), _source_of(node), node.description or "")
        for node in tree
    )
    note = f"left out, because no tool is theirs: {', '.join(tree.skipped)}" if tree.skipped else ""
    columns = ("agent", "role", "own_tools", "source", "description")
    table = Table(f"agents of {tree.topology.name}", columns, rows, note)
    return TreeView(tree, table)


def tools_view(tools: tuple[Tool, ...], tree: AgentTree, query: str | None) -> ListView[Tool]:
    """List tools with their owners.

    Parameters
    ----------
    tools : tuple of Tool
    tree : AgentTree
    query : str, optional
        What they were searched for by.
    """
    rows = tuple(
        (
            tool.name,
            owner_of(tree.partition.why(tool.name)),
            tool.family,
            tool.safety,
            "yes" if tool.is_by_name else "",
        )
        for tool in tools
    )
    by_name = sum(tool.is_by_name for tool in tools)
    title = counted(len(tools), "tool") + (f" for {query!r}" if query else "")
    note = f"{len(tools) - by_name} run here, {by_name} are known by name only"
    table = Table(title, ("tool", "agent", "family", "safety", "by_name"), rows, note)
    return ListView(tools, lambda: _some(frames().tools_df(tree), "tool", [tool.name for tool in tools]), table)


def landed_view(tools: Sequence[Tool], tree: AgentTree) -> ListView[Assignment]:
    """Show who works with tools that are new.

    Parameters
    ----------
    tools : sequence of Tool
    tree : AgentTree
        With them.
    """
    partition = tree.partition
    landed = tuple(partition.why(tool.name) for tool in tools)
    rows = tuple((item.tool, owner_of(item), item.reason) for item in landed)
    table = Table(f"{counted(len(tools), 'tool')} joined", ("tool", "agent", "reason"), rows)
    return ListView(
        landed, lambda: _some(frames().partition_df(partition), "tool", [one.tool for one in landed]), table
    )


def hooks_view(chain: HookChain) -> View[HookChain]:
    """List the hooks around every tool call."""
    rows = tuple(
        (row.name, row.phase, row.priority, row.source, "yes" if row.is_wired else "no", row.why) for row in chain
    )
    table = Table("hooks around a tool call", ("hook", "phase", "priority", "source", "wired", "why"), rows)
    return View(chain, lambda: frames().hooks_df(chain), table)


def owner_of(item: Assignment) -> str:
    """Name who has a tool, in the words of the pictures."""
    return item.agent or {"universal": "everybody", "dropped": "root only"}.get(item.rule, "nobody")


def _source_of(node: AgentNode) -> str:
    return node.spec.source.name.lower() if node.spec is not None else "builtin"


# -- records -----------------------------------------------------------------------------------------------------------


def ledger_view(entries: tuple[LedgerEntry, ...]) -> ListView[LedgerEntry]:
    """List what teammate runs waited for."""
    columns = ("run", "agent", "kind", "grant", "attempt", "state", "reason")
    rows = tuple(
        (e.run_id, e.agent, e.kind, e.grant_request_id, e.grant_attempt or None, e.grant_state, e.blocked_reason)
        for e in entries
    )
    empty = "nothing was noted; runLedger.enabled and runLedger.writeThrough note who waits for an approval"
    return ListView(entries, lambda: frames().ledger_df(entries), Table("run ledger", columns, rows, empty=empty))


def messages_view(trace: Trace, numbered: Sequence[tuple[int, Message]], title: str) -> ListView[Message]:
    """List messages of a turn.

    Parameters
    ----------
    trace : Trace
    numbered : sequence of (int, Message)
        The messages with their numbers in the turn.
    title : str
    """
    rows = tuple(
        (number, message.role, message.author or "", message.content, ", ".join(c.name for c in message.tool_calls))
        for number, message in numbered
    )
    table = Table(title, ("message", "role", "author", "content", "calls"), rows)
    numbers = [number for number, _ in numbered]
    return ListView(
        tuple(message for _, message in numbered), lambda: _some(frames().messages_df(trace), "seq", numbers), table
    )


def _some(frame: pd.DataFrame, column: str, values: Sequence[object]) -> pd.DataFrame:
    return frame[frame[column].isin(values)].reset_index(drop=True)


# -- what is in use ----------------------------------------------------------------------------------------------------


def models_view(rows: tuple[ModelRow, ...], note: str) -> ListView[ModelRow]:
    """List models that can be used, and what is missing for the rest."""
    columns = ("provider", "example", "state", "key", "what is missing")
    shown = tuple(
        (row.provider, row.example, row.state.replace(" ", "\N{NO-BREAK SPACE}"), row.key, row.missing) for row in rows
    )
    return ListView(rows, lambda: frames().models_df(rows), Table("models", columns, shown, note))


def status_view(engine: Engine, session: str, loaded: LoadedSettings) -> StatusView:
    """Say what is in use.

    Parameters
    ----------
    engine : Engine
    session : str
        The conversation in use.
    loaded : LoadedSettings
    """
    by_name = sum(tool.is_by_name for tool in engine.catalog)
    topology = engine.topology
    values = {
        "topology": f"{topology.name}: {topology.title}" if topology.title else topology.name,
        "agents": ", ".join(engine.tree.names),
        "tools": f"{len(engine.catalog)} ({len(engine.catalog) - by_name} run, {by_name} by name only)",
        "model": engine.model.name,
        "router": _knows(engine.router),
        "session": session,
        "turns": str(len(engine.traces)),
        "records": shown_store(engine.store),
        "workspace": _shown_folder(engine.workspace),
    }
    if engine.traces.unsaved:
        unsaved = ", ".join(f"turn {trace.turn.number}" for trace in engine.traces.unsaved)
        values["not written"] = f"{unsaved}: only in memory yet, see %lango doctor"
    if engine.records.found:
        values["found"] = "; ".join(item.sentence for item in engine.records.found)
    if engine.records.is_durable and engine.store.problems:
        values["problems"] = f"{counted(len(engine.store.problems), 'problem')} with records: %lango doctor"
    values |= left_open(engine)
    if loaded.trust is not None and loaded.trust.held:
        values["held back"] = f"{loaded.trust.keys}; %{loaded.trust.command} shows and trusts them"
    if warnings := (*engine.warnings, *engine.unfit_patterns):
        values["warnings"] = "; ".join(warnings)
    return StatusView(values)


def _knows(router: Router) -> str:
    """Say what a router goes by."""
    said = [f"words of {router.learned.card['requests']} labelled requests"]
    said += ["sentences as a whole"] if router.sentences is not None else []
    said += [f"{len(router.taught.rows)} requests of your own"] if router.taught.rows else []
    return ", ".join(said)


def left_open(engine: Engine) -> dict[str, str]:
    """Say that an earlier process left calls open, under the name of that row; nothing where it did not."""
    left = engine.approvals.left
    return {"left open": f"{counted(len(left), 'call')} of an earlier process: %lango approvals"} if left else {}


def shown_store(store: Store) -> str:
    """Say where records lie; of a place elsewhere its last two names, so that notebooks do not tell where they ran.

    Parameters
    ----------
    store : Store
    """
    if not store.is_durable:
        return "in memory; %lango open FOLDER keeps them"
    place = store.where
    path = Path(place).expanduser()
    if "://" not in place and path.is_absolute():
        here = Path.cwd()
        if path.is_relative_to(here):
            place = path.relative_to(here).as_posix()
        elif not place.startswith("~"):
            place = "/".join(("…", *path.parts[-2:]))
    return f"{store.name}: {place}"


def _shown_folder(folder: Path) -> str:
    """Name a folder without its path, so that saved notebooks do not tell where they ran."""
    return "." if folder == Path.cwd() else folder.name
