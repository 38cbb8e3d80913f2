"""What may be asked at all."""

from __future__ import annotations

from lango_nb.core.errors import UsageError

LONGEST_REQUEST = 200_000
"""Characters of a request; a longer one is refused before anything runs."""


def check_session(name: str) -> None:
    """Refuse a session that has no name.

    Raises
    ------
    UsageError
        It is empty, or no text.
    """
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"a session needs a name, not {name!r}; leave it out for the session 'main'")


def check_request(text: str) -> None:
    """Refuse a request that says nothing, or that is a document rather than a request.

    Raises
    ------
    UsageError
        It is empty, or has more than :data:`LONGEST_REQUEST` characters.
    """
    if not isinstance(text, str):
        raise UsageError(f"a request is a text, not {type(text).__name__}")
    if not text.strip():
        raise UsageError("the request is empty; say what you want")
    if len(text) > LONGEST_REQUEST:
        raise UsageError(
            f"the request has {len(text):,} characters and may have {LONGEST_REQUEST:,}; put the text into a file and "
            "ask to read it"
        )
