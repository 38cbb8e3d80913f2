"""Keyboard shortcuts and clicks that need JavaScript. They are optional: every view works without them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from lango_nb.widgets.as_live import reachable

Press = Callable[[Mapping[str, Any]], None]


class Keys(anywidget.AnyWidget):
    """An invisible widget that listens to keys and clicks. A front end that cannot run its script shows the same view.

    Parameters
    ----------
    press : callable
        Called with a message: ``do`` is ``next``, ``previous``, ``back``, ``on``, ``all`` or ``at``. The last one also
        has ``lane``, the index of the clicked lane, and ``share``, the horizontal position as a fraction of its width.
    """

    _esm: ClassVar[Path] = Path(__file__).with_name("keys.js")
    mark = traitlets.Unicode().tag(sync=True)
    """CSS class of a direct child of the element to listen to."""

    def __init__(self, press: Press) -> None:
        super().__init__()
        self.mark = f"lango-keys-{self.model_id}"
        self.on_msg(lambda _widget, content, _buffers: press(content))
        reachable(self)
