"""One client per endpoint and event loop: a connection cannot be used on another loop than its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from lango_nb.core.errors import LangoError, SettingsError, shorten
from lango_nb.core.masking import mask
from lango_nb.models.live import Line

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
