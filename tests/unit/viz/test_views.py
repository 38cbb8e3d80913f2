"""What every view promises, whatever the record: complete, repeatable, escaped, inline styles only."""

from __future__ import annotations

import html.parser
import os
import re
import subprocess
import sys
from collections.abc import Sequence

import pytest

from lango_nb import viz
from lango_nb.core.errors import UsageError
from lango_nb.evaluation.results import Evaluation
from lango_nb.evaluation.task_results import TaskEvaluation
from lango_nb.viz import text
from lango_nb.viz.events import events_document
from lango_nb.viz.routing import decisions_document
from lango_nb.viz.turns import turns_document
from tests.unit.viz import samples

RECORDS = samples.records()
views = pytest.mark.parametrize("name", RECORDS)
TAGS = frozenset("div span pre details summary table thead tbody tr td th img wbr br".split())
ATTRIBUTES = {"style", "title", "open", "alt", "src", "width"}
STYLES = frozenset(
    "align-items background background-clip border border-bottom border-collapse border-left border-radius border-top "
    "box-sizing color cursor display flex flex-wrap font-family font-size font-weight gap grid-template-columns height "
    "justify-content left line-height margin margin-right margin-top max-width min-height min-width opacity overflow "
    "overflow-wrap overflow-x padding padding-left position table-layout text-align text-overflow top vertical-align "
    "white-space width".split()
)
"""Style properties that were seen to survive JupyterLab's sanitizer."""
VOID = {"img", "wbr", "br"}


class Reader(html.parser.HTMLParser):
    """Collects what an HTML text is made of, and refuses what is not well formed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.styles: set[str] = set()
        self.sources: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        found = dict(attrs)
        for rule in (found.get("style") or "").split(";"):
            if rule:
                name, colon, value = rule.partition(":")
                assert colon, f"not a style rule: {rule!r}"
                assert value, f"an empty style rule: {rule!r}"
                self.styles.add(name)
        if "src" in found:
            self.sources.append(found["src"] or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")


def read(source: str) -> Reader:
    reader = Reader()
    reader.feed(source)
    reader.close()
    assert reader.open == []
    return reader


@views
def test_html_holds_only_what_survives_an_untrusted_notebook(name: str) -> None:
    found = read(viz.to_html(RECORDS[name]))
    assert found.tags <= TAGS
    assert found.attributes <= ATTRIBUTES
    assert found.styles <= STYLES
    assert all(source.startswith("data:image/svg+xml;base64,") for source in found.sources)


@views
def test_html_is_one_element_that_stays_inside_the_page(name: str) -> None:
    source = viz.to_html(RECORDS[name])
    assert source.startswith('<div style="max-width:100%')
    assert source.endswith("</div>")


@views
def test_what_others_wrote_cannot_become_markup_or_hide(name: str) -> None:
    for source in (viz.to_html(RECORDS[name]), viz.to_text(RECORDS[name]), viz.to_line(RECORDS[name])):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", source)
        source.encode()
    assert "<script" not in viz.to_html(RECORDS[name])


@pytest.mark.parametrize("name", [name for name in RECORDS if name.startswith("hostile") and name != "hostile diff"])
def test_hostile_words_are_still_there_to_be_read(name: str) -> None:
    whole = "".join(read(viz.to_html(RECORDS[name])).words)
    assert "<script>" in whole
    assert "␛[31m" in whole
    assert "⟨U+202E⟩" in whole


@views
def test_text_lines_up_without_trailing_spaces(name: str) -> None:
    lines = viz.to_text(RECORDS[name]).split("\n")
    assert all(line == line.rstrip() for line in lines)
    assert max(map(text.width, lines)) <= text.WIDTH + 1, max(lines, key=text.width)
    assert lines[0]
    assert lines[-1]
    assert "\t" not in "".join(lines)


@pytest.mark.parametrize("name", [name for name in RECORDS if name != "hostile metrics"])  # they are about durations
def test_views_hold_no_clock_duration_id_address_or_path(name: str) -> None:
    record = RECORDS[name]
    for source in (viz.to_text(record), re.sub(r'src="[^"]*"', "", viz.to_html(record))):
        assert not re.search(r"\b\d{4}-\d\d-\d\d|\b\d\d:\d\d:\d\d\b", source), "a clock"
        assert not re.search(r"\d ?ms\b", source), "a duration"
        assert not re.search(r"\b(turn|call|decision|session|spawn)-\d", source), "an id"
        assert not re.search(r"0x[0-9a-f]{6,}", source), "an address"
        assert "/home/" not in source, "a path"


@views
def test_the_same_record_always_gives_the_same_view(name: str) -> None:
    record = RECORDS[name]
    assert viz.mimebundle(record) == viz.mimebundle(record)


@views
def test_a_line_is_one_line(name: str) -> None:
    said = viz.to_line(RECORDS[name])
    assert said
    assert "\n" not in said
    assert len(said) < 300


@pytest.mark.parametrize(
    "name",
    [
        "tree",
        "hostile tree",
        "partition",
        "hostile partition",
        "route",
        "trace",
        "hostile trace",
        "teammates",
        "hostile run trace",
    ],
)
def test_mermaid_reads_nothing_into_what_others_wrote(name: str) -> None:
    source = viz.to_mermaid(RECORDS[name])
    head, *lines = source.split("\n")
    assert head in {"flowchart LR", "sequenceDiagram"}
    assert lines
    for line in lines:
        assert line.startswith("  ")
        assert line.count('"') in {0, 2, 4}
        assert "<script" not in line
        said = re.sub(r"<br/>|&[a-z]+;|#\d+;|->>|-->>|==>|-\.->|-->|->", "", line)
        assert not re.search(r"[<>`;]", said), line


def test_a_record_without_a_diagram_says_which_have_one() -> None:
    with pytest.raises(UsageError, match="a Table has no mermaid diagram; there is one for: AgentTree, Partition"):
        viz.to_mermaid(RECORDS["table"])


@pytest.mark.parametrize("value", [42, "text", [], [1, 2], None, {"a": 1}, [samples.turn(), 3]])
def test_values_of_other_kinds_are_refused(value: object) -> None:
    with pytest.raises(UsageError, match="there is no view of a"):
        viz.to_text(value)


def test_lists_of_turns_decisions_and_events_are_shown_as_such() -> None:
    trace = samples.trace()
    assert viz.to_text([trace.turn]) == viz.to_text(turns_document((trace.turn,)))
    assert viz.to_text(trace.decisions) == viz.to_text(decisions_document(trace.decisions))
    assert viz.to_html(trace.events) == viz.to_html(events_document(trace.events))
    assert viz.to_text(trace.events[0]) == viz.to_text(events_document(trace.events[:1]))


def test_only_what_is_wanted_is_made() -> None:
    record = RECORDS["route"]
    assert set(viz.mimebundle(record)) == {"text/plain", "text/html"}
    assert set(viz.mimebundle(record, include=["text/plain"])) == {"text/plain"}
    assert set(viz.mimebundle(record, exclude=["text/plain"])) == {"text/html"}


def test_an_option_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="a view of a Route has no option 'timing'"):
        viz.to_html(RECORDS["route"], timing=True)


def test_views_do_not_depend_on_the_order_of_hashing() -> None:
    code = (
        "import sys, hashlib; sys.path.insert(0, '.')\n"
        "from tests.unit.viz import samples\nfrom lango_nb import viz\n"
        "from lango_nb.routing.diff import diff\n"
        "records = [samples.tree(), samples.tree().partition, samples.route(), samples.trace(),\n"
        "           samples.teammates(), samples.runs(), samples.records()['run history'],\n"
        "           diff(samples.tree(), samples.other_tree()), samples.decision()]\n"
        "whole = ''.join(viz.to_html(r) + viz.to_text(r) for r in records)\n"
        "print(hashlib.sha256(whole.encode()).hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_views_need_no_pandas_and_no_ipython() -> None:
    code = (
        "import sys, lango_nb.viz, lango_nb.viz.register\n"
        "heavy = {'pandas', 'numpy', 'IPython', 'ipywidgets'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_renderer_is_tried() -> None:
    tried = {type(record) for record in RECORDS.values()} - {tuple}  # documents
    assert tried | {Evaluation, TaskEvaluation} == set(viz.RENDERERS)  # these in tests of evaluations
