"""Requests that mean another step than was read: by their words, or by what was shown before them.

    a request, its reading, what was said before ── the first rule that fits (RULES) ── the step that is meant

A rule looks at a :class:`Request` and returns a step, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from lango_nb.models.offline.meant_files import (
    also_of_kind,
    both_apart,
    compared,
    copy_gone,
    folder_gone,
    folders,
    gone_after_all,
    in_there,
    kind_copied,
    lacking,
    left_in_folder,
    left_on_list,
    longest_of,
    merged,
    next_listed,
    one_listed,
    one_of_them,
    put_there,
    rather_in,
    still_there,
    to_buy,
    unsaid_which,
    wrote,
)
from lango_nb.models.offline.meant_lines import (
    amount_put,
    boxes,
    counted_shown,
    done_asked,
    how_many_there,
    line_at_place,
    line_kept,
    line_moved,
    line_with,
    lines_shown,
    matches,
    named_there,
    numbered_line,
    repeated,
    says_now,
    shown_line,
    sought_rather,
    taken_out,
    task_done,
    text_left,
    those_boxes,
    tick_put,
    ticked_too,
    told_done,
    told_there,
    value_of_line,
    when_told,
)
from lango_nb.models.offline.meant_results import (
    answer_kept,
    both_kept,
    clock,
    difference,
    program,
    renamed_inside,
    run_it,
    run_told,
    sum_of_both,
)
from lango_nb.models.offline.meant_tables import (
    column_kept,
    columns_only,
    largest_row,
    more_of_shown,
    of_table,
    others_alike,
    row_shown,
    rows_described,
    rows_shown,
    several_kept,
    sorted_into,
    sorted_there,
    switched,
    time_put,
    value_put,
    value_told,
)
from lango_nb.models.offline.plan import Context, Reading, Step, is_change
from lango_nb.models.offline.request import Request

Rule = Callable[[Request], Step | None]
RULES: tuple[Rule, ...] = (
    run_told,
    lacking,
    merged,
    longest_of,
    compared,
    both_apart,
    folders,
    one_listed,
    next_listed,
    shown_line,
    others_alike,
    of_table,
    line_at_place,
    line_moved,
    line_with,
    named_there,
    done_asked,
    how_many_there,
    text_left,
    when_told,
    task_done,
    sought_rather,
    those_boxes,
    kind_copied,
    numbered_line,
    time_put,
    amount_put,
    value_put,
    value_of_line,
    value_told,
    switched,
    sorted_into,
    sorted_there,
    boxes,
    tick_put,
    more_of_shown,
    largest_row,
    rather_in,
    told_done,
    ticked_too,
    copy_gone,
    gone_after_all,
    folder_gone,
    one_of_them,
    taken_out,
    columns_only,
    also_of_kind,
    in_there,
    put_there,
    to_buy,
    unsaid_which,
    wrote,
    clock,
    still_there,
    says_now,
    left_in_folder,
    left_on_list,
    told_there,
    lines_shown,
    renamed_inside,
    run_it,
    program,
    rows_shown,
    row_shown,
    repeated,
    matches,
    counted_shown,
    difference,
    sum_of_both,
    several_kept,
    column_kept,
    rows_described,
    both_kept,
    line_kept,
    answer_kept,
)
"""The rules, in the order in which they are asked: the first that fits is right."""


def meant_instead(reading: Reading, request: str, context: Context) -> Step | None:
    """Return the one step that a request means by its words, or by what was shown before it; ``None`` where it is as read."""
    looked_at = Request(reading, request, context)
    return next((step for rule in RULES if (step := rule(looked_at)) is not None), None)


def or_else(step: Step, reading: Reading, request: str, context: Context) -> tuple[Reading, ...]:
    """Return what else a request may mean where a table does not explain it: what was answered is kept, or as it was read."""
    if step.act == "value.set":
        return (reading._replace(others=()), *reading.others)
    kept = answer_kept(Request(reading, request, context)) if step.destination else None
    if step.act != "query":
        return ()
    every = (reading._replace(others=()), *reading.others)
    if step.destination:  # what is to be kept is not only shown
        every = tuple(one for one in every if any(is_change(each.act) or each.destination for each in one.steps))
    return every if kept is None else (Reading((kept,), 1.0, reading.language),)
