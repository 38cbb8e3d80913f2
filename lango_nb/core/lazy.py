"""Regular expressions that are compiled when they are first used: a process pays for none that it does not meet."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern, once.

    Parameters
    ----------
    pattern : str
        With its flags, ``(?i)…``.

    Returns
    -------
    re.Pattern
    """
    return re.compile(pattern)
