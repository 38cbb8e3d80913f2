"""Every view as a reader sees it: its line, its text and its HTML as a whole, compared with what is committed."""

from __future__ import annotations

import hashlib

import pytest

from lango_nb import viz
from lango_nb.core.errors import UsageError
from tests.expected import outline, same_as_expected, styles
from tests.unit.viz import samples

RECORDS = samples.records()
LONG = 8_000
"""Characters of an outline that nobody reads: a digest stands for it."""


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


@pytest.mark.parametrize("name", RECORDS)
def test_a_view_is_shown_as_expected(name: str) -> None:
    record = RECORDS[name]
    parts = [viz.to_line(record), viz.to_text(record), outline(viz.to_html(record))]
    try:
        parts.append(viz.to_mermaid(record))
    except UsageError:
        parts.append("no diagram")
    whole = (part if len(part) < LONG else f"{part[:2000]}\n… {digest(part)}" for part in parts)
    same_as_expected(f"viz/{name.replace(' ', '_')}.txt", "\n\n".join(whole))


def test_views_have_the_expected_styles() -> None:
    same_as_expected("viz/styles.txt", styles([viz.to_html(record) for record in RECORDS.values()]))
