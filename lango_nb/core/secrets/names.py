"""Names that promise a secret: ``api_key``, ``accessToken``, ``mot de passe``, and what you name yourself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

_KEYS = (
    "api access private auth account signing encryption decryption master storage subscription secret hmac shared "
    "client consumer webhook admin root deploy license licence service db database priv ssh ssl tls "
    "openai anthropic claude gemini google gcp azure aws mistral cohere groq xai deepseek openrouter perplexity "
    "nvidia hf huggingface replicate tavily serper serpapi pinecone weaviate qdrant elevenlabs deepl langchain "
    "langsmith langfuse wandb github gitlab bitbucket slack discord telegram twilio sendgrid mailgun mailchimp stripe "
    "paypal shopify datadog sentry grafana cloudflare digitalocean heroku vercel netlify supabase firebase algolia "
    "mapbox notion jira atlassian okta"
).split()
"""What kind of key is a secret: ``private_key`` and ``OPENAI_KEY`` are, ``primary_key`` is not."""
_PASSES = (
    "db database smtp imap pop3 mail email ftp sftp ssh ssl ldap proxy user root admin sudo account login service app "
    "mysql mariadb postgres postgresql pg redis mongo mongodb rabbitmq amqp oracle mssql sql wifi vpn key store "
    "keystore truststore basic http auth"
).split()
"""What kind of ``pass`` is a password: ``DB_PASS`` is, ``first_pass`` is not."""
_ANYWHERE = (
    r"pass(?:word|wd|wort|phrase|code)", r"kennwort", r"mot[ _-]?de[ _-]?passe", r"palavra[ _-]?passe",
    r"contrase(?:ñ|n)a", r"\bsenha", r"\bhas[łl]o(?![^\W\d_])", r"wachtwoord", "パスワード", "密码", "密碼", "口令",
    r"secret", r"credentials?", r"mnemonic", r"authorization",
    r"token(?![ _-]?(?:address|symbol|standard|decimals|contract)s?(?![a-z]))",
    rf"(?:{'|'.join(_KEYS)})[ _-]?key",
    rf"(?<![^\W\d_])(?:{'|'.join(_PASSES)})[ _-]?pass(?![^\W\d_])",
    r"shared[ _-]?access[ _-]?signature", r"recovery[ _-]?(?:code|key|phrase|word)", r"seed[ _-]?phrase",
    r"basic[ _-]?auth",
)  # fmt: skip
"""Words that make a name a secret's, also at the end of a longer word: ``dbpassword``."""
_WHOLE = (
    r"set[ _-]?cookie", r"cookie(?![ _-][a-z])", r"cvv2?", r"cvc2?", r"card[ _-]?(?:number|no)", r"jwt", r"t?otp",
    r"bearer", r"pwd",
)  # fmt: skip
"""The same, where no letter stands before."""
HINTS = (
    "pass", "secret", "token", "key", "credential", "mnemonic", "auth", "phrase", "recovery", "signature", "cookie",
    "cvv", "cvc", "card", "jwt", "otp", "bearer", "pwd", "kennwort", "contrase", "senha", "haslo", "wachtwoord",
)  # fmt: skip
"""Every name above holds one of these, or of the next: most names and texts are told without a pattern."""
OTHER_HINTS = ("hasło", "パスワード", "密码", "密碼", "口令")
"""The same, in texts that are not plain ASCII."""
PHRASES = frozenset({"pass", "key", "phrase", "recovery", "signature", "card", "auth"})
"""Hints of names that may be several words: ``api key``, ``mot de passe``."""
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
    if not keys and not any(hint in folded for hint in HINTS) and (folded.isascii() or not _is_other(folded)):
        return False
    return _named(keys).search(_CAMEL.sub("_", name[:_LONGEST_NAME]).lower()) is not None


def _is_other(folded: str) -> bool:
    return any(hint in folded for hint in OTHER_HINTS)


@lru_cache(maxsize=4096)
def is_phrase(words: str, keys: tuple[str, ...] = ()) -> bool:
    """Tell whether words are a name that promises a secret and nothing more: ``api key``, but not ``my api key``.

    Parameters
    ----------
    words : str
    keys : tuple of str

    Returns
    -------
    bool
    """
    return _phrase(keys).fullmatch(words.lower()) is not None


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


def _words(keys: tuple[str, ...]) -> str:
    own = ("[ _-]?".join(map(re.escape, key.split())) for key in keys)
    return rf"(?:{'|'.join(_ANYWHERE)}|(?<![^\W\d_])(?:{'|'.join((*_WHOLE, *own))}))"


@cache
def _named(keys: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{_words(keys)}(?:s?\Z|(?![^\W\d_]))")


@cache
def _phrase(keys: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{_words(keys)}s?")


def is_measure(name: str, value: object) -> bool:
    """Tell whether a value under a telling name is not a secret: it counts, or says yes or no.

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
