"""What is made while the collector is out of the way is not looked through afterwards, and it works on as before."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from lango_nb.core.collector import MANY, paused_collector


@pytest.fixture(autouse=True)
def all_is_frozen_again() -> Iterator[None]:
    """Leave the collector as the suite wants it: what lives as long as the run is out of its way."""
    yield
    gc.freeze()


def _is_young(value: object) -> bool:
    return any(value is one for generation in (0, 1) for one in gc.get_objects(generation))


def test_what_was_made_counts_as_old_at_once() -> None:
    gc.unfreeze()  # what libraries of other tests have frozen
    before: list[object] = [[]]
    assert _is_young(before)
    with paused_collector():
        made: list[object] = [[] for _ in range(2 * MANY)]
    assert not _is_young(made)
    assert gc.isenabled()


def test_objects_that_somebody_froze_stay_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with paused_collector():
        made: list[object] = [[] for _ in range(2 * MANY)]
    assert gc.get_freeze_count() > frozen // 2 > 0  # other threads may let go of some; thawed, all would be gone
    assert len(made) == 2 * MANY


def test_frozen_objects_are_not_counted_for_a_few_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "get_freeze_count", lambda: pytest.fail("counting them takes time"))
    gc.collect(0)
    with paused_collector():
        made: list[object] = [[]]
    assert gc.isenabled()
    assert made
