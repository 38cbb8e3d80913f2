"""The naive baseline: whoever has most of the keywords; without one the root answers, of a tie nobody gets it."""

from __future__ import annotations

from lango_nb.evaluation.baseline import KeywordRouter
from lango_nb.routing.table import RoutingRow, RoutingTable

TABLE = RoutingTable(
    (
        RoutingRow("florist", keywords=("rose", "bunch of flowers", "c++")),
        RoutingRow("clock", keywords=("every", "day")),
        RoutingRow("silent"),
    )
)


def test_whoever_has_most_keywords_gets_it() -> None:
    route = KeywordRouter(TABLE).route("A ROSE every single day")
    assert (route.chosen, route.runner_up, route.margin) == ("clock", "florist", 1.0)
    assert [(one.agent, one.score) for one in route.candidates] == [("clock", 2.0), ("florist", 1.0), ("silent", 0.0)]
    assert route.reason == "clock: keyword 'every', keyword 'day'"


def test_only_whole_words_count_also_beside_signs() -> None:
    router = KeywordRouter(TABLE)
    assert router.route("prose everyday").is_conversation
    assert router.route("a Bunch of Flowers!").chosen == "florist"
    assert router.route("(c++)").chosen == "florist"
    assert router.route("rose rose rose every day").chosen == "clock"


def test_a_tie_is_nobodys_and_nothing_is_the_roots() -> None:
    router = KeywordRouter(TABLE)
    tie = router.route("one rose a day")
    assert tie.is_abstention
    assert tie.reason == "as many keywords each: florist, clock"
    assert router.route("good morning").is_conversation
    assert KeywordRouter(RoutingTable()).route("rose").is_conversation
