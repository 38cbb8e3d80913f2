"""Panels that one test leaves open do not draw while the next one counts widgets."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def panels_have_drawn() -> Iterator[None]:
    """Wait until panels have drawn what they put off, and ended what they began beside the test."""
    yield
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer) or thread.name == "lango-panel":
            thread.join(10)
