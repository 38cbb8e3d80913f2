"""Keys: where they are found, which files are refused, and that no key is ever shown."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lango_nb.core.errors import SettingsError, UnknownNameError
from lango_nb.core.masking import mask, reset_rules
from lango_nb.models.keys import Credentials, Keys, given_key, read_keys_file
from lango_nb.models.vendors import VENDORS, Vendor, vendor_of

KEY = "quite-unlike-any-known-shape-77"
"""A key that no pattern of a known service would find."""


@pytest.fixture(autouse=True)
def _no_rules_stay() -> Iterator[None]:
    yield
    reset_rules()


def vendor(name: str) -> Vendor:
    return vendor_of(f"{name}:m")[0]


def keys_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    file = folder / "keys.env"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def test_the_environment_comes_first_then_the_file_then_what_was_typed(tmp_path: Path) -> None:
    file = keys_file(tmp_path, f"OPENAI_API_KEY={KEY}-file\nGROQ_API_KEY={KEY}-file\n")
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return f" {KEY}-typed\n"

    keys = Keys(file=file, environ={"OPENAI_API_KEY": f"{KEY}-env"}, ask=ask)
    found = [keys.get(vendor(name), f"{name}:m") for name in ("openai", "groq", "mistral", "mistral")]
    assert [one.source for one in found] == ["environment", "keys file", "prompt", "prompt"]
    revealed = [one.reveal("OPENAI_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY") for one in found]
    assert revealed == [f"{KEY}-env", f"{KEY}-file", f"{KEY}-typed", f"{KEY}-typed"]
    assert asked == ["Mistral key for mistral:m (MISTRAL_API_KEY): "]


def test_what_is_set_later_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    keys = Keys()
    assert keys.find(vendor("groq")) is None
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    assert keys.find(vendor("groq")) is not None


@pytest.mark.parametrize("value", ["", "   "])
def test_an_empty_value_is_no_key(value: str) -> None:
    keys = Keys(environ={"OPENAI_API_KEY": value}, ask=lambda _question: value)
    assert keys.find(vendor("openai")) is None
    with pytest.raises(SettingsError, match=r"'openai:m' needs a key of OpenAI; set the variable OPENAI_API_KEY$"):
        keys.get(vendor("openai"), "openai:m")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("groq", "set the variable GROQ_API_KEY, or write GROQ_API_KEY=… into ~/.lango/keys.env (chmod 600)"),
        (
            "google",
            (
                "set the variable GOOGLE_API_KEY or GEMINI_API_KEY, "
                "or write GOOGLE_API_KEY=… into ~/.lango/keys.env (chmod 600)"
            ),
        ),
    ],
)
def test_a_key_that_is_missing_can_be_set_or_written(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    keys = Keys(file=tmp_path / ".lango" / "keys.env", environ={})
    with pytest.raises(SettingsError) as caught:
        keys.get(vendor(name), f"{name}:m")
    assert str(caught.value).endswith(f"; {said}")
    line = said[said.index("write ") + 6 :].partition("=")[0]
    (tmp_path / ".lango").mkdir()
    keys_file(tmp_path / ".lango", f"{line}={KEY}\n")
    assert keys.get(vendor(name), f"{name}:m").source == "keys file"  # the advice helps


def test_a_file_of_the_home_folder_is_named_with_its_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = keys_file(tmp_path, "?", 0o644)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SettingsError) as caught:
        read_keys_file(file)
    said = "keys file ~/keys.env has mode 0644 and others could read it; run chmod 600 ~/keys.env"
    assert str(caught.value) == said
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    with pytest.raises(SettingsError, match=f"run chmod 600 {file}$"):
        read_keys_file(file)


def test_a_file_that_was_read_once_is_not_read_again(tmp_path: Path) -> None:
    file = keys_file(tmp_path, f"GROQ_API_KEY={KEY}\n")
    keys = Keys(file=file, environ={}, ask=lambda _question: f"{KEY}-typed")
    keys.get(vendor("mistral"), "mistral:m")
    read, problem = keys.read_now()
    file.unlink()
    assert problem == ""
    assert keys.find(vendor("groq")) is None
    found = [read.find(vendor(name)) for name in ("groq", "mistral", "openai")]
    assert [one and one.source for one in found] == ["keys file", "prompt", None]
    assert KEY.encode() not in pickle.dumps(Keys(file=file, environ={}).read_now()[0])
    keys_file(tmp_path, f"GROQ_API_KEY={KEY}\n", 0o644)
    read, problem = keys.read_now()
    assert "has mode 0644" in problem
    assert read.find(vendor("groq")) is None


def test_alternatives_count_when_they_are_whole() -> None:
    half = Keys(environ={"AWS_ACCESS_KEY_ID": "id", "AWS_DEFAULT_REGION": "eu-central-1"})
    assert half.find(vendor("bedrock")) is None
    whole = Keys(environ={"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": KEY, "AWS_REGION": "eu-central-1"})
    found = whole.find(vendor("bedrock"))
    assert found is not None
    assert found.names == ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION")
    legacy = Keys(environ={"GEMINI_API_KEY": KEY}).find(vendor("google-gla"))
    assert legacy is not None
    assert legacy.reveal("GOOGLE_API_KEY", "GEMINI_API_KEY") == KEY


def test_a_region_of_the_environment_goes_with_a_key_of_the_file(tmp_path: Path) -> None:
    file = keys_file(tmp_path, f"AWS_BEARER_TOKEN_BEDROCK={KEY}\n")
    found = Keys(file=file, environ={"AWS_REGION": "eu-central-1"}).find(vendor("bedrock"))
    assert found is not None
    assert (found.source, found.reveal("AWS_REGION")) == ("keys file", "eu-central-1")


def test_a_server_without_keys_needs_none() -> None:
    found = Keys(environ={}).get(vendor("ollama"), "ollama:m")
    assert found.names == ()


def test_lines_of_a_file(tmp_path: Path) -> None:
    text = "\ufeff# mine\n\nexport OPENAI_API_KEY = 'sk=a b'\nGROQ_API_KEY=\"x#y\"\n  MISTRAL_API_KEY=z\n"
    values = read_keys_file(keys_file(tmp_path, text))
    assert values == {"OPENAI_API_KEY": "sk=a b", "GROQ_API_KEY": "x#y", "MISTRAL_API_KEY": "z"}


def test_no_file_is_no_keys(tmp_path: Path) -> None:
    assert read_keys_file(tmp_path / "none.env") == {}


def test_a_line_that_is_none_is_named_by_its_number_alone(tmp_path: Path) -> None:
    file = keys_file(tmp_path, f"OPENAI_API_KEY=x\n{KEY}\n")
    with pytest.raises(SettingsError) as caught:
        read_keys_file(file)
    assert str(caught.value) == f"keys file {file}, line 2 is no NAME=key; mend it"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o666])
def test_a_file_that_others_could_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    file = keys_file(tmp_path, f"OPENAI_API_KEY={KEY}", mode)
    with pytest.raises(SettingsError, match=f"has mode {mode:04o} and others could read it; run chmod 600 ") as caught:
        Keys(file=file, environ={}).find(vendor("openai"))
    assert "\n" not in str(caught.value)
    file.chmod(0o400)
    assert Keys(file=file, environ={}).find(vendor("openai")) is not None


def test_a_link_a_folder_a_pipe_and_a_large_file_are_refused(tmp_path: Path) -> None:
    file = keys_file(tmp_path, f"OPENAI_API_KEY={KEY}")
    link = tmp_path / "link.env"
    link.symlink_to(file)
    pipe = tmp_path / "pipe.env"
    os.mkfifo(pipe, 0o600)
    large = tmp_path / "large.env"
    large.write_bytes(b"#" * 70_000)
    large.chmod(0o600)
    for path, says in (
        (link, "symbolic link"),
        (tmp_path, "not a regular file"),
        (pipe, "not a regular file"),
        (large, "KB"),
    ):
        with pytest.raises(SettingsError, match=says):
            read_keys_file(path)


def test_a_file_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = keys_file(tmp_path, f"OPENAI_API_KEY={KEY}")
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    with pytest.raises(SettingsError, match="belongs to somebody else"):
        read_keys_file(file)


@pytest.mark.parametrize("value", ["two words", "line\nend", "caf\u00e9-0123456", "tab\there"])
def test_what_cannot_be_sent_is_refused_and_not_repeated(value: str) -> None:
    finds: tuple[Callable[[], object], ...] = (
        lambda: Keys(environ={"OPENAI_API_KEY": value}).find(vendor("openai")),
        lambda: Keys(environ={}, ask=lambda _question: value).get(vendor("openai"), "openai:m"),
        lambda: given_key(value),
    )
    for find in finds:
        with pytest.raises(SettingsError) as caught:
            find()
        assert value not in str(caught.value)
        assert "set it again" in str(caught.value)


def _from_file(folder: Path) -> Keys:
    return Keys(file=keys_file(folder, f"OPENAI_API_KEY={KEY}"), environ={})


@pytest.mark.parametrize("source", ["environment", "keys file", "prompt", "argument"])
def test_a_key_is_masked_from_then_on_and_never_shown(source: str, tmp_path: Path) -> None:
    assert mask(f"it is {KEY}!") == f"it is {KEY}!", "or this test shows nothing"
    keys = {
        "environment": Keys(environ={"OPENAI_API_KEY": KEY}),
        "keys file": _from_file(tmp_path),
        "prompt": Keys(environ={}, ask=lambda _question: KEY),
        "argument": Keys(environ={}),
    }[source]
    found = given_key(KEY) if source == "argument" else keys.get(vendor("openai"), "openai:m")
    assert found.source == source
    assert mask(f"it is {KEY}!") == "it is [masked]!"
    for shown in (repr(found), str(found), repr(keys), f"{found!r:>10}", repr(vars(type(found)))):
        assert KEY not in shown
    assert not hasattr(found, "__dict__")
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(found)
    assert copy.deepcopy(found) is copy.copy(found) is found
    keys.ask = None
    pickled = pickle.dumps(keys)
    assert KEY.encode() not in pickled
    assert pickle.loads(pickled).file == keys.file


def test_every_key_of_a_file_is_masked_not_only_the_one_that_was_wanted(tmp_path: Path) -> None:
    file = keys_file(tmp_path, f"OPENAI_API_KEY={KEY}\nANYTHING={KEY}-else\n")
    Keys(file=file, environ={}).find(vendor("groq"))
    assert KEY not in mask(f"{KEY} and {KEY}-else")


def test_words_and_regions_are_not_masked(tmp_path: Path) -> None:
    given_key("none")
    Keys(environ={"AWS_BEARER_TOKEN_BEDROCK": KEY, "AWS_REGION": "eu-central-1"}).find(vendor("bedrock"))
    read_keys_file(keys_file(tmp_path, "AWS_DEFAULT_REGION=eu-central-1\n"))
    assert mask("none of eu-central-1") == "none of eu-central-1"


def test_every_provider_is_found_by_all_its_names() -> None:
    for one in VENDORS:
        assert {vendor_of(f"{name}:m")[0] for name in (one.name, *one.spellings)} == {one}


@pytest.mark.parametrize("name", ["openai_compatible", "openai-compatible"])
def test_a_server_of_ones_own_is_no_provider_by_name(name: str) -> None:
    with pytest.raises(SettingsError) as caught:
        vendor_of(f"{name}:ok")
    assert str(caught.value) == (
        f"model '{name}:ok' has no address; set models.baseUrl and take openai:ok, or pass openai_compatible(URL, 'ok')"
    )


def test_an_unknown_provider_lists_the_main_names() -> None:
    with pytest.raises(UnknownNameError) as caught:
        vendor_of("zzz:m")
    assert str(caught.value) == f"provider 'zzz' not found; there is: {', '.join(one.name for one in VENDORS)}"
    with pytest.raises(UnknownNameError, match="did you mean 'openai'"):
        vendor_of("openai-chta:m")


def test_credentials_tell_what_they_are_made_of() -> None:
    assert repr(Credentials("keys file", {"A": "1", "B": "2"})) == "Credentials(A, B from keys file)"
    assert repr(Credentials("argument", {})) == "Credentials(none from argument)"
