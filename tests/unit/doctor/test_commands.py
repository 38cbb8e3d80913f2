"""Commands that stood out are counted by the code of their verdict."""

from __future__ import annotations

from lango_nb.stores.sql import memory_store
from tests.unit.doctor.cases import engine_on, keep, looked


def decided(decision: str, code: str) -> dict[str, str]:
    return {"kind": "policy.decided", "author": "operator", "tool": "exec", "decision": decision, "code": code}


def test_commands_that_were_blocked_are_a_warning_and_those_that_ran_a_note() -> None:
    store = memory_store()
    keep(store.log, tools=["exec"], events=(decided("block", "removes_system"), decided("observe", "removes_files")))
    keep(store.log, tools=["exec_bg"], events=(decided("block", "gains_root"), decided("block", "removes_system")))
    keep(store.log, tools=["exec"], events=(decided("allow", "ordinary"),))
    keep(store.log, tools=["exec"], hours_ago=30, events=(decided("block", "fills_disk"),))
    blocked, observed = looked(engine_on(store), "commands")
    assert (blocked.status, blocked.text, blocked.turn_number) == (
        "warn", "3 commands blocked in the last 24 hours", 2,
    )  # fmt: skip
    assert blocked.evidence[0] == "removes_system (removal of the system, the home folder or what others own): 2"
    assert (observed.status, observed.evidence) == ("ok", ("removes_files (removes files): 1",))


def test_ordinary_commands_and_grants_are_nothing_to_tell() -> None:
    store = memory_store()
    grant = {"kind": "policy.decided", "author": "operator", "tool": "exec", "decision": "deny", "code": ""}
    keep(store.log, tools=["exec"], events=(decided("allow", "ordinary"), grant))
    (found,) = looked(engine_on(store), "commands")
    assert (found.status, found.text) == ("ok", "1 command in the last 24 hours, none stood out")
