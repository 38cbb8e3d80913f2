"""A public CI that runs the one command, and a guide for contributors that leads somewhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GUIDE = ROOT / ".github" / "CONTRIBUTING.md"


def test_ci_runs_the_one_command_on_every_python_that_is_named() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    named = [name.rpartition(" ")[2] for name in PROJECT["project"]["classifiers"] if re.search(r" 3\.\d+$", name)]
    assert job["strategy"]["matrix"]["python"] == named == ["3.11", "3.12", "3.13"]
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"
    assert job["steps"][-1] == {"run": "bash .ci/run"}
    assert "${{ matrix.python }}" in job["container"]


def test_the_guide_leads_somewhere() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert (GUIDE.parent / target).exists(), target
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    line = re.compile(r"<!-- command: tests -->\n```sh\n(.*)\n```")
    assert line.findall(text) == line.findall(readme), "the line for tests is the README's"
    for path in re.findall(r"`((?:tests|notebooks|\.ci)/[^` ]*)`", text):
        assert (ROOT / path).exists(), path
    for module in re.findall(r"python -m (tests\.[\w.]+)", text):
        assert (ROOT / module.replace(".", "/")).with_suffix(".py").is_file(), module
