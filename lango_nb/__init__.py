"""lango_nb: a laboratory for multi-agent routing, inside a notebook.

    %load_ext lango_nb
    %lango

Importing the package does nothing: no directory, no network, no pandas, not even pydantic. Names load when used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what _HOME says, for type checkers and editors
    from IPython.core.interactiveshell import InteractiveShell

    from lango_nb.core.clock import SteppedClock as SteppedClock
    from lango_nb.core.errors import LangoError as LangoError
    from lango_nb.core.ids import CountedIds as CountedIds
    from lango_nb.engine import Engine as Engine
    from lango_nb.lab import Lab as Lab
    from lango_nb.models.scripted import ScriptedModel as ScriptedModel
    from lango_nb.specs.agent import AgentSpec as AgentSpec
    from lango_nb.specs.topology import Topology as Topology
    from lango_nb.tools.context import ToolContext as ToolContext
    from lango_nb.tools.decorator import tool as tool
    from lango_nb.tools.tool import Tool as Tool
    from lango_nb.tools.tool import ToolResult as ToolResult

__version__ = "0.1.0"

_HOME = {
    "Lab": "lango_nb.lab",
    "Engine": "lango_nb.engine",
    "AgentSpec": "lango_nb.specs.agent",
    "Topology": "lango_nb.specs.topology",
    "Tool": "lango_nb.tools.tool",
    "ToolResult": "lango_nb.tools.tool",
    "ToolContext": "lango_nb.tools.context",
    "tool": "lango_nb.tools.decorator",
    "LangoError": "lango_nb.core.errors",
    "SteppedClock": "lango_nb.core.clock",
    "CountedIds": "lango_nb.core.ids",
    "ScriptedModel": "lango_nb.models.scripted",
}
__all__ = ["__version__", "load_ipython_extension", "unload_ipython_extension", *_HOME]  # noqa: PLE0604 - names of _HOME


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'lango_nb' has no attribute {name!r}")
    from lango_nb.core.collector import paused_collector

    with paused_collector():  # the classes of a hundred modules stay: looking for garbage among them finds none
        value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register ``%lango`` and the renderers (``%load_ext lango_nb``)."""
    import_module("lango_nb.commands.notebook.extension").load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take ``%lango`` and the renderers away again (``%unload_ext lango_nb``)."""
    import_module("lango_nb.commands.notebook.extension").unload(shell)


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Say where the extension of Jupyter's server is."""
    return [{"module": "lango_nb"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Answer panels at once, and show those of ended kernels (``--ServerApp.jpserver_extensions=lango_nb=True``)."""
    import_module("lango_nb.commands.terminal.jupyter_server").load(server)
