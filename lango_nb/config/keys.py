"""What is known about every setting apart from its value: key, environment variable, kind, default, sentence.

Worked out from the fields of :class:`lango_nb.config.settings.Settings` when somebody first asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache, cached_property
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from lango_nb.config.settings import Names, Settings, SettingsGroup, Switch, camel, expand_home
from lango_nb.config.strictness import Contents, FolderRule
from lango_nb.config.units import duration_text, parse_duration, parse_idle, parse_size, size_text
from lango_nb.core.dataclass import dataclass

Kind = Literal["bool", "int", "number", "duration", "idle", "size", "folder", "text", "word", "names", "remotes"]


@dataclass(frozen=True, repr=False, eq=False)
class SettingInfo:
    """What is known about one setting apart from its value."""

    key: str
    """Dotted camelCase, as files have it: ``agent.maxDelegationRounds``."""
    path: tuple[str, ...]
    """Attribute names from :class:`Settings` to the value."""
    env: str
    """Environment variable that sets it."""
    default: Any
    sentence: str
    """What it does."""
    group: type[SettingsGroup]
    ruled: tuple[type[SettingsGroup], str]
    """The group and the field that say what an untrusted folder may do: for a switch, those it is used in."""

    @cached_property
    def kind(self) -> Kind:
        """What kind of value it holds."""
        return _kind(*_annotation(self.group, self.path[-1]))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Allowed words of a ``word``; empty for other kinds."""
        return get_args(_annotation(self.group, self.path[-1])[0]) if self.kind == "word" else ()

    @cached_property
    def folder_rule(self) -> FolderRule | None:
        """What a folder may set without being trusted; ``None`` when it may not set this at all."""
        return next((item for item in _annotation(*self.ruled)[1] if isinstance(item, FolderRule)), None)

    @cached_property
    def contents(self) -> Contents | None:
        """Which files it leads to that a folder has to be trusted with; ``None`` when it leads to none."""
        return next((item for item in _annotation(*self.ruled)[1] if isinstance(item, Contents)), None)

    def of(self, settings: Settings) -> Any:
        """Return the value some settings hold.

        Examples
        --------
        >>> settings_by_key()["tools.exec.defaultTimeout"].of(Settings())
        30.0
        """
        found: Any = settings
        for name in self.path:
            found = getattr(found, name)
        return found

    def text(self, value: Any) -> str:
        """Write a value as a person would type it.

        Examples
        --------
        >>> settings_by_key()["tools.exec.defaultTimeout"].text(90.0)
        '1m30s'
        """
        match self.kind:
            case "bool":
                return "true" if value else "false"
            case "duration":
                return duration_text(value)
            case "idle":
                return f"-{duration_text(-value)}" if value < 0 else duration_text(value)
            case "number":
                return f"{value:g}"
            case "size":
                return size_text(value)
            case "names":
                return ", ".join(value)
            case "remotes":
                return ", ".join(f"{remote.name} ({remote.agent_card_url})" for remote in value)
            case _:
                return str(value)


@cache
def setting_infos() -> tuple[SettingInfo, ...]:
    """List all settings in the order of their definition.

    Examples
    --------
    >>> [info.env for info in setting_infos()][:2]
    ['LANGO_AGENT_MULTI_AGENT', 'LANGO_AGENT_PROVIDER']
    """
    return tuple(_walk(Settings, (), (), "", None))


@cache
def settings_by_key() -> dict[str, SettingInfo]:
    """Map dotted camelCase keys to what is known about them."""
    return {info.key: info for info in setting_infos()}


def _walk(
    group: type[SettingsGroup],
    path: tuple[str, ...],
    keys: tuple[str, ...],
    above: str,
    holder: tuple[type[SettingsGroup], str] | None,
) -> Iterator[SettingInfo]:
    for field in fields(group):
        here, key_here = (*path, field.name), (*keys, field.metadata.get("alias") or camel(field.name))
        sentence: str = field.metadata["description"]
        if isinstance(field.default, SettingsGroup):
            yield from _walk(type(field.default), here, key_here, sentence, (group, field.name))
            continue
        is_switch = issubclass(group, Switch) and field.name == "enabled"  # said where the switch is used
        yield SettingInfo(
            key=".".join(key_here),
            path=here,
            env="_".join(["LANGO", *map(_upper_snake, key_here)]),
            default=field.default,
            sentence=above if is_switch else sentence,
            group=group,
            ruled=holder if is_switch and holder is not None else (group, field.name),
        )


def _annotation(group: type[SettingsGroup], name: str) -> tuple[Any, tuple[Any, ...]]:
    """Return the type of a field, and what it is annotated with."""
    found = _type_hints(group)[name]  # type: ignore[arg-type]  # mypy asks whether instances have a hash
    if get_origin(found) is not Annotated:
        return found, ()
    kind, *metadata = get_args(found)
    return kind, tuple(metadata)


@cache
def _type_hints(group: type[SettingsGroup]) -> dict[str, Any]:
    return get_type_hints(group, include_extras=True)


def _kind(annotation: Any, metadata: tuple[Any, ...]) -> Kind:
    validators = [getattr(item, "func", None) for item in metadata]
    if parse_duration in validators:
        return "duration"
    if parse_idle in validators:
        return "idle"
    if parse_size in validators:
        return "size"
    if expand_home in validators:
        return "folder"
    if get_origin(annotation) is Literal:
        return "word"
    kinds: dict[Any, Kind] = {bool: "bool", int: "int", float: "number", str: "text", Names: "names"}
    return kinds.get(annotation, "remotes")


def _upper_snake(camel_case: str) -> str:
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in camel_case)
