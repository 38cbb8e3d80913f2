"""The contract of a store, in parts; :class:`StoreContract` is all of them."""

from __future__ import annotations

from lango_nb.testing.stores.broken import BrokenContract
from lango_nb.testing.stores.closing import ClosingContract
from lango_nb.testing.stores.documents import DocumentsContract
from lango_nb.testing.stores.finding import FindingContract
from lango_nb.testing.stores.manners import MannersContract
from lango_nb.testing.stores.openings import OpeningsContract
from lango_nb.testing.stores.persistence import PersistenceContract
from lango_nb.testing.stores.processes import ProcessesContract
from lango_nb.testing.stores.queries import QueriesContract
from lango_nb.testing.stores.sessions import SessionsContract
from lango_nb.testing.stores.threads import ThreadsContract
from lango_nb.testing.stores.turns import TurnsContract
from lango_nb.testing.stores.values import ValuesContract
from lango_nb.testing.stores.writers import WritersContract

__all__ = ["StoreContract"]


class StoreContract(
    MannersContract,
    DocumentsContract,
    FindingContract,
    ValuesContract,
    TurnsContract,
    SessionsContract,
    QueriesContract,
    ThreadsContract,
    OpeningsContract,
    ProcessesContract,
    PersistenceContract,
    WritersContract,
    ClosingContract,
    BrokenContract,
):
    """Everything the protocol of ``lango_nb.stores.store`` promises, one test per promise.

    Write a class whose name pytest collects, with :meth:`make`; the hooks of
    :class:`~lango_nb.testing.stores.contract.StoreUnderTest` bring further tests.
    """
