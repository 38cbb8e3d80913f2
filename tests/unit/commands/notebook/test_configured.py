"""What ``%config LangoMagics`` says holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lango_nb import Lab


def test_home_of_the_configuration_keeps_turns(session: Any, tmp_path: Path) -> None:
    session.run(f"%config LangoMagics.home = {str(tmp_path / 'kept')!r}")
    session.run("%lango ask hello;")
    session.lab.close()
    again = Lab(store=tmp_path / "kept")
    assert [trace.turn.text for trace in again.engine.traces] == ["hello;"]
    again.close()


def test_frames_are_shown_in_their_own_way_until_it_is_switched_off(session: Any) -> None:
    def page() -> str:
        return str(session.shown(session.run("%lango agents --df"))["text/html"])

    assert "dataframe" not in page()
    session.run("%config LangoMagics.tables = False")
    assert "dataframe" in page()
    session.run("%config LangoMagics.tables = True")
    assert "dataframe" not in page()
