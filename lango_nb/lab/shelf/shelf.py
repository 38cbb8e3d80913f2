"""The shelf: a TinyDB over one readable file, and the only place that knows TinyDB.

::

    shelf = open_shelf("shelf.json")
    shelf.table("notes").insert({"text": "asked twice", "turn": 3})        a kind of items is a table: 1
    shelf.search(where("agent") == "vault")                                over all kinds; ids are notes/1
    shelf.table("examples").remove(doc_ids=[2])

TinyDB reads the whole and writes the whole. Here each change happens under the lock of the file, from reading it to
writing it, so that no process loses what another one wrote; and nothing is kept between two looks, so that a change by
another process, or by a person in an editor, is seen at once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from tinydb import Query, TinyDB, where
from tinydb.queries import QueryLike
from tinydb.storages import Storage
from tinydb.table import Document, Table

from lango_nb.core.errors import UnknownNameError, UsageError, shorten
from lango_nb.lab.shelf.entries import without_secrets
from lango_nb.lab.shelf.layout import Tables, plain, read_text, write_text
from lango_nb.lab.shelf.place import FilePlace, MemoryPlace, Place
from lango_nb.records.shelf_items import ShelfItem

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.viz.view import ListView

__all__ = ["Document", "Query", "Shelf", "open_shelf", "where"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound="ShelfTable")
WHOLE = "*"
"""Name of the table over all kinds."""


class ShelfStorage(Storage):
    """What TinyDB reads from and writes to.

    Parameters
    ----------
    place : Place
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._is_changing = False

    def read(self) -> Tables:
        """Return all documents as they are now, nothing of them shared.

        Raises
        ------
        StoreError
            The text is damaged, or of a newer version.
        """
        return read_text(self.place.read(), self.place.name)

    def write(self, data: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
        """Replace all documents; secrets are taken out of those that are new or changed.

        Parameters
        ----------
        data : mapping
            Documents by kind and number.

        Raises
        ------
        UsageError
            Something in it is no JSON.
        RefusedError
            The source of an agent or a tool holds a secret.
        StoreError
            What is there is damaged, or it cannot be written.
        """
        with self.place.lock():
            before = self.read()
            clean = {
                kind: {
                    number: document
                    if before.get(kind, {}).get(number) == document
                    else without_secrets(kind, f"{kind}/{number}", plain(f"{kind}/{number}", document))
                    for number, document in documents.items()
                }
                for kind, documents in _without_kinds(data).items()
            }
            if _canonical(clean) != _canonical(before):
                self.place.write(write_text(clean))

    @contextmanager
    def change(self) -> Iterator[None]:
        """Read, change and write without anybody between.

        Raises
        ------
        UsageError
            A change is under way in this thread: what is written now would be overwritten at its end.
        """
        with self.place.lock():
            if self._is_changing:
                raise UsageError("a shelf cannot be changed from inside a change of it; collect first, then change")
            self._is_changing = True
            try:
                yield
            finally:
                self._is_changing = False


def _locked(method: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
    """Hold the lock for as long as a method runs, and number new items anew: others may have added some."""

    @wraps(method)
    def run(self: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self.storage.place.lock():
            self._next_id = None
            return method(self, *args, **kwargs)

    return run


class ShelfTable(Table):
    """The items of one kind: a table of TinyDB whose changes no other process can come between."""

    storage: ShelfStorage

    insert = _locked(Table.insert)
    insert_multiple = _locked(Table.insert_multiple)
    update = _locked(Table.update)
    update_multiple = _locked(Table.update_multiple)
    upsert = _locked(Table.upsert)
    remove = _locked(Table.remove)
    truncate = _locked(Table.truncate)

    def search(self, cond: QueryLike) -> list[Document]:
        """Return the documents that fit, as they are now; TinyDB's own may come from before another's change."""
        self.clear_cache()
        return super().search(cond)

    def _update_table(self, updater: Callable[[dict[Any, Any]], None]) -> None:
        with self.storage.change():
            super()._update_table(updater)


class WholeShelf(ShelfTable):
    """The items of all kinds as one table: ids are ``notes/3``, and each document says its ``kind``."""

    document_id_class = str  # type: ignore[assignment]  # TinyDB takes any class, its annotation says less

    def insert(self, document: Mapping[str, Any]) -> str:  # type: ignore[override]  # ids are texts here
        """Add an item; its ``kind`` says where it goes."""
        return self.insert_multiple([document])[0]

    @_locked
    def insert_multiple(self, documents: Iterable[Mapping[str, Any]]) -> list[str]:  # type: ignore[override]  # the same
        """Add items; the ``kind`` of each says where it goes."""
        ids: list[str] = []

        def add(table: dict[str, Any]) -> None:
            last: Counter[str] = Counter()
            for item in table:
                kind, number = _split(item)
                last[kind] = max(last[kind], int(number))
            for document in documents:
                if not isinstance(document, Mapping) or not isinstance(document.get("kind"), str):
                    raise UsageError("an item is a dictionary that says its kind: {'kind': 'notes', 'text': '…'}")
                kind = document["kind"]
                last[kind] += 1
                item = str(document.doc_id) if isinstance(document, Document) else f"{kind}/{last[kind]}"
                if item in table or not item.startswith(f"{kind}/"):
                    raise UsageError(f"{shorten(item)!r} is taken or not an id of {kind}; insert a dictionary instead")
                ids.append(item)
                table[item] = dict(document)

        self._update_table(add)
        return ids

    def _read_table(self) -> dict[str, Mapping[str, Any]]:
        return _joined(self.storage.read())

    def _update_table(self, updater: Callable[[dict[Any, Any]], None]) -> None:
        with self.storage.change():
            tables = self.storage.read()
            items = _joined(tables)
            updater(items)
            data: Tables = {kind: {} for kind in tables}
            for item, document in items.items():
                kind, number = _split(item)
                if document.get("kind", kind) != kind:
                    raise UsageError(f"{item} stays what it is: insert it as the other kind, then remove it here")
                data.setdefault(kind, {})[number] = document
            self.storage.write(data)


def _without_kinds(data: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Tables:
    """Leave out what the name of a table says already."""
    return {
        kind: {
            number: {name: value for name, value in document.items() if name != "kind"}
            for number, document in documents.items()
        }
        for kind, documents in data.items()
    }


def _canonical(tables: Tables) -> str:
    """Write tables so that equal ones give equal text; ``1`` and ``True`` are equal to Python, and not here."""
    return json.dumps(tables, sort_keys=True)


def _joined(tables: Tables) -> dict[str, Any]:
    return {
        f"{kind}/{number}": {**document, "kind": kind}
        for kind, documents in tables.items()
        for number, document in documents.items()
    }


def _split(item: str) -> tuple[str, str]:
    kind, _, number = item.rpartition("/")
    return kind, number


class Shelf(TinyDB):
    """Things of your own that last: notes, tags, labelled requests, agents and tools from cells, results.

    All of TinyDB's methods are here, over all kinds at once; :meth:`table` has those of one kind.

    Parameters
    ----------
    place : Place

    Examples
    --------
    >>> shelf = open_shelf()
    >>> shelf.insert({"kind": "notes", "text": "asked twice", "agent": "vault"})
    'notes/1'
    >>> [item["text"] for item in shelf.search(where("agent") == "vault")], len(shelf.table("notes"))
    (['asked twice'], 1)
    """

    storage: ShelfStorage
    table_class = ShelfTable
    default_table_name = WHOLE

    def __init__(self, place: Place) -> None:
        super().__init__(place, storage=ShelfStorage)
        self.place = place

    def table(self, name: str, **options: Any) -> Table:
        """Return the items of one kind.

        Parameters
        ----------
        name : str
            ``notes``, ``tags``, ``examples``, ``requests``, ``comparisons``, ``evaluations``, ``agents``, ``tools``, or
            a kind of your own.
        **options
            As TinyDB takes them.

        Returns
        -------
        Table
            Numbered from 1.
        """
        if name == WHOLE and name not in self._tables:
            self._tables[name] = WholeShelf(self.storage, name, **options)
        return super().table(name, **options)

    def drop_table(self, name: str) -> None:
        """Remove all items of a kind."""
        with self.place.lock():
            super().drop_table(name)

    def put(self, entry: Mapping[str, Any], same: QueryLike | None = None) -> str:
        """Insert an item, or replace the one of its kind that fits.

        Parameters
        ----------
        entry : mapping
            Says its ``kind``.
        same : query, optional
            Which item of that kind it replaces.

        Returns
        -------
        str
            Its id, ``notes/3`` for instance.
        """

        def replace(document: MutableMapping[str, Any]) -> None:
            document.clear()
            document.update(entry)

        table = self.table(entry["kind"])
        with self.place.lock():
            replaced = table.update(replace, same) if same is not None else []
            return f"{table.name}/{replaced[0] if replaced else table.insert(entry)}"

    def keep(
        self, entries: Sequence[Mapping[str, Any]], title: str, *fields: str, same: QueryLike | None = None
    ) -> ListView[ShelfItem]:
        """Put entries here, and show them.

        Parameters
        ----------
        entries : sequence of mapping
            Each says its ``kind``.
        title : str
            What the list is called.
        *fields : str
            An item of that kind that agrees in these is replaced.
        same : query, optional
            Which item is replaced, in place of ``fields``.
        """
        with self.place.lock():
            ids = [
                self.put(entry, Query().fragment({name: entry[name] for name in fields}) if fields else same)
                for entry in entries
            ]
        return self.shown(tuple(item for item in self.items() if item.id in ids), title)

    def forget(self, *items: str) -> ListView[ShelfItem]:
        """Remove items, all of them or none; see :meth:`lango_nb.lab.Lab.forget`."""
        with self.place.lock():
            every = self.items()
            known = {f"{item.kind}/{item.name}": item for item in every if item.name}
            known |= {item.id: item for item in every}
            for name in items:
                if name not in known:
                    raise UnknownNameError("item", name, known, where="the shelf")
            found = tuple({known[name].id: known[name] for name in items}.values())
            self.remove(doc_ids=[item.id for item in found])
        return self.shown(found, "forgotten")

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return self.place.name

    @property
    def path(self) -> Path | None:
        """The file; ``None`` in memory."""
        return self.place.path

    # -- to look at ----------------------------------------------------------------------------------------------------

    def items(self, kind: str | Collection[str] = (), text: str = "") -> tuple[ShelfItem, ...]:
        """Return items as records, by kind and number.

        Parameters
        ----------
        kind : str or collection of str
            Only of these kinds; of all when empty.
        text : str
            Only those that hold this somewhere, upper and lower case alike.

        Returns
        -------
        tuple of ShelfItem
        """
        kinds = {kind} - {""} if isinstance(kind, str) else set(kind)
        found = (
            ShelfItem.of(name, int(number), document)
            for name, documents in sorted(self.storage.read().items())
            if not kinds or name in kinds
            for number, document in sorted(documents.items(), key=lambda item: int(item[0]))
        )
        return tuple(item for item in found if item.holds(text))

    def view(self, kind: str | Collection[str] = (), text: str = "") -> ListView[ShelfItem]:
        """Show items; what narrows is as for :meth:`items`."""
        return self.shown(self.items(kind, text), is_part=bool(kind or text))

    def shown(
        self, items: tuple[ShelfItem, ...], title: str = "shelf", *, is_part: bool = False
    ) -> ListView[ShelfItem]:
        """Show some items of this shelf.

        Parameters
        ----------
        items : tuple of ShelfItem
        title : str
        is_part : bool
            Whether others were left out on purpose.
        """
        from lango_nb.viz.shelf import shelf_document
        from lango_nb.viz.view import ListView

        def frame() -> pd.DataFrame:
            from lango_nb.frames import shelf_df

            return shelf_df(items)

        return ListView(items, frame, lambda: shelf_document(items, self.name, title, is_part=is_part))

    @property
    def df(self) -> pd.DataFrame:
        """One row per item."""
        return self.view().df

    def __repr__(self) -> str:
        return self.view().text

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        return self.view()._repr_mimebundle_(include, exclude)


def open_shelf(path: str | Path | None = None) -> Shelf:
    """Open a shelf.

    Parameters
    ----------
    path : str or Path, optional
        A file, which need not be there yet; in memory when absent.

    Returns
    -------
    Shelf

    Raises
    ------
    StoreError
        The file is there and is not a shelf, or is damaged: says where.
    """
    shelf = Shelf(MemoryPlace() if path is None else FilePlace(path))
    shelf.storage.read()
    return shelf
