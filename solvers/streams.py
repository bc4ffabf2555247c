"""Keyed random numbers whose values never change.

A key is a hash of everything that a draw depends on. A stream is the Philox 4x64-10 generator (Salmon et al., "Parallel
random numbers: as easy as 1, 2, 3", 2011) under that key, with counters 1, 2, 3, ...: its words are defined by the
algorithm alone, so they don't change with numpy, the machine, or how many are asked for at once.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
_Numbers = npt.NDArray[np.int64]


def key_of(*parts: str | int) -> bytes:
    """Hash names and numbers into a key of 16 bytes; different parts give different keys."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        text = f"{type(part).__name__}:{part}".encode()
        digest.update(len(text).to_bytes(8, "little") + text)
    return digest.digest()


class Stream:
    """The numbers of one key, in order."""

    def __init__(self, key: bytes) -> None:
        if len(key) != 16:
            raise ValueError(f"a key has 16 bytes, and this one has {len(key)}: make it with `key_of`")
        self._generator = np.random.Philox(key=np.frombuffer(key, "<u8").astype(np.uint64))

    def words(self, count: int) -> Words:
        """Return the next `count` words, each uniform over 0 .. 2**64 - 1."""
        return self._generator.random_raw(count)

    def choose(self, size: int) -> int:
        """Return a number in 0 .. size - 1, from the next word; see `scaled`."""
        if size < 1:
            raise ValueError(f"can't choose among {size} things: give 1 or more")
        return int(scaled(self.words(1), size)[0])


def scaled(words: Words, size: int) -> _Numbers:
    """Map words to 0 .. size - 1, as `word * size // 2**64`, for sizes below 2**32.

    The chance of a number is off by at most 2**-64, which is size / 2**64 of itself: below 10**-13 for
    a million values.
    """
    size_ = np.uint64(size)
    high, low = words >> np.uint64(32), words & np.uint64(0xFFFF_FFFF)
    result: _Numbers = ((high * size_ + (low * size_ >> np.uint64(32))) >> np.uint64(32)).astype(np.int64)
    return result
