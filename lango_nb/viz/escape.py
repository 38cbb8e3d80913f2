"""Text of models, tools, files and people, made safe to show: unseen characters appear, markup is escaped."""

from __future__ import annotations

import html
import re

_KEPT = "\n\t"
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control characters, marks that turn the direction of writing, invisible spaces, half characters, tags."""
_PICTURES = 0x2400
_DELETE = 0x7F
_FIRST_PRINTABLE = 0x20


def visible(text: str) -> str:
    r"""Replace characters that cannot be seen, or that change how others are seen; line ends and tabs stay.

    Examples
    --------
    >>> visible("a\x1b[31mb\u202ec")
    'a␛[31mb⟨U+202E⟩c'
    """
    return _UNSEEN.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < _FIRST_PRINTABLE:
        return chr(_PICTURES + code)
    return "␡" if code == _DELETE else f"⟨U+{code:04X}⟩"


def esc(text: str) -> str:
    """Make a text safe inside HTML and SVG, between tags and in attributes.

    Examples
    --------
    >>> esc('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(visible(text), quote=True)


def one_line(text: str, limit: int = 0) -> str:
    r"""Put a text on one line; line ends become ``⏎``.

    Parameters
    ----------
    text : str
    limit : int
        Characters to keep; 0 keeps all.

    Examples
    --------
    >>> one_line("two\nlines"), one_line("abcdef", 4)
    ('two ⏎ lines', 'abc…')
    """
    # a long text is cut before it is looked at: only its beginning can be shown
    head = text[: limit * 2 + 2] if limit else text
    line = " ".join(visible(head.strip().replace("\r\n", "\n").replace("\n", " ⏎ ")).split())
    if limit and len(line) > limit:
        return line[: limit - 1].rstrip() + "…"
    return line + "…" if len(head) < len(text.rstrip()) else line


def count(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> count(1, "tool"), count(1200, "tool"), count(2, "reply", "replies")
    ('1 tool', '1,200 tools', '2 replies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
