"""Reading and writing AGENT.md: every field there and back, and one clear line for everything that is wrong."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from lango_nb.core.errors import DefinitionError
from lango_nb.core.json_value import JsonValue
from lango_nb.specs import yaml_text
from lango_nb.specs.agent import AgentSpec, Constraints, Source
from lango_nb.specs.agent_md import KEYS, findings, parse_agent_md, read_agent_md, render_agent_md

DATA = Path(__file__).parents[2] / "data" / "agents"
GOOD = sorted(folder.name for folder in (DATA / "good").iterdir())
BAD = {
    "alias": "3: keywords: the anchor &words is not read here; write the value out",
    "always_include_yes": '3: always_include: has to be true or false, not "yes"',
    "at_sign": "4: keywords: bad YAML, found character that cannot start any token while scanning for the next token; "
    "put a value that begins with a sign in quotes",
    "bad_indent": "5: keywords: bad YAML, did not find expected key while parsing a block mapping; "
    "give the keys of a mapping and the items of a list the same indentation",
    "billion_laughs": "3: a: the anchor &a is not read here; write the value out",
    "closed_with_four_dashes": "1: front matter: is not closed; end it with a line that is exactly '---', "
    "line 3 is '----'",
    "colon_in_value": "3: description: bad YAML, mapping values are not allowed in this context; "
    "put a value that holds ': ' in quotes",
    "constraints_list": "3: constraints: has to be a mapping, not a list; write its keys indented, one per line",
    "description_list": "3: description: has to be text, not a list",
    "description_true": '3: description: has to be text, not true; put it in quotes: "true"',
    "empty": "1: front matter: is missing; begin the file with a line that is exactly '---'",
    "front_matter_empty": "2: name: is missing; add it",
    "front_matter_list": "2: front matter: has to be lines of 'key: value', not a list",
    "front_matter_text": "2: front matter: has to be lines of 'key: value', not \"bad\"",
    "instruction_as_key": "3: instruction: is the text after the front matter; move it there",
    "key_twice": "5: keywords: stands here and in line 3; keep one of them",
    "keywords_empty_item": "5: keywords, item 2: has to be text, not nothing",
    "keywords_mapping": "3: keywords: has to be a list, not a mapping",
    "keywords_number": '5: keywords, item 2: has to be text, not 404; put it in quotes: "404"',
    "keywords_text": '3: keywords: has to be a list, not "review"; write a list: ["review"]',
    "list_as_key": "3: front matter: a key has to be a word, not a list or a mapping",
    "lonely_alias": "3: capabilities: the alias *words is not read here; write the value out",
    "long_number": "3: extra_number: the number 9999999999999999999… is too long; put it in quotes",
    "max_depth_negative": "5: constraints.max_depth: has to be 0 or more, not -1",
    "max_depth_text": '5: constraints.max_depth: has to be a whole number, not "2"',
    "max_turns_fraction": "4: constraints.max_turns: has to be a whole number, not 1.5",
    "name_empty": '2: name: an agent needs a name, not ""',
    "name_missing": "2: name: is missing; add it",
    "name_number": '2: name: has to be text, not 42; put it in quotes: "42"',
    "name_too_long": "2: name: a name is a letter followed by at most 63 letters, digits, '_', '.' or '-', "
    f'not "a{"b" * 64}"',
    "name_with_space": "2: name: a name is a letter followed by at most 63 letters, digits, '_', '.' or '-', "
    'not "two words"',
    "name_without_value": "2: name: is missing; add it",
    "nested_key_twice": "5: constraints.max_depth: stands here and in line 4; keep one of them",
    "no_front_matter": "1: front matter: is missing; begin the file with a line that is exactly '---'",
    "not_closed": "1: front matter: is not closed; end it with a line that is exactly '---'",
    "number_as_key": "3: front matter: the key '404' is not text; put it in quotes",
    "open_list": "3: keywords: bad YAML, did not find expected ',' or ']' while parsing a flow sequence; "
    "close the bracket, and put a comma between items",
    "open_quote": "3: description: bad YAML, found unexpected end of stream while scanning a quoted scalar; "
    "close the quote",
    "opened_with_more": "1: front matter: is missing; begin the file with a line that is exactly '---', "
    "not '--- # agent'",
    "prefixes_text": '3: prefixes: has to be a list, not "review_*"; write a list: ["review_*"]',
    "scalar_tag": "3: description: the tag '!secret' is not read here; leave it out",
    "second_document": "4: front matter: a second YAML document begins here; '---' and '...' inside need quotes",
    "tab": "4: keywords: bad YAML, found character that cannot start any token while scanning for the next token; "
    "indent with spaces, not with tabs",
    "tag": "3: description: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not read here; leave it out",
    "timeout_endless": "4: constraints.timeout_s: has to be 0 or more, not inf",
    "two_wrong": '3: returns: has to be text, not 1; put it in quotes: "1" (and 1 more like this)',
}
FULL = AgentSpec(
    name="full",
    description="All fields",
    instruction="Do\n\n---\nit.",
    status="draft",
    prefixes=("a_", "b_*"),
    keywords=("one", "two words"),
    capabilities=("c",),
    accepts="in: this\nand that",
    returns="out",
    cannot_do=("x",),
    example_requests=("Do 'it'", 'Do "it"'),
    disambiguation="not # that",
    always_include=True,
    session_isolation=True,
    constraints=Constraints(can_spawn=True, max_depth=2, max_turns=3, timeout_s=0.5, can_learn=True),
    delegates=("other",),
    tools=("paint",),
    model="offline",
    tags=("core",),
    version=3,
    source=Source.REMOTE,
    path="somewhere/AGENT.md",
    extra={"colour": "blue", "constraints": {"max_cost_usd": 1.5}},
)


def refusal(text: str) -> str:
    with pytest.raises(DefinitionError) as caught:
        parse_agent_md(text)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message


# ── reading


def test_the_form_of_the_specification_is_read() -> None:
    spec = read_agent_md(DATA / "good" / "code-reviewer" / "AGENT.md", shown_as="code-reviewer/AGENT.md")
    assert spec == AgentSpec(
        name="code-reviewer",
        description="Reads changes and says what is wrong with them",
        instruction="You review code.\n\nBegin with what could lose data.",
        prefixes=("review_*", "lint_*"),
        keywords=("review", "code quality", "security audit"),
        capabilities=("code-review", "security-analysis"),
        accepts="A file, a folder or a change",
        returns="A list of findings, worst first",
        cannot_do=("run commands", "change files"),
        example_requests=("Review src/app.py", "Is this change safe?"),
        disambiguation="Not for writing code, only for reading it.",
        always_include=True,
        session_isolation=True,
        constraints=Constraints(can_spawn=True, max_depth=2, max_turns=12, timeout_s=90, can_learn=True),
        delegates=("linter",),
        model="offline",
        source=Source.USER,
        path="code-reviewer/AGENT.md",
    )


def test_dashes_inside_values_and_body_do_not_close_the_front_matter() -> None:
    spec = read_agent_md(DATA / "good" / "odd-text" / "AGENT.md")
    assert spec.description == "a --- b: and a quote ' and a # sign"
    assert spec.returns == "---\nis text here, for it is indented\n"
    assert spec.instruction.splitlines()[2:6] == ["---", "--- ", "...", "---"]
    assert spec.instruction.endswith("name: not a field")


def test_plain_words_that_look_like_something_else_are_text() -> None:
    spec = read_agent_md(DATA / "good" / "odd-text" / "AGENT.md")
    assert spec.keywords[:6] == ("on", "no", "2026-01-01", "12:30", "true", "404")
    assert spec.disambiguation == "tab\there, bell\a, smile 🙂"


def test_a_key_without_a_value_counts_as_left_out() -> None:
    spec = parse_agent_md("---\nname: a\nkeywords:\nstatus: ~\nconstraints:\n  max_depth:\n---\n")
    assert spec == AgentSpec(name="a", source=Source.USER, path="AGENT.md")


def test_only_the_name_is_required() -> None:
    assert read_agent_md(DATA / "good" / "minimal" / "AGENT.md").name == "minimal"


def test_windows_line_ends_are_accepted_and_normalised() -> None:
    spec = parse_agent_md("---\r\nname: a\r\naccepts: |\r\n  x\r\n  y\r\n---\r\none\r\n\r\ntwo\r\n")
    assert (spec.accepts, spec.instruction) == ("x\ny\n", "one\n\ntwo")


def test_lines_are_counted_right_with_windows_line_ends() -> None:
    assert refusal("---\r\nname: a\r\nkeywords: x\r\n---\r\n").startswith("AGENT.md:3: keywords:")


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "AGENT.md"
    file.write_bytes(b"\xef\xbb\xbf---\nname: a\n---\n")
    assert read_agent_md(file).name == "a"
    assert parse_agent_md("\ufeff---\nname: a\n---\n").name == "a"


@pytest.mark.parametrize("source", Source)
def test_source_and_path_are_the_readers(source: Source) -> None:
    spec = parse_agent_md("---\nname: a\nsource: 0\npath: elsewhere\n---\n", "here.md", source)
    assert (spec.source, spec.path, spec.extra) == (source, "here.md", {"source": 0, "path": "elsewhere"})


# ── what is wrong


def test_every_bad_file_has_its_sentence() -> None:
    assert {folder.name for folder in (DATA / "bad").iterdir()} == set(BAD)


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_with_file_line_and_field(case: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        read_agent_md(DATA / "bad" / case / "AGENT.md", shown_as=f"{case}/AGENT.md")
    assert str(caught.value) == f"{case}/AGENT.md:{BAD[case]}"


@pytest.mark.parametrize("case", BAD)
def test_without_libyaml_the_same_line_and_field_are_named(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "_Parser", yaml.SafeLoader)
    with pytest.raises(DefinitionError) as caught:
        read_agent_md(DATA / "bad" / case / "AGENT.md", shown_as="AGENT.md")
    line, field, _ = BAD[case].split(": ", 2)
    assert str(caught.value).startswith(f"AGENT.md:{line}: {field}: ")


def test_a_mark_with_a_space_behind_it_does_not_close() -> None:
    assert refusal("---\nname: a\n--- \nbody") == (
        "AGENT.md:1: front matter: is not closed; end it with a line that is exactly '---', line 3 is '--- '"
    )


def test_a_mark_with_a_space_behind_it_inside_is_pointed_at() -> None:
    assert refusal("---\nname: a\n--- \nb: c\n---\n").startswith("AGENT.md:3: front matter: a second YAML document")


def test_a_text_over_one_megabyte_is_refused_with_its_size(tmp_path: Path) -> None:
    text = "---\nname: a\n---\n" + "x" * 5_000_000
    assert refusal(text) == "AGENT.md: file: has 5,000,016 bytes, at most 1,000,000 are read; shorten it"
    (tmp_path / "AGENT.md").write_text(text, encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"^big: file: has 5,000,016 bytes, at most 1,000,000 are read"):
        read_agent_md(tmp_path / "AGENT.md", shown_as="big")


def test_a_body_just_below_the_limit_is_read() -> None:
    assert len(parse_agent_md("---\nname: a\n---\n" + "x" * 999_000).instruction) == 999_000


def test_what_is_not_utf_8_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "AGENT.md"
    file.write_bytes("---\nname: a\ndescription: café\n---\n".encode("latin-1"))
    with pytest.raises(DefinitionError, match=r"^latin:3: file: byte 0xe9 is not UTF-8; save the file as UTF-8 text$"):
        read_agent_md(file, shown_as="latin")


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0", "---\nname: a\n---\n".encode("utf-16"), bytes(range(256))])
def test_a_binary_file_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "AGENT.md"
    file.write_bytes(data)
    with pytest.raises(DefinitionError, match=r"^binary:\d: file: (byte 0x.. is not UTF-8|holds U\+0000)"):
        read_agent_md(file, shown_as="binary")


def test_nul_and_half_characters_are_no_text() -> None:
    assert refusal("---\nname: a\n---\nx\0").startswith("AGENT.md:4: file: holds U+0000, so it is not text")
    assert refusal("---\nname: a\n---\n\ud83d").startswith("AGENT.md:4: file: holds U+D83D, so it is not text")


def test_a_control_character_in_the_front_matter_is_pointed_at() -> None:
    assert refusal("---\nname: a\naccepts: x\x07\n---\n") == (
        "AGENT.md:3: accepts: holds the character U+0007, which YAML has no room for; remove it"
    )


@pytest.mark.parametrize("bomb", ["[" * 400_000, "{a: " * 100_000, "\n- " + "- " * 400_000])
def test_deep_nesting_is_refused_and_takes_nothing_down(bomb: str) -> None:
    assert "is nested more than 20 levels deep" in refusal(f"---\nname: a\nx: {bomb}\n---\n")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"^there: is a directory, not a file"):
        read_agent_md(tmp_path, shown_as="there")


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "AGENT.md")
    with pytest.raises(DefinitionError, match="is a device, pipe or socket, not a file"):
        read_agent_md(tmp_path / "AGENT.md")


def test_a_missing_file_is_refused_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError) as caught:
        read_agent_md(tmp_path / "AGENT.md")
    assert str(caught.value).startswith(f"{tmp_path}/AGENT.md: cannot be read (No such file or directory)")


def test_a_file_without_permission_is_refused(folder_of_nobody: Path) -> None:
    file = folder_of_nobody / "AGENT.md"
    file.touch(mode=0)
    with pytest.raises(DefinitionError, match=r"cannot be read \(Permission denied\)"):
        read_agent_md(file)


# ── writing


@pytest.mark.parametrize("case", GOOD)
def test_a_good_file_survives_being_written(case: str) -> None:
    spec = read_agent_md(DATA / "good" / case / "AGENT.md")
    assert spec.name == case
    again = parse_agent_md(render_agent_md(spec), spec.path)
    assert repr(again) == repr(spec)


def test_every_field_differs_from_its_default_and_comes_back() -> None:
    defaults = AgentSpec(name="default")
    assert [one.name for one in fields(AgentSpec) if getattr(FULL, one.name) == getattr(defaults, one.name)] == []
    assert parse_agent_md(render_agent_md(FULL), FULL.path, FULL.source) == FULL


def test_what_is_written_is_plain_to_read() -> None:
    assert (
        render_agent_md(FULL.with_changes(extra={}, keywords=("yes", "two words")))
        == """\
---
name: full
description: All fields
status: draft
prefixes:
- a_
- b_*
keywords:
- 'yes'
- two words
capabilities:
- c
accepts: |-
  in: this
  and that
returns: out
cannot_do:
- x
example_requests:
- Do 'it'
- Do "it"
disambiguation: 'not # that'
always_include: true
session_isolation: true
constraints:
  can_spawn: true
  max_depth: 2
  max_turns: 3
  timeout_s: 0.5
  can_learn: true
delegates:
- other
tools:
- paint
model: offline
tags:
- core
version: 3
---

Do

---
it.
"""
    )


def test_other_yaml_readers_read_the_same() -> None:
    text = render_agent_md(FULL.with_changes(keywords=("yes", "2026-01-01", "1e5", "12:30", "0x1f", "~")))
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["keywords"] == ["yes", "2026-01-01", "1e5", "12:30", "0x1f", "~"]
    assert set(front) == {*KEYS, "colour"}


def test_white_space_around_the_instruction_is_not_kept() -> None:
    spec = AgentSpec(name="a", instruction="\n  keep\n\n")
    assert parse_agent_md(render_agent_md(spec)).instruction == "keep"


def test_the_same_value_twice_is_written_twice() -> None:
    shared: list[JsonValue] = ["x"]
    spec = AgentSpec(name="a", extra={"one": shared, "two": shared})
    assert parse_agent_md(render_agent_md(spec)).extra == {"one": ["x"], "two": ["x"]}


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        ({"name": "b"}, "name"),
        ({"instruction": "b"}, "instruction"),
        ({"constraints": {"max_depth": 1}}, "constraints"),
        ({"constraints": 3}, "constraints"),
    ],
)
def test_an_extra_key_cannot_pose_as_a_field(extra: dict[str, object], named: str) -> None:
    spec = AgentSpec.model_validate({"name": "a", "extra": extra})
    with pytest.raises(DefinitionError, match=f"^agent 'a': extra: '{named}' is a field of its own"):
        render_agent_md(spec)


def test_what_no_file_can_hold_is_not_written() -> None:
    with pytest.raises(DefinitionError, match=r"instruction: holds U\+0000"):
        render_agent_md(AgentSpec(name="a", instruction="x\0y"))
    with pytest.raises(DefinitionError, match="holds half a character"):
        render_agent_md(AgentSpec(name="a", keywords=("\ud83d",)))


# ── findings


def test_unknown_keys_are_kept_written_back_and_reported() -> None:
    spec = read_agent_md(DATA / "good" / "from-tomorrow" / "AGENT.md", shown_as="AGENT.md")
    unknown = {
        "keyword": ["hem"],
        "colour": "blue",
        "budget": {"usd": 1.5, "hard": True, "tags": ["a", None, 3]},
        "constraints": {"max_cost_usd": 2.5},
    }
    assert spec.extra == unknown
    assert spec.constraints == Constraints(max_depth=3)
    assert parse_agent_md(render_agent_md(spec)).extra == unknown
    assert findings(spec)[:3] == (
        "AGENT.md: keyword: nothing reads this key; did you mean 'keywords'?",
        "AGENT.md: colour: nothing reads this key",
        "AGENT.md: budget: nothing reads this key",
    )
    assert findings(spec)[3].startswith("AGENT.md: constraints.max_cost_usd: nothing reads this key")


def test_a_status_that_is_none_and_an_empty_prefix_are_reported() -> None:
    assert findings(read_agent_md(DATA / "good" / "asleep" / "AGENT.md", shown_as="AGENT.md")) == (
        (
            "AGENT.md: status: 'actve' is none of active, disabled, draft, so the agent takes no part; "
            "did you mean 'active'?"
        ),
        "AGENT.md: prefixes: an empty prefix claims nothing; write the beginning of a tool's name",
    )


@pytest.mark.parametrize("case", ["minimal", "code-reviewer", "odd-text", "resting"])
def test_an_ordinary_definition_has_no_findings(case: str) -> None:
    assert findings(read_agent_md(DATA / "good" / case / "AGENT.md")) == ()
