from __future__ import annotations

import threading
from typing import Any

import pytest

from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.catalog import ToolCatalog
from lango_nb.tools.tool import Tool


def names(tools: tuple[Tool, ...]) -> list[str]:
    return [tool.name for tool in tools]


def test_tools_are_kept_in_the_order_of_registration() -> None:
    catalog = ToolCatalog([Tool("b"), Tool("a")])
    catalog.register(Tool("c"), Tool("0"))
    assert catalog.names == ("b", "a", "c", "0")
    assert [tool.name for tool in catalog] == ["b", "a", "c", "0"]
    assert len(catalog) == 4
    assert "a" in catalog
    assert "z" not in catalog


def test_get_finds_by_name_and_offers_the_nearest() -> None:
    catalog = ToolCatalog([Tool("fs_read"), Tool("fs_write")])
    assert catalog.get("fs_read").name == "fs_read"
    with pytest.raises(UnknownNameError, match="tool 'fs_raed' not found; did you mean 'fs_read'"):
        catalog.get("fs_raed")


def test_two_tools_of_one_name_are_refused_with_both_sources_and_nothing_changes() -> None:
    catalog = ToolCatalog([Tool("fs_read", source="builtin")])
    with pytest.raises(DefinitionError) as refused:
        catalog.register(Tool("new"), Tool("fs_read", source="mine.csv"))
    assert str(refused.value) == (
        "two tools are called 'fs_read' (from 'builtin' and 'mine.csv'); rename or leave out one"
    )
    assert catalog.names == ("fs_read",)
    tool = Tool("twice")
    with pytest.raises(DefinitionError, match="two tools are called 'twice'"):
        catalog.register(tool, tool)
    with pytest.raises(DefinitionError, match="two tools are called 'fs_read'"):
        catalog.register(catalog.get("fs_read"))


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        (Tool("", source="mine.csv"), "mine.csv: the tool has no name; give it one"),
        (Tool(""), "tool 1 of 1: the tool has no name; give it one"),
        (Tool("a b"), "tool 1 of 1: 'a b' is not a tool name"),
        (Tool("x", schema_source=list), "tool 'x': the schema is []"),  # type: ignore[arg-type]
        (Tool("x", schema_source=lambda: {"type": "array"}), "tool 'x': the schema is of type 'array'"),
        (Tool("x", schema_source=lambda: {"type": "object", "x": object()}), "tool 'x': its schema is not JSON"),  # type: ignore[dict-item]
    ],
)
def test_a_tool_without_name_or_with_a_schema_that_is_none_is_refused(tool: Tool, message: str) -> None:
    catalog = ToolCatalog([Tool("first")])
    with pytest.raises(DefinitionError) as refused:
        catalog.register(tool)
    assert str(refused.value).startswith(message)
    assert catalog.names == ("first",)


def test_unregister_takes_a_tool_out_and_its_name_is_free_again() -> None:
    catalog = ToolCatalog([Tool("a"), Tool("b")])
    assert catalog.unregister("a").name == "a"
    assert list(catalog.names) == ["b"]
    catalog.register(Tool("a"))
    assert list(catalog.names) == ["b", "a"]
    with pytest.raises(UnknownNameError):
        catalog.unregister("zebra")


def test_iterating_is_not_disturbed_by_changes() -> None:
    catalog = ToolCatalog([Tool("a"), Tool("b")])
    seen = []
    for tool in catalog:
        seen.append(tool.name)
        catalog.unregister(tool.name)
        catalog.register(Tool(f"{tool.name}2"))
    assert seen == ["a", "b"]
    assert catalog.names == ("a2", "b2")


def test_categories_group_by_family() -> None:
    catalog = ToolCatalog([Tool("fs_a", family="fs"), Tool("x"), Tool("fs_b", family="fs")])
    assert {family: names(tools) for family, tools in catalog.categories().items()} == {
        "fs": ["fs_a", "fs_b"],
        "": ["x"],
    }


def test_search_ranks_names_before_families_before_descriptions() -> None:
    catalog = ToolCatalog(
        [
            Tool("note_add", "Write into the cron table.", family="note"),
            Tool("job_add", family="cron"),
            Tool("cron_add", family="cron"),
            Tool("cron", family="cron"),
            Tool("zebra"),
        ]
    )
    assert names(catalog.search("cron")) == ["cron", "cron_add", "job_add", "note_add"]
    assert names(catalog.search("ADD cron")) == ["cron_add", "job_add", "note_add", "cron"]
    assert names(catalog.search("crons")) == ["cron_add", "cron", "job_add", "note_add"]
    assert names(catalog.search("", category="cron")) == ["job_add", "cron_add", "cron"]
    assert names(catalog.search("add", category="cron")) == ["job_add", "cron_add"]
    assert len(catalog.search()) == 5
    assert catalog.search("nothing like it") == ()
    assert catalog.search("?!") == ()
    with pytest.raises(UnknownNameError, match="category 'crom' not found; did you mean 'cron'"):
        catalog.search("add", category="crom")


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("take a screenshot", "browser_screenshot"),
        ("schedule job", "cron_add"),
        ("search the web", "web_search"),
        ("merge entities", "ontology_merge_entities"),
        ("cancel background task", "bg_cancel"),
    ],
)
def test_search_finds_what_a_person_would_expect(query: str, best: str) -> None:
    assert ToolCatalog(spec_families()).search(query)[0].name == best


def test_checking_puts_off_schemas_that_are_known_to_be_good() -> None:
    made: list[str] = []
    from lango_nb.tools.definitions import CheckedSchema

    def make() -> dict[str, Any]:
        made.append("made")
        return {"type": "object", "properties": {}}

    catalog = ToolCatalog([Tool("lazy", schema_source=CheckedSchema(make))])
    assert made == []
    assert catalog.get("lazy").parameters == {"type": "object", "properties": {}}
    assert made == ["made"]


def test_threads_lose_nothing() -> None:
    catalog = ToolCatalog()
    refused: list[str] = []

    def work(number: int) -> None:
        for turn in range(50):
            catalog.register(Tool(f"own_{number}_{turn}"))
            try:
                catalog.register(Tool(f"shared_{turn}"))
            except DefinitionError as error:
                refused.append(str(error))
            len(catalog.search("own"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(catalog) == 8 * 50 + 50
    assert len(refused) == 7 * 50
