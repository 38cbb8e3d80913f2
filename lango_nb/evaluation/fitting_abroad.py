"""Make the router's table of words of other languages: ``python -m lango_nb.evaluation.fitting_abroad``.

    data/router/abroad/<language>.tsv   English word, and with | between them its words there, the commonest first

The lists were written for this package. The same lists give the same table to the byte.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from lango_nb.evaluation.fitting import FOLDER
from lango_nb.routing.abroad import ABROAD, MOST_MEANINGS, pack
from lango_nb.routing.content import EMPTY
from lango_nb.routing.features import fold
from lango_nb.routing.function_words import ENGLISH
from lango_nb.routing.words import root

LISTS = FOLDER / "abroad"
_SHORTEST_BEGINNING = 4
_LEFT = 0.7
"""Part of a word that its beginning is, where its forms differ behind it."""


def meanings(folder: Path = LISTS) -> Iterator[tuple[str, str, str]]:
    """Yield words, their languages, and stems of what they mean, the likeliest first, then beginnings of words."""
    for file in sorted(folder.glob("*.tsv")):
        ranked: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
        for line, row in enumerate(file.read_text(encoding="utf-8").splitlines()):
            english, _, words = row.partition("\t")
            for place, word in enumerate(words.split("|")):
                if folded := fold(word.strip()):
                    ranked[folded].append((place, line, "" if english in ENGLISH | EMPTY else root(fold(english))))
        for word, found in ranked.items():
            for _, _, key in sorted(found)[:MOST_MEANINGS]:
                yield word, file.stem, key
        begun: dict[str, str] = {}
        for word, found in sorted(ranked.items(), key=lambda item: (len(item[0]), item[0])):
            size = max(_SHORTEST_BEGINNING, round(len(word) * _LEFT))
            if word.isalpha() and word < "\u3000" and size < len(word):
                begun.setdefault(word[:size], min(found)[2])
        for beginning, key in begun.items():
            yield f"{beginning}*", file.stem, key


def main(arguments: Sequence[str] | None = None) -> None:
    """Read, make, write."""
    parser = argparse.ArgumentParser(description="make the router's table of words of other languages")
    parser.add_argument("--out", type=Path, default=FOLDER / ABROAD)
    options = parser.parse_args(arguments)
    made = pack(meanings())
    options.out.write_bytes(made)
    sys.stdout.write(f"{len(made)} bytes\n")


if __name__ == "__main__":
    main()
