"""Tools of one's own that are called like tools of the package are called with what they really take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.engine import Engine
from lango_nb.models.offline.own_tools import time_said
from lango_nb.tools.decorator import tool


@tool
def crypto_encrypt(text: str) -> str:
    """Encrypt a text."""
    return f"sealed {text}"


@tool
def crypto_hash(message: str, method: str = "sha256") -> str:
    """Hash a message."""
    return f"{method} of {message}"


@tool
def cron_add(task: str, when: str) -> str:
    """Plan a task for later."""
    return f"{task} @ {when}"


@tool
def web_search(words: str, how_many: int) -> str:
    """Search the web."""
    return f"{how_many} of {words}"


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str], str]:
    tools = (crypto_encrypt, crypto_hash, cron_add, web_search)
    engine = Engine(topology="solo", tools=tools, workspace=tmp_path, approver="allow")
    return lambda text: str(engine.run_sync(text).turn.answer)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("encrypt the text 'hello world'", "sealed hello world"),
        ("hash banana with md5", "md5 of banana"),
        ("remind me every morning: water the plants", "water the plants @ every morning"),
        ("remind me every tuesday: bring the folders", "bring the folders @ every tuesday"),
        ("erinnere mich jeden Montag um 9 an die Probe", "an die Probe @ jeden Montag um 9"),
        ("search the web for blue tits, 5 results", "5 of blue tits"),
    ],
)
def test_what_a_request_says_goes_to_the_parameters_that_a_tool_has(
    ask: Callable[[str], str], text: str, said: str
) -> None:
    assert said in ask(text)


@pytest.mark.parametrize(
    ("text", "language", "when"),
    [
        ("herinner me elke ochtend om 7:00 aan de planten", "nl", "elke ochtend om 7:00"),
        ("recuérdame todos los lunes a las 8: llamar", "es", "todos los lunes a las 8"),
        ("rappelle-moi chaque matin à 8h : arroser", "fr", "chaque matin à 8h"),
        ("ricordami ogni lunedì alle 9: prove", "it", "ogni lunedì alle 9"),
        ("lembra-me todas as manhãs: regar", "pt", "todas as manhãs"),
        ("przypominaj mi codziennie o 8: woda", "pl", "codziennie o 8"),
        ("每天早上提醒我浇水", "zh", "每天早上"),
    ],
)
def test_when_is_read_in_other_languages(text: str, language: str, when: str) -> None:
    assert time_said(text, language) == when
