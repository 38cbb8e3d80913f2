"""Everything in this folder needs Chromium: marked so, skipped on a machine without, an error in CI."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.browser.harness import SHOTS, TREE, Browser, browser, jupyterlab, need_chromium

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, so that ``-m "not browser"`` leaves them out."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failure what the page showed, and what it complained of."""
    report = yield
    window = getattr(item, "funcargs", {}).get("window")
    if report.failed and isinstance(window, Browser):
        report.sections.append(("what the page showed", window.shown()))
        report.sections.append(("what the page complained of", "\n".join(window.complaints)))
    return report


@pytest.fixture(scope="session", autouse=True)
def chromium() -> None:
    """Look for Chromium before the first test of this folder."""
    need_chromium()


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for pictures: the one that ``LANGO_NB_SHOTS`` names, a temporary one without it."""
    target = Path(SHOTS) if SHOTS else tmp_path_factory.mktemp("shots")
    target.mkdir(parents=True, exist_ok=True)
    return target


@pytest.fixture(scope="module")
def window(chromium: None) -> Iterator[Browser]:
    """A page for all tests of a file: what takes longest is loading JupyterLab.

    It is closed before tests of other folders: its driver has an event loop of its own, beside which none can run.
    """
    with browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def server(chromium: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A JupyterLab for all tests of a process: its address, and the folder it shows."""
    root = tmp_path_factory.mktemp("jupyterlab")
    with jupyterlab(root, env={"LANGO_HOME": str(tmp_path_factory.mktemp("home"))}) as address:
        yield address, root


@pytest.fixture(scope="module")
def lab(server: tuple[str, Path], request: pytest.FixtureRequest) -> tuple[str, Path]:
    """The folder of a file's notebooks: its address in JupyterLab, and where it lies."""
    address, root = server
    folder = root / request.path.stem
    folder.mkdir()
    return f"{address}{TREE}/{folder.name}", folder
