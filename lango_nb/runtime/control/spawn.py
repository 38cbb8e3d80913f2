"""Spawn: teammates work in runs that the root starts, waits for and stops (``dynamic-v1``).

    root ── agent_spawn(agent="vault", instruction="…") ──▶ arun-1, working on its own
      ├──── agent_wait(agent_id="arun-1") ◀── its result, or what it waits for
      └──── agent_stop(agent_id="arun-1")

Teammates are routing targets, not sub-agents. Attached agents (remote ones, and those a user added) are reached by
transfer, as before. Where no agent is named, the one that the router puts first gets the run, and the answer of the
call says which; a name that is wrong is never guessed at.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from lango_nb.core.messages import ToolCall, ToolSchema
from lango_nb.routing.build import CONTROL_TOOLS
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.control.protocol import Refusal, Target, refuse_arguments, refuse_name
from lango_nb.runtime.control.transfer import TRANSFER, TransferControl
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.builtin import agents, tasks
from lango_nb.tools.tool import Tool

SPAWN = CONTROL_TOOLS["spawn"]
CHOSEN = "nobody was named: the router's choice"
"""Why a run is made whose call names nobody, and does not say why; the answer of the call says who it is."""
UNAVAILABLE = "the teammate runtime is not available: set background.enabled to true to switch it on"


class SpawnControl:
    """The control of octet.

    Parameters
    ----------
    is_available : bool
        Whether teammates can be submitted (``background.enabled``).
    route : callable, optional
        Says which agent gets an instruction that names no agent; ``None`` when none comes near.
    """

    def __init__(self, *, is_available: bool, route: Callable[[str], str | None] | None = None) -> None:
        self._is_available = is_available
        self._route = route
        self._transfer = TransferControl()
        self._tools: tuple[Tool, ...] = (agents.agent_wait, agents.agent_stop, *tasks.TASK_TOOLS)

    def owns(self, tool: str) -> bool:
        """Tell whether a call makes a run, or transfers."""
        return tool in {SPAWN, TRANSFER}

    def tools(self, node: AgentNode, tree: AgentTree) -> tuple[Tool, ...]:
        """Give the root what waits for runs, stops them and keeps tasks; specialists have theirs by partition."""
        return self._tools if node is tree.root else ()

    def schemas(self, node: AgentNode, tree: AgentTree) -> tuple[ToolSchema, ...]:
        """Offer the root all control tools; a specialist that may spawn has the names in its schema as well."""
        transfer = self._transfer.schemas(node, tree)
        if node is not tree.root:
            return transfer
        return (*_root_schemas(tree.teammates, self._tools), *transfer)

    def read(self, call: ToolCall, author: AgentNode, tree: AgentTree) -> Target | Refusal:
        """Check the name and the instruction; the runtime checks scope and depth."""
        if call.name == TRANSFER:
            return self._read_transfer(call, author, tree)
        names = tuple(name for name in tree.teammates if name != author.name)
        given = call.arguments
        problem = _problem(call)
        if problem:
            return refuse_arguments(call.model_copy(update={"error": problem}), "", names, given.get("agent"))
        instruction = str(given["instruction"])
        named = str(given.get("agent") or "").strip()
        name = named or (self._route(instruction) if self._route else None)
        if not name:
            return refuse_arguments(call, "agent: nobody comes near this instruction", names)
        if name in tree.attached:
            detail = f"{name} is attached, not a teammate: reach it with {TRANSFER}; teammates: {', '.join(names)}"
            return Refusal(call, name, "unknown_agent", detail)
        if name not in names:
            return refuse_name(call, name, author.name, names)
        if not self._is_available:
            return Refusal(call, name, "unavailable", UNAVAILABLE)
        allowed = given.get("allowed_tools")
        timeout = given.get("timeout")
        return Target(
            call,
            tree[name],
            str(given.get("spawn_reason") or ("" if named else CHOSEN)),
            "spawn",
            instruction,
            tuple(dict.fromkeys(str(tool) for tool in allowed)) if isinstance(allowed, list) and allowed else None,
            float(timeout) if isinstance(timeout, int | float) and timeout > 0 else 0.0,
        )

    def _read_transfer(self, call: ToolCall, author: AgentNode, tree: AgentTree) -> Target | Refusal:
        name = call.arguments.get("agent_name")
        if name in tree.teammates and author is tree.root:
            detail = f"{name} is a teammate: give it work with {SPAWN}; {TRANSFER} reaches attached agents only"
            return Refusal(call, str(name), "unknown_agent", detail)
        return self._transfer.read(call, author, tree)


def _problem(call: ToolCall) -> str:
    """Say what is wrong with the arguments of a spawn; empty when nothing is."""
    if call.error:
        return f"the arguments of {SPAWN} cannot be read: {call.error}"
    from lango_nb.core.errors import ToolError

    try:
        checked = check_arguments(agents.agent_spawn, call.arguments)
        agents.check_timeout(checked.get("timeout", agents.TIMEOUT_S), least=1)
    except ToolError as error:
        return str(error)
    return "" if str(checked.get("instruction", "")).strip() else agents.NO_INSTRUCTION


@lru_cache(maxsize=64)
def _root_schemas(names: tuple[str, ...], tools: tuple[Tool, ...]) -> tuple[ToolSchema, ...]:
    parameters = agents.agent_spawn.parameters
    properties = parameters["properties"]
    agent = {**properties["agent"], "enum": list(names)}  # type: ignore[index,call-overload,dict-item]  # our own schema
    spawn = ToolSchema(
        name=SPAWN,
        role="control",
        description=agents.agent_spawn.description,
        parameters={**parameters, "properties": {**properties, "agent": agent}},  # type: ignore[dict-item]
    )
    return (spawn, *(tool.schema for tool in tools))
