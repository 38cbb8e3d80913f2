"""The pictures of the README, taken in a real JupyterLab; and plots, frames, trees and ways in both themes and widths.

    LANGO_NB_SHOTS=.pictures python -m pytest -n0 tests/browser/test_readme.py -k pictures

takes them anew when the views have changed; look at what changed before it is committed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.browser.harness import SHOTS, THEMES, Browser, write_notebook

if TYPE_CHECKING:
    from playwright.sync_api import Locator

HERE = Path(__file__).parent
README = HERE.parents[1] / "README.md"
MEASURE = (HERE / "measure.js").read_text(encoding="utf-8")
LARGEST = 120_000
"""Bytes of a picture."""
WIDTH = 1000
SETUP = """%load_ext lango_nb
from lango_nb import Lab
from pathlib import Path
Path("notes.md").write_text("# Shopping\\nmilk, bread, coffee\\n")
Path("old.txt").write_text("Last year's plan.\\n");"""
CELLS = {
    "route": "%lango route how many lines does notes.md have?",
    "trace": "turn = %lango ask how many lines does notes.md have?\n%lango trace",
    "tree": "%lango tree",
    "approval": 'lab = Lab("octet", approver="hold")\nlab.dashboard("run")',
    "step": "%lango panel trace",
    "plot": "%lango plot confusion --data held-out --sample 400",
}
"""What the README shows, by the name of its picture."""
FRAMES = {
    "frame": "lab.plot('handoffs').df[['turn_id', 'from_agent', 'to_agent', 'duration_ms', 'outcome']]",
    "turns": "lab.history.frame('turns')",
    "path": "lab.trace().path()",
    "tree": "lab.tree",
    "confusion": "lab.plot('confusion', 'held-out', sample=300)",
    "calibration": "lab.plot('calibration')",
    "abstention": "lab.plot('abstention')",
    "learning": "lab.plot('learning', LONG)",
    "latency": "lab.plot('latency')",
    "handoffs": "lab.plot('handoffs')",
    "tokens": "plots.tokens(paid)",
    "cost": "plots.cost(paid)",
    "nothing": "lab.plot('tokens')",
}
FILL = """%load_ext lango_nb
from lango_nb import Lab, plots
from pathlib import Path
Path("notes.md").write_text("one\\ntwo\\n")
lab = Lab()
for text in ("how many lines does notes.md have?", "what is in notes.md?", "hash the word tulip with sha256", "hello"):
    lab.ask(text)
long = "an-agent-whose-name-is-as-long-as-anybody-would-make-it"
paid = lab.history.frame("steps")
paid["input_tokens"] = [120 + 53 * number % 900 for number in range(len(paid))]
paid["output_tokens"] = [10 + 17 * number % 120 for number in range(len(paid))]
paid["cost_usd"] = [0.0004 * (1 + number % 7) for number in range(len(paid))]
paid.loc[paid["agent"] == "vault", "agent"] = long
LONG = [(f"zorp the {word} quux", "vault") for word in "red green blue black white pink grey brown gold".split()];"""
OVERLAP = """svg => {
  document.body.innerHTML = svg;
  document.body.style.margin = 0;
  const whole = document.querySelector('svg').getBoundingClientRect();
  const texts = [...document.querySelectorAll('text')].map(text => ({ said: text.textContent.trim(), box: text }));
  const shown = texts.filter(one => one.said && !one.box.getAttribute('transform')).map(
    one => ({ said: one.said, at: one.box.getBoundingClientRect() }));
  const found = texts.map(one => ({ said: one.said, at: one.box.getBoundingClientRect() })).filter(({ at }) =>
    at.left < whole.left - 1 || at.right > whole.right + 1 || at.top < whole.top - 1 || at.bottom > whole.bottom + 1
  ).map(one => `outside: ${one.said}`);
  shown.forEach((a, place) => shown.slice(place + 1).forEach(b => {
    const across = Math.min(a.at.right, b.at.right) - Math.max(a.at.left, b.at.left);
    const down = Math.min(a.at.bottom, b.at.bottom) - Math.max(a.at.top, b.at.top);
    if (across > 1 && down > 4) found.push(`overlap: ${a.said} / ${b.said}`);
  }));
  return found;
}"""
"""Says which words of a drawing lie over others, or outside of it."""


def cell(window: Browser, place: int) -> Locator:
    return window.page.locator(".jp-Notebook-cell").nth(place)


def prepared(window: Browser) -> None:
    """Bring the panels into the state that their pictures show."""
    names = ["setup", *CELLS]
    run = cell(window, names.index("approval"))
    field = run.get_by_placeholder("how many lines does notes.md have?")
    field.fill("delete old.txt")
    field.press("Enter")
    run.get_by_role("button", name="Once").wait_for(timeout=60_000)
    handle = cell(window, names.index("step")).locator(".noUi-handle")
    handle.focus()
    for _ in range(3):
        handle.press("ArrowLeft")
    window.page.wait_for_timeout(1000)


def test_the_pictures_of_the_readme_can_be_taken(lab: tuple[str, Path], window: Browser, shots: Path) -> None:
    base, folder = lab
    write_notebook(folder / "readme.ipynb", [(source, ()) for source in (SETUP, *CELLS.values())])
    window.open_notebook(base, "readme.ipynb")
    window.use_theme("light")
    window.page.set_viewport_size({"width": WIDTH, "height": 1400})
    assert window.run_all()
    prepared(window)
    window.page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0; }")
    window.page.evaluate("() => document.activeElement.blur()")
    for place, name in enumerate(CELLS, 1):
        picture = shots / f"{name}.png"
        cell(window, place).screenshot(path=str(picture), animations="disabled")
        assert 8_000 < picture.stat().st_size <= LARGEST, name
    assert window.errors() == []
    assert window.offsite == []


def test_the_readme_shows_these_six_with_a_sentence_each() -> None:
    shown = re.findall(r"!\[([^\]]+)\]\(\.pictures/(\w+)\.png\)", README.read_text(encoding="utf-8"))
    assert sorted(name for _, name in shown) == sorted(CELLS)
    assert all(len(said.split()) >= 5 for said, _ in shown)
    for _, name in shown:
        data = (README.parent / ".pictures" / f"{name}.png").read_bytes()
        assert data.startswith(b"\x89PNG\r\n")
        assert len(data) <= LARGEST


def test_plots_frames_trees_and_ways_fit_and_can_be_read(lab: tuple[str, Path], window: Browser, shots: Path) -> None:
    base, folder = lab
    write_notebook(folder / "plots.ipynb", [(source, ()) for source in (FILL, *FRAMES.values())])
    window.open_notebook(base, "plots.ipynb")
    assert window.run_all()
    assert window.errors() == []
    for theme in THEMES:
        window.use_theme(theme)
        for width in (1280, 820):
            window.page.set_viewport_size({"width": width, "height": 900})
            window.page.wait_for_timeout(300)
            measured: list[dict[str, Any]] = window.page.evaluate(MEASURE)
            assert [found["problems"] for found in measured] == [[]] * len(measured), (theme, width)
            for place, name in enumerate(FRAMES if SHOTS else (), 1):
                cell(window, place).screenshot(path=str(shots / f"view-{name}-{theme}-{width}.png"))
    grounds = (
        cell(window, [*FRAMES].index("tree") + 1)
        .locator("[style*='border-left:6px'], [style*='border-left: 6px']")
        .evaluate_all("cards => cards.map(card => getComputedStyle(card).backgroundColor)")
    )
    assert grounds
    assert all(ground.endswith(("0.14)", "0.07)")) for ground in grounds), "the page shows through, light or dark"
    assert window.offsite == []
    assert window.complaints == []


def test_words_of_a_plot_do_not_lie_over_each_other_however_long_names_are(
    lab: tuple[str, Path], window: Browser
) -> None:
    from lango_nb import plots
    from tests.unit.plots.test_plots import ODD, frames

    for odd in ODD.values():
        for name, frame in frames(odd).items():
            assert window.page.evaluate(OVERLAP, getattr(plots, name)(frame).svg) == [], (name, json.dumps(odd[:40]))
