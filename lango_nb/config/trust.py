"""Which folders' settings a person has trusted, and what is held back of the others.

    <home>/trust.json    {"version": 1, "folders": {"/srv/garden": "<SHA-256 of its settings>"}}

Settings that lie in a folder come with it: whoever made the folder wrote them. Until a person trusts them they may only
make things stricter, or say what is not about safety, keys, addresses and records; each field in
:mod:`lango_nb.config.settings` says which it is. Trust is bound to the folder's resolved path and to the content of its
settings, and of the definitions and prompts they lead to: another folder, or other content, has to be trusted anew.
Only the terminal and the magic give it, after a person has seen the values and said yes.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from lango_nb.config.files import TRUST_FILE
from lango_nb.core.errors import SettingsError
from lango_nb.core.private import read_private, shown_path, write_private
from lango_nb.core.text import printable

HERE = "."
VERSION = 1
_LARGEST = 1024 * 1024


class HeldSetting(NamedTuple):
    """A setting of a folder that does not hold, because nobody has trusted the folder."""

    file: str
    """``lango.json`` or ``pyproject.toml``."""
    key: str
    value: str
    """Exactly what it would be, as JSON."""
    sentence: str
    """What the setting does."""
    accepts: str
    """Which values would hold without trust; empty when none would."""
    files: Mapping[str, str] = MappingProxyType({})
    """What is in the files it leads to, as SHA-256 by name."""


class FolderTrust(NamedTuple):
    """What is known about the settings of one folder."""

    folder: Path
    """Resolved."""
    digest: str
    """SHA-256 of all its settings, and of the definitions and prompts that they lead to."""
    is_trusted: bool
    settings: tuple[HeldSetting, ...] = ()
    """What needs trust, whether it has it or not."""

    @property
    def held(self) -> tuple[HeldSetting, ...]:
        """What does not hold."""
        return () if self.is_trusted else self.settings

    @property
    def warning(self) -> str:
        """One line: which file, how many and which settings are held back, and what trusts them; empty when none is.

        Examples
        --------
        >>> setting = HeldSetting("lango.json", "models.baseUrl", '"http://x"', "", "")
        >>> FolderTrust(Path("/garden"), "9f", False, (setting,)).warning
        '/garden/lango.json: 1 setting is held back: models.baseUrl; to see and trust it: lango trust /garden'
        """
        held = self.held
        if not held:
            return ""
        above = "" if self.shown == HERE else f"{self.shown}/"
        files = " and ".join(dict.fromkeys(f"{above}{setting.file}" for setting in held))
        number, it = ("1 setting is", "it") if len(held) == 1 else (f"{len(held)} settings are", "them")
        return f"{files}: {number} held back: {self.keys}; to see and trust {it}: {self.command}"

    @property
    def keys(self) -> str:
        """The settings that are held back, with commas."""
        return ", ".join(dict.fromkeys(setting.key for setting in self.held))

    @property
    def command(self) -> str:
        """What trusts the folder in a terminal; a notebook's has ``%`` before it."""
        return f"lango trust {shlex.quote(self.shown)}"

    @property
    def shown(self) -> str:
        """The folder as a person types it; what cannot be printed is spelled out."""
        return printable(HERE if self.folder == Path.cwd() else shown_path(self.folder))


def settings_digest(files: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what trust is bound to: SHA-256 over every key and value of a folder's settings files.

    Parameters
    ----------
    files : mapping
        From a file's name to its settings by dotted key.

    Examples
    --------
    >>> settings_digest({"lango.json": {"agent.maxTurns": 1}}) == settings_digest({"lango.json": {"agent.maxTurns": 2}})
    False
    """
    written = json.dumps(files, sort_keys=True, default=repr)
    return hashlib.sha256(written.encode()).hexdigest()


def files_of(folder: Path, pattern: str) -> dict[str, str]:
    """Say what is in some files of a folder.

    Parameters
    ----------
    folder : Path
        Need not be there.
    pattern : str
        As :meth:`pathlib.Path.glob` takes it.

    Returns
    -------
    dict
        From a file's name to the SHA-256 of its size and its first megabyte, which is more than any definition has;
        empty for what is no file, which is never opened.
    """
    return {file.relative_to(folder).as_posix(): _content(file) for file in sorted(folder.glob(pattern))}


def _content(file: Path) -> str:
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as opened:
            return hashlib.sha256(b"%d " % file.stat().st_size + opened.read(_LARGEST)).hexdigest()
    except OSError:
        return ""


def read_trust(home: Path) -> dict[str, str]:
    """Read which folders are trusted.

    Parameters
    ----------
    home : Path
        The home folder, see :func:`lango_nb.config.loading.home_folder`.

    Returns
    -------
    dict
        From a folder's resolved path to the digest of the settings that were trusted.

    Raises
    ------
    SettingsError
        Others could read or write the file, or it is something else.
    """
    file = home / TRUST_FILE
    text = read_private(file, "trust file", _LARGEST, "the folders that are trusted")
    if text is None:
        return {}
    try:
        data = json.loads(text)
        folders = data["folders"]
        if data["version"] != VERSION or not all(isinstance(digest, str) for digest in folders.values()):
            raise ValueError  # noqa: TRY301 - told with the other ways of being wrong, two lines below
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise SettingsError(
            f"trust file {shown_path(file)} cannot be read; remove it and trust folders anew"
        ) from error
    return dict(folders)


def give_trust(home: Path, found: FolderTrust) -> None:
    """Write down that a person trusts the settings of a folder, as they were when they were shown.

    Parameters
    ----------
    home : Path
    found : FolderTrust
        What was shown.

    Raises
    ------
    SettingsError
        It cannot be written down.
    """
    _write(home, {**read_trust(home), str(found.folder): found.digest})


def remove_trust(home: Path, folder: Path) -> bool:
    """Take trust from a folder.

    Parameters
    ----------
    home : Path
    folder : Path
        Resolved; may be gone.

    Returns
    -------
    bool
        Whether there was any.

    Raises
    ------
    SettingsError
        It cannot be written down.
    """
    folders = read_trust(home)
    if folders.pop(str(folder), None) is None:
        return False
    _write(home, folders)
    return True


def _write(home: Path, folders: Mapping[str, str]) -> None:
    text = json.dumps({"version": VERSION, "folders": dict(folders)}, indent=2, sort_keys=True) + "\n"
    try:
        write_private(home / TRUST_FILE, text)
    except OSError as error:
        raise SettingsError(
            f"trust file {shown_path(home / TRUST_FILE)} cannot be written: {error.strerror or error}"
        ) from error
