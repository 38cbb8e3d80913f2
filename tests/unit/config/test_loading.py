"""Later wins, every value knows where it came from, and what is wrong is refused with place, key and hint."""

import json
import os
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.keys import setting_infos
from lango_nb.config.loading import MOST_BYTES, home_folder, load_settings
from lango_nb.config.settings import Settings
from lango_nb.core.errors import SettingsError
from tests.expected import same_as_expected
from tests.trusting import trust


def write(folder: Path, name: str, content: object) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def refused(**places: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(**places)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_without_any_place_everything_is_the_default() -> None:
    loaded = load_settings()
    assert loaded.settings == Settings()
    assert set(loaded.origins) == {info.key for info in setting_infos()}
    assert set(loaded.origins.values()) == {"default"}


def test_each_layer_wins_over_the_ones_before_it(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    write(home, "lango.json", {"agent": {"maxTurns": 1, "maxDelegationRounds": 1, "model": "m1"}})
    write(folder, "pyproject.toml", "[tool.lango.agent]\nmaxTurns = 2\nmaxDelegationRounds = 2\nprovider = 'p2'\n")
    write(folder, "lango.json", {"agent": {"maxTurns": 3, "agentsDir": ""}})
    trust(folder, home)
    env = {"LANGO_AGENT_MAX_TURNS": "4", "LANGO_LAB_TOPOLOGY": "quartet"}
    places: list[tuple[dict[str, Any], int, str]] = [
        ({}, 0, "default"),
        ({"home": home}, 1, str(home / "lango.json")),
        ({"home": home, "folder": folder}, 3, "lango.json"),
        ({"home": home, "folder": folder, "env": env}, 4, "LANGO_AGENT_MAX_TURNS"),
        ({"home": home, "folder": folder, "env": env, "overrides": {"agent.max_turns": 5}}, 5, "argument"),
    ]
    for given, turns, origin in places:
        loaded = load_settings(**given)
        assert (loaded.settings.agent.max_turns, loaded.origins["agent.maxTurns"]) == (turns, origin)
    assert loaded.settings.agent.model == "m1"
    assert loaded.settings.agent.max_delegation_rounds == 2
    assert loaded.origins["agent.maxDelegationRounds"] == "pyproject.toml"
    assert loaded.origins["lab.topology"] == "LANGO_LAB_TOPOLOGY"
    assert loaded.origins["agent.multiAgent"] == "default"


def test_a_wrong_value_is_refused_although_a_later_layer_would_win(tmp_path: Path) -> None:
    write(tmp_path, "lango.json", {"agent": {"maxTurns": "many"}})
    message = refused(folder=tmp_path, overrides={"agent.maxTurns": 3})
    assert message == "lango.json: agent.maxTurns must be a whole number, 0 or more, not 'many'"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"agent": {"maxDelegationRound": 3}},
            "agent.maxDelegationRound is not a setting; did you mean 'maxDelegationRounds'?",
        ),
        ({"agnet": {}}, "agnet is not a setting; did you mean 'agent'?"),
        ({"agent": {"multi_agent": True}}, "agent.multi_agent is not a setting; did you mean 'multiAgent'?"),
        ({"multiAgent": True}, "multiAgent is not a setting; did you mean 'agent.multiAgent'?"),
        ({"tools": {"filesystem": {"max_read_bytes": 1}}}, "did you mean 'maxReadSize'?"),
        ({"agent": {"model": {"name": "x"}}}, 'agent.model must be text, not {"name": "x"}'),
        ({"agent": True}, "agent is a group of settings, not a value; it holds: multiAgent, provider,"),
        ({"agent": {"multiAgent": "yes"}}, "agent.multiAgent must be true or false, not 'yes'"),
        ({"agent": {"multiAgent": 1}}, "agent.multiAgent must be true or false, not 1"),
        ({"agent": {"multiAgent": None}}, "agent.multiAgent must be true or false, not null"),
        ({"agent": {"maxTurns": -1}}, "agent.maxTurns must be a whole number, 0 or more, not -1"),
        ({"agent": {"maxTurns": 1.5}}, "agent.maxTurns must be a whole number, 0 or more, not 1.5"),
        ({"agent": {"maxTurns": True}}, "agent.maxTurns must be a whole number, 0 or more, not true"),
        ({"agent": {"agentsDir": "a\0b"}}, "agent.agentsDir must be the path of a folder"),
        (
            {"tools": {"exec": {"defaultTimeout": "soon"}}},
            "tools.exec.defaultTimeout must be a duration such as '30s' or '5m', or a number of seconds, not 'soon'",
        ),
        ({"tools": {"filesystem": {"maxReadSize": "big"}}}, "must be a size such as '10MiB', or a number of bytes"),
        (
            {"security": {"interceptor": {"approvalPolicy": "dangerus"}}},
            "must be one of all, dangerous, configured, none, not 'dangerus'; did you mean 'dangerous'?",
        ),
        ({"security": {"interceptor": {"exemptTools": "fs_read"}}}, "must be a list of names, not 'fs_read'"),
        ({"security": {"interceptor": {"exemptTools": [1]}}}, "must be a list of names, not [1]"),
        ({"a2a": {"remoteAgents": {}}}, "a2a.remoteAgents must be a list of {name, agentCardUrl}, not {}"),
        ({"a2a": {"remoteAgents": [{"name": "x", "agentCardURL": "y"}]}}, "did you mean 'agentCardUrl'?"),
        ({"a2a": {"remoteAgents": [{}]}}, "a2a.remoteAgents[0]: name: field required"),
        ({"a2a": {"remoteAgents": ["x"]}}, "a2a.remoteAgents[0] must be a table with name and agentCardUrl, not 'x'"),
        ([], "the file must hold a table of settings, not []"),
        ({"x" * 500: 1}, "x…"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_key(tmp_path: Path, data: object, message: str) -> None:
    write(tmp_path, "lango.json", data)
    said = refused(folder=tmp_path)
    assert said.startswith("lango.json: ")
    assert message in said
    assert len(said) < 400


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("lango.json", '{"agent": {\n  "maxTurns" 3}}', "lango.json: line 2, column 14: this is not JSON: expecting"),
        ("lango.json", "", "lango.json: line 1, column 1: this is not JSON: expecting value"),
        ("lango.json", '{"agent": {}, "agent": {}}', "lango.json: the key 'agent' stands there twice; keep one"),
        ("lango.json", "[" * 100_000, "lango.json: nested too deeply to be settings"),
        ("pyproject.toml", "lango = " + "[" * 100_000, "pyproject.toml: nested too deeply to be settings"),
        ("lango.json", f'{{"agent": {{"maxTurns": {"9" * 5000}}}}}', "lango.json: a number has too many digits"),
        ("pyproject.toml", f"lango = {'9' * 5000}", "pyproject.toml: a number has too many digits"),
        ("pyproject.toml", "[tool.lango\n", "pyproject.toml: line 1, column 12: this is not TOML: "),
        ("pyproject.toml", "[tool]\nlango = 3\n", "pyproject.toml: tool.lango must hold a table of settings, not 3"),
        (
            "pyproject.toml",
            "[tool.lango.agent]\nmodl = 'x'\n",
            "pyproject.toml: agent.modl is not a setting; did you mean 'model'?",
        ),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(tmp_path: Path, name: str, content: str, message: str) -> None:
    write(tmp_path, name, content)
    assert refused(folder=tmp_path).startswith(message)


def test_bytes_that_are_no_text_and_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "lango.json").write_bytes(b'{"agent": "\xff"}')
    assert refused(folder=tmp_path) == "lango.json: byte 12 is not UTF-8; save the file as UTF-8 text"
    (tmp_path / "lango.json").unlink()
    (tmp_path / "lango.json").mkdir()
    assert refused(folder=tmp_path) == "lango.json: is not a file; put a text file there or remove it"


@pytest.mark.parametrize("name", ["lango.json", "pyproject.toml"])
def test_a_pipe_a_device_and_a_huge_file_are_refused_and_nobody_waits(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    os.mkfifo(file)
    assert refused(folder=tmp_path) == f"{name}: is not a file; put a text file there or remove it"
    file.unlink()
    file.symlink_to("/dev/zero")
    assert refused(folder=tmp_path) == f"{name}: is not a file; put a text file there or remove it"
    file.unlink()
    with file.open("w") as huge:
        huge.truncate(MOST_BYTES + 1)
    assert refused(folder=tmp_path) == f"{name}: has more than 1,048,576 bytes; shorten it"


def test_a_byte_order_mark_and_other_tools_tables_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "lango.json").write_bytes(b'\xef\xbb\xbf{"agent": {"maxTurns": 3}}')
    write(tmp_path, "pyproject.toml", "[tool.other]\nnot toml at all\n")
    assert load_settings(folder=tmp_path).settings.agent.max_turns == 3


def test_missing_places_change_nothing(tmp_path: Path) -> None:
    file = write(tmp_path, "file", "x")
    assert load_settings(folder=tmp_path / "none", home=file).settings == Settings()


def test_a_relative_folder_is_meant_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    write(tmp_path, "lango.json", {"agent": {"agentsDir": "agents"}})
    assert Path(load_settings(home=tmp_path).settings.agent.agents_dir) == tmp_path / "agents"
    write(tmp_path, "lango.json", {"agent": {"agentsDir": "~/agents"}})
    assert Path(load_settings(home=tmp_path).settings.agent.agents_dir) == Path("~/agents").expanduser()
    assert load_settings(overrides={"agent.agentsDir": Path("agents")}).settings.agent.agents_dir == "agents"


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("LANGO_AGENT_MULTI_AGENT", "true", "multi_agent", True),
        ("LANGO_AGENT_MULTI_AGENT", "Off", "multi_agent", False),
        ("LANGO_AGENT_MAX_DELEGATION_ROUNDS", "3", "max_delegation_rounds", 3),
        ("LANGO_AGENT_MODEL", "1234", "model", "1234"),
        ("LANGO_AGENT_MODEL", "", "model", "offline"),
    ],
)
def test_the_environment_is_read_by_kind(variable: str, text: Any, key: str, value: object) -> None:
    assert getattr(load_settings(env={variable: text}).settings.agent, key) == value


def test_lists_in_the_environment_are_commas_or_json() -> None:
    env = {
        "LANGO_SECURITY_INTERCEPTOR_EXEMPT_TOOLS": "exec, fs_write,",
        "LANGO_SECURITY_INTERCEPTOR_SENSITIVE_TOOLS": '["fs_read"]',
        "LANGO_A2A_REMOTE_AGENTS": '[{"name": "weather", "agentCardUrl": "http://localhost/card"}]',
        "LANGO_TOOLS_EXEC_DEFAULT_TIMEOUT": "1h30m",
    }
    settings = load_settings(env=env).settings
    assert settings.security.interceptor.exempt_tools == ("exec", "fs_write")
    assert settings.security.interceptor.sensitive_tools == ("fs_read",)
    assert [remote.name for remote in settings.a2a.remote_agents] == ["weather"]
    assert settings.tools.exec.default_timeout_s == 5400


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"LANGO_AGENT_MULTI_ANGENT": "true"}, "environment: LANGO_AGENT_MULTI_ANGENT is not a setting; did you mean"),
        ({"LANGO_AGNT_MULTI_AGENT": "true"}, "did you mean 'LANGO_AGENT_MULTI_AGENT'?"),
        ({"LANGO_AGENT_MAX_TURNS": "x"}, "LANGO_AGENT_MAX_TURNS: agent.maxTurns must be a whole number"),
        ({"LANGO_AGENT_MAX_TURNS": "9" * 5000}, "must be a whole number, 0 or more, not '999"),
        ({"LANGO_A2A_REMOTE_AGENTS": "[{"}, "a2a.remoteAgents must be a list of {name, agentCardUrl}, not '[{'"),
        ({"LANGO_SECURITY_INTERCEPTOR_EXEMPT_TOOLS": "[1"}, "exemptTools must be a list of names, not '[1'"),
    ],
)
def test_a_misspelt_or_wrong_variable_is_refused(env: dict[str, str], message: str) -> None:
    assert message in refused(env=env)


def test_variables_of_others_are_left_alone() -> None:
    env = {"LANGO_HOME": "/x", "LANGO_NB_PROGRESS": "0", "LANGO_PASSPHRASE": "x", "LANG": "C", "LANGO": "1"}
    assert load_settings(env=env).settings == Settings()


@pytest.mark.parametrize(
    "overrides",
    [
        {"tools.exec.defaultTimeout": 5},
        {"tools.exec.default_timeout_s": "5s"},
        {"tools": {"exec": {"defaultTimeout": "5"}}},
        {"tools": {"exec.default_timeout_s": 5.0}},
        {"tools.exec": {"default_timeout_s": 5}},
    ],
)
def test_arguments_may_be_dotted_or_nested_in_either_spelling(overrides: dict[str, Any]) -> None:
    loaded = load_settings(overrides=overrides)
    assert loaded.settings.tools.exec.default_timeout_s == 5
    assert loaded.origins["tools.exec.defaultTimeout"] == "argument"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"agent.maxTurn": 1}, "argument: agent.maxTurn is not a setting; did you mean 'maxTurns'?"),
        ({"agent.max_turns": 1, "agent": {"maxTurns": 2}}, "argument: agent.maxTurns is given twice; keep one"),
        ({"agent.model.name": "x"}, "agent.model.name is not a setting; agent.model is a value of its own"),
        ({"": 1}, "argument:  is not a setting; there is: agent, tools"),
        ({"agent.model": object()}, "agent.model must be text, not a object"),
        ({"agent": 3}, "agent is a group of settings, not a value"),
    ],
)
def test_wrong_arguments_are_refused(overrides: dict[str, Any], message: str) -> None:
    assert message in refused(overrides=overrides)


def test_rows_tell_value_default_origin_and_sentence(tmp_path: Path) -> None:
    write(tmp_path, "lango.json", {"tools": {"exec": {"defaultTimeout": 20}}, "agent": {"multiAgent": True}})
    rows = {row.key: row for row in load_settings(folder=tmp_path).rows()}
    assert list(rows) == [info.key for info in setting_infos()]
    assert rows["tools.exec.defaultTimeout"][1:4] == ("20s", "30s", "lango.json")
    assert rows["agent.multiAgent"][1:4] == ("true", "false", "lango.json")
    assert rows["tools.filesystem.maxReadSize"].value == "10MiB"


def test_what_rows_show_can_be_given_back_as_arguments(tmp_path: Path) -> None:
    write(
        tmp_path,
        "lango.json",
        {
            "tools": {"exec": {"defaultTimeout": "1h1s", "maxOutputBytes": 1000}},
            "security": {"interceptor": {"exemptTools": ["a", "b"], "approvalPolicy": "none"}},
        },
    )
    loaded = load_settings(home=tmp_path)
    again = load_settings(overrides={row.key: row.value for row in loaded.rows() if row.value})
    assert again.settings == loaded.settings


def test_the_home_folder_follows_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somebody")
    assert home_folder({}) == Path("/somebody/.lango")
    assert home_folder({"LANGO_HOME": "~/elsewhere"}) == Path("/somebody/elsewhere")
    monkeypatch.setenv("LANGO_HOME", "/third")
    assert home_folder() == Path("/third")


def test_a_file_below_the_users_folder_is_named_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / ".lango", "lango.json", {"agent": {"model": 3}})
    assert refused(home=home_folder({})) == "~/.lango/lango.json: agent.model must be text, not 3"


def test_an_unreadable_file_is_refused(folder_of_nobody: Path) -> None:
    write(folder_of_nobody, "lango.json", {}).chmod(0)
    assert refused(folder=folder_of_nobody) == "lango.json: cannot be read: Permission denied"


def test_settings_given_as_an_object_come_back_the_same() -> None:
    settings = Settings.model_validate(
        {
            "agent": {"multiAgent": True, "maxTurns": 3},
            "tools": {"exec": {"defaultTimeout": "2m"}, "filesystem": {"maxReadSize": "1KiB"}},
            "security": {"interceptor": {"exemptTools": ["exec"]}},
            "a2a": {"remoteAgents": [{"name": "weather", "agentCardUrl": "http://localhost/card"}]},
        }
    )
    for by_alias in (True, False):
        for exclude_defaults in (True, False):
            data = settings.model_dump(by_alias=by_alias, exclude_defaults=exclude_defaults)
            assert load_settings(overrides=data).settings == settings


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("agent.orchestration.circuitBreaker.failureThreshold", 0, "greater than or equal to 1, not 0"),
        ("agent.orchestration.budget.alertThreshold", 2, "less than or equal to 1, not 2.0"),
        ("background.maxConcurrentTasks", 0, "greater than or equal to 1, not 0"),
        ("agent.orchestration.budget.maxCostUsd", "much", "a number, 0 or more, not 'much'"),
        ("agent.idleTimeout", "never", "negative one for off, not 'never'"),
    ],
)
def test_a_value_outside_its_range_is_one_line_with_place_and_key(key: str, value: object, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(overrides={key: value})
    assert str(caught.value).startswith(f"argument: {key} must be ")
    assert str(caught.value).endswith(said)
    assert "\n" not in str(caught.value)


def test_a_negative_idle_time_is_off_and_shown_as_it_was_written() -> None:
    loaded = load_settings(overrides={"agent.idleTimeout": "-1s"})
    assert loaded.settings.agent.idle_timeout_s == -1.0
    assert next(row.value for row in loaded.rows() if row.key == "agent.idleTimeout") == "-1s"


ODD: tuple[Any, ...] = (
    True, 0, 7, -1, 2.5, 1e400, "", "7", "-1", "true", "Yes", "off", "2m", "1h30m", "90", "1.5s", "soon", "~/x", "./x",
    "octet", "full, range", '["a", "b"]', "[1", "10MiB", "7 kB", [], ["a"], ["a", 1], [""], {}, {"a": 1}, None,
    [{"name": "far", "url": "http://x.org"}], [{"name": ""}], "structured", "classic", "warn",
)  # fmt: skip
"""Values of every kind that a file, a variable or an argument may give."""
KINDS = {info.kind if not info.words else info.key: info for info in reversed(setting_infos())}
"""A setting of each kind, and all with a closed set of words."""


@pytest.mark.parametrize("place", ["file", "variable", "argument"])
def test_every_value_in_every_kind_of_setting(place: str, tmp_path: Path) -> None:
    rows = []
    for kind, info in sorted(KINDS.items()):
        for value in ODD:
            try:
                if place == "file":
                    nested = reduce(lambda inner, part: {part: inner}, reversed(info.key.split(".")), value)
                    (tmp_path / "lango.json").write_text(json.dumps(nested), encoding="utf-8")
                    loaded = load_settings(home=tmp_path)
                elif place == "variable":
                    loaded = load_settings(env={info.env: str(value)})
                else:
                    loaded = load_settings(overrides={info.key: value})
                (row,) = [row for row in loaded.rows() if row.key == info.key]
                found = f"→ {row.value} from {row.origin}"
            except SettingsError as error:
                found = str(error)
            rows.append(f"{kind} = {value!r}   {found}".replace(str(tmp_path), "«home»"))
    same_as_expected(f"settings/{place}.txt", "\n".join(rows).replace(str(Path.home()), "«user»"))
