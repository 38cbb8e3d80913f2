"""Summaries: an extract of what was asked and answered, which understands nothing and says so.

::

    An extract by the offline model of 7 exchanges.
    Asked: hash milk with sha256 · list the files · and 5 before
    Answered last: notes.md has 2 lines. · The hash is 2cf2.

The next one is made of this and of what was said since: counts are added, the latest requests and answers are kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lango_nb.core.errors import shorten
from lango_nb.core.messages import USER, Message
from lango_nb.models.summaries import lines_of

MOST_REQUESTS = 8
MOST_ANSWERS = 3
LONGEST = 160
"""Characters of one request or answer."""
_BETWEEN = " · "
_OWN = re.compile(
    r"An extract by the offline model of (?P<count>\d+) exchanges?\.\n"
    r"Asked: (?P<asked>.*)\nAnswered last: (?P<answered>.*)(?P<rest>(?s:.*))"
)
_BEFORE = re.compile(r"and \d+ before")


def extract(request: Sequence[Message]) -> str:
    """Sum up a conversation.

    Parameters
    ----------
    request : sequence of Message
        See :func:`lango_nb.models.summaries.summary_request`.

    Examples
    --------
    >>> from lango_nb.models.summaries import summary_request
    >>> said = [Message(role="user", content="hello", author="user"), Message(role="assistant", content="Hello!")]
    >>> print(extract(summary_request(said, 1000, 400)))
    An extract by the offline model of 1 exchange.
    Asked: hello
    Answered last: Hello!
    """
    count, longest, rest = 0, 0, ""
    asked, answered = list[str](), list[str]()
    for line in lines_of(request):
        if "most_characters" in line:
            longest = line["most_characters"]
        elif "summary" in line:
            count, asked, answered, rest = _read(line["summary"], longest)
        elif line["by"] == USER:
            count += 1
            asked.append(_one_line(line["text"]))
        elif line.get("text") and "calls" not in line:
            answered.append(_one_line(line["text"]))
    asked, answered = asked[-MOST_REQUESTS:], answered[-MOST_ANSWERS:]
    while len(text := _written(count, asked, answered, rest)) > longest and len(asked) + len(answered) > 2:  # noqa: PLR2004
        del (asked if len(asked) >= len(answered) else answered)[0]
    return text


def _written(count: int, asked: Sequence[str], answered: Sequence[str], rest: str) -> str:
    more = [f"and {count - len(asked)} before"] if count > len(asked) else []
    return (
        f"An extract by the offline model of {count} exchange{'' if count == 1 else 's'}.\n"
        f"Asked: {_BETWEEN.join([*asked, *more])}\n"
        f"Answered last: {_BETWEEN.join(answered) or 'nothing'}{rest}"
    )


def _read(summary: str, longest: int) -> tuple[int, list[str], list[str], str]:
    """Take an own summary apart; of another model's as much is kept as leaves room."""
    own = _OWN.fullmatch(summary)
    if own is None:
        return 0, [], [], shorten(f"\nBefore that: {summary}", longest // 2)
    asked = [text for text in own["asked"].split(_BETWEEN) if not _BEFORE.fullmatch(text)]
    answered = [text for text in own["answered"].split(_BETWEEN) if text != "nothing"]
    return int(own["count"]), asked, answered, own["rest"]


def _one_line(text: str) -> str:
    return shorten(" ".join(text.split()).replace(_BETWEEN, " "), LONGEST)
