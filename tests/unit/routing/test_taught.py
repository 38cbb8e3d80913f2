"""What a router learns from requests of your own: it gets them right, keeps the rest, says so, and can be saved."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from lango_nb.core.errors import UsageError
from lango_nb.lab import Lab
from lango_nb.routing.router import Router
from lango_nb.routing.table import RoutingRow, RoutingTable

ODD = "the usual Tuesday thing for Mrs. Quill"


def octet() -> Router:
    return Lab().router


def test_requests_of_your_own_are_learned_and_others_stay() -> None:
    router = octet()
    others = ["list the files here", "remind me tomorrow at 8 to call mum", "hello", "encrypt this text"]
    before = [router.route(text).chosen for text in others]
    taught = router.fit([(ODD, "automator"), ("the usual thing again for Mrs. Quill", "automator")])
    assert router.route(ODD).chosen != "automator"
    assert taught.route(ODD).chosen == "automator"
    assert [taught.route(text).chosen for text in others] == before


def test_what_was_learned_is_shown_as_terms_of_the_sum() -> None:
    route = octet().fit([(ODD, "ontologist")]).route(ODD)
    best = route.candidates[0]
    assert best.agent == "ontologist"
    assert any(signal.kind == "taught" and signal.weight > 0 for signal in best.signals)
    assert best.score == pytest.approx(sum(signal.weight for signal in best.signals), abs=1e-3)


def test_a_frame_with_families_counts_in_every_topology() -> None:
    frame = pd.DataFrame({"text": [ODD, "Quill wants the usual"], "family": ["cron", "cron"]})
    lab = Lab()
    lab.router = lab.router.fit(frame)
    assert lab.route(ODD).chosen == "automator"
    lab.use("quartet")
    assert lab.route(ODD).chosen == "executor"


def test_the_root_can_be_taught_too() -> None:
    text = "read me the room"
    assert octet().fit([(text, "root")] * 3).route(text).is_conversation


def test_the_offline_model_follows_what_was_taught() -> None:
    lab = Lab()
    lab.router = lab.router.fit([{"text": ODD, "agent": "chronicler"}])
    assert "chronicler" in lab.ask(ODD).trace.turn.path or lab.ask(ODD).trace.runs[0].requested_agent == "chronicler"


def test_the_same_text_again_replaces_its_label() -> None:
    router = octet().fit([(ODD, "vault")]).fit([(ODD, "planner")])
    assert len(router.taught.rows) == 1
    assert router.route(ODD).candidates[0].agent == "planner"


def test_saved_and_loaded_it_says_the_same_and_holds_no_secret(tmp_path: Path) -> None:
    secret = "sk-proj-Zx81kQw7TtY2mNb4Vc6Lp0Rr"
    router = octet().fit([(ODD, "vault"), (f"{secret} is mine", "vault")])
    file = router.save(tmp_path / "mine.json")
    assert secret not in file.read_text(encoding="utf-8")
    again = octet().load(file)
    assert again.threshold == router.threshold
    assert again.route(ODD) == octet().with_taught(again.taught).route(ODD)
    assert again.route(ODD).chosen == "vault"


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("hi", "vualt")], r"row 1 \('hi'\) is labelled 'vualt', which is no agent here and no family; did you mean"),
        ([("hi", "root"), {"text": "ho"}], r"row 2 \('ho'\) has no label; give a column agent or family"),
        ([{"agent": "vault"}], "row 1 has no text"),
        ([(" ", "vault")], "row 1 has no text"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_read_is_named(rows: list[object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        octet().fit(rows)


def test_files_that_are_no_routers_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    for text in ("{}", "nothing", '{"kind": "router", "schema": 99, "requests": [], "threshold": 1}', "[1]"):
        other.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=r"router|version"):
            octet().load(other)
    with pytest.raises(UsageError, match="cannot read"):
        octet().load(tmp_path / "missing.json")
    with pytest.raises(UsageError, match="cannot write"):
        octet().save(tmp_path / "no" / "folder.json")


def test_agents_of_a_table_of_ones_own_are_taught() -> None:
    table = RoutingTable((RoutingRow("day", "works by day"), RoutingRow("night", "works by night")))
    router = Router(table).fit([("owls hoot", "night"), ("roosters crow", "day"), ("owls and bats", "night")])
    assert router.route("owls hoot").chosen == "night"
