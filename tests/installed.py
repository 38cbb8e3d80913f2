"""See whether an installed lango_nb is whole: run it from nowhere, with the Python it was installed for.

    cd $(mktemp -d) && /path/to/.venv/bin/python -I /path/to/tests/installed.py CHECKOUT

``-I`` keeps the folder of this file and the present one off the path, so that what answers is what was installed: every
notebook and data file of the checkout is there, notebooks open, and route, ask, evaluate and a cassette work.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path


def main(checkout: Path) -> None:
    """Look at everything a user would miss; an assertion says what is not there."""
    import nbformat

    import lango_nb
    from lango_nb import Lab
    from lango_nb.commands.terminal.notebooks import copy_notebooks, shipped_notebooks

    package = Path(lango_nb.__file__).parent
    assert package.is_relative_to(sys.prefix), f"{package} is no installation"
    assert not package.is_relative_to(checkout / "lango_nb"), f"{package} is the checkout"

    ours = {file.relative_to(checkout / "lango_nb") for file in (checkout / "lango_nb").rglob("*") if file.is_file()}
    missing = sorted(str(file) for file in ours if "__pycache__" not in file.parts and not (package / file).is_file())
    assert not missing, f"not installed: {missing}"

    copied = copy_notebooks(shipped_notebooks(), Path("copies"))
    wanted = {file.name for file in (checkout / "notebooks").glob("*.ipynb")}
    assert wanted <= set(copied.new), f"notebooks are missing: {sorted(wanted - set(copied.new))}"
    for name in sorted(wanted):
        notebook = nbformat.read(Path("copies") / name, as_version=4)
        nbformat.validate(notebook)
        assert notebook.cells, name

    Path("notes.md").write_text("milk\nbread\n", encoding="utf-8")
    lab = Lab(approver="deny")
    assert [lab.use(name).record.second for name in ("solo", "quartet", "sextet", "octet")][-1] == "octet"
    assert lab.route("how many lines does notes.md have?").record.chosen == "operator"
    answer = lab.ask("how many lines does notes.md have?")
    assert (answer.outcome, "2 lines" in answer.answer) == ("success", True), answer.text
    for data in ("held-out", "judge"):
        result = lab.evaluate(data, sample=200).record["octet"]
        assert (result.accuracy.value or 0) > 0.5, (data, result.accuracy)
    cassettes = sorted(str(file) for file in (package / "data" / "cassettes").glob("*.json"))
    assert cassettes, "no cassette is installed"
    for cassette in cassettes:
        assert "0 model calls" not in repr(Lab(approver="deny").play(cassette)), cassette

    told = distribution("lango-nb")
    assert told.metadata["License-Expression"] == "Apache-2.0"
    assert told.metadata.get_all("License-File") == ["lango_nb/LICENSE"]
    text = str(told.metadata["Description"] or told.metadata.get_payload())  # type: ignore[attr-defined]
    assert "# lango_nb" in text
    assert not re.search(r"\]\((?!https?://)", text), "the description of an index leads to files that it does not have"
    assert "Apache License" in (files("lango_nb") / "LICENSE").read_text(encoding="utf-8")
    sys.stdout.write(f"lango_nb {lango_nb.__version__} is whole: {len(wanted)} notebooks, {len(cassettes)} cassettes\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
