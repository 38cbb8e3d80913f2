"""Run every notebook in a fresh kernel and write its outputs: ``python tests/notebooks/refresh.py [NAME …]``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
TIMEOUT_S = 60
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""What a notebook says about its kernel: enough for JupyterLab to start one, nothing about who ran it last."""
LIVE = "application/vnd.jupyter.widget-view+json"
"""What only a kernel can show; a saved notebook shows the page beside it."""


def shipped(folder: Path = NOTEBOOKS) -> list[Path]:
    """Return the notebooks of a folder, by name."""
    return sorted(folder.glob("[0-9]*.ipynb"))


def read(path: Path) -> nbformat.NotebookNode:
    """Read a notebook."""
    notebook: nbformat.NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def run(path: Path) -> nbformat.NotebookNode:
    """Run a notebook from top to bottom and return it with its outputs.

    The kernel is a fresh one, works in an empty folder, has no settings of the person at the machine, and shows no
    progress: displays that change are nothing to compare.

    Raises
    ------
    CellExecutionError
        A cell failed.
    """
    notebook = read(path)
    with tempfile.TemporaryDirectory(prefix="lango-refresh-") as private:
        quiet = {
            "LANGO_NB_PROGRESS": "0",
            "LANGO_HOME": str(Path(private, "home")),
            "LANGO_MODELS_ALLOW_NETWORK": "false",  # servers of the person at the machine are no part of a lesson
        }
        work = Path(private, "work")
        work.mkdir()
        client = NotebookClient(
            notebook,
            timeout=TIMEOUT_S,
            kernel_name="python3",
            store_widget_state=False,
            resources={"metadata": {"path": str(work)}},
        )
        client.execute(env={**os.environ, **quiet})
    return notebook


def to_text(notebook: nbformat.NotebookNode) -> str:
    """Write a notebook without anything that differs from run to run: times, versions, live views.

    Counts stay, a fresh kernel begins with 1: nbval takes a cell without a count for one that never ran. Cells without
    an id of their own get one that tells their place.
    """
    cells = [_clean_cell(cell, f"cell-{number}") for number, cell in enumerate(notebook.cells, 1)]
    kept = nbformat.from_dict({"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5})
    nbformat.validate(kept)
    return str(nbformat.writes(kept)).rstrip("\n") + "\n"


def _clean_cell(cell: Any, name: str) -> dict[str, Any]:
    kept = {"cell_type": cell.cell_type, "id": cell.get("id", name), "source": cell.source}
    tags = cell.metadata.get("tags")
    kept["metadata"] = {"tags": tags} if tags else {}
    if cell.cell_type == "code":
        kept |= {"execution_count": cell.execution_count, "outputs": _joined(map(_clean_output, cell.outputs))}
    return kept


def _joined(outputs: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put pieces of one stream together: where a busy kernel cuts it differs from run to run."""
    joined: list[dict[str, Any]] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output["output_type"] == "stream" and last.get("name") == output["name"] and "text" in last:
            last["text"] += output["text"]
        else:
            joined.append(output)
    return joined


def _clean_output(output: Any) -> dict[str, Any]:
    kept = {key: value for key, value in output.items() if key != "transient"}
    if "metadata" in kept:
        kept["metadata"] = {}
    if "data" in kept:
        kept["data"] = {kind: value for kind, value in kept["data"].items() if kind != LIVE}
    return kept


def refresh(paths: Iterable[Path]) -> list[str]:
    """Run notebooks and write those whose bytes change.

    Returns
    -------
    list of str
        Names of the files written.
    """
    written = []
    for path in paths:
        text = to_text(run(path))
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            written.append(path.name)
    return written


def main() -> int:
    """Refresh the notebooks named on the command line, or all; 1 when a cell failed: its notebook stays as it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="notebooks; all of them when absent")
    names = parser.parse_args().names
    try:
        written = refresh([Path(name) for name in names] or shipped())
    except CellExecutionError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    print("written:", ", ".join(written) or "nothing, all are up to date")  # noqa: T201 - the same
    return 0


if __name__ == "__main__":
    sys.exit(main())
