"""A store in an SQL database: a file of SQLite, or a PostgreSQL server that many people share.

Everything that knows SQLAlchemy is here: connections, transactions, and what the errors of drivers mean. The tables and
what is done with them is in ``stores/database/``.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from lango_nb.core.errors import StoreError
from lango_nb.stores.atomic import store_error
from lango_nb.stores.database.address import DATABASES, missing_extra, one_line, shown_file
from lango_nb.stores.database.checking import check
from lango_nb.stores.database.documents import SqlDocuments
from lango_nb.stores.database.log import SqlLog
from lango_nb.stores.database.reading import Reader
from lango_nb.stores.database.tables import COUNT, POSTGRESQL, SCHEMA_OF, SQLITE, Dialect
from lango_nb.stores.database.writers import AdvisoryLocks, FileLocks, Writers
from lango_nb.stores.lines import check_header
from lango_nb.stores.locks import tell_after_fork
from lango_nb.stores.store import Durability, Problem

if TYPE_CHECKING:
    import sqlite3

    import sqlalchemy
    from sqlalchemy.engine import URL, Engine
    from sqlalchemy.exc import SQLAlchemyError

T = TypeVar("T")
