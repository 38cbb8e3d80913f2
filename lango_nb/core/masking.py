"""Secrets are taken out of every value before it is kept or shown.

Two ways to recognise one: by the *shape* of a text (keys of known services, private keys, card numbers, mail addresses:
:mod:`lango_nb.core.secret_shapes`), and by a *name*, of a value (an argument called ``api_key`` holds one, whatever it
looks like) or in a text (``password = …``: :mod:`lango_nb.core.secret_values`). Masking works value by value; a value
that cannot be masked for some reason is replaced as a whole.

Every event of every turn passes here, and nearly all of them are clean: a quick look says so without a single pattern.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from string import ascii_letters
from threading import Lock
from typing import Any

from pydantic import JsonValue

from lango_nb.core.secret_names import is_measure, is_schema, is_secret_name
from lango_nb.core.secret_rules import Rules, read_key, read_pattern, without_own
from lango_nb.core.secret_shapes import (
    MASK,
    without_authorization,
    without_mail,
    without_passwords_in_addresses,
    without_private_keys,
)
from lango_nb.core.secret_tokens import without_cut, without_tokens
from lango_nb.core.visible import visible

__all__ = ["MASK", "add_rules", "mask", "mask_arguments", "mask_record", "mask_value", "reset_rules"]


_rules = Rules()
_lock = Lock()
_clean: set[str] = set()
"""Short texts that were looked at and hold no secret: names of agents and tools come again and again."""
_SHORT, _MOST_CLEAN = 80, 4096
_SHORTEST = 6
"""Characters of the shortest text that can hold a secret: ``pwd=xy``, ``a@b.io``."""
_MOST_ROUNDS = 5
"""Looks at a text that holds secrets: taking one out may show another."""
_RUN = "a" * 15
"""Characters of the shortest key of a service, as :data:`_AS_RUN` writes them."""
_AS_RUN = bytes(97 if code in b"0123456789_-" or chr(code) in ascii_letters else 32 for code in range(256))
_CARD = "0" * 13
"""Digits of the shortest card, as :data:`_AS_DIGITS` writes them; blanks, dashes and what is not ASCII are left out."""
_AS_DIGITS = bytes(48 if code in b"0123456789" else 120 for code in range(256))
_BETWEEN_DIGITS = b" -?"
_CUT, _CUT_SHORT = "…", "..."
_LEAST_CARD = 10**12
_VALUES = ("value", "Value", "VALUE", "val")
_LABELS = ("name", "key", "header", "field", "variable", "Name", "Key", "NAME", "KEY")
"""Where a name may stand beside its value, as lists of variables and of headers have it."""


def mask(text: str) -> str:
    """Take secrets out of a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        The same text where it holds none; masking it again changes nothing.

    Examples
    --------
    >>> mask("use sk-abcdefghijklmnop1234 for it"), mask("password = hunter2, user = ada")
    ('use [masked] for it', 'password = [masked], user = ada')
    >>> mask("card 4111 1111 1111 1111 of ada@example.org"), mask('{"token": "abc", "n": 1}')
    ('card [masked] of [masked]', '{"token": "[masked]", "n": 1}')
    >>> mask("the token bucket is full")
    'the token bucket is full'
    """
    if len(text) < _SHORTEST or text in _clean:
        return text
    clean, rules = _clean, _rules  # in this order: what is clean by older rules is not noted as clean by newer ones
    if rules.is_empty and _is_clean(text):
        masked = text
    else:
        try:
            masked = _without_secrets(text, rules)
        except Exception:  # noqa: BLE001 - a masker that fails must not let the value through
            return MASK
    if masked is text and len(text) <= _SHORT:
        if len(clean) >= _MOST_CLEAN:
            clean.clear()
        clean.add(text)
    return masked


def _is_clean(text: str) -> bool:
    """Tell whether a text holds no sign of any secret: in a few quick looks, without a single pattern.

    Written out, here and in what it calls: nearly every text is clean, and this is what masking it costs.
    """
    if "@" in text or _CUT in text:
        return False
    has_sign = ":" in text or "=" in text or ">" in text
    if has_sign and ("://" in text or "%40" in text):
        return False
    if _has_word(text.lower(), has_sign=has_sign):
        return False
    if len(text) < len(_CARD):
        return True
    coded = text.encode("ascii", "replace")
    return not (_RUN in coded.translate(_AS_RUN).decode() or _has_digits(coded))


def _has_word(folded: str, *, has_sign: bool) -> bool:
    """Tell whether a text in lower case names a secret; most words do where ``:``, ``=`` or a tag follows."""
    return (
        "pass" in folded
        or "token" in folded
        or "secret" in folded
        or "key" in folded
        or "bearer" in folded
        or (
            has_sign
            and (
                "auth" in folded
                or "credential" in folded
                or "cookie" in folded
                or "phrase" in folded
                or "mnemonic" in folded
                or "pwd" in folded
            )
        )
    )


def _has_digits(coded: bytes) -> bool:
    """Tell whether there are as many digits as a card has, and nothing but blanks and dashes between."""
    is_short = len(coded) <= _SHORT  # for these, counting them first is faster
    if is_short and len(coded) - len(coded.translate(None, b"0123456789")) < len(_CARD):
        return False
    return _CARD in coded.translate(_AS_DIGITS, _BETWEEN_DIGITS).decode()


def _without_secrets(text: str, rules: Rules) -> str:
    """Look until nothing more is found; the same text when nothing was."""
    for _ in range(_MOST_ROUNDS):
        looked_at = _looked_at(text, rules)
        if looked_at == text:
            return text
        text = looked_at
    return MASK


def _looked_at(text: str, rules: Rules) -> str:
    """Take out what one look finds; each kind of secret is looked for where a quick look found its sign."""
    for pattern in rules.patterns:
        text = without_own(pattern, text)
    coded = text.encode("ascii", "replace")
    has_run, has_digits = _RUN in coded.translate(_AS_RUN).decode(), _has_digits(coded)
    folded = text.lower()
    has_word = has_digits or _has_word(folded, has_sign=":" in text or "=" in text or ">" in text)
    if has_word or any(word in folded for word in rules.hints):
        text = without_private_keys(text) if "PRIVATE KEY" in text else text
        text = without_tokens(text) if has_run else text
        text = without_passwords_in_addresses(text)
        text = _without_named(without_authorization(text), rules.keys)
    elif has_run or "://" in text:
        text = without_passwords_in_addresses(without_authorization(without_tokens(text)))
    if "@" in text or "%40" in text:
        text = without_mail(text)
    if _CUT in text or _CUT_SHORT in text:
        text = without_cut(text)
    return _without_cards(text) if has_digits else text


def _without_named(text: str, keys: tuple[str, ...]) -> str:
    from lango_nb.core.secret_values import without_named  # with its patterns, when a first text names something

    return without_named(text, keys)


def _without_cards(text: str) -> str:
    from lango_nb.core.cards import replace_cards  # the same

    return replace_cards(text, MASK)


# -- values ------------------------------------------------------------------------------------------------------------


def mask_value(value: JsonValue, name: str = "") -> JsonValue:
    """Take secrets out of a value and everything in it.

    Parameters
    ----------
    value : JSON value
        Bytes, tuples and sets are taken as the texts and lists they stand for.
    name : str
        What the value is called; a telling name masks it whatever it looks like, unless it only counts.

    Returns
    -------
    JSON value

    Examples
    --------
    >>> mask_value({"api_key": "abc", "path": "a.txt", "env": {"DB_PASSWORD": "x"}})
    {'api_key': '[masked]', 'path': 'a.txt', 'env': {'DB_PASSWORD': '[masked]'}}
    >>> mask_value({"credentials": {"user": "ada"}, "card": 4111111111111111, "tokens": 5})
    {'credentials': '[masked]', 'card': '[masked]', 'tokens': 5}
    """
    try:
        masked: JsonValue = _masked(value, name)
    except Exception:  # noqa: BLE001 - a masker that fails must not let the value through, however deep it is
        return MASK
    return masked


def mask_arguments(arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Take secrets out of named values.

    Parameters
    ----------
    arguments : mapping
        Arguments of a call, or any row of named values.

    Returns
    -------
    dict
        Names are masked as well; those that would be the same are numbered.
    """
    try:
        return _masked_items(arguments)
    except Exception:  # noqa: BLE001 - as above
        return {MASK: MASK}


def _masked(value: object, name: str) -> Any:
    if name and is_secret_name(name, _rules.keys) and _is_something(value) and not is_measure(name, value):
        return _masked_items(value) if isinstance(value, Mapping) and is_schema(value) else MASK
    match value:
        case str():
            return mask(value)
        case None | bool():
            return value
        case Mapping():
            return _masked_items(value)
        case list() | tuple() | set() | frozenset():
            return _masked_items_of_list(tuple(value))
        case int() | float():
            return _masked_number(value)
        case bytes() | bytearray():
            text = bytes(value).decode(errors="replace")
            return value if (masked := mask(text)) == text else masked
    return value


def _is_something(value: object) -> bool:
    return value is not None and value not in ("", b"", [], {}, ())


def _masked_number(value: float) -> float | str:
    """Take out a number of a card, or what a pattern of your own finds in a number."""
    is_long = abs(value) >= _LEAST_CARD
    return (
        MASK
        if (is_long or _rules.patterns) and mask(text := f"{value:.0f}" if is_long else str(value)) != text
        else value
    )


def _masked_items(items: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Take secrets out of named values; ``{"name": "DB_PASSWORD", "value": …}`` names one as well."""
    label = _label(items)
    masked: dict[str, JsonValue] = {}
    for name, value in items.items():
        clean = unique = mask(str(name))
        while unique in masked:
            unique = f"{clean} {len(masked) + 1}"
        masked[unique] = _masked(value, label if label and name in _VALUES else str(name))
    return masked


def _label(items: Mapping[str, Any]) -> str:
    """Return the telling name that stands beside a value; empty when there is none."""
    if not any(name in items for name in _VALUES):
        return ""
    labels = (items.get(name) for name in _LABELS)
    return next((one for one in labels if isinstance(one, str) and is_secret_name(one, _rules.keys)), "")


def _masked_items_of_list(items: tuple[Any, ...]) -> list[JsonValue]:
    """Take secrets out of a list; what follows ``--password`` in it is one."""
    masked: list[JsonValue] = []
    before: object = None
    for item in items:
        is_option = isinstance(before, str) and before.startswith("--") and not str(item).startswith("-")
        masked.append(_masked(item, str(before)[2:] if is_option else ""))
        before = item
    return masked


# -- secrets of your own -----------------------------------------------------------------------------------------------


def add_rules(patterns: Iterable[str] = (), keys: Iterable[str] = ()) -> None:
    """Take further secrets out of everything from now on, in the whole process.

    Once something is named a secret, nothing in the process shows it any more; so rules are added and never taken back.

    Parameters
    ----------
    patterns : iterable of str
        Regular expressions; what they match is masked. A pattern is run on every text that is kept: keep it simple,
        ``EMP-[0-9]{6}`` and not ``(a+)+b``, because nothing stops one that takes for ever.
    keys : iterable of str
        Names of arguments and fields; ``badge number`` is also ``badge_number``, ``badgeNumber`` and ``BADGE-NUMBER``.

    Raises
    ------
    SettingsError
        A pattern is none, or can match nothing at all; a key has no letter. No rule is added then.

    Examples
    --------
    >>> add_rules(["EMP-[0-9]{6}"], ["badge number"])
    >>> mask("EMP-123456 has badgeNumber: 7"), mask_value({"badge_number": 7})
    ('[masked] has badgeNumber: [masked]', {'badge_number': '[masked]'})
    >>> reset_rules()
    """
    global _rules, _clean  # noqa: PLW0603 - rules are the process's: no lab of it shows what another one hides
    own, named = [read_pattern(pattern) for pattern in patterns], [read_key(key) for key in keys]
    with _lock:
        _rules = _rules.with_more(own, named)
        _clean = set()


def reset_rules() -> None:
    """Forget all rules that were added; for tests."""
    global _rules, _clean
    with _lock:
        _rules, _clean = Rules(), set()


# -- what is logged ----------------------------------------------------------------------------------------------------


def mask_record(record: logging.LogRecord) -> bool:
    """Take secrets and control characters out of what is logged, tracebacks too: errors of tools may hold anything.

    Parameters
    ----------
    record : LogRecord
        Changed in place, where it holds one.

    Returns
    -------
    bool
        Always true: the record is passed on.
    """
    try:
        message = record.getMessage()
    except Exception:  # noqa: BLE001 - arguments that do not fit the message: logging would print both
        message, record.msg = "", MASK
    if not message or (shown := visible(mask(message))) != message:
        record.msg, record.args = shown if message else MASK, None
    if record.exc_info and not record.exc_text:
        record.exc_text = _format.formatException(record.exc_info)
    if record.exc_text and (shown := visible(mask(record.exc_text))) != record.exc_text:
        record.exc_text, record.exc_info = shown, None
    if record.stack_info:
        record.stack_info = visible(mask(record.stack_info))
    return True


_format = logging.Formatter()
logging.getLogger("lango_nb").addFilter(mask_record)  # every module of the package logs there
