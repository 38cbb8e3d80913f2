"""Calls to try hooks on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from lango_nb.hooks.chain import HookChain
from lango_nb.hooks.hook import CONTINUE, Block, Blocked, Continue, HookCall, HookNote
from lango_nb.tools.tool import Tool, ToolResult

TEXTS: dict[str, Any] = {"type": "object", "additionalProperties": {"type": ["string", "array", "object", "integer"]}}
"""A schema that takes any names, so that a test may call its parameters what it likes."""


def a_tool(name: str = "fs_read", **more: Any) -> Tool:
    return Tool(name, schema_source=lambda: TEXTS, **more)


def a_call(tool: Tool | str = "fs_read", services: Mapping[type, object] | None = None, **arguments: Any) -> HookCall:
    found = a_tool(tool) if isinstance(tool, str) else tool
    return HookCall(
        found, "call-1", "operator", "main", "turn-1", "run-1", arguments=arguments, services=services or {}
    )


class Person:
    """An approval service that remembers what it was asked."""

    def __init__(self, *, allows: bool = True) -> None:
        self.asked: list[dict[str, Any]] = []
        self._allows = allows

    def needs_answer(self, call: HookCall) -> str:
        return f"{call.tool.name} is dangerous" if call.tool.is_dangerous else ""

    async def decide(self, call: HookCall) -> Continue | Block:
        self.asked.append(dict(call.arguments))
        return CONTINUE if self._allows else Block(f"{call.tool.name} was not run: no", "approval_denied")


def before(chain: HookChain, call: HookCall) -> tuple[HookCall | Blocked, list[HookNote]]:
    notes: list[HookNote] = []
    return asyncio.run(chain.run_before(call, notes.append)), notes


def after(chain: HookChain, call: HookCall, result: ToolResult) -> tuple[ToolResult, list[HookNote]]:
    notes: list[HookNote] = []
    return asyncio.run(chain.run_after(call, result, notes.append)), notes
