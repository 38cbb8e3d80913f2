"""What tools that ask a service have in common: required texts, errors a model can read, answers as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lango_nb.core.errors import LangoError, ToolError
from lango_nb.tools.arguments import MISSING_ARGUMENT
from lango_nb.tools.tool import ToolResult

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue


def missing(name: str) -> str:
    """Word that a required parameter is missing; an empty one is as good as none.

    Examples
    --------
    >>> missing("agent_id")
    'missing agent_id parameter'
    """
    return f"missing {name} parameter"


def require(**given: str) -> None:
    """Refuse blank texts where something must be said; nothing was looked up or made by then.

    Parameters
    ----------
    **given : str
        Values by parameter name.

    Raises
    ------
    ToolError
        With code ``missing_argument`` and the sentence that a left out parameter gets.

    Examples
    --------
    >>> require(title="Ship it", task_id=" ")
    Traceback (most recent call last):
    ...
    lango_nb.core.errors.ToolError: missing task_id parameter
    """
    blank = [name for name, value in given.items() if not value.strip()]
    if blank:
        raise ToolError(", ".join(map(missing, blank)), MISSING_ARGUMENT)


@contextmanager
def told_to_model() -> Iterator[None]:
    """Turn an error of a service into one the model reads: it gave the id, the name or the value."""
    try:
        yield
    except ToolError:
        raise
    except LangoError as error:
        raise ToolError(str(error), error.code) from error


def as_json(answer: Mapping[str, JsonValue]) -> ToolResult:
    """Word an answer as compact JSON with sorted keys; the same as ``data``.

    Examples
    --------
    >>> as_json({"status": "todo", "count": 1}).content
    '{"count":1,"status":"todo"}'
    """
    data = dict(answer)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return ToolResult(text.encode("utf-8", "backslashreplace").decode(), data=data)
