"""Servers of models that listen on this machine, and what they have: looked for when somebody asks, never by itself.

Nothing but this machine is ever asked, whatever the settings say. Somebody else may listen on one of these ports, so
what comes back is believed only where it is what such a server says: everything else is no server of models.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from io import BytesIO
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlsplit

from lango_nb.models.keys import Keys
from lango_nb.models.vendors import VENDORS, Vendor

TIME_S = 0.2
"""How long all of them together may take to answer."""
_LARGEST = 512 * 1024
"""Bytes of the longest answer that is read."""
_LONGEST = 200
"""Characters of the longest name of a model."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A place on this machine where a server was looked for."""

    vendor: Vendor
    host: str
    port: int
    path: str
    models: tuple[str, ...] | None = None
    """Its own names of its models; ``None`` where no server of models answers."""


def local_servers(keys: Keys, vendors: Iterable[Vendor] = VENDORS) -> tuple[LocalServer, ...]:
    """Look for servers of models on this machine, all at once.

    Parameters
    ----------
    keys : Keys
        Knows the variables that hold other addresses: one on this machine is looked at, any other is not.
    vendors : iterable of Vendor

    Returns
    -------
    tuple of LocalServer
        One per place that was looked at.
    """
    asked = [place for vendor in vendors if (place := _place(vendor, keys)) is not None]
    if not asked:
        return ()
    with ThreadPoolExecutor(1) as aside:  # the loop of this thread may be running
        return aside.submit(asyncio.run, _look(asked)).result()


def looked_note(servers: Sequence[LocalServer]) -> str:
    """Say where servers were looked for when none was found; empty otherwise.

    Examples
    --------
    >>> from lango_nb.models.vendors import vendor_of
    >>> place = LocalServer(vendor_of("ollama:qwen3")[0], "127.0.0.1", 11434, "/api/tags")
    >>> looked_note([place])
    'no model server answers on this machine at port 11434; for another address set OLLAMA_BASE_URL'
    >>> looked_note([replace(place, models=("qwen3",))])
    ''
    """
    if not servers or any(server.models is not None for server in servers):
        return ""
    ports = ", ".join(str(server.port) for server in servers)
    variables = " or ".join(server.vendor.url_variable for server in servers)
    where = f"port{'s' if len(servers) > 1 else ''} {ports}"
    return f"no model server answers on this machine at {where}; for another address set {variables}"


def _place(vendor: Vendor, keys: Keys) -> LocalServer | None:
    """Return where to look for the server of a provider; ``None`` where it is none of this machine."""
    if not vendor.url or not vendor.has_packages:
        return None
    try:
        parts = urlsplit(keys.variable(vendor.url_variable) or vendor.url)
        host = ip_address("127.0.0.1" if parts.hostname == "localhost" else parts.hostname or "")
        port = parts.port or 80
    except ValueError:  # a name, or no address at all
        return None
    is_here = parts.scheme == "http" and host.is_loopback
    return LocalServer(vendor, str(host), port, _path(parts.path, vendor)) if is_here else None


def _path(given: str, vendor: Vendor) -> str:
    return quote(given.rstrip("/").removesuffix("/v1"), safe="/%") + vendor.listing[0]


async def _look(places: Sequence[LocalServer]) -> tuple[LocalServer, ...]:
    tasks = [asyncio.create_task(_models(place)) for place in places]
    await asyncio.wait(tasks, timeout=TIME_S)  # who is not done by then is cancelled with the loop
    return tuple(
        replace(place, models=task.result() if task.done() else None) for place, task in zip(places, tasks, strict=True)
    )


async def _models(place: LocalServer) -> tuple[str, ...] | None:
    _, rows, name = place.vendor.listing
    try:
        said = json.loads(_body(await _answer(place)))
        names = [row[name] for row in said[rows]]
    except (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError):
        return None  # something else that listens there, or nothing
    return tuple(dict.fromkeys(names)) if all(map(_is_name, names)) else None


async def _answer(place: LocalServer) -> bytes:
    """Return all that is said until the connection is closed."""
    reader, writer = await asyncio.open_connection(place.host, place.port)
    host = f"[{place.host}]" if ":" in place.host else place.host
    head = f"GET {place.path} HTTP/1.1", f"Host: {host}:{place.port}", "Accept: application/json", "Connection: close"
    try:
        writer.write("\r\n".join((*head, "", "")).encode())
        await reader.readexactly(_LARGEST + 1)
    except asyncio.IncompleteReadError as whole:
        return whole.partial
    finally:
        writer.transport.abort()
    raise ValueError("this is too long for a list of models")


def _body(answer: bytes) -> bytes:
    """Return the body of an answer; one that leads elsewhere is not followed."""
    source: Any = SimpleNamespace(makefile=lambda _mode: BytesIO(answer))
    response = HTTPResponse(source)
    response.begin()
    if response.status != HTTPStatus.OK:
        raise ValueError(f"status {response.status}")
    return response.read()


def _is_name(name: object) -> bool:
    """Tell whether this could be the name of a model; a page, or what steers a terminal, is none."""
    return (
        isinstance(name, str)
        and 0 < len(name) <= _LONGEST
        and name.isprintable()
        and name == name.strip()
        and not {"<", ">"} & set(name)
    )
