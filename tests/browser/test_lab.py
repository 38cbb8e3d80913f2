"""``lango lab`` as somebody meets it who has never run Jupyter: nothing is asked, and nothing is fetched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.browser.harness import Browser

LOOKED_MS = 4000
"""How long the page is watched: news are asked about within a second of its being ready."""


def test_a_first_start_asks_nothing_and_fetches_nothing(window: Browser, tmp_path: Path, shots: Path) -> None:
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "lango_nb", "lab", "--no-browser", "--allow-root", "--port", "0", "--dir", "notebooks"],
        cwd=tmp_path,
        env={**mine, "HOME": str(tmp_path / "home"), "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = next(found[0] for line in process.stdout if (found := re.search(r"http://localhost:\S+", line)))
        asked: list[str] = []
        window.page.on("request", lambda request: asked.append(request.url))
        window.page.goto(address.replace("localhost", "127.0.0.1"), wait_until="domcontentloaded")
        window.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        window.page.wait_for_timeout(LOOKED_MS)
        window.screenshot(shots / "first_start.png")
        assert window.page.get_by_text("Jupyter news").count() == 0
        assert window.page.locator(".Toastify__toast").all_inner_texts() == []
        assert window.offsite == []
        assert not [url for url in asked if "/lab/api/news" in url or "/lab/api/update" in url]
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert not list((tmp_path / "home" / ".jupyter" / "lab").glob("user-settings/**/*")), "no setting of the user"
