"""Everything in this folder needs Chromium: marked so, skipped on a machine without, an error in CI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.harness import Browser, browser, need_chromium

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, so that ``-m "not browser"`` leaves them out."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session", autouse=True)
def chromium() -> None:
    """Look for Chromium before the first test of this folder."""
    need_chromium()


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for pictures: the one that ``LANGO_NB_SHOTS`` names, a temporary one without it."""
    wanted = os.environ.get("LANGO_NB_SHOTS")
    target = Path(wanted) if wanted else tmp_path_factory.mktemp("shots")
    target.mkdir(parents=True, exist_ok=True)
    return target


@pytest.fixture(scope="module")
def window(chromium: None) -> Iterator[Browser]:
    """A page for all tests of a file: what takes longest is loading JupyterLab."""
    with browser() as opened:
        yield opened
