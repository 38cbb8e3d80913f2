"""Secrets never reach a trace, a frame or a picture."""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core import masking
from lango_nb.core.masking import MASK, Masker, add_rules, mask, mask_arguments, mask_record, mask_value, reset_rules
from lango_nb.core.secrets.scanner import Scanner
from lango_nb.lab import Lab
from lango_nb.models.scripted import ScriptedModel
from lango_nb.viz.view import View

CANARIES = (
    "sk-proj-Zx9canary0123456789abcdef",
    "ghp_canary0123456789abcdefghij0123",
    "AKIACANARY0123456789",
    "AIzaCanary0123456789abcdefghijklmnopqrs",
    "xoxb-canary-0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.c2lnbmF0dXJl",
)
SHAPES = (
    *CANARIES,
    "sk-ant-api03-abcdefghijklmnop-QRST_uvwx",
    "sk-or-v1-0123456789abcdef0123456789abcdef",
    "sk_live_0123456789abcdefghijklmn",
    "rk_live_0123456789abcdefghijklmn",
    "whsec_0123456789abcdefghijklmn",
    "github_pat_11ABCDEFG0123456789_abcdefghij",
    "glpat-abcdefghij0123456789",
    "hf_abcdefghijklmnopqrstuvwxyz01234567",
    "ASIACANARY0123456789",
    "ya29.a0AfH6SMBabcdefghijklmnop",
    "GOCSPX-abcdefghijklmnopqrstuvwx",
    "xapp-1-A0123456789-0123456789-abcdef",
    "https://hooks.slack.com/services/T0123456789/B0123456789/abcdefghijklmnopqrstuvwx"[8:],
    "SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG",
    "SK0123456789abcdef0123456789abcdef",
    "AC0123456789abcdef0123456789abcdef",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAw",
    "dckr_pat_abcdefghijklmnopqrstuvwxyz0",
    "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "shpat_0123456789abcdef0123456789abcdef",
    "gsk_abcdefghijklmnopqrstuvwxyz0123456789",
    "hvs.CAESIabcdefghijklmnopqrstuvwxyz",
    "AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54K",
    "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
    "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
    "0123456789abcdef0123456789abcdef-us12",
    "sk-svcacct-abcdefghijklmnopqrstT3BlbkFJabcdefghijklmnopqrst",
    "xai-abcdefghijklmnopqrstuvwxyz0123456789",
    "pplx-abcdefghijklmnopqrstuvwxyz0123456789",
    "tvly-dev-abcdefghijklmnopqrstuvwx",
    "lsv2_pt_0123456789abcdef0123456789abcdef_0123456789",
    "lin_api_abcdefghijklmnopqrstuvwxyz0123456789ABCD",
    "ntn_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
    "figd_abcdefghijklmnopqrstuvwxyz-0123456789_ABCD",
    "sbp_0123456789abcdef0123456789abcdef01234567",
    "ATATT3xFfGF0abcdefghijklmnopqrstuvwxyz0123456789-_ABCDEFGH=0A1B2C3D",
    "glsa_abcdefghijklmnopqrstuvwxyzABCDEF_0123abcd",
    "PMAK-0123456789abcdef01234567-0123456789abcdef0123456789abcdef01",
    "dapi0123456789abcdef0123456789abcdef",
    "nvapi-abcdefghijklmnopqrstuvwxyz0123456789",
    "sq0atp-abcdefghijklmnopqrstuv",
    "r8_abcdefghijklmnopqrstuvwxyz0123456789A",
    "sntrys_eyJpYXQiOjE2ODczMzY1NDMuNjk4NTksInVybCI6bnVsbH0=_abcdefgh",
    "gloas-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "DE89 3704 0044 0532 0130 00",
    "NL91ABNA0417164300",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0",
    "eyJhbGciOiJSU0EtT0FFUCJ9.abcdefgh12345678.abcdefgh.abcdefgh.abcdefgh",
    "4111 1111 1111 1111",
    "5500-0055-5555-5559",
    "378282246310005",
    "ada.lovelace+news@mail.example.co.uk",
    "o'brien@example.ie",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\r\nMIIE\r\n-----END ENCRYPTED PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----",
)


@pytest.fixture(autouse=True)
def no_rules() -> Iterator[None]:
    """Forget rules and what was clean."""
    reset_rules()
    yield
    reset_rules()


# -- shapes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", SHAPES)
@pytest.mark.parametrize(
    "around", ["{}", "use {}, please", "({})", "a\n{}\nb", "x={};", "<{}>", '"{}"', "%20{}", "卡:{}"]
)
def test_secrets_of_a_known_shape_are_masked_wherever_they_stand(secret: str, around: str) -> None:
    text = around.format(secret)
    assert mask(text) == around.format(MASK)
    assert MASK in mask(json.dumps([text]))
    assert secret not in mask(json.dumps([text], ensure_ascii=False))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("-----BEGIN PRIVATE KEY-----\nabc", MASK),
        ('{"key": "-----BEGIN PRIVATE KEY-----\\nMIIE", "n": 1}', f'{{"key": "{MASK}", "n": 1}}'),
        ("tail MIIEabcdefghijklmnop\nqrst==\n-----END PRIVATE KEY-----", f"tail {MASK}"),
        (
            "-----BEGIN PRIVATE KEY-----\nab\n'x' -----BEGIN PRIVATE KEY-----\ncd\n-----END PRIVATE KEY----- y",
            f"{MASK}'x' {MASK} y",
        ),
        ("postgres://ada:s3cret@db/x", f"postgres://ada:{MASK}@db/x"),
        ("redis://:p@ss:w@db:6379/0", f"redis://:{MASK}@db:6379/0"),
        ("ada:s3cret@tcp(db:3306)/x", f"ada:{MASK}@tcp(db:3306)/x"),
        ("https://x.org/a?sig=abcdefghijklmnop%3D&v=1", f"https://x.org/a?sig={MASK}&v=1"),
        ("curl -u ada:s3cret https://x.org", f"curl -u ada:{MASK} https://x.org"),
        ("Bearer abcdefgh12345", f"Bearer {MASK}"),
        ("Authorization: Basic YWRhOmx1Y2U=", f"Authorization: Basic {MASK}"),
        ("use basic YWRhOn5+fj8/Pz4+Pg== now", f"use basic {MASK} now"),
        ("use basic YWRhOn5-fj8_Pz4-Pg== now", f"use basic {MASK} now"),
        ("use basic bm8gY29sb24gaGVyZQ== now", "use basic bm8gY29sb24gaGVyZQ== now"),
        ("mailto:ada@example.org?subject=hi, ada%40example.org", f"mailto:{MASK}?subject=hi, {MASK}"),
        ("ada@example.org.txt", f"{MASK}.txt"),
        ("no agent 'sk-proj-abcd…' and ada@exam…", f"no agent '{MASK}' and {MASK}"),
        ("no key 'ghp_abcd...', wait...", f"no key '{MASK}', wait..."),
        ("card 4111 1111 11… at ://ada:s3c…", f"card {MASK} at ://ada:{MASK}"),
    ],
)
def test_keys_passwords_and_addresses_in_texts(text: str, masked: str) -> None:
    assert mask(text) == masked


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("password: hunter2", f"password: {MASK}"),
        ('{"api_key": "abc def", "n": 1}', f'{{"api_key": "{MASK}", "n": 1}}'),
        ("Authorization: Bearer abcdefgh12345 was sent to it", f"Authorization: Bearer {MASK} was sent to it"),
        ("Authorization: Bearer x and more", f"Authorization: Bearer {MASK} and more"),
        ("OPENAI_KEY=abc", f"OPENAI_KEY={MASK}"),
        ("openaiKey: abc", f"openaiKey: {MASK}"),
        ("export DB_PASS=abc", f"export DB_PASS={MASK}"),
        ("SMTP_PASS: abc", f"SMTP_PASS: {MASK}"),
        ("my api key is abc123def", f"my api key is {MASK}"),
        ("curl -u ada@example.org:abc -v", f"curl -u {MASK}:{MASK} -v"),
        ('Authorization: Digest username="a", response="b"', f"Authorization: Digest {MASK}"),
        ("authorization: abc", f"authorization: {MASK}"),
        ("PASSWORD=hun,ter;2", f"PASSWORD={MASK}"),
        ("password = hunter2, user = ada", f"password = {MASK}, user = ada"),
        ("{'password': 'it\\'s', 'n': 1}", f"{{'password': '{MASK}', 'n': 1}}"),
        (
            '{"a": "{\\"token\\": \\"x\\\\\\"y\\", \\"b\\": 1}"}',
            f'{{"a": "{{\\"token\\": \\"{MASK}\\", \\"b\\": 1}}"}}',
        ),
        ('{"secret":\n  "x y",\n  "n": 1}', f'{{"secret":\n  "{MASK}",\n  "n": 1}}'),
        ('{"token": 123456, "n": 1}', f'{{"token": "{MASK}", "n": 1}}'),
        ('{"token": true, "has_token": true}', f'{{"token": "{MASK}", "has_token": true}}'),
        ('{"credentials": {"user": "a}", "b": [1]}, "n": 1}', f'{{"credentials": "{MASK}", "n": 1}}'),
        ('{"tokens": ["abc", "d]e"], "n": 1}', f'{{"tokens": "{MASK}", "n": 1}}'),
        ('{"password": "hunt', f'{{"password": "{MASK}'),
        ('{"credentials": {"user": "a", "pass', f'{{"credentials": "{MASK}"'),
        ('password: "hunt', f'password: "{MASK}'),
        ("https://x.org/?api_key=abc&page=1#top", f"https://x.org/?api_key={MASK}&page=1#top"),
        ("https://x.org/#access_token=abc&page=1", f"https://x.org/#access_token={MASK}&page=1"),
        ("AccountName=a;AccountKey=b==;Suffix=c", f"AccountName=a;AccountKey={MASK};Suffix=c"),
        ("Uid=sa;Pwd=x&y;Db=z", f"Uid=sa;Pwd={MASK};Db=z"),
        ("Cookie: a=b; c=d\nHost: x", f"Cookie: {MASK}\nHost: x"),
        ("X-Api-Key: abc", f"X-Api-Key: {MASK}"),
        ("mysql --password hunter2 -h x", f"mysql --password {MASK} -h x"),
        ('["--api-key", "abc", "-v"]', f'["--api-key", "{MASK}", "-v"]'),
        ("<password>a b</password>", f"<password>{MASK}</password>"),
        ("- name: DB_PASSWORD\n  value: abc\n", f"- name: DB_PASSWORD\n  value: {MASK}\n"),
        ("login ada password hunter", f"login ada password {MASK}"),
        ("my password is hunter2.", f"my password is {MASK}."),
        ("Password:\nhunter\n$ ", f"Password:\n{MASK}\n$ "),
        ("secret: |\n  a b\n  c\nn: 1", f"secret: {MASK}\nn: 1"),
        ("**Password:** hunter", f"**Password:** {MASK}"),
        ("token = Secret('a b')", f"token = {MASK}"),
        ("mnemonic: legal winner thank year", f"mnemonic: {MASK}"),
        ("secret: password: x", f"secret: password: {MASK}"),
        ("password == 'x'", f"password == '{MASK}'"),
        ("line\\npassword=x\\nnext", f"line\\npassword={MASK}\\nnext"),
    ],
)
def test_values_with_telling_names_in_texts(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "store my GitHub token as a secret", "what is a password?", "eyJ is no token", "the sk-8 board", "a: b", "",
        "the token bucket is full", "my password is wrong", "the token is new", "Secrets: how to keep them",
        "tokens: 5", "max_tokens=2048, token_budget: 2000",
        '{"input_tokens": 15, "token_count": 3, "tokens": {"in": 5, "out": 6}}',
        '{"tokens": [15496, 995]}', '{"secrets_get": "vault", "secrets_store": "vault"}',
        '{"password": "", "token": null}',
        '{"password": {"type": "string", "description": "of the account"}}', "token: str", "std::token::new()",
        "if token == other:", "secret://vault/name", "a monkey: 5", "keyboard = x", "tokenizer = fast",
        "cookie: chocolate", "basic training starts", "a bearer certificate", "Bearer of news",
        "2026-01-02T03:04:05.678901+00:00", "1700000000000", "1700000000000000000", "20260102030405",
        "4111111111111112",
        "0.4111111111111111", "id4111111111111111", "4111111111111111a", "0x4111111111111111", "+4915112345678",
        "41111111-1111-4111-8111-111111111111", "9f86d081884c7d659a2feaa0c55ad015", "192.168.100.200:8080",
        "icon@2x.png", "flag@2x.min.js", "git@github.com:ada/notes.git", "npm i left-pad@1.2.3", "@decorator", "a @ b",
        "user@host", "ssh://ada@example.org/x", "https://ada@example.org/x", "http://localhost:8080/a@b", "x…", "a@…",
        "names such as `DB_PASS=`, `OPENAI_KEY=` and `x`", "PWD=/home/ada", "OLDPWD=~/notes",
        "token = get_token()", "token = self.get_token(user, n=2)",
        "password = os.environ['DB_PASSWORD']", "api_key = settings.api_key", "primary_key: id",
        "commit dea070bdea070bdea070bdea070bdea070bdea07", "first_pass: 3", "<token> is a placeholder, and <b>so</b>",
        "sha256:9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015", "DE88 3704 0044 0532 0130 00",
        "1 55 08 14 168 025 38", "2 55 08 1A 168 025 38", "call +44 20 7946 0958", "die Passwörter sind lang",
        "das Passwort ist falsch", "la contraseña es correcta", "密码是错的", "the password is wrong, 密码是错的",
        "http://host:80/path", "token_address: 0xabc", "passwordless: yes", "api_key_count=3",
    ],
)  # fmt: skip
def test_ordinary_words_and_numbers_stay(text: str) -> None:
    assert mask(text) == text
    assert mask(text) is text


@pytest.mark.parametrize(
    "text",
    [
        "the password is {}", "das Passwort ist {}", "Kennwort: {}", "le mot de passe est {}", "mot de passe : {}",
        "la contraseña es {}", "contrasena={}", "la password è {}", "a senha é {}", "senha: {}", "hasło to {}",
        "hasło: {}", "het wachtwoord is {}", "wachtwoord: {}", "パスワードは{}です", "パスワード\uff1a{}",
        "密码是{}\uff0c谢谢",
        "密码: {}", "密碼為{}", "我的密码是{}",
    ],
)  # fmt: skip
def test_a_password_is_masked_in_ten_languages(text: str) -> None:
    assert mask(text.format("hunter2")) == text.format(MASK)


def test_phone_numbers_are_masked_where_a_setting_says_so() -> None:
    text = "call +44 20 7946 0958 or (555) 123-4567, order 12345678"
    assert mask(text) == text
    add_rules(phone_numbers=True)
    assert mask(text) == f"call {MASK} or {MASK}, order 12345678"


def test_a_secret_without_end_hides_what_follows() -> None:
    text = "before\nsecret = " + "x" * 20_000
    assert mask(text + "\nafter") == f"before\nsecret = {MASK}"


def test_the_same_text_is_looked_at_once() -> None:
    text = "password = hunter2, " + "and so on " * 20
    once = mask(text)
    assert mask(text) is once
    assert mask(once) is once


# -- values ------------------------------------------------------------------------------------------------------------


def test_values_with_telling_names_are_masked_whatever_they_look_like() -> None:
    assert mask_value({"accessToken": "x", "list": [{"secret": 7}], "token_count": "", "tokens": 5}) == {
        "accessToken": MASK,
        "list": [{"secret": MASK}],
        "token_count": "",
        "tokens": 5,
    }


@pytest.mark.parametrize("value", ["x", 7, 1.5, True, False, ["x"], {"user": "ada"}, [[]], b"x"])
def test_whatever_a_telling_name_names_is_masked_as_a_whole(value: Any) -> None:
    assert mask_value({"api_key": value, "DB_PASSWORD": value}) == {"api_key": MASK, "DB_PASSWORD": MASK}
    assert mask_value(value, "clientSecret") == MASK


@pytest.mark.parametrize(
    "value",
    [
        {"token": None, "password": "", "secret": [], "credentials": {}},
        {"max_tokens": 5, "tokens": {"in": 5}, "token_ids": 3, "token_limit": 2.5} | {"token_ids": None},
        {"has_password": True, "is_secret": False, "password_required": True},
        {"properties": {"password": {"type": "string", "description": "of the account"}}},
        {"at": 1700000000000, "size": 4111111111111112, "path": "a@2x.png", "ok": True, "x": [None, 1.5]},
    ],
)
def test_what_only_counts_or_describes_stays(value: Any) -> None:
    assert mask_value(value) == value


def test_values_are_looked_into() -> None:
    value: Any = {
        "number": 4111111111111111,
        "float": 4111111111111111.0,
        "text": '{"password": "x"}',
        "env": [{"name": "DB_PASSWORD", "value": "x"}, {"name": "DB_HOST", "value": "x"}],
        "argv": ["--password", "x", "--host", "x", "--token", "-v"],
        "tuple": ("ada@example.org", {"token": 1}),
        "bytes": b"ada@example.org",
        "header": {"key": "Authorization", "value": "x"},
    }
    assert mask_value(value) == {
        "number": MASK,
        "float": MASK,
        "text": '{"password": "[masked]"}',
        "env": [{"name": "DB_PASSWORD", "value": MASK}, {"name": "DB_HOST", "value": "x"}],
        "argv": ["--password", MASK, "--host", "x", "--token", "-v"],
        "tuple": [MASK, {"token": MASK}],
        "bytes": MASK,
        "header": {"key": "Authorization", "value": MASK},
    }


def test_names_that_are_secrets_are_masked_and_none_is_lost() -> None:
    names = {"ada@example.org": 1, "bob@example.org": 2, "carol@example.org": 3}
    masked = mask_arguments(names)
    assert list(masked.values()) == [1, 2, 3]
    assert all(name.startswith(MASK) for name in masked)
    assert mask_arguments(masked) == masked


def test_what_cannot_be_masked_is_masked_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    deep: Any = "x"
    for _ in range(sys.getrecursionlimit() + 100):
        deep = [deep]
    assert mask_value(deep) == MASK
    assert mask_arguments({"deep": deep}) == {MASK: MASK}

    def fail(_scanner: Scanner, piece: str, **_options: bool) -> str:
        raise RuntimeError(piece)

    monkeypatch.setattr(Scanner, "add", fail)
    assert mask("ada@example.org said hello") == MASK
    masker = Masker()
    assert (masker.add("ada@example.org"), masker.add(" said hello"), masker.finish(" to bob")) == (MASK, "", "")


# -- rules of one's own ------------------------------------------------------------------------------------------------


def test_rules_of_your_own_hold_in_texts_values_names_and_numbers() -> None:
    texts = ["EMP-123456 is here", "badgeNumber: 7", "x " * 50 + "EMP-123456"]
    assert [mask(text) for text in texts] == texts
    add_rules([r"EMP-\d{6}", r"\b9{9}\b"], ["badge number"])
    assert [mask(text) for text in texts] == [f"{MASK} is here", f"badgeNumber: {MASK}", "x " * 50 + MASK]
    assert mask_value({"badge_number": 7, "BADGE-NUMBER": "x", "n": 999999999, "m": 99, "EMP-123456": 1}) == {
        "badge_number": MASK,
        "BADGE-NUMBER": MASK,
        "n": MASK,
        "m": 99,
        MASK: 1,
    }
    assert mask("password: x") == f"password: {MASK}", "the others still hold"


def test_rules_are_added_and_never_replaced() -> None:
    add_rules(["one-[0-9]"], ["first"])
    add_rules(["two-[0-9]"], ["second"])
    add_rules()
    assert mask("one-1 two-2") == f"{MASK} {MASK}"
    assert mask_value({"first": 1, "second": 2}) == {"first": MASK, "second": MASK}
    reset_rules()
    assert mask("one-1 two-2") == "one-1 two-2"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("a(b", "'a(b' is not a regular expression: missing ), unterminated subpattern at position 1"),
        ("[z-a]", "'[z-a]' is not a regular expression: bad character range z-a at position 1"),
        ("x*", "'x*' can match an empty text"),
        ("|a", "'|a' can match an empty text"),
        (r"\b", "can match an empty text"),
        ("(?=a)", "can match an empty text"),
    ],
)
def test_a_wrong_pattern_is_refused_in_one_line_and_nothing_is_added(pattern: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        add_rules(["good-[0-9]", pattern], ["good"])
    assert "\n" not in str(caught.value)
    assert mask("good-1") == "good-1"
    assert mask_value({"good": 1}) == {"good": 1}


@pytest.mark.parametrize("key", ["", "--", "  "])
def test_a_key_without_letters_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="names nothing"):
        add_rules(keys=[key])


def test_a_pattern_that_would_find_the_mask_leaves_it_alone() -> None:
    add_rules(["[a-z]{0,9}mask[a-z]{0,9}", "k"])
    assert mask("unmasked kite") == f"{MASK} {MASK}ite"
    assert mask(mask("unmasked kite")) == mask("unmasked kite")


def test_no_thread_goes_on_with_older_rules() -> None:
    """What a thread found clean by older rules while newer ones came is not taken to be clean later."""
    stop = threading.Event()
    texts = [f"quite clean {number}" for number in range(50)]

    def look() -> None:
        while not stop.is_set():
            for text in texts:
                mask(text)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(50):
            add_rules([rf"clean {number}\b"])
            assert mask(texts[number]) == f"quite {MASK}"
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert [mask(text) for text in texts] == [f"quite {MASK}"] * 50


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b", "(a*)*b", "(a|a)*b", "(a|ab|b)+c", "(?:a?){20}a{20}", ".*-.*-.*x", r"\d+\d+x", r"(\w+\s?)+x",
        "([a-z]+)*1", r"(\w+)\1", "(?=(a+)+b)a", "(?i:([A-Z]+)+)x", "(?>(a+)+b)",
    ],
)  # fmt: skip
def test_a_pattern_that_could_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="could take for ever"):
        add_rules([pattern])


@pytest.mark.parametrize(
    ("pattern", "secret"),
    [
        (r"EMP-\d{6}", "EMP-123456"),
        (r"\bINT-[A-Z]{2}-\d+\b", "INT-AB-7"),
        (r"(?:\d{1,3}\.){3}\d{1,3}", "10.0.0.1"),
        (r"(?:[a-z]+-)+\d+", "red-team-7"),
        (r"\w+@corp\.x", "ada@corp.x"),
        ("acme_[A-Za-z0-9]{32,}", f"acme_{'a1' * 16}"),
        ("(?:red|green|blue)-team-[0-9]+", "green-team-12"),
        ("(?i)project [a-z]+", "Project zebra"),
        ("(?<!x)id=[^ ]+", "id=7"),
        ("(?:a++b?)+c", "aabac"),
    ],
)
def test_a_pattern_of_the_usual_kind_is_taken(pattern: str, secret: str) -> None:
    add_rules([pattern])
    assert mask(f"about {secret} .") == f"about {MASK} ."


# -- logs --------------------------------------------------------------------------------------------------------------


def test_what_is_logged_holds_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("lango_nb")
    with caplog.at_level(logging.DEBUG, "lango_nb"):
        logger.warning("mail %s about %s", "ada@example.org", "it")
        try:
            int(CANARIES[0])
        except ValueError:
            logger.exception("it failed")
        logger.info("nothing in %s", "here")
    assert caplog.messages == [f"mail {MASK} about it", "it failed", "nothing in here"]
    assert CANARIES[0] not in caplog.text
    assert f"with base 10: '{MASK}'" in caplog.text
    assert caplog.records[2].args == ("here",), "what holds no secret stays as it is"


def test_a_record_that_cannot_be_written_tells_nothing() -> None:
    record = logging.LogRecord("lango_nb", logging.INFO, "x", 1, "%d of it", ("ada@example.org",), None)
    assert mask_record(record)
    assert record.getMessage() == MASK


# -- in a lab ----------------------------------------------------------------------------------------------------------


def test_no_canary_reaches_what_is_kept_or_shown_and_the_model_still_reads_it(tmp_path: Path) -> None:
    for number, secret in enumerate(CANARIES):
        (tmp_path / f"{number}.env").write_text(f"KEY={secret}\n")
    model = ScriptedModel(
        [
            ("transfer_to_agent", {"agent_name": "operator", "reason": f"has {CANARIES[0]}"}),
            ("fs_read", {"path": "1.env"}),
            ("fs_write", {"path": "copy.env", "content": CANARIES[2]}),
            f"It says {CANARIES[3]}.",
        ]
    )
    lab = Lab("sextet", workspace=tmp_path, home=tmp_path / "home", model=model, approver="allow")
    result = lab.ask(f"copy it, my key is {CANARIES[4]}")
    views: list[View[Any]] = [
        result,
        result.trace,
        lab.turns,
        lab.why(),
        lab.events(),
        lab.messages(),
        lab.route(CANARIES[5]),
    ]
    shown = "".join(view.text + view.html + view.df.to_csv() for view in views) + repr(result.record)
    assert [secret for secret in CANARIES if secret in shown] == []
    assert (tmp_path / "copy.env").read_text() == CANARIES[2]
    assert CANARIES[4] in model.requests[0][0][-1].content
    assert CANARIES[1] in model.requests[2][0][-1].content


def test_what_is_remembered_of_clean_texts_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masking, "_MOST_CLEAN", 10)
    monkeypatch.setattr(masking, "_MOST_RECENT", 10)
    reset_rules()
    for number in range(50):
        mask(f"a clean text of number {number}")
        mask(f"{'a longer clean text ' * 20}{number}")
    assert len(masking._clean) <= 10
    assert len(masking._recent) <= 11
