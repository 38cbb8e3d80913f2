"""Open questions as a listing: complete, without secrets, and nothing in it disguises itself."""

import pytest

from lango_nb import viz
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, Approvals, PendingApproval, Scope
from lango_nb.viz.approvals import answered_table, pending_table


def waiting(**arguments: object) -> PendingApproval:
    request = ApprovalRequest("call-1", "exec", arguments, "9f", "operator", "exec is dangerous", id="ask-1")  # type: ignore[arg-type]  # anything may come
    return PendingApproval(Approvals(), request, request.id)


def test_every_open_question_is_one_row_with_what_would_run() -> None:
    table = pending_table((waiting(command="ls", timeout=3), waiting()))
    assert table.columns == ("id", "agent", "tool", "arguments", "why it asks")
    assert table.rows[0] == ("ask-1", "operator", "exec", 'command = "ls"; timeout = 3', "exec is dangerous")
    assert table.rows[1][3] == "(no arguments)"
    assert "%lango allow ID" in viz.to_text(table)


def test_without_questions_it_says_so_and_how_to_answer_is_left_out() -> None:
    text = viz.to_text(pending_table(()))
    assert "nothing waits for an answer" in text
    assert "allow" not in text


def test_secrets_are_masked_by_name_and_by_shape_and_the_reader_is_told() -> None:
    key = "sk-abcdefghijklmnop1234"
    question = waiting(command=f"curl -H {key}", api_key="hunter2", env={"DB_PASSWORD": "x1y2z3"})
    table = pending_table((question,))
    assert "stands for a secret" in table.note
    for shown in (viz.to_text(table), viz.to_html(table)):
        assert "[masked]" in shown
        assert not any(secret in shown for secret in (key, "hunter2", "x1y2z3"))
    assert "stands for a secret" not in pending_table((waiting(command="ls"),)).note
    answered = viz.to_text(answered_table(question, ApprovalAnswer(True, "person")))
    assert key not in answered


def test_nothing_disguises_itself_and_nothing_is_endless() -> None:
    question = waiting(**{"a\nb": "\x1b[2J\u202e\r", "long": "x" * 1_000_000, "markup": "<script>alert(1)</script>"})
    table = pending_table((question,))
    cell = str(table.rows[0][3])
    assert all(char.isprintable() for char in cell)
    assert "\\u202e" in cell
    assert "and 999842 more characters" in cell
    assert len(cell) < 1000
    assert "<script>" not in viz.to_html(table)


def test_wrong_arguments_are_told_as_the_reason() -> None:
    request = ApprovalRequest("c", "exec", {}, "9f", "operator", "exec is dangerous", problem="not JSON")
    question = PendingApproval(Approvals(), request, request.id)
    assert pending_table((question,)).rows[0][4] == "its arguments are wrong: not JSON"
    assert answered_table(question, ApprovalAnswer(True, "person")).rows[0] == (
        "answer",
        "seen: the call does not run, and the agent is told why",
    )


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        ("once", "allowed, this once"),
        ("turn", "allowed, for this turn"),
        ("session", "allowed, for this session"),
    ],
)
def test_an_answer_says_how_long_it_holds(scope: Scope, said: str) -> None:
    table = answered_table(waiting(command="ls"), ApprovalAnswer(True, "person", scope=scope))
    assert (table.title, table.rows[0]) == ("approval ask-1", ("answer", said))
    refused = answered_table(waiting(), ApprovalAnswer(False, "person", "too risky"))
    assert refused.rows[0] == ("answer", "refused: too risky")
