"""In ``lango lab`` what a kernel says is there at once, and a panel whose kernel has ended is a page."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import lango_nb
from lango_nb.commands.terminal.jupyter_server import leave_out_views, load

CONFIG = Path(lango_nb.__file__).parent / "data" / "jupyter"
SAYS = """import asyncio, gc, socket
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from jupyter_server.serverapp import ServerApp
from tornado.websocket import websocket_connect

async def say():
    kernel = await server.kernel_manager.start_kernel()
    address = f"ws://127.0.0.1:{server.port}/api/kernels/{kernel}/channels?token=t&session_id=s"
    client = await websocket_connect(address)
    await client.read_message()
    (handler,) = [one for one in gc.get_objects() if isinstance(one, KernelWebsocketHandler)]
    held = handler.ws_connection.stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0
    print("held back" if held else "sent at once")
    client.close()
    await server.kernel_manager.shutdown_all(now=True)
    server.io_loop.stop()

server = ServerApp()
server.initialize(["--port=0", "--ip=127.0.0.1", "--no-browser", "--allow-root", "--IdentityProvider.token=t"])
server.io_loop.add_callback(say)
server.io_loop.start()"""


def test_messages_of_kernels_are_sent_at_once(tmp_path: Path) -> None:
    private = {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    env = {**os.environ, **private, "JUPYTER_CONFIG_PATH": str(CONFIG), "PYTHONPATH": str(CONFIG.parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", SAYS], check=False, env=env, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.strip().endswith("sent at once"), done.stderr[-3000:]


def test_kernels_of_a_gateway_are_connected_as_before() -> None:
    class Gateway:
        pass

    settings: dict[str, Any] = {"kernel_websocket_connection_class": Gateway, "base_url": "/"}
    load(cast("Any", SimpleNamespace(web_app=SimpleNamespace(settings=settings, add_handlers=lambda *_: None))))
    assert settings["kernel_websocket_connection_class"] is Gateway


def test_a_view_is_left_out_only_where_a_page_was_saved_beside_it() -> None:
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": "Box()"}
    page = {"text/html": "<b>octet</b>"}
    outputs: list[dict[str, Any]] = [
        {"output_type": "display_data", "data": {**view, **page}},
        {"output_type": "display_data", "data": dict(view)},
        {"output_type": "stream", "text": "hello"},
    ]
    leave_out_views({"cells": [{"cell_type": "code", "outputs": outputs}, {"cell_type": "markdown", "source": "# A"}]})
    assert outputs[0]["data"] == {"text/plain": "Box()", **page}
    assert outputs[1]["data"] == view
    assert outputs[2]["text"] == "hello"
