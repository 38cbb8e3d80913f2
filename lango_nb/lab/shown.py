"""Small words and tables that several parts of a lab share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.routing.diff import TreeDiff
from lango_nb.routing.partition import Assignment
from lango_nb.routing.tree import AgentNode
from lango_nb.viz.table import Table
from lango_nb.viz.view import View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.engine import Engine
    from lango_nb.stores.store import Store


def frames() -> Any:
    """Return the module of frames; pandas loads with the first of them."""
    from lango_nb import frames

    return frames


def diff_view(found: TreeDiff, shown: Table | None = None) -> View[TreeDiff]:
    """Show what changed between two trees."""

    def frame() -> pd.DataFrame:
        columns = ["tool", "change", "before", "after", "rule_before", "rule_after"]
        rows = [[getattr(change, column) for column in columns] for change in found.tools]
        return texts_table(columns, rows)

    return View(found, frame, shown)


def source_of(node: AgentNode) -> str:
    """Say where the definition of an agent comes from."""
    return node.spec.source.name.lower() if node.spec is not None else "builtin"


def owner_of(item: Assignment) -> str:
    """Name who has a tool, in the words of the pictures."""
    return item.agent or {"universal": "everybody", "dropped": "root only"}.get(item.rule, "nobody")


def counted(number: int, noun: str) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> counted(1, "turn"), counted(2, "turn")
    ('1 turn', '2 turns')
    """
    return f"{number} {noun if number == 1 else noun + 's'}"


def left_open(engine: Engine) -> dict[str, str]:
    """Say that an earlier process left calls open, under the name of that row; nothing where it did not."""
    left = engine.approvals.left
    return {"left open": f"{counted(len(left), 'call')} of an earlier process: %lango approvals"} if left else {}


def shown_folder(folder: Path) -> str:
    """Name a folder without its path, so that saved notebooks do not tell where they ran."""
    return "." if folder == Path.cwd() else folder.name


def texts_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return rows of texts as a frame."""
    from lango_nb.frames.texts import texts_df

    return texts_df(columns, rows)


def shown_store(store: Store) -> str:
    """Say where records lie; of a place elsewhere its last two names, so that notebooks do not tell where they ran.

    Parameters
    ----------
    store : Store
    """
    if not store.is_durable:
        return "in memory; %lango open FOLDER keeps them"
    place = store.where
    path = Path(place).expanduser()
    if "://" not in place and path.is_absolute():
        here = Path.cwd()
        if path.is_relative_to(here):
            place = path.relative_to(here).as_posix()
        elif not place.startswith("~"):
            place = "/".join(("…", *path.parts[-2:]))
    return f"{store.name}: {place}"
