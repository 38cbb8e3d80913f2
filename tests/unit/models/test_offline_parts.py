"""A request is split with care, and what stands in quotes is never read as a wish."""

from __future__ import annotations

from functools import lru_cache

import pytest

from lango_nb.models.offline.arguments import fill
from lango_nb.models.offline.intents import understand
from lango_nb.models.offline.parts import MOST_PARTS, WorkOrder, parts_of, stand_alone, take_allowed
from lango_nb.routing.build import build_agent_tree
from lango_nb.specs.topologies import load_topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families


@lru_cache
def prompt() -> str:
    tools = {tool.name: tool for tool in (*spec_families(), *builtin_tools())}
    return build_agent_tree(tuple(tools.values()), load_topology("octet")).root.prompt


def split(text: str) -> list[tuple[str | None, str]]:
    return [(part.route.chosen, part.text) for part in parts_of(prompt(), text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "count the lines of notes.md and encrypt the word hello",
            [("operator", "count the lines of notes.md"), ("vault", "encrypt the word hello")],
        ),
        (
            "Count the lines of notes.md, encrypt the word hello and open https://example.org",
            [
                ("operator", "Count the lines of notes.md"),
                ("vault", "encrypt the word hello"),
                ("navigator", "open https://example.org"),
            ],
        ),
        (
            "list the files. Then please search the web for the latest python version",
            [("operator", "list the files"), ("librarian", "search the web for the latest python version")],
        ),
        (
            "run `echo a && echo b; ls` and sign the message 'bye, and read notes.md'",
            [("operator", "run `echo a && echo b; ls`"), ("vault", "sign the message 'bye, and read notes.md'")],
        ),
        (
            "read notes.md; hash the word abc; remember that I like tea",
            [("operator", "read notes.md"), ("vault", "hash the word abc"), ("chronicler", "remember that I like tea")],
        ),
        (
            "count the lines of a.md and b.csv and encrypt the word hello",
            [("operator", "count the lines of a.md and b.csv"), ("vault", "encrypt the word hello")],
        ),
    ],
)
def test_clearly_different_domains_are_split(text: str, parts: list[tuple[str, str]]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "read notes.md and tell me its first heading",
        "count the lines of notes.md and encrypt it",
        "read notes.md and encrypt the first line",
        "encrypt the word hello and decrypt the word bye",
        "schedule a job every day to read notes.md and encrypt the word hello",
        "read notes.md tomorrow and encrypt the word hello",
        "count the lines of notes.md and, if there are three, encrypt the word hello",
        "don't delete notes.md and encrypt the word hello",
        "remember that I like tea and run marathons",
        "write hello and encrypt the word x to a.txt",
        "write 'count the lines of b.txt and encrypt the word x' to a.txt",
        "remember to count the lines of notes.md and encrypt the word hello",
        "hello and goodbye",
        "",
        " and ",
        ", ".join(["read a.txt", "hash the word a", "open https://example.org", "remember that x"] * (MOST_PARTS // 3)),
        "count the lines of notes.md and encrypt the word hello " + "very " * 200,
    ],
)
def test_everything_else_is_one_request(text: str) -> None:
    (part,) = parts_of(prompt(), text)
    assert part.text == text


def test_narrowed_tools_go_to_the_part_whose_agent_has_them() -> None:
    parts = parts_of(prompt(), "using only fs_read, crypto_encrypt: count the lines of a.md and encrypt the word hello")
    assert [(part.route.chosen, part.allowed) for part in parts] == [
        ("operator", ("fs_read",)),
        ("vault", ("crypto_encrypt",)),
    ]


@pytest.mark.parametrize("tools", ["fs_read", "fs_read, web_search", "fs_read, crypto_encrypt, web_search"])
def test_a_part_is_never_left_without_the_limit_that_was_set(tools: str) -> None:
    text = f"count the lines of notes.md and encrypt the word hello using only {tools}"
    (part,) = parts_of(prompt(), text)
    assert part == WorkOrder(
        "count the lines of notes.md and encrypt the word hello", part.route, tuple(tools.split(", "))
    )


@pytest.mark.parametrize(
    ("text", "rest", "names"),
    [
        ("read notes.md using only fs_read", "read notes.md", ("fs_read",)),
        ("read notes.md, using only the tools fs_read and fs_list.", "read notes.md.", ("fs_read", "fs_list")),
        ("with only `fs_read` read notes.md", "read notes.md", ("fs_read",)),
        ("only use fs_list, exec and fs_read: list the files", "list the files", ("fs_list", "exec", "fs_read")),
        ("read a.md using nothing but fs_read and count it", "read a.md and count it", ("fs_read",)),
        ("list the files (using only fs_list)", "list the files", ("fs_list",)),
        ("make a page with only one column", "make a page with only one column", ()),
        ("write 'using only fs_read' to a.txt", "write 'using only fs_read' to a.txt", ()),
        ("read notes.md using fs_read", "read notes.md using fs_read", ()),
    ],
)
def test_using_only(text: str, rest: str, names: tuple[str, ...]) -> None:
    assert take_allowed(text) == (rest, names)


@pytest.mark.parametrize(
    ("text", "earlier", "whole"),
    [
        ("how many lines are in it?", "read notes.md", "how many lines are in notes.md?"),
        ("append 'x' to that file and open it", "read notes.md", "append 'x' to notes.md and open notes.md"),
        ("open it", "hello", "open it"),
        ("open it", "replace a.txt by b.txt", "open it"),
        ("open it and c.txt", "read notes.md", "open it and c.txt"),
        ("delete it", "read notes.md", "delete it"),
    ],
)
def test_it_is_one_file_or_stays_it(text: str, earlier: str, whole: str) -> None:
    assert stand_alone(text, earlier) == whole


@pytest.mark.parametrize(
    ("text", "verb", "path"),
    [
        ("make a folder called old and list the files", "unsure", ""),
        ("create the folder a then delete notes.md", "unsure", ""),
        ("make a folder called 'rock and list'", "mkdir", "rock and list"),
        ("create a folder named salt and pepper", "mkdir", "salt and pepper"),
    ],
)
def test_a_second_wish_does_not_become_a_part_of_a_folders_name(text: str, verb: str, path: str) -> None:
    found = understand(text)
    assert found is not None
    assert (found.verb, found.path) == (verb, path)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("encrypt the word hello", "hello"),
        ("please hash the text to be or not to be.", "to be or not to be"),
        ("encrypt 'hi'", "hi"),
    ],
)
def test_data_is_what_the_request_names_as_such(text: str, data: str) -> None:
    tool = next(tool for tool in spec_families() if tool.name == "crypto_encrypt")
    assert fill(tool.schema, text)[0]["data"] == data


def test_data_that_the_request_does_not_hold_is_missing() -> None:
    tool = next(tool for tool in spec_families() if tool.name == "crypto_encrypt")
    assert fill(tool.schema, "sign this") == ({}, ["data"])
