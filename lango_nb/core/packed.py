"""Fitted numbers as one file of bytes: what they are, a header in JSON, and a body.

    LANGORT2 │ size of the header, four bytes │ header │ body

Words and features are kept in such a body as hashes of four bytes in ascending order (:class:`Hashes`), so that nothing
has to be built when a process starts.
"""

from __future__ import annotations

import json
import struct
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Any

from lango_nb.core.errors import SettingsError

_SIZE = struct.Struct("<I")
_HASH_BITS = 32
_BUCKET_BITS = 8
"""Leading bits of a hash by which the place of its row is narrowed down."""


def pack(magic: bytes, header: Mapping[str, object], body: bytes) -> bytes:
    """Return a header and a body as bytes; the same ones give the same bytes.

    Parameters
    ----------
    magic : bytes
        Tells what kind of file it is, and in which version.
    header : mapping
    body : bytes

    Examples
    --------
    >>> unpack(b"COWS1", pack(b"COWS1", {"cows": 2}, b"moo"), "these are not cows")
    ({'cows': 2}, b'moo')
    """
    written = json.dumps(header, ensure_ascii=False).encode()
    return b"".join((magic, _SIZE.pack(len(written)), written, body))


def unpack(magic: bytes, data: bytes, refusal: str) -> tuple[dict[str, Any], bytes]:
    """Return the header and the body of a packed file.

    Parameters
    ----------
    magic : bytes
        What the file has to begin with.
    data : bytes
    refusal : str
        What the error says about other bytes.

    Raises
    ------
    SettingsError
        The bytes begin with something else, or end within the header.
    """
    begin = len(magic) + _SIZE.size
    if not data.startswith(magic) or len(data) < begin:
        raise SettingsError(refusal)
    end = begin + _SIZE.unpack_from(data, len(magic))[0]
    if len(data) < end:
        raise SettingsError(refusal)
    return json.loads(data[begin:end]), data[end:]


def hash_of(word: str) -> int:
    """Return the four bytes that stand for a word in a packed file.

    Examples
    --------
    >>> hash_of("cow")
    2580823964
    """
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


class Hashes:
    """The hashes of the rows of a packed table, ascending.

    Parameters
    ----------
    data : buffer
        As :meth:`bytes_of` returns it.

    Examples
    --------
    >>> hashes = Hashes(Hashes.bytes_of(sorted(map(hash_of, ["cow", "milk"]))))
    >>> len(hashes), hashes.place("milk"), hashes.place("tax")
    (2, 1, None)
    """

    def __init__(self, data: bytes | memoryview) -> None:
        self._keys = memoryview(data).cast("I")
        begins = range(0, (1 << _HASH_BITS) + 1, 1 << _HASH_BITS - _BUCKET_BITS)
        self._buckets = [bisect_left(self._keys, begin) for begin in begins]
        """Where the hashes with the same leading bits begin."""

    @staticmethod
    def bytes_of(hashes: Iterable[int]) -> bytes:
        """Return hashes as bytes."""
        return array("I", hashes).tobytes()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._keys)

    def place(self, word: str) -> int | None:
        """Return the number of the first row of a word; ``None`` when there is none."""
        key = hash_of(word)
        bucket = key >> _HASH_BITS - _BUCKET_BITS
        end = self._buckets[bucket + 1]
        place = bisect_left(self._keys, key, self._buckets[bucket], end)
        return place if place < end and self._keys[place] == key else None

    def places(self, word: str) -> range:
        """Return the numbers of all rows of a word."""
        begin = self.place(word)
        if begin is None:
            return range(0)
        end = begin + 1
        while end < len(self._keys) and self._keys[end] == self._keys[begin]:
            end += 1
        return range(begin, end)
