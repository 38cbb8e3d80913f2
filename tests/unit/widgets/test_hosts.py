"""A host that shows widgets and knows no magics, as Voila is one: nbclient runs the notebook, nothing is loaded."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat
import pytest

CELLS = (
    "from lango_nb import Lab\nlab = Lab('octet')\nlab.ask('hello');\nlab.dashboard('history')",
    "from IPython import get_ipython\n'lango' in get_ipython().magics_manager.magics['line']",
)


def test_a_dashboard_is_live_and_still_in_a_host_without_magics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGO_HOME", str(tmp_path))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    (board,), (has_magics,) = (cell["outputs"] for cell in notebook.cells)
    assert has_magics["data"]["text/plain"] == "False"
    view = board["data"]["application/vnd.jupyter.widget-view+json"]
    states = notebook.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    assert view["model_id"] in states
    names = [state["state"].get("_model_name") for state in states.values()]
    assert {"ToggleButtonsModel", "SelectModel", "HTMLModel"} <= {*names}
    assert "hello" in board["data"]["text/html"]
    assert "1  success  hello" in board["data"]["text/plain"]
