"""Tests for things of your own that take the place of a part of lango_nb: so far, stores.

::

    from lango_nb.testing import StoreContract

    class TestMyStore(StoreContract):
        def make(self, place: Path) -> Store:  # opens the store that lies at this folder, or a new one
            return MyStore(place / "records.db")

and pytest collects some eighty tests: what every method of ``lango_nb.stores.store.Store`` promises, from any
number of threads and processes, after closing, after kills.

What a store has no use for is said by attributes of the class, and what can be done to its files by hooks. A test that
needs what is not there is not collected, so that a run shows no skips:

=======================  ==========================================================================================
``is_durable = False``   records are gone with the process: nothing is opened a second time
``processes = False``    the store is open once at a time: no second opening, no second process
``discard(place)``       takes away what does not lie in the folder, a schema of a server for instance
``make_impatient(...)``  opens it so that it waits for a lock only a moment: tests what somebody who meets one is told
``make_newer(place)``    makes it seem to be written by a version to come: tests that it is refused, and left as it is
``damage(place, text)``  spoils the record in which a text stands: tests that the loss is told, and the rest is there
``lose(place)``          takes away all files: tests that writing succeeds or is refused, and never seems to succeed
``fill(place)``          a context without room: tests that what was acknowledged is there, and that everything goes on
``protect(place)``       a context in which nothing can be written: tests that everything can still be read
=======================  ==========================================================================================

The class may have fixtures, markers and tests of its own, as every class of pytest. A single promise that is not kept
on purpose is taken out by name, ``test_the_order_of_fields = None``, and stays visible in the source. pytest is needed
by whoever runs the tests, not by this package; when it is there, failing assertions show their values.
"""

from __future__ import annotations

import sys

if pytest := sys.modules.get("pytest"):  # told before the import, it lets assertions say what their values were
    pytest.register_assert_rewrite("lango_nb.testing.stores")

from lango_nb.testing.stores import StoreContract

__all__ = ["StoreContract"]
