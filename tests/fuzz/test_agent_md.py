"""AGENT.md under odd input: what was written is read back, and what cannot be read is one clear line."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import example, given
from hypothesis import strategies as st

from lango_nb.core.errors import DefinitionError
from lango_nb.specs.agent import NAME_PATTERN, AgentSpec, Constraints, Source
from lango_nb.specs.agent_md import KEYS, LIMITS, findings, parse_agent_md, render_agent_md

ODD = st.sampled_from(
    [
        "---",
        "--- ",
        "a --- b",
        "\n---\n",
        "...",
        "on",
        "null",
        "~",
        "1e5",
        "0o17",
        "2026-01-01",
        "12:30",
        "<<",
        "=",
        ".inf",
        "-.INF",
        "+.5",
        "1_000",
        "key: value",
        "# no comment",
        "'",
        '"',
        "\\n",
        "&a",
        "*a",
        "!tag",
        "%YAML",
        "@",
        "`",
        "|",
        ">",
        "- x",
        "? x",
        "{}",
        "[",
        "\ttab",
        "tab\t",
        " lead",
        "trail ",
        "two\n lines\n\n  more\n",
        "\n",
        "\r\n",
        "a\rb",
        "\x85\u2028\u2029",
        "\ufeff",
        "\x00\x07\x7f",
        "日本語 🙂",
        "e\u0301",
        "x" * 200,
        "many words " * 30,
    ]
)
PIECES = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30)
TEXTS = ODD | PIECES | st.builds("".join, st.lists(ODD | PIECES, max_size=4))
WORDS = st.lists(TEXTS, max_size=4).map(tuple)
COUNTS = st.integers(0, 10**12)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
UNKNOWN = st.dictionaries(TEXTS.filter(lambda key: key not in {*KEYS, "instruction"}), JSON_VALUES, max_size=3)
SPECS = st.builds(
    AgentSpec,
    name=st.from_regex(NAME_PATTERN, fullmatch=True),
    description=TEXTS,
    instruction=TEXTS.filter(lambda text: "\0" not in text).map(str.strip),
    status=st.sampled_from(["active", "disabled", "draft"]) | TEXTS,
    prefixes=WORDS,
    keywords=WORDS,
    capabilities=WORDS,
    accepts=TEXTS,
    returns=TEXTS,
    cannot_do=WORDS,
    example_requests=WORDS,
    disambiguation=TEXTS,
    always_include=st.booleans(),
    session_isolation=st.booleans(),
    constraints=st.builds(
        Constraints,
        can_spawn=st.booleans(),
        max_depth=COUNTS,
        max_turns=COUNTS,
        timeout_s=st.floats(0, allow_infinity=False, allow_nan=False),
        can_learn=st.booleans(),
    ),
    delegates=WORDS,
    model=TEXTS,
    source=st.sampled_from(Source),
    path=st.sampled_from(["", "AGENT.md", "a folder/x/AGENT.md"]),
    extra=UNKNOWN,
)


def test_the_strategy_makes_every_field() -> None:
    given_fields = {one.name for one in fields(AgentSpec)}
    assert given_fields == {*KEYS, "instruction", "source", "path", "extra"}
    assert {one.name for one in fields(Constraints)} == set(LIMITS)


@given(SPECS)
@example(AgentSpec(name="a", description="---", accepts="x\n---\ny", instruction="above\n---\n--- \nbelow"))
@example(AgentSpec(name="a", model="a block\n at the end\n\n  of the front matter\n"))
@example(AgentSpec(name="a", keywords=("a: b", "it's", 'say "x"', "#", "- ")))
@example(AgentSpec(name="a", extra={"constraints": {"max_cost_usd": 1.5}}, constraints=Constraints(max_depth=2)))
def test_what_is_rendered_is_read_back_in_every_field(spec: AgentSpec) -> None:
    again = parse_agent_md(render_agent_md(spec), spec.path, spec.source)
    assert again == spec
    assert repr(again) == repr(spec)  # 1, 1.0 and True are equal but not the same
    assert all(len(line.splitlines()) == 1 for line in findings(spec))


@given(SPECS.filter(lambda spec: "\r" not in spec.instruction))
def test_windows_line_ends_and_a_byte_order_mark_change_nothing(spec: AgentSpec) -> None:
    text = render_agent_md(spec)
    assert parse_agent_md("\ufeff" + text.replace("\n", "\r\n"), spec.path, spec.source) == spec


LINES = st.sampled_from(
    [
        "name: a",
        "name:",
        "description: b",
        "description: [1",
        "description: 'open",
        "keywords: x",
        "keywords:",
        "- one",
        "  - two",
        "\t- three",
        "prefixes: [a, 1]",
        "prefixes: &p [a]",
        "cannot_do: *p",
        "constraints:",
        "  max_depth: -1",
        "  timeout_s: .nan",
        "  max_turns: '3'",
        "always_include: yes",
        "extra: {a: b}",
        "x: !!python/object:os.system {}",
        "? [a]",
        "1: 2",
        "%YAML 1.1",
        "---",
        "--- ",
        "...",
        "",
        "#",
        "{",
        "\x07",
    ]
)


@given(st.lists(LINES | PIECES, max_size=8).map("\n".join), st.booleans())
def test_any_text_is_read_or_refused_in_one_line(text: str, framed: bool) -> None:
    try:
        spec = parse_agent_md(f"---\n{text}\n---\nbody" if framed else text, "odd/AGENT.md")
    except DefinitionError as error:
        message = str(error)
        assert message.startswith("odd/AGENT.md:"), message
        assert len(message.splitlines()) == 1, message
        assert len(message) < 600, message
    else:
        assert NAME_PATTERN.fullmatch(spec.name)
        assert parse_agent_md(render_agent_md(spec), spec.path) == spec
        assert all(len(line.splitlines()) == 1 for line in findings(spec))
