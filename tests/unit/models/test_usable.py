"""What is usable here: every state, the sentence that helps, and that looking costs nothing."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import ModelSettings
from lango_nb.core.errors import SettingsError
from lango_nb.core.masking import reset_rules
from lango_nb.models import vendors
from lango_nb.models.keys import Keys
from lango_nb.models.providers import live_model, openai_compatible
from lango_nb.models.usable import ModelRow, usable_models, usable_note

KEY = "quite-unlike-any-known-shape-78"
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _no_rules_stay() -> Iterator[None]:
    yield
    reset_rules()


def rows(keys: Keys | None = None, **settings: Any) -> dict[str, ModelRow]:
    found = usable_models(ModelSettings(**settings), keys or Keys(environ={}))
    assert len({row.provider for row in found}) == len(found)
    return {row.provider: row for row in found}


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    def find_spec(name: str, package: str | None = None) -> object:
        if name in missing:
            return None
        return importlib.util.find_spec(name, package)

    monkeypatch.setattr(vendors, "find_spec", find_spec)


def test_without_keys_only_the_offline_model_is_usable() -> None:
    found = rows()
    assert [row.provider for row in found.values() if row.state == "usable"] == ["offline"]
    states = {name: row.state for name, row in found.items()}
    assert states == {
        "offline": "usable",
        **dict.fromkeys(("openai", "anthropic", "google", "google-cloud", "mistral", "groq", "bedrock"), "key missing"),
        **dict.fromkeys(("ollama", "lmstudio", "llamacpp", "vllm"), "needs a server"),
        "openai_compatible": "needs a server",
    }
    assert found["openai"].missing == "set OPENAI_API_KEY"
    assert found["google"].missing == "set GOOGLE_API_KEY or GEMINI_API_KEY"
    assert "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in found["bedrock"].missing
    assert found["ollama"].missing.startswith("start it with: ollama serve (http://127.0.0.1:11434)")


def test_a_row_says_where_the_key_is_and_never_what(tmp_path: Path) -> None:
    file = tmp_path / "keys.env"
    file.write_text(f"MISTRAL_API_KEY={KEY}\n", encoding="utf-8")
    file.chmod(0o600)
    found = rows(Keys(file=file, environ={"OPENAI_API_KEY": KEY, "AWS_PROFILE": "work"}))
    assert {row.provider: row.key for row in found.values() if row.key} == {
        "openai": "environment",
        "mistral": "keys file",
        "bedrock": "own login",
    }
    for row in found.values():
        assert KEY not in repr(row)
        assert row.missing == "" or row.state != "usable"
        assert all("\n" not in str(getattr(row, field.name)) for field in fields(row))


def test_a_file_that_cannot_be_trusted_is_one_note_and_no_row(tmp_path: Path) -> None:
    file = tmp_path / "keys.env"
    file.write_text(f"MISTRAL_API_KEY={KEY}\n", encoding="utf-8")
    file.chmod(0o644)
    keys = Keys(file=file, environ={"OPENAI_API_KEY": KEY})
    assert rows(keys) == rows(Keys(environ={"OPENAI_API_KEY": KEY}))
    assert rows(keys)["openai"].state == "usable"
    assert usable_note(keys) == f"keys file {file} has mode 0644 and others could read it; run chmod 600 {file}"
    file.chmod(0o600)
    assert (usable_note(keys), rows(keys)["mistral"].state) == ("", "usable")
    file.unlink()
    assert usable_note(keys) == ""


def test_a_server_of_ones_own_is_not_called_usable_where_the_file_stops_it(tmp_path: Path) -> None:
    file = tmp_path / "keys.env"
    file.write_text("OPENAI_API_KEY\n", encoding="utf-8")
    file.chmod(0o600)
    url, keys = "http://localhost:8000/v1", Keys(file=file, environ={})
    with pytest.raises(SettingsError, match="line 1 is no NAME=key"):
        live_model("openai:m", base_url=url, keys=keys)
    found = rows(keys, base_url=url)["openai"]
    assert (found.state, found.missing) == ("key missing", "set OPENAI_API_KEY")
    assert live_model("openai:m", base_url=url, keys=Keys(file=file, environ={"OPENAI_API_KEY": KEY}))


def test_the_file_is_read_once_and_not_without_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "keys.env"
    file.write_text(f"MISTRAL_API_KEY={KEY}\n", encoding="utf-8")
    file.chmod(0o600)
    opened: list[object] = []
    original = os.open

    def counting(path: Any, *arguments: Any, **options: Any) -> int:
        opened.append(path)
        return original(path, *arguments, **options)

    monkeypatch.setattr(os, "open", counting)
    assert rows(Keys(file=file, environ={}))["mistral"].state == "usable"
    assert opened.count(file) == 1
    rows(Keys(file=file, environ={}), allow_network=False)
    assert opened.count(file) == 1


def test_a_value_that_cannot_be_a_key_is_said_in_its_own_row() -> None:
    found = rows(Keys(environ={"GROQ_API_KEY": "two words"}))
    assert found["groq"].missing.startswith("GROQ_API_KEY (environment) holds blanks")
    assert [name for name, row in found.items() if "holds blanks" in row.missing] == ["groq"]


def test_a_server_of_ones_own_takes_the_place_of_openai() -> None:
    assert rows(base_url="http://localhost:8000/v1")["openai"].state == "usable"
    assert "http://far:1" in rows(Keys(environ={"OLLAMA_BASE_URL": "http://far:1"}))["ollama"].missing


def test_nothing_live_is_usable_without_network() -> None:
    found = rows(Keys(environ={"OPENAI_API_KEY": KEY}), allow_network=False)
    assert {row.state for row in found.values()} == {"usable", "network off"}
    assert found["offline"].state == "usable"
    assert found["openai"].missing == "live models are off: set models.allowNetwork to true"


def test_a_missing_package_is_one_sentence_in_the_table_and_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "groq", "google.genai")
    found = rows(Keys(environ={"GROQ_API_KEY": KEY}))
    assert {name for name, row in found.items() if row.state == "package missing"} == {
        "groq",
        "google",
        "google-cloud",
    }
    assert found["groq"].missing == "package groq is missing: pip install 'lango-nb[groq]'"
    with pytest.raises(SettingsError) as caught:
        live_model("groq:m", keys=Keys(environ={"GROQ_API_KEY": KEY}))
    assert str(caught.value) == "model 'groq:m' needs the package 'groq': run pip install 'lango-nb[groq]'"


def test_without_the_door_nothing_live_works(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "pydantic_ai")
    assert {row.state for row in rows().values()} == {"usable", "package missing"}
    needs = r"needs the package 'pydantic_ai': run pip install 'lango-nb\[openai\]'"
    with pytest.raises(SettingsError, match=needs):
        live_model("ollama:m", keys=Keys(environ={}))
    with pytest.raises(SettingsError, match=needs):
        openai_compatible("http://localhost:1", "m")


def test_every_example_is_a_model_that_the_library_knows() -> None:
    from typing import get_args

    from pydantic_ai.models import KnownModelName

    known = set(get_args(KnownModelName.__value__))
    for vendor in vendors.VENDORS:
        assert vendor.start or f"{vendor.name}:{vendor.example}" in known


def test_examples_are_short() -> None:
    found = rows()
    assert found["openai_compatible"].example == "openai_compatible(URL, 'MODEL')"
    assert max(len(row.example) for row in found.values()) <= 32


def test_every_example_names_a_model_that_could_be_asked() -> None:
    environ = {name: KEY for vendor in vendors.VENDORS for names in vendor.secrets for name in names}
    for row in rows(Keys(environ=environ)).values():
        if row.provider not in {"offline", "openai_compatible"}:
            assert live_model(row.example, keys=Keys(environ=environ)).name == row.example


_LOOK = """
import json, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        blocked = {"pydantic_ai", "openai", "anthropic", "boto3", "mistralai", "groq"} if "--block" in sys.argv else {}
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refuse())
import lango_nb.models.providers, lango_nb.models.usable
from lango_nb.config.settings import ModelSettings
from lango_nb.models.keys import Keys
states = sorted({row.state for row in lango_nb.models.usable.usable_models(ModelSettings(), Keys(environ={}))})
try:
    lango_nb.models.providers.live_model("ollama:m", keys=Keys(environ={}))
    said = ""
except Exception as error:
    said = str(error)
heavy = {"pydantic_ai", "openai", "anthropic", "boto3", "botocore", "mistralai", "groq", "httpx", "httpx2"}
print(json.dumps({"states": states, "said": said, "loaded": sorted(heavy & set(sys.modules))}))
"""


@pytest.mark.parametrize("is_blocked", [False, True])
def test_importing_looking_and_making_load_no_library_of_a_provider(is_blocked: bool, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _LOOK, *(["--block"] if is_blocked else [])]
    done = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["loaded"] == []
    assert ("package missing" in seen["states"]) is is_blocked
    assert ("pip install 'lango-nb[openai]'" in seen["said"]) is is_blocked
