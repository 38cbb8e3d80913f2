"""TinyDB whose changes are lines at the end of a file: the only place that knows TinyDB.

::

    db = JournalDB(folder / "documents.jsonl", "documents")
    db.table("task").insert({"id": "task-1", "status": "todo"})      one line, however many documents there are
    db.table("task").search(where("status") == "todo")               sees what other processes wrote until now
    db.documents("task").get("task-1")                               the same rows by their text id
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tinydb import TinyDB
from tinydb.queries import QueryLike
from tinydb.storages import Storage
from tinydb.table import Document, Table

from lango_nb.stores.disk import Disk
from lango_nb.stores.journal_documents import JournalDocuments
from lango_nb.stores.journal_file import JournalFile
from lango_nb.stores.journal_rows import NO_ROWS, Operation, Tables, copied
from lango_nb.stores.journal_staging import Staged
from lango_nb.stores.store import Durability, Problem, Row

if TYPE_CHECKING:
    from pydantic import JsonValue

Fields = Mapping[str, Any] | Callable[[MutableMapping[str, Any]], None]


class JournalStorage(Storage):
    """The door through which TinyDB sees the file; its tables use the file itself.

    Parameters
    ----------
    file : JournalFile
    """

    def __init__(self, file: JournalFile) -> None:
        self.file = file

    def read(self) -> dict[str, dict[str, Any]]:
        """Return all tables as they are now; they must not be changed."""
        with self.file.reading() as tables:
            return {name: rows.documents for name, rows in tables.rows.items()}

    def write(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        """Replace all tables at once.

        Parameters
        ----------
        data : mapping
            Documents by table and number.
        """
        with self.file.unit() as tables:
            operations: list[Operation] = [["drop", name] for name in tables.rows]
            for name, documents in data.items():
                operations.append(["make", name])
                operations += [["put", name, int(number), dict(row)] for number, row in documents.items()]
            self.file.stage(operations)

    def close(self) -> None:
        """Close the file."""
        self.file.close()


class JournalTable(Table):
    """A table of a journal; what it returns shares nothing with what is kept.

    Parameters
    ----------
    storage : JournalStorage
    name : str
    **options
        As for a table of TinyDB.
    """

    _storage: JournalStorage
    _next_id: int | None  # type: ignore[assignment]  # TinyDB forgets to say that it is not always None

    def __init__(self, storage: JournalStorage, name: str, **options: Any) -> None:
        self._file = storage.file
        self._staged: Staged | None = None
        self._seen: tuple[Tables | None, int] = (None, 0)
        super().__init__(storage, name, **options)

    def insert(self, document: Mapping[str, Any]) -> int:
        """Insert a document and return its number."""
        with self._file.unit():
            return super().insert(document)

    def insert_multiple(self, documents: Iterable[Mapping[str, Any]]) -> list[int]:
        """Insert documents, all or none, and return their numbers."""
        documents = list(documents)  # nobody else's code runs under the lock
        with self._file.unit():
            return super().insert_multiple(documents)

    def update(self, fields: Fields, cond: QueryLike | None = None, doc_ids: Iterable[int] | None = None) -> list[int]:
        """Update all matching documents and return their numbers."""
        with self._file.unit():
            return super().update(fields, doc_ids=self._numbers(cond, doc_ids))

    def update_multiple(self, updates: Iterable[tuple[Fields, QueryLike]]) -> list[int]:
        """Update documents, each with what goes with the queries it matches, and return their numbers."""
        with self._file.unit():
            return super().update_multiple(updates)

    def upsert(self, document: Mapping[str, Any], cond: QueryLike | None = None) -> list[int]:
        """Update matching documents, or insert one, and return the numbers."""
        with self._file.unit():
            return super().upsert(document, cond)

    def remove(self, cond: QueryLike | None = None, doc_ids: Iterable[int] | None = None) -> list[int]:
        """Remove all matching documents and return their numbers."""
        with self._file.unit():
            return super().remove(doc_ids=self._numbers(cond, doc_ids))

    def truncate(self) -> None:
        """Remove all documents."""
        with self._file.unit():
            super().truncate()

    def search(self, cond: QueryLike) -> list[Document]:
        """Return all documents that match."""
        with self._file.reading() as tables:
            seen = tables, tables.changes[self.name]
            if self._seen[0] is not seen[0] or self._seen[1] != seen[1]:
                self.clear_cache()
                self._seen = seen
            return [_copy(document) for document in super().search(cond)]

    def get(  # type: ignore[override]  # TinyDB declares one signature per combination; all of them go through
        self, cond: QueryLike | None = None, doc_id: int | None = None, doc_ids: list[int] | None = None
    ) -> Document | list[Document] | None:
        """Return one document by query or number, or the documents of several numbers."""
        with self._file.reading():
            found = super().get(cond, doc_id=cast("int", doc_id), doc_ids=doc_ids)
            if isinstance(found, list):
                return [_copy(document) for document in found]
            return _copy(found) if found is not None else None

    def __iter__(self) -> Iterator[Document]:
        with self._file.reading():
            documents = [_copy(document) for document in super().__iter__()]
        return iter(documents)

    def __len__(self) -> int:
        with self._file.reading():
            return len(self._read_table())

    def _numbers(self, cond: QueryLike | None, doc_ids: Iterable[int] | None) -> list[int] | None:
        """Find what a condition means before anything is copied to be changed."""
        if doc_ids is not None:
            return list(doc_ids)
        if cond is None:
            return None
        return [int(number) for number, row in self._read_table().items() if cond(row)]

    def _read_table(self) -> dict[str, Mapping[str, Any]]:
        with self._file.reading() as tables:
            return cast("dict[str, Mapping[str, Any]]", tables.rows.get(self.name, NO_ROWS).documents)

    def _update_table(self, updater: Callable[[dict[int, Mapping[str, Any]]], None]) -> None:
        with self._file.unit() as tables:
            staged = self._staged = Staged(self.name, tables.rows.get(self.name))
            try:
                updater(cast("dict[int, Mapping[str, Any]]", staged))
            finally:
                self._staged = None
            self._file.stage(staged.operations())
            self.clear_cache()

    def _get_next_id(self) -> int:
        with self._file.reading() as tables:
            rows = tables.rows.get(self.name, NO_ROWS)
            number = self._next_id if self._next_id is not None else rows.top + 1
            while str(number) in rows.documents or (self._staged is not None and number in self._staged):
                number += 1  # somebody else's, or one that was given by hand
            self._next_id = number + 1
            return number


class JournalDB(TinyDB):
    """A TinyDB database in one journal; safe for threads, and for processes that write at once.

    Parameters
    ----------
    path : Path
        Made with the first change, with its folder; what is damaged is set aside in ``.quarantine`` beside it.
    kind : str
        What the header of the file says: ``documents`` for instance.
    durability : {"turn", "event", "none"}
        ``event`` forces every change to the disk, ``turn`` those that are urgent (all that are made through TinyDB's
        own methods), ``none`` nothing; each survives the end of the process.
    lock_timeout_s : float
        How long a lock of another process is waited for.
    report : callable, optional
        Gets every problem that was found; without it they are logged.
    compact_at : int
        Size in bytes below which the file is never written anew.
    disk : Disk, optional

    Raises
    ------
    StoreError
        The file is there and cannot be read, for instance because a newer version wrote it.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from tinydb import where
    >>> with JournalDB(Path(mkdtemp()) / "documents.jsonl", "documents") as db:
    ...     number = db.table("task").insert({"id": "task-1", "status": "todo"})
    ...     db.table("task").search(where("status") == "todo"), db.documents("task").get("task-1")
    ([{'id': 'task-1', 'status': 'todo'}], {'id': 'task-1', 'status': 'todo'})
    """

    table_class = JournalTable  # type: ignore[assignment]  # TinyDB declares its own class where any table would do

    def __init__(  # noqa: PLR0913 - each is a choice of whoever opens the file
        self,
        path: Path,
        kind: str,
        *,
        durability: Durability = "turn",
        lock_timeout_s: float = 10.0,
        report: Callable[[Problem], None] | None = None,
        compact_at: int = 1_000_000,
        disk: Disk | None = None,
    ) -> None:
        self._file = JournalFile(
            path,
            kind,
            durability=durability,
            lock_timeout_s=lock_timeout_s,
            report=report,
            compact_at=compact_at,
            disk=disk,
        )
        self._documents: dict[str, JournalDocuments] = {}
        super().__init__(self._file, storage=JournalStorage)

    @property
    def version(self) -> object:
        """Something cheap that differs after anybody wrote."""
        return self._file.version()

    def documents(self, kind: str) -> JournalDocuments:
        """Return the rows of a table by their text id; the same object each time.

        Parameters
        ----------
        kind : str
            Name of the table.

        Returns
        -------
        JournalDocuments
        """
        return self._documents.setdefault(kind, JournalDocuments(self._file, kind))

    def locked(self, *, is_urgent: bool = True) -> AbstractContextManager[object]:
        """Make several changes one: nobody writes in between, and all of them are kept or none.

        Parameters
        ----------
        is_urgent : bool
            Whether they are on the disk when the block ends.

        Returns
        -------
        context manager
            May be entered again inside.
        """
        return self._file.unit(is_urgent=is_urgent)

    def change(self, table: str, doc_id: int, change: Callable[[Document], Mapping[str, Any]]) -> Document | None:
        """Replace a document by what a function makes of it; nobody writes in between.

        Parameters
        ----------
        table : str
        doc_id : int
        change : callable
            What it raises is raised, and nothing changed.

        Returns
        -------
        Document or None
            The new one; ``None`` when there is none of that number.
        """
        with self._file.unit():
            found = self.table(table).get(doc_id=doc_id)
            if found is None:
                return None
            self._file.stage([["put", table, doc_id, dict(change(found))]])
            return self.table(table).get(doc_id=doc_id)

    def table(self, name: str, **options: Any) -> Table:
        """Return a table, always the same one."""
        with self._file.threads:
            return super().table(name, **options)

    def drop_table(self, name: str) -> None:
        """Forget a table with everything in it."""
        with self._file.unit() as tables:
            self._tables.pop(name, None)
            if name in tables.rows:
                self._file.stage([["drop", name]])

    def drop_tables(self) -> None:
        """Forget everything."""
        with self._file.unit() as tables:
            self._tables.clear()
            self._file.stage([["drop", name] for name in tables.rows])

    def sync(self) -> None:
        """Force what was written to the disk."""
        self._file.sync()

    def compact(self) -> None:
        """Write the file anew, without what is past; done now and then anyway."""
        self._file.compact()

    def check(self) -> list[Problem]:
        """Say what is wrong with the file; changes nothing."""
        return self._file.check()


def _copy(document: Document) -> Document:
    return Document(cast("Row", copied(cast("JsonValue", dict(document)))), document.doc_id)
