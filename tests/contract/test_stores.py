"""Every store keeps the contract of ``lango_nb.testing``."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy.engine import make_url

from lango_nb.stores.memory import MemoryStore
from lango_nb.stores.sql import SqlStore
from lango_nb.testing import StoreContract

POSTGRESQL = os.environ.get("LANGO_TEST_POSTGRESQL", "")
"""Address of a database in which the tests may make schemas."""
NOBODY = 65534
ROOM = 100_000


@contextmanager
def full(place: Path) -> Iterator[None]:
    """No file of this process grows any more."""
    largest = max((path.stat().st_size for path in place.rglob("*") if path.is_file()), default=0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def protected(place: Path) -> Iterator[None]:
    """Nobody may write there; root may everything, so a test run as root becomes somebody else."""
    for path in place.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    place.chmod(0o555)
    closed = [path for path in place.parents if path.stat().st_mode & 0o777 == 0o700]
    for path in closed:
        path.chmod(0o711)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for path in closed:
            path.chmod(0o700)
        place.chmod(0o700)
        for path in place.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)


class TestMemoryStore(StoreContract):
    is_durable = False
    processes = False

    def make(self, place: Path) -> MemoryStore:
        return MemoryStore()


class OfFiles(StoreContract):
    """What can be done to every store that lies in files."""

    def lose(self, place: Path) -> None:
        for path in place.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    fill = staticmethod(full)
    protect = staticmethod(protected)


class TestSqliteStore(OfFiles):
    def make(self, place: Path, lock_timeout_s: float = 10.0) -> SqlStore:
        return SqlStore(f"sqlite:///{place / 'records.db'}", lock_timeout_s=lock_timeout_s)

    def make_impatient(self, place: Path) -> SqlStore:
        return self.make(place, 0.2)

    def change(self, place: Path, statement: str, *values: str) -> None:
        connection = sqlite3.connect(place / "records.db")
        with connection:
            connection.execute(statement, values)
        connection.close()

    def make_newer(self, place: Path) -> None:
        self.change(place, "UPDATE lango_meta SET value = value + 1 WHERE name = 'schema'")

    def damage(self, place: Path, text: str) -> None:
        for table in ("lango_documents", "lango_events"):
            self.change(place, f"UPDATE {table} SET data = replace(data, ?, '\"')", text)


@pytest.mark.skipif(not POSTGRESQL, reason="LANGO_TEST_POSTGRESQL names no database")
class TestPostgresqlStore(StoreContract):
    def make(self, place: Path, lock_timeout_s: float = 10.0) -> SqlStore:
        name = schema(place)
        try:
            execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
        except psycopg.errors.UniqueViolation:
            pass  # another process makes it at the same time
        url = make_url(POSTGRESQL).update_query_dict({"options": f"-csearch_path={name}"})
        return SqlStore(url.render_as_string(hide_password=False), lock_timeout_s=lock_timeout_s)

    def discard(self, place: Path) -> None:
        execute(f"DROP SCHEMA IF EXISTS {schema(place)} CASCADE")

    def make_impatient(self, place: Path) -> SqlStore:
        return self.make(place, 0.2)

    def make_newer(self, place: Path) -> None:
        execute(f"UPDATE {schema(place)}.lango_meta SET value = value + 1 WHERE name = 'schema'")

    def damage(self, place: Path, text: str) -> None:
        for table in ("lango_documents", "lango_events"):
            execute(f"UPDATE {schema(place)}.{table} SET data = replace(data, %s, '\"')", text)


def schema(place: Path) -> str:
    return "lango_" + hashlib.sha256(str(place).encode()).hexdigest()[:16]


def execute(statement: str, *values: Any) -> None:
    with psycopg.connect(POSTGRESQL, autocommit=True) as connection:
        connection.execute(statement, values or None)  # type: ignore[call-overload]  # a name of our own within it


def test_a_postgresql_server_is_there_in_ci() -> None:
    assert POSTGRESQL or not os.environ.get("CI"), "in CI no store goes untested; set LANGO_TEST_POSTGRESQL"
