"""Personal data: found in its usual spellings, told from other numbers, and in time that grows with the text."""

from __future__ import annotations

import pytest

from lango_nb.core.personal import redact
from tests.calls import assert_linear


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ada@example.org", "[email]"),
        ("<Ada.Lovelace+news@mail.example.co.uk>,", "<[email]>,"),
        ("ada@exämple.org", "[email]"),
        ("4111111111111111", "[card]"),
        ("card 4111 1111 1111 1111 12/27 123", "card [card] 12/27 123"),
        ("card 4111-1111-1111-1111 123", "card [card] 123"),
        ("3782 822463 10005, 378282246310005", "[card], [card]"),
        ("5 5500-0055-5555-5559", "5 [card]"),
        ("DE89 3704 0044 0532 0130 00 and more", "[iban] and more"),
        ("de89370400440532013000", "[iban]"),
        ("BE68 5390 0754 7034 from ada", "[iban] from ada"),
        ("GB82WEST12345698765432 GB82WEST12345698765432", "[iban] [iban]"),
        ("SSN 123-45-6789.", "SSN [national id]."),
        ("AB 12 34 56 C", "[national id]"),
        ("2 55 08 14 168 025 38", "[national id]"),
        ("RSSMRA85T10A562S", "[national id]"),
        ("12345678Z, X1234567L, x-1234567-l", "[national id], [national id], [national id]"),
        ("123.456.789-09", "[national id]"),
        ("900101-1234567", "[national id]"),
        ("11010519491231002X", "[national id]"),
        ("call +44 20 7946 0958 or +1 (555) 123-4567", "call [phone] or [phone]"),
        ("(555) 123-4567, 555-123-4567, 555.123.4567", "[phone], [phone], [phone]"),
        ("020 7946 0958 0171-1234567 010-1234-5678", "[phone] [phone] [phone]"),
        ("tel:+4915112345678;x", "tel:[phone];x"),
    ],
)
def test_personal_data_is_replaced_by_what_it_was(text: str, shown: str) -> None:
    redacted = redact(text)
    assert redacted.value == shown
    assert redacted.found


@pytest.mark.parametrize(
    "text",
    [
        "", "plain words", "version 1.2.3", "2024-01-15T10:20:30Z", "1700000000000", "1712301234567",
        "192.168.100.200:8080", "9f86d081884c7d659a2feaa0c55ad015", "4111111111111112", "DE88370400440532013000",
        "XX89370400440532013000", "000-12-3456", "12345678A",
        "pip install left-pad@1.2.3", "git@github.com:ada/notes.git", "@decorator", "a @ b",
        "user@host", "3.14159265358979", "123456789", "550e8400-e29b-41d4-a716-446655440000", "10:20-11:30",
        "lines 100-200 of 5000", "$1,234,567.89", "2 55 08 14 168 025 39", "901301-1234567",
    ],
)  # fmt: skip
def test_other_numbers_and_names_stay(text: str) -> None:
    assert redact(text) == (text, ())


def test_values_are_looked_into_and_keys_stay() -> None:
    value = {"ada@example.org": ["ada@example.org", 4111111111111111, None, {"x": "555-123-4567 ada@example.org"}]}
    assert redact(value) == (  # type: ignore[arg-type]
        {"ada@example.org": ["[email]", 4111111111111111, None, {"x": "[phone] [email]"}]},
        ("2 email", "1 phone"),
    )


def test_redacting_twice_finds_nothing_more() -> None:
    once = redact("ada@example.org +44 20 7946 0958 4111111111111111 DE89370400440532013000 123-45-6789").value
    assert redact(once) == (once, ())


@pytest.mark.parametrize(
    "text",
    ["a", "1", "a@", "+1", "1 ", "0-", "AB12", "a.", "DE89 ", "4-", "(111) ", "4444 ", "12345678A ", "DE89 0000 "],
)
def test_hostile_texts_take_time_that_grows_with_their_length_only(text: str) -> None:
    assert_linear(redact, text)
