"""Whose runs an agent may watch and stop: the root those of its session, a run those that it made. No others exist."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.tools.builtin.agents import AGENT_TOOLS
from lango_nb.tools.decorator import tool
from tests.cast import Asked, Cast, Gate, Line, errors, spawn, stop, wait

OTHERS = {"agent_wait": wait("arun-1", 0), "agent_stop": stop("arun-1")}


@tool(name="fs_look", safety="safe")
def look() -> str:
    """Look."""
    return "looked"


def octet(tmp_path: Path, lines: dict[str, list[Line]]) -> tuple[Engine, Cast]:
    cast = Cast(lines)
    engine = Engine(
        Settings.model_validate({"agent": {"multiAgent": True}, "background": {"enabled": True}}),
        topology="octet",
        tools=(look, *AGENT_TOOLS),
        model=cast,
        workspace=tmp_path,
        clock=SteppedClock(),
        ids=CountedIds(),
    )
    return engine, cast


def told(asked: Asked) -> str:
    (error,) = errors(asked)
    return error


@pytest.mark.parametrize("name", OTHERS)
def test_a_run_of_another_session_does_not_exist(tmp_path: Path, name: str) -> None:
    gate = Gate()
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Go."), "Started.", OTHERS[name], "Sorry."],
        "operator": [gate.then("a secret of the first session")],
    }
    engine, cast = octet(tmp_path, lines)

    async def two_sessions() -> None:
        await engine.run("hello", session="first")
        await engine.run("hello", session="second")
        assert not engine.runs.get("arun-1").is_terminal
        gate.opened.set()
        assert (await engine.runs.wait("arun-1", 60)).status == "completed"

    asyncio.run(two_sessions())
    said = told(cast.of("root")[-1])
    assert said == f"{name.replace('_', ' ')}: run 'arun-1' not found; there is none yet"


def test_the_names_that_are_offered_instead_are_those_of_the_session(tmp_path: Path) -> None:
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "One."), "Ok.", spawn("operator", "Two."), wait("wrong", 0), "Ok."],
        "operator": ["I went."] * 2,
    }
    engine, cast = octet(tmp_path, lines)

    async def two_sessions() -> None:
        await engine.run("hello", session="first")
        await engine.run("hello", session="second")

    asyncio.run(two_sessions())
    assert told(cast.of("root")[-1]) == "agent wait: run 'wrong' not found; there is: arun-2"


@pytest.mark.parametrize("name", OTHERS)
def test_a_later_turn_of_the_session_still_sees_its_runs(tmp_path: Path, name: str) -> None:
    gate = Gate()
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Go."), "Started.", OTHERS[name], "Ok."],
        "operator": [gate.then("I went.")],
    }
    engine, cast = octet(tmp_path, lines)

    async def two_turns() -> None:
        await engine.run("hello")
        await engine.run("and now?")
        engine.close()

    asyncio.run(two_turns())
    assert not errors(cast.of("root")[-1])


@pytest.mark.parametrize(("name", "seen"), [("arun-1", "a brother"), ("arun-2", "itself")])
def test_a_run_sees_neither_its_brothers_nor_itself(tmp_path: Path, name: str, seen: str) -> None:
    """Parallel children never see each other; and who waits for himself, or stops himself, waits for ever."""
    del seen
    asked: dict[str, Any] = {"agent_id": name}
    lines: dict[str, list[Line]] = {
        "root": [[spawn("operator", "One."), spawn("operator", "Two.")], wait("arun-2"), "Ok."],
        "One.": ["a word of the first"],
        "Two.": [("agent_wait", {**asked, "timeout": 1}), ("agent_stop", asked), "I could not."],
    }
    engine, cast = octet(tmp_path, lines)
    trace = asyncio.run(engine.run("hello"))
    own = [one for one in cast.asked if one.order == "Two."]
    assert errors(own[-1]) == [f"agent {verb}: run '{name}' not found; there is none yet" for verb in ("wait", "stop")]
    assert "a word of the first" not in own[-1].text
    assert engine.runs.get("arun-2").status == "completed"
    assert trace.turn.answer == "Ok."


def test_a_run_waits_for_the_runs_that_it_made(tmp_path: Path) -> None:
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "One."), wait("arun-1"), "Ok."],
        "One.": [spawn("planner", "Two."), wait("arun-2"), "Both went."],
        "Two.": ["I went."],
    }
    engine, cast = octet(tmp_path, lines)
    asyncio.run(engine.run("hello"))
    own = [one for one in cast.asked if one.order == "One."]
    assert '"result":"I went."' in own[-1].text
    assert not errors(own[-1])


def test_whoever_holds_the_engine_sees_all_runs(tmp_path: Path) -> None:
    gate = Gate()
    lines: dict[str, list[Line]] = {"root": [spawn("operator", "Go."), "Ok."], "operator": [gate.then("I went.")]}
    engine, _ = octet(tmp_path, lines)

    async def look_at_it() -> None:
        await engine.run("hello", session="first")
        assert (await engine.teammates.wait("arun-1", 0))["timeout"] is True
        assert (await engine.teammates.stop("arun-1"))["status"] == "cancelled"

    asyncio.run(look_at_it())
