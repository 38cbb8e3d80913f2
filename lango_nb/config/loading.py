"""Settings from everywhere they may stand; the later one wins.

    defaults < home (lango.json) < folder ([tool.lango] in pyproject.toml, then lango.json) < environment < arguments

A folder's settings hold as far as their rules go, and whole once a person has trusted it (:mod:`.trust`).
Every layer is checked by itself, also where a later one wins: an unknown key or a value of the wrong kind is refused
with the place it stands in, the key, and what was probably meant. A relative folder in a file is relative to that file.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lango_nb.config.files import FILE, PROJECT_FILE
from lango_nb.config.keys import setting_infos, settings_by_key
from lango_nb.config.settings import Settings, camel
from lango_nb.config.trust import FolderTrust, HeldSetting, files_of, read_trust, settings_digest
from lango_nb.config.values import check_value, shown
from lango_nb.core.errors import SettingsError, shorten, suggest
from lango_nb.core.masking import mask
from lango_nb.core.paths import path_of
from lango_nb.core.private import shown_path

if TYPE_CHECKING:
    from pydantic import ValidationError

DEFAULT = "default"
ARGUMENT = "argument"
MOST_BYTES = 1024 * 1024
"""A settings file may have; a larger one is none."""
_RESERVED = ("LANGO_HOME", "LANGO_NB_")
_SAME_SPELLING = 0.85
"""Likeness from which a LANGO_ variable is taken for a misspelt setting rather than for another program's."""


class SettingRow(NamedTuple):
    """One setting as people see it."""

    key: str
    value: str
    default: str
    origin: str
    """``default``, a file, an environment variable or ``argument``."""
    sentence: str


class LoadedSettings(NamedTuple):
    """Settings, and where each value came from."""

    settings: Settings
    origins: Mapping[str, str]
    """Dotted camelCase key to ``default``, a file's name, an environment variable's or ``argument``."""
    trust: FolderTrust | None = None
    """What needs trust in the folder's settings, first what has none; ``None`` when nothing does."""

    @property
    def warning(self) -> str:
        """One line about what is held back; empty when nothing is."""
        return self.trust.warning if self.trust is not None else ""

    def rows(self) -> tuple[SettingRow, ...]:
        """List every setting without secrets, in the order of its definition.

        Examples
        --------
        >>> load_settings(overrides={"agent.maxTurns": 7}).rows()[3][:4]
        ('agent.maxTurns', '7', '0', 'argument')
        """
        return tuple(
            SettingRow(
                info.key,
                mask(info.text(info.of(self.settings))),
                info.text(info.default),
                self.origins[info.key],
                info.sentence,
            )
            for info in setting_infos()
        )


class _Layer(NamedTuple):
    """One place settings stand in, read but not yet checked."""

    values: Mapping[str, Any]
    """By dotted key."""
    where: Callable[[str], str]
    """From a key to the name of the place, as errors and origins have it."""
    base: Path | None = None
    """Folder that relative folders are meant from; ``None`` keeps them."""
    is_text: bool = False
    """Whether values may be texts that still have to be read."""


def home_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder of this user's settings and records: ``LANGO_HOME``, else ``~/.lango``.

    Examples
    --------
    >>> home_folder({"LANGO_HOME": "here"}).name
    'here'
    """
    found = (os.environ if env is None else env).get("LANGO_HOME", "")
    return Path(found).expanduser() if found else Path("~/.lango").expanduser()


def load_settings(
    folder: Path | None = None,
    home: Path | None = None,
    env: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    trust_home: Path | None = None,
) -> LoadedSettings:
    """Read settings from all places that are given.

    Parameters
    ----------
    folder : Path, optional
        Where ``pyproject.toml`` and ``lango.json`` of the work at hand may lie. Unless a person has trusted them, what
        their rules do not allow is held back.
    home : Path, optional
        Where the user's own ``lango.json`` may lie, see :func:`home_folder`. One that lies in ``folder``, and is not
        ``trust_home``, may have come along with it: it needs trust as a folder does.
    env : mapping of str to str, optional
        Environment: ``LANGO_AGENT_MULTI_AGENT=true`` sets ``agent.multiAgent``. An empty value counts as not set;
        ``LANGO_HOME`` and ``LANGO_NB_*`` are not settings.
    overrides : mapping, optional
        Arguments: dotted keys or nested mappings, camelCase or snake_case; values may be texts.
    trust_home : Path, optional
        Where it is written down which folders are trusted; ``home`` when absent.

    Returns
    -------
    LoadedSettings
        A place that is ``None``, or a file that is not there, changes nothing.

    Raises
    ------
    SettingsError
        A file cannot be read, a key is unknown, a value is of the wrong kind.

    Examples
    --------
    >>> loaded = load_settings(env={"LANGO_AGENT_MULTI_AGENT": "yes"}, overrides={"agent": {"max_turns": 4}})
    >>> loaded.settings.agent.multi_agent, loaded.settings.agent.max_turns
    (True, 4)
    >>> loaded.origins["agent.multiAgent"]
    'LANGO_AGENT_MULTI_AGENT'
    >>> load_settings(overrides={"agent.maxTurn": 4})
    Traceback (most recent call last):
    lango_nb.core.errors.SettingsError: argument: agent.maxTurn is not a setting; did you mean 'maxTurns'?
    """
    nested: dict[str, Any] = {}
    origins = {info.key: DEFAULT for info in setting_infos()}
    trusts = []
    home, folder = (path_of(place) if place is not None else None for place in (home, folder))
    if home is not None and not _came_along(home, folder, trust_home):
        _apply(_json_layer(home / FILE, shown_path(home / FILE)), nested, origins)
    elif home is not None:
        trusts.append(_apply_folder(home, trust_home, nested, origins))
    if folder is not None and not _is_same(folder, home):
        trusts.append(_apply_folder(folder, trust_home or home, nested, origins))
    if env:
        _apply(_environment(env), nested, origins)
    if overrides:
        _apply(_arguments(overrides), nested, origins)
    settings = _checked(nested, origins) if nested else Settings.defaults()
    needing = sorted((trust for trust in trusts if trust is not None), key=lambda trust: trust.is_trusted)
    return LoadedSettings(settings, origins, needing[0] if needing else None)


def _checked(nested: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    """Make settings of what was read, which is of the right kinds."""
    from pydantic import ValidationError

    try:
        return Settings.model_validate(nested)
    except ValidationError as error:
        raise _out_of_range(error, origins) from error


def _apply_folder(
    folder: Path, trust_home: Path | None, nested: dict[str, Any], origins: dict[str, str]
) -> FolderTrust | None:
    """Put what holds of a folder's settings over the values before; return what needs trust."""
    layers = (_toml_layer(folder / PROJECT_FILE), _json_layer(folder / FILE, FILE))
    trust = _trust(folder, trust_home, layers, nested)
    held = {(setting.file, setting.key) for setting in trust.held} if trust is not None else frozenset()
    for layer in layers:
        _apply(layer, nested, origins, leave_out=held)
    return trust


def _apply(
    layer: _Layer,
    nested: dict[str, Any],
    origins: dict[str, str],
    leave_out: Collection[tuple[str, str]] = (),
) -> None:
    """Check a layer and put its values over those of the layers before."""
    for key, value in layer.values.items():
        info, where = settings_by_key()[key], layer.where(key)
        checked = check_value(info, value, where, base=layer.base, may_be_text=layer.is_text)
        if (where, key) not in leave_out:
            _put(nested, info.path, checked)
            origins[key] = where


def _came_along(home: Path, folder: Path | None, trust_home: Path | None) -> bool:
    """Tell whether a home that was given is not the user's own, but lies in the folder at hand."""
    if folder is None or trust_home is None or _is_same(home, trust_home):
        return False
    return home.resolve().is_relative_to(folder.resolve())


def _is_same(folder: Path, home: Path | None) -> bool:
    """Tell whether the folder at hand is the home folder, whose settings are the user's own."""
    return home is not None and folder.resolve() == home.resolve()


def _trust(folder: Path, home: Path | None, layers: Iterable[_Layer], own: Mapping[str, Any]) -> FolderTrust | None:
    """Find out what of a folder's settings needs trust, over the user's own, and whether it has it."""
    needing = []
    for layer in layers:
        for key, value in layer.values.items():
            info, where = settings_by_key()[key], layer.where(key)
            checked = check_value(info, value, where, base=layer.base)
            present = _get(own, info.path, info.default)
            if checked == present:
                continue
            rule = info.folder_rule
            if rule is None or not rule.accepts(checked, present):
                written, accepts = json.dumps(checked, default=_plain), rule.sentence if rule else ""
                files = files_of(Path(checked), info.contents.pattern) if info.contents else {}
                needing.append(HeldSetting(where, key, written, info.sentence, accepts, files))
    if not needing:
        return None
    real = folder.resolve()
    led_to = {setting.key: setting.files for setting in needing if setting.files}
    digest = settings_digest({**{layer.where(""): layer.values for layer in layers}, **led_to})
    is_trusted = home is not None and read_trust(home).get(str(real)) == digest
    return FolderTrust(real, digest, is_trusted, tuple(needing))


def _plain(value: Any) -> Any:
    """Return a value of a setting as JSON can write it."""
    return value.model_dump(by_alias=True)


def _out_of_range(error: ValidationError, origins: Mapping[str, str]) -> SettingsError:
    """Word that a value is of the right kind, but too small or too large."""
    first = error.errors(include_url=False)[0]
    key = next((info.key for info in setting_infos() if info.path == first["loc"]), ".".join(map(str, first["loc"])))
    if first["type"] == "value_error":
        return SettingsError(f"{origins.get(key, ARGUMENT)}: {key}: {first['ctx']['error']}")
    said = first["msg"].replace("Input should be", "must be")
    return SettingsError(f"{origins.get(key, ARGUMENT)}: {key} {said}, not {shown(first['input'])}")


# files


def _json_layer(path: Path, name: str) -> _Layer:
    text = _read(path, name)
    if text is None:
        return _Layer({}, lambda _: name)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise SettingsError(f"{name}: the key {shorten(twice)!r} stands there twice; keep one")
        return found

    try:
        data = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise SettingsError(
            f"{name}: line {error.lineno}, column {error.colno}: this is not JSON: {_lower(error.msg)}"
        ) from error
    except (RecursionError, ValueError) as error:
        raise _no_settings(error, name) from error
    return _Layer(_flatten(data, name), lambda _: name, path.parent)


def _toml_layer(path: Path) -> _Layer:
    name = path.name
    text = _read(path, name)
    if text is None or "lango" not in text:
        return _Layer({}, lambda _: name)

    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error))
        place = f"line {found[2]}, column {found[3]}: " if found else ""
        said = found[1] if found else str(error)
        raise SettingsError(f"{name}: {place}this is not TOML: {_lower(said)}") from error
    except (RecursionError, ValueError) as error:
        raise _no_settings(error, name) from error
    tool = data.get("tool")
    table = tool.get("lango", {}) if isinstance(tool, dict) else {}
    return _Layer(_flatten(table, name, "tool.lango"), lambda _: name, path.parent)


def _no_settings(error: RecursionError | ValueError, name: str) -> SettingsError:
    """Word what Python gives up on."""
    deep = isinstance(error, RecursionError)
    return SettingsError(f"{name}: {'nested too deeply' if deep else 'a number has too many digits'} to be settings")


def _read(path: Path, name: str) -> str | None:
    """Read a settings file; a pipe or an endless device that came with a folder keeps nobody waiting."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SettingsError(f"{name}: is not a file; put a text file there or remove it")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise SettingsError(f"{name}: has more than {MOST_BYTES:,} bytes; shorten it")
        return data.decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{name}: byte {error.start + 1} is not UTF-8; save the file as UTF-8 text") from error
    except OSError as error:
        raise SettingsError(f"{name}: cannot be read: {error.strerror or error}") from error


# keys


def _flatten(data: Any, where: str, top: str = "the file") -> dict[str, Any]:
    """Turn nested tables into dotted keys, refusing whatever is not a setting."""
    if not isinstance(data, Mapping):
        raise SettingsError(f"{where}: {top} must hold a table of settings, not {shown(data)}")
    found: dict[str, Any] = {}
    _collect(data, (), where, found, any_spelling=False)
    return found


def _collect(
    data: Mapping[str, Any], above: tuple[str, ...], where: str, found: dict[str, Any], *, any_spelling: bool
) -> None:
    for written, value in data.items():
        parts = str(written).split(".") if any_spelling else [str(written)]
        path = above
        for part in parts:
            path = _step(path, part, where, any_spelling=any_spelling)
        key = ".".join(path)
        if key in settings_by_key():
            if key in found:
                raise SettingsError(f"{where}: {key} is given twice; keep one")
            found[key] = value
        elif isinstance(value, Mapping):
            _collect(value, path, where, found, any_spelling=any_spelling)
        else:
            raise SettingsError(
                f"{where}: {key} is a group of settings, not a value; "
                f"it holds: {', '.join(_children(path))}, and {shown(value)} is none of them"
            )


def _step(above: tuple[str, ...], part: str, where: str, *, any_spelling: bool) -> tuple[str, ...]:
    """Go one key deeper, or say why that is not possible."""
    known = _children(above)
    if part in known:
        return (*above, part)
    as_in_files = camel(part)
    for spelling in (as_in_files, _by_attribute(above, part)):
        if spelling in known:
            if any_spelling:
                return (*above, spelling)
            raise _unknown(above, part, where, f"did you mean {spelling!r}?")
    if ".".join(above) in settings_by_key():
        raise _unknown(above, part, where, f"{'.'.join(above)} is a value of its own")
    elsewhere = [info.key for info in setting_infos() if info.key.rsplit(".", 1)[-1] in (part, as_in_files)]
    if len(elsewhere) == 1:
        raise _unknown(above, part, where, f"did you mean {elsewhere[0]!r}?")
    raise _unknown(above, part, where, suggest(part, known))


def _unknown(above: tuple[str, ...], part: str, where: str, hint: str) -> SettingsError:
    return SettingsError(f"{where}: {'.'.join((*above, shorten(part)))} is not a setting; {hint}")


def _children(above: tuple[str, ...]) -> tuple[str, ...]:
    """List the keys one level below a group."""
    depth = len(above)
    keys = (tuple(info.key.split(".")) for info in setting_infos())
    return tuple(dict.fromkeys(key[depth] for key in keys if key[:depth] == above and len(key) > depth))


def _by_attribute(above: tuple[str, ...], part: str) -> str:
    """Return the file's spelling of an attribute name, for those that camelCase alone does not give."""
    depth = len(above)
    for info in setting_infos():
        key = tuple(info.key.split("."))
        if key[:depth] == above and len(key) > depth and info.path[depth] == part:
            return key[depth]
    return part


# environment and arguments


def _environment(env: Mapping[str, str]) -> _Layer:
    by_env = {info.env: info for info in setting_infos()}
    groups = tuple(dict.fromkeys("_".join(name.split("_")[:2]) + "_" for name in by_env))
    values = {}
    for name in sorted(env):
        if not name.startswith("LANGO_") or name.startswith(_RESERVED) or not env[name]:
            continue
        info = by_env.get(name)
        if info is not None:
            values[info.key] = env[name]
        elif name.startswith(groups) or get_close_matches(name, by_env, n=1, cutoff=_SAME_SPELLING):
            raise SettingsError(f"environment: {shorten(name)} is not a setting; {suggest(name, by_env)}")
    return _Layer(values, lambda key: settings_by_key()[key].env, is_text=True)


def _arguments(overrides: Mapping[str, Any]) -> _Layer:
    found: dict[str, Any] = {}
    _collect(overrides, (), ARGUMENT, found, any_spelling=True)
    return _Layer(found, lambda _: ARGUMENT, is_text=True)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _get(nested: Mapping[str, Any], path: Iterable[str], default: Any) -> Any:
    found: Any = nested
    for name in path:
        if name not in found:
            return default
        found = found[name]
    return found


def _put(nested: dict[str, Any], path: Iterable[str], value: Any) -> None:
    *groups, last = path
    for name in groups:
        nested = nested.setdefault(name, {})
    nested[last] = value
