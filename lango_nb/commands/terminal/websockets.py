"""An extension of Jupyter's server: what a kernel says reaches the browser at once.

A kernel answers a letter with several small messages. Unless told otherwise, TCP holds each of them back until the
browser has acknowledged the one before, which it may put off for 40 ms (Nagle's algorithm and delayed
acknowledgements). ``lango lab`` loads this extension; any other server does when it is started
with ``--ServerApp.jpserver_extensions=lango_nb=True``.
"""

from __future__ import annotations

from typing import Any

from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """The server's own connection between a browser and a kernel, without the wait."""

    def connect(self) -> Any:
        """Send each message by itself from now on, and connect."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()


def load(server: ServerApp) -> None:
    """Connect kernels this way, unless the server connects them in a way of its own, to a gateway for example."""
    settings = server.web_app.settings
    if settings["kernel_websocket_connection_class"] is ZMQChannelsWebsocketConnection:
        settings["kernel_websocket_connection_class"] = PromptConnection
