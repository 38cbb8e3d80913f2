"""Concepts of words: a small dictionary of ten languages says which of them mean about the same in a request.

The table is ``data/reading/lexicon.tsv``. It knows nothing of sentences: a word may have several concepts, and what they
say of a request is learned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise

from lango_nb.models.offline.acts import read_table
from lango_nb.models.offline.words import UNSPACED, Word
from lango_nb.routing.features import fold

_SHORTEST = 3
"""Letters of the shortest beginning that stands for words."""
_NONE: frozenset[str] = frozenset()
Concepts = frozenset[str]


class Lexicon:
    """Concepts by word, beginning, phrase and, where words have no blanks between them, by piece.

    Parameters
    ----------
    rows : sequence of sequence of str
        Concept, language, and words with commas between them.
    """

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        found: dict[str, dict[str, set[str]]] = {
            kind: defaultdict(set) for kind in ("word", "start", "phrase", "piece")
        }
        for concept, _, listed in rows:
            for entry in listed.split(","):
                word = fold(entry.strip())
                if not word:
                    continue
                kind = "word"
                if not word.isascii() and word[0] > "\u3000":
                    kind = "piece"
                elif word.endswith("*"):
                    kind, word = "start", word[:-1]
                elif " " in word:
                    kind = "phrase"
                found[kind][word].add(concept)
        self._words, self._starts, self._phrases, self._pieces = (
            {word: frozenset(concepts) for word, concepts in found[kind].items()}
            for kind in ("word", "start", "phrase", "piece")
        )
        self._longest_start = max(map(len, self._starts), default=0)
        self._longest_piece = max(map(len, self._pieces), default=0)
        self._longest_phrase = max((phrase.count(" ") + 1 for phrase in self._phrases), default=0)
        self._of_word = lru_cache(maxsize=4096)(self._look_up)

    def _look_up(self, word: str) -> Concepts:
        found = set(self._words.get(word, _NONE))
        for size in range(_SHORTEST, min(len(word), self._longest_start) + 1):
            found |= self._starts.get(word[:size], _NONE)
        return frozenset(found)

    def concepts(self, words: Sequence[Word]) -> tuple[Concepts, ...]:
        """Return the concepts of every word.

        Parameters
        ----------
        words : sequence of Word, length n

        Returns
        -------
        tuple of frozenset of str, length n

        Examples
        --------
        >>> from lango_nb.models.offline.words import words
        >>> told = lexicon().concepts(words("zeig mir die letzte Zeile"))
        >>> sorted(told[0] & {"show"}), sorted(told[3] & {"last"}), sorted(told[4] & {"line"})
        (['show'], ['last'], ['line'])
        """
        found = [_NONE if word.kind in UNSPACED else self._of_word(word.folded) for word in words]
        for place in range(len(words)):
            for size in range(2, min(self._longest_phrase, len(words) - place) + 1):
                phrase = " ".join([word.folded for word in words[place : place + size]])
                if phrase in self._phrases:
                    for covered in range(place, place + size):
                        found[covered] |= self._phrases[phrase]
        place = 0
        while place < len(words):
            size = self._piece_at(words, place)
            if size:
                piece = "".join([word.folded for word in words[place : place + size]])
                for covered in range(place, place + size):
                    found[covered] |= self._pieces[piece]
            place += size or 1
        return tuple(found)

    def _piece_at(self, words: Sequence[Word], place: int) -> int:
        """Return how many words the longest piece has that begins at a place; 0 when none does."""
        if words[place].kind not in UNSPACED:
            return 0
        run = 1
        for one, following in pairwise(words[place : place + self._longest_piece]):
            if following.kind not in UNSPACED or following.start != one.end:
                break
            run += 1
        return next(
            (
                size
                for size in range(run, 0, -1)
                if "".join([word.folded for word in words[place : place + size]]) in self._pieces
            ),
            0,
        )


@cache
def lexicon() -> Lexicon:
    """Return the lexicon that comes with the package; read once."""
    return Lexicon([row for row in read_table("lexicon.tsv") if len(row) > 2])  # noqa: PLR2004 - its columns
