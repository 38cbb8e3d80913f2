"""approvals_df: one row per question, open or answered, without secrets."""

from __future__ import annotations

import json
from typing import Any

from lango_nb.core.masking import MASK
from lango_nb.frames import approvals_df
from tests.unit.viz import samples


def test_a_row_says_who_wants_to_call_what_and_what_to_answer() -> None:
    df: Any = approvals_df(samples.pending())
    row = df.iloc[0]
    assert row[["request_id", "run_id", "turn_id", "session_id", "agent", "tool"]].tolist() == [
        "grant-run-2-fs_delete", "run-2", "turn-3", "main", "operator", "fs_delete",
    ]  # fmt: skip
    assert (row["reason"], row["problem"]) == ("fs_delete is dangerous", "")
    assert row["asked_at"].to_pydatetime() == samples.START


def test_a_question_and_its_answer_are_one_row() -> None:
    df: Any = approvals_df(samples.trace())
    assert df[["call_id", "tool", "allowed", "by"]].to_numpy().tolist() == [["call-6", "exec", True, "ask"]]
    assert df.loc[0, "asked_at"] < df.loc[0, "decided_at"]


def test_secrets_in_arguments_are_masked() -> None:
    df: Any = approvals_df(samples.pending())
    arguments = json.loads(df.loc[0, "arguments"])
    assert arguments["path"] == "old.md"
    assert MASK in arguments["token"]
    assert "sk-aaaa" not in df.loc[0, "arguments"]
