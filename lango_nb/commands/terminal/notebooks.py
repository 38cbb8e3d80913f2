"""The notebooks that come with the package, and copying them into a folder of the user's without touching anything.

    nothing there yet            copied
    there, and the same          left alone
    there, but another version   left alone; the shipped one is put beside it as ``<name>.new.ipynb``

A notebook counts as the same while its cells hold the same sources: running one changes outputs, counts and metadata,
and that is what notebooks are for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lango_nb.core.errors import LangoError, UsageError

START = "00_start_here.ipynb"
"""The notebook that is opened first; it links to the others."""
_SKIPPED = ("__pycache__",)


@dataclass(frozen=True, slots=True)
class Copied:
    """What copying did, as paths relative to the folder."""

    new: tuple[str, ...] = ()
    """Files that were not there before."""
    beside: tuple[str, ...] = ()
    """Shipped versions put beside a file that differs."""
    kept: tuple[str, ...] = ()
    """Files that were there and stay as they are."""


def shipped_notebooks() -> Path:
    """Return the folder of the shipped notebooks: in the package, or beside it in a checkout.

    Raises
    ------
    LangoError
        There are none; the installation is not complete.
    """
    package = Path(__file__).resolve().parents[2]
    for folder in (package / "data" / "notebooks", package.parent / "notebooks"):
        if (folder / START).is_file():
            return folder
    raise LangoError("the notebooks are missing from this installation; reinstall lango-nb from its wheel or checkout")


def copy_notebooks(source: Path, target: Path) -> Copied:
    """Copy a folder of notebooks, never overwriting anything.

    Parameters
    ----------
    source : Path
        Hidden files and folders in it are left out.
    target : Path
        Made when it is not there.

    Returns
    -------
    Copied

    Raises
    ------
    UsageError
        The target cannot be made or written.
    """
    new, beside, kept = [], [], []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in _files(source):
            content = (source / name).read_bytes()
            if _write(target / name, content):
                new.append(name.as_posix())
                continue
            kept.append(name.as_posix())
            if not _is_same(target / name, content):
                place = _write_beside(target / name, content)
                if place is not None:
                    beside.append(place.relative_to(target).as_posix())
    except OSError as error:
        raise UsageError(
            f"the folder {str(target)!r} cannot be written: {error.strerror or error}; choose another with --dir"
        ) from error
    return Copied(tuple(new), tuple(beside), tuple(kept))


def _files(source: Path) -> Iterator[Path]:
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        if path.is_file() and not any(part.startswith(".") or part in _SKIPPED for part in name.parts):
            yield name


def _write(path: Path, content: bytes) -> bool:
    """Write a file that is not there yet; ``False`` when something is, be it a link that leads nowhere."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        return False
    return True


def _write_beside(path: Path, content: bytes) -> Path | None:
    """Put a version beside a file; ``None`` when it is already there."""
    number = 1
    while True:
        place = path.with_name(f"{path.stem}.new{number if number > 1 else ''}{path.suffix}")
        if _write(place, content):
            return place
        if _is_same(place, content):
            return None
        number += 1


def _is_same(path: Path, content: bytes) -> bool:
    try:
        found = path.read_bytes()
    except OSError:  # a folder, or a link that leads nowhere
        return False
    if found == content:
        return True
    if path.suffix != ".ipynb":
        return False
    sources = _sources(found)
    return sources is not None and sources == _sources(content)


def _sources(content: bytes) -> list[tuple[str, str]] | None:
    """Return type and source of every cell; ``None`` when this is not a notebook."""
    try:
        cells = json.loads(content)["cells"]
        return [(cell["cell_type"], _joined(cell["source"])) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _joined(source: Any) -> str:
    return source if isinstance(source, str) else "".join(source)
