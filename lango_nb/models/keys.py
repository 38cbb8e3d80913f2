"""Where the keys of providers come from: variables, a file only its owner can read, or somebody who is asked.

    environment  →  keys file  →  what was typed in this process  →  ask

A key is never in a repr, an error, a pickle or a setting. Whatever was loaded is masked everywhere from then on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, NoReturn, Self

from lango_nb.core.errors import SettingsError
from lango_nb.core.masking import add_rules
from lango_nb.core.private import read_private, shown_path
from lango_nb.models.vendors import Vendor

Source = Literal["environment", "keys file", "prompt", "argument"]
Ask = Callable[[str], str]
"""Asks a person for one line that is not shown, as :func:`getpass.getpass` does."""

SHORTEST = 8
"""Characters of the shortest value that is masked: shorter ones are words like ``none`` that local servers take."""
_LARGEST_FILE = 64 * 1024
_LINE = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?P<value>.*)")
_VALUE = re.compile(r"[!-~]+")
"""What fits into a header of HTTP: printable, no blanks."""
_PLAIN = frozenset(
    {
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
        "AWS_PROFILE",
        "AWS_DEFAULT_REGION",
        "AWS_REGION",
        "AWS_ACCESS_KEY_ID",
    }
)
"""Variables that name something and are not secrets."""


class Credentials:
    """What a provider wants to see; shows where it is from, and never what it is.

    Parameters
    ----------
    source : str
        Where the key was found.
    values : mapping of str to str
        By variable.

    Examples
    --------
    >>> Credentials("environment", {"OPENAI_API_KEY": "sk-abc"})
    Credentials(OPENAI_API_KEY from environment)
    """

    __slots__ = ("_values", "source")

    def __init__(self, source: Source, values: Mapping[str, str]) -> None:
        self.source: Source = source
        self._values = dict(values)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables it consists of."""
        return tuple(self._values)

    def reveal(self, *names: str) -> str | None:
        """Return the value of the first of these variables that is there.

        Parameters
        ----------
        names : str

        Returns
        -------
        str or None
        """
        return next((self._values[name] for name in names if name in self._values), None)

    def __repr__(self) -> str:
        return f"Credentials({', '.join(self._values) or 'none'} from {self.source})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is never pickled; make the model anew where it is needed")


class Keys:
    """The keys that can be found here.

    Parameters
    ----------
    file : Path, optional
        Lines ``NAME=key``; a file that is not there holds none.
    environ : mapping of str to str, optional
        The process's own variables when absent.
    ask : callable, optional
        Asks for a key that is nowhere; without it nobody is asked.

    Examples
    --------
    >>> from lango_nb.models.vendors import vendor_of
    >>> keys = Keys(environ={"GROQ_API_KEY": "gsk-0123456789"})
    >>> keys.find(vendor_of("groq:llama")[0])
    Credentials(GROQ_API_KEY from environment)
    >>> keys
    Keys(environment)
    """

    def __init__(
        self, *, file: Path | None = None, environ: Mapping[str, str] | None = None, ask: Ask | None = None
    ) -> None:
        self.file = file
        self.ask = ask
        self._environ = environ
        self._typed: dict[str, str] = {}
        self._in_file: Mapping[str, str] | None = None

    def find(self, vendor: Vendor) -> Credentials | None:
        """Look for a provider's key; nobody is asked.

        Parameters
        ----------
        vendor : Vendor

        Returns
        -------
        Credentials or None
            Empty ones for a provider that needs no key.

        Raises
        ------
        SettingsError
            The keys file cannot be trusted or read, or what was found cannot be a key.
        """
        environ = os.environ if self._environ is None else self._environ
        found = _chosen(vendor, "environment", environ)
        if found is None and self.file is not None:
            in_file = read_keys_file(self.file) if self._in_file is None else self._in_file
            found = _chosen(vendor, "keys file", in_file, environ)
        if found is None and self._typed:
            found = _chosen(vendor, "prompt", self._typed, environ)
        if found is None and not vendor.secrets:
            found = Credentials("environment", {})
        return found

    def read_now(self) -> tuple[Keys, str]:
        """Read the file once, for many looks.

        Returns
        -------
        (Keys, str)
            The same keys, which never read the file again; and what is wrong with the file, one sentence, empty when
            nothing is. Of a file with something wrong no key is taken.
        """
        read, problem = Keys(file=self.file, environ=self._environ, ask=self.ask), ""
        read._typed = self._typed
        try:
            read._in_file = {} if self.file is None else read_keys_file(self.file)
        except SettingsError as error:
            read._in_file, problem = {}, str(error)
        return read, problem

    def get(self, vendor: Vendor, model: str) -> Credentials:
        """Return a provider's key; where it is nowhere, somebody is asked for it.

        Parameters
        ----------
        vendor : Vendor
        model : str
            What it is for.

        Returns
        -------
        Credentials

        Raises
        ------
        SettingsError
            There is none.
        """
        found = self.find(vendor)
        if found is None and self.ask is not None:
            name = vendor.secrets[0][-1]
            typed = self.ask(f"{vendor.title} key for {model} ({name}): ").strip()
            if typed:
                _check(typed, f"what was typed for {name}")
                self._typed[name] = typed
                found = self.find(vendor)
        if found is None:
            where = ""
            if self.file is not None:
                lines = " and ".join(f"{name}=…" for name in vendor.secrets[0])
                where = f", or write {lines} into {shown_path(self.file)} (chmod 600)"
            raise SettingsError(
                f"model {model!r} needs a key of {vendor.title}; set the variable {vendor.variables}{where}"
            )
        return found

    def variable(self, name: str) -> str:
        """Return a variable of the environment that is not a secret; empty when it is not set.

        Parameters
        ----------
        name : str

        Returns
        -------
        str
        """
        environ = os.environ if self._environ is None else self._environ
        return environ.get(name, "").strip() if name else ""

    def __repr__(self) -> str:
        parts = ("environment", *(("file",) if self.file else ()), *(("ask",) if self.ask else ()))
        return f"Keys({', '.join(parts)})"

    def __getstate__(self) -> dict[str, object]:
        """Keep where the file lies: variables given by hand and what was typed are not for pickles."""
        return {"file": self.file}

    def __setstate__(self, state: dict[str, Path | None]) -> None:
        self.__init__(file=state["file"])  # type: ignore[misc]  # the same as making one


def given_key(key: str | None) -> Credentials:
    """Take a key that was passed by hand.

    Parameters
    ----------
    key : str or None

    Returns
    -------
    Credentials
        Named ``key``; empty ones for ``None``.

    Raises
    ------
    SettingsError
        It cannot be a key.
    """
    if not key:
        return Credentials("argument", {})
    _check(key, "the key that was passed")
    _hide([key])
    return Credentials("argument", {"key": key})


def read_keys_file(file: Path) -> dict[str, str]:
    """Read a keys file that nobody but its owner can read.

    Parameters
    ----------
    file : Path
        ``NAME=key`` per line; ``export``, quotes, empty lines and lines that begin with ``#`` are understood.

    Returns
    -------
    dict
        Empty when there is no such file.

    Raises
    ------
    SettingsError
        Others could read or replace it, or a line cannot be read; no line is ever repeated.
    """
    text = read_private(file, "keys file", _LARGEST_FILE, "NAME=key lines")
    return {} if text is None else _parsed(file, text)


def _parsed(file: Path, text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        if match is None:
            raise SettingsError(f"keys file {shown_path(file)}, line {number} is no NAME=key; mend it")
        value = match["value"].strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        values[match["name"]] = value
    _hide(value for name, value in values.items() if name not in _PLAIN)
    return values


def _chosen(
    vendor: Vendor, source: Source, values: Mapping[str, str], further: Mapping[str, str] | None = None
) -> Credentials | None:
    """Take the first alternative that is whole, with what goes with it; ``None`` when none is."""
    names = next((names for names in vendor.secrets if all(values.get(name, "").strip() for name in names)), ())
    if vendor.secrets and not names:
        return None
    around = {**(further or {}), **values}
    chosen = {name: stripped for name in (*names, *vendor.further) if (stripped := around.get(name, "").strip())}
    if not chosen:
        return None
    secret = {name: value for name, value in chosen.items() if name not in _PLAIN}
    _hide(secret.values())
    for name, value in secret.items():
        _check(value, f"{name} ({source})")
    return Credentials(source, chosen)


def _check(value: str, what: str) -> None:
    """Refuse what cannot be sent: a library would repeat it in its error."""
    if not _VALUE.fullmatch(value):
        raise SettingsError(f"{what} holds blanks, line ends or letters that no key has; set it again")


def _hide(values: Iterable[str]) -> None:
    """Mask these values in everything from now on."""
    if secrets := [stripped for value in values if len(stripped := value.strip()) >= SHORTEST]:
        add_rules(values=secrets)
