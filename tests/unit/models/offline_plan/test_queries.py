"""Questions about tables, read against the tables themselves."""

from __future__ import annotations

import pytest

from lango_nb.models.offline.keys_asked import leaf
from lango_nb.models.offline.looking import without_refusals
from lango_nb.models.offline.operations import Table, read_log, read_table, write_row
from lango_nb.models.offline.queries import query
from lango_nb.models.offline.table_query import Condition, Query, answer, parse

BILLS = read_table(
    "date,item,amount,paid by,settled\n"
    "2024-09-01,rent,1450.00,Maya,yes\n"
    "2024-09-14,electricity,91.75,Joost,no\n"
    "2024-10-01,rent,1450.00,Maya,yes\n"
    "2024-10-09,garden tools,64.30,Wen,no\n"
    "2024-10-21,electricity,86.40,Maya,no\n"
)
SPENT = read_table(
    "date,item,paid_by,amount\n2026-01-12,sheet music,Dirk Smit,84.50\n2026-02-02,coffee,Anneke de Wit,23.20\n"
    "2026-02-20,hall rent,Gerrit Bos,310.00\n2026-03-10,flowers,Carla Rossi,45.00\n2026-04-01,coffee,Dirk Smit,19.80\n"
)
MEMBERS = read_table(
    "name,voice,phone,joined,fee_paid\nAnneke de Wit,alto,0611,2019,yes\nBram Jansen,bass,0622,2021,no\n"
    "Piotr Nowak,bass,0655,2023,no\n"
)
ORDERS = read_table("order,customer,item,quantity,price\nK1,Lena,mug,6,18\nK2,Tom,bowl,2,32\nK3,Yuki,mug,4,18\n")
PARTS = read_table(
    "sku,part,stock,min_stock,price\nP-1,chain,12,5,14.95\nP-2,saddle,2,4,39.00\nP-3,brake cable,3,10,4.50\n"
)
LOG = read_log(
    "2024-04-06 10:12 INFO opened\n2024-04-10 13:20 ERROR alarm code rejected\n2024-04-13 15:02 WARN lamp flickers\n"
    "2024-05-14 16:31 ERROR reader offline\n"
)
COSTS = read_log(
    "2024-05-02 rent 850.00 workshop\n2024-05-03 parts 212.40 order 5512\n2024-06-03 rent 870.00 workshop\n"
)


@pytest.mark.parametrize(
    ("text", "language", "line"),
    [
        ("hoeveel hebben we aan koffie uitgegeven?", "nl", "sum amount where item is coffee"),
        ("ile kosztowały kwiaty?", "pl", "sum amount where item is flowers"),
        ("qui a payé la location de la salle ?", "fr", 'paid_by where item is "hall rent"'),
        ("咖啡一共花了多少钱", "zh", "sum amount where item is coffee"),
    ],
)
def test_values_of_a_table_are_told_by_what_they_mean_in_another_language(text: str, language: str, line: str) -> None:
    asked = query(text, SPENT, name="expenses.csv", language=language)
    assert (str(asked), asked.explained) == (line, 1.0)


@pytest.mark.parametrize(
    ("text", "language", "line"),
    [
        ("jaki jest telefon do Piotra?", "pl", "phone where name has piotr"),
        ("show me the unpaid members", "en", "rows where fee_paid is no"),
        ("zeig mir die unbezahlten Mitglieder", "de", "rows where fee_paid is no"),
        ("quels membres sont impayés", "fr", "rows where fee_paid is no"),
        ("show me the members who paid", "en", "rows where fee_paid is yes"),
        ("who hasnt paid yet, see members.csv", "en", "rows where fee_paid is no"),
        ("hoeveel leden zijn er voor 2020 bij gekomen?", "nl", "count where joined under 2020"),
        ("¿cuántos miembros entraron después de 2020?", "es", "count where joined over 2020"),
        ("wer ist seit 2021 dabei?", "de", "rows where joined over 2020"),
    ],
)
def test_columns_are_told_in_another_language_and_by_the_contrary(text: str, language: str, line: str) -> None:
    assert str(query(text, MEMBERS, name="members.csv", language=language)) == line


def test_who_paid_most_and_all_together_are_not_about_the_one_spoken_of_before() -> None:
    dirk = query("what did Dirk pay in total?", SPENT, name="expenses.csv")
    assert str(dirk) == "sum amount where paid_by has dirk"
    assert str(query("who paid the most?", SPENT, dirk, "expenses.csv")) == "most sum amount by paid_by"
    assert str(query("en alles samen?", SPENT, dirk, "expenses.csv", "nl")) == "sum amount"


SHOPS = read_table(
    "date,shop,item,amount,paid_by\n2025-03-01,Kaufmann,bread,4.20,Ana\n2025-03-04,Rossi,olives,5.50,Ana\n"
    "2025-03-09,Lumen,bulbs,21.00,Tom\n2025-03-12,Kaufmann,apples,6.00,Lea\n2025-03-12,Rossi,wine,18.00,Tom\n"
)
DAYS = read_table("day,visitors,takings\nMonday,31,210.50\nTuesday,44,190.00\nThursday,57,402.90\n")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("which shop got the most money from me?", "en"),
        ("en qué tienda gasté más?", "es"),
        ("em que loja gastei mais?", "pt"),
        ("quale negozio ha incassato di più?", "it"),
        ("welke winkel kreeg het meeste geld van mij?", "nl"),
        ("w którym sklepie wydałem najwięcej?", "pl"),
        ("どの店で一番お金を使った?", "ja"),
        ("我在哪家店花的钱最多?", "zh"),
        ("dans quel magasin ai-je dépensé le plus ?", "fr"),
        ("welches Geschäft hat am meisten Geld bekommen?", "de"),
    ],
)
def test_what_got_most_is_told_by_the_sums_of_groups(text: str, language: str) -> None:
    asked = query(text, SHOPS, name="expenses.csv", language=language)
    assert str(asked) == "most sum amount by shop"
    assert answer(asked, SHOPS).value == "Rossi: 23.5"


@pytest.mark.parametrize(
    ("text", "language", "line"),
    [
        ("average amount per shop", "en", "mean amount by shop"),
        ("how many rows for each shop?", "en", "count by shop"),
        ("which shop is there most often?", "en", "most count by shop"),
        ("which is the most expensive shop?", "en", "max amount, shop"),
        ("wieviel hat jeder bezahlt?", "de", "sum amount by paid_by"),
        ("combien ai-je dépensé par magasin ?", "fr", "sum amount by shop"),
        ("店ごとの合計を教えて", "ja", "sum amount by shop"),
        ("每家店一共花了多少?", "zh", "sum amount by shop"),
        ("was habe ich bei Rossi ausgegeben?", "de", "sum amount where shop is Rossi"),
    ],
)
def test_groups_are_measured_and_what_was_spent_is_added_up(text: str, language: str, line: str) -> None:
    assert str(query(text, SHOPS, name="expenses.csv", language=language)) == line
    assert parse(line) is not None
    assert str(parse(line)) == line


def test_all_together_is_of_the_rows_shown_and_of_all_behind_a_sum() -> None:
    shown = query("zeig die von Ana", SHOPS, name="expenses.csv", language="de")
    total = query("und insgesamt?", SHOPS, shown, "expenses.csv", "de")
    assert str(total) == "sum amount where paid_by is Ana"
    assert str(query("und insgesamt?", SHOPS, total, "expenses.csv", "de")) == "sum amount"


@pytest.mark.parametrize(
    ("text", "language"), [("which day was better?", "en"), ("welcher Tag war besser?", "de"), ("哪天更好?", "zh")]
)
def test_what_was_better_took_more_money(text: str, language: str) -> None:
    asked = query(text, DAYS, name="days.csv", language=language)
    assert answer(asked, DAYS).value.endswith("402.90")


def test_several_of_the_largest_are_written_and_read_back() -> None:
    asked = query("what are the two dearest orders?", ORDERS, name="orders.csv")
    assert str(asked).startswith("max price first 2")
    assert parse(str(asked)) == asked._replace(explained=1.0, is_titled=False)
    assert [row[0] for row in answer(asked, ORDERS).rows] == ["K2", "K1"]


def test_of_several_amounts_how_many_means_the_number_of_things_and_cost_the_money() -> None:
    assert (
        str(query("how many mugs were ordered in total?", ORDERS, name="orders.csv"))
        == "sum quantity where item has mug"
    )
    assert str(query("what do the mugs cost altogether?", ORDERS, name="orders.csv")).startswith("sum price")


@pytest.mark.parametrize(
    ("text", "line", "value"),
    [
        ("how much did we pay in October?", "sum amount where date month 10", "1600.7"),
        ("who paid for the garden tools?", '"paid by" where item is "garden tools"', "Wen"),
        ("how much did Maya pay altogether?", 'sum amount where "paid by" is Maya', "2986.4"),
        ("wie viel hat Maya im Oktober bezahlt?", 'sum amount where date month 10 and "paid by" is Maya', "1536.4"),
        ("which bills are not settled?", "rows where settled is no", ""),
        ("how many bills are not settled?", "count where settled is no", "3"),
        ("what was the largest amount?", "max amount", "1450.00"),
        (
            "what did electricity cost on 2024-10-21?",
            "amount where date is 2024-10-21 and item is electricity",
            "86.40",
        ),
        ("everything over 100", "rows where amount over 100", ""),
        ("五月一共多少钱", "", ""),
    ],
)
def test_a_question_is_read_against_its_table(text: str, line: str, value: str) -> None:
    asked = query(text, BILLS, name="bills.csv")
    if not line:
        assert not asked.where, "there is no May in the table"
        return
    assert str(asked) == line
    assert asked.is_grounded or asked.column
    assert answer(asked, BILLS).value == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("which parts have less stock than min_stock?", "part where stock under of min_stock"),
        ("jakich części mamy mniej niż min_stock?", "part where stock under of min_stock"),
        ("parts with more stock than min_stock", "part where stock over of min_stock"),
    ],
)
def test_a_column_is_the_limit_of_another(text: str, line: str) -> None:
    assert str(query(text, PARTS, name="parts.csv")) == line


def test_rows_are_compared_with_their_own_limit() -> None:
    low = query("which parts have less stock than min_stock?", PARTS, name="parts.csv")
    assert answer(low, PARTS).value == "saddle; brake cable"


@pytest.mark.parametrize(
    ("questions", "line"),
    [
        (
            ("how much did Maya pay in October?", "and in September?"),
            'sum amount where "paid by" is Maya and date month 9',
        ),
        (("how many bills are not settled?", "which ones?"), "rows where settled is no"),
        (("how much was the rent in September?", "and electricity?"), "item is electricity"),
    ],
)
def test_a_follow_up_keeps_what_it_does_not_say(questions: tuple[str, str], line: str) -> None:
    first, second = questions
    before = query(first, BILLS, name="bills.csv")
    found = str(query(second, BILLS, before, "bills.csv"))
    assert line in found
    assert set(found.split(" and ")) >= set(line.split(" and ")) or line in found


def test_a_question_about_something_else_is_not_explained() -> None:
    for text in ("who wrote Hamlet?", "what is the capital of France?", "tell me a joke"):
        asked = query(text, BILLS, name="bills.csv")
        assert not asked.is_grounded or asked.explained < 0.5, text


def test_a_log_is_a_table_of_when_and_what() -> None:
    assert LOG.columns == ("date", "time", "kind", "text")
    assert COSTS.columns == ("date", "kind", "amount", "text")
    assert write_row(LOG, LOG.rows[1]) == "2024-04-10 13:20 ERROR alarm code rejected"
    assert read_log("# Notes\n2024-05-01 was a Wednesday\n").rows == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("how many errors and warnings are there?", "count where kind has error or warn"),
        ("how many errors were there in April?", "count where date month 4 and kind has error"),
    ],
)
def test_a_log_is_asked_like_a_table(text: str, line: str) -> None:
    assert str(query(text, LOG, name="station.log")) == line


@pytest.mark.parametrize(
    "text", ["hoeveel hebben we in juni uitgegeven?", "六月份一共花了多少钱?", "how much did we spend in June?"]
)
def test_what_was_spent_is_added_up(text: str) -> None:
    asked = query(text, COSTS, name="costs.log")
    assert str(asked) == "sum amount where date month 6"
    assert answer(asked, COSTS).value == "870.00"


@pytest.mark.parametrize(
    "asked",
    [
        Query((), ("paid by",), "", ""),
        Query((Condition("item", "is", ("garden tools", "rent")),), (), "sum", "amount"),
        Query((Condition("settled", "is", ("no",), is_not=True), Condition("date", "month", ("10",))), (), "count", ""),
        Query((Condition("stock", "under of", ("min_stock",)),), ("part", "where"), "", ""),
    ],
)
def test_a_query_is_read_back_from_its_line(asked: Query) -> None:
    read = parse(str(asked))
    assert read is not None
    assert (read.where, read.wanted, read.measure, read.column) == (
        asked.where,
        asked.wanted,
        asked.measure,
        asked.column,
    )
    assert str(read) == str(asked)


def test_no_line_of_text_is_a_query() -> None:
    assert parse("rows where it rains") is None


def test_a_value_of_json_is_found_by_its_keys() -> None:
    data = {"ticket": {"adult": 6, "child": 3}, "hours": {"monday": "closed"}}
    assert leaf("how much is a ticket for an adult?", data).values == (("ticket.adult", "6"),)  # type: ignore[union-attr]
    assert leaf("what is the weather?", data) is None


def test_who_has_not_paid_is_counted_and_not_added_up() -> None:
    choir = read_table("name,fee,paid\nAnna,30,yes\nBen,45,no\nCarla,45,no\n")
    assert str(query("how many of them have not paid?", choir, name="choir.csv")) == "count where paid is no"


def test_a_word_for_the_table_is_no_column_of_it() -> None:
    chores = read_table("week,chore,person\n41,bins,Maya\n42,kitchen,Wen\n")
    asked = query("show me the chores of week 42", chores, name="chores.csv")
    assert (str(asked), answer(asked, chores).rows) == ("rows where week is 42", (("42", "kitchen", "Wen"),))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("don't change anything, just show me the open ones", "just show me the open ones"),
        ("nichts ändern, zeig mir nur die offenen", "zeig mir nur die offenen"),
        ("the rows that are not done", "the rows that are not done"),
        ("don't delete it", "don't delete it"),
    ],
)
def test_what_is_not_to_be_done_is_left_out_of_a_question(text: str, left: str) -> None:
    assert without_refusals(text) == left


PUPILS = read_table(
    "name,class,birthday,photo\nAnna Berg,4a,2016-03-14,IMG_1.jpg\nCarla Diaz,4b,2015-11-30,IMG_2.jpg\n"
    "Eva Roth,4a,2016-05-25,IMG_3.jpg\n"
)


@pytest.mark.parametrize(
    ("text", "language", "line"),
    [
        ("who is in 4b?", "en", "rows where class is 4b"),
        ("combien d'élèves dans la 4a ?", "fr", "count where class is 4a"),
        ("when was Eva born?", "en", "birthday where name has eva"),
        ("whose photo is IMG_2?", "en", "rows where photo is IMG_2.jpg"),
    ],
)
def test_what_has_letters_and_figures_is_a_name_and_when_asks_for_the_date(text: str, language: str, line: str) -> None:
    assert str(query(text, PUPILS, None, "pupils.csv", language)) == line


def test_a_photo_is_no_number_that_is_added_up() -> None:
    assert query("how many photos of 4a?", PUPILS, None, "pupils.csv").measure == "count"


@pytest.mark.parametrize("text", ["who hasn't paid the fee?", "who didn't pay the fee?"])
def test_a_verb_denies_what_stands_behind_it(text: str) -> None:
    assert str(query(text, MEMBERS, None, "members.csv")).endswith("where fee_paid is no")


def test_the_largest_is_asked_of_another_column_in_turn() -> None:
    before = query("what is the largest stock?", PARTS)
    assert str(query("and price?", PARTS, before)) == "max price"


def test_a_value_is_told_by_a_word_of_it_in_another_language() -> None:
    found = query("quanto abbiamo speso per la sala?", SPENT, None, "spent.csv", "it")
    assert str(found) == "sum amount where item has hall"


def test_a_question_about_something_else_takes_nothing_from_the_one_before() -> None:
    before = query("what was spent on flowers?", SPENT)
    assert "flowers" not in str(query("how many ladders did Dirk Smit buy?", SPENT, before))


DUTCH = Table(
    ("naam", "telefoon", "huur", "betaald"),
    (("Bram", "0611", "84", "nee"), ("Fatma", "0612", "63", "nee"), ("Piet", "0613", "126", "ja")),
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("wie heeft er nog niet betaald?", "nl"),
        ("quem ainda não pagou?", "pt"),
        ("kto jeszcze nie zapłacił?", "pl"),
        ("还没交租金的有谁", "zh"),
        ("まだ払っていないのは誰？", "ja"),  # noqa: RUF001 - a sign that people type
        ("who still owes us?", "en"),
    ],
)
def test_who_has_not_paid_yet_is_the_column_of_yes_and_no_whatever_language_the_table_is_in(
    text: str, language: str
) -> None:
    rows = query(text, DUTCH, None, "leden.csv", language).rows(DUTCH)
    assert [name for name, *_ in rows] == ["Bram", "Fatma"]


@pytest.mark.parametrize(
    ("text", "language", "line"),
    [
        ("a kto płaci najwięcej?", "pl", "max huur"),
        ("谁的租金最高", "zh", "max huur"),
        ("qual é o telefone da Fatma?", "pt", "telefoon where naam is Fatma"),
    ],
)
def test_columns_are_known_by_what_they_mean(text: str, language: str, line: str) -> None:
    assert str(query(text, DUTCH, None, "leden.csv", language)) == line


def test_all_together_after_some_rows_is_about_these_rows() -> None:
    before = query("wie heeft er nog niet betaald?", DUTCH, None, "leden.csv", "nl")
    found = query("en hoeveel is dat bij elkaar", DUTCH, before, "leden.csv", "nl")
    assert str(found) == "sum huur where betaald is nee"


def test_what_is_least_is_not_guessed_from_one_of_several_amounts() -> None:
    table = Table(("tea", "price", "rating"), (("Assam", "5", "3"), ("Gyokuro", "31", "9")))
    assert not query("which tea has the least caffeine?", table, None, "teas.csv", "en").column
