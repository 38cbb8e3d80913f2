"""AccessControl: deny beats allow, both beat a run's own list, and the essentials stay."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

import pytest

from lango_nb.hooks.access_control import ESSENTIALS, RESTRICTED, AccessControl
from lango_nb.hooks.hook import Block
from tests.unit.hooks.calls import a_call


def reason(hook: AccessControl, tool: str, agent: str = "operator", allowed: Collection[str] | None = None) -> str:
    narrowed = None if allowed is None else frozenset(allowed)
    said = asyncio.run(hook.before(replace(a_call(tool), agent=agent, allowed_tools=narrowed)))
    return said.reason if isinstance(said, Block) else ""


def test_lists_belong_to_agents() -> None:
    hook = AccessControl(denied={"operator": ["exec"]}, allowed={"vault": ["crypto_hash"], "librarian": []})
    assert reason(hook, "exec") == "agent 'operator' is denied access to tool 'exec'"
    assert reason(hook, "fs_read") == ""
    assert reason(hook, "crypto_hash", "vault") == ""
    assert reason(hook, "exec", "vault") == "agent 'vault' does not have access to tool 'exec'"
    assert reason(hook, "exec", "librarian") == ""  # an empty list allows all
    assert reason(hook, "exec", "navigator") == ""
    assert reason(hook, "exec", "") == ""  # nobody in particular


def test_deny_beats_allow_and_both_beat_the_runs_own_list() -> None:
    hook = AccessControl(denied={"a": ["exec", "task_list"]}, allowed={"a": ["exec", "fs_read"]})
    assert "denied" in reason(hook, "exec", "a", ["exec"])
    assert "denied" in reason(hook, "task_list", "a", ["exec"])
    assert "does not have access" in reason(hook, "fs_write", "a", ["fs_write"])
    assert reason(hook, "fs_read", "a", ["exec"]) == RESTRICTED
    assert reason(hook, "fs_read", "a", ["fs_read"]) == ""


def test_a_narrowed_run_keeps_what_it_needs_to_report() -> None:
    hook = AccessControl()
    assert [tool for tool in sorted(ESSENTIALS) if reason(hook, tool, allowed=["fs_read"])] == []
    assert reason(hook, "builtin_invoke", allowed=["fs_read"]) == RESTRICTED
    assert reason(hook, "fs_read", allowed=[]) == RESTRICTED  # narrowed to nothing is not the same as not narrowed
    assert reason(hook, "fs_read", allowed=None) == ""


@pytest.mark.parametrize("tool", ["FS_READ", "fs_read ", "fs_reads", "fs"])
def test_names_are_taken_to_the_letter(tool: str) -> None:
    assert reason(AccessControl(), tool, allowed=["fs_read"]) == RESTRICTED
