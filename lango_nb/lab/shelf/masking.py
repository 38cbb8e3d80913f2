"""What goes on a shelf holds no secrets: texts are masked, the source of an agent or a tool is refused.

A masked note is still the note; a masked program would be another program, and would run.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping
from typing import Any, cast

from lango_nb.core.errors import RefusedError
from lango_nb.core.masking import mask, mask_value

SOURCE = "source"
"""The field with the lines of a definition."""
AGENTS, TOOLS = "agents", "tools"


def without_secrets(kind: str, item: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as it may be kept.

    Parameters
    ----------
    kind : str
    item : str
        What errors call it.
    document : mapping

    Returns
    -------
    dict
        Without secrets.

    Raises
    ------
    RefusedError
        The source of an agent or a tool holds one.

    Examples
    --------
    >>> without_secrets("notes", "notes/1", {"text": "use sk-abcdefghijklmnop1234"})
    {'text': 'use [masked]'}
    """
    masked = cast("dict[str, Any]", mask_value(dict(document)))
    if kind not in {AGENTS, TOOLS} or SOURCE not in document:
        return masked
    source = document[SOURCE]
    text = "\n".join(map(str, source)) if isinstance(source, list | tuple) else str(source)
    line = next(_secret_lines(kind, text), None)
    if line is not None:
        raise RefusedError(
            f"{document.get('name') or item} does not go on the shelf: line {line} of its source holds what looks like "
            "a secret; take it out and try again"
        )
    return {**masked, SOURCE: source}


def _secret_lines(kind: str, text: str) -> Iterator[int]:
    """Give the lines with secrets; in Python only texts and comments hold any, ``token = next_token()`` does not."""
    if kind == TOOLS:
        try:
            yield from _in_code(text)
        except (SyntaxError, ValueError, tokenize.TokenError):
            pass
        else:
            return
    masked = mask(text)
    if masked != text:
        pairs = zip(text.split("\n"), masked.split("\n"), strict=False)
        yield next((number for number, (before, after) in enumerate(pairs, 1) if before != after), 1)


def _in_code(text: str) -> Iterator[int]:
    for node in ast.walk(ast.parse(text)):
        for name, value in _named(node):
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and _is_secret(name, value.value):
                yield value.lineno
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and mask(token.string) != token.string:
            yield token.start[0]


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Give values with the names they go by; a text by itself has none."""
    match node:
        case ast.Constant():
            yield "", node
        case ast.Assign(targets=targets, value=value):
            yield from ((ast.unparse(target), value) for target in targets)
        case ast.AnnAssign(target=target, value=value):
            yield ast.unparse(target), value
        case ast.keyword(arg=str(name), value=value):
            yield name, value
        case ast.Dict(keys=keys, values=values):
            yield from (
                (key.value, value)
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            )
        case ast.arguments(args=args, defaults=defaults, kwonlyargs=more, kw_defaults=their):
            yield from ((arg.arg, value) for arg, value in zip(args[-len(defaults) :], defaults, strict=False))
            yield from ((arg.arg, value) for arg, value in zip(more, their, strict=True))


def _is_secret(name: str, value: str) -> bool:
    return bool(value) and (mask(value) != value or bool(name and mask_value({name: value}) != {name: value}))
