"""Draw the small pictures of the index in ``00_start_here``: ``python -m tests.notebooks.pictures``.

Each is a card with the part of an output that says most, as it is saved in its notebook, in Chromium; that of the
dashboard is a part of its picture in the README. A card is white, in both themes, with twice the pixels it is shown
with, for screens that have them. Names and sizes are held by ``test_index.py``; draw them anew when views look
different.
"""

from __future__ import annotations

import base64
import io
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.browser.harness import CHROMIUM
from tests.notebooks.refresh import NOTEBOOKS, read

PICTURES = NOTEBOOKS / "pictures"
SHOWN = 340
"""Pixels of the width that a picture is shown with."""
_SHAPE = 0.6
_COLOURS = 96
_README = NOTEBOOKS.parent / ".pictures" / "approval.png"


class Part(NamedTuple):
    """What of a notebook is drawn."""

    cell: str
    """The cell whose output stands for the notebook; a picture of the README when empty."""
    width: int
    """Pixels of the output that are as wide as the card."""
    left: int = 0
    top: int = 0
    """Pixels of the output that lie outside."""


CELLS: Mapping[str, Part] = {
    "01_partitions": Part("compare", 410),
    "02_routing": Part("route", 470),
    "03_turns_and_traces": Part("trace", 540),
    "04_teammates": Part("both", 500, top=200),
    "05_history_as_dataframes": Part("dead", 490),
    "06_evaluate_routing": Part("measure", 600),
    "07_real_models": Part("ask", 520),
    "08_whole_turns": Part("plan", 460),
    "09_dashboard": Part("", 570, left=84, top=72),
    "10_reading_a_trace": Part("sequence", 430),
    "11_genome": Part("add", 560, top=4),
}
"""What stands for each notebook."""
_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: transparent; }}
.card {{ box-sizing: border-box; width: {width}px; height: {height}px; overflow: hidden; background: #ffffff;
  border: {edge}px solid #d0d7de; border-radius: {round}px; }}
.output {{ padding: 14px; margin: -{top}px 0 0 -{left}px; font: 13px/1.5 system-ui, sans-serif; color: #1f2328; }}
table.dataframe {{ border: 0; border-collapse: collapse; font-size: 12px; }}
table.dataframe td, table.dataframe th {{ border: 0; padding: 4px 8px; text-align: right; }}
table.dataframe tr:nth-child(even) {{ background: rgba(127, 127, 127, .12); }}
</style><div class="card"><div class="output">{output}</div></div>"""


def draw(folder: Path = PICTURES) -> None:
    """Draw all pictures into a folder."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    folder.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as work:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--headless", "--no-sandbox"])
        for name, part in CELLS.items():
            height = round(part.width * _SHAPE)
            page = chromium.new_page(
                viewport={"width": part.width, "height": height}, device_scale_factor=2 * SHOWN / part.width
            )
            file = Path(work, "page.html")
            file.write_text(_page(name, part, height), encoding="utf-8")
            page.goto(file.as_uri())
            drawn = Image.open(io.BytesIO(page.screenshot(omit_background=True)))
            drawn.quantize(_COLOURS, Image.Quantize.FASTOCTREE).save(folder / f"{name}.png", optimize=True)
            page.close()
        chromium.close()


def _page(name: str, part: Part, height: int) -> str:
    pixel = part.width / SHOWN
    output = _output(name, part.cell) if part.cell else _picture()
    look = {"edge": pixel, "round": 8 * pixel, "left": part.left, "top": part.top}
    return _PAGE.format(width=part.width, height=height, output=output, **look)


def _output(name: str, cell_id: str) -> str:
    cell = next(cell for cell in read(NOTEBOOKS / f"{name}.ipynb").cells if cell["id"] == cell_id)
    pages = [out["data"]["text/html"] for out in cell["outputs"] if "text/html" in out.get("data", {})]
    return "".join(pages[-1])


def _picture() -> str:
    return f'<img src="data:image/png;base64,{base64.b64encode(_README.read_bytes()).decode()}">'


if __name__ == "__main__":
    draw()
