"""Draw the small pictures of the index in ``00_start_here``: ``python -m tests.notebooks.pictures``.

Each is the beginning of an output as it is saved in its notebook, in Chromium; without a background, and in a grey
that reads on white and on black, so that it suits both themes. Names and sizes are held by
``test_index.py``; draw them anew when views look different.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.browser.harness import CHROMIUM
from tests.notebooks.refresh import NOTEBOOKS, read

PICTURES = NOTEBOOKS / "pictures"
CELLS = {
    "01_partitions": "compare",
    "02_routing": "route",
    "03_turns_and_traces": "trace",
    "04_teammates": "both",
    "05_history_as_dataframes": "saw",
    "06_evaluate_routing": "measure",
    "07_real_models": "choice",
    "08_whole_turns": "plan",
    "09_dashboard": "open",
    "10_reading_a_trace": "sequence",
    "11_genome": "add",
}
"""The cell of each notebook whose output stands for it."""
_WIDTH, _HEIGHT, _SCALE = 600, 360, 0.5
_PAGE = """<!doctype html><meta charset="utf-8"><style>
body { margin: 16px; width: 568px; font: 13px/1.5 system-ui, sans-serif; background: transparent; color: #7c7c7c; }
table.dataframe { border: 0; border-collapse: collapse; font-size: 12px; }
table.dataframe td, table.dataframe th { border: 0; padding: 4px 8px; text-align: right; }
table.dataframe tr:nth-child(even) { background: rgba(127, 127, 127, .12); }
</style>"""


def draw(folder: Path = PICTURES) -> None:
    """Draw all pictures into a folder."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as work:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--headless", "--no-sandbox"])
        size = {"width": _WIDTH, "height": _HEIGHT}
        page = chromium.new_context(viewport=size, device_scale_factor=_SCALE).new_page()  # type: ignore[arg-type]  # a TypedDict
        for name, cell_id in CELLS.items():
            file = Path(work, "page.html")
            file.write_text(_PAGE + _output(name, cell_id), encoding="utf-8")
            page.goto(file.as_uri())
            page.screenshot(path=str(folder / f"{name}.png"), omit_background=True)
        chromium.close()


def _output(name: str, cell_id: str) -> str:
    cell = next(cell for cell in read(NOTEBOOKS / f"{name}.ipynb").cells if cell["id"] == cell_id)
    pages = [out["data"]["text/html"] for out in cell["outputs"] if "text/html" in out.get("data", {})]
    return "".join(pages[-1])


if __name__ == "__main__":
    draw()
