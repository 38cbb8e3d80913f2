"""A journal in a folder of its own, and a disk that fails when it is told to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lango_nb.stores.journal import JournalDB
from lango_nb.stores.store import Problem
from tests.journals import FailingDisk, Opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "records" / "documents.jsonl"


@pytest.fixture
def problems() -> list[Problem]:
    return []


@pytest.fixture
def disk() -> FailingDisk:
    return FailingDisk()


@pytest.fixture
def opened(path: Path, problems: list[Problem]) -> Iterator[Opened]:
    """Open the file; everything that was opened is closed at the end."""
    databases = []

    def open_it(**options: Any) -> JournalDB:
        options = {"report": problems.append, "lock_timeout_s": 5.0, **options}
        databases.append(JournalDB(path, "documents", **options))
        return databases[-1]

    yield open_it
    for database in databases:
        database.close()


HOLDER = """
import sys
import subprocess
import sys
from pathlib import Path
from lango_nb.stores.journal import JournalDB
with JournalDB(Path(sys.argv[1]), "documents").locked():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Let another process hold the lock until it is killed."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()
