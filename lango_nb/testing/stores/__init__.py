"""The contract of a store, in parts; :class:`StoreContract` is all of them."""

from __future__ import annotations

from lango_nb.testing.stores.documents import DocumentsContract
from lango_nb.testing.stores.lasting import LastingContract
from lango_nb.testing.stores.queries import QueriesContract
from lango_nb.testing.stores.sharing import SharingContract
from lango_nb.testing.stores.turns import TurnsContract
from lango_nb.testing.stores.values import ValuesContract

__all__ = ["StoreContract"]


class StoreContract(
    DocumentsContract, TurnsContract, QueriesContract, ValuesContract, SharingContract, LastingContract
):
    """Everything the protocol of ``lango_nb.stores.store`` promises.

    Write a class whose name pytest collects, with :meth:`make`; the hooks of
    :class:`~lango_nb.testing.stores.contract.StoreUnderTest` bring further tests.
    """
