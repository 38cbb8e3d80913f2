"""The stores that are tested, each at a place of its own, and what can be done to what lies there."""

from __future__ import annotations

import hashlib
import os
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from lango_nb.stores import sql
from lango_nb.stores.sql import SqlStore
from lango_nb.stores.store import Durability
from tests.postgresql import in_schema, need_postgresql, run_sql

NOBODY = 65534
ROOM = 300_000


def sqlite_store(place: Path, durability: Durability = "turn", lock_timeout_s: float = 10.0) -> SqlStore:
    """Open the SQLite file at a place."""
    return sql.sqlite_store(place / "records.db", durability, lock_timeout_s)


def postgresql_store(place: Path, durability: Durability = "turn", lock_timeout_s: float = 10.0) -> SqlStore:
    """Open the schema that is named after a place."""
    import psycopg

    address, name = need_postgresql(), schema_of(place)
    with suppress(psycopg.errors.UniqueViolation):  # another process makes it at the same time
        run_sql(address, f"CREATE SCHEMA IF NOT EXISTS {name}")
    return sql.postgresql_store(in_schema(address, name), durability, lock_timeout_s)


def schema_of(place: Path) -> str:
    """Return the name of the schema of a place."""
    return f"lango_test_{hashlib.sha256(str(place).encode()).hexdigest()[:16]}"


def drop_schema(place: Path) -> None:
    """Take away the schema of a place."""
    run_sql(need_postgresql(), f"DROP SCHEMA IF EXISTS {schema_of(place)} CASCADE")


def change_sqlite(place: Path, statement: str) -> None:
    """Carry out a statement behind the store's back."""
    with closing(sqlite3.connect(place / "records.db")) as connection, connection:
        connection.execute(statement)


@contextmanager
def full(place: Path) -> Iterator[None]:
    """No file of this process can grow by more than a little."""
    largest = max((path.stat().st_size for path in place.rglob("*") if path.is_file()), default=0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def protected(place: Path) -> Iterator[None]:
    """Nobody may write there; root may do everything, so a test run as root becomes somebody else."""
    inside = [place, *place.rglob("*")]
    for path in inside:
        path.chmod(0o555 if path.is_dir() else 0o444)
    around = [path for path in place.parents if path.stat().st_mode & 0o777 == 0o700]
    for path in around:
        path.chmod(0o711)
    is_root = os.geteuid() == 0
    if is_root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if is_root:
            os.setresuid(0, 0, 0)
        for path in [*around, *inside]:
            path.chmod(0o700 if path.is_dir() else 0o600)
