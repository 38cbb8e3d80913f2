"""Text of models, tools, files and people on its way to a screen: what cannot be seen, or changes the rest, appears.

A terminal takes some characters for orders: write the clipboard, change the title, move the cursor, turn the direction
of writing. What this package sends to a terminal goes through :func:`visible`: views (:mod:`lango_nb.viz`), the lines
of ``lango``, errors, what is logged, frames that IPython shows. Values stay what they are, also in JSON.
"""

from __future__ import annotations

import re

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


def visible_json(text: str) -> str:
    r"""Write such characters inside JSON as escapes: it stays the same data.

    Examples
    --------
    >>> visible_json('"a\x9bb"')
    '"a\\u009bb"'
    """
    import json

    return _UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < _FIRST_PRINTABLE:
        return chr(_PICTURES + code)
    return "␡" if code == _DELETE else f"⟨U+{code:04X}⟩"
