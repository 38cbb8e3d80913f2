"""What is known about every setting apart from its value: key, environment variable, kind, default, sentence.

Worked out from the fields of :class:`lango_nb.config.settings.Settings` when somebody first asks.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from lango_nb.config.settings import Names, Settings, SettingsGroup, Switch, camel, expand_home
from lango_nb.config.strictness import FolderRule
from lango_nb.config.units import duration_text, parse_duration, parse_idle, parse_size, size_text

Kind = Literal["bool", "int", "number", "duration", "idle", "size", "folder", "text", "word", "names", "remotes"]


class SettingInfo(NamedTuple):
    """What is known about one setting apart from its value."""

    key: str
    """Dotted camelCase, as files have it: ``agent.maxDelegationRounds``."""
    path: tuple[str, ...]
    """Attribute names from :class:`Settings` to the value."""
    env: str
    """Environment variable that sets it."""
    kind: Kind
    """What kind of value it holds."""
    words: tuple[str, ...]
    """Allowed words of a ``word``; empty for other kinds."""
    default: Any
    sentence: str
    """What it does."""
    folder_rule: FolderRule | None
    """What a folder may set without being trusted; ``None`` when it may not set this at all."""

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
    group: type[SettingsGroup], path: tuple[str, ...], keys: tuple[str, ...], above: str, rule_above: FolderRule | None
) -> list[SettingInfo]:
    found: list[SettingInfo] = []
    annotations = get_type_hints(group, include_extras=True)
    for field in fields(group):  # type: ignore[arg-type]  # groups are dataclasses
        here, key_here = (*path, field.name), (*keys, field.metadata.get("alias") or camel(field.name))
        sentence: str = field.metadata["description"]
        kind_of_value, *metadata = _parts(annotations[field.name])
        rule = next((item for item in metadata if isinstance(item, FolderRule)), None)
        if isinstance(kind_of_value, type) and issubclass(kind_of_value, SettingsGroup):
            found += _walk(kind_of_value, here, key_here, sentence, rule)
            continue
        is_switch = issubclass(group, Switch) and field.name == "enabled"  # said where the switch is used
        env_words = [_upper_snake(part) for part in key_here]
        kind = _kind(kind_of_value, metadata)
        found.append(
            SettingInfo(
                key=".".join(key_here),
                path=here,
                env="_".join(["LANGO", *env_words]),
                kind=kind,
                words=get_args(kind_of_value) if kind == "word" else (),
                default=field.default,
                sentence=above if is_switch else sentence,
                folder_rule=rule_above if is_switch else rule,
            )
        )
    return found


def _parts(annotation: Any) -> tuple[Any, ...]:
    """Return a type, and what it is annotated with."""
    return get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)


def _kind(annotation: Any, metadata: list[Any]) -> Kind:
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
