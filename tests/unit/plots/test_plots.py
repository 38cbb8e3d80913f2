"""Plots: the frame is drawn, names are texts, the same numbers give the same bytes, no numbers give a sentence."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from lango_nb import plots, viz
from lango_nb.core.errors import UsageError
from lango_nb.plots.canvas import GREY
from lango_nb.viz.colours import ROOT, agent_colours
from lango_nb.viz.plot import Plot
from tests.unit.viz import hostile, samples
from tests.unit.viz.test_colours import contrast
from tests.unit.viz.test_hostile import check

WHOSE = {"subject": "router", "topology": "octet"}
ODD = {
    "plain": "vault",
    "formula": "$x^2$ and \\frac{1}{2}",
    "markup": "</text><script>alert(1)</script>",
    "hostile": samples.HOSTILE,
    "foreign": "агент 漢字 🙂",
    "long": "an-agent-with-a-name-of-very-many-letters-" * 3,
    "empty": "",
}
"""Names that agents might have."""


def frames(name: str = "vault") -> Mapping[str, pd.DataFrame]:
    """Return a small frame for each plot, with an agent of some name in it."""
    share = {"accuracy": [0.9, 0.8], "accuracy_low": [0.8, 0.7], "accuracy_high": [0.95, 0.9]}
    calls = pd.DataFrame({
        "agent": [name, "operator", name], "latency_ms": [1.0, 20.0, 300.0], "input_tokens": [10, 200, 30],
        "output_tokens": [1, 2, 3], "cost_usd": [0.1, 0.25, 0.15],
    })  # fmt: skip
    return {
        "confusion": pd.DataFrame({**WHOSE, "right": [name, name, "operator", "(nobody)"],
                                   "got": [name, "operator", "(abstained)", "(abstained)"], "requests": [7, 2, 1, 3],
                                   "is_right": [True, False, False, True]}),
        "calibration": pd.DataFrame({**WHOSE, "confidence": [0.5, 0.9], **share, "requests": [10, 20]}),
        "abstention": pd.DataFrame({**WHOSE, "threshold": [0.0, 0.7], "coverage": [1.0, 0.6], **share,
                                    "wrong_agent": [0.1, 0.0]}),
        "learning": pd.DataFrame({"topology": "octet", "lessons": [0, 10], **share, "requests": [30, 30]}),
        "latency": calls, "tokens": calls, "cost": calls,
        "handoffs": pd.DataFrame({"from_agent": ["root", "root", name], "to_agent": [name, "operator", "operator"]}),
    }  # fmt: skip


def words(plot: Plot) -> list[str]:
    """Return the texts of a drawing."""
    return [
        "".join(text.itertext()).strip() for text in ET.fromstring(plot.svg).iter("{http://www.w3.org/2000/svg}text")
    ]


@pytest.mark.parametrize("name", plots.__all__)
def test_every_plot_has_a_title_and_says_what_its_axes_are(name: str) -> None:
    plot = getattr(plots, name)(frames()[name])
    assert plot.title
    said = " ".join(words(plot))
    units = {
        "latency": "(ms)",
        "tokens": "tokens read",
        "cost": "(USD)",
        "confusion": "(requests)",
        "handoffs": "vault",
    }
    assert units.get(name, "(%)") in said


@pytest.mark.parametrize("name", plots.__all__)
@pytest.mark.parametrize("odd", ODD)
def test_a_name_is_a_text_whatever_it_holds(name: str, odd: str) -> None:
    plot = getattr(plots, name)(frames(ODD[odd])[name])
    root = ET.fromstring(plot.svg)
    tags = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()}
    assert tags <= {"svg", "defs", "style", "g", "path", "text", "tspan", "use", "clipPath", "rect"}
    links = [value for element in root.iter() for key, value in element.attrib.items() if key.endswith("href")]
    assert all(link.startswith("#") for link in links), "nothing is fetched"
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", plot.svg)
    if odd in {"plain", "formula", "foreign"} and name not in {"calibration", "abstention", "learning"}:
        assert any(ODD[odd][:20] in word for word in words(plot))
    assert all(len(word) < 60 for word in words(plot)), "long names are cut"


def test_the_same_numbers_give_the_same_bytes_also_in_another_process() -> None:
    code = (
        "import sys; from tests.unit.plots.test_plots import frames; from lango_nb import plots; "
        "sys.stdout.write(''.join(getattr(plots, name)(frames()[name]).svg for name in plots.__all__))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(Path(__file__).parents[3])}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert other.stdout == "".join(getattr(plots, name)(frames()[name]).svg for name in plots.__all__)


@pytest.mark.parametrize("name", plots.__all__)
def test_where_nothing_is_there_a_sentence_says_what_to_do_and_nothing_is_drawn(name: str) -> None:
    plot = getattr(plots, name)(frames()[name].iloc[:0])
    assert plot.svg == ""
    assert re.search("lango|label", plot.empty)
    assert plot.empty in " ".join(viz.to_text(plot).split())
    assert "<img" not in viz.to_html(plot)


@pytest.mark.parametrize("name", ["latency", "tokens", "cost"])
def test_calls_that_say_nothing_are_not_drawn_as_nothing(name: str) -> None:
    frame = frames()[name].copy()
    frame[["latency_ms", "input_tokens", "output_tokens", "cost_usd"]] = pd.NA
    assert getattr(plots, name)(frame).svg == ""


@pytest.mark.parametrize("name", ["confusion", "latency", "tokens", "cost", "handoffs"])
def test_agents_have_the_colours_they_have_everywhere(name: str) -> None:
    svg = getattr(plots, name)(frames()[name]).svg
    for agent, colour in agent_colours(["operator", "vault"]).items():
        assert colour in svg, agent
    if name in {"confusion", "handoffs"}:
        assert getattr(plots, name)(frames("root")[name]).svg.count(ROOT) > 0


@pytest.mark.parametrize("name", plots.__all__)
def test_text_is_of_a_grey_that_reads_on_white_and_on_black(name: str) -> None:
    svg = getattr(plots, name)(frames()[name]).svg
    fills = set(re.findall(r"<text style=\"[^\"]*fill: (#\w+)", svg))
    assert GREY in fills
    assert fills <= {GREY, "#ffffff"}
    assert ("#ffffff" in fills) == (name == "confusion"), "white stands on a field only"
    assert contrast(GREY, "#ffffff") >= 4.2
    assert contrast(GREY, "#111111") >= 4.2


def test_right_and_wrong_answers_are_counted_as_the_evaluation_judged_them() -> None:
    plot = plots.confusion(frames()["confusion"])
    assert plot.facts == ("13 answers", "76.9 % right")
    numbers = [word for word in words(plot) if word.isdigit()]
    assert sorted(numbers) == ["1", "2", "3", "7"]


def test_a_page_shows_the_drawing_and_folds_the_numbers_a_text_has_the_numbers() -> None:
    plot = plots.cost(frames()["cost"])
    page, text = viz.to_html(plot), viz.to_text(plot)
    assert page.count("<img") == 1
    data = re.search('base64,([^"]+)', page)
    assert data
    assert base64.b64decode(data[1]).decode() == plot.svg
    assert "<details" in page
    assert re.search(r"operator +0.25 +1", text)
    assert "0.5 USD" in text


def test_a_persons_own_settings_of_matplotlib_stay_and_do_not_reach_the_drawing() -> None:
    import matplotlib as mpl

    before = plots.cost(frames()["cost"]).svg
    with mpl.rc_context({"font.size": 40, "axes.facecolor": "red", "text.color": "blue"}):
        assert plots.cost(frames()["cost"]).svg == before
        assert mpl.rcParams["font.size"] == 40


def test_without_matplotlib_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        UsageError, match=r"^plots need matplotlib, which is not installed; pip install 'lango-nb\[plots\]'$"
    ):
        plots.cost(frames()["cost"])
    assert plots.cost(frames()["cost"].iloc[:0]).empty, "nothing to draw needs nothing"


def test_very_many_agents_are_drawn_as_far_as_they_can_be_read_and_the_others_counted() -> None:
    names = [f"agent-{number}" for number in range(60)]
    frame = pd.DataFrame({**WHOSE, "right": names, "got": names, "requests": range(1, 61), "is_right": True})
    plot = plots.confusion(frame)
    assert "40 more names are in the numbers" in plot.note
    assert len(plot.numbers.rows) == 60
    ways = pd.DataFrame({"from_agent": "root", "to_agent": names})
    assert "20 rarer ways are in the numbers" in plots.handoffs(ways).note


def test_nothing_acts_in_a_drawing_whatever_agents_are_called() -> None:
    for first in range(0, len(hostile.TEXTS), 20):
        names = hostile.TEXTS[first : first + 20]
        plot = plots.handoffs(pd.DataFrame({"from_agent": "root", "to_agent": list(names)}))
        elements = list(ET.fromstring(plot.svg).iter())
        tags = {element.tag.partition("}")[2] for element in elements}
        assert tags <= {"svg", "defs", "style", "g", "path", "text", "tspan", "use", "clipPath", "rect"}
        attributes = [(key, value) for element in elements for key, value in element.attrib.items()]
        assert not [key for key, _ in attributes if key.startswith("on")]
        assert all(value.startswith("#") for key, value in attributes if key.endswith("href"))
        assert "<!--" not in plot.svg
        check(viz.to_html(plot))
