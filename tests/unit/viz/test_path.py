"""The way of a turn over its tree: counts are those of its events, what was refused is told, nobody is left out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from lango_nb import Lab, viz
from lango_nb.core.events import HandedOver, HandOverRefused
from lango_nb.viz import document as doc
from lango_nb.viz.path import document
from tests.unit.viz import samples


def _tree(blocks: doc.Document) -> doc.Tree:
    (tree,) = [block for block in blocks if isinstance(block, doc.Tree)]
    return tree


def test_every_way_is_counted_as_often_as_it_was_taken() -> None:
    trace = samples.teammates()
    taken = Counter((event.author, event.target) for event in trace.events if isinstance(event, HandedOver))
    (rows,) = [block for block in document(trace) if isinstance(block, doc.Rows)]
    shown = {
        (row[0].name, row[2].name): int(str(row[3]))
        for row in rows.rows
        if row[1] == "→" and row[3] and isinstance(row[0], doc.Name) and isinstance(row[2], doc.Name)
    }
    assert shown == taken
    edges = {node.name: node.edge for node in _tree(document(trace)).nodes}
    assert edges["operator"] == f"\N{MULTIPLICATION SIGN}{taken['orchestrator', 'operator']}"


def test_what_was_refused_is_told_with_its_reason_also_a_name_that_is_nobodys() -> None:
    trace = samples.trace()
    refused = [event for event in trace.events if isinstance(event, HandOverRefused)]
    assert [event.code for event in refused] == ["unknown_agent"]
    assert "libarian" in viz.to_text(document(trace))
    assert "unknown agent" in viz.to_text(document(trace))
    assert "libarian" not in {node.name for node in _tree(document(trace)).nodes}
    (vault,) = [
        node for node in _tree(document(samples.teammates(), ["orchestrator", "vault"])).nodes if node.edge == "⊘"
    ]
    assert (vault.name, vault.is_dashed, vault.is_quiet) == ("vault", True, False)


def test_agents_of_the_tree_that_took_no_part_are_there_and_faint() -> None:
    nodes = _tree(document(samples.greeting(), samples.tree().names)).nodes
    assert [node.name for node in nodes] == [name for name in samples.tree().names if name != "orchestrator"]
    assert all(node.is_quiet and not node.edge for node in nodes)
    assert viz.to_text(document(samples.greeting())).endswith("the root answered itself")


def test_a_view_of_a_turn_knows_the_tree_it_went_over(tmp_path: Path) -> None:
    lab = Lab("quartet", workspace=tmp_path)
    lab.ask("hello")
    assert "took no part" in lab.trace().path().text
    assert lab.trace().path().df.equals(lab.trace().df)
    assert "user" in lab.trace().sequence().text.split("\n")[2]
    lab.use("octet")
    assert "took no part" not in lab.trace().path().text, "this is not the tree of that turn"
