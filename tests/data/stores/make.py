"""Write the records of the present version: ``python -m tests.data.stores.make``, once for every new schema.

What it writes stays: later versions must read it. The turns are always the same, only the version differs.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.stores.store import SCHEMA

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
    """Write a folder and a database for the present schema."""
    with tempfile.TemporaryDirectory() as place:
        folder, database = Path(place, "records"), Path(place, "records.db")
        fill(folder, Path(place))
        fill(f"sqlite:///{database}", Path(place))
        target = HERE / f"schema-{SCHEMA}"
        shutil.rmtree(target, ignore_errors=True)
        (target / "events").mkdir(parents=True)
        for name in ("documents.jsonl", "index.jsonl"):
            shutil.copy(folder / name, target / name)
        for log in (folder / "events").glob("*.jsonl"):
            shutil.copy(log, target / "events" / log.name)
        connection = sqlite3.connect(database)
        (HERE / f"schema-{SCHEMA}.sql").write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
        connection.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
