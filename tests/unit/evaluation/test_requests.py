"""Labelled requests from tables, lists, files and sets; labels that fit nothing say so with their row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from lango_nb.core.errors import UsageError
from lango_nb.evaluation.requests import Labelled, name_of, read_requests
from lango_nb.routing.router import Router, router_for
from tests.unit.evaluation.making import engine


def router(topology: str = "octet") -> Router:
    return router_for(engine(topology).tree.table)


class Row(NamedTuple):
    text: str
    family: str
    language: str


def test_rows_of_every_shape_are_read() -> None:
    rows: list[Any] = [
        {"text": "sign it", "agent": "vault", "group": "mine"},
        ("hello", "root"),
        Row("every day at nine", "cron", "en"),
        {"text": "plan it", "octet": "planner", "quartet": "planner", "agent": None},
        {"text": "run it", "agents": {"octet": "operator"}, "author": "me"},
    ]
    found = read_requests(rows)
    assert found[0] == Labelled(1, "sign it", "vault", group="mine")
    assert (found[1].agent, found[2].family, found[2].language) == ("root", "cron", "en")
    assert found[3].by_topology == (("octet", "planner"), ("quartet", "planner"))
    assert (found[4].by_topology, found[4].group) == ((("octet", "operator"),), "me")


def test_a_frame_gives_the_same_as_a_list_and_its_gaps_are_gaps() -> None:
    rows = [{"text": "sign it", "agent": "vault"}, {"text": "run it", "family": "exec", "language": "en"}]
    assert read_requests(pd.DataFrame(rows)) == read_requests(rows)
    strings = pd.DataFrame(rows).astype("string")
    assert read_requests(strings) == read_requests(rows)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_files_give_what_was_written(tmp_path: Path, suffix: str) -> None:
    rows = [{"text": 'say "hi", then\nwait', "agent": "root"}, {"text": "ünïcode 日本", "agent": "vault"}]
    file = tmp_path / f"mine{suffix}"
    if suffix == ".jsonl":
        file.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    else:
        pd.DataFrame(rows).to_csv(file, index=False, sep="\t" if suffix == ".tsv" else ",", encoding="utf-8-sig")
    assert [(one.text, one.agent) for one in read_requests(str(file))] == [(r["text"], r["agent"]) for r in rows]
    assert name_of(file) == file.name


def test_sets_of_the_package_are_known_by_name() -> None:
    found = read_requests("held-out")
    assert len(found) > 1000
    assert all(one.family and one.language and one.group for one in found)
    assert [one.number for one in found[:3]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "there are no requests"),
        ([{"text": "  ", "agent": "vault"}], "row 1 has no text"),
        ([("a", "root"), {"agent": "vault"}], "row 2 has no text"),
        (["only a text"], "row 1 is a str; give text, and agent or family"),
        ([3], "row 1 is a int"),
        (7, "a DataFrame, a list, a file or a set, not a int"),
        ("held-uot", "no set or file 'held-uot'; did you mean 'held-out'"),
        ("gone.csv", "cannot read 'gone.csv'"),
    ],
)
def test_what_cannot_be_read_is_one_line(data: object, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_requests(data)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", b"request,agent\nhi,root\n", "no column text"),
        ("a.csv", b'text,agent\n"hi" there,root\n', "line 2"),
        ("a.jsonl", b'{"text": "hi", "agent": "root"}\n{"text"\n', "line 2 is not JSON"),
        ("a.csv", b"text,agent\n\xff,root\n", "not UTF-8 at byte 12"),
        ("a.xlsx", b"PK", "is not CSV, TSV or JSON lines"),
    ],
)
def test_a_broken_file_names_the_line(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_requests(file)
    assert says in str(caught.value)


def test_a_family_belongs_to_its_owner_in_each_tree() -> None:
    (request,) = read_requests([{"text": "x", "family": "crypto"}])
    assert request.right_in("octet", router()) == "vault"
    assert request.right_in("quartet", router("quartet")) == "executor"
    (scheduled,) = read_requests([{"text": "x", "family": "cron"}])
    assert scheduled.right_in("octet", router()) == "automator"
    assert scheduled.right_in("sextet", router("sextet")) == ""


@pytest.mark.parametrize("label", ["root", "conversation", "lango-orchestrator"])
def test_conversation_is_the_roots_own(label: str) -> None:
    assert Labelled(1, "hi", label).right_in("octet", router(), "lango-orchestrator") == "root"
    assert Labelled(1, "hi", family=label).right_in("octet", router(), "lango-orchestrator") == "root"


def test_the_label_of_a_topology_goes_first_then_the_agent_then_the_family() -> None:
    request = Labelled(1, "x", "vault", "fs", (("quartet", "planner"),))
    assert request.right_in("quartet", router("quartet")) == "planner"
    assert request.right_in("octet", router()) == "vault"
    assert Labelled(1, "x", "vault", "fs").right_in("quartet", router("quartet")) == "executor"


def test_a_label_that_fits_nothing_names_the_row_and_what_was_meant() -> None:
    with pytest.raises(UsageError, match=r"row 4 \('sign it'\) is labelled 'valt', .* did you mean 'vault'"):
        Labelled(4, "sign it", "valt").right_in("octet", router())
    with pytest.raises(UsageError, match="is labelled 'vualt', which is neither an agent of octet"):
        Labelled(4, "sign it", "root", by_topology=(("octet", "vualt"),)).right_in("octet", router())
    with pytest.raises(UsageError, match="has no label for octet; give a column agent, family or octet"):
        Labelled(4, "sign it").right_in("octet", router())
