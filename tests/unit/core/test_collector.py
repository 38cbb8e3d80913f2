"""What is made while the collector is out of the way is not looked through afterwards, and it works on as before."""

from __future__ import annotations

import gc

from lango_nb.core.collector import paused_collector


def _is_young(value: object) -> bool:
    return any(value is one for generation in (0, 1) for one in gc.get_objects(generation))


def test_what_was_made_counts_as_old_at_once() -> None:
    gc.unfreeze()  # what libraries of other tests have frozen
    before: list[object] = [[]]
    assert _is_young(before)
    with paused_collector():
        made: list[object] = [[]]
    assert not _is_young(made)
    assert gc.isenabled()


def test_objects_that_somebody_froze_stay_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with paused_collector():
            pass
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()
