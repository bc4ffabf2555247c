"""Tables for a terminal and in Markdown."""

from __future__ import annotations

import pytest

from gpu_train_debug.tables import markdown_table, plain_table


def test_columns_of_a_plain_table_are_aligned_without_space_at_the_end() -> None:
    assert plain_table(["a", "long"], [["wide", "b"], ["", ""]]) == "a     long\nwide  b\n"


def test_the_source_of_a_markdown_table_is_aligned() -> None:
    assert markdown_table(["a", "b"], [["wide", "1"]]) == "| a    | b |\n|------|---|\n| wide | 1 |"


def test_a_row_with_another_number_of_cells_is_refused() -> None:
    with pytest.raises(ValueError):
        plain_table(["a", "b"], [["1"]])
