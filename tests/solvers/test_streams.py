"""Streams are Philox 4x64-10 by the book, whatever numpy does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.streams import Stream, key_of, scaled

WORD = (1 << 64) - 1


def _philox(counter: int, key: tuple[int, int]) -> tuple[int, ...]:
    """One block of Philox 4x64-10, after Salmon et al. 2011."""
    a, b, c, d = (counter >> shift & WORD for shift in (0, 64, 128, 192))
    low, high = key
    for _ in range(10):
        first, second = 0xD2E7470EE14C6C93 * a, 0xCA5A826395121157 * c
        a, b, c, d = (second >> 64) ^ b ^ low, second & WORD, (first >> 64) ^ d ^ high, first & WORD
        low, high = (low + 0x9E3779B97F4A7C15) & WORD, (high + 0xBB67AE8584CAA73B) & WORD
    return a, b, c, d


def test_the_plain_philox_gives_the_published_answers() -> None:
    assert _philox(0, (0, 0)) == (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B)
    ones = (1 << 256) - 1
    assert _philox(ones, (WORD, WORD)) == (
        0x87B092C3013FE90B,
        0x438C3C67BE8D0224,
        0x9CC7D7C69CD777B6,
        0xA09CAEBF594F0BA0,
    )


@given(st.binary(min_size=16, max_size=16))
def test_words_are_those_of_the_plain_philox(key: bytes) -> None:
    halves = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    expected = [word for counter in range(1, 5) for word in _philox(counter, halves)]
    assert Stream(key).words(16).tolist() == expected


def test_words_do_not_depend_on_how_many_are_asked_for() -> None:
    whole, parts = Stream(key_of("a")), Stream(key_of("a"))
    assert whole.words(30).tolist() == [word for size in (1, 2, 3, 7, 17) for word in parts.words(size).tolist()]


def test_words_are_pinned() -> None:
    """These numbers never change: datasets depend on them."""
    key = key_of(2027, "archetype", "train", 0)
    assert key.hex() == "7d22434963890056f34dac322cfdff41"
    assert Stream(key).words(2).tolist() == [17741515725457208091, 6508879321837377527]


@given(st.lists(st.integers(0, WORD), min_size=1), st.integers(1, (1 << 32) - 1))
def test_scaled_is_the_exact_product(words: list[int], size: int) -> None:
    assert scaled(np.array(words, np.uint64), size).tolist() == [word * size >> 64 for word in words]


@pytest.mark.parametrize(
    ("left", "right"),
    [((1, "a"), ("1", "a")), (("a", "b"), ("ab",)), (("a", ""), ("", "a")), ((1, 2), (2, 1)), ((12,), (1, 2))],
)
def test_key_of_tells_parts_apart(left: tuple[str | int, ...], right: tuple[str | int, ...]) -> None:
    assert key_of(*left) != key_of(*right)


def test_choose_covers_the_range_evenly() -> None:
    stream = Stream(key_of("even"))
    counts = np.bincount([stream.choose(5) for _ in range(5000)], minlength=5)
    assert counts.sum() == 5000
    assert abs(counts - 1000).max() < 4 * (5000 * 0.2 * 0.8) ** 0.5


def test_choose_from_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="choose among 0"):
        Stream(key_of("x")).choose(0)


def test_a_key_has_16_bytes() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        Stream(b"short")
