"""OutputManager and its store: large results are cut, kept for a while, and read in parts."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock, SystemClock
from lango_nb.core.errors import ToolError
from lango_nb.hooks import outputs
from lango_nb.hooks.outputs import LINE, OutputManager, OutputStore, compress
from lango_nb.tools.builtin.tool_output import tool_output_get
from lango_nb.tools.context import ToolContext
from lango_nb.tools.services import OutputService
from lango_nb.tools.tool import Tool, ToolResult
from tests.unit.hooks.calls import a_call


class Clock(SteppedClock):
    """Stands still until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    def monotonic_s(self) -> float:
        return self.seconds


def lines(number: int) -> str:
    return "".join(f"line {n}\n" for n in range(1, number + 1))


def managed(
    content: str, store: OutputStore | None = None, tool: Tool | str = "exec", **options: Any
) -> ToolResult | None:
    said = asyncio.run(OutputManager(store, **options).after(a_call(tool), ToolResult(content, data={"n": 1})))
    assert said is None or isinstance(said, ToolResult)
    return said


def meta(result: ToolResult | None) -> dict[str, Any]:
    assert result is not None
    found: dict[str, Any] = json.loads(result.content.rsplit("\n", 1)[1])
    return dict(found["_meta"])


def fetched(store: OutputStore, ref: str, **options: Any) -> str:
    return asyncio.run(store.fetch(ref, **options)).content


@pytest.mark.parametrize("content", ["", "x", "x" * 8000, "ü" * 8000])
def test_a_result_within_the_budget_is_not_touched(content: str) -> None:
    assert managed(content, OutputStore(Clock())) is None


def test_a_large_result_keeps_beginning_and_end_and_says_where_the_rest_is() -> None:
    store = OutputStore(Clock())
    content = lines(5000)
    result = managed(content, store)
    assert result is not None
    assert len(result.content) < 8000
    head, left_out, tail = re.split(r"\n(\[… [\d,]+ characters left out …\])\n", result.content)
    assert content.startswith(head)
    assert re.fullmatch(r"line \d+", head.rsplit("\n", 1)[1])
    assert content[len(head)] == "\n"  # a whole line
    whole_tail = tail.rsplit("\n", 1)[0] + "\n"
    assert content.endswith(whole_tail.rstrip("\n") + "\n")
    told = int(re.sub(r"\D", "", left_out))
    assert len(head) + 1 + told + len(whole_tail.removesuffix("\n")) == len(content)
    ref = meta(result).pop("storedRef")
    assert meta(result) == {
        "originalTokens": -(-len(content) // 4),
        "tier": "large",
        "contentType": "text",
        "compressed": True,
        "storedRef": ref,
    }
    assert store.content(ref) == content
    assert (result.is_error, result.data) == (False, {"n": 1})


def test_tier_and_content_type_are_told() -> None:
    assert meta(managed("x" * 8001))["tier"] == "medium"
    assert meta(managed("x" * 24_000))["tier"] == "medium"
    assert meta(managed("x" * 24_001))["tier"] == "large"
    assert meta(managed(json.dumps({"a": "x" * 9000})))["contentType"] == "json"
    assert meta(managed("[" + "1," * 9000 + "1]\n"))["contentType"] == "json"
    assert meta(managed("{" + "x" * 9000))["contentType"] == "text"


def test_without_a_store_or_when_it_is_too_large_for_it_there_is_no_reference() -> None:
    assert meta(managed("x" * 9000))["storedRef"] is None
    assert meta(managed("x" * 9000, OutputStore(Clock(), most_characters=8999)))["storedRef"] is None
    assert meta(managed("x" * 9000, OutputStore(Clock(), most_characters=9000)))["storedRef"]


def test_what_was_fetched_is_not_stored_once_more() -> None:
    assert managed("x" * 9000, OutputStore(Clock()), tool_output_get) is None
    assert managed("x" * 9000, OutputStore(Clock()), "tool_output_get") is not None, "a tool of that name is another"


@pytest.mark.parametrize(("head", "tail"), [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (0.5, 0.2)])
@pytest.mark.parametrize("budget", [1, 10, 2000])
@pytest.mark.parametrize("content", ["x" * 9000, lines(2000), "\n" * 9000, "é\n" * 5000, "a" * 8500 + "\n"])
def test_no_ratio_and_no_text_makes_it_larger_than_it_was(head: float, tail: float, budget: int, content: str) -> None:
    result = managed(content, OutputStore(Clock()), token_budget=budget, head_ratio=head, tail_ratio=tail)
    assert result is not None
    body = result.content.rsplit("\n", 1)[0]
    assert len(body) <= budget * 4 + 40
    assert meta(result)["compressed"] is True


def test_cuts_fall_on_ends_of_lines_where_one_is_near() -> None:
    assert compress(lines(100), 100, 100).split("\n")[12] == "line 13"
    assert compress("x" * 500, 100, 50) == "x" * 100 + "\n[… 350 characters left out …]\n" + "x" * 50
    assert compress("short", 3, 3) == "short"


def test_fifty_megabytes_take_no_time() -> None:
    store = OutputStore(SystemClock())
    content = "0123456789" * 5_000_000
    result = managed(content, store)
    assert store.content(meta(result)["storedRef"]) is content


# the store


def test_a_reference_repeats_and_cannot_be_counted_up() -> None:
    one, other = OutputStore(Clock()), OutputStore(Clock())
    first = one.keep("call-1", "x" * 100)
    assert first == other.keep("call-1", "x" * 100)
    assert (
        len({first, one.keep("call-2", "x" * 100), one.keep("call-1", "y" * 100), one.keep("call-1", "x" * 101)}) == 4
    )
    assert re.fullmatch(r"out-[0-9a-f]{16}", first)


def test_results_are_forgotten_after_their_time() -> None:
    clock = Clock()
    store = OutputStore(clock)
    ref = store.keep("call-1", "text")
    clock.seconds = 599.9
    assert store.content(ref) == "text"
    clock.seconds = 600.0
    with pytest.raises(
        ToolError, match=r"no stored output 'out-.*'; outputs are kept for 10 minutes: call the tool again"
    ):
        store.content(ref)
    assert store.refs == ()


def test_keeping_the_same_again_begins_its_time_anew_and_counts_once() -> None:
    clock = Clock()
    store = OutputStore(clock, most_characters=250)
    ref = store.keep("call-1", "x" * 100)
    clock.seconds = 400.0
    store.keep("call-1", "x" * 100)
    store.keep("call-2", "x" * 100)
    clock.seconds = 700.0
    assert store.content(ref) == "x" * 100
    assert len(store.refs) == 2


def test_the_oldest_go_when_there_is_no_room() -> None:
    store = OutputStore(Clock(), most_characters=250)
    refs = [store.keep(f"call-{n}", "x" * 100) for n in range(4)]
    assert store.refs == tuple(refs[2:])
    assert store.keep("call-9", "x" * 251) == ""
    assert store.refs == tuple(refs[2:])


def test_a_clock_going_backwards_loses_nothing() -> None:
    clock = Clock()
    clock.seconds = 1000.0
    store = OutputStore(clock)
    ref = store.keep("call-1", "text")
    clock.seconds = 0.0
    assert store.content(ref) == "text"


# reading parts


@pytest.fixture
def store() -> OutputStore:
    return OutputStore(Clock(), answer_characters=400)


def test_full_gives_what_fits_and_says_how_much_does_not(store: OutputStore) -> None:
    assert fetched(store, store.keep("c", "short")) == "short"
    text = fetched(store, store.keep("c", "x" * 1000))
    assert text == "x" * 400 + "\n[600 of 1,000 characters left out; use mode range or grep]"


def test_range_gives_numbered_lines(store: OutputStore) -> None:
    ref = store.keep("c", lines(1000))
    assert fetched(store, ref, mode="range", start_line=3, end_line=4) == "lines 3-4 of 1,000:\n3: line 3\n4: line 4"
    assert fetched(store, ref, mode="range", start_line=999).endswith("999: line 999\n1000: line 1000")
    assert fetched(store, ref, mode="range", max_lines=1) == "lines 1-1 of 1,000:\n1: line 1"
    assert (
        fetched(store, ref, mode="range", start_line=1000, end_line=5000)
        == "lines 1,000-1,000 of 1,000:\n1000: line 1000"
    )
    page = fetched(store, ref, mode="range", start_line=1)
    last = int(page.split("-")[1].split(" ")[0])
    assert page.endswith(f"{last}: line {last}")
    assert len(page) < 450


@pytest.mark.parametrize("options", [{"start_line": 1001}, {"start_line": 5, "end_line": 4}])
def test_a_range_that_is_none_says_how_many_lines_there_are(store: OutputStore, options: dict[str, int]) -> None:
    with pytest.raises(ToolError, match=r"out of range: there are 1,000"):
        fetched(store, store.keep("c", lines(1000)), mode="range", **options)


def test_an_endless_line_counts_as_several(store: OutputStore) -> None:
    ref = store.keep("c", f"a\n{'x' * (LINE - 3)}needle{'y' * LINE}\nz")
    assert fetched(store, ref, mode="grep", pattern="needle").startswith("1 of 5 lines matches 'needle':\n2: xxx")
    assert fetched(store, ref, mode="grep", pattern="need+le").startswith("1 of 5 lines matches 'need+le':\n2: xxx")
    assert fetched(store, ref, mode="range", start_line=5) == "lines 5-5 of 5:\n5: z"
    assert fetched(store, ref, mode="grep", pattern="dl[e]y").startswith("1 of 5 lines matches 'dl[e]y':\n3: dley")
    assert fetched(store, ref, mode="grep", pattern="dley").startswith("1 of 5 lines matches 'dley':\n3: dley")


def test_grep_finds_plain_text_and_expressions(store: OutputStore) -> None:
    ref = store.keep("c", "alpha\nbeta (x)\nALPHA\na.b\naxb\nfoo(bar")
    for pattern, found in {
        "alpha": [1], "a.b": [4, 5], "(?i)^alpha$": [1, 3], "beta (x)": [2], "foo(bar": [6], "[": [], "zzz": [],
        "^$": [], "a|b": [1, 2, 4, 5, 6], "\\(": [2, 6], "é": [],
    }.items():  # fmt: skip
        text = fetched(store, ref, mode="grep", pattern=pattern)
        assert [int(line.split(":")[0]) for line in text.split("\n")[1:]] == found, pattern


def test_grep_says_how_many_match_when_not_all_are_shown(store: OutputStore) -> None:
    ref = store.keep("c", lines(1000))
    text = fetched(store, ref, mode="grep", pattern="line", max_lines=2)
    assert text == "1,000 of 1,000 lines match 'line', the first 2 of them:\n1: line 1\n2: line 2"
    assert len(fetched(store, ref, mode="grep", pattern="line")) < 500


def test_a_pattern_that_searches_for_ever_is_ended(store: OutputStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "SEARCH_S", 0.2)
    ref = store.keep("c", "a" * 60 + "!")
    with pytest.raises(ToolError, match=r"pattern '\(a\+\)\+\$' took longer than 0\.2 s; give a plain text") as raised:
        fetched(store, ref, mode="grep", pattern="(a+)+$")
    assert raised.value.code == "pattern_too_slow"


def test_others_go_on_while_a_pattern_searches(store: OutputStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "SEARCH_S", 0.2)
    ref = store.keep("c", "a" * 60 + "!")

    async def work() -> int:
        search = asyncio.ensure_future(store.fetch(ref, "grep", pattern="(a+)+$"))
        turns = 0
        while not search.done():
            await asyncio.sleep(0)
            turns += 1
        assert isinstance(search.exception(), ToolError)
        return turns

    assert asyncio.run(work()) > 5, "a search that blocked the loop would leave it a few turns"


def test_a_missing_interpreter_is_said_and_plain_text_still_works(
    store: OutputStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "nothing"))
    ref = store.keep("c", "alpha")
    assert fetched(store, ref, mode="grep", pattern="alpha").endswith("1: alpha")
    with pytest.raises(ToolError, match="regular expressions do not work here"):
        fetched(store, ref, mode="grep", pattern="al.ha")


# the tool


def get(store: OutputStore | None, **arguments: Any) -> ToolResult:
    services: dict[type, object] = {} if store is None else {OutputService: store}
    return asyncio.run(tool_output_get.call(arguments, ToolContext(Path.cwd(), services=services)))


def test_the_tool_reads_the_store(store: OutputStore) -> None:
    ref = store.keep("c", lines(100))
    assert get(store, ref=f" {ref} ", mode="range", offset=2, limit=1).content == "lines 2-2 of 100:\n2: line 2"
    assert get(store, ref=ref, mode="grep", pattern="99").content == "1 of 100 lines matches '99':\n99: line 99"
    assert get(store, ref=ref).content.startswith("line 1\nline 2")
    assert tool_output_get.required == ("ref",)
    assert tool_output_get.safety == "safe"
    assert set(tool_output_get.parameters["properties"]) == {"ref", "mode", "offset", "limit", "pattern"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"ref": "  "}, "missing_argument"),
        ({"ref": "out-0000000000000000"}, "output_not_found"),
        ({"ref": "x" * 100_000}, "output_not_found"),
        ({"ref": "R", "offset": -1}, "bad_argument"),
        ({"ref": "R", "limit": -1}, "bad_argument"),
        ({"ref": "R", "mode": "range", "offset": 1000}, "bad_argument"),
        ({"ref": "R", "mode": "grep"}, "missing_argument"),
        ({"ref": "R", "mode": "grep", "pattern": "x" * 501}, "bad_argument"),
    ],
)
def test_the_tool_answers_what_cannot_be_had(store: OutputStore, arguments: dict[str, Any], code: str) -> None:
    ref = store.keep("c", lines(10))
    result = get(store, **{name: ref if value == "R" else value for name, value in arguments.items()})
    assert (result.is_error, result.code) == (True, code)
    assert "\n" not in result.content
    assert len(result.content) < 200


def test_without_a_store_the_tool_says_so() -> None:
    assert "OutputService, which is not available here" in get(None, ref="out-1").content
