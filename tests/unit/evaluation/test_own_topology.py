"""Where most requests are nobody's, silence is right most of the time: that is told, and is not the headline."""

from __future__ import annotations

from lango_nb import Lab
from lango_nb.viz.evaluation import line

CELL = "---\nname: clerk\ndescription: keeps secrets\nkeywords: [encrypt]\nprefixes: [crypto_]\n---\nYou keep secrets."


def shop() -> Lab:
    """A lab whose one agent owns one family."""
    lab = Lab("octet", tools=["crypto_encrypt", "crypto_sign"])
    lab.use(lab.engine.topology.model_copy(update={"name": "shop", "agents": (), "match_order": ()}))
    lab.add_agent(CELL)
    return lab


def test_the_headline_is_of_the_requests_that_somebody_owns() -> None:
    view = shop().evaluate("held-out", sample=120, seed=1)
    (result,) = view.record.results
    owned = [one for one in result.judged if one.right]
    assert 0 < len(owned) < result.n / 2, "most are nobody's"
    assert (result.owned.count, result.owned.of) == (sum(one.is_right for one in owned), len(owned))
    assert result.owned.count < result.owned.of, "silence is not right everywhere"
    nobodys = result.n - len(owned)
    said = f"shop: no agent owns what {nobodys:,} of {result.n:,} requests take, and leaving them alone counts as right"
    assert said in " ".join(view.text.split())
    assert said in view.html
    assert "accuracy_owned" in view.text
    assert view.df["accuracy_owned"].tolist() == [result.owned.value]
    share = 100 * result.owned.count / result.owned.of
    assert line(view.record) == f"router, 120 requests: shop {share:.1f} % of {len(owned)} that somebody owns right"


def test_nothing_is_added_where_every_request_has_its_owner() -> None:
    view = Lab("octet").evaluate([("encrypt the word tulip", "crypto"), ("good morning", "conversation")])
    assert view.record.results[0].owned == view.record.results[0].accuracy
    assert "accuracy_owned" not in view.text
