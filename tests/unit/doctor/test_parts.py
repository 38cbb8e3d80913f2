"""Who works, what is connected, what waits: each with what to do about it."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.keys import settings_by_key
from lango_nb.config.settings import Settings
from lango_nb.doctor import examine
from lango_nb.doctor.definitions import examine_definitions
from lango_nb.doctor.parts import SWITCHES
from lango_nb.engine import Engine
from lango_nb.hooks.wiring import HOOKS, build_chain
from lango_nb.runtime.approvals import ApprovalRequest, HoldForAnswer
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.topologies import load_topology
from lango_nb.tools.by_name import tools_by_name
from tests.unit.doctor.cases import NOW, engine_on, looked

OCTET = load_topology("octet")


def settings(**groups: Any) -> Settings:
    return Settings.model_validate(groups)


def agent_md(folder: Path, place: str, text: str) -> Path:
    (folder / place).mkdir(parents=True)
    file = folder / place / "AGENT.md"
    file.write_text(text, encoding="utf-8")
    return file


# who works


def test_one_agent_is_skipped_and_told_how_to_become_many() -> None:
    (found,) = looked(Engine(), "multi-agent")
    assert found.status == "skip"
    assert found.text.startswith("solo: one agent with all tools")
    assert "agent.multiAgent" in found.next_step


def test_teammates_need_the_background() -> None:
    with_it = engine_on(settings=settings(background={"enabled": True}))
    assert [finding.status for finding in looked(with_it, "multi-agent")] == ["ok"]
    without = looked(engine_on(), "multi-agent")
    assert [finding.status for finding in without] == ["ok", "warn"]
    assert "background.enabled" in without[1].next_step
    assert [finding.status for finding in looked(engine_on(topology="sextet"), "multi-agent")] == ["ok"]


@pytest.mark.parametrize(("name", "missing"), [("", "model"), (":gpt", "provider"), ("openai:", "model")])
def test_a_model_without_a_name_or_a_provider_fails(name: str, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_on()
    monkeypatch.setattr(type(engine.model), "name", name)
    found = looked(engine, "multi-agent")
    assert (found[0].status, found[0].text) == ("fail", f"no {missing} is set: the model's name is {name!r}")


def test_tools_of_nobody_are_named() -> None:
    tools = tools_by_name(["fs_read", *(f"cron_{number}" for number in range(12))])
    assert looked(engine_on(tools=tools), "tree")[0].status == "ok"
    (found,) = looked(engine_on(tools=tools, topology="sextet"), "tree")
    assert (found.status, found.text) == ("warn", "12 tools of 13 belong to nobody")
    assert found.evidence == (*(f"cron_{number}" for number in range(10)), "and 2 more")


def test_an_agent_of_ones_own_without_tools_is_a_warning_a_planner_is_not() -> None:
    tailor = AgentSpec(name="tailor", source=Source.USER, prefixes=("sew_",), keywords=("hem",))
    planner = AgentSpec(name="dreamer", source=Source.USER, always_include=True, keywords=("dream",))
    found = looked(engine_on(agents=(tailor, planner)), "tree")
    assert [finding.text for finding in found if finding.status == "warn"] == [
        "agent 'tailor' has no tools: none begins with its prefixes or fits its words"
    ]


# definitions


def test_no_folder_of_ones_own_is_fine() -> None:
    (found,) = examine_definitions(settings(), OCTET)
    assert found.status == "ok"


@pytest.mark.parametrize(
    ("make", "status", "said"),
    [
        (lambda place: None, "warn", "is not there"),
        (lambda place: place.write_text("x"), "fail", "is a file"),
        (lambda place: place.mkdir(), "warn", "holds no agent"),
    ],
)
def test_a_folder_that_is_none_is_told(tmp_path: Path, make: Callable[[Path], object], status: str, said: str) -> None:
    make(tmp_path / "agents")
    (found,) = examine_definitions(settings(agent={"agentsDir": str(tmp_path / "agents")}), OCTET)
    assert (found.status, said in found.text, str(tmp_path) in found.text) == (status, True, True)
    assert found.next_step


def test_a_folder_that_may_not_be_read_fails(folder_of_nobody: Path) -> None:
    agents = folder_of_nobody / "agents"
    agents.mkdir()
    agents.chmod(0)
    (found,) = examine_definitions(settings(agent={"agentsDir": str(agents)}), OCTET)
    assert found.status == "fail"
    assert "Permission denied" in found.text


def test_every_definition_that_is_wrong_is_named(tmp_path: Path) -> None:
    good = agent_md(tmp_path, "a", "---\nname: tailor\n---\nSew.\n")
    bad = agent_md(tmp_path, "b", "---\nname: [\n---\n")
    taken = agent_md(tmp_path, "c", "---\nname: vault\n---\n")
    double = agent_md(tmp_path, "d", "---\nname: tailor\n---\n")
    odd = agent_md(tmp_path, "e", "---\nname: cook\nkeyword: soup\n---\n")
    found = list(examine_definitions(settings(agent={"agentsDir": str(tmp_path)}), OCTET))
    fails = [finding for finding in found if finding.status == "fail"]
    assert [finding.evidence for finding in fails] == [(str(bad),), (str(taken),), (str(double),)]
    assert all(str(file) in finding.next_step for file, finding in zip((bad, taken, double), fails, strict=True))
    assert "built-in" in fails[1].text
    assert str(good) in fails[2].text
    (warned,) = [finding for finding in found if finding.status == "warn"]
    assert str(odd) in warned.text
    assert "did you mean 'keywords'?" in warned.text


def test_good_definitions_are_counted(tmp_path: Path) -> None:
    agent_md(tmp_path, "a", "---\nname: tailor\n---\nSew.\n")
    (found,) = examine_definitions(settings(agent={"agentsDir": str(tmp_path)}), OCTET)
    assert (found.status, found.evidence) == ("ok", ("tailor",))


# hooks and remote agents


def test_wired_hooks_are_told_with_why() -> None:
    (found,) = looked(engine_on(), "hooks")
    assert found.status == "ok"
    assert "approval_gate (before the call): security.interceptor.enabled is on" in found.evidence


@pytest.mark.parametrize(
    ("groups", "hook", "why"),
    [
        ({"tools": {"browser": {"enabled": True}}}, "browser_recovery", "no browser runs here"),
        ({"knowledge": {"enabled": True}}, "learning_observer", "nothing here learns yet"),
        ({"hooks": {"knowledgeSave": True}}, "knowledge_saver", "knowledge.enabled is off"),
        ({"hooks": {"eventPublishing": True}}, "event_publisher", "hooks.enabled and agent.multiAgent are off"),
    ],
)
def test_a_hook_that_is_asked_for_and_not_wired_is_a_warning(groups: dict[str, Any], hook: str, why: str) -> None:
    found = looked(engine_on(settings=settings(**groups)), "hooks")
    assert [finding.status for finding in found] == ["ok", "warn"]
    assert found[1].text.startswith(f"hook {hook} is asked for by ")
    assert found[1].text.endswith(why)


def test_a_hook_that_is_asked_for_and_wired_is_fine() -> None:
    on = settings(hooks={"enabled": True, "accessControl": True, "eventPublishing": True})
    (found,) = looked(engine_on(settings=on), "hooks")
    assert (found.status, len(found.evidence)) == ("ok", 5)


def test_every_hook_that_can_be_asked_for_has_its_switch() -> None:
    """A hook that comes along must be known here, or its missing part is never told."""
    always = {row.name for row in build_chain(settings(), {}) if row.is_wired}
    assert {wiring.name for wiring in HOOKS} == always | set(SWITCHES)
    assert set(SWITCHES.values()) <= set(settings_by_key())


def test_remote_agents_are_told_one_by_one() -> None:
    remotes = [
        {"name": "weather", "agentCardUrl": "http://localhost:1/card"},
        {"name": "nocard"},
        {"name": "vault", "agentCardUrl": "http://localhost:1/vault"},
        {"name": "broken", "agentCardUrl": "http://localhost:1/broken"},
    ]

    def card(url: str) -> dict[str, object]:
        if url.endswith("broken"):
            raise OSError("refused")
        return {"description": "tells the weather"}

    on = settings(a2a={"enabled": True, "remoteAgents": remotes})
    found = looked(engine_on(settings=on, card_loader=card), "remote agents")
    assert [finding.status for finding in found] == ["ok", "warn", "warn", "warn"]
    assert "has no card" in found[1].text
    assert "has a local agent of that name" in found[2].text
    assert "refused" in found[3].text
    without = looked(engine_on(settings=on), "remote agents")
    assert [finding.status for finding in without] == ["skip", "warn", "skip", "skip"]
    assert without[0].text.endswith("it is not contacted before part 8")


def test_remote_agents_without_a_switch_or_with_one_name_twice() -> None:
    one = {"name": "weather", "agentCardUrl": "http://localhost:1/card"}
    (off,) = looked(engine_on(settings=settings(a2a={"remoteAgents": [one]})), "remote agents")
    assert (off.status, off.text) == ("skip", "a2a.enabled is off; 1 remote agent of the settings is ignored")
    (nobody,) = looked(engine_on(settings=settings(a2a={"enabled": True})), "remote agents")
    assert nobody.status == "warn"
    twice = looked(engine_on(settings=settings(a2a={"enabled": True, "remoteAgents": [one, one]})), "remote agents")
    assert {finding.text for finding in twice} == {"remote agent 'weather' is named 2 times"}


# what holds work up


def test_open_circuits_are_told() -> None:
    engine = engine_on()
    for _ in range(3):
        engine.breakers.record_failure("vault", "no key")
    engine.breakers.record_failure("operator", "once")
    (found,) = looked(engine, "circuits")
    assert (found.status, found.text) == ("warn", "vault gets no work: it failed 3 times in a row")
    assert found.evidence == ("last: no key",)


def test_a_call_that_waits_long_is_told_with_how_to_answer() -> None:
    engine = engine_on()
    request = ApprovalRequest(
        "call-1", "fs_delete", {"path": "a"}, "9f", "operator", "it is dangerous", "ask-1", "s2", "turn-3", asked_at=NOW
    )
    seen: list[Any] = []

    async def ask() -> None:
        waiting = asyncio.create_task(engine.approvals.ask(request, HoldForAnswer(), 5))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        for minutes in (0.5, 7):
            report = examine(engine, now=NOW + timedelta(minutes=minutes))
            seen.append(report.by_check()["approvals"][0])
        engine.approvals.pending[0].allow()
        await waiting

    asyncio.run(ask())
    early, late = seen
    assert (early.status, early.text) == ("ok", "1 call just asked")
    assert (late.status, late.turn, late.session) == ("warn", "turn-3", "s2")
    assert late.text == "operator waits for leave to call fs_delete, for 7 min"
    assert late.next_step == "%lango allow ask-1, or %lango deny ask-1"
    assert looked(engine, "approvals")[0].text == "no call waits for an answer"
