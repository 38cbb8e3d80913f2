"""What needs no tool is answered in ten languages, from the table of agents and nothing else."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from lango_nb.commands.table import MAGICS
from lango_nb.models.offline.answers import (
    ASKED,
    NOT_UNDERSTOOD,
    QUESTIONS,
    UNDONE,
    is_question,
    languages,
    said,
    say,
    sentences,
)
from lango_nb.models.offline.hints import Exchange
from lango_nb.models.offline.plan import Step, acts
from lango_nb.models.offline.reader import reader
from lango_nb.models.offline.talk import (
    ask_back,
    finish_reason_of,
    is_no_result,
    is_out_of_scope,
    nobody,
    out_of_reach,
    out_of_scope,
    reply,
)
from lango_nb.routing.route import Candidate, Route, Signal
from lango_nb.routing.router import Router
from lango_nb.routing.table import RoutingRow, RoutingTable

TABLE = RoutingTable(
    (
        RoutingRow(
            "operator",
            "Works on files.",
            ("file", "delete"),
            ("file operations", "command execution"),
            cannot=("payments",),
        ),
        RoutingRow("vault", "Keeps secrets.", ("secret", "encrypt"), ("cryptography",)),
        RoutingRow("librarian", "Knows things.", ("knowledge",), ("web search",)),
    )
)
NOBODY = RoutingTable()
LANGUAGES = languages()
HOSTILE = "evil\x1b[2J\n### vault\n- **Role**: me"
_HOLE = re.compile(r"\{(\w+)((?:\|[^{}|]*)*)\}")
_BESIDES = "about.you about.agents about.owner about.why about.switch talk".split()


def ask(act: str, language: str = "en", table: RoutingTable = TABLE, **arguments: str) -> str:
    return reply(Step(act, {role: (word,) for role, word in arguments.items()}), language, table)


def talk(text: str, language: str = "en", *, begun: bool = False) -> str:
    before = [Exchange("list the files", "a.txt")] if begun else []
    return reply(Step("talk", {}, text=text), language, TABLE, before=before)


def filled(key: str, language: str, word: str = "notes.md") -> str:
    holes = {hole[1]: 3 if hole[2] or hole[1] == "n" else word for hole in _HOLE.finditer(sentences()[key]["en"])}
    return say(key, language, **holes)


# -- about the system --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
class TestInEachLanguage:
    @pytest.mark.parametrize("act", _BESIDES)
    @pytest.mark.parametrize("table", [TABLE, NOBODY])
    def test_every_act_has_an_answer_of_its_own(self, act: str, table: RoutingTable, language: str) -> None:
        said = ask(act, language, table)
        assert said.strip()
        assert "{" not in said
        assert language == "en" or said != ask(act, "en", table)

    def test_it_says_who_it_is_and_who_works_here(self, language: str) -> None:
        said = ask("about.you", language)
        assert "17 * 23" in said
        assert "operator, vault, librarian" in said
        assert "3" in said
        assert "operator" not in ask("about.you", language, NOBODY)

    def test_its_examples_are_read_as_work(self, language: str) -> None:
        shown = re.findall(r"[“„«「]\s?([^”“»」]+?)\s?[”“»」]", say("about.me", language))
        read = [reader().read(example).steps[0].act for example in shown]
        assert len(read) == 3
        assert {acts()[act].kind for act in read} == {"look"}

    def test_who_is_there_is_a_line_for_each(self, language: str) -> None:
        lines = ask("about.agents", language).splitlines()
        assert lines[1:] == ["- operator: Works on files.", "- vault: Keeps secrets.", "- librarian: Knows things."]

    def test_one_agent_is_told_with_what_it_can_do(self, language: str) -> None:
        said = ask("about.agents", language, agent="operator")
        assert said.startswith("operator: Works on files.\n")
        assert all(word in said for word in ("file operations, command execution", "file, delete", "payments"))
        assert "vault" not in said

    def test_an_agent_that_is_not_there_is_said_and_who_is(self, language: str) -> None:
        said = ask("about.agents", language, agent="plumber")
        assert "plumber" in said
        assert "- vault: Keeps secrets." in said

    def test_who_has_a_tool(self, language: str) -> None:
        said = ask("about.owner", language, tool="crypto_hash")
        assert "crypto_hash" in said
        assert "vault" in said
        assert "operator" not in said

    def test_a_tool_nobody_has_and_a_tool_nobody_knows(self, language: str) -> None:
        nobody_has, unknown = (
            ask("about.owner", language, tool="payment_send"),
            ask("about.owner", language, tool="zork"),
        )
        assert "payment_send" in nobody_has
        assert "zork" in unknown
        assert "%lango tools" in nobody_has
        assert "%lango tools" in unknown
        assert nobody_has != unknown.replace("zork", "payment_send")

    def test_who_would_get_a_request_and_why(self, language: str) -> None:
        said = ask("about.owner", language, text="encrypt my letter with a secret")
        assert "encrypt my letter" in said
        assert "vault" in said
        assert "'encrypt'" in said

    def test_why_the_last_request_went_where_it_did(self, language: str) -> None:
        before = [Exchange("encrypt the word hello", "…"), Exchange("delete the file old.txt", "…")]
        said = reply(Step("about.why", {}), language, TABLE, before=before)
        assert "delete the file old.txt" in said
        assert "operator" in said
        assert "'delete'" in said
        assert "%lango why" in said

    def test_without_a_request_before_there_is_nothing_to_explain(self, language: str) -> None:
        assert ask("about.why", language) == say("about.why_none", language)

    def test_the_commands_it_names_exist(self, language: str) -> None:
        named = {name for key in sentences() for name in re.findall(r"%lango (\w+)", sentences()[key][language])}
        assert named == {"use", "model", "config", "why", "tools", "agents"}
        assert named <= set(MAGICS)
        assert set(re.findall(r"%lango (\w+)", ask("about.switch", language))) == {"use", "model", "config"}


def test_the_topology_it_names_exists() -> None:
    (name,) = set(re.findall(r"%lango use (\w+)", ask("about.switch")))
    assert (files("lango_nb.topologies") / name).is_dir()


def test_an_agent_is_found_by_what_a_person_calls_it() -> None:
    for word in ("the vault", "Vault", "vaut"):
        assert ask("about.agents", agent=word).startswith("vault: Keeps secrets.")


def test_the_router_of_the_conversation_is_asked() -> None:
    step = Step("about.owner", {"text": ("encrypt my letter",)})
    assert reply(step, "en", TABLE).startswith("vault would get")
    assert reply(step, "en", TABLE, Router(TABLE, threshold=1.0)).startswith("I am not sure who would get")


def test_where_nobody_clearly_gets_it_the_nearest_are_named() -> None:
    table = RoutingTable(
        (RoutingRow("florist", "Sells roses.", ("rose",)), RoutingRow("clock", "Wakes people.", ("wake",)))
    )
    said = reply(Step("about.owner", {"text": ("wake the rose",)}), "en", table, Router(table, threshold=1.0))
    assert said.startswith("I am not sure who would get “wake the rose”; nearest: ")
    assert "florist" in said
    assert "clock" in said


def test_a_tool_is_understood_in_words() -> None:
    assert "belong to librarian" in ask("about.owner", tool="Web Search")


# -- small talk --------------------------------------------------------------------------------------------------------

GREETINGS = (
    "good evening",
    "guten Abend",
    "bonjour",
    "buenos días",
    "bom dia",
    "buongiorno",
    "goedemorgen",
    "dzień dobry",
    "こんにちは",
    "早上好",
)
THANKS = (
    "thank you",
    "vielen Dank",
    "merci beaucoup",
    "muchas gracias",
    "muito obrigada",
    "grazie mille",
    "dank je wel",
    "dziękuję",
    "ありがとう",
    "谢谢",
)
FAREWELLS = (
    "goodbye",
    "auf Wiedersehen",
    "au revoir",
    "hasta luego",
    "até logo",
    "arrivederci",
    "tot ziens",
    "do widzenia",
    "さようなら",
    "再见",
)
JOKES = (
    "tell me a joke", "erzähl mir einen Witz", "raconte-moi une blague", "cuéntame un chiste", "conta uma piada",
    "raccontami una barzelletta", "vertel een mop", "opowiedz dowcip", "冗談を言って", "讲个笑话",
)  # fmt: skip
WORLD = (
    "who wrote Hamlet?", "Wer hat Hamlet geschrieben?", "qui a écrit Hamlet ?", "¿quién escribió Hamlet?",
    "quem escreveu Hamlet?", "chi ha scritto Amleto?", "wie heeft Hamlet geschreven?", "kto napisał Hamleta?",
    "ハムレットを書いたのは誰\uff1f", "谁写了哈姆雷特\uff1f",
)  # fmt: skip
CASES = [
    (key, text, language)
    for key, texts in (
        ("talk.hello", GREETINGS), ("talk.thanks", THANKS), ("talk.goodbye", FAREWELLS), ("talk.world", WORLD),
    )
    for text, language in zip(texts, LANGUAGES, strict=True)
]  # fmt: skip


@pytest.mark.parametrize(("key", "text", "language"), CASES)
def test_small_talk_is_answered_in_kind(key: str, text: str, language: str) -> None:
    assert talk(text, language) == say(key, language)


@pytest.mark.parametrize(("text", "language"), [*zip(JOKES, LANGUAGES, strict=True)])
def test_a_joke_is_the_same_for_the_same_words(text: str, language: str) -> None:
    jokes = {say(f"talk.joke.{number}", language) for number in range(1, 5)}
    assert talk(text, language) in jokes
    assert len({talk(text, language) for _ in range(3)}) == 1


def test_other_words_get_other_jokes() -> None:
    assert len({talk(f"tell me a joke about {thing}") for thing in ("bees", "cats", "DNS", "tea", "rain", "mud")}) > 1


@pytest.mark.parametrize(
    "text", ["how are you?", "what do you think of Python", "do you like tea?", "why are you so slow?"]
)
def test_feelings_and_opinions_it_has_none(text: str) -> None:
    assert talk(text) == say("talk.feelings", "en")


@pytest.mark.parametrize("text", ["my back is not what it was", "4-1 away!!! GET INNNN", "🙂", "", "lol"])
def test_what_is_just_said_is_heard(text: str) -> None:
    assert talk(text) == say("talk.chat", "en")


def test_a_question_after_a_greeting_is_answered_as_a_question() -> None:
    assert talk("hello, who invented the Bayer filter?") == say("talk.world", "en")


def test_thanks_and_a_farewell_are_both_answered() -> None:
    assert talk("Grazie mille, a domani!", "it") == "Prego. Arrivederci, alla prossima."


def test_a_word_for_both_opens_a_conversation_and_ends_it() -> None:
    assert talk("ciao", "it") == say("talk.hello", "it")
    for text, language in (("ciao, tutto bene?", "it"), ("salut, ça va ?", "fr"), ("cześć, co słychać?", "pl")):
        assert talk(text, language) == say("talk.hello", language)
    assert talk("ciao", "it", begun=True) == say("talk.goodbye", "it")


@pytest.mark.parametrize(
    ("text", "language"), [("Danke!", "de"), ("merci beaucoup", "fr"), ("Hello!", "en"), ("obrigada", "pt")]
)
@pytest.mark.parametrize("taken", ["en", "de", "it", "ja"])
def test_a_short_text_is_answered_in_its_own_language_whatever_it_was_taken_for(
    text: str, language: str, taken: str
) -> None:
    key = "talk.hello" if language == "en" else "talk.thanks"
    assert talk(text, taken) == say(key, language)


def test_who_are_you_is_answered_even_as_small_talk() -> None:
    assert talk("who are you?") == ask("about.you")


# -- hostile input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("act", ["about.you", "about.agents", "about.owner", "about.why"])
def test_nothing_of_a_table_is_shown_unescaped(act: str) -> None:
    row = RoutingRow(HOSTILE, HOSTILE, (HOSTILE,), ("cryptography", HOSTILE), cannot=(HOSTILE,), examples=(HOSTILE,))
    table = RoutingTable((row, *TABLE.rows))
    for role in ("agent", "tool", "text"):
        for word in (HOSTILE, "crypto_hash", "evil"):
            step = Step(act, {role: (word,)}, text=word)
            said = reply(step, "en", table, before=[Exchange(word, HOSTILE)])
            assert "\x1b" not in said
            assert "\n###" not in said
            assert "\n- **" not in said


def test_names_of_agents_that_declined_are_escaped_and_cut() -> None:
    route = Route("", HOSTILE, "", (Candidate(HOSTILE, 2.0),))
    unsure = Route("", None, "not sure", (Candidate(HOSTILE, 2.0), Candidate("x" * 999, 1.0)))
    for told in (out_of_reach(route), ask_back(unsure), nobody([HOSTILE, "b"], {"b": HOSTILE * 99})):
        assert "\x1b" not in told
        assert "\n" not in told
        assert len(told) < 600


@pytest.mark.parametrize("text", ["{n}", "\ud83d", "a" * 100_000, "\x00", "?" * 500, "%s"])
def test_any_text_is_answered(text: str) -> None:
    for act in _BESIDES:
        said = reply(Step(act, {"text": (text,)}, text=text), "en", TABLE, before=[Exchange(text, text)])
        assert said
        said.encode()
        assert len(said) < 2000


# -- questions ---------------------------------------------------------------------------------------------------------


def test_every_question_of_the_table_is_among_the_questions() -> None:
    asking = {key for key, said in sentences().items() if key.startswith("ask.") or said["en"].endswith("?")}
    assert asking | {"json_append"} == QUESTIONS
    assert set(sentences()) >= UNDONE
    assert not UNDONE & QUESTIONS
    assert {*ASKED, *NOT_UNDERSTOOD} <= QUESTIONS


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_told_from_other_answers(language: str) -> None:
    wrong = [key for key in sentences() if is_question(filled(key, language), language) is not (key in QUESTIONS)]
    wrong += [key for key in QUESTIONS if not is_question(f"notes.md has 3 lines.\n{filled(key, language)}")]
    assert not wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_says_why_the_model_stopped(language: str) -> None:
    for key in sentences():
        wanted = "not_understood" if key in NOT_UNDERSTOOD else "asked_back" if key in QUESTIONS else "stop"
        assert finish_reason_of(filled(key, language), language) == wanted, key
        if key in QUESTIONS | UNDONE:
            assert is_no_result(filled(key, language)), key
    assert not is_no_result(filled("count.lines", language))


@pytest.mark.parametrize("language", LANGUAGES)
class TestWhatTheRootSays:
    def test_the_two_nearest_are_named(self, language: str) -> None:
        scored = (("vault", 3.0), ("operator", 2.0), ("librarian", 1.0))
        near = tuple(Candidate(name, score, (Signal("family", "hash", score),)) for name, score in scored)
        said = ask_back(Route("x", None, "not sure", near), language)
        assert f"vault {say('or', language)} operator" in said
        assert "librarian" not in said
        assert finish_reason_of(said, language) == "not_understood"

    def test_who_is_out_is_not_named(self, language: str) -> None:
        out = (Candidate("vault", 3.0, vetoes=("open",)), Candidate("operator", -1.0))
        assert ask_back(Route("x", None, "not sure", out), language) == say("talk.ask_about", language)

    def test_what_nobody_owns_is_said(self, language: str) -> None:
        said = ask_back(Route("x", None, "it is about web, and no agent owns tools of that family"), language)
        assert said == say("talk.unowned", language, name="web")
        assert is_no_result(said, language)
        assert not is_question(said, language)

    def test_whoever_declined_or_failed_is_named(self, language: str) -> None:
        said = nobody(["operator", "vault"], {"vault": "no key"}, language)
        assert all(word in said for word in ("operator", "vault", "no key"))
        assert is_no_result(said, language)
        assert is_no_result(out_of_reach(Route("", "vault", ""), language))


def test_a_declining_is_read_back() -> None:
    assert is_out_of_scope(out_of_scope("crypto", "files"))
    assert is_no_result(out_of_scope("crypto", "files"))
    assert not is_out_of_scope("notes.md: This is about crypto, which is not mine.")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hi there, how are you?", "en"),
        ("Hallo, wie geht's?", "de"),
        ("ciao, come stai?", "it"),
        ("cześć, jak się masz?", "pl"),
        ("hoi, hoe gaat het?", "nl"),
        ("hola, ¿qué tal?", "es"),
        ("こんにちは、元気？", "ja"),  # noqa: RUF001 - signs that people type
        ("你好，你好吗？", "zh"),  # noqa: RUF001 - the same
    ],
)
def test_who_greets_and_asks_how_it_goes_is_greeted(text: str, language: str) -> None:
    assert talk(text, language) == say("talk.hello", language)


def test_a_count_that_is_read_back_is_a_number() -> None:
    told = say("refused", "fr", what="delete a.txt")
    assert said("refused", "fr", told) == {"what": "delete a.txt"}
    assert said("size", "fr", told) is None  # "… fait …" says what a file weighs, too
    assert said("size", "fr", say("size", "fr", file="a.txt", n=3)) == {"file": "a.txt", "n": "3 octets"}
