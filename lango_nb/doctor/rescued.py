"""What came of copying damaged records into a new file."""

from __future__ import annotations

from pathlib import Path

from lango_nb.doctor.finding import Finding
from lango_nb.stores.rescue import rescue
from lango_nb.stores.sqlite import shown_path


def rescued(source: Path, target: Path) -> Finding:
    """Copy what can be read of records into a new file.

    Parameters
    ----------
    source, target : Path

    Returns
    -------
    Finding
        With how many rows there are of each kind.

    Raises
    ------
    StoreError
        Nothing can be read, or the target is there already.
    """
    copied = rescue(source, target)
    rows = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in copied.items() if count)
    text = f"copied what can be read of {shown_path(source)} into {shown_path(target)}: {rows}"
    step = f"look at it with --settings store.url=sqlite:///{target}, then put it in the place of {source.name}"
    return Finding("rescue", "ok", text, next_step=step)
