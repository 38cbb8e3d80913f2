"""Make the router's table of what goes together: ``python -m lango_nb.evaluation.fitting_associations``.

    data/router/associations/*.tsv   words by which a kind of work is described, and what people say who need it

    kinds of work by stems ── rare stems more ── its main directions ── one vector per stem ── four bits a number

"The shower drips" is for maintenance: no text of newspapers says so as plainly as somebody who is asked for it. The
lists were written for this package. The same lists give the same table to the byte, with the same numpy. Needs the
extra ``fit``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lango_nb.core.errors import UsageError
from lango_nb.evaluation.fitting import FOLDER
from lango_nb.evaluation.fitting_words import levels_of
from lango_nb.routing.content import content
from lango_nb.routing.nearness import ASSOCIATIONS, pack

LISTS = FOLDER / "associations"
SIZE = 120
"""Main directions that are kept."""
_DESCRIBED = 2.0
"""What a word counts for by which a kind of work is described, beside one that is said."""

Floats = npt.NDArray[np.float64]


class Kind(NamedTuple):
    """A kind of work, by stems."""

    described: frozenset[str]
    said: frozenset[str]


def kinds(folder: Path = LISTS) -> Iterator[Kind]:
    """Yield the kinds of work that lists tell of, one per line.

    Raises
    ------
    UsageError
        A line has no two columns.
    """
    for file in sorted(folder.glob("*.tsv")):
        for place, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            columns = line.split("\t")
            if len(columns) != len(Kind._fields):
                raise UsageError(f"{file.name}, line {place}: two columns with a tab between them are wanted")
            described, said = map(_stems, columns)
            yield Kind(described, said - described)


def table(every: Sequence[Kind], size: int = SIZE) -> bytes:
    """Return the table of the stems of some kinds of work, as :func:`lango_nb.routing.nearness.pack` writes it."""
    spread = Counter(stem for kind in every for stem in kind.described | kind.said)
    stems = sorted(spread)
    rarity = np.log(len(every) / np.array([spread[stem] for stem in stems])) / np.log(len(every))
    places = {stem: place for place, stem in enumerate(stems)}
    counted: Floats = np.zeros((len(stems), len(every)))
    for number, kind in enumerate(every):
        for stems_of_it, weight in ((kind.described, _DESCRIBED), (kind.said, 1.0)):
            counted[[places[stem] for stem in stems_of_it], number] = weight
    counted *= rarity[:, None]
    counted /= np.maximum(np.linalg.norm(counted, axis=0), 1e-9)
    values, directions = np.linalg.eigh(counted.T @ counted)
    main = directions[:, ::-1][:, :size]
    # a stem's place on a direction is its row of U·S; the square root keeps the strongest ones from deciding alone
    scaled = counted @ main / np.maximum(values[::-1][:size], 1e-9) ** 0.25
    steps, levels = levels_of(scaled / np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1e-9))
    telling = np.round(255 * rarity).astype(int).tolist()
    return pack({"size": size, "steps": steps}, dict(zip(stems, zip(telling, levels, strict=True), strict=True)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read, make, write."""
    parser = argparse.ArgumentParser(description="make the router's table of what goes together")
    parser.add_argument("--out", type=Path, default=FOLDER / ASSOCIATIONS)
    options = parser.parse_args(arguments)
    made = table(tuple(kinds()))
    options.out.write_bytes(made)
    sys.stdout.write(f"{len(made)} bytes\n")


def _stems(words: str) -> frozenset[str]:
    return frozenset(one.key for phrase in words.split(",") for one in content(phrase))


if __name__ == "__main__":
    main()
