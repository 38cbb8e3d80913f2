"""Panels with real clicks and keys: a card is answered while its cell runs, scores change with every letter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.harness import SHOTS, THEMES, Browser, write_notebook
from tests.browser.test_questions import said

if TYPE_CHECKING:
    from playwright.sync_api import Locator

THINKS_S = 3.0
"""How long a person takes to answer."""
SETUP = """%load_ext lango_nb
from pathlib import Path
from lango_nb import Lab
for name in ("old.txt", "older.txt"):
    Path(name).write_text("Last year's plan.")
Path("todo.txt").write_text("call the dentist\\nbuy milk\\n")
lab = Lab("quartet", approver="hold")
%lango use lab;"""
CARDS = ".jp-OutputArea-output .jupyter-button:not(.lango-foot *)"
MARKED = """word => [...document.querySelectorAll(".jp-OutputArea-output span")].some(
    element => element.textContent === word && getComputedStyle(element).borderBottomWidth === "2px")"""


def pictures(window: Browser, shots: Path, name: str) -> None:
    """Take pictures in both themes and widths, where they are wanted."""
    if not SHOTS:
        return
    for theme in THEMES:
        window.use_theme(theme)
        for width in (1280, 820):
            window.page.set_viewport_size({"width": width, "height": 900})
            window.page.wait_for_timeout(200)
            window.screenshot(shots / f"{name}-{theme}-{width}.png")
    window.page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize(("label", "is_run"), [("Once", True), ("No", False)])
def test_a_card_is_answered_with_a_click_while_its_cell_runs(
    lab: tuple[str, Path], window: Browser, shots: Path, label: str, is_run: bool
) -> None:
    base, folder = lab
    place = folder / label
    place.mkdir()
    ask = "%lango ask delete old.txt" if is_run else "%lango ask replace 'dentist' with 'doctor' in todo.txt"
    cells = [SETUP, "panel = lab.approvals_panel()\npanel", ask, "print(lab.trace().record.turn.outcome)"]
    write_notebook(place / "panel.ipynb", [(cell, ()) for cell in cells])
    window.open_notebook(base, f"{label}/panel.ipynb")
    window.start_all()
    button = window.page.locator(CARDS).get_by_text(label, exact=True)
    button.wait_for(timeout=60_000)
    assert window.page.locator(CARDS).all_inner_texts() == ["Once", "This turn", "This session", "No"]
    window.page.wait_for_timeout(THINKS_S * 1000 * is_run)  # the other one is answered at once
    pictures(window, shots, f"approval-{label}")
    assert (place / "old.txt").exists()
    button.click()
    button.wait_for(state="detached", timeout=60_000)
    window.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.widgets.at(-1).model.executionCount", timeout=60_000
    )
    window.screenshot(shots / f"approval-{label}-answered.png")
    assert window.errors() == []
    assert (place / "old.txt").exists() is not is_run
    assert "dentist" in (place / "todo.txt").read_text()
    shown = window.page.locator(".jp-OutputArea-output").all_inner_texts()
    assert any(("fs_delete: allowed" if is_run else "refused") in text for text in shown), shown
    assert said(window.cells()[-1]["outputs"]).split() == ["success" if is_run else "tool_error"]
    assert window.offsite == []
    assert window.complaints == []


def test_several_cards_stand_below_each_other_and_each_is_answered_for_itself(
    lab: tuple[str, Path], window: Browser, shots: Path
) -> None:
    base, folder = lab
    place = folder / "several"
    place.mkdir()
    several = """from threading import Thread
panel = lab.approvals_panel()
display(panel)
texts = ("delete old.txt", "delete older.txt")
threads = [Thread(target=lab.engine.run_sync, args=(text, f"session-{text}")) for text in texts]
for thread in threads: thread.start()
for thread in threads: thread.join()"""
    write_notebook(place / "panel.ipynb", [(SETUP, ()), (several, ()), ("print('over')", ())])
    window.open_notebook(base, "several/panel.ipynb")
    window.start_all()
    window.page.wait_for_function(f"() => document.querySelectorAll({json.dumps(CARDS)}).length === 8", timeout=60_000)
    pictures(window, shots, "approvals")
    cards = window.page.locator(CARDS)
    names = window.page.locator(".jp-OutputArea-output").last.inner_text()
    first = "old.txt" if names.index('"old.txt"') < names.index('"older.txt"') else "older.txt"
    second = {"old.txt": "older.txt", "older.txt": "old.txt"}[first]
    cards.get_by_text("No", exact=True).last.click()
    window.page.wait_for_function(f"() => document.querySelectorAll({json.dumps(CARDS)}).length === 4", timeout=60_000)
    cards.get_by_text("Once", exact=True).click()
    window.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.widgets.at(-1).model.executionCount", timeout=60_000
    )
    assert not (place / first).exists()
    assert (place / second).exists()
    assert window.errors() == []
    assert window.complaints == []


def test_scores_change_while_somebody_types_and_the_words_are_marked(
    lab: tuple[str, Path], window: Browser, shots: Path
) -> None:
    base, folder = lab
    write_notebook(folder / "route.ipynb", [("from lango_nb import Lab\nlab = Lab('octet')\nlab.route_panel()", ())])
    window.open_notebook(base, "route.ipynb")
    assert window.run_all()
    field = window.page.locator(".jp-OutputArea-output input[type=text]")
    field.wait_for()
    field.press_sequentially("how many lines does notes.md have?", delay=20)
    view = window.page.locator(".jp-OutputArea-output")
    view.get_by_text("→ operator").wait_for(timeout=20_000)
    window.page.wait_for_function(MARKED, arg="lines", timeout=20_000)
    assert field.input_value() == "how many lines does notes.md have?"
    assert field.evaluate("e => e === document.activeElement"), "the field is not taken away from who types in it"
    pictures(window, shots, "route")
    field.fill("encrypt this with aes")
    view.get_by_text("→ vault").wait_for(timeout=20_000)
    assert window.errors() == []
    assert window.offsite == []
    assert window.complaints == []


def test_a_click_on_a_tool_shows_its_rule(lab: tuple[str, Path], window: Browser, shots: Path) -> None:
    base, folder = lab
    write_notebook(
        folder / "tools.ipynb", [("from lango_nb import Lab\nlab = Lab('octet')\nlab.partition_panel()", ())]
    )
    window.open_notebook(base, "tools.ipynb")
    assert window.run_all()
    view = window.page.locator(".jp-OutputArea-output")
    view.locator("input[type=text]").fill("vault")  # at once: letters that come late would undo the choice below
    view.locator("select option").filter(has_text="fs_read").wait_for(state="detached", timeout=20_000)
    view.locator("select[size]").select_option("crypto_hash → vault")
    view.get_by_text("would match too").wait_for(timeout=20_000)
    pictures(window, shots, "partition")
    view.get_by_role("button", name="DataFrame").click()
    view.get_by_text("16 rows and 10 columns, in the variable partition_df").wait_for(timeout=20_000)
    pictures(window, shots, "partition-frame")
    view.get_by_role("button", name="Code").click()
    view.locator("textarea").wait_for(timeout=20_000)
    assert "panel.act('tool', 'crypto_hash → ')" in view.locator("textarea").input_value()
    pictures(window, shots, "partition-code")
    assert window.errors() == []
    assert window.complaints == []


def test_a_filter_follows_whoever_types_fast(lab: tuple[str, Path], window: Browser) -> None:
    base, folder = lab
    tools = "from lango_nb import Lab, Tool\nlab = Lab('octet', tools=[Tool(f'shell_{n:03}') for n in range(500)])\n"
    write_notebook(folder / "fast.ipynb", [(f"{tools}lab.partition_panel()", ())])
    window.open_notebook(base, "fast.ipynb")
    assert window.run_all()
    field = window.page.locator(".jp-OutputArea-output input[type=text]")
    field.wait_for()
    for delay in (0, 15, 40):
        field.press_sequentially("421 shell", delay=delay)
        for _ in "421 shell":
            field.press("Backspace", delay=delay)
    field.press_sequentially("shell_421", delay=5)
    listed = window.page.locator(".jp-OutputArea-output select[size] option")
    listed.filter(has_text="shell_420").wait_for(state="detached", timeout=20_000)
    assert [text.split("\xa0")[0] for text in listed.all_inner_texts()] == ["shell_421"]
    assert window.errors() == []
    assert window.complaints == []


def test_the_slider_steps_through_a_turn_and_a_click_chooses_an_event(
    lab: tuple[str, Path], window: Browser, shots: Path
) -> None:
    base, folder = lab
    place = folder / "steps"
    place.mkdir()
    (place / "notes.md").write_text("one\ntwo\n")
    ask = "from lango_nb import Lab\nlab = Lab('octet')\nlab.ask('how many lines does notes.md have?');"
    write_notebook(place / "trace.ipynb", [(ask, ()), ("lab.trace_panel()", ())])
    window.open_notebook(base, "steps/trace.ipynb")
    assert window.run_all()
    view = window.page.locator(".jp-OutputArea-output").filter(has=window.page.locator(".widget-hslider"))
    view.get_by_text("Step 5", exact=True).wait_for(timeout=60_000)
    handle = view.locator(".noUi-handle")
    handle.focus()
    for _ in range(2):
        handle.press("ArrowLeft")
    view.get_by_text("Step 3", exact=True).wait_for(timeout=20_000)
    assert handle.evaluate("e => e === document.activeElement"), "the slider is not taken away from who moves it"
    pictures(window, shots, "trace-step")
    view.locator("input[placeholder='words of an event']").fill("fs_read")
    view.locator("select[size] option").filter(has_text="→").wait_for(state="detached", timeout=20_000)
    events = view.locator("select[size]")
    events.focus()
    events.press("Home")
    events.press("ArrowDown")
    view.get_by_text("arguments", exact=True).wait_for(timeout=20_000)
    pictures(window, shots, "trace-chosen")
    view.locator("input[placeholder='words of an event']").fill("")
    words = events.locator("option").filter(has_text="says")
    words.nth(1).wait_for(state="attached", timeout=20_000)
    view.get_by_role("button", name="Fold all runs").press("Enter")
    words.nth(1).wait_for(state="detached", timeout=20_000)
    view.get_by_role("button", name="Unfold all runs").wait_for(timeout=20_000)
    pictures(window, shots, "trace-folded")
    view.get_by_role("button", name="Unfold all runs").click()
    view.get_by_role("button", name="operator arun-1", exact=True).click()
    view.get_by_text("zoomed in on operator arun-1: events 3 to 10 of 13").wait_for(timeout=20_000)
    pictures(window, shots, "trace-zoomed")
    assert window.errors() == []
    assert window.offsite == []
    assert window.complaints == []


def test_keys_and_clicks_on_bars_choose_events_and_the_notebook_stays_where_it_is(
    lab: tuple[str, Path], window: Browser, shots: Path
) -> None:
    base, folder = lab
    place = folder / "keys"
    place.mkdir()
    (place / "notes.md").write_text("one\ntwo\n")
    ask = "from lango_nb import Lab\nlab = Lab('octet')\nlab.ask('how many lines does notes.md have?');"
    show = "viewer = lab.trace_panel()\nviewer"
    write_notebook(place / "keys.ipynb", [(ask, ()), (show, ()), ("print(viewer.selected)", ())])
    window.open_notebook(base, "keys/keys.ipynb")
    assert window.run_all()
    view = window.page.locator(".jp-OutputArea-output").filter(has=window.page.locator(".widget-hslider"))
    view.get_by_text("Step 5", exact=True).wait_for(timeout=60_000)
    chosen = view.locator("select[size]")
    view.locator(".lango-lanes").get_by_text("fs_read").click()
    view.get_by_text("arguments", exact=True).wait_for(timeout=20_000)
    is_shown = "words => document.querySelector('.jp-OutputArea-output select[size]').value.includes(words)"
    window.page.wait_for_function(is_shown, arg="fs_read", timeout=20_000)  # it hears of it later
    first = chosen.evaluate("e => e.selectedIndex")
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    cell = window.page.evaluate(active)
    is_chosen = "([at]) => document.querySelector('.jp-OutputArea-output select[size]').selectedIndex === at"
    for key, at in (("j", first + 1), ("j", first + 2), ("k", first + 1), ("k", first)):
        window.page.keyboard.press(key)
        window.page.wait_for_function(is_chosen, arg=[at], timeout=20_000)
    window.page.keyboard.press("ArrowLeft")
    view.get_by_text("Step 2", exact=True).wait_for(timeout=20_000)
    window.page.keyboard.press("/")
    window.page.keyboard.type("jk/")  # letters again, while a field has them
    field = view.locator("input[placeholder='words of an event']")
    assert field.input_value() == "jk/"
    view.locator("select[size] option").first.wait_for(state="detached", timeout=20_000)
    pictures(window, shots, "trace-keys")
    field.press("Escape")
    view.locator("select[size] option").first.wait_for(state="attached", timeout=20_000)
    assert field.input_value() == ""
    assert window.page.evaluate(active) == cell
    assert window.errors() == []
    assert window.offsite == []
    assert window.complaints == []


def open_dashboard(lab: tuple[str, Path], window: Browser, name: str, topology: str = "octet") -> tuple[Locator, Path]:
    """Open a dashboard in a folder of its own; return what is shown of it, and the folder."""
    base, folder = lab
    place = folder / name
    place.mkdir()
    (place / "notes.md").write_text("one\ntwo\n")
    (place / "old.txt").write_text("Last year's plan.")
    write_notebook(place / "board.ipynb", [(f"from lango_nb import Lab\nlab = Lab({topology!r})\nlab.dashboard()", ())])
    window.open_notebook(base, f"{name}/board.ipynb")
    assert window.run_all(60)
    return window.page.locator(".jp-OutputArea-output").filter(has=window.page.locator(".widget-toggle-buttons")), place


def to_tab(view: Locator, name: str) -> None:
    view.locator(".widget-toggle-buttons").get_by_text(name, exact=True).click()


def choose(view: Locator, words: str) -> None:
    """Click the line of the list that has some words."""
    line = view.locator("select[size]:visible option").filter(has_text=words).first
    line.wait_for(state="attached", timeout=20_000)
    view.locator("select[size]:visible").select_option(line.inner_text())


def test_a_dashboard_asks_and_shows_the_turn_step_by_step(lab: tuple[str, Path], window: Browser, shots: Path) -> None:
    view, _place = open_dashboard(lab, window, "dashboard")
    choose(view, "vault")
    view.get_by_text("crypto_hash", exact=True).last.wait_for(timeout=20_000)
    pictures(window, shots, "dashboard-tree")
    to_tab(view, "Trace")
    view.get_by_text("no turn").first.wait_for(timeout=20_000)
    to_tab(view, "Run")
    field = view.get_by_placeholder("how many lines does notes.md have?")
    field.fill("how many lines does notes.md have?")
    field.press("Enter")
    view.get_by_text("notes.md has 2 lines.").first.wait_for(timeout=60_000)
    view.get_by_role("button", name="Send").wait_for(timeout=20_000)
    pictures(window, shots, "dashboard-run")
    to_tab(view, "Why")
    view.get_by_text("speaks for operator").first.wait_for(timeout=20_000)
    pictures(window, shots, "dashboard-why")
    to_tab(view, "History")
    choose(view, "how many lines")
    view.get_by_role("button", name="Step by step").wait_for(timeout=20_000)
    pictures(window, shots, "dashboard-history")
    view.get_by_role("button", name="Step by step").click()
    view.get_by_text("Step 5", exact=True).wait_for(timeout=20_000)
    pictures(window, shots, "dashboard-trace")
    to_tab(view, "Runs")
    choose(view, "completed")
    pictures(window, shots, "dashboard-runs")
    assert window.errors() == []
    assert window.offsite == []
    assert window.complaints == []


def test_a_turn_of_the_dashboard_asks_with_a_card_and_another_is_stopped(
    lab: tuple[str, Path], window: Browser, shots: Path
) -> None:
    view, place = open_dashboard(lab, window, "stopped", "quartet")
    to_tab(view, "Run")
    field = view.get_by_placeholder("how many lines does notes.md have?")
    for name, answer in (("notes.md", "Once"), ("old.txt", "Stop")):
        field.fill(f"delete {name}")
        view.get_by_role("button", name="Send").click()
        view.get_by_role("button", name="Once").wait_for(timeout=60_000)
        pictures(window, shots, f"dashboard-run-{answer}")
        view.get_by_role("button", name=answer, exact=True).click()
        view.get_by_role("button", name="Send").wait_for(timeout=60_000)
    view.get_by_text("cancelled").first.wait_for(timeout=20_000)
    assert [(place / name).exists() for name in ("notes.md", "old.txt")] == [False, True]
    assert window.errors() == []
    assert window.complaints == []


def test_a_set_is_measured_and_a_number_and_a_mistake_are_clicked(
    lab: tuple[str, Path], window: Browser, shots: Path
) -> None:
    view, _place = open_dashboard(lab, window, "measured")
    to_tab(view, "Evaluate")
    view.get_by_role("button", name="Measure").wait_for(timeout=20_000)
    view.locator("select:visible").nth(3).select_option("all")
    view.get_by_role("button", name="Measure").click()
    view.get_by_text("of 9,", exact=False).first.wait_for(timeout=20_000)
    view.get_by_role("button", name="Stop", exact=True).click()  # at once: on its own it ends within seconds
    view.get_by_text("stopped after").first.wait_for(timeout=20_000)
    pictures(window, shots, "evaluate-stopped")
    view.locator("select:visible").nth(3).select_option("1000")
    view.get_by_role("button", name="Measure").click()
    view.get_by_text("1,000 of 9,").first.wait_for(timeout=60_000)
    view.locator("button[title='operator → (abstained)']").click()
    view.get_by_text("operator → root").first.wait_for(state="detached", timeout=20_000)
    choose(view, "operator → (abstained)")
    view.get_by_text("it belongs to operator").wait_for(timeout=20_000)
    pictures(window, shots, "evaluate")
    assert window.errors() == []
    assert window.offsite == []
    assert window.complaints == []


def test_the_doctor_looks_again_and_a_check_is_clicked(lab: tuple[str, Path], window: Browser, shots: Path) -> None:
    view, _place = open_dashboard(lab, window, "doctor")
    to_tab(view, "Doctor")
    choose(view, "tree:")
    view.get_by_text("has its owner").first.wait_for(timeout=20_000)
    view.get_by_role("button", name="Look again").click()
    view.get_by_text("fine").first.wait_for(timeout=20_000)
    pictures(window, shots, "doctor")
    assert window.errors() == []
    assert window.complaints == []


def field(view: Locator, label: str) -> Locator:
    """Return the field that stands behind a label."""
    row = view.locator(".widget-inline-hbox:visible").filter(has=view.page.get_by_text(label, exact=True))
    return row.locator("input, textarea, select").first


def test_an_agent_is_edited_in_a_form_and_what_that_does_is_seen_before_it_is_applied(
    lab: tuple[str, Path], window: Browser, shots: Path
) -> None:
    view, place = open_dashboard(lab, window, "edited")
    choose(view, "operator ")
    field(view, "name").fill("no name")
    view.get_by_text("a name is a letter").wait_for(timeout=20_000)
    pictures(window, shots, "tree-wrong")
    field(view, "name").fill("clerk")
    view.get_by_text("What this would do").wait_for(timeout=20_000)
    view.get_by_text("12 tools moved").wait_for(timeout=20_000)
    assert field(view, "name").evaluate("e => e === document.activeElement"), "nobody loses the field while typing"
    pictures(window, shots, "tree-form")
    view.get_by_role("button", name="Apply").click()
    view.get_by_text("What the last change did").wait_for(timeout=20_000)
    field(view, "tool").select_option("exec_bg")
    field(view, "to").select_option("automator")
    view.get_by_role("button", name="Send", exact=True).click()
    view.get_by_text("1 tool moved").wait_for(timeout=20_000)
    field(view, "folder").fill("mine")
    for _ in range(2):
        view.get_by_role("button", name="Save topology").click()
    view.get_by_role("button", name="Replace").click()
    view.get_by_text("saved to mine").wait_for(timeout=20_000)
    pictures(window, shots, "tree-saved")
    assert (place / "mine" / "agents" / "clerk" / "AGENT.md").exists()
    assert window.errors() == []
    assert window.offsite == []
    assert window.complaints == []


def test_what_is_shown_anew_again_and_again_leaves_no_listener_behind(lab: tuple[str, Path], window: Browser) -> None:
    base, folder = lab
    begin = "from lango_nb import Lab\nlab = globals().get('lab') or Lab('octet')"
    count = "print(len(lab.engine.listeners))"
    write_notebook(folder / "again.ipynb", [(begin, ()), ("lab.history_panel()", ()), (count, ())])
    window.open_notebook(base, "again.ipynb")
    for _ in range(5):
        assert window.run_all(60)
        window.page.locator(".jp-OutputArea-output select[size]").wait_for()
        window.page.wait_for_timeout(300)
    assert int(said(window.cells()[-1]["outputs"])) <= 2, "the one that is shown, and perhaps the one before"
    assert window.errors() == []
    assert window.complaints == []


def test_a_proposal_is_read_and_accepted_with_a_click(lab: tuple[str, Path], window: Browser, shots: Path) -> None:
    base, folder = lab
    place = folder / "learning"
    place.mkdir()
    setup = """%load_ext lango_nb
from lango_nb import Lab
lab = Lab("octet", approver="allow")
lab.open_genome("genome")
for text in ("how many lines does ledger.csv have?", "read ledger.csv", "how many words are in ledger.csv?"):
    lab.ask(text)"""
    cells = [setup, "lab.genome.learn().panel()"]
    write_notebook(place / "panel.ipynb", [(cell, ()) for cell in cells])
    window.open_notebook(base, "learning/panel.ipynb")
    assert window.run_all()
    button = window.page.locator(CARDS).get_by_text("Accept", exact=True)
    button.wait_for(timeout=60_000)
    pictures(window, shots, "learning")
    button.click()
    button.wait_for(state="detached", timeout=60_000)
    window.screenshot(shots / "learning-accepted.png")
    assert "pending" in window.page.locator(".jp-OutputArea-output").nth(0).inner_text()
    assert "ledger" in (place / "genome" / "memories" / "memories.jsonl").read_text()
    assert window.errors() == []
    assert window.offsite == []
    assert window.complaints == []


def test_a_change_of_the_genome_is_read_compared_and_rolled_back(
    lab: tuple[str, Path], window: Browser, shots: Path
) -> None:
    base, folder = lab
    place = folder / "genome-panel"
    place.mkdir()
    setup = """%load_ext lango_nb
from lango_nb import AgentSpec, Lab
from lango_nb.specs.agent import Constraints
lab = Lab("octet", approver="allow")
Lab("solo").genome_panel()"""
    fill = """lab.open_genome("genome")
lead = Constraints(can_spawn=True, max_depth=3)
lab.genome.add(AgentSpec(name="archivist", description="Knows which notes there are.", instruction="You are archivist.",
    model="fast", tools=("reader",), delegates=("reader",), constraints=lead), "root")
lab.genome.remember("Ada has the key of the shed")
for text in ("how many lines does ledger.csv have?", "read ledger.csv", "how many words are in ledger.csv?"):
    lab.ask(text);"""
    cells = [setup, fill, "lab.dashboard('genome')"]
    write_notebook(place / "panel.ipynb", [(cell, ()) for cell in cells])
    window.open_notebook(base, "genome-panel/panel.ipynb")
    assert window.run_all()
    outputs = window.page.locator(".jp-OutputArea-output")
    assert "%lango genome init FOLDER" in outputs.nth(0).inner_text()
    view = outputs.last
    pictures(window, shots, "genome")
    view.get_by_text("Look for stumbles", exact=True).click()
    view.get_by_text("Accept", exact=True).wait_for(timeout=60_000)
    pictures(window, shots, "genome-card")
    view.get_by_text("Refuse", exact=True).click()
    view.get_by_text("refused: 1").wait_for(timeout=20_000)
    change = view.locator("select[size] option", has_text="add agent archivist")
    change.wait_for(state="attached")
    view.locator("select[size]").select_option(label=change.inner_text())
    view.get_by_text("+- archivist").wait_for(timeout=20_000)
    view.get_by_text("Roll back …", exact=True).click()
    view.get_by_text("Roll it back", exact=True).wait_for(timeout=20_000)
    view.get_by_text("Roll it back", exact=True).scroll_into_view_if_needed()
    pictures(window, shots, "genome-question")
    assert (place / "genome" / "agents" / "archivist.yaml").exists()
    view.get_by_text("Roll it back", exact=True).click()
    view.get_by_text("is rolled back").wait_for(timeout=20_000)
    view.get_by_text("Roll it back", exact=True).wait_for(state="detached", timeout=20_000)
    window.screenshot(shots / "genome-rolled-back.png")
    assert not (place / "genome" / "agents" / "archivist.yaml").exists()
    assert window.errors() == []
    assert window.offsite == []
    assert window.complaints == []
