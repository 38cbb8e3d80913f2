"""The short form of :mod:`tests.endurance.damage`; the long one is a command of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endurance.damage import DAMAGES

ROOT = Path(__file__).parents[2]
COPIES = len(DAMAGES)
"""One of each kind of damage."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies are looked at in forked processes; needs a POSIX system")
def test_of_a_damaged_home_nothing_is_shown_that_was_not_written_and_nothing_is_lost_silently() -> None:
    command = [sys.executable, "-m", "tests.endurance.damage", "--copies", str(COPIES), "--seed", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["copies"] == COPIES
    assert COPIES > found["opened"] > COPIES / 3
