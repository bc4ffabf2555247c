"""Tables as text: aligned columns for a terminal, or Markdown. Cells are texts already; nothing is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def plain_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns of equal width, two spaces between them, without a space at the end of a line.

    Raises:
        ValueError: A row has fewer or more cells than `head`.
    """
    return "\n".join("  ".join(cells).rstrip() for cells in _padded([head, *rows]))


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose source has columns of equal width.

    Raises:
        ValueError: A row has fewer or more cells than `head`.
    """
    first, *others = _padded([head, *rows])
    rule = "|".join(["", *("-" * (len(cell) + 2) for cell in first), ""])
    return "\n".join([_markdown_row(first), rule, *map(_markdown_row, others)])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _padded(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
