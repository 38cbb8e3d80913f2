"""The composition root: what settings make of it, and what it refuses."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from lango_nb.config.loading import load_settings
from lango_nb.config.settings import Settings
from lango_nb.core.errors import DefinitionError, SettingsError
from lango_nb.core.events import HandOverRefused
from lango_nb.engine import Engine
from lango_nb.models.scripted import Line, ScriptedModel
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.tool import Tool


def settings(**overrides: object) -> Settings:
    return load_settings(overrides={key.replace("__", "."): value for key, value in overrides.items()}).settings


def test_a_bare_engine_is_one_agent_with_all_tools() -> None:
    engine = Engine()
    assert engine.tree.names == ("lango-agent",)
    assert {tool.name for tool in engine.tree.root.tools} >= {"fs_read", "exec"}


def test_multi_agent_is_switched_on_by_the_setting() -> None:
    assert Engine(settings(agent__multiAgent=True)).topology.name == "octet"


@pytest.mark.parametrize(
    ("key", "value", "tool"),
    [
        ("graph__enabled", True, "graph_traverse"),
        ("embedding__provider", "local", "rag_retrieve"),
        ("observationalMemory__enabled", True, "memory_list_observations"),
        ("cron__enabled", True, "cron_add"),
        ("tools__browser__enabled", True, "browser_navigate"),
    ],
)
def test_switches_bring_tools(key: str, value: object, tool: str) -> None:
    assert tool not in Engine().catalog.names
    assert tool in Engine(settings(**{key: value})).catalog.names


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("patterns", ["(a+)+b"], "security.masking: '(a+)+b' could take for ever"),
        ("patterns", ["a(b"], "security.masking: 'a(b' is not a regular expression"),
        ("keys", ["--"], "security.masking: '--' names nothing"),
    ],
)
def test_secrets_of_your_own_that_cannot_be_looked_for_are_refused_in_one_line(
    name: str, value: list[str], said: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        Engine(settings(**{f"security__masking__{name}": value}))
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_limits_come_from_settings_before_the_topology() -> None:
    engine = Engine(settings(agent__maxDelegationRounds=2, agent__maxTurns=7), topology="sextet")
    assert "Maximum 2 delegation rounds" in engine.tree.root.prompt
    to_planner: Line = ("transfer_to_agent", {"agent_name": "planner"})
    engine.model = ScriptedModel([to_planner, "[REJECT] no", to_planner, "[REJECT] no", to_planner, "x", "y"])
    assert engine.run_sync("x").turn.steps <= 7


def test_agents_of_the_users_folder_join_and_a_broken_one_fails_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "AGENT.md").write_text("---\nname: artist\nprefixes:\n- fs_\n---\nPaint.\n")
    engine = Engine(settings(agent__agentsDir=str(tmp_path)), topology="sextet")
    assert engine.registry.get("artist").source is Source.USER
    (tmp_path / "a" / "AGENT.md").write_text("no front matter")
    with pytest.raises(DefinitionError, match=r"a.AGENT\.md"):
        Engine(settings(agent__agentsDir=str(tmp_path)), topology="sextet")
    assert Engine(settings(agent__agentsDir=str(tmp_path / "missing")), topology="sextet").tree.names


def test_prompts_of_the_users_folder_replace_shared_sections(tmp_path: Path) -> None:
    (tmp_path / "SAFETY.md").write_text("# Safety\n\nBe twice as careful.\n")
    engine = Engine(settings(agent__promptsDir=str(tmp_path)), topology="sextet")
    assert "Be twice as careful." in engine.tree.root.prompt


REMOTES = {"a2a": {"enabled": True, "remoteAgents": [{"name": "weather", "agentCardUrl": "http://x/card"}]}}


def test_a_remote_agent_that_cannot_be_loaded_is_left_out_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    def unreachable(url: str) -> dict[str, object]:
        raise ConnectionError(f"cannot reach {url}")

    with caplog.at_level(logging.WARNING, "lango_nb"):
        engine = Engine(load_settings(overrides=REMOTES).settings, topology="sextet", card_loader=unreachable)
    assert "weather" not in engine.tree
    assert engine.warnings == ("remote agent 'weather' is left out: cannot reach http://x/card",)
    assert "weather" in caplog.text
    assert engine.route("delete old.txt").chosen == "operator"


def test_a_remote_agent_is_a_target_that_cannot_be_reached_yet_and_nobody_answers_for_it() -> None:
    engine = Engine(
        load_settings(overrides=REMOTES).settings,
        topology="sextet",
        model=ScriptedModel([("transfer_to_agent", {"agent_name": "weather"}), "I cannot reach it."]),
        card_loader=lambda _url: {"description": "Knows the weather."},
    )
    assert engine.tree.names[-1] == "weather"
    assert "Knows the weather." in engine.tree.root.prompt
    trace = engine.run_sync("what is the weather?")
    refused = next(event for event in trace.events if isinstance(event, HandOverRefused))
    assert (refused.target, refused.code) == ("weather", "unavailable")
    assert {event.author for event in trace.events} == {"user", "lango-orchestrator"}


def test_a_remote_agent_may_not_take_a_local_name() -> None:
    remotes = {"a2a": {"enabled": True, "remoteAgents": [{"name": "vault", "agentCardUrl": "http://x"}]}}
    engine = Engine(
        load_settings(overrides=remotes).settings, topology="sextet", card_loader=lambda _url: {"description": "x"}
    )
    assert engine.tree["planner"]
    assert engine.warnings == ("remote agent 'vault' is left out: sextet has a local agent of that name",)


def test_a_bundled_agent_yields_to_one_of_the_same_name() -> None:
    mine = AgentSpec(name="translator", prefixes=("translate_*",), source=Source.USER, description="Mine.")
    engine = Engine(topology="sextet", agents=[mine])
    assert engine.registry.get("translator").description == "Mine."


def test_leaving_a_stream_early_cancels_the_turn(tmp_path: Path) -> None:
    engine = Engine(topology="sextet", workspace=tmp_path, approver="allow")

    async def scene() -> None:
        stream = engine.stream("run the command `sleep 30`")
        async for event in stream:
            if event.kind == "tool.started":
                break
        await stream.aclose()
        for _ in range(200):
            if len(engine.traces):
                return
            await asyncio.sleep(0.01)

    asyncio.run(scene())
    assert engine.traces.get(-1).turn.outcome == "cancelled"


def test_many_sessions_at_once_do_not_mix(tmp_path: Path) -> None:
    for number in range(16):
        (tmp_path / f"f{number}.txt").write_text("x\n" * number)
    engine = Engine(topology="sextet", workspace=tmp_path)

    async def scene() -> list[str]:
        asks = (engine.run(f"how many lines does f{n}.txt have?", f"s{n}") for n in range(16))
        return [trace.turn.answer for trace in await asyncio.gather(*asks)]

    answers = asyncio.run(scene())
    assert answers[:3] == ["f0.txt has 0 lines.", "f1.txt has 1 line.", "f2.txt has 2 lines."]
    assert answers[15] == "f15.txt has 15 lines."


def test_agents_that_are_handed_over_join_whatever_their_source_says() -> None:
    herd = AgentSpec(name="herd", description="Looks after cows.", prefixes=("cow_",))
    engine = Engine(topology="quartet", agents=[herd], tools=[Tool("cow_milk"), Tool("fs_read")])
    assert "herd" in engine.tree.names
    assert engine.tree.partition.owner("cow_milk") == "herd"
    assert "herd" in engine.added_agents
    engine.add_agents(AgentSpec(name="barn", prefixes=("hay_",), always_include=True))
    assert "barn" in engine.tree.names
