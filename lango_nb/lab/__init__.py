"""The notebook's door; see :mod:`lango_nb.lab.lab`."""

from lango_nb.lab.lab import Lab
from lango_nb.lab.making import ToolsLike, read_approver, read_tools

__all__ = ["Lab", "ToolsLike", "read_approver", "read_tools"]
