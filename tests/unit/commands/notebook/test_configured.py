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
