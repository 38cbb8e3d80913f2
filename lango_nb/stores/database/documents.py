"""Documents of one kind, as rows of one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lango_nb.core.errors import StoreError
from lango_nb.stores.database import queries
from lango_nb.stores.database.tables import Connection, Database
from lango_nb.stores.database.texts import BY_HAND, member, to_name, to_text
from lango_nb.stores.memory import key_of, narrowed
from lango_nb.stores.store import Row

if TYPE_CHECKING:
    from pydantic import JsonValue

    from lango_nb.stores.database.reading import Reader

_GET = "SELECT data FROM lango_documents WHERE kind = :kind AND id = :id"
_ADD = "INSERT INTO lango_documents (kind, id, data) VALUES (:kind, :id, :data) ON CONFLICT (kind, id) "
_PUT = _ADD + "DO UPDATE SET data = excluded.data"


class SqlDocuments:
    """Rows of one kind.

    Parameters
    ----------
    database : Database
    reader : Reader
    kind : str
    """

    def __init__(self, database: Database, reader: Reader, kind: str) -> None:
        self._database, self._reader = database, reader
        self._kind, self._name = kind, to_name(kind)

    def get(self, key: str) -> Row | None:
        """Return a row, or ``None``."""
        found = self._database.read(lambda connection: self._found(connection, key), None)
        return self._row(found[0], key) if found is not None else None

    def put(self, *rows: Row, is_urgent: bool = True) -> None:
        """Keep rows, all or none."""
        texts = {key_of(row, self._kind): to_text(row) for row in rows}
        values: list[dict[str, object]] = [
            {"kind": self._name, "id": to_name(key), "data": text} for key, text in texts.items()
        ]
        if values:
            self._database.write(lambda connection: connection.each(_PUT, values), is_urgent=is_urgent)

    def add(self, row: Row, *, is_urgent: bool = True) -> None:
        """Keep a row whose id is new."""
        key, text = key_of(row, self._kind), to_text(row)

        def work(connection: Connection) -> None:
            if not connection.change(_ADD + "DO NOTHING", kind=self._name, id=to_name(key), data=text):
                raise StoreError(f"{self._kind} {key} is there already; every one needs an id of its own", "conflict")

        self._database.write(work, is_urgent=is_urgent)

    def change(self, key: str, change: Callable[[Row], Row], *, is_urgent: bool = True) -> Row | None:
        """Replace a row by what a function makes of it."""

        def work(connection: Connection) -> Row | None:
            found = self._found(connection, key, self._database.dialect.locked)
            if found is None:
                return None
            changed = change(self._row(found[0], key))
            if key_of(changed, self._kind) != key:
                raise StoreError(f"{self._kind} {key} cannot become {changed['id']}; put it as a new one", "bad_row")
            connection.change(
                "UPDATE lango_documents SET data = :data WHERE kind = :kind AND id = :id",
                data=to_text(changed),
                kind=self._name,
                id=to_name(key),
            )
            return changed

        return self._database.write(work, is_urgent=is_urgent) if self._database.exists() else None

    def remove(self, *keys: str) -> int:
        """Forget rows and count them."""
        dialect = self._database.dialect
        statement = f"DELETE FROM lango_documents WHERE kind = :kind AND {dialect.among('id', 'ids')}"  # noqa: S608
        ids = dialect.values([to_name(key) for key in keys])
        if not keys or not self._database.exists():
            return 0
        return self._database.write(lambda connection: connection.change(statement, kind=self._name, ids=ids))

    def find(
        self, where: Mapping[str, JsonValue] | None = None, *, newest_first: bool = False, limit: int | None = None
    ) -> list[Row]:
        """Return rows whose fields equal all given values."""
        statement = "SELECT id, data FROM lango_documents WHERE kind = :kind"
        values: dict[str, object] = {"kind": self._name}
        for name, value in (where or {}).items():
            text = member(name, value)
            if text:
                parameter = f"member_{len(values)}"
                condition = self._database.dialect.holds("data", parameter)
                statement += f" AND ({condition} OR data LIKE '{BY_HAND}%')"
                values[parameter] = text
        statement += " ORDER BY position"
        if newest_first:
            statement += " DESC"
        if limit is not None and not where:
            statement += " LIMIT :limit"
            values["limit"] = queries.limit(limit)
        found = self._database.rows(statement, **values)
        rows = self._reader.all("lango_documents", found)
        return narrowed(rows, where, newest_first=False, limit=queries.limit(limit))

    def __len__(self) -> int:
        statement = "SELECT count(*) FROM lango_documents WHERE kind = :kind"
        return int(self._database.read(lambda connection: connection.row(statement, kind=self._name)[0], 0))

    def _found(self, connection: Connection, key: str, locked: str = "") -> tuple[str] | None:
        found: tuple[str] | None = connection.row(_GET + locked, kind=self._name, id=to_name(key))
        return found

    def _row(self, text: str, key: str) -> Row:
        return self._reader.one(f"{self._kind} {key}", "lango_documents", text)
