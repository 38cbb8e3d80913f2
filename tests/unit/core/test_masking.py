"""Secrets never reach a trace, a frame or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.masking import MASK, mask, mask_value
from lango_nb.lab import Lab
from lango_nb.models.scripted import ScriptedModel
from lango_nb.viz.view import View

CANARIES = (
    "sk-proj-Zx9canary0123456789abcdef",
    "ghp_canary0123456789abcdefghij0123",
    "AKIACANARY0123456789",
    "AIzaCanary0123456789abcdefghijklmnopqrs",
    "xoxb-canary-0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.c2lnbmF0dXJl",
)


@pytest.mark.parametrize("secret", CANARIES)
def test_keys_of_known_services_are_masked_wherever_they_stand(secret: str) -> None:
    assert mask(f"use {secret}, please") == f"use {MASK}, please"
    assert mask(secret) == MASK


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("password: hunter2", f"password: {MASK}"),
        ('{"api_key": "abc def", "n": 1}', f'{{"api_key": "{MASK}", "n": 1}}'),
        ("Authorization: Bearer abcdefgh12345", f"Authorization: Bearer {MASK}"),
        ("postgres://ada:s3cret@db/x", f"postgres://ada:{MASK}@db/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", MASK),
        ("-----BEGIN PRIVATE KEY-----\nabc", MASK),
    ],
)
def test_secrets_in_sentences_and_files(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    "text",
    ["store my GitHub token as a secret", "what is a password?", "eyJ is no token", "the sk-8 board", "a: b", ""],
)
def test_ordinary_words_stay(text: str) -> None:
    assert mask(text) == text


def test_values_with_telling_names_are_masked_whatever_they_look_like() -> None:
    assert mask_value({"accessToken": "x", "list": [{"secret": 7}], "token_count": "", "tokens": 5}) == {
        "accessToken": MASK,
        "list": [{"secret": MASK}],
        "token_count": "",
        "tokens": 5,
    }


def test_no_canary_reaches_what_is_kept_or_shown_and_the_model_still_reads_it(tmp_path: Path) -> None:
    for number, secret in enumerate(CANARIES):
        (tmp_path / f"{number}.env").write_text(f"KEY={secret}\n")
    model = ScriptedModel(
        [
            ("transfer_to_agent", {"agent_name": "operator", "reason": f"has {CANARIES[0]}"}),
            ("fs_read", {"path": "1.env"}),
            ("fs_write", {"path": "copy.env", "content": CANARIES[2]}),
            f"It says {CANARIES[3]}.",
        ]
    )
    lab = Lab("sextet", workspace=tmp_path, home=tmp_path / "home", model=model, approver="allow")
    result = lab.ask(f"copy it, my key is {CANARIES[4]}")
    views: list[View[Any]] = [
        result,
        result.trace,
        lab.turns,
        lab.why(),
        lab.events(),
        lab.messages(),
        lab.route(CANARIES[5]),
    ]
    shown = "".join(view.text + view.html + view.df.to_csv() for view in views) + repr(result.record)
    assert [secret for secret in CANARIES if secret in shown] == []
    assert (tmp_path / "copy.env").read_text() == CANARIES[2]
    assert CANARIES[4] in model.requests[0][0][-1].content
    assert CANARIES[1] in model.requests[2][0][-1].content
