"""Panels where things go wrong: hostile texts, a reloaded extension, a restarted kernel, a page without a kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.browser.harness import SHOTS, Browser, need_voila, voila, write_notebook
from tests.browser.test_panels import choose, pictures, to_tab
from tests.browser.test_questions import said
from tests.browser.test_views import ELSEWHERE

ROOT = Path(__file__).parents[2]
SHOW = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
import pandas as pd
from lango_nb import Lab
from lango_nb.models.scripted import ScriptedModel
from lango_nb.tools.tool import Tool
from lango_nb.viz.table import Table
from lango_nb.viz.view import View
from tests.unit.viz.hostile import TEXTS
texts = [text for text in TEXTS if text.strip()]
sayable = [text.encode("utf-8", "replace").decode() for text in texts]
lab = Lab("octet", tools=[Tool(f"fs_{{n}}", text) for n, text in enumerate(sayable)])
lab.edit_agent("operator", description=" ".join(sayable).replace("\\0", ""))
lab.model = ScriptedModel(sayable)
for text in sayable:
    lab.ask(text)
display(Table("texts", ("text", "again"), tuple((text, text) for text in texts)))
display(*map(lab.route, sayable[:40]), lab.tree, lab.prompt("operator"), lab.partition, lab.turns, lab.trace(3))
display(*(lab.trace(number).sequence() for number in (1, 40, 80)), lab.history, lab.doctor())"""
PANELS = """history, evaluate = lab.history_panel(), lab.evaluate_panel([(text, "operator") for text in sayable])
evaluate.run(); evaluate.wait()
run = lab.run_panel()
run.traces = [lab.engine.traces.get(number) for number in (1, 30, 60, 90)]
route, tree = lab.route_panel(sayable[0]), lab.tree_panel()
display(history, evaluate, run, route, tree, lab.trace_panel(5), lab.partition_panel(), lab.doctor_panel())"""
ACT = """for number in range(1, len(sayable), 7):
    history.act("record", f"{number} ")
    evaluate.act("request", f"{number} ")
    route.act("text", sayable[number])
    tree.act("record", "operator ")
    tree.act("keywords", sayable[number])
for panel in (history, evaluate, route, tree):
    for button in ("help", "code", "dataframe"):
        panel.act("foot", button)
print(history.selected.number, evaluate.selected.number, len(history.df), len(tree.df))"""
RESTART = "async () => { await window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart(); }"
BOARD = "from lango_nb import Lab\nlab = Lab('octet')\nlab.ask('hello');\nlab.dashboard()"


VOILAS_OWN = "fontawesome"
"""What Voila's page itself asks for elsewhere; it does without."""


def test_no_text_that_somebody_wrote_runs_or_fetches_anything(lab: tuple[str, Path], window: Browser) -> None:
    base, folder = lab
    write_notebook(folder / "hostile.ipynb", [(cell, ()) for cell in (SHOW, PANELS, ACT)])
    window.open_notebook(base, "hostile.ipynb")
    assert window.run_all(300), window.errors()
    assert said(window.cells()[-1]["outputs"]).split()
    window.page.evaluate("() => { for (const fold of document.querySelectorAll('details')) fold.open = true; }")
    window.page.mouse.move(640, 450)
    window.page.mouse.wheel(0, 4000)
    window.page.wait_for_timeout(500)
    assert window.page.evaluate("() => window.broken") is None
    assert window.page.locator(".jp-OutputArea-output script:not([type])").count() == 0
    assert window.page.locator(".jp-OutputArea-output iframe").count() == 0
    assert window.page.locator(".jp-NotebookPanel-toolbar").is_visible(), "nothing covers the page"
    assert window.offsite == []
    assert window.complaints == []


def test_a_dashboard_goes_on_after_the_extension_is_reloaded_and_comes_back_after_a_restart(
    lab: tuple[str, Path], window: Browser
) -> None:
    base, folder = lab
    cells = ["%load_ext lango_nb", BOARD, "%reload_ext lango_nb"]
    write_notebook(folder / "board.ipynb", [(cell, ()) for cell in cells])
    window.open_notebook(base, "board.ipynb")
    view = window.page.locator(".jp-OutputArea-output").filter(has=window.page.locator(".widget-toggle-buttons"))
    for _ in range(2):
        assert window.run_all(60)
        to_tab(view, "History")
        choose(view, "hello")
        view.get_by_text("turn 1").first.wait_for(timeout=20_000)
        window.page.evaluate(RESTART)
        window.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
        )
        assert view.get_by_text("turn 1").first.is_visible(), "what was shown last stays to be read"
    assert window.errors() == []


def test_a_page_that_is_loaded_again_in_mid_turn_goes_on_and_two_dashboards_show_the_same_question(
    lab: tuple[str, Path], window: Browser
) -> None:
    base, folder = lab
    place = folder / "again"
    place.mkdir()
    (place / "old.txt").write_text("Last year's plan.")
    first = "from lango_nb import Lab\nlab = Lab('quartet')\nlab.dashboard('run')"
    write_notebook(place / "two.ipynb", [(first, ()), ("lab.dashboard('approvals')", ())])
    window.open_notebook(base, "again/two.ipynb")
    assert window.run_all(60)
    window.save()
    window.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    view = window.page.locator(".jp-OutputArea-output").filter(has=window.page.locator(".widget-toggle-buttons"))
    field = view.first.get_by_placeholder("how many lines does notes.md have?")
    field.fill("delete old.txt")
    field.press("Enter")
    for place_of in (0, 1):
        view.nth(place_of).get_by_role("button", name="Once").wait_for(timeout=60_000)
    window.page.reload(wait_until="domcontentloaded")  # its comms are gone
    view.nth(1).get_by_role("button", name="Once").click(timeout=60_000)
    view.first.get_by_role("button", name="Send").wait_for(timeout=60_000)
    view.first.get_by_text("Deleted old.txt").first.wait_for(timeout=60_000)
    assert not (place / "old.txt").exists()
    assert window.errors() == []
    assert window.offsite == []


def test_quiet_shows_nothing_that_was_not_asked_for_and_every_error(lab: tuple[str, Path], window: Browser) -> None:
    base, folder = lab
    cells = ["%load_ext lango_nb", "%lango quiet;", "%lango ask hello", "%lango use quartet", "x = 1", "%lango trase"]
    write_notebook(folder / "quiet.ipynb", [(cell, ()) for cell in cells])
    window.open_notebook(base, "quiet.ipynb")
    assert not window.run_all(60), "the last cell is wrong"
    assert [cell["outputs"] for cell in window.cells()[:5]] == [[]] * 5
    (error,) = window.errors()
    assert "did you mean 'trace'?" in error["evalue"]


def test_a_saved_page_shows_panels_as_still_pictures(lab: tuple[str, Path], window: Browser, shots: Path) -> None:
    base, folder = lab
    panels = (
        "display(lab.trace_panel(), lab.run_panel(), lab.evaluate_panel(), lab.doctor_panel(), lab.approvals_panel())"
    )
    write_notebook(folder / "kept.ipynb", [(BOARD, ()), (panels, ())])
    window.open_notebook(base, "kept.ipynb")
    assert window.run_all(60)
    window.save()
    window.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = json.loads((folder / "kept.ipynb").read_text())
    assert [one["output_type"] for cell in saved["cells"] for one in cell["outputs"]]
    saved["cells"][0]["source"] += "\n"  # nobody trusts what was changed elsewhere
    (folder / "theirs.ipynb").write_text(json.dumps(saved))
    for name in ("kept.ipynb", "theirs.ipynb"):  # the kernel has ended; the first one is trusted
        window.open_notebook(base, name)
        for words in ("operator  12 tools", "Nothing is measured yet", "every tool of 106 has its owner"):
            window.page.locator(".jp-OutputArea-output").get_by_text(words).first.wait_for(timeout=20_000)
        assert window.page.locator(".jp-OutputArea-output button, .jp-OutputArea-output input").count() == 0
        pictures(window, shots, f"opened-again-{name.removesuffix('.ipynb')}")
    assert window.complaints == []
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--output", "kept.html", "kept.ipynb"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    window.page.route(ELSEWHERE, lambda route: route.abort())  # the page is opened offline
    try:
        window.open_file(folder / "kept.html")
        for words in ("operator  12 tools", "hello", "Nothing is measured yet", "every tool of 106 has its owner"):
            assert window.page.get_by_text(words).first.is_visible(), words
        if SHOTS:
            window.page.screenshot(path=str(shots / "panels-saved.png"), full_page=True)
    finally:
        window.page.unroute(ELSEWHERE)


def test_a_dashboard_works_as_an_application_without_cells_and_magics(
    tmp_path: Path, window: Browser, shots: Path
) -> None:
    need_voila()
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    write_notebook(tmp_path / "board.ipynb", [(BOARD, ())])
    window.page.route("https://**", lambda route: route.abort())
    window.offsite.clear()
    try:
        with voila(tmp_path / "board.ipynb") as base:
            window.page.goto(base, wait_until="domcontentloaded", timeout=60_000)
            tabs = window.page.locator(".widget-toggle-buttons")
            tabs.wait_for(timeout=60_000)
            view = window.page.locator("body")
            to_tab(view, "Route")
            field = window.page.locator("input[placeholder*='notes.md']:visible")
            field.fill("encrypt this with aes")
            window.page.get_by_text("→ vault").first.wait_for(timeout=20_000)
            to_tab(view, "Run")
            window.page.get_by_role("button", name="Send").wait_for(timeout=20_000)
            field.fill("how many lines does notes.md have?")
            field.press("Enter")
            window.page.get_by_text("notes.md has 2 lines.").first.wait_for(timeout=60_000)
            window.screenshot(shots / "voila-run.png")
            to_tab(view, "Trace")
            window.page.get_by_role("button", name="Fold all runs").wait_for(timeout=20_000)
            window.screenshot(shots / "voila-trace.png")
            assert window.page.locator(".jp-InputArea").count() == 0
        assert [url for url in window.offsite if VOILAS_OWN not in url] == []
    finally:
        window.page.unroute("https://**")
