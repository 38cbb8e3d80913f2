"""A folder's settings hold as far as their rules go, and whole once a person trusts exactly these settings there."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.files import TRUST_FILE
from lango_nb.config.keys import settings_by_key
from lango_nb.config.loading import LoadedSettings, load_settings
from lango_nb.config.trust import read_trust, remove_trust
from lango_nb.core.errors import SettingsError
from tests.trusting import trust

LOOSE = {"security": {"interceptor": {"enabled": False}}, "models": {"baseUrl": "http://thief"}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "garden"
    folder.mkdir()
    return folder


def write(folder: Path, settings: Any) -> None:
    (folder / "lango.json").write_text(json.dumps(settings), encoding="utf-8")


def held(loaded: LoadedSettings) -> list[str]:
    return [setting.key for setting in loaded.trust.held] if loaded.trust is not None else []


@pytest.mark.parametrize(
    ("key", "own", "value", "holds"),
    [
        ("agent.multiAgent", "false", True, True),
        ("agent.maxTurns", "7", 6, True),
        ("agent.maxTurns", "7", 8, False),
        ("agent.maxTurns", "7", 0, False),
        ("agent.maxTurns", "", 50, True),
        ("agent.maxTurns", "", 51, False),
        ("agent.orchestration.budget.maxTokens", "", 10, True),
        ("agent.orchestration.budget.maxTokens", "10", 0, False),
        ("agent.model", "openai:gpt-5", "offline", True),
        ("agent.model", "", "cassette:tape.json", False),
        ("security.interceptor.approvalPolicy", "dangerous", "all", True),
        ("security.interceptor.approvalPolicy", "dangerous", "configured", False),
        ("security.interceptor.approvalPolicy", "none", "configured", True),
        ("security.interceptor.exemptTools", "exec,fs_write", ["exec"], True),
        ("security.interceptor.exemptTools", "exec", ["exec", "fs_write"], False),
        ("security.interceptor.sensitiveTools", "exec", ["exec", "fs_read"], True),
        ("security.interceptor.sensitiveTools", "exec", ["fs_read"], False),
        ("security.interceptor.redactPii", "", True, True),
        ("hooks.enabled", "", True, False),
        ("skill.enabled", "", False, True),
        ("models.allowNetwork", "", False, True),
        ("models.allowNetwork", "false", True, False),
        ("records.summaries", "", True, False),
        ("records.summaries", "true", False, True),
        ("store.url", "", "home", False),
        ("security.masking.patterns", "", ["(a+)+b"], False),
        ("observability.traceStore.maxTraces", "", 1, False),
    ],
)
def test_a_folder_may_only_be_stricter_than_the_user(
    key: str, own: str, value: Any, holds: bool, tmp_path: Path
) -> None:
    home, folder = tmp_path / "home", tmp_path / "garden"
    home.mkdir()
    folder.mkdir()
    present = load_settings(overrides={key: own} if own else {}).settings
    if own:
        info = settings_by_key()[key]
        mine = info.of(present)
        write(home, _nested(key, list(mine) if isinstance(mine, tuple) else mine))
    write(folder, _nested(key, value))
    loaded = load_settings(folder, home)
    assert held(loaded) == ([] if holds else [key])
    assert (loaded.origins[key] == "lango.json") is holds
    if not holds:
        assert loaded.settings == present


def _nested(key: str, value: Any) -> Any:
    for part in reversed(key.split(".")):
        value = {part: value}
    return value


def test_one_line_says_what_is_held_back_and_what_trusts_it(
    home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, LOOSE)
    (folder / "pyproject.toml").write_text('[tool.lango.store]\nurl = "home"\n', encoding="utf-8")
    said = "3 settings are held back: store.url, security.interceptor.enabled, models.baseUrl; to see and trust them: "
    loaded = load_settings(folder, home)
    assert loaded.warning == f"{folder}/pyproject.toml and {folder}/lango.json: {said}lango trust {folder}"
    monkeypatch.chdir(folder)
    assert load_settings(Path(), home).warning == f"pyproject.toml and lango.json: {said}lango trust ."


def test_trust_is_for_this_folder_with_these_settings(home: Path, folder: Path, tmp_path: Path) -> None:
    write(folder, LOOSE)
    assert held(load_settings(folder, home)) == ["security.interceptor.enabled", "models.baseUrl"]
    trust(folder, home)
    loaded = load_settings(folder, home)
    assert (held(loaded), loaded.warning, loaded.settings.models.base_url) == ([], "", "http://thief")
    copy = tmp_path / "copy"
    folder.rename(copy)
    assert held(load_settings(copy, home)) == ["security.interceptor.enabled", "models.baseUrl"]
    copy.rename(folder)
    assert held(load_settings(folder, home)) == []
    (tmp_path / "link").symlink_to(folder)
    assert held(load_settings(tmp_path / "link", home)) == []  # the same folder
    write(folder, {**LOOSE, "agent": {"multiAgent": True}})
    assert held(load_settings(folder, home)) == ["security.interceptor.enabled", "models.baseUrl"]
    write(folder, LOOSE)
    (folder / "pyproject.toml").write_text('[tool.other]\nx = 1\n[project]\nname = "lango"\n', encoding="utf-8")
    assert held(load_settings(folder, home)) == []  # nothing of ours changed
    assert remove_trust(home, folder.resolve()) is True
    assert held(load_settings(folder, home)) == ["security.interceptor.enabled", "models.baseUrl"]
    assert remove_trust(home, folder.resolve()) is False


def test_the_homes_settings_are_the_users_own(home: Path) -> None:
    home.mkdir()
    write(home, LOOSE)
    assert held(load_settings(home, home)) == []
    assert load_settings(home, home).settings.security.interceptor.enabled is False


def test_the_environment_and_arguments_need_no_trust(home: Path, folder: Path) -> None:
    write(folder, LOOSE)
    loaded = load_settings(folder, home, {"LANGO_MODELS_BASE_URL": "http://mine"}, {"agent.model": "openai:gpt-5"})
    assert (loaded.settings.models.base_url, loaded.settings.agent.model) == ("http://mine", "openai:gpt-5")


def test_the_trust_file_is_the_owners_alone(home: Path, folder: Path) -> None:
    write(folder, LOOSE)
    trust(folder, home)
    file = home / TRUST_FILE
    assert [stat.S_IMODE(path.stat().st_mode) for path in (home, file)] == [0o700, 0o600]
    assert list(home.iterdir()) == [file]
    for mode in (0o644, 0o606, 0o660):
        file.chmod(mode)
        with pytest.raises(SettingsError, match=f"trust file .* has mode {mode:04o} and others could read it"):
            load_settings(folder, home)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2, "folders": {}}', '{"version": 1, "folders": {"/a": 3}}']
)
def test_a_trust_file_that_cannot_be_read_trusts_nobody(text: str, home: Path) -> None:
    home.mkdir()
    (home / TRUST_FILE).write_text(text, encoding="utf-8")
    (home / TRUST_FILE).chmod(0o600)
    with pytest.raises(SettingsError, match="cannot be read; remove it and trust folders anew"):
        read_trust(home)


def test_a_trust_file_that_is_a_link_trusts_nobody(home: Path, folder: Path, tmp_path: Path) -> None:
    write(folder, LOOSE)
    trust(folder, home)
    (home / TRUST_FILE).rename(tmp_path / "elsewhere")
    (home / TRUST_FILE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SettingsError, match="is a symbolic link"):
        load_settings(folder, home)


def test_a_home_that_came_along_with_a_folder_needs_trust_and_the_users_own_does_not(home: Path, folder: Path) -> None:
    home.mkdir()
    inside = folder / "work" / ".lango"
    inside.mkdir(parents=True)
    write(inside, LOOSE)
    keys = ["security.interceptor.enabled", "models.baseUrl"]
    assert held(load_settings(folder, inside, trust_home=home)) == keys
    assert load_settings(folder, inside, trust_home=home).settings.security.interceptor.enabled
    assert held(load_settings(folder, inside, trust_home=inside)) == []  # the user's own lies there
    assert held(load_settings(folder, inside)) == []
    assert held(load_settings(folder / "elsewhere", inside, trust_home=home)) == []
    own = load_settings(folder / "elsewhere", inside, trust_home=home)
    assert not own.settings.security.interceptor.enabled


@pytest.mark.parametrize(("key", "name"), [("agentsDir", "tailor/AGENT.md"), ("promptsDir", "SAFETY.md")])
@pytest.mark.parametrize("change", ["other words", "one more", "gone", "a pipe"])
def test_trust_is_bound_to_what_a_folder_of_definitions_holds(
    home: Path, folder: Path, key: str, name: str, change: str
) -> None:
    outside = folder.parent / "outside"
    file = outside / name
    file.parent.mkdir(parents=True)
    file.write_text("You sew.", encoding="utf-8")
    write(folder, {"agent": {key: str(outside)}})
    trust(folder, home)
    assert held(load_settings(folder, home)) == []
    (outside / "notes.txt").write_text("no definition", encoding="utf-8")
    assert held(load_settings(folder, home)) == []
    match change:
        case "other words":
            file.write_text("You rip.", encoding="utf-8")
        case "one more":
            more = outside / name.replace("tailor", "baker").replace("SAFETY", "TONE")
            more.parent.mkdir(exist_ok=True)
            more.write_text("You bake.", encoding="utf-8")
        case "gone":
            file.unlink()
        case "a pipe":
            file.unlink()
            os.mkfifo(file)
    assert held(load_settings(folder, home)) == [f"agent.{key}"]
    trust(folder, home)
    assert held(load_settings(folder, home)) == []
