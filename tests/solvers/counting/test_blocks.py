"""Tables of joint values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solvers.counting.blocks import row_numbers

VALUES = st.one_of(st.integers(0, 2), st.integers(-(2**60), 2**60), st.sampled_from((-(2**60), 2**60)))
"""Few values, so that rows are equal, and some so far apart that five columns of them can't be told by one sum."""


@given(st.lists(st.lists(VALUES, min_size=5, max_size=5), min_size=1, max_size=12), st.integers(1, 5))
def test_rows_have_one_number_if_and_only_if_they_are_equal(table: list[list[int]], width: int) -> None:
    rows = [row[:width] for row in table]
    numbers = row_numbers(np.array(rows, np.int64)).tolist()
    for row, number in zip(rows, numbers, strict=True):
        assert [other == row for other in rows] == [other == number for other in numbers]


def test_rows_are_told_apart_where_their_sum_would_pass_2_to_64() -> None:
    """With five columns of 65,536 values, the first one counts by 2^64, which is 0 in a machine's integers."""
    rows = np.array([[0] * 5, [1, 0, 0, 0, 0], [65_535] * 5], np.int64)
    assert len(set(row_numbers(rows).tolist())) == 3
