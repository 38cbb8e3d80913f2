"""Every setting has a default, a sentence, a key and a variable; defaults are those of the specification."""

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError

import pytest
from pydantic import ValidationError

from lango_nb.config.keys import SettingInfo, setting_infos, settings_by_key
from lango_nb.config.settings import AgentSettings, RemoteAgentSettings, Settings, SettingsGroup


@pytest.mark.parametrize("info", setting_infos(), ids=lambda info: info.key)
def test_every_setting_says_what_it_does(info: SettingInfo) -> None:
    assert info.sentence.endswith(".")
    assert len(info.sentence.split()) >= 4
    assert re.fullmatch(r"[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)+", info.key)
    assert re.fullmatch(r"LANGO_[A-Z0-9_]+", info.env)
    assert info.of(Settings()) == info.default


def test_sentences_keys_and_variables_are_unique() -> None:
    infos = setting_infos()
    for column in ("key", "env", "sentence", "path"):
        values = [getattr(info, column) for info in infos]
        assert len(set(values)) == len(infos), column


@pytest.mark.parametrize(
    ("key", "default"),
    [
        ("agent.multiAgent", False),
        ("agent.agentsDir", ""),
        ("agent.promptsDir", ""),
        ("agent.maxTurns", 0),
        ("agent.maxDelegationRounds", 0),
        ("tools.exec.defaultTimeout", 30),
        ("tools.exec.allowBackground", True),
        ("tools.filesystem.maxReadSize", 10 * 1024 * 1024),
        ("tools.browser.enabled", False),
        ("security.interceptor.enabled", True),
        ("security.interceptor.approvalPolicy", "dangerous"),
        ("knowledge.enabled", False),
        ("graph.enabled", False),
        ("skill.enabled", True),
        ("agentMemory.enabled", False),
        ("librarian.enabled", False),
        ("observationalMemory.enabled", False),
        ("cron.enabled", False),
        ("background.enabled", False),
        ("workflow.enabled", False),
        ("a2a.enabled", False),
        ("p2p.enabled", False),
    ],
)
def test_defaults_are_those_of_the_specification(key: str, default: object) -> None:
    assert settings_by_key()[key].default == default


def test_settings_do_not_change_and_refuse_extras() -> None:
    settings = Settings()
    with pytest.raises(FrozenInstanceError, match="multi_agent"):
        settings.agent.multi_agent = True  # type: ignore[misc]  # which is what is tested
    with pytest.raises(FrozenInstanceError, match="agent"):
        del settings.agent
    with pytest.raises(ValidationError, match="multiAgents"):
        Settings.model_validate({"agent": {"multiAgents": True}})
    with pytest.raises(ValidationError, match="multiAgents"):
        AgentSettings(multiAgents=True)  # type: ignore[call-arg]  # which is what is tested


def test_both_spellings_build_settings() -> None:
    by_file = Settings.model_validate(
        {"tools": {"exec": {"defaultTimeout": "1m"}, "filesystem": {"maxReadSize": "1MiB"}}}
    )
    by_name = Settings.model_validate(
        {"tools": {"exec": {"default_timeout_s": 60}, "filesystem": {"max_read_bytes": 1048576}}}
    )
    assert by_file == by_name
    assert by_file.model_dump(by_alias=True)["tools"]["exec"]["defaultTimeout"] == 60


def test_the_provider_stands_before_the_model_once() -> None:
    read = Settings.model_validate
    assert read({"agent": {"provider": "openai", "model": "gpt-5"}}).agent.model_name == "openai:gpt-5"
    assert read({"agent": {"provider": "openai", "model": "ollama:x"}}).agent.model_name == "ollama:x"


def _below(group: type[SettingsGroup]) -> list[type[SettingsGroup]]:
    return [found for sub in group.__subclasses__() for found in (sub, *_below(sub))]


@pytest.mark.parametrize("group", [found for found in _below(SettingsGroup) if found is not RemoteAgentSettings])
def test_defaults_are_what_calling_the_class_gives(group: type[SettingsGroup]) -> None:
    made, called = group.defaults(), group()
    assert made == called
    assert repr(made) == repr(called)
    assert hash(made) == hash(called)
    assert made.model_dump(mode="json", by_alias=True) == called.model_dump(mode="json", by_alias=True)


def test_starting_with_the_defaults_builds_no_validator() -> None:
    script = """
import pydantic
def build(*_):
    raise AssertionError("a validator was built")
pydantic.TypeAdapter.__init__ = build
from lango_nb.config.settings import Settings
print(Settings.defaults().model_copy(update={}) == Settings.defaults())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "True"
