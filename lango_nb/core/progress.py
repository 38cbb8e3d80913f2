"""Whether somebody may be shown how far things are."""

from __future__ import annotations

import os

_OFF = {"0", "off", "no", "false"}


def is_wanted() -> bool:
    """Tell whether progress may be shown: ``LANGO_NB_PROGRESS`` says so; without it, everywhere but under pytest.

    A kernel that pytest starts, nbval's for instance, has nobody who watches, and what changes while a cell runs would
    make the outputs of a notebook depend on how fast the machine is.

    Examples
    --------
    >>> os.environ["LANGO_NB_PROGRESS"] = "off"
    >>> is_wanted()
    False
    >>> del os.environ["LANGO_NB_PROGRESS"]
    """
    said = os.environ.get("LANGO_NB_PROGRESS", "").strip().casefold()
    return said not in _OFF if said else "PYTEST_CURRENT_TEST" not in os.environ
