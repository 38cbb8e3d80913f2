"""Write the records of the present version: ``python -m tests.data.stores.make``, once for every new schema.

What it writes stays: later versions must read it. The turns are always the same, only the version differs.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.stores.schema import SCHEMA

HERE = Path(__file__).parent
REQUESTS = ("hello", "count the lines of notes.md", "create a task: water the basil")


def fill(store: Path | str, workspace: Path) -> None:
    """Run a few turns and keep them."""
    settings = Settings.model_validate(
        {"agent": {"multiAgent": True}, "background": {"enabled": True}, "agentMemory": {"enabled": True}}
    )
    (workspace / "notes.md").write_text("one\ntwo\n", encoding="utf-8")
    engine = Engine(
        settings, workspace=workspace, approver="allow", clock=SteppedClock(), ids=CountedIds(), store=store
    )
    for request in REQUESTS:
        engine.run_sync(request)
    engine.memories.save("operator", "tone", "Short answers.", kind="preference")
    engine.close()


def main() -> int:
    """Write a database for the present schema, as the statements that make it."""
    with tempfile.TemporaryDirectory() as place:
        database = Path(place, "records.db")
        fill(f"sqlite:///{database}", Path(place))
        with closing(sqlite3.connect(database)) as connection:
            (HERE / f"schema-{SCHEMA}.sql").write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
