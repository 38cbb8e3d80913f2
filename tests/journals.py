"""What tests of the journal look at: its file, its quarantine, and a disk that fails."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lango_nb.stores.disk import Disk
from lango_nb.stores.journal import JournalDB
from lango_nb.stores.store import Problem

Opened = Callable[..., JournalDB]


def texts(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]


def quarantined(path: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted((path.parent / ".quarantine").glob("*"))]


def filled(opened: Opened, count: int = 5) -> JournalDB:
    database = opened()
    for number in range(1, count + 1):
        database.insert({"n": number})
    return database


def numbers(database: JournalDB) -> list[int]:
    return [document["n"] for document in database.all()]


class FailingDisk(Disk):
    """A disk that takes a number of bytes and then fails."""

    def __init__(self) -> None:
        self.room: int | None = None
        self.at_once = 1 << 30
        self.sync_error = self.replace_error = self.truncate_error = self.open_error = 0
        self.synced = 0

    def open(self, path: Path, flags: int) -> int:
        if self.open_error and flags & (os.O_RDWR | os.O_CREAT):
            raise OSError(self.open_error, os.strerror(self.open_error))
        return super().open(path, flags)

    def make_folder(self, path: Path) -> None:
        if self.open_error:
            raise OSError(self.open_error, os.strerror(self.open_error))
        super().make_folder(path)

    def write_some(self, descriptor: int, data: memoryview) -> int:
        size = min(len(data), self.at_once)
        if self.room is not None:
            size = min(size, self.room)
            if not size:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.room -= size
        return super().write_some(descriptor, data[:size])

    def sync(self, descriptor: int) -> None:
        self.synced += 1
        if self.sync_error:
            raise OSError(self.sync_error, os.strerror(self.sync_error))
        super().sync(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        if self.replace_error:
            raise OSError(self.replace_error, os.strerror(self.replace_error))
        super().replace(source, target)

    def truncate(self, descriptor: int, size: int) -> None:
        if self.truncate_error:
            raise OSError(self.truncate_error, os.strerror(self.truncate_error))
        super().truncate(descriptor, size)
