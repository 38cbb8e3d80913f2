"""Views where people see them: JupyterLab light and dark, an untrusted notebook, a saved page opened from disk."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lango_nb import viz
from tests.browser.harness import THEMES, Browser, Theme, write_notebook
from tests.unit.viz import samples

HERE = Path(__file__).parent
MEASURE = (HERE / "measure.js").read_text(encoding="utf-8")
LANES = (HERE / "lanes.js").read_text(encoding="utf-8")
ELSEWHERE = re.compile("^https?://")
FOLD = "isOpen => document.querySelectorAll('details').forEach(e => { e.open = isOpen; })"


@cache
def shown() -> dict[str, str]:
    """HTML of every view, by name."""
    made = {name: viz.to_html(record) for name, record in samples.records().items() if name != "long trace"}
    return {
        **made,
        "timed trace": viz.to_html(samples.trace(), timing=True),
        "timed teammates": viz.to_html(samples.teammates(), timing=True),
        "long trace": viz.to_html(samples.long_trace(90)),
    }


@pytest.fixture(scope="module")
def saved(lab: tuple[str, Path]) -> Path:
    """A notebook with all views as saved outputs; nobody has trusted it."""
    file = lab[1] / "views.ipynb"
    cells = [
        (
            repr(name),
            [{"output_type": "display_data", "data": {"text/html": source, "text/plain": "(text)"}, "metadata": {}}],
        )
        for name, source in shown().items()
    ]
    write_notebook(file, cells)
    return file


@pytest.fixture(scope="module")
def base(lab: tuple[str, Path]) -> str:
    """The address of the notebook's folder."""
    return lab[0]


def measure(window: Browser, width: int) -> dict[str, list[str]]:
    """Measure every view on the page, once folded and once unfolded; give what is wrong, by name."""
    window.page.set_viewport_size({"width": width, "height": 900})
    wrong: dict[str, list[str]] = {}
    for state in ("folded", "unfolded"):
        window.page.evaluate(FOLD, state == "unfolded")
        window.page.wait_for_timeout(200)
        measured: list[dict[str, Any]] = window.page.evaluate(MEASURE)
        assert len(measured) == len(shown())
        for name, found in zip(shown(), measured, strict=True):
            assert found["texts"] > 0, f"{name} shows nothing"
            wrong.setdefault(name, []).extend(f"{state}: {problem}" for problem in found["problems"])
    return {name: problems[:5] for name, problems in wrong.items() if problems}


def test_views_fit_and_can_be_read_in_an_untrusted_notebook(window: Browser, saved: Path, base: str) -> None:
    window.open_notebook(base, saved.name)
    window.page.wait_for_function("() => document.querySelectorAll('.jp-OutputArea-output').length >= 4")
    for theme in THEMES:
        window.use_theme(theme)
        assert measure(window, 1280) == {}, theme
        assert measure(window, 820) == {}, theme
    assert window.offsite == []
    assert window.complaints == []


def test_rows_open_with_a_click_and_without_script(window: Browser, saved: Path, base: str) -> None:
    window.open_notebook(base, saved.name)
    place = list(shown()).index("trace")
    view = window.page.locator(".jp-OutputArea-output").nth(place)
    row = view.locator("details").filter(has_text="path: note.md").last
    assert not row.evaluate("e => e.open")
    row.locator("summary").first.click(position={"x": 200, "y": 10})
    assert row.evaluate("e => e.open")
    assert row.get_by_text("path: note.md").is_visible()


@pytest.mark.parametrize("name", ["teammates", "timed teammates"])
def test_runs_are_lanes_under_whoever_asked_for_them(window: Browser, saved: Path, base: str, name: str) -> None:
    window.open_notebook(base, saved.name)
    for width in (1280, 820):
        window.page.set_viewport_size({"width": width, "height": 900})
        view = window.page.locator(".jp-OutputArea-output").nth(list(shown()).index(name))
        lanes = view.evaluate(LANES)
        assert [lane["name"] for lane in lanes] == [
            "orchestrator", "operator run-1", "operator run-2", "librarian run-3", "operator run-4",
        ]  # fmt: skip
        root, first, second, third, inner = (lane["indent"] for lane in lanes)
        assert root < first == second == third < inner
        for above, below in pairwise(lanes):
            assert above["bottom"] <= below["top"]
            assert (above["left"], above["right"]) == (below["left"], below["right"])
        (blocked,) = lanes[2]["blocked"]
        assert blocked["right"] == pytest.approx(lanes[2]["right"], abs=1), "it is still blocked at the end"


def test_live_cells_show_the_same_as_saved_ones(window: Browser, saved: Path, base: str) -> None:
    root = HERE.parents[1]
    setup = (
        f"import sys; sys.path.insert(0, {str(root)!r})\n"
        "from lango_nb.viz.register import register, unregister\n"
        "from lango_nb.viz.view import View\n"
        "from tests.unit.viz import samples\n"
        "register(get_ipython())"
    )
    records = {
        "samples.tree()": samples.tree(),
        "samples.route()": samples.route(),
        "samples.trace()": samples.trace(),
        "samples.teammates()": samples.teammates(),
        "samples.runs()[1]": samples.runs()[1],
        "View(0, None, lambda: samples.records()['runs'])": samples.records()["runs"],
        "View(0, None, lambda: samples.records()['run history'])": samples.records()["run history"],
        "View(0, None, lambda: samples.records()['card'])": samples.records()["card"],
    }
    sources = [setup, *records, "[samples.route()]"]
    write_notebook(saved.with_name("live.ipynb"), [(source, []) for source in sources])
    window.open_notebook(base, "live.ipynb")
    window.use_theme("dark")
    assert window.run_all()
    cells = window.cells()
    assert window.errors() == []
    for cell, record in zip(cells[1:-1], records.values(), strict=True):
        (output,) = cell["outputs"]
        assert output["data"] == viz.mimebundle(record)
    assert cells[-1]["outputs"][0]["data"]["text/plain"].startswith("[<Route → operator")
    window.page.evaluate(FOLD, True)
    measured = window.page.evaluate(MEASURE)
    assert [found["problems"] for found in measured] == [[]] * len(sources[1:])
    assert window.offsite == []
    assert window.complaints == []


@pytest.mark.parametrize("theme", THEMES)
def test_views_fit_and_can_be_read_in_a_saved_page(window: Browser, saved: Path, theme: Theme) -> None:
    page = saved.with_name(f"saved-{theme}.html")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--theme", theme, "--output", page.name, saved.name]
    subprocess.run(command, check=True, cwd=saved.parent, capture_output=True)
    window.page.route(ELSEWHERE, lambda route: route.abort())  # the page is opened offline
    try:
        window.open_file(page)
        assert measure(window, 1280) == {}
    finally:
        window.page.unroute(ELSEWHERE)
