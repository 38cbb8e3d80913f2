"""Tables that are parts of one: a file a month, a file a year.

invoices/2024-04.csv, invoices/2024-05.csv ── named alike but for numbers and months, the same columns, no row twice ── invoices/*.csv
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lango_nb.models.offline.names import plain, table_of

_PARTS = re.compile(r"\d+|[^\W\d_]+")
_ANY = "*"
_REPEATED = re.compile(r"\*(?:[-_. ]?\*)+")
_ENDS = (".csv", ".tsv")


def series_of(name: str) -> str:
    """Return how the files of a series are called of which a file may be one; empty where its name tells no number and no month.

    Examples
    --------
    >>> series_of("invoices/2024-05.csv"), series_of("sales_may.csv"), series_of("stock.csv"), series_of("a1.txt")
    ('invoices/*.csv', 'sales_*.csv', '', '')
    """
    folder, slash, base = name.rpartition("/")
    stem, dot, end = base.rpartition(".")
    months = table_of("month")
    alike = _PARTS.sub(lambda part: _ANY if part[0].isdigit() or plain(part[0]) in months else part[0], stem)
    alike = _REPEATED.sub(_ANY, alike)
    return f"{folder}{slash}{alike}{dot}{end}" if _ANY in alike and base.casefold().endswith(_ENDS) else ""


def is_series(name: str) -> bool:
    """Tell whether a name stands for several files."""
    return _ANY in name


def members(series: str, names: Iterable[str]) -> list[str]:
    """Return the files of a series, in their order."""
    return sorted(name for name in names if series_of(name) == series)


def whole_series(texts: Mapping[str, str]) -> dict[str, str]:
    r"""Return the texts of series of tables, each as one table: by how their files are called.

    Examples
    --------
    >>> whole_series({"a/04.csv": "who,fee\nAnn,3\n", "a/05.csv": "who,fee\nBo,4\n", "b.csv": "who,fee\nCy,1\n"})
    {'a/*.csv': 'who,fee\nAnn,3\nBo,4'}
    >>> whole_series({"a/04.csv": "who,fee\nAnn,3\n", "a/05.csv": "who,fee\nAnn,3\n"})
    {}
    """
    found: dict[str, str] = {}
    for series in dict.fromkeys(filter(None, map(series_of, texts))):
        parts = [texts[name].strip().splitlines() for name in members(series, texts)]
        rows = [row for part in parts for row in part[1:] if row.strip()]
        is_one = len(parts) > 1 and all(parts) and len({part[0] for part in parts}) == 1
        if is_one and len(set(rows)) == len(rows) > 0:
            found[series] = "\n".join((parts[0][0], *rows))
    return found
