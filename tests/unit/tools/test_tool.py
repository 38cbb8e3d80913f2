"""A tool says how much harm it can do, in one of three words; nothing else passes for harmless."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import DefinitionError
from lango_nb.core.tool_patterns import ToolPatterns
from lango_nb.engine import Engine
from lango_nb.models.scripted import ScriptedModel
from lango_nb.runtime.approval_gate import approval_reason
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool, ToolResult

ODD: tuple[Any, ...] = ("Dangerous", "SAFE", "safe ", "high", "", "unknown", None, True, ["safe"])


def wipe() -> str:
    """Wipe."""
    return "wiped"


WIPE = tool(wipe, name="fs_wipe", safety="safe")


def with_safety(safety: Any) -> Tool:
    """Make a tool that got round its own check."""
    made = replace(WIPE)
    object.__setattr__(made, "safety", safety)
    return made


@pytest.mark.parametrize("safety", ODD)
@pytest.mark.parametrize("make", [lambda word: Tool("fs_wipe", safety=word), lambda word: replace(WIPE, safety=word)])
def test_a_tool_of_unknown_safety_is_refused_where_it_is_made(make: Callable[[Any], Tool], safety: Any) -> None:
    with pytest.raises(DefinitionError, match=r"tool 'fs_wipe': safety .* is none of safe, moderate, dangerous$"):
        make(safety)


@pytest.mark.parametrize("safety", ODD)
def test_whatever_is_neither_safe_nor_moderate_is_dangerous_to_who_decides(safety: Any) -> None:
    odd = with_safety(safety)
    assert odd.is_dangerous
    assert approval_reason(odd, {}, "dangerous", ToolPatterns(), ToolPatterns())


@pytest.mark.parametrize("safety", ["high", ""])
def test_a_call_of_a_tool_of_unknown_safety_does_not_run_unasked(safety: str, tmp_path: Path) -> None:
    ran: list[str] = []

    async def handle(_arguments: object, _context: object) -> ToolResult:
        ran.append("wiped")
        return ToolResult("wiped")

    odd = with_safety(safety)
    object.__setattr__(odd, "handler", handle)
    model = ScriptedModel([("fs_wipe", {}), "Done."])
    engine = Engine(tools=[odd], topology="solo", model=model, approver="deny", workspace=tmp_path)
    asyncio.run(engine.run("Wipe it"))
    assert ran == []
