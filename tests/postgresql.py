"""A PostgreSQL server for tests: its address comes from the environment, every store gets a schema of its own."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest

VARIABLE = "LANGO_TEST_POSTGRESQL"
"""Address of a server on which schemas may be made and dropped: ``postgresql://USER@HOST/NAME``."""
_numbers = itertools.count(1)


def need_postgresql() -> str:
    """Return the address; skip a test on a machine without a server, and fail it in CI, where there has to be one."""
    address = os.environ.get(VARIABLE, "")
    if not address and os.environ.get("CI"):
        pytest.fail(f"no PostgreSQL server, and CI may not skip these tests; .ci/run starts one and sets {VARIABLE}")
    if not address:
        pytest.skip(f"no PostgreSQL server; set {VARIABLE} to the address of one, or run .ci/run")
    return address


@contextmanager
def schema() -> Iterator[str]:
    """Make a schema and drop it again; gives the address of a store in it."""
    address = need_postgresql()
    name = f"lango_test_{os.getpid()}_{next(_numbers)}"
    run_sql(address, f"CREATE SCHEMA {name}")
    try:
        yield in_schema(address, name)
    finally:
        run_sql(address, f"DROP SCHEMA {name} CASCADE")


def in_schema(address: str, name: str) -> str:
    """Return the address of a schema on a server."""
    return f"{address}{'&' if '?' in address else '?'}options={quote(f'-csearch_path={name}', safe='')}"


def run_sql(address: str, *statements: str) -> list[tuple[object, ...]]:
    """Carry out statements, and return the rows of the last one."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []
