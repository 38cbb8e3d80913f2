"""Packs of a genome's repository, made now and then as ``git gc --auto`` does; nothing is thrown away.

    many loose objects   ─→ one pack, similar ones as differences ─→ on the disk ─→ the loose files go
    many small packs     ─→ one larger pack                       ─→ on the disk ─→ the small ones go

A folder of a thousand agents takes 36 kB for each commit, and some sixty bytes as the difference to the one before.
Whoever reads meanwhile finds every object: it is in its new place before it leaves the old one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from lango_nb.core.paths import sync_folder

_LOOSE = 1_000
"""So many objects may lie about in files of their own."""
_SMALL, _PACKS = 16_000, 16
"""Of packs of at most so many objects, so many may be there."""
_CHAIN = 50
"""How long a chain of differences may grow."""
_LEFT = ("tmp*.pack", "pack-*.idx.lock")
"""What dulwich leaves where its process ends while it writes a pack; git calls its own tmp_pack_*."""
Kind = Literal["commit", "tree", "blob"]
KINDS: Mapping[Kind, int] = {"commit": 1, "tree": 2, "blob": 3}
"""Git's numbers of kinds."""
Raw = tuple[Kind, bytes]
"""An object as it was written, without what git puts before it."""


class Packs:
    """The objects of a repository and the packs that they are in; call it while the repository is locked.

    Parameters
    ----------
    folder : Path
        ``objects`` in the repository.
    store : callable
        Returns dulwich's store of them.
    """

    def __init__(self, folder: Path, store: Callable[[], Any]) -> None:
        self._folder, self._store = folder, store
        self._loose: int | None = None

    def added(self, number: int) -> None:
        """Note that so many loose objects were written; pack them once there are many."""
        self._loose = len(self._files()) if self._loose is None else self._loose + number
        if self._loose >= _LOOSE:
            self._pack_loose()
            self._merge()
            self._loose = 0

    def write(self, objects: Mapping[str, Raw]) -> None:
        """Write objects into a pack of their own, and make sure that it stays there."""
        self._write({name: (KINDS[kind], data) for name, (kind, data) in objects.items()})

    def left(self) -> list[Path]:
        """Return what processes left half done that were killed meanwhile."""
        return [
            one
            for pattern in _LEFT
            for one in (self._folder / "pack").glob(pattern)
            if not one.name.startswith("tmp_pack_")
        ]

    def _pack_loose(self) -> None:
        files = sorted(self._files(), key=lambda one: one.stat().st_mtime_ns)
        store = self._store()
        names = [f"{one.parent.name}{one.name}" for one in files]
        self._write({name: store.get_raw(name.encode()) for name in names})
        for one in files:
            one.unlink(missing_ok=True)

    def _merge(self) -> None:
        """Put small packs into a larger one, where there are many."""
        store = self._store()
        small = [pack for pack in store.packs if len(pack) <= _SMALL and self._is_plain(pack)]
        if len(small) < _PACKS or (self._folder / "pack" / "multi-pack-index").exists():
            return
        small.sort(key=lambda pack: Path(pack.data.path).stat().st_mtime_ns)
        objects: dict[str, tuple[int, bytes]] = {}
        for pack in small:
            for name, _, _ in sorted(pack.index.iterentries(), key=lambda entry: entry[1]):
                objects.setdefault(name.hex(), pack.get_raw(name))
        made = self._write(objects)
        for pack in small:
            if pack.name() != made:
                for one in sorted(self._beside(pack)):  # .idx before .pack: without it nobody looks for the other
                    one.unlink(missing_ok=True)

    def _write(self, objects: Mapping[str, tuple[int, bytes]]) -> bytes:
        """Write a pack of objects with the numbers of their kinds; return its name."""
        from dulwich.objects import ObjectID, ShaFile
        from dulwich.pack import deltas_from_sorted_objects

        order = sorted(objects.items(), key=lambda one: (one[1][0], len(one[1][1]).bit_length()))  # the oldest first
        files = [ShaFile.from_raw_string(*raw, sha=ObjectID(name.encode())) for name, raw in order]
        chains = ([(one, None) for one in files[at : at + _CHAIN]] for at in range(0, len(files), _CHAIN))
        found: Iterable[Any] = chain.from_iterable(
            deltas_from_sorted_objects(iter(one), window_size=1) for one in chains
        )
        pack = self._store().add_pack_data(len(files), iter(found))
        sync_folder(self._folder / "pack")
        name: bytes = pack.name() if pack is not None else b""
        return name

    def _is_plain(self, pack: Any) -> bool:
        """Tell whether nothing else belongs to a pack: somebody wants to keep it, or git knows more about it."""
        return {one.suffix for one in self._beside(pack)} <= {".idx", ".pack", ".rev"}

    def _beside(self, pack: Any) -> list[Path]:
        return [*(self._folder / "pack").glob(f"pack-{pack.name().decode()}.*")]

    def _files(self) -> list[Path]:
        """Return the files of objects that are in no pack."""
        folders = [one for one in self._folder.iterdir() if re.fullmatch("[0-9a-f]{2}", one.name)]
        return [one for folder in folders for one in folder.iterdir() if re.fullmatch("[0-9a-f]{38}", one.name)]
