"""Where requests of live models go, and with which key."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from lango_nb.core.errors import SettingsError, shorten
from lango_nb.models.keys import Credentials, Keys
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
    """Refuse what is no address, and one with a password in it: addresses are shown.

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
        raise SettingsError(f"model {name!r}: {shorten(url)!r} is no address; write http:// or https:// and a host")
    if parts.username or parts.password or parts.query:
        raise SettingsError(f"model {name!r}: the address holds a name, a password or a query; give the key as a key")
    address = url.strip().rstrip("/")
    return f"{address}/v1" if is_openai and not parts.path.strip("/") else address
