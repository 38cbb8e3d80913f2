"""How far an evaluation is: a bar in a terminal or a notebook, nothing elsewhere.

:func:`lango_nb.core.progress.is_wanted` tells where nobody wants one.
"""

from __future__ import annotations

import sys
from typing import Any

from lango_nb.core.progress import QUIET_S, is_wanted


class Bar:
    """A bar that goes away at the end: what stays is the result.

    Parameters
    ----------
    what : str
        What is counted.
    is_notebook : bool
        Whether a kernel shows it; a terminal otherwise.
    unit : str
        What one of them is called.
    """

    def __init__(self, what: str, *, is_notebook: bool = False, unit: str = "request") -> None:
        self._what, self._is_notebook, self._unit = what, is_notebook, unit
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        """Show that so many of so many are done."""
        if self._bar is None:
            self._bar = self._make(total)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Take it away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _make(self, total: int) -> Any:
        from tqdm import auto, std

        make: Any = auto.tqdm if self._is_notebook else std.tqdm
        return make(total=total, desc=self._what, unit=self._unit, leave=False, delay=QUIET_S)


def automatic_bar(what: str, unit: str = "request") -> Bar | None:
    """Return a bar where somebody can see it; nothing otherwise.

    Parameters
    ----------
    what : str
        What is counted.
    unit : str
        What one of them is called.
    """
    if not is_wanted():
        return None
    is_notebook = _is_kernel()
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    return Bar(what, is_notebook=is_notebook, unit=unit) if is_notebook or is_terminal else None


def _is_kernel() -> bool:
    """Tell whether this is a notebook's kernel, without loading IPython to find out."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return getattr(shell, "kernel", None) is not None
