"""Keys and clicks that need a script: more than plain widgets can, and nothing that a view depends on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from lango_nb.widgets.as_live import reachable

Press = Callable[[Mapping[str, Any]], None]


class Keys(anywidget.AnyWidget):
    """Listens in the page, and shows nothing: a front end that does not run its script shows the same view.

    Parameters
    ----------
    press : callable
        Is told what was pressed: ``do`` is ``next``, ``previous``, ``back``, ``on``, ``all`` or ``at``; the last has
        ``lane`` and ``share``, the number of the lane that was clicked and how far to its right.
    """

    _esm: ClassVar[Path] = Path(__file__).with_name("keys.js")
    mark = traitlets.Unicode().tag(sync=True)
    """The class of a child of what it listens to."""

    def __init__(self, press: Press) -> None:
        super().__init__()
        self.mark = f"lango-keys-{self.model_id}"
        self.on_msg(lambda _widget, content, _buffers: press(content))
        reachable(self)
