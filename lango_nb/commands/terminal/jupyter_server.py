"""An extension of Jupyter's server, for notebooks with panels in them.

``lango lab`` loads it; any other server does when it is started with ``--ServerApp.jpserver_extensions=lango_nb=True``.

What a kernel says reaches the browser at once. A kernel answers a letter with several small messages. Unless told
otherwise, TCP holds each of them back until the browser has acknowledged the one before, which it may put off for
40 ms (Nagle's algorithm and delayed acknowledgements).

A panel in a notebook whose kernel has ended is shown as the page that was saved with it. JupyterLab would look for
the live view, which ended with its kernel, and show an error in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jupyter_server.serverapp import ServerApp
from jupyter_server.services.contents.handlers import ContentsHandler
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.utils import ensure_async, url_path_join
from tornado import web

_VIEW = "application/vnd.jupyter.widget-view+json"
_PATH = r"/api/contents(?P<path>(?:/[^/]+)+\.ipynb)"


class PromptConnection(ZMQChannelsWebsocketConnection):
    """The server's own connection between a browser and a kernel, without the wait."""

    def connect(self) -> Any:
        """Send each message by itself from now on, and connect."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()


class NotebookHandler(ContentsHandler):
    """The server's own way to hand out a notebook, without the views that ended with its kernel."""

    _has_kernel = True

    @web.authenticated
    async def get(self, path: str = "") -> None:
        """Look whether a kernel runs for a notebook, and hand it out."""
        manager: Any = self.session_manager
        sessions: list[dict[str, Any]] = await ensure_async(manager.list_sessions())
        self._has_kernel = any(one["path"] == path.strip("/") for one in sessions)
        await ensure_async(super().get(path))

    def _finish_model(self, model: dict[str, Any], location: bool = True) -> None:
        if not self._has_kernel and model["type"] == "notebook" and model["content"] is not None:
            leave_out_views(model["content"])
        super()._finish_model(model, location)  # type: ignore[no-untyped-call]


def leave_out_views(notebook: Mapping[str, Any]) -> None:
    """Leave live views out of a notebook's outputs, where a page of HTML was saved beside them.

    Parameters
    ----------
    notebook : mapping
        As ``nbformat`` reads it; changed in place.
    """
    for cell in notebook.get("cells", ()):
        for output in cell.get("outputs", ()):
            shown = output.get("data", {})
            if "text/html" in shown:
                shown.pop(_VIEW, None)


def load(server: ServerApp) -> None:
    """Hand out notebooks and connect kernels this way.

    Kernels that the server connects in a way of its own, to a gateway for example, are left to it.
    """
    application: Any = server.web_app
    settings = application.settings
    application.add_handlers(".*$", [(url_path_join(settings["base_url"], _PATH), NotebookHandler)])
    if settings["kernel_websocket_connection_class"] is ZMQChannelsWebsocketConnection:
        settings["kernel_websocket_connection_class"] = PromptConnection
