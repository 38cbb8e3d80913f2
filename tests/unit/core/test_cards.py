"""Numbers of payment cards are told from all other numbers."""

from __future__ import annotations

import pytest

from lango_nb.core.masking import MASK, mask
from lango_nb.core.personal import is_card

CARDS = (
    "4111111111111111", "4222222222222", "5555555555554444", "5105105105105100", "2223003122003222", "378282246310005",
    "371449635398431", "6011111111111117", "30569309025904", "38520000023237", "3530111333300000", "6200000000000005",
    "6304000000000000", "6759649826438453", "2201382000000013", "4000 0027 6000 3184", "3782 822463 10005",
    "4111-1111-1111-1111", "4111  1111  1111  1111", "4111\u00a01111\u00a01111\u00a01111", "411111 1111111111",
    "4111\u20111111\u20111111\u20111111",
)  # fmt: skip


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize(
    "around", ["{}", "card {}, please", "12 {}.", "card-{}", "no.{}", "卡号{}是", r"\n{}", "%20{}", "+ {}", "a={}&b"]
)
def test_cards_are_found_in_texts(card: str, around: str) -> None:
    assert mask(around.format(card)) == around.format(MASK)


@pytest.mark.parametrize(
    "text",
    [
        "", "4111111111111112", "1111111111111117", "411111111111111", "41111111111111111", "9" * 25, "4111 1111 1111",
        "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "1700000000000", "1767323045678", "1767323045678901", "20260102030405",
        "2026-01-02 03:04:05.678901", "0.4111111111111111", "-3.4111111111111111", "+4915112345678",
        "x4111111111111111",
        "4111111111111111x", "0x4111111111111111", "_4111111111111111", "41111111-1111-4111-8111-111111111111",
        "550e8400-e29b-41d4-a716-446655440000", "192.168.100.200", "978-3-16-148410-0", "4111\n1111\n1111\n1111",
    ],
)  # fmt: skip
def test_other_numbers_stay(text: str) -> None:
    assert mask(text) == text


def test_what_stands_beside_a_card_stays() -> None:
    text = "4111 1111 1111 1111 123, 4111-1111-1111-1111-123; 2026 4111111111111111 12/27"
    assert mask(text) == f"{MASK} 123, {MASK}-123; 2026 {MASK} 12/27"
    assert mask("4111111111111111 4111111111111111") == f"{MASK} {MASK}"


def test_only_ascii_digits_make_a_card() -> None:
    assert is_card("4111111111111111")
    assert not is_card("٤١١١١١١١١١١١١١١١")
    assert not is_card("")
    assert not is_card("4111 1111 1111 1111")
