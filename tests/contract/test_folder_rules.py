"""Every setting says what a folder that nobody has trusted may do with it, or needs trust."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from lango_nb.config.keys import SettingInfo, setting_infos
from lango_nb.config.strictness import FREE, FolderRule

CLOSED = {"lab.topology"}
"""Settings that hold a text out of a closed set, checked where it is used."""
SAMPLES: dict[str, tuple[Any, ...]] = {
    "bool": (False, True),
    "int": (0, 1, 10, 10**6),
    "number": (0.0, 0.5, 10.0),
    "duration": (0.0, 1.0, 10.0, 10**6),
    "size": (0, 1, 10**9),
    "names": ((), ("exec",), ("exec", "fs_*"), ("fs_*",)),
    "text": ("offline", "openai:gpt-5", ""),
}


def samples(info: SettingInfo) -> tuple[Any, ...]:
    return (info.default, *(info.words or SAMPLES[info.kind]))


ruled = [info for info in setting_infos() if info.folder_rule is not None]
narrowed = [info for info in ruled if info.folder_rule is not FREE]


@pytest.mark.parametrize("info", setting_infos(), ids=lambda info: info.key)
def test_what_leads_anywhere_is_never_free(info: SettingInfo) -> None:
    """A text, a folder or a list can name an address, a file, a key, a command or somebody else's agent."""
    assert info.folder_rule is None or isinstance(info.folder_rule, FolderRule)
    if info.kind in {"text", "folder", "names", "remotes"} and info.key not in CLOSED:
        assert info.folder_rule is not FREE
    if re.search(r"security|hooks|models|store|observability|a2a|p2p|payment", info.key):
        assert info.folder_rule is not FREE


@pytest.mark.parametrize("info", ruled, ids=lambda info: info.key)
def test_what_is_as_the_user_has_it_holds(info: SettingInfo) -> None:
    rule = info.folder_rule
    assert rule is not None
    if info.key != "agent.model":  # one value is harmless there, whatever the user's is
        assert all(rule.accepts(value, value) for value in samples(info))


@pytest.mark.parametrize("info", narrowed, ids=lambda info: info.key)
def test_a_rule_is_an_order_and_one_of_its_directions_is_refused(info: SettingInfo) -> None:
    rule = info.folder_rule
    assert rule is not None
    values = samples(info)
    assert any(not rule.accepts(value, info.default) or not rule.accepts(info.default, value) for value in values)
    for a, b, c in itertools.product(values, repeat=3):
        if rule.accepts(a, b) and rule.accepts(b, c):
            assert rule.accepts(a, c), f"{a!r} under {b!r} under {c!r}: small steps may lead anywhere"


def test_a_rule_says_what_holds() -> None:
    assert all(info.folder_rule.sentence for info in ruled if info.folder_rule)
