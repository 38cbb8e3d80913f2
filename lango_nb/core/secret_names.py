r"""Secrets that are recognised by a name: ``api_key``, ``accessToken``, ``DB_PASSWORD``, and what you name yourself.

A name is looked for in what it names, an argument or a field, and in texts::

    password = hunter2 · "api_key": "…" · {\"token\": …} · --password hunter2 · <secret>…</secret> · ?access_token=…
    Authorization: Bearer … · Cookie: a=b · name: DB_PASSWORD, value: … · login ada password hunter2 · password is h4x
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from lango_nb.core.escapes import begins

_KEYS = (
    "api access private auth account signing encryption decryption master storage subscription secret hmac shared "
    "client consumer webhook admin root deploy license licence"
).split()
"""What kind of key is a secret."""
_ANYWHERE = (
    r"pass(?:word|wd|wort|phrase|code)", r"secret", r"credentials?", r"mnemonic", r"authorization",
    r"token(?![ _-]?(?:address|symbol|standard|decimals|contract)s?(?![a-z]))",
    *(f"{kind}[ _-]?key" for kind in _KEYS),
    r"shared[ _-]?access[ _-]?signature", r"recovery[ _-]?(?:code|key|phrase|word)", r"seed[ _-]?phrase",
    r"basic[ _-]?auth",
)  # fmt: skip
"""Words that make a name a secret's, also at the end of a longer word: ``dbpassword``."""
_WHOLE = (
    "set[ _-]?cookie", "cookie(?![ _-][a-z])", "cvv2?", "cvc2?", "card[ _-]?(?:number|no)", "jwt", "t?otp", "bearer",
    "pwd",
)  # fmt: skip
"""The same, where no letter stands before."""
_HINTS = (
    "pass secret token key credential mnemonic auth phrase recovery signature cookie cv card jwt otp bearer pwd"
).split()
"""Every word above holds one of these: most names are told without a pattern."""
_NO_LETTER = r"(?<![^\W\d_]{})"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MEASURES = (
    r"(?:^|[^a-z])(?:counts?|limits?|budget|length|size|ttl|expir[a-z]*|usage|used|cost|ratio|index|age|max|min|total|left|"
    r"remaining|rate|position|offset|version|per)(?:$|[^a-z])|tokens$"
)
"""Names whose numbers say how much or when: ``token_count``, ``max_tokens``."""
_FLAGS = (
    r"(?:^|[^a-z])(?:is|has|have|needs?|requires?|required|uses?|with|without|allow(?:s|ed)?|show|save|remember|"
    r"enabled?|disabled?|optional|present|valid|changed|mask(?:s|ed)?|hide|hidden|no)(?:$|[^a-z])"
)
"""Names whose yes or no says something about a secret: ``has_password``."""


_TYPES = frozenset("string integer number boolean array object null".split())
_EXAMPLES = frozenset("default const enum example examples value".split())
"""Parts of a schema that hold values after all."""
_LONGEST_NAME = 200


@lru_cache(maxsize=4096)
def is_secret_name(name: str, keys: tuple[str, ...] = ()) -> bool:
    """Tell whether a name promises a secret; camelCase is split, so that ``accessToken`` is two words.

    Parameters
    ----------
    name : str
    keys : tuple of str
        Further names as :func:`normal_key` writes them.

    Returns
    -------
    bool

    Examples
    --------
    >>> [is_secret_name(name) for name in ("accessToken", "DB_PASSWORD", "api_keys", "secrets_get", "path")]
    [True, True, True, False, False]
    """
    folded = name.lower()
    if not any(hint in folded for hint in _HINTS) and not keys:
        return False
    return _named(keys).search(_CAMEL.sub("_", name[:_LONGEST_NAME]).lower()) is not None


def normal_key(key: str) -> str:
    """Return a name in the one spelling that stands for all: lower case, words with one blank between.

    Parameters
    ----------
    key : str

    Returns
    -------
    str
        Empty when there is no letter and no digit in it.

    Examples
    --------
    >>> normal_key("badgeNumber"), normal_key("BADGE-NUMBER")
    ('badge number', 'badge number')
    """
    return " ".join(re.findall(r"[^\W_]+", _CAMEL.sub("_", key).lower()))


@cache
def words(keys: tuple[str, ...] = ()) -> str:
    """Return the pattern of every word that makes a name a secret's, for texts in lower case.

    Parameters
    ----------
    keys : tuple of str

    Returns
    -------
    str
        Each alternative begins with a plain character: so most places of a text are passed over at once.
    """
    own = tuple("[ _-]?".join(map(re.escape, key.split())) for key in keys)
    return "|".join((*_ANYWHERE, *(f"{word[0]}{begins(_NO_LETTER, word[0])}{word[1:]}" for word in (*_WHOLE, *own))))


@cache
def _named(keys: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:{words(keys)})(?:s?\Z|(?![^\W\d_]))")


def is_measure(name: str, value: object) -> bool:
    """Tell whether a value under a telling name is no secret: it counts, or says yes or no.

    Parameters
    ----------
    name : str
    value : JSON value

    Returns
    -------
    bool

    Examples
    --------
    >>> is_measure("token_count", 5), is_measure("tokens", {"input": 5}), is_measure("has_password", True)
    (True, True, True)
    >>> is_measure("token", 123456), is_measure("tokens", ["abc"])
    (False, False)
    """
    folded = _CAMEL.sub("_", name).lower()
    if isinstance(value, bool):
        return _compiled(_FLAGS).search(folded) is not None or _compiled(_MEASURES).search(folded) is not None
    return _counts(value) and _compiled(_MEASURES).search(folded) is not None


def is_measuring(name: str) -> bool:
    """Tell whether a telling name most likely stands before a number: ``max_tokens``, ``token_budget``.

    Parameters
    ----------
    name : str

    Returns
    -------
    bool
    """
    return _compiled(_MEASURES).search(_CAMEL.sub("_", name).lower()) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def is_schema(value: Mapping[Any, Any]) -> bool:
    """Tell whether an object describes a value and holds none: ``{"type": "string", "description": …}``.

    Parameters
    ----------
    value : mapping

    Returns
    -------
    bool
    """
    kind = value.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    return all(isinstance(one, str) and one in _TYPES for one in kinds) and _EXAMPLES.isdisjoint(value)


def _counts(value: object) -> bool:
    if isinstance(value, dict):
        return all(_counts(item) for item in value.values())
    if isinstance(value, list | tuple):
        return all(_counts(item) for item in value)
    return value is None or isinstance(value, int | float)
