"""Secrets are taken out of every value before it is kept or shown.

Two ways to recognise one: by the *shape* of a text (keys of known services, private keys, tokens, ``password = …``),
and by the *name* of a value (an argument called ``api_key`` holds one, whatever it looks like). Masking works value by
value; a value that cannot be masked for some reason is replaced as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from pydantic import JsonValue

MASK = "[masked]"
"""What stands in a secret's place."""

_WORDS = r"pass(?:word|wd|phrase|code)|secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|credentials?"
_HINTS = (
    "pass", "token", "secret", "://", "sk-", "-----begin", "api", "key", "credential", "bearer", "eyj", "gh", "hf_",
    "glpat", "akia", "asia", "aiza", "xox",
)  # fmt: skip
"""One quick look: a text whose lower case holds none of these holds no secret that the shapes below would find."""
_clean: set[str] = set()
"""Short texts that were looked at and hold no secret: names of agents and tools come again and again."""
_SHORT, _MOST_CLEAN = 80, 4096
_SHORTEST = 7
"""Characters of the shortest text that can hold a secret with its name: ``token=x``."""
_SHAPES = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"\bsk-[A-Za-z0-9_-]{16,}"),
    re.compile(
        r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,})"
    ),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}\b"),
    re.compile(r"\bAIza[0-9A-Za-z_-]{30,}"),
    re.compile(r"\bxox[a-z]-[A-Za-z0-9-]{10,}"),
    re.compile(r"(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,8000}\.[\w-]*", re.ASCII),
)
_AFTER_WORD = (
    re.compile(r"(\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE),
    re.compile(r"(://[^/\s:@]*:)[^/\s@]+(?=@)"),
    re.compile(rf"((?:{_WORDS})[\"']?\s*[:=]\s*)(?:\"[^\"]+\"|'[^']+'|[^\s\"',;)}}\]]+)", re.IGNORECASE),
)
_SECRET_NAME = re.compile(
    rf"(?:^|[^a-z])(?:{_WORDS}|apikey|authorization|mnemonic|seed_?phrase)(?:$|[^a-z])", re.IGNORECASE
)


def mask(text: str) -> str:
    """Take secrets out of a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        The same text where it holds none.

    Examples
    --------
    >>> mask("use sk-abcdefghijklmnop1234 for it"), mask("password = hunter2, user = ada")
    ('use [masked] for it', 'password = [masked], user = ada')
    >>> mask("the token bucket is full")
    'the token bucket is full'
    """
    if len(text) < _SHORTEST or text in _clean:
        return text
    folded = text.lower()
    for hint in _HINTS:
        if hint in folded:
            return _without_secrets(text)
    if len(text) <= _SHORT:
        if len(_clean) >= _MOST_CLEAN:
            _clean.clear()
        _clean.add(text)
    return text


def _without_secrets(text: str) -> str:
    try:
        for shape in _SHAPES:
            text = shape.sub(MASK, text)
        for shape in _AFTER_WORD:
            text = shape.sub(lambda match: match[1] + MASK, text)
    except Exception:  # noqa: BLE001 - a masker that fails must not let the value through
        return MASK
    return text


def mask_value(value: JsonValue, name: str = "") -> JsonValue:
    """Take secrets out of a value and everything in it.

    Parameters
    ----------
    value : JSON value
    name : str
        What the value is called; a telling name masks it whatever it looks like.

    Examples
    --------
    >>> mask_value({"api_key": "abc", "path": "a.txt", "env": {"DB_PASSWORD": "x"}})
    {'api_key': '[masked]', 'path': 'a.txt', 'env': {'DB_PASSWORD': '[masked]'}}
    """
    if isinstance(value, dict):
        return mask_arguments(value)
    if isinstance(value, list):
        return [mask_value(item, name) for item in value]
    if value is not None and value != "" and name and _is_secret_name(name):
        return MASK
    return mask(value) if isinstance(value, str) else value


def mask_arguments(arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Take secrets out of named values."""
    return {mask(name): mask_value(value, name) for name, value in arguments.items()}


@lru_cache(maxsize=1024)
def _is_secret_name(name: str) -> bool:
    """Tell whether a name promises a secret; camelCase is split, so that ``accessToken`` is two words."""
    return _SECRET_NAME.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)) is not None
