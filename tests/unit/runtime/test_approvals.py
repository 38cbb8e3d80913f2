"""Questions before dangerous calls: who may answer, how long an answer holds, and that every failure means no."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, cast

import pytest
from pydantic import JsonValue

from lango_nb.core.errors import RefusedError, UnknownNameError, UsageError
from lango_nb.core.tool_patterns import ToolPatterns
from lango_nb.runtime import approvals as broker
from lango_nb.runtime.approval_gate import approval_reason
from lango_nb.runtime.approvals import (
    AllowAll,
    ApprovalAnswer,
    ApprovalRequest,
    Approvals,
    Approver,
    AskWith,
    DenyAll,
    HoldForAnswer,
    PendingApproval,
    Policy,
    Scope,
    approver_named,
    arguments_hash,
)
from lango_nb.tools.tool import Safety, Tool

HOLD = HoldForAnswer()
FOR_EVER = float("inf")


def request(name: str = "ask-1", path: str = "a.md", **more: Any) -> ApprovalRequest:
    arguments: Mapping[str, JsonValue] = {"path": path}
    fields = {"session_id": "main", "turn_id": "turn-1"} | more
    digest = arguments_hash("fs_delete", arguments)
    return ApprovalRequest("call-1", "fs_delete", arguments, digest, "operator", "dangerous", id=name, **fields)


class Answering:
    """Approver that gives what it was made with, and counts how often it was asked."""

    def __init__(self, answer: object) -> None:
        self._answer = answer
        self.asked: list[ApprovalRequest] = []

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        await asyncio.sleep(0)
        if isinstance(self._answer, BaseException):
            raise self._answer
        return cast("ApprovalAnswer", self._answer)


NO = ApprovalAnswer(False, "test", "not today")


async def settled() -> None:
    """Let everything that is ready run."""
    for _ in range(5):
        await asyncio.sleep(0)


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a test on a loop of its own; nothing may be left running on it, and no error unseen."""
    complaints: list[dict[str, Any]] = []

    async def watched() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
        async with asyncio.timeout(10):
            await main()
        await settled()
        gc.collect(1)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(watched())
    assert complaints == []


# -- who answers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("approver", "expected"),
    [
        (AllowAll(), ApprovalAnswer(True, "allow")),
        (DenyAll(), ApprovalAnswer(False, "deny", "nobody is there to ask", code="approval_unavailable")),
        (DenyAll("closed"), ApprovalAnswer(False, "deny", "closed", "turn", "approval_denied")),
        (Answering(ApprovalAnswer(True, "ada", scope="turn")), ApprovalAnswer(True, "ada", scope="turn")),
        (Answering(NO), ApprovalAnswer(False, "test", "not today", "turn", "approval_denied")),
    ],
)
def test_the_approver_answers_and_the_question_is_closed(approver: Approver, expected: ApprovalAnswer) -> None:
    async def main() -> None:
        approvals, opened = Approvals(), list[PendingApproval]()
        assert await approvals.ask(request(), approver, 5, on_open=opened.append) == expected
        assert [question.outcome for question in opened] == [expected]
        assert approvals.pending == ()

    run(main)


@pytest.mark.parametrize(
    ("said", "allowed", "code"),
    [
        (True, True, ""),
        (False, False, "approval_denied"),
        (None, False, "approval_unavailable"),
        (ApprovalAnswer(True, "card", scope="session"), True, ""),
    ],
)
def test_asking_somebody_takes_an_answer_a_yes_a_no_or_silence(said: Any, allowed: bool, code: str) -> None:
    async def ask(_request: ApprovalRequest) -> Any:
        return said

    answer = asyncio.run(AskWith(ask).answer(request()))
    assert (answer.allowed, answer.code) == (allowed, code)


def test_approvers_by_name() -> None:
    kinds = {name: type(approver_named(name)) for name in ("allow", "deny", "hold")}
    assert kinds == {"allow": AllowAll, "deny": DenyAll, "hold": HoldForAnswer}
    with pytest.raises(UnknownNameError, match=r"approver 'holt' not found; did you mean 'hold'\?"):
        approver_named("holt")


@pytest.mark.parametrize("name", ["", "ask-1"])
def test_a_question_without_a_name_goes_by_its_call(name: str) -> None:
    assert request(name).id == (name or "call-1")


# -- broken approvers --------------------------------------------------------------------------------------------------


class SaysItIsTrue:
    allowed = True
    scope = "once"
    code = ""


@pytest.mark.parametrize(
    ("nonsense", "said"),
    [
        (RuntimeError("no line"), "RuntimeError: no line"),
        (TimeoutError("its own"), "TimeoutError: its own"),
        (asyncio.CancelledError(), "it was cancelled"),
        (True, "it returned True"),
        (None, "it returned None"),
        ("yes", "it returned 'yes'"),
        (SaysItIsTrue(), "is no ApprovalAnswer"),
        (ApprovalAnswer(cast("bool", "no"), "test"), "is no ApprovalAnswer"),
        (ApprovalAnswer(cast("bool", 1), "test"), "is no ApprovalAnswer"),
        (ApprovalAnswer(True, "test", scope=cast("Scope", "for ever")), "is no ApprovalAnswer"),
    ],
)
def test_an_approver_that_fails_or_returns_nonsense_says_no(nonsense: object, said: str) -> None:
    async def main() -> None:
        answer = await Approvals().ask(request(), Answering(nonsense), 5)
        assert (answer.allowed, answer.by, answer.code) == (False, "error", "approval_unavailable")
        assert said in answer.detail

    run(main)


def test_an_approver_that_is_no_coroutine_says_no() -> None:
    class Plain:
        def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            return ApprovalAnswer(True, request.id)

    async def main() -> None:
        answer = await Approvals().ask(request(), cast("Approver", Plain()), 5)
        assert (answer.allowed, answer.by) == (False, "error")

    run(main)


def test_a_class_of_ones_own_under_a_known_one_is_not_trusted_to_work() -> None:
    class Worse(AllowAll):
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            raise RuntimeError(request.tool)

    async def main() -> None:
        assert (await Approvals().ask(request(), Worse(), 5)).by == "error"

    run(main)


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(3)])
def test_stop_at_the_question_reaches_whoever_asked_and_only_them(stop: BaseException) -> None:
    async def main() -> None:
        approvals = Approvals()
        with pytest.raises(type(stop)):
            await approvals.ask(request(), Answering(stop), 5)
        assert approvals.pending == ()

    run(main)


def test_an_approver_that_will_not_stop_delays_nobody_and_changes_nothing() -> None:
    done = list[str]()

    class Stubborn:
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            try:
                await asyncio.sleep(5)
            except asyncio.CancelledError:
                await asyncio.sleep(0.05)
            done.append(request.id)
            return ApprovalAnswer(True, "stubborn", scope="session")

    async def main() -> None:
        approvals = Approvals()
        answer = await approvals.ask(request(), Stubborn(), 0.01)
        assert (answer.by, done) == ("timeout", [])
        await asyncio.sleep(0.1)
        assert done == ["ask-1"]
        assert not (await approvals.ask(request(), AllowAll(), 5)).allowed

    run(main)


# -- anybody may answer ------------------------------------------------------------------------------------------------


def test_a_held_question_is_visible_and_answered_by_whoever_comes_by() -> None:
    async def main() -> None:
        approvals = Approvals()
        asking = asyncio.create_task(approvals.ask(request(), HOLD, FOR_EVER))
        await settled()
        (question,) = approvals.pending
        assert (question.id, question.request, question.outcome) == ("ask-1", request(), None)
        assert repr(question) == "PendingApproval('ask-1': operator wants to call fs_delete)"
        given = question.allow(by="dashboard")
        assert approvals.pending == ()  # at once, though the asker has not run yet
        assert await asking == given == ApprovalAnswer(True, "dashboard")

    run(main)


def test_the_first_answer_counts_whether_it_is_the_approvers_or_not() -> None:
    class Slow:
        was_cancelled = False

        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            try:
                await asyncio.sleep(5)
            except asyncio.CancelledError:
                self.was_cancelled = True
                raise
            return ApprovalAnswer(True, request.id)

    async def main() -> None:
        approvals, slow = Approvals(), Slow()
        asking = asyncio.create_task(approvals.ask(request(), slow, 5))
        await settled()
        approvals.answer("ask-1", False, detail="too risky")
        assert (await asking).detail == "too risky"
        await settled()
        assert slow.was_cancelled

    run(main)


def test_an_answer_given_as_the_question_opens_saves_asking_the_approver() -> None:
    async def main() -> None:
        approver = Answering(NO)
        answer = await Approvals().ask(request(), approver, 5, on_open=lambda question: question.allow(by="rule"))
        assert (answer.allowed, answer.by, approver.asked) == (True, "rule", [])

    run(main)


def test_whoever_watches_questions_open_and_fails_does_not_leave_one_behind() -> None:
    def broken(_question: PendingApproval) -> None:
        raise LookupError("no display")

    async def main() -> None:
        approvals = Approvals()
        with pytest.raises(LookupError):
            await approvals.ask(request(), AllowAll(), 5, on_open=broken)
        assert approvals.pending == ()

    run(main)


@pytest.mark.parametrize("allowed", [True, False])
def test_an_answer_from_another_thread_wakes_the_asker_at_once(allowed: bool) -> None:
    async def main() -> None:
        approvals = Approvals()
        asking = asyncio.create_task(approvals.ask(request(), HOLD, FOR_EVER))
        await settled()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(approvals.answer, "ask-1", allowed, "once", "dashboard").result()
        answer = await asking  # which nothing else ends
        assert (answer.allowed, answer.by) == (allowed, "dashboard")

    run(main)


def test_an_answer_from_another_event_loop_wakes_the_asker() -> None:
    approvals, is_open, answers = Approvals(), threading.Event(), list[ApprovalAnswer]()

    def turn() -> None:
        ask = approvals.ask(request(), HOLD, 5, on_open=lambda _question: is_open.set())
        answers.append(asyncio.run(ask))

    async def front_end() -> None:
        await asyncio.to_thread(is_open.wait, 5)
        approvals.pending[0].allow("turn", "card")

    thread = threading.Thread(target=turn)
    thread.start()
    asyncio.run(front_end())
    thread.join(60)
    assert answers == [ApprovalAnswer(True, "card", scope="turn")]


def test_of_many_answers_at_once_exactly_one_counts() -> None:
    people, rounds = 8, 40

    async def main() -> None:
        approvals = Approvals()
        with ThreadPoolExecutor(people) as pool:
            for number in range(rounds):
                asking = asyncio.create_task(approvals.ask(request(f"ask-{number}", turn_id=""), HOLD, 5))
                await settled()
                (question,) = approvals.pending
                barrier = threading.Barrier(people)

                def answer(who: int, question: PendingApproval = question, barrier: threading.Barrier = barrier) -> str:
                    barrier.wait(60)
                    try:
                        return (question.allow(by=str(who)) if who % 2 else question.deny(by=str(who))).by
                    except RefusedError:
                        return ""

                said = await asyncio.gather(
                    *(asyncio.get_running_loop().run_in_executor(pool, answer, who) for who in range(people))
                )
                taken = await asking
                assert sorted(said)[:-1] == [""] * (people - 1)
                assert taken.by == max(said)
                assert taken.allowed is bool(int(taken.by) % 2)

    run(main)


def test_answering_twice_late_or_nobody_is_one_clear_sentence() -> None:
    async def main() -> None:
        approvals = Approvals()
        asking = asyncio.create_task(approvals.ask(request(), HOLD, 5))
        await settled()
        (question,) = approvals.pending
        question.allow(by="ada")
        sentence = "approval 'ask-1' is already answered: allowed by ada; a question takes one answer"
        for again in (question.deny, question.allow, partial(approvals.answer, "ask-1", False)):
            with pytest.raises(RefusedError) as refused:
                again()
            assert str(refused.value) == sentence
        assert (await asking).allowed
        with pytest.raises(RefusedError) as refused:  # closed by now
            approvals.answer("ask-1", False)
        assert str(refused.value) == sentence
        with pytest.raises(UnknownNameError, match="approval 'ask-9' not found"):
            approvals.answer("ask-9", True)

    run(main)


@pytest.mark.parametrize("allowed", ["yes", 1, None])
def test_only_a_yes_is_a_yes_and_only_known_scopes_are_scopes(allowed: Any) -> None:
    async def main() -> None:
        approvals = Approvals()
        asking = asyncio.create_task(approvals.ask(request(), HOLD, 5))
        await settled()
        with pytest.raises(UsageError, match="True or False"):
            approvals.answer("ask-1", allowed)
        with pytest.raises(UsageError, match="once, turn, session, not for 'for ever'"):
            approvals.answer("ask-1", True, cast("Scope", "for ever"))
        assert len(approvals.pending) == 1
        approvals.answer("ask-1", False)
        assert not (await asking).allowed

    run(main)


def test_an_answer_bound_to_other_arguments_is_refused() -> None:
    async def main() -> None:
        approvals = Approvals()
        asking = asyncio.create_task(approvals.ask(request(path="b.md"), HOLD, 5))
        await settled()
        with pytest.raises(RefusedError, match="about other arguments"):
            approvals.answer("ask-1", True, arguments_hash=request(path="a.md").arguments_hash)
        approvals.answer("ask-1", True, arguments_hash=request(path="b.md").arguments_hash)
        assert (await asking).allowed

    run(main)


def test_questions_of_one_name_stay_apart() -> None:
    async def main() -> None:
        approvals = Approvals()
        tasks = [asyncio.create_task(approvals.ask(request("grant-1", path), HOLD, 5)) for path in ("a", "b", "c")]
        await settled()
        assert [question.id for question in approvals.pending] == ["grant-1", "grant-1#2", "grant-1#3"]
        approvals.answer("grant-1#2", True)
        approvals.answer("grant-1", False)
        approvals.pending[0].deny()
        assert [(await task).allowed for task in tasks] == [False, True, False]

    run(main)


# -- time and cancelling -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("approver", [HOLD, AskWith(lambda _request: asyncio.sleep(3600, False))])
def test_a_question_nobody_answers_expires(approver: Approver) -> None:
    async def main() -> None:
        approvals, opened = Approvals(), list[PendingApproval]()
        answer = await approvals.ask(request(), approver, 0.05, on_open=opened.append)
        assert answer == ApprovalAnswer(
            False, "timeout", "expired: nobody answered within 0.05 s", "turn", "approval_timeout"
        )
        with pytest.raises(RefusedError, match="already answered: refused by timeout"):
            opened[0].allow()

    run(main)


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan"), FOR_EVER])
def test_an_approver_that_knows_at_once_needs_no_time(timeout_s: float) -> None:
    class Quick:
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            return ApprovalAnswer(True, "test")

    async def main() -> None:
        assert (await Approvals().ask(request(), Quick(), timeout_s)).by == "test"

    run(main)


def test_cancelling_the_asker_withdraws_the_question() -> None:
    async def main() -> None:
        approvals = Approvals()
        asking = asyncio.create_task(approvals.ask(request(), HOLD, 5))
        await settled()
        (question,) = approvals.pending
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (approvals.pending, question.outcome) == ((), None)
        for late in (question.allow, partial(approvals.answer, "ask-1", True)):
            with pytest.raises(RefusedError, match="nobody waits for an answer to 'ask-1' any more"):
                late()

    run(main)


def test_an_answer_for_the_session_holds_even_if_the_turn_is_cancelled_at_that_moment() -> None:
    async def main() -> None:
        approvals = Approvals()
        asking = asyncio.create_task(approvals.ask(request(), HOLD, 5))
        await settled()
        approvals.pending[0].allow("session")
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await approvals.ask(request("ask-2", turn_id="turn-2"), DenyAll("no"), 5)).allowed

    run(main)


def test_a_question_whose_loop_is_gone_takes_no_answer() -> None:
    gone = asyncio.new_event_loop()
    gone.close()

    async def main() -> None:
        approvals = Approvals()
        asking = asyncio.create_task(approvals.ask(request(), HOLD, FOR_EVER))
        await settled()
        (question,) = approvals.pending
        question.wake = lambda: gone.call_soon_threadsafe(print)
        with pytest.raises(RefusedError, match="nobody waits"):
            question.allow("session")
        assert approvals.pending == ()
        assert approvals.known(request()) is None
        asking.cancel()

    run(main)


def test_an_answered_question_is_let_go_at_once_and_not_when_its_time_would_have_been_over() -> None:
    class Large(dict[str, JsonValue]):
        """Arguments that can be watched."""

    async def main() -> None:
        approvals, arguments = Approvals(), Large(path="a")
        watched = weakref.ref(arguments)
        asked = ApprovalRequest("call-1", "fs_delete", arguments, "9f", "operator", "dangerous", turn_id="turn-1")
        await approvals.ask(asked, Answering(NO), 3600)
        assert approvals.known(asked) is not None
        del arguments, asked
        await settled()
        gc.collect()
        assert watched() is None

    run(main)


# -- how long an answer holds ------------------------------------------------------------------------------------------


def ask_then(
    answer: ApprovalAnswer, again: ApprovalRequest, first: ApprovalRequest | None = None
) -> tuple[ApprovalAnswer, int]:
    """Ask twice; return the second answer and how often the approver was asked."""
    approver = Answering(answer)

    async def main() -> ApprovalAnswer:
        approvals = Approvals()
        await approvals.ask(first or request(), approver, 5)
        return await approvals.ask(again, approver, 5)

    return asyncio.run(main()), len(approver.asked)


@pytest.mark.parametrize(
    ("scope", "same_turn", "next_turn", "other_session"),
    [("once", 2, 2, 2), ("turn", 1, 2, 2), ("session", 1, 1, 2)],
)
def test_a_yes_holds_as_long_as_it_says(scope: Scope, same_turn: int, next_turn: int, other_session: int) -> None:
    yes = ApprovalAnswer(True, "test", scope=scope)
    asked = [
        ask_then(yes, again)
        for again in (request("ask-2"), request(turn_id="turn-2"), request(turn_id="turn-2", session_id="other"))
    ]
    assert [count for _, count in asked] == [same_turn, next_turn, other_session]
    assert all(answer == yes for answer, _ in asked)


@pytest.mark.parametrize("scope", ["turn", "session"])
@pytest.mark.parametrize(
    "other", [request(path="b.md"), ApprovalRequest("c", "fs_write", {}, "", "a", "", turn_id="turn-1")]
)
def test_a_yes_is_for_one_tool_with_one_set_of_arguments(scope: Scope, other: ApprovalRequest) -> None:
    assert ask_then(ApprovalAnswer(True, "test", scope=scope), other)[1] == 2


def test_a_no_holds_for_the_turn_and_is_not_asked_again() -> None:
    again, count = ask_then(NO, request("ask-2"))
    assert (again.allowed, again.by, again.code, again.scope, count) == (False, "test", "approval_denied", "turn", 1)
    assert again.detail == "the same call got a no in this turn: not today"
    assert ask_then(NO, request(turn_id="turn-2"))[1] == 2
    assert ask_then(NO, request(path="b.md"))[1] == 2


@pytest.mark.parametrize(
    "failure", [RuntimeError("no line"), ApprovalAnswer(False, "ask", code="approval_unavailable")]
)
def test_that_nobody_could_be_asked_is_no_answer_to_remember(failure: Any) -> None:
    assert ask_then(failure, request("ask-2"))[1] == 2


def test_a_question_that_expired_is_not_asked_again_in_its_turn() -> None:
    async def main() -> None:
        approvals, opened = Approvals(), list[PendingApproval]()
        for _ in range(2):
            answer = await approvals.ask(request(), HOLD, 0.01, on_open=opened.append)
            assert (answer.allowed, answer.code) == (False, "approval_timeout")
        assert len(opened) == 1
        assert (await approvals.ask(request(turn_id="turn-2"), AllowAll(), 5)).allowed

    run(main)


def test_after_three_expired_questions_a_turn_asks_no_more() -> None:
    async def main() -> None:
        approvals, approver = Approvals(), Answering(ApprovalAnswer(True, "test"))
        await approvals.ask(request(path="known"), Answering(ApprovalAnswer(True, "ada", scope="turn")), 5)
        for number in range(broker.MOST_TIMEOUTS):
            assert approvals.known(request(path="new")) is None
            await approvals.ask(request(path=str(number)), HOLD, 0.001)
        answer = await approvals.ask(request(path="new"), approver, 5)
        assert (answer.allowed, answer.code, approver.asked) == (False, "approval_timeout", [])
        assert answer.detail == "3 questions of this turn got no answer in time; no more are asked"
        assert (await approvals.ask(request(path="known"), approver, 5)).by == "ada"  # that one is answered
        assert (await approvals.ask(request(path="new", turn_id="turn-2"), approver, 5)).allowed

    run(main)


@pytest.mark.parametrize(
    ("scope", "missing", "kept"),
    [
        ("session", {"session_id": ""}, "turn"),
        ("session", {"session_id": "", "turn_id": ""}, "once"),
        ("turn", {"turn_id": ""}, "once"),
        ("session", {"problem": "path is missing"}, "once"),
        ("turn", {"problem": "path is missing"}, "once"),
    ],
)
def test_no_answer_holds_longer_than_what_it_was_asked_in(scope: Scope, missing: dict[str, str], kept: Scope) -> None:
    async def main() -> None:
        approvals, asked = Approvals(), request(**missing)
        answer = await approvals.ask(asked, Answering(ApprovalAnswer(True, "test", scope=scope)), 5)
        assert (answer.allowed, answer.scope) == (True, kept)
        assert (approvals.known(asked) is None) is (kept == "once")

    run(main)


def test_leave_for_a_sound_call_is_none_for_a_malformed_one() -> None:
    async def main() -> None:
        approvals = Approvals()
        await approvals.ask(request(), Answering(ApprovalAnswer(True, "test", scope="session")), 5)
        assert approvals.known(request(problem="path is missing")) is None
        refused = await approvals.ask(request(path="b", problem="path is missing"), Answering(NO), 5)
        assert approvals.known(request(path="b", problem="path is missing")) is not None
        assert refused.code == "approval_denied"

    run(main)


def test_what_was_answered_can_be_forgotten() -> None:
    async def main() -> None:
        approvals = Approvals()
        await approvals.ask(request(path="a"), Answering(ApprovalAnswer(True, "test", scope="session")), 5)
        await approvals.ask(request(path="b"), Answering(NO), 5)
        approvals.forget_turn("turn-1")
        approvals.forget_turn("turn-9")
        assert approvals.known(request(path="b")) is None
        assert approvals.known(request(path="a")) is not None
        approvals.forget_session("main")
        assert approvals.known(request(path="a")) is None

    run(main)


def test_what_is_remembered_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "MOST_TURNS", 10)

    async def main() -> None:
        approvals = Approvals()
        for number in range(25):
            await approvals.ask(request(turn_id=f"turn-{number}"), Answering(NO), 5)
        known = [number for number in range(25) if approvals.known(request(turn_id=f"turn-{number}"))]
        assert known == list(range(15, 25))

    run(main)


def test_many_questions_at_once_do_not_mix() -> None:
    async def main() -> None:
        approvals = Approvals()
        asks: list[Awaitable[ApprovalAnswer]] = [
            approvals.ask(request(f"ask-{number}", str(number), turn_id=f"turn-{number % 7}"), HOLD, 5)
            for number in range(100)
        ]
        everything = asyncio.ensure_future(asyncio.gather(*asks))
        await settled()
        for question in reversed(approvals.pending):
            number = int(question.id.removeprefix("ask-"))
            approvals.answer(question.id, number % 3 == 0, by=f"person-{number}")
        answers = await everything
        assert [(answer.allowed, answer.by) for answer in answers] == [
            (number % 3 == 0, f"person-{number}") for number in range(100)
        ]

    run(main)


# -- the policy --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("safety", ["safe", "moderate", "dangerous"])
@pytest.mark.parametrize("policy", ["all", "dangerous", "configured", "none", "unheard-of"])
def test_the_policy_says_which_calls_ask_and_the_lists_beat_it(policy: Policy, safety: str) -> None:
    tool = Tool("fs_x", safety=cast("Safety", safety))
    by_policy = policy in {"all", "unheard-of"} or (policy == "dangerous" and safety == "dangerous")
    none, this, family = map(ToolPatterns.of, ((), ("fs_x",), ("fs_*",)))
    assert bool(approval_reason(tool, {}, policy, none, none)) is by_policy
    assert approval_reason(tool, {}, policy, none, this) == "fs_x is on the list of sensitive tools"
    assert approval_reason(tool, {}, policy, none, family) == "fs_x is on the list of sensitive tools (fs_*)"
    assert approval_reason(tool, {}, policy, family, this) == ""


def test_the_hash_is_of_tool_and_arguments_in_any_order_and_of_any_text() -> None:
    assert arguments_hash("t", {"a": 1, "b": [1]}) == arguments_hash("t", {"b": [1], "a": 1})
    assert len(arguments_hash("t", {})) == 256 // 4, "a shorter one could be met on purpose"
    different = [
        arguments_hash("t", {"a": 1}),
        arguments_hash("u", {"a": 1}),
        arguments_hash("t", {"a": "1"}),
        arguments_hash("t", {"a": True}),
        arguments_hash("t", {"a": None}),
        arguments_hash("t", {"a": "\ud800"}),
        arguments_hash("t", {}),
    ]
    assert len(set(different)) == len(different)
