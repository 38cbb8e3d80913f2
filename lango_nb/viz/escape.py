"""Text of models, tools, files and people, made safe to show: unseen characters appear, markup is escaped."""

from __future__ import annotations

import html

from lango_nb.core.visible import visible

_MERMAID = frozenset('#;:"<>&`{}[]()|\\%~')


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


def label(text: str, limit: int = 120) -> str:
    """Write a text so that mermaid shows it and reads nothing into it: what it would read as its own becomes an entity.

    Examples
    --------
    >>> label('say "hi"; {x}')
    'say #34;hi#34;#59; #123;x#125;'
    """
    return "".join(f"#{ord(char)};" if char in _MERMAID else char for char in one_line(text, limit))
