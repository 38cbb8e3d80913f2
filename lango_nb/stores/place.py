"""Where a store in files is, and how it is written there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lango_nb.core.errors import StoreError
from lango_nb.stores.disk import Disk
from lango_nb.stores.store import Durability, Problem

_Code = Literal["full", "locked", "read_only", "newer_schema", "damaged", "unsaved"]
_CODES: Mapping[str, _Code] = {
    "full": "full",
    "locked": "locked",
    "read_only": "read_only",
    "newer_schema": "newer_schema",
    "damaged": "damaged",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, and what all parts of a store do there in the same way."""

    folder: Path
    durability: Durability
    lock_timeout_s: float
    """How long a lock of another process is waited for."""
    report: Callable[[Problem], None]
    """Gets every problem."""
    disk: Disk
    is_read_only: bool = False
    """Whether nothing can be written: nothing is mended then, and no lock is taken."""

    @property
    def is_durable(self) -> bool:
        """Whether anything is ever forced to the disk."""
        return self.durability != "none"


def problem_of(error: StoreError, where: str, next_step: str) -> Problem:
    """Make a problem of an error that nobody needs to stop for.

    Parameters
    ----------
    error : StoreError
    where : str
    next_step : str

    Returns
    -------
    Problem
    """
    return Problem(_CODES.get(error.code, "unsaved"), where, str(error), next_step)
