"""Views: what each tells by name is there and is what its record says; nothing else is looked up behind its back."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lango_nb import Lab
from lango_nb.lab import view_types as views
from lango_nb.records.history import History
from lango_nb.viz.view import ListView, Told, View


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, View[Any]]]:
    """One view of every kind."""
    folder: Path = tmp_path_factory.mktemp("views")
    (folder / "notes.md").write_text("one\ntwo\n", encoding="utf-8")
    lab = Lab("octet", workspace=folder)
    result = lab.ask("how many lines does notes.md have?")
    found: list[View[Any]] = [
        lab.tree, lab.partition, lab.route("read a file"), lab.diff("quartet"), lab.prompt("vault"), lab.config,
        lab.status, lab.trace(), result, lab.run(lab.runs[0].id), lab.approvals, lab.doctor(), lab.graph(),
        lab.sql("SELECT outcome FROM turns"), lab.history, lab.evaluate("held-out", sample=5, on_progress=print),
        lab.evaluate_tasks(sample=1), lab.learning([("encrypt this", "vault")] * 6),
    ]  # fmt: skip
    yield {type(view).__name__: view for view in found}
    lab.close()


def classes() -> list[type[View[Any]]]:
    """Return every kind of view that tells something by name."""
    every = [one for _, one in inspect.getmembers(views, inspect.isclass)]
    return sorted({one for one in every if issubclass(one, View)} - {View, ListView}, key=lambda one: one.__name__)


def test_turns_are_narrowed_by_the_names_that_the_history_knows() -> None:
    asked, known = (list(inspect.signature(kind.where).parameters.values()) for kind in (views.HistoryView, History))
    assert asked == known


@pytest.mark.parametrize("kind", classes(), ids=lambda kind: kind.__name__)
def test_what_a_view_tells_is_what_its_record_says(made: dict[str, View[Any]], kind: type[View[Any]]) -> None:
    view = made[kind.__name__]
    names = {name for name, value in vars(kind).items() if isinstance(value, Told)}
    for name in names:
        value = getattr(view, name)
        assert value == getattr(view.record, name, value), name
        assert getattr(kind, name).__doc__.endswith("."), "help() shows it"
        assert name in vars(kind)["__annotations__"], "editors and type checkers know what it is"
        with pytest.raises(AttributeError, match="cannot be set"):
            setattr(view, name, value)
    assert {name for name in vars(view) if not name.startswith("_")} == {"record"}


@pytest.mark.parametrize("name", ["n_of_nothing", "dropped", "_repr_png_", "_ipython_display_"])
def test_a_name_that_a_view_does_not_tell_is_not_looked_up_elsewhere(made: dict[str, View[Any]], name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(made["TraceView"], name)


def test_lists_can_be_counted_indexed_and_iterated_over() -> None:
    view = ListView(("a", "b", "c"))
    assert (len(view), view[0], view[1:], list(view), "b" in view) == (3, "a", ("b", "c"), ["a", "b", "c"], True)
    assert ListView(()), "an empty view is there all the same"


def test_mappings_are_asked_by_name(made: dict[str, View[Any]]) -> None:
    tree, partition, status = (made[name] for name in ("TreeView", "PartitionView", "StatusView"))
    assert isinstance(tree, views.TreeView)
    assert isinstance(partition, views.PartitionView)
    assert isinstance(status, views.StatusView)
    assert tree["vault"].name == "vault"
    assert "vault" in tree
    assert partition["vault"] == partition.record["vault"]
    assert partition.owner("fs_read") == partition.why("fs_read").agent == "operator"
    assert status["turns"] == "1"
    assert [*status] == [*status.record]


def test_a_diagram_is_that_of_the_record_whatever_is_shown(made: dict[str, View[Any]]) -> None:
    assert made["Result"].mermaid == made["TraceView"].mermaid


def test_durations_are_told_when_asked_for(made: dict[str, View[Any]]) -> None:
    trace, measured = made["TraceView"], made["EvaluationView"]
    assert isinstance(trace, views.TraceView)
    assert isinstance(measured, views.EvaluationView)
    for view, timed in ((trace, trace.timed()), (measured, measured.timed())):
        assert " ms" not in view.text
        assert " ms" in timed.text
        assert timed.df.equals(view.df)
