"""Texts that somebody might write to break a page, a terminal or a reader: each is to be shown and to do nothing.

What runs as a script in one of them sets ``window.broken``: a browser can tell.
"""
# ruff: noqa: E501, Q003 - many short texts on a line

from __future__ import annotations

from itertools import product

_JS = "window.broken=1"

_SCRIPTS = (
    f"<script>{_JS}</script>", f"<SCRIPT>{_JS}</SCRIPT>", f"<script >{_JS}</script >", f"<script\n>{_JS}</script>",
    f"<script/x>{_JS}</script>", f"<scr<script>ipt>{_JS}</scr</script>ipt>", f"</script><script>{_JS}</script>",
    f"<script src='data:text/javascript,{_JS}'></script>", f"<script type=module>{_JS}</script>",
    f"\"><script>{_JS}</script>", f"'><script>{_JS}</script>", f"--><script>{_JS}</script>",
    f"]]><script>{_JS}</script>", f"</style><script>{_JS}</script>", f"</title><script>{_JS}</script>",
    f"</textarea><script>{_JS}</script>", f"</details></div><script>{_JS}</script>", f"</pre><script>{_JS}</script>",
    f"<noscript><p title=\"</noscript><script>{_JS}</script>\">", f"<!--<script>{_JS}</script>-->",
    f"<![CDATA[<script>{_JS}</script>]]>", f"&lt;script&gt;{_JS}&lt;/script&gt;", f"&#60;script&#62;{_JS}&#60;/script&#62;",
    f"%3Cscript%3E{_JS}%3C/script%3E", f"\\x3cscript\\x3e{_JS}\\x3c/script\\x3e", f"\uff1cscript\uff1e{_JS}\uff1c/script\uff1e",
    f"<script>{_JS}", f"<script>{_JS}//", f"<xml><script>{_JS}</script></xml>", f"<math><script>{_JS}</script></math>",
)  # fmt: skip
_HANDLERS = tuple(
    f"{quote}{element} {handler}={_JS}{end}"
    for (element, handler), (quote, end) in product(
        (
            ("<img src=x", "onerror"), ("<svg", "onload"), ("<body", "onload"), ("<input autofocus", "onfocus"),
            ("<details open", "ontoggle"), ("<video><source", "onerror"), ("<marquee", "onstart"),
            ("<iframe", "onload"), ("<a href=#", "onclick"), ("<div style=animation-name:x", "onanimationstart"),
        ),
        (("", ">"), ('">', " x='"), ("'>", ' x="'), ("</details>", "//")),
    )
)  # fmt: skip
_ATTRIBUTES = tuple(
    f"x{quote} {handler}={quote}{_JS}{quote} y={quote}"
    for quote, handler in product(('"', "'", "`", ""), ("onmouseover", "onfocus autofocus", "onclick"))
)
_LINKS = (
    f"<a href=\"javascript:{_JS}\">x</a>", f"<a href=\"java\tscript:{_JS}\">x</a>", f"javascript:{_JS}",
    f"[x](javascript:{_JS})", f"![x](javascript:{_JS})", f"<javascript:{_JS}>", "[x]: javascript:1 'y'",
    f"<iframe src=\"javascript:{_JS}\"></iframe>", f"<iframe srcdoc=\"<script>{_JS}</script>\"></iframe>",
    f"<object data=\"javascript:{_JS}\"></object>", f"<embed src=\"data:text/html,<script>{_JS}</script>\">",
    f"<form action=\"javascript:{_JS}\"><button>x</button></form>", f"<base href=\"javascript:{_JS}//\">",
    f"<meta http-equiv=refresh content=\"0;url=javascript:{_JS}\">", "<link rel=stylesheet href=//example.org/x.css>",
    "<img src=//example.org/pixel.png>", "![](https://example.org/pixel.png)", "<base target=_top>",
)  # fmt: skip
_SVG = (
    f"<svg><script>{_JS}</script></svg>", f"<svg><a xlink:href=\"javascript:{_JS}\"><text>x</text></a></svg>",
    f"<svg><animate onbegin={_JS} attributeName=x dur=1s>", f"<svg><foreignObject><img src=x onerror={_JS}></svg>",
    f"<svg><use href=\"data:image/svg+xml,<svg onload={_JS}>\"/></svg>", f"<svg/onload={_JS}//",
    f"<math><mtext><table><mglyph><style><img src=x onerror={_JS}>", f"<svg><style><img src=x onerror={_JS}></style></svg>",
)  # fmt: skip
_STYLES = (
    "<style>*{display:none!important}</style>", "</style><style>body{display:none}", "x;position:fixed;inset:0;z-index:9999",
    "x\" style=\"position:fixed;inset:0", "expression(1)", f"url(javascript:{_JS})", "background:url(//example.org/x)",
    "</div></div></div></div><div style=position:fixed;inset:0>", "<table><tr><td></table></table></table>",
    "<plaintext>", "<xmp>", "<textarea>", "<select><option>", "<title>", "<noembed>", "<frameset>", "<!--", "<![CDATA[", "<?php ?>",
)  # fmt: skip
_MARKDOWN = (
    "```\n</code></pre>\n```", "# heading\n\n| a | b |\n|---|---|", "$$\\href{javascript:1}{x}$$", "$\\unicode{x}$ \\(x\\)",
    "<details><summary>x", "***bold*** ~~gone~~ `code`", "- [ ] box\n1. one", "&nbsp;&amp;&copy;&#0;&#x202e;",
    "\\begin{equation}x\\end{equation}", "{{ 7*7 }} ${7*7} #{7*7} <%= 7*7 %> {x!r} %(x)s %s",
)  # fmt: skip
_MERMAID = (
    "\"]; click a href \"javascript:1\"", "end\n  click root \"javascript:1\"", "%%{init: {'securityLevel': 'loose'}}%%",
    "A-->B; subgraph x", "a[\"<img src=x onerror=1>\"]", "note over a: x\nend", "#quot;#lt;script#gt;", "graph TD\nstyle a fill:red",
)  # fmt: skip
_TERMINAL = (
    "\x1b[31mred\x1b[0m", "\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;cm0gLXJm\x07", "\x9b31mred", "\x1bP+q544e\x1b\\", "\x1b[?1049h", "\x1b[6n", "line\rover", "back\b\b\b", "\x07\x07",
    "form\x0cfeed", "vertical\x0btab", "\x00", "nul\x00in\x00it", "\x7f", "\x85", "\u2028\u2029", "tab\ttab", "\r\n\r\n",
)  # fmt: skip
_LETTERS = (
    "\u202eesrever\u202c", "\u2066a\u2067b\u2068c\u2069", "\u200f\u200e\u061c", "a\u200bb\u200cc\u200dd\ufeffe", "\ud800", "\udfff x \ud83d",
    "\ufffe\uffff", "e" + "\u0301" * 300, "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U000e0041\U000e0042", "\u0130\u0131\u017f\u212a",
    "漢字かな한국어", "مرحبا", "שלום", "\U0001f600" * 50, "\u0e33" * 100, "\ufdfd", "\u3000\u00a0\u2003", "\u00ad" * 20, "Z\u0351\u036b\u0343algo",
)  # fmt: skip
_SIZES = (
    "", " ", "\n", "x" * 2000, "W" * 300, "a b " * 500, "line\n" * 300, "<" * 500, "&" * 500, "\"'" * 300, "/" * 300, "[" * 300, "(" * 300,
    "9" * 400, "-1e309", "NaN", "null", "None", "__proto__", "constructor", "; DROP TABLE turns; --", "../../etc/passwd", "CON",
)  # fmt: skip
TEXTS = (
    *_SCRIPTS, *_HANDLERS, *_ATTRIBUTES, *_LINKS, *_SVG, *_STYLES, *_MARKDOWN, *_MERMAID, *_TERMINAL, *_LETTERS, *_SIZES,
)  # fmt: skip
LARGE = (
    "x" * 1_000_000, f"<script>{_JS}</script>" * 30_000, "word " * 200_000, "line\n" * 200_000, "\x00\u202e" * 500_000,
)  # fmt: skip
"""A megabyte each, and as much markup as that holds."""
