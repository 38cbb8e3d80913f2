"""How often memories were found, and when last: a small file that is not part of the history."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from lango_nb.core.errors import StoreError
from lango_nb.specs.genome.memories import Use


class Uses:
    """The file of use counters.

    Parameters
    ----------
    path : Path

    Notes
    -----
    A file that is damaged counts as empty: memories fade from the day they were noted then.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._found: dict[str, Use] = {}

    def all(self) -> Mapping[str, Use]:
        """Return the uses of memories by id."""
        try:
            stats = self._path.stat()
            stamp = (stats.st_mtime_ns, stats.st_size, stats.st_ino)
            if stamp != self._stamp:
                self._found = _read(self._path.read_bytes())
                self._stamp = stamp
        except FileNotFoundError:
            self._stamp, self._found = None, {}
        except OSError as error:
            raise StoreError(f"{self._path.name} cannot be read ({error.strerror}); see who may read it") from error
        return self._found

    def add(self, ids: Collection[str], at: datetime, known: Collection[str]) -> None:
        """Count one more use of each memory, and forget those that are no longer known; while the genome is locked."""
        found = {name: use for name, use in self.all().items() if name in known}
        for name in ids:
            before = found.get(name)
            found[name] = Use(at.astimezone(UTC), (before.count if before is not None else 0) + 1)
        values = {name: [use.last_used_at.isoformat(), use.count] for name, use in sorted(found.items())}
        beside = self._path.with_name(f"{os.urandom(8).hex()}.tmp")
        try:
            self._path.parent.mkdir(exist_ok=True)
            beside.write_text(json.dumps(values), encoding="utf-8")
            beside.replace(self._path)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            what = f"{self._path.name} cannot be written ({error.strerror}); see to space and rights there"
            raise StoreError(what, "read_only") from error


def _read(data: bytes) -> dict[str, Use]:
    try:
        values = json.loads(data)
        return {str(name): Use(datetime.fromisoformat(at), int(count)) for name, (at, count) in values.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
