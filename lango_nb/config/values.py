"""One value of a setting: read it, or refuse it with the place, the key and what was expected."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from lango_nb.config.keys import Kind, SettingInfo
from lango_nb.config.settings import RemoteAgentSettings, camel
from lango_nb.config.units import parse_duration, parse_idle, parse_size
from lango_nb.core.errors import SettingsError, closest, shorten, suggest

_WORDS = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


def check_value(
    info: SettingInfo, value: Any, where: str, *, base: Path | None = None, may_be_text: bool = False
) -> Any:
    """Return a value in its final form.

    Parameters
    ----------
    info : SettingInfo
        The setting it is for.
    value : any
        As it stood in a file, a variable or an argument.
    where : str
        The place it stood in, for errors.
    base : Path, optional
        Folder a relative folder is meant from; ``None`` keeps it as it is.
    may_be_text : bool
        Whether a number, a switch or a list may be written as text, as in the environment.

    Raises
    ------
    SettingsError
        The value is of the wrong kind.

    Examples
    --------
    >>> from lango_nb.config.keys import settings_by_key
    >>> check_value(settings_by_key()["agent.maxTurns"], "12", "argument", may_be_text=True)
    12
    """
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if may_be_text and isinstance(value, str):
        value = _from_text(info.kind, value)
    if info.kind == "remotes" and isinstance(value, list | tuple):
        return tuple(_remote(item, f"{where}: {info.key}[{number}]") for number, item in enumerate(value))
    wanted, read = _READERS[info.kind]
    try:
        found = read(value)
        if info.words and found not in info.words:
            raise ValueError  # noqa: TRY301 - told with the other ways of being wrong, three lines below
    except ValueError as error:
        near = closest(value, info.words) if info.words and isinstance(value, str) else None
        meant = f"; did you mean {near!r}?" if near else ""
        expected = f"one of {', '.join(info.words)}" if info.words else wanted
        raise SettingsError(f"{where}: {info.key} must be {expected}, not {shown(value)}{meant}") from error
    return _from_base(found, base) if info.kind == "folder" else found


def shown(value: Any) -> str:
    """Write any value for an error message, cut to a line.

    Examples
    --------
    >>> shown(True), shown("x"), shown([1])
    ('true', "'x'", '[1]')
    """
    if isinstance(value, str):
        return shorten(repr(value))
    try:
        return shorten(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return f"a {type(value).__name__}"


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError


def _count(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError


def _number(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0:
        return float(value)
    raise ValueError


def _text(value: Any) -> str:
    if isinstance(value, str) and "\0" not in value:
        return value
    raise ValueError


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise ValueError


def _no_list(_: Any) -> None:
    raise ValueError


_READERS: dict[Kind, tuple[str, Callable[[Any], Any]]] = {
    "bool": ("true or false", _bool),
    "int": ("a whole number, 0 or more", _count),
    "duration": ("a duration such as '30s' or '5m', or a number of seconds", parse_duration),
    "idle": ("a duration such as '30s', or a negative one for off", parse_idle),
    "number": ("a number, 0 or more", _number),
    "size": ("a size such as '10MiB', or a number of bytes", parse_size),
    "text": ("text", _text),
    "folder": ("the path of a folder", _text),
    "word": ("one of some words", _text),
    "names": ("a list of names", _names),
    "remotes": ("a list of {name, agentCardUrl}", _no_list),
}
"""What each kind is called when something else stands there, and what reads it."""


def _from_text(kind: Kind, text: str) -> Any:
    """Read a value that came as text; what cannot be read stays as it is and is refused later."""
    word = text.strip()
    if kind == "bool":
        return _WORDS.get(word.lower(), text)
    if kind == "int":
        return int(word) if re.fullmatch(r"\d{1,9}", word) else text
    if kind == "number":
        return float(word) if re.fullmatch(r"\d{1,12}(\.\d{1,9})?", word) else text
    if kind in ("names", "remotes") and word.startswith("["):
        try:
            return json.loads(word)
        except ValueError:
            return text
    if kind == "names":
        return [name.strip() for name in re.split(r",(?![^(]*\))", word) if name.strip()]
    return text


def _from_base(value: str, base: Path | None) -> str:
    if not value or base is None or value.startswith("~"):
        return value
    return str(base / value)


def _remote(item: Any, place: str) -> RemoteAgentSettings:
    if isinstance(item, RemoteAgentSettings):
        return item
    if not isinstance(item, Mapping):
        raise SettingsError(f"{place} must be a table with name and agentCardUrl, not {shown(item)}")
    from pydantic import ValidationError

    try:
        return RemoteAgentSettings.model_validate(dict(item))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = shorten(".".join(str(part) for part in first["loc"]))
        if first["type"] == "unexpected_keyword_argument":
            known = [camel(field.name) for field in fields(RemoteAgentSettings)]
            raise SettingsError(f"{place}: {key} is not a setting; {suggest(key, known)}") from error
        said = first["msg"]
        raise SettingsError(f"{place}: {key}: {said[:1].lower()}{said[1:]}") from error
