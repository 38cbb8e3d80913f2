"""Paths no system can have are told in a line by everything that takes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.commands.terminal.main import main
from lango_nb.config.loading import load_settings
from lango_nb.core.errors import LangoError
from lango_nb.core.paths import path_of
from lango_nb.engine import Engine
from lango_nb.lab import Lab

BAD = {"zero byte": "a\0b", "long": "x" * 300, "half a character": "a\ud800b"}
DOORS: dict[str, Callable[[str], Any]] = {
    "home": lambda bad: Lab(home=bad),
    "workspace": lambda bad: Lab(workspace=bad),
    "store": lambda bad: Lab(store=bad),
    "engine": lambda bad: Engine(workspace=bad),
    "settings": lambda bad: load_settings(Path(bad), None, {}),
    "cassette": lambda bad: Lab(model=f"cassette:{bad}"),
    "record": lambda bad: Lab().record(bad),
    "play": lambda bad: Lab().play(bad),
    "open": lambda bad: Lab().open(bad),
    "keep": lambda bad: Lab().keep_in(bad),
    "evaluate": lambda bad: Lab().evaluate(bad),
    "evaluate a file": lambda bad: Lab().evaluate(f"{bad}.csv"),
    "tools": lambda bad: Lab(tools=f"{bad}.csv"),
    "fit": lambda bad: Lab().router.fit(bad),  # noqa: PLW0108 - a lab for each call, made in the test
    "save": lambda bad: Lab().router.save(bad),  # noqa: PLW0108 - a lab for each call, made in the test
    "load": lambda bad: Lab().router.load(bad),  # noqa: PLW0108 - a lab for each call, made in the test
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGO_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("bad", BAD)
def test_a_path_no_system_can_have_is_one_line(door: str, bad: str) -> None:
    with pytest.raises(LangoError) as caught:
        DOORS[door](BAD[bad])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_what_is_no_path_is_one_line() -> None:
    with pytest.raises(LangoError, match=r"^a path is text or a Path, not int: 3$"):
        Lab(home=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [["trust"], ["eval"], ["ask", "hello", "--workspace"], ["settings", "--workspace"]])
@pytest.mark.parametrize("bad", ["zero byte", "long"])
def test_the_terminal_says_so_in_one_line(words: list[str], bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, BAD[bad]]) in {1, 2}
    told = capsys.readouterr().err
    assert told.startswith("lango: ")
    assert told.count("\n") == 1


@pytest.mark.parametrize("name", ["f.csv", "f.json", "f.jsonl", "f.tsv"])
def test_a_folder_where_a_file_should_be_is_one_line(name: str) -> None:
    Path(name).mkdir()
    doors = [door for key, door in DOORS.items() if key in {"cassette", "record", "play", "evaluate", "save", "load"}]
    for door in doors:
        with pytest.raises(LangoError, match=name):
            door(name)
    with pytest.raises(LangoError):
        Lab(tools=name)


@pytest.mark.parametrize("data", [5, 3.5, None, True, object(), "rows.csv"])
def test_what_is_no_table_of_requests_is_told_in_a_line(data: object) -> None:
    with pytest.raises(LangoError, match="labelled requests are a DataFrame or a list of rows, not a"):
        Lab().router.fit(data)  # type: ignore[arg-type]  # that is the point
    if not isinstance(data, str):
        with pytest.raises(LangoError, match="labelled requests are a DataFrame"):
            Lab().evaluate(data)


def test_the_home_of_a_user_who_does_not_exist_is_one_line() -> None:
    with pytest.raises(LangoError, match="a user who does not exist"):
        path_of("~no-such-user-here/records")
