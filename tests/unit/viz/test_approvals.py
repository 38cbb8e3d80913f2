"""Open questions: whole, unmasked, and nothing in them disguises itself; what was answered shows no secrets."""

import html
import re
from dataclasses import replace

import pytest

from lango_nb import viz
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, Approvals, PendingApproval, Scope
from lango_nb.tools.tool import Preview
from lango_nb.viz.approvals import answered_table, questions_document

KEY = "sk-abcdefghijklmnop1234"


def waiting(**arguments: object) -> PendingApproval:
    reason = "exec is dangerous"
    request = ApprovalRequest(
        "call-1",
        "exec",
        {name: value for name, value in arguments.items() if name != "is_grant"},  # type: ignore[misc]  # any value
        "9f",
        "operator",
        reason,
        id="ask-1",
        run_id="arun-1",
        is_grant=bool(arguments.get("is_grant")),
    )
    return PendingApproval(Approvals(), request, request.id)


def both(*pending: PendingApproval) -> tuple[str, str]:
    """Return questions as text, and as the text a browser shows."""
    questions = questions_document(pending)
    return viz.to_text(questions), html.unescape(re.sub("<[^>]+>", " ", viz.to_html(questions)))


def test_every_open_question_says_what_would_run_and_how_to_answer() -> None:
    for shown in both(waiting(command="ls", timeout=3), waiting()):
        assert "2 questions" in shown
        for piece in ("ask-1", "operator wants to call exec: exec is dangerous", "command", '"ls"', "timeout", "3"):
            assert piece in shown
        assert "(no arguments)" in shown
        assert "%lango allow ID" in shown
    assert viz.to_line(questions_document((waiting(),))) == "open questions · 1 question"


def test_what_the_call_would_do_is_told_with_the_difference_escaped_and_folded() -> None:
    asked = waiting(path="a.txt")
    preview = Preview("replaces 1 line of <a>.txt", "-old\n+<script>alert(1)</script>\x1b[2J")
    questions = questions_document((PendingApproval(Approvals(), replace(asked.request, preview=preview), "ask-1"),))
    shown = viz.to_html(questions)
    assert "<script" not in shown
    assert re.search(
        r"<details[^>]*><summary[^>]*>replaces 1 line of &lt;a&gt;\.txt</summary>.*\+&lt;script&gt;", shown, re.DOTALL
    )
    assert "    +<script>alert(1)</script>\\x1b[2J\n" in viz.to_text(questions)


def test_without_questions_it_says_so_and_how_to_answer_is_left_out() -> None:
    for shown in both():
        assert "nothing waits for an answer" in shown
        assert "allow" not in shown


def test_arguments_stand_there_whole_and_unmasked_and_long_ones_are_folded() -> None:
    value = "".join(f"{number:07d}" for number in range(150_000))  # a million characters, none like its neighbour
    question = waiting(command=f"curl -H {KEY}", api_key="hunter2", content=value, **{"n" * 500: 1})
    for shown in both(question):
        for piece in (f'"curl -H {KEY}"', '"hunter2"', f'"{value}"', "n" * 500):
            assert piece in shown
        assert "[masked]" not in shown
    assert "<details" in viz.to_html(questions_document((question,)))


def test_nothing_disguises_itself() -> None:
    question = waiting(**{"a\nb": "\x1b[2J\u202e\r", "markup": "<script>alert(1)</script>"})
    text, _ = both(question)
    assert all(char.isprintable() or char == "\n" for char in text)
    assert r'a\nb = "\u001b[2J\u202e\r"' in text
    assert "<script>" not in viz.to_html(questions_document((question,)))


@pytest.mark.parametrize("is_grant", [False, True])
def test_a_question_says_what_a_yes_covers(is_grant: bool) -> None:
    for shown in both(waiting(command="ls", is_grant=is_grant)):
        assert "exactly this call" in shown
        assert ("give arun-1 exec, for any arguments" in " ".join(shown.split())) is is_grant
        assert ("every time it comes in this turn or session" in shown) is not is_grant


def test_wrong_arguments_are_told_as_the_reason() -> None:
    request = ApprovalRequest("c", "exec", {}, "9f", "operator", "exec is dangerous", problem="not JSON")
    question = PendingApproval(Approvals(), request, request.id)
    for shown in both(question):
        assert "its arguments are wrong: not JSON" in shown
        assert "It will not run like this" in shown
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
def test_an_answer_says_how_long_it_holds_and_shows_no_secret(scope: Scope, said: str) -> None:
    table = answered_table(waiting(command=f"curl -H {KEY}"), ApprovalAnswer(True, "person", scope=scope))
    assert (table.title, table.rows[0]) == ("approval ask-1", ("answer", said))
    assert KEY not in viz.to_text(table)
    refused = answered_table(waiting(), ApprovalAnswer(False, "person", "too risky"))
    assert refused.rows[0] == ("answer", "refused: too risky")
