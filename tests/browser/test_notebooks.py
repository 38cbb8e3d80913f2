"""The notebooks where people open them: copies in a real JupyterLab, light and dark.

The first lesson and the one with live panels are run from top to bottom. The others are looked at as they were saved,
which is how a reader meets them; that a run gives the same says nbval, and ``-m slow`` runs them here too.

Pictures of them go to the folder that ``LANGO_NB_SHOTS`` names.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lango_nb.commands.terminal.notebooks import START, copy_notebooks, shipped_notebooks
from tests.browser.harness import SHOTS, THEMES, Browser

HERE = Path(__file__).parent
LIVE = "application/vnd.jupyter.widget-view+json"
"""What is no part of a saved notebook."""
MEASURE = (HERE / "measure.js").read_text(encoding="utf-8")
FOLD = "isOpen => document.querySelectorAll('details').forEach(e => { e.open = isOpen; })"
NAMES = sorted(path.name for path in shipped_notebooks().glob("[0-9]*.ipynb"))
SHOWN = {
    START: [
        ("setup", "workspace  garden"),
        ("tree", "librarian"),
        ("owners", "vault claims the prefix 'crypto_*'"),
        ("route", "→ operator"),
        ("ask", "plants.csv"),
        ("trace", "fs_list"),
        ("danger", "still there: ['notes.md', 'plants.csv']"),
    ],
    "01_partitions.ipynb": [
        ("compare", "executor"),
        ("why", "cron_*"),
        ("order", "editor (report_draft_)"),
        ("own", "payment_refund"),
        ("rename", "fs_read_invoice"),
    ],
    "02_routing.ipynb": [
        ("route", "→ vault"),
        ("before", "no agent owns tools of that family"),
        ("tool", "cron_remind"),
        ("agent", "scheduler"),
        ("why", "the router agrees"),
    ],
    "03_turns_and_traces.ipynb": [
        ("hello", "turn.started"),
        ("trace", "operator arun-1"),
        ("refused", "did you mean 'librarian'?"),
        ("loops", "the same hand-overs came twice"),
        ("modes", "Do not give it to operator again"),
        ("ends", "repeated_call_signature"),
    ],
    "04_teammates.ipynb": [
        ("ask", "1 run"),
        ("trace", "operator arun-1"),
        ("kept", "operator reports: notes.md has 4 lines."),
        ("both", "vault arun-2"),
        ("asks", "grant-arun-2-fs_delete"),
        ("grant", "arun-2 is done: Deleted old.txt."),
        ("ends", "cancelled"),
        ("tasks", "water the basil"),
    ],
    "05_history_as_dataframes.ipynb": [
        ("fill", "records.db"),
        ("dies", "the process ended with 9"),
        ("next", "turn 6 (attic) was interrupted and is closed now; fs_delete had begun"),
        ("next", "6 turns"),
        ("delegations", "by_name_only"),
        ("dead", "interrupted"),
        ("saw", "leaks, in everything that is stored: 0"),
        ("doctor", "%lango trace 6: look whether what had begun was done"),
        ("export", "the same turns again:  True"),
    ],
    "06_evaluate_routing.ipynb": [
        ("measure", "400 of 9,314 requests"),
        ("intervals", "width"),
        ("baseline", "keywords"),
        ("calibration", "confidence"),
        ("curve", "the router's own threshold"),
        ("mistakes", "6 requests"),
        ("teach", "after"),
        ("model", "answers from the file"),
    ],
    "07_real_models.ipynb": [
        ("take", "16 model calls"),
        ("ask", "gardener"),
        ("choice", "planner"),
        ("quartet", "count its lines without the first"),
        ("miss", "is not on octet-garden.json"),
        ("off", "still plays"),
    ],
    "08_whole_turns.ipynb": [
        ("ask", "rosemary"),
        ("plan", "largest plant"),
        ("talk", "Taken back: todo.txt."),
        ("evaluate", "octet"),
        ("mistakes", "failed"),
    ],
    "09_dashboard.ipynb": [
        ("open", "vault  16 tools"),
        ("act", "dashboard['route'].act('text', 'encrypt this with aes')"),
        ("route", "→ vault"),
        ("tree", "1 tool moved"),
        ("tree-code", "lab.move_tool('exec_bg', 'automator')"),
        ("measure", "operator → (abstained)"),
        ("trace", "step  3 of 5"),
        ("selected", "fs_read"),
        ("approval", "wants to call fs_delete"),
        ("answer-it", "True"),
    ],
    "10_reading_a_trace.ipynb": [
        ("ask", "Noted as to do: water the basil."),
        ("sequence", "lango-orchestrator → operator arun-1"),
        ("path", "took no part"),
        ("steps", "agent_wait"),
        ("budgets", "delegations"),
        ("operator", "read notes.md → count lines"),
        ("root", "agent_spawn, task_create"),
    ],
    "11_genome.ipynb": [
        ("ask", "root → reader → root"),
        ("who", "Changes nothing. Capabilities"),
        ("add", "delegates to reader, editor, command-runner, web-reader, note-keeper, archivist"),
        ("changed", "changed: capabilities"),
        ("deeper", "The notes say: ask Ada."),
        ("stumble", "what went wrong"),
        ("learn", "reader stumbled (error), 3 times"),
        ("accept", "memories/memories.jsonl"),
        ("accept", "ada.txt is in letters/2024."),
        ("accept", "pending"),
        ("why", "By the rule"),
        ("rollback", "add agent archivist"),
    ],
}
"""What a reader has to find, by notebook: the cell, and a piece of its text."""
RUN = (START, "09_dashboard.ipynb")
"""What is run in every suite."""
RUNS = [pytest.param((name, True), id=name, marks=() if name in RUN else pytest.mark.slow) for name in NAMES]
SAVED = [pytest.param((name, False), id=f"{name} as saved") for name in NAMES if name not in RUN]
# The page is made as high as the notebook, and everything scrolled to its beginning: a picture shows what is in view.
ALL_IN_VIEW = """() => {
    for (const part of document.querySelectorAll('*')) if (part.scrollTop) part.scrollTop = 0;
    const cells = document.querySelectorAll('.jp-Cell');
    return Math.ceil(cells[cells.length - 1].getBoundingClientRect().bottom);
}"""


@dataclass(frozen=True)
class Opened:
    """One notebook in JupyterLab."""

    name: str
    window: Browser
    is_whole: bool
    """Whether all of it was run, where it was to be run at all."""
    cells: dict[str, list[dict[str, Any]]]
    """Outputs by the cell's id."""


@pytest.fixture(scope="module")
def base(lab: tuple[str, Path]) -> str:
    """The address of copies of the notebooks, made as ``lango lab`` makes them."""
    address, folder = lab
    copy_notebooks(shipped_notebooks(), folder)
    return address


@pytest.fixture(scope="module", params=[*RUNS, *SAVED])
def opened(request: pytest.FixtureRequest, base: str, window: Browser) -> Opened:
    """One notebook after the other, opened, and run or as it was saved."""
    name, is_to_run = request.param
    window.open_notebook(base, name)
    is_whole = window.run_all() if is_to_run else True
    ids = window.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.map(c => c.model.id)")
    outputs = [cell["outputs"] for cell in window.cells()]
    return Opened(name, window, is_whole, dict(zip(ids, outputs, strict=True)))


def said(outputs: list[dict[str, Any]]) -> str:
    """The text of a cell's outputs, as the notebook's model holds it."""
    return "\n".join(str(out.get("text") or out.get("data", {}).get("text/plain", "")) for out in outputs)


def problems(window: Browser) -> list[str]:
    """What leaves its output, overlaps or cannot be read, with everything folded and with everything unfolded."""
    found = []
    for is_open in (False, True):
        window.page.evaluate(FOLD, is_open)
        window.page.wait_for_timeout(200)
        measured: list[dict[str, Any]] = window.page.evaluate(MEASURE)
        assert sum(output["texts"] for output in measured) > 0, "nothing is shown"
        state = "unfolded" if is_open else "folded"
        found += [f"output {n}, {state}: {what}" for n, output in enumerate(measured, 1) for what in output["problems"]]
    window.page.evaluate(FOLD, False)
    return found


def test_every_notebook_is_looked_at() -> None:
    assert list(SHOWN) == NAMES


def test_nothing_is_an_error(opened: Opened) -> None:
    assert opened.window.errors() == []
    assert opened.is_whole
    assert opened.window.complaints == []


def test_nothing_leaves_the_machine(opened: Opened) -> None:
    assert opened.window.offsite == []


def test_a_reader_finds_what_the_lesson_is_about(opened: Opened) -> None:
    missing = [(cell, text) for cell, text in SHOWN[opened.name] if text not in said(opened.cells[cell])]
    assert missing == []


@pytest.mark.parametrize("opened", RUNS, indirect=True)
def test_committed_outputs_are_what_a_run_gives(opened: Opened) -> None:
    shipped = json.loads((shipped_notebooks() / opened.name).read_text(encoding="utf-8"))
    for cell in shipped["cells"]:
        committed = [
            {kind: "".join(value) for kind, value in out["data"].items()}
            for out in cell.get("outputs", ())
            if out["output_type"] == "execute_result"
        ]
        found = [
            {kind: value for kind, value in out["data"].items() if kind != LIVE}
            for out in opened.cells[cell["id"]]
            if out["output_type"] == "execute_result"
        ]
        assert found == committed, cell["id"]


@pytest.mark.parametrize("theme", THEMES)
def test_outputs_fit_and_can_be_read(opened: Opened, theme: Any, shots: Path) -> None:
    window = opened.window
    window.page.set_viewport_size(window.size)
    window.use_theme(theme)
    assert problems(window) == []
    if SHOTS:
        height: int = window.page.evaluate(ALL_IN_VIEW)
        window.page.set_viewport_size({**window.size, "height": height + 40})
        window.screenshot(shots / f"{Path(opened.name).stem}-{theme}.png")


def test_a_click_on_a_picture_of_the_first_page_opens_its_lesson(base: str, window: Browser) -> None:
    window.open_notebook(base, START)
    picture = window.page.locator(".jp-MarkdownOutput a img").first
    picture.wait_for(timeout=20_000)
    window.page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-MarkdownOutput a img')].every(e => e.naturalWidth > 0)"
    )
    assert window.page.locator(".jp-MarkdownOutput a img").count() == len(NAMES) - 1
    picture.click()
    window.page.wait_for_function(
        "name => window.jupyterapp.shell.currentWidget?.context?.path.endsWith(`/${name}`)",
        arg=NAMES[1],
        timeout=60_000,
    )
    assert window.offsite == []
