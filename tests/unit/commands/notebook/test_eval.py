"""``%lango eval``: a file, a set or a variable; options in the style of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lango_nb.commands.notebook.completion import complete
from lango_nb.core.errors import LangoError


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.csv"
    file.write_text("text,family\nencrypt the word tulip,crypto\nread the file notes.md,fs\n", encoding="utf-8")
    return file


def test_a_file_is_measured_and_shown(session: Any, mine: Path) -> None:
    view = session.run("x = %lango eval mine.csv --topologies octet,quartet\nx")
    assert [result.topology for result in view] == ["octet", "quartet"]
    assert view.n == 2
    shown = session.shown(view)
    assert shown["text/plain"].startswith("evaluation of router · mine.csv · 2 requests")
    assert shown["text/html"].startswith("<div")
    assert view.df["topology"].tolist() == ["octet", "quartet"]
    assert view.frame("agents", columns=["agent"])["agent"].tolist()[0] == "root"


def test_a_set_is_sampled_and_a_variable_is_taken(session: Any) -> None:
    view = session.run("%lango eval held-out --sample 9 --seed 4")
    assert (view.n, view.record.seed, view.topology if hasattr(view, "topology") else "octet") == (9, 4, "octet")
    session.names["frame"] = pd.DataFrame([{"text": "encrypt the word tulip", "agent": "vault"}])
    assert session.run("%lango eval frame").n == 1


def test_mistakes_and_formats(session: Any) -> None:
    session.names["wrong"] = [("encrypt the word tulip", "operator")]
    view = session.run("%lango eval wrong --mistakes")
    assert "went to vault; it belongs to operator" in view.text
    assert view.df["verdict"].tolist() == ["wrong_agent"]
    assert session.run("%lango eval wrong --df")["accuracy"].tolist() == [0.0]
    assert session.run("%lango eval wrong --mermaid").startswith("flowchart LR")
    assert "ms per request" in session.run("%lango eval wrong --timing").text


def test_mistakes_and_durations_of_tasks(session: Any, tmp_path: Path) -> None:
    rows = "tasks: [{id: one, turns: [{say: xyzzy, answer: [never]}]}]\n"
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "tasks.yaml").write_text(rows, encoding="utf-8")
    view = session.run("%lango eval suite --mistakes")
    assert "the answer lacks never" in view.text
    assert view.df["verdict"].tolist() == ["failed"]
    assert "all tasks added up" in session.run("%lango eval suite --timing").text
    assert "all tasks added up" not in session.run("%lango eval suite").text


def test_a_model_is_measured_and_resumed(session: Any, mine: Path, tmp_path: Path) -> None:
    first = session.run("%lango eval mine.csv --model offline --resume kept.jsonl --at-once 2")
    assert (first.subject, first.resumed) == ("offline", 0)
    assert len((tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert session.run("%lango eval mine.csv --model offline --resume kept.jsonl").resumed == 2
    assert session.run("%lango eval mine.csv --model keywords").subject == "keywords"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("%lango eval", "eval needs SET"),
        ("%lango eval gone.csv", "cannot read 'gone.csv'"),
        ("%lango eval held-out --sample none", "--sample takes a whole number from 1 on, not 'none'"),
        ("%lango eval held-out --topologies octet,", "--topologies takes names with commas"),
        ("%lango eval held-out --topologies octett", "did you mean 'octet'"),
        ("%lango eval held-out --resume x.jsonl", "resume keeps the answers of a model"),
    ],
)
def test_what_cannot_be_done_is_one_line(session: Any, line: str, says: str) -> None:
    error = session.error(line)
    assert isinstance(error, LangoError)
    assert says in str(error)
    assert "\n" not in str(error)


def test_options_are_completed() -> None:
    class World:
        def names(self, _kind: str) -> tuple[str, ...]:
            return ("offline",)

    found = complete("%lango eval held-out --m", World())
    assert found is not None
    assert set(found.candidates) == {"--model", "--mistakes", "--mermaid"}
    assert complete("%lango eval held-out --model o", World()).candidates == ("offline",)  # type: ignore[union-attr]


def test_stop_says_in_one_line_what_is_kept(session: Any, mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(session.lab), "evaluate", stop)
    for options, says in (("", "the next run would go on"), (" --resume kept.jsonl", "the answers so far are kept")):
        error = session.error(f"%lango eval mine.csv --model offline{options}")
        (line,) = error._render_traceback_()
        assert says in line


def test_the_same_line_gives_the_same_again_in_every_form(session: Any, mine: Path) -> None:
    view = session.run("%lango eval mine.csv --topologies octet,sextet")
    frame = session.run("%lango eval mine.csv --topologies octet,sextet --df")
    pd.testing.assert_frame_equal(frame, view.df)
    assert len(json.loads(session.run("%lango eval mine.csv --topologies octet,sextet --json"))) == 2
    assert session.run("%lango eval mine.csv --topologies octet,sextet --text") == view.text
    found = complete("%lango eval held", World())
    assert found is not None
    assert found.candidates == ("held-out",)


class World:
    """Names for completion."""

    def names(self, kind: str) -> tuple[str, ...]:
        from lango_nb.evaluation.corpus import SETS

        return SETS if kind == "set" else ()
