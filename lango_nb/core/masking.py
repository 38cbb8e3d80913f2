"""Secrets are taken out of every value before it is kept or shown.

Two ways to recognise one: by what it looks like (keys of known services, private keys, card numbers, mail addresses),
and by a name, of a value (an argument called ``api_key`` holds one, whatever it looks like) or in a text
(``password = …``); the rules are in :mod:`lango_nb.core.secrets`. Masking works value by value; a value that cannot be
masked for some reason is replaced as a whole. A text that is still coming is masked as it grows: :class:`Masker`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from lango_nb.core.secrets.names import is_measure, is_schema, is_secret_name, normal_key
from lango_nb.core.secrets.scanner import WINDOW, Rules, Scanner, is_clean
from lango_nb.core.secrets.sight import MASK
from lango_nb.core.visible import visible

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

__all__ = ["MASK", "Masker", "add_rules", "mask", "mask_arguments", "mask_record", "mask_value", "reset_rules"]


_rules = Rules()
_lock = Lock()
_clean: set[str] = set()
"""Short texts that were looked at and hold no secret: names of agents and tools come again and again."""
_SHORT, _MOST_CLEAN = 80, 4096
_QUICK = 500
"""Characters of the longest text that is worth a quick look first."""
_recent: dict[str, str] = {}
"""Longer texts, and what masking made of them: the same one comes as a request, an event, a message and a record."""
_LONG, _MOST_RECENT = 200_000, 32
"""Characters from which on a text pushes out the others, and how many there are."""
_SHORTEST = 4
"""Characters of the shortest text that can hold a secret, if it is none of your own: ``口令:x``."""
_LEAST_CARD = 10**12
_VALUES = frozenset({"value", "Value", "VALUE", "val"})
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
    if text in _clean or (len(text) < _SHORTEST and not _rules.forms and not _rules.values):
        return text
    if (known := _recent.get(text)) is not None:
        return known
    clean, recent, rules = _clean, _recent, _rules  # in this order: nothing found by older rules is noted with newer
    masked = text if len(text) <= _QUICK and is_clean(text, rules) else _looked_through(text)
    if len(text) > _SHORT:
        if len(recent) >= _MOST_RECENT or len(text) > _LONG:
            recent.clear()
        recent[text] = recent[masked] = masked
    elif masked is text:
        if len(clean) >= _MOST_CLEAN:
            clean.clear()
        clean.add(text)
    return masked


def _looked_through(text: str) -> str:
    masker, windows = Masker(), range(0, len(text) - WINDOW, WINDOW)
    parts = [masker.add(text[place : place + WINDOW]) for place in windows]
    masked = "".join((*parts, masker.finish(text[len(windows) * WINDOW :])))
    return text if masked == text else masked


class Masker:
    """Masks a text that is still growing: what was settled is looked at once, and never taken back.

    Examples
    --------
    >>> masker = Masker()
    >>> masker.add("it is sk-abcdefgh"), masker.add("ijklmnop1234, I think")
    ('it is ', '[masked], I ')
    >>> masker.finish()
    'think'
    """

    def __init__(self) -> None:
        self._scanner = Scanner(_rules)
        self._has_failed = False

    def add(self, piece: str) -> str:
        """Add a piece, and return what can be shown now: it goes on where what was returned before ended.

        Parameters
        ----------
        piece : str

        Returns
        -------
        str
            All of them together, with that of :meth:`finish`, are what :func:`mask` makes of the whole text.
        """
        return self._looked_at(piece, is_last=False)

    def finish(self, piece: str = "") -> str:
        """Return what is left, after a last piece.

        Parameters
        ----------
        piece : str

        Returns
        -------
        str
        """
        return self._looked_at(piece, is_last=True)

    def _looked_at(self, piece: str, *, is_last: bool) -> str:
        if self._has_failed:
            return ""
        try:
            return self._scanner.add(piece, is_last=is_last)
        except Exception:  # noqa: BLE001 - a masker that fails must not let the value through
            self._has_failed = True
            return MASK


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
        if (is_long or _rules.patterns or _rules.values or _rules.has_phones)
        and mask(text := f"{value:.0f}" if is_long else str(value)) != text
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
    if _VALUES.isdisjoint(items):
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


def add_rules(
    patterns: Iterable[str] = (),
    keys: Iterable[str] = (),
    values: Iterable[str] = (),
    *,
    phone_numbers: bool = False,
) -> None:
    """Take further secrets out of everything from now on, in the whole process.

    Once something is named a secret, nothing in the process shows it any more; so rules are added and never taken back.

    Parameters
    ----------
    patterns : iterable of str
        Regular expressions; what they match is masked.
    keys : iterable of str
        Names of arguments and fields; ``badge number`` is also ``badge_number``, ``badgeNumber`` and ``BADGE-NUMBER``.
    values : iterable of str
        Secrets themselves.
    phone_numbers : bool
        Whether to mask phone numbers from now on.

    Raises
    ------
    ValueError
        A pattern is none, can match nothing at all, or could take for ever; a key has no letter. No rule is added then.

    Examples
    --------
    >>> add_rules(["EMP-[0-9]{6}"], ["badge number"])
    >>> mask("EMP-123456 has badgeNumber: 7"), mask_value({"badge_number": 7})
    ('[masked] has badgeNumber: [masked]', {'badge_number': '[masked]'})
    >>> reset_rules()
    """
    global _rules, _clean, _recent
    from lango_nb.core.secrets.patterns import read_pattern  # most processes have no patterns of their own

    own, named = [read_pattern(pattern) for pattern in patterns], [_read_key(key) for key in keys]
    with _lock:
        more = _rules.with_more(own, filter(None, values), named, has_phones=phone_numbers)
        if more != _rules:
            _rules, _clean, _recent = more, set(), {}


def _read_key(key: str) -> str:
    if not (normal := normal_key(key)):
        raise ValueError(f"{key!r} names nothing; write a name of letters and digits")
    return normal


def reset_rules() -> None:
    """Forget all rules that were added; for tests."""
    global _rules, _clean, _recent
    with _lock:
        _rules, _clean, _recent = Rules(), set(), {}


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
