"""Patches made from any two texts: what comes out is the second text, or a refusal."""

from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from lango_nb.core.errors import ToolError
from lango_nb.tools.builtin.patches import apply_hunks, read_patch

LINE = st.sampled_from(["a", "b", "", " ", "  x", "-", "+", "@@", "*** End of File", "*** End Patch", "ä"])


def patch_between(old: list[str], new: list[str], context: int) -> str:
    """Write what differs as a patch, with so many lines around each place."""
    lines = ["*** Begin Patch", "*** Update File: f.txt"]
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        lines.append("@@")
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[old_start:old_end]]
            else:
                lines += [
                    *(f"-{line}" for line in old[old_start:old_end]),
                    *(f"+{line}" for line in new[new_start:new_end]),
                ]
    return "\n".join([*lines, "*** End Patch"])


@given(st.lists(LINE, max_size=12), st.lists(LINE, max_size=12), st.integers(0, 12), st.sampled_from(["\n", "\r\n"]))
def test_any_difference_is_made_or_refused_and_never_made_elsewhere(
    old: list[str], new: list[str], context: int, end: str
) -> None:
    before = [f"{line}{end}" for line in old]
    try:
        (change,) = read_patch(patch_between(old, new, context))
        after = apply_hunks("f.txt", before, change.hunks)
    except ToolError as refused:
        has_no_place = refused.code == "no_match" and "it says nothing of its place" in str(refused)
        is_no_change = refused.code == "bad_patch" and old == new
        assert refused.code == "ambiguous" or has_no_place or is_no_change, str(refused)  # noqa: PT017 - one of two ends
        return
    assert after == [f"{line}{end if old else chr(10)}" for line in new]


@given(st.lists(LINE, unique=True, min_size=1), st.integers(0, 11), st.text("ab\n", max_size=5))
def test_one_place_among_different_lines_is_always_found(old: list[str], place: int, added: str) -> None:
    place %= len(old)
    new = [*old[:place], *added.split("\n"), *old[place + 1 :]]
    if new != old and {line.rstrip() for line in old} == set(old):
        (change,) = read_patch(patch_between(old, new, 3))
        assert apply_hunks("f.txt", [f"{line}\n" for line in old], change.hunks) == [f"{line}\n" for line in new]
