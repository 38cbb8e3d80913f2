"""Where requests of live models go, with which key, and on which connections.

There is one client per endpoint and event loop: a connection cannot be used on another loop than its own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from lango_nb.core.errors import LangoError, SettingsError, shorten
from lango_nb.core.masking import mask
from lango_nb.models.keys import Credentials, Keys
from lango_nb.models.live import Line
from lango_nb.models.vendors import Vendor, vendor_of


@dataclass(frozen=True, eq=False)
class Endpoint:
    """Where requests go, and with which key."""

    vendor: Vendor
    url: str
    credentials: Credentials

    @property
    def identity(self) -> tuple[object, ...]:
        """What two endpoints have in common that may share connections."""
        found = self.credentials
        return self.vendor.name, self.url, tuple((name, hash(found.reveal(name))) for name in found.names)


def endpoint_of(name: str, base_url: str, keys: Keys) -> tuple[Endpoint, str]:
    """Find out where a live model is asked, and with which key.

    Parameters
    ----------
    name : str
        ``PROVIDER:MODEL``.
    base_url : str
        Takes the place of the provider's own address.
    keys : Keys

    Returns
    -------
    (Endpoint, str)
        And the provider's own name of the model.

    Raises
    ------
    SettingsError
        A package, a key, an address or a part of the name is missing or wrong.
    UnknownNameError
        There is no such provider.
    """
    vendor, model = vendor_of(name)
    vendor.check_packages(name)
    given = base_url or keys.variable(vendor.url_variable) or vendor.url
    url = checked_url(name, given, is_openai=vendor.speaks_openai)
    may_do_without = vendor.has_own_login or (vendor.name == "openai" and url)  # a server of one's own may want none
    found = keys.find(vendor) if may_do_without else keys.get(vendor, name)
    return Endpoint(vendor, url, found or Credentials("environment", {})), model


def checked_url(name: str, url: str, *, is_openai: bool) -> str:
    """Refuse what is not an address, and one with a password in it: addresses are shown.

    Parameters
    ----------
    name : str
        What the model is called.
    url : str
    is_openai : bool
        Whether OpenAI's protocol is spoken there: its paths begin with ``/v1``, which is added where there is none.

    Returns
    -------
    str

    Raises
    ------
    SettingsError

    Examples
    --------
    >>> checked_url("ollama:qwen3", "http://localhost:11434/", is_openai=True)
    'http://localhost:11434/v1'
    """
    if not url:
        return ""
    try:
        parts = urlsplit(url.strip())
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_address = False
    if not is_address:
        raise SettingsError(f"model {name!r}: {shorten(url)!r} is not an address; write http:// or https:// and a host")
    if parts.username or parts.password or parts.query:
        raise SettingsError(f"model {name!r}: the address holds a name, a password or a query; give the key as a key")
    address = url.strip().rstrip("/")
    return f"{address}/v1" if is_openai and not parts.path.strip("/") else address


Client = TypeVar("Client")

_lock = threading.Lock()
_clients: dict[asyncio.AbstractEventLoop, dict[tuple[object, ...], Any]] = {}
"""By event loop and endpoint; models of one endpoint share its connections."""


class Lines(Generic[Client]):
    """The lines of one model, one per event loop; called to get that of the running one.

    Parameters
    ----------
    name : str
        What the model is called.
    endpoint : tuple
        What models that share connections have in common.
    open_client : callable
        Opens a client; may load libraries, so it runs in a thread.
    line_of : callable
        Makes the model's line on a client.
    """

    def __init__(
        self,
        name: str,
        endpoint: tuple[object, ...],
        open_client: Callable[[], Client],
        line_of: Callable[[Client], Line],
    ) -> None:
        self._name, self._endpoint, self._open, self._line_of = name, endpoint, open_client, line_of
        self._lines: dict[asyncio.AbstractEventLoop, tuple[Client, Line]] = {}

    async def __call__(self) -> Line:
        """Return the line of the running loop.

        Returns
        -------
        Line

        Raises
        ------
        SettingsError
            The client cannot be opened.
        """
        loop = asyncio.get_running_loop()
        known = self._lines.get(loop)
        if known is not None and _clients.get(loop, {}).get(self._endpoint) is known[0]:
            return known[1]
        return await asyncio.to_thread(self._make, loop)

    def _make(self, loop: asyncio.AbstractEventLoop) -> Line:
        try:
            with _lock:
                for loops in (_clients, self._lines):
                    for gone in [other for other in loops if other.is_closed()]:
                        del loops[gone]
                clients = _clients.setdefault(loop, {})
                if self._endpoint not in clients:
                    clients[self._endpoint] = self._open()
                client = clients[self._endpoint]
                line = self._line_of(client)
                self._lines[loop] = client, line
        except LangoError:
            raise
        except Exception as error:
            said = shorten(mask(" ".join(str(error).split())), 200)
            raise SettingsError(f"model {self._name!r} cannot be made ready: {said}") from error
        return line


def forget_clients() -> list[Any]:
    """Forget the clients of the running event loop.

    Returns
    -------
    list
        For the caller to close.
    """
    return list(_clients.pop(asyncio.get_running_loop(), {}).values())
