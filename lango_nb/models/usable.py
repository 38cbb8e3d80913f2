"""Which models can be used here, and what is missing for the rest; nothing is imported, nobody is asked.

What servers on this machine have is found out before (:mod:`lango_nb.models.local_servers`), where it is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from lango_nb.core.errors import SettingsError
from lango_nb.models.keys import Credentials, Keys, Source
from lango_nb.models.vendors import COMPATIBLE, DOOR, VENDORS, Vendor, is_installed

if TYPE_CHECKING:
    from lango_nb.models.local_servers import LocalServer

State = Literal["usable", "key missing", "package missing", "needs a server", "needs a model", "network off"]


class NetworkSettings(Protocol):
    """What of the group ``models`` of the settings matters here."""

    @property
    def allow_network(self) -> bool:
        """Whether live models may be called at all."""
        ...

    @property
    def base_url(self) -> str:
        """Server that takes the place of OpenAI's own."""
        ...


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One provider, or one model of a server on this machine, and whether it can be used here."""

    provider: str
    example: str
    """A name that could be given."""
    state: State
    missing: str = ""
    """What is missing and what to do, one sentence; empty when nothing is."""
    key: Source | Literal["own login", ""] = ""
    """Where the key was found; never what it is. Empty where none was, or none is needed."""


def usable_models(settings: NetworkSettings, keys: Keys, servers: Sequence[LocalServer] = ()) -> tuple[ModelRow, ...]:
    """List the providers, with what is missing for each; of servers that were found here, every model.

    Parameters
    ----------
    settings : ModelSettings
        The group ``models``.
    keys : Keys
    servers : sequence of LocalServer
        What was found on this machine.

    Returns
    -------
    tuple of ModelRow
        The offline model first, at last any server that speaks OpenAI's protocol.

    Examples
    --------
    >>> from lango_nb.config.settings import ModelSettings
    >>> rows = usable_models(ModelSettings(), Keys(environ={}))
    >>> [(row.provider, row.state) for row in rows if not row.missing]
    [('offline', 'usable')]
    """
    read, problem = keys.read_now() if settings.allow_network else (keys, "")
    rows = [ModelRow("offline", "offline", "usable")]
    found = {server.vendor.name: server for server in servers if server.models is not None}
    for vendor in VENDORS:
        row = _row(vendor, settings, read, is_file_well=not problem)
        here = found.get(vendor.name) if row.state == "needs a server" else None
        rows += [row] if here is None else _of_server(here, row.example)
    rows.append(_compatible(settings))
    return tuple(rows)


def usable_note(keys: Keys) -> str:
    """Say what is wrong with the keys file; no row of :func:`usable_models` does.

    Parameters
    ----------
    keys : Keys

    Returns
    -------
    str
        What it is and what to do, one sentence; empty when all is well, or there is no file.

    Examples
    --------
    >>> usable_note(Keys(environ={}))
    ''
    """
    return keys.read_now()[1]


def _row(vendor: Vendor, settings: NetworkSettings, keys: Keys, *, is_file_well: bool) -> ModelRow:
    example = f"{vendor.name}:{vendor.example}"
    if (row := _unusable(vendor, example, settings)) is not None:
        return row
    url = settings.base_url if vendor.name == "openai" else ""
    try:
        found = keys.find(vendor)
    except SettingsError as error:
        return ModelRow(vendor.name, example, "key missing", str(error))
    if vendor.url:
        address = keys.variable(vendor.url_variable) or vendor.url
        start = f"start it with: {vendor.start} ({address}), or set {vendor.url_variable}"
        return ModelRow(vendor.name, example, "needs a server", start)
    if found is not None or (url and is_file_well):  # it may want no key; a bad file stops it
        return ModelRow(vendor.name, example, "usable", "", _source(found))
    set_it = f"set {vendor.variables}"
    if vendor.has_own_login:
        set_it += "; where its own login is set up on this machine, it works without"
    return ModelRow(vendor.name, example, "key missing", set_it)


def _of_server(server: LocalServer, example: str) -> Iterator[ModelRow]:
    """List the models of a server that was found."""
    name = server.vendor.name
    for model in server.models or ():
        yield ModelRow(name, f"{name}:{model}", "usable")
    if not server.models:
        yield ModelRow(
            name, example, "needs a model", f"its server runs here at port {server.port} and has no model yet"
        )


def _source(found: Credentials | None) -> Source | Literal["own login", ""]:
    if found is None or not found.names:
        return ""
    return "own login" if found.names[0] in {"AWS_PROFILE", "GOOGLE_CLOUD_PROJECT"} else found.source


def _compatible(settings: NetworkSettings) -> ModelRow:
    example = f"openai_compatible(URL, {COMPATIBLE.example!r})"
    missing = "start a server that speaks OpenAI's protocol and pass its address, or set models.baseUrl"
    return _unusable(COMPATIBLE, example, settings) or ModelRow(COMPATIBLE.name, example, "needs a server", missing)


def _unusable(vendor: Vendor, example: str, settings: NetworkSettings) -> ModelRow | None:
    """Return the row of a provider for which no key matters yet."""
    if not vendor.has_packages:
        missing = DOOR if not is_installed(DOOR) else vendor.module
        return ModelRow(vendor.name, example, "package missing", f"package {missing} is missing: {vendor.install}")
    if not settings.allow_network:
        return ModelRow(vendor.name, example, "network off", "live models are off: set models.allowNetwork to true")
    return None
