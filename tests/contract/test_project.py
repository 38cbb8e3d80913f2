"""What a project owes to those who take it: a licence, and metadata that an index can show."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_licence_is_there_and_is_the_one_that_is_named() -> None:
    (name,) = PROJECT["project"]["license-files"]
    assert PROJECT["project"]["license"] == "Apache-2.0"
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "Apache License\n                           Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_the_visible_top_level_holds_what_was_decided() -> None:
    visible = {path.name for path in ROOT.iterdir() if not path.name.startswith((".", "__"))}
    assert visible - {"build", "dist"} == {"pyproject.toml", "lango_nb", "notebooks", "tests", "binder", "README.md"}


def test_an_index_gets_no_link_that_leads_nowhere() -> None:
    hook = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    assert [fragment["path"] for fragment in hook["fragments"]] == ["README.md"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for change in hook["substitutions"]:
        text, number = re.subn(change["pattern"], change["replacement"], text)
        assert number, f"nothing is replaced any more by {change['pattern']}"
    assert not re.search(r"\]\((?!https?://)", text)
    assert "00_start_here | what is this" in text, "the words of a link stay"
    assert "](https://" in text, "links that lead somewhere stay"


def test_what_the_suite_leaves_out_can_still_be_run() -> None:
    for name in ("benchmarks.report", "endurance.kill", "endurance.race", "endurance.damage", "mutants"):
        done = subprocess.run(
            [sys.executable, "-m", f"tests.{name}", "--help"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout[:6]) == (0, "usage:"), f"{name}: {done.stderr}"
