"""What a request says of itself, whoever made it: the agent that asks, its last words, and an answer in pieces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lango_nb.core.messages import Message

_NAMED = re.compile(r"\s*You are ([\w.-]*\w)")
_PIECE = re.compile(r"\S+\s*|\s+")


def asking_agent(messages: Sequence[Message]) -> str:
    """Tell which agent asks: the author of the system prompt, or whom its first words name.

    Parameters
    ----------
    messages : sequence of Message
        System prompt first.

    Returns
    -------
    str
        Empty when the conversation does not say.

    Examples
    --------
    >>> asking_agent([Message(role="system", content="You keep keys.", author="vault")])
    'vault'
    >>> asking_agent([Message(role="system", content="You are vault. You keep keys.")])
    'vault'
    """
    if not messages or messages[0].role != "system":
        return ""
    named = _NAMED.match(messages[0].content)
    return messages[0].author or (named.group(1) if named else "")


def last_words(messages: Sequence[Message]) -> str:
    """Return what was said last; empty where nothing was."""
    return messages[-1].content if messages else ""


def pieces(text: str) -> list[str]:
    """Cut a text into the pieces it is streamed in: words with the blanks behind them.

    Returns
    -------
    list of str
        Together the text, to the letter.

    Examples
    --------
    >>> pieces("It has 3 lines.")
    ['It ', 'has ', '3 ', 'lines.']
    """
    return _PIECE.findall(text)
