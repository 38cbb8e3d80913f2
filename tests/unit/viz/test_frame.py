"""Frames in a notebook: the same numbers as pandas has, texts left, units, colours and short ids; and an off switch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell

from lango_nb import frames
from lango_nb.frames.texts import texts_df
from lango_nb.viz.colours import PERSON, ROOT, agent_colours
from lango_nb.viz.frame import frame_html, is_shown_here
from lango_nb.viz.register import register, show_frames, unregister
from tests.unit.viz import hostile, samples
from tests.unit.viz.test_hostile import check
from tests.unit.viz.test_views import read


@pytest.fixture
def shell() -> Iterator[Any]:
    made = InteractiveShell()  # type: ignore[no-untyped-call]  # IPython is partly typed
    made.display_formatter.active_types = ["text/plain", "text/html"]  # type: ignore[union-attr]  # there is one
    yield made
    unregister(made)
    made.history_manager = None


def page(shell: Any, frame: pd.DataFrame) -> str:
    data, _ = shell.display_formatter.format(frame)
    return str(data["text/html"])


def cells(html: str, tag: str = "td") -> list[str]:
    return [re.sub("<[^>]*>", "", cell) for cell in re.findall(f"<{tag}[^>]*>(.*?)</{tag}>", html)]


def test_a_frame_is_plain_pandas_and_only_a_notebook_shows_it_in_another_way(shell: Any) -> None:
    frame = frames.turns_df(samples.trace())
    assert type(frame) is pd.DataFrame
    register(shell)
    assert "dataframe" not in page(shell, frame)
    assert "dataframe" in page(shell, pd.DataFrame({"agent": ["vault"]})), "other frames are pandas' own"
    unregister(shell)
    assert "dataframe" in page(shell, frame)


def test_it_can_be_switched_off_here_and_by_pandas(shell: Any) -> None:
    frame = frames.turns_df(samples.trace())
    register(shell)
    show_frames(shell, is_wanted=False)
    assert "dataframe" in page(shell, frame)
    show_frames(shell)
    with pd.option_context("display.notebook_repr_html", False):
        data, _ = shell.display_formatter.format(frame)
        assert "text/html" not in data
    assert "dataframe" not in page(shell, frame)


@pytest.mark.parametrize("select", [
    lambda frame: frame[["agent", "latency_ms"]], lambda frame: frame.head(2), lambda frame: frame.query("step > 1"),
    lambda frame: frame.sort_values("step"), lambda frame: frame[frame["step"] == 1], lambda frame: frame.copy(),
])  # fmt: skip
def test_what_is_selected_is_shown_in_the_same_way(select: Any) -> None:
    assert is_shown_here(select(frames.steps_df(samples.teammates())))


def test_texts_stand_left_and_numbers_right_units_are_told_once() -> None:
    html = frame_html(frames.delegations_df(samples.teammates())[["from_agent", "reason", "margin", "duration_ms"]])
    heads = dict(zip(cells(html, "th"), re.findall("<th[^>]*>", html), strict=True))
    assert "text-align:left" in heads["from_agent"]
    assert "text-align:right" in heads["marginscore"], "its unit stands below it"
    assert "text-align:right" in heads["duration_ms"], "its name tells the unit"


def test_agents_have_their_dots_and_who_is_nobody_has_none() -> None:
    frame = frames.events_df(samples.teammates())[["author", "agent"]]
    html = frame_html(frame)
    vault = agent_colours(["vault"])["vault"]
    known = texts_df(["agent"], [["vault"], ["root"], ["user"], ["(abstained)"], [""]])
    shown = frame_html(known)
    assert [colour in shown for colour in (vault, ROOT, PERSON)] == [True, True, True]
    assert shown.count("border-radius:5px") == 3
    assert html.count("border-radius:5px") > 0


def test_long_ids_are_cut_to_what_tells_them_apart_and_short_ones_stay() -> None:
    ids = [f"0198f2c4-7d{number}a-7000-8000-1234567890{number}f" for number in range(3)]
    frame = texts_df(["turn_id", "run_id"], [[one, "arun-1"] for one in ids])
    html = frame_html(frame)
    assert [cell for cell in cells(html) if cell.startswith("…")] == [f"…{one[-4:]}" for one in ids]
    assert all(f'title="{one}"' in html for one in ids)
    assert cells(html).count("arun-1") == 3
    assert frame["turn_id"].tolist() == ids, "the values stay"


def test_rows_and_columns_are_left_out_as_pandas_says_and_counted() -> None:
    frame = frames.partition_df(samples.tree().partition)
    with pd.option_context("display.max_rows", 10, "display.min_rows", 4, "display.max_columns", 4):
        html = frame_html(frame)
    assert html.count("<tr>") == 1 + 5
    assert f"{len(frame)} rows" in html
    assert len(cells(html, "th")) == 1 + 4
    with pd.option_context("display.max_rows", None, "display.max_columns", None):
        assert frame_html(frame).count("<tr>") == 1 + len(frame)


def test_missing_values_are_a_dash_and_empty_frames_have_their_heads() -> None:
    assert "\N{EN DASH}" in cells(frame_html(frames.steps_df(samples.teammates())[["cost_usd"]]))
    empty = frame_html(frames.turns_df([]))
    assert "outcome" in cells(empty, "th")
    assert cells(empty) == []


def test_hostile_text_stays_text_and_is_bounded() -> None:
    html = frame_html(texts_df(["agent", "text", "outcome", "turn_id"], [[samples.HOSTILE, "x" * 10**6, "y" * 9000,
                                                                         samples.HOSTILE]]))  # fmt: skip
    found = read(html)
    assert "script" not in found.tags
    assert len(html) < 12_000
    html.encode()


def test_the_same_frame_gives_the_same_page_and_times_say_no_more_than_seconds() -> None:
    frame = frames.turns_df(samples.trace())
    assert frame_html(frame) == frame_html(frame.copy())
    shown = [cell for cell in cells(frame_html(frame[["started_at"]])) if ":" in cell]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", cell) for cell in shown)
    assert shown


def test_what_was_made_of_a_frame_is_shown_whatever_its_dtypes_and_its_index() -> None:
    frame = frames.steps_df(samples.teammates())
    odd = frame.assign(
        agent=frame["agent"].astype("category"),
        since=pd.to_timedelta(frame["step"].astype(int), unit="s"),
        huge=[10**400] * len(frame),
        several_id=pd.Series([["a", "b"]] * len(frame), dtype="object"),
        ratio=float("inf"),
    )
    assert is_shown_here(odd)
    assert "inf" in cells(frame_html(odd))
    by_step = frame.set_index("step")
    assert cells(frame_html(by_step), "th")[0] == "step"
    assert not is_shown_here(frame.set_index(["agent", "step"])), "pandas shows what has more than one row of heads"


def test_of_a_long_frame_no_more_is_written_than_is_shown() -> None:
    ids = [f"turn-{number:020d}" for number in range(100_000)]
    frame = texts_df(["turn_id", "agent"], [[one, "vault"] for one in ids])
    assert len(frame_html(frame)) < 6000


def test_small_numbers_keep_what_they_say() -> None:
    frame = texts_df(["agent"], [["vault"]] * 2).assign(a=[0.00001, 0.5], b=[0.00001, 0.00002], c=[-0.25, float("inf")])
    assert cells(frame_html(frame)) == ["0", "vault", "1e-05", "1e-05", "-0.25", "1", "vault", "0.5", "2e-05", "inf"]


def test_numbers_of_a_column_have_their_points_below_each_other() -> None:
    frame = texts_df(["agent"], [["vault"]] * 3).assign(
        share=[0.56, 0.371, 0.0], ms=[1227.25, 0.3, 5.0], n=[1, 20, 300]
    )
    found = cells(frame_html(frame))
    assert [found[place::5] for place in (2, 3, 4)] == [
        ["0.560", "0.371", "0.000"],
        ["1,227", "0.3", "5"],
        ["1", "20", "300"],
    ]


def test_nothing_acts_in_a_cell_whatever_it_holds() -> None:
    for text in hostile.TEXTS:
        frame = texts_df(["agent", "text", "outcome", "turn_id"], [[text] * 4])
        check(frame_html(frame))
        check(frame_html(frame.rename(columns={"text": text})))
