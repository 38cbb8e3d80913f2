"""The trace panel: the slider, the filters and clicks change what is shown, and ``selected`` is the event itself."""

from __future__ import annotations

from pathlib import Path

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.core.errors import UsageError
from lango_nb.records.moments import last_step, state_at
from lango_nb.widgets.trace import TracePanel
from tests.benchmarks.painted import long_turn
from tests.unit.viz import samples
from tests.unit.viz.test_views import read
from tests.unit.widgets.test_as_live import of_kind, own_buttons

BLANK = "\N{NO-BREAK SPACE}"


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    lab = Lab("octet", workspace=tmp_path)
    lab.ask("how many lines does notes.md have?")
    return lab


def slider(panel: TracePanel) -> ipywidgets.IntSlider:
    (found,) = of_kind(panel.widget, ipywidgets.IntSlider)
    assert isinstance(found, ipywidgets.IntSlider)
    return found


def listed(panel: TracePanel) -> ipywidgets.Select:
    (found,) = of_kind(panel.widget, ipywidgets.Select)
    assert isinstance(found, ipywidgets.Select)
    return found


def shown(panel: TracePanel) -> str:
    return "".join(page.value for page in of_kind(panel.widget, ipywidgets.HTML))


def test_the_slider_shows_who_was_at_work_and_what_that_agent_saw(lab: Lab) -> None:
    panel = lab.trace_panel()
    trace = lab.trace().record
    assert (slider(panel).min, slider(panel).max, slider(panel).value) == (0, last_step(trace), last_step(trace))
    kept = slider(panel)
    (first,) = (one for one in trace.steps if one.agent == "operator" and not one.earlier and one.step == 3)
    kept.value = first.step
    page = shown(panel)
    assert panel.step == 3
    assert "Step 3" in page
    assert lab.prompt("operator").record.prompt[:40] in page
    assert f"{first.messages:,} message" in page
    assert all(f"{budget.limit:,.0f}" in page for budget in state_at(trace, 3).budgets if budget.limit and budget.used)
    kept.value = 0
    assert "Nobody is at work yet" in shown(panel)
    assert slider(panel) is kept, "the slider is not taken away from who moves it"


def lanes(panel: TracePanel) -> list[str]:
    return [button.description for button in own_buttons(panel.widget) if "old" not in button.description]


def folds(panel: TracePanel) -> list[str]:
    return [button.description for button in own_buttons(panel.widget) if "old" in button.description]


def press(panel: TracePanel, label: str) -> None:
    (button,) = (one for one in of_kind(panel.widget, ipywidgets.Button) if one.description == label)
    button.click()


def test_what_comes_after_the_step_is_grey(lab: Lab) -> None:
    panel = lab.trace_panel(step=0)
    veils = [shown(panel).count("border-left:2px solid")]
    panel.act("step", "2")
    lanes = len({(event.author, event.run_id) for event in lab.trace().record.events})
    veils.append(shown(panel).count("border-left:2px solid"))
    assert veils[0] == veils[1] > 0
    assert veils[0] <= lanes


def test_a_click_on_an_event_chooses_it_and_goes_to_its_step(lab: Lab) -> None:
    panel = lab.trace_panel()
    assert panel.selected is None
    (line,) = (option for option in listed(panel).options if "fs_" in option)
    listed(panel).value = line
    assert panel.selected is not None
    assert panel.selected in lab.trace().record.events
    assert panel.selected.kind == "tool.started"
    assert panel.step == slider(panel).value == panel.selected.step
    assert "notes.md" in of_kind(panel.widget, ipywidgets.HTML)[-2].value


def test_a_click_on_the_name_of_a_lane_zooms_in_on_it_and_another_shows_all_again(lab: Lab) -> None:
    panel = lab.trace_panel()
    everything = [*listed(panel).options]
    assert lanes(panel) == ["user", "lango-orchestrator", "operator arun-1"]
    press(panel, "operator arun-1")
    assert "user" not in lanes(panel), "what has nothing in the stretch is left out"
    run = [event.seq for event in lab.trace().record.events if event.run_id == "arun-1"]
    page = shown(panel)
    assert f"event {run[0]}</span>" in page
    assert f"event {run[-1]}</span>" in page
    assert f"events {run[0]} to {run[-1]} of {len(lab.trace().record.events)}" in page
    assert 0 < len(listed(panel).options) < len(everything)
    assert "panel.act('lane', 'operator arun-1')" in panel.code
    panel.act("step", "0")
    assert "Nobody is at work yet" in shown(panel)
    press(panel, "operator arun-1")
    assert [*listed(panel).options] == everything
    assert panel.lane == ""


def test_a_click_on_a_hand_over_shows_why_it_was_made_word_by_word(lab: Lab) -> None:
    panel = lab.trace_panel()
    listed(panel).value = next(line for line in listed(panel).options if "→ operator" in line)
    page = shown(panel)
    assert "speaks for operator" in page
    assert "the router agrees" in page
    assert "read notes.md → count lines" in page, "the model's own reason stands beside it"


def test_kind_agent_and_words_narrow_the_list_and_the_choice_stays(lab: Lab) -> None:
    panel = lab.trace_panel()
    everything = listed(panel).options
    listed(panel).value = next(option for option in everything if "fs_" in option)
    chosen = panel.selected
    (entry,) = of_kind(panel.widget, ipywidgets.Text)
    kind, agent = of_kind(panel.widget, ipywidgets.Dropdown)
    agent.value = "operator"
    assert {span.author for span in panel.spans} == {"operator"}
    kind.value = "tool"
    assert [span.kind for span in panel.spans] == ["tool"]
    entry.value = "NOTES.MD lines"
    assert len(panel.spans) <= 1
    entry.value = "no such word"
    assert listed(panel).options == ()
    assert panel.selected is chosen
    entry.value, kind.value, agent.value = "", kind.options[0], agent.options[0]
    assert listed(panel).options == everything
    assert panel.selected is chosen
    assert str(listed(panel).value).startswith(str(panel.seq))


def test_another_turn_takes_its_place(lab: Lab) -> None:
    lab.ask("hello")
    panel = lab.trace_panel(1)
    panel.act("query", "fs_")
    panel.act("event", listed(panel).options[0])
    panel.show(lab.trace(2).record)
    assert (panel.query, panel.selected) == ("", None)
    assert slider(panel).max == last_step(lab.trace(2).record)
    assert "hello" in shown(panel)
    panel.act("step", "99")
    assert panel.step == slider(panel).max


def test_without_a_turn_there_is_nothing_to_step_through(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="turn"):
        Lab("octet", workspace=tmp_path).trace_panel()


def test_nothing_is_left_behind_however_often_it_steps_and_filters() -> None:
    panel = TracePanel(samples.long_trace(200))
    assert panel.widget

    def live() -> int:
        for text in [word[:length] for word in ("result", "orches", "says") for length in range(1, 5)]:
            panel.act("query", text)
        for step in range(4):
            panel.act("step", str(step))
        return len(ipywidgets.widgets.widget._instances)

    assert live() == live()


@pytest.mark.parametrize("made", [samples.hostile_trace, samples.hostile_run_trace, samples.teammates])
def test_words_of_models_and_tools_stay_words(made: object) -> None:
    trace = made()  # type: ignore[operator]  # a function without arguments
    panel = TracePanel(trace, lambda _agent: samples.HOSTILE)
    for step in range(last_step(trace) + 1):
        panel.act("step", str(step))
        for option in listed(panel).options:
            panel.act("event", option)
            for page in of_kind(panel.widget, ipywidgets.HTML):
                read(page.value)
                assert "<script" not in page.value
    bundle = panel._repr_mimebundle_(["text/html", "text/plain"])
    read(str(bundle["text/html"]))
    assert "<script" not in str(bundle["text/html"])


def test_runs_are_set_in_and_fold_into_a_line_with_all_below_them() -> None:
    trace = samples.teammates()
    panel = TracePanel(trace)
    everything, everything_spans = listed(panel).options, panel.spans
    parents = {run.id: run.parent_run_id for run in trace.runs}
    (inner,) = (run for run, parent in parents.items() if parent)
    outer = parents[inner]
    lines = {span.run_id: line for span, line in zip(panel.spans, everything, strict=True) if "▾" in line}
    assert set(lines) == set(parents)
    assert lines[inner].count(BLANK) == 2 * lines[outer].count(BLANK) > 0
    assert folds(panel) == ["Fold all runs"]
    listed(panel).value = lines[outer]
    press(panel, f"Fold {outer}")
    assert [span.kind for span in panel.spans if span.run_id == outer] == ["run starts"]
    assert inner not in {span.run_id for span in panel.spans}, "what a run asked for is folded with it"
    hidden = sum(
        "▾" not in line and span.run_id == outer for span, line in zip(everything_spans, everything, strict=True)
    )
    assert "▸" in str(listed(panel).value)
    assert str(listed(panel).value).endswith(f"+ {hidden} lines")
    assert panel.selected is not None
    press(panel, "Fold all runs")
    assert {span.kind for span in panel.spans if span.run_id} == {"run starts"}
    assert folds(panel) == [f"Unfold {outer}", "Unfold all runs"]
    press(panel, "Unfold all runs")
    assert listed(panel).options == everything


def test_what_is_searched_for_is_found_in_folded_runs() -> None:
    panel = TracePanel(samples.teammates())
    panel.act("agent", "librarian")
    found = panel.spans
    assert len(found) > 1
    press(panel, "Fold all runs")
    assert panel.spans == found
    panel.act("agent", "everybody")
    assert len(panel.spans) < len(TracePanel(samples.teammates()).spans)


def test_a_long_turn_begins_folded_and_every_event_can_be_reached() -> None:
    trace = long_turn(70)
    panel = TracePanel(trace)
    assert len(panel.folded) == len(trace.runs) > 0
    assert len(listed(panel).options) < 50
    press(panel, "Unfold all runs")
    assert panel.state["folded"] == "none"
    reached = set()
    for step in range(0, last_step(trace) + 1, 50):
        panel.act("step", str(step))
        options = listed(panel).options
        assert len(options) == 1000
        assert f"of {len(panel.spans):,}" in shown(panel)
        reached |= set(options)
    assert len(reached) == len(panel.spans) > 1000
    for chosen in (panel.spans[0], panel.spans[-1], panel.spans[len(panel.spans) // 2]):
        panel.act("event", str(chosen.first))
        assert str(listed(panel).value).startswith(f"{chosen.seqs} "), "what is chosen is on the list"


def test_keys_go_from_event_to_event_and_step_and_show_all_again(lab: Lab) -> None:
    panel = lab.trace_panel(step=1)
    panel.press({"do": "next"})
    first = panel.selected
    assert first is not None
    panel.press({"do": "next"})
    second = panel.selected
    assert second is not None
    assert second.seq > first.seq
    for _ in range(3):  # there is nothing before the first one
        panel.press({"do": "previous"})
    assert panel.selected is not None
    assert panel.selected.seq == 1
    panel.act("step", "3")
    panel.press({"do": "on"})
    panel.press({"do": "back"})
    panel.press({"do": "back"})
    assert (panel.step, slider(panel).value) == (2, 2)
    listed_first = len(listed(panel).options)
    (field,) = of_kind(panel.widget, ipywidgets.Text)
    field.value = "fs_read"
    panel.act("kind", "tool")
    assert len(listed(panel).options) < listed_first
    panel.act("query", "no such words")
    assert "No event fits" in shown(panel)
    panel.press({"do": "all"})
    assert (field.value, panel.query, panel.kind) == ("", "", "")
    assert len(listed(panel).options) == listed_first


def test_a_click_on_a_bar_chooses_what_lies_there(lab: Lab) -> None:
    panel = lab.trace_panel()
    read_it = next(span for span in panel.spans if span.what == "fs_read")
    lanes = [lane.name for lane in panel._layout.lanes.values()]
    number, share = lanes.index("operator arun-1"), (read_it.first - 0.5) / panel._layout.slots
    panel.press({"do": "at", "lane": number, "share": share})
    assert panel.selected is not None
    assert panel.selected.seq == read_it.first
    for nowhere in ({"lane": 99, "share": 0.5}, {"lane": lanes.index("user"), "share": 1}, {"lane": "1", "share": 0}):
        panel.press({"do": "at", **nowhere})
    panel.press({"do": "something else"})
    assert panel.selected.seq == read_it.first
    panel.act("lane", "operator arun-1")
    panel.press({"do": "at", "lane": 1, "share": 0})  # below that of the root, which waits
    assert panel.selected is not None
    assert panel.selected.seq == panel._layout.stretch(("", "arun-1"))[0]


def test_the_script_is_inlined_and_names_no_address(lab: Lab) -> None:
    script = str(lab.trace_panel()._keys._esm)
    assert "initialize" in script
    assert "//cdn" not in script
    assert "import " not in script
