"""A long session of %lango as its reader sees it: every text, frame and page is compared with what is committed."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from lango_nb.core.errors import LangoError
from lango_nb.viz.view import View
from tests.expected import outline, same_as_expected, sessions

if TYPE_CHECKING:
    from tests.unit.commands.notebook.conftest import Session

FILES = {
    "notes.md": "# Shopping\n\n- milk\n- bread\n- eggs\n",
    "prices.csv": "thing,price\nmilk,1.2\nbread,3.5\neggs,2.8\n",
    "mine.csv": "text,agent\nread notes.md,operator\nremember that I like tea,chronicler\nhello,root\n",
    "src/app.py": "def main():\n    return 1\n",
}
SESSIONS = sessions("notebook.txt")


def clean(text: str, folder: Path) -> str:
    """Leave out what differs from run to run: folders, times, durations and what a key of this machine says."""
    text = text.replace(str(folder), "«folder»")
    text = re.sub(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)?", "«time»", text)
    return re.sub(r"\b\d+(?:\.\d+)?(?= ?ms\b)", "«n»", text)


def told(session: Session, line: str, folder: Path) -> str:
    """Return what a line gives besides the text that the cell shows: a frame, a page, or the one line of an error."""
    try:
        value: Any = session.run(f"%lango {line}" if "\n" not in line else f"%{line}")
    except LangoError as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(value, View):
        frame = value.df.dropna(axis=1, how="all")
        steady = [
            name for name in frame.columns if not re.search(r"(?:^|_)at$|_ms$|_s$|latency|duration|^p\d\d$", name)
        ]
        rows = clean(frame[steady].to_csv(index=False), folder)
        return f"{short(rows, 1500)}\n{short(clean(outline(value.html), folder), 800)}"
    return value.to_csv(index=False) if isinstance(value, pd.DataFrame) else ""


def short(text: str, most: int) -> str:
    """Return a text, or its beginning and a digest where it is long: pages and frames are read in other tests."""
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    return text if len(text) <= most else f"{text[: most // 4]}… {len(text)} characters, {digest}"


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_shows_what_is_expected(session: Session, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path.cwd()
    for path, text in FILES.items():
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
    parts = []
    for line in SESSIONS[name]:
        more = clean(told(session, line, folder), folder)
        out, err = capsys.readouterr()
        parts.append(f"━━━ %lango {line}\n{clean(out + err, folder)}{more}")
    same_as_expected(f"sessions/{name}.txt", "\n".join(parts))
