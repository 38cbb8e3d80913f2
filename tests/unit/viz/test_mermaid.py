"""Labels of mermaid diagrams."""

from __future__ import annotations

from lango_nb.viz.escape import label


def test_everything_mermaid_reads_becomes_an_entity() -> None:
    made = label('#;:"<>&`{}[]()|\\%~ plain words-and_names.')
    assert made.endswith(" plain words-and_names.")
    assert set(made[: -len(" plain words-and_names.")]) <= set("#;0123456789")


def test_labels_are_one_short_line() -> None:
    assert "\n" not in label("a\nb")
    assert len(label("x" * 1000)) == 120
