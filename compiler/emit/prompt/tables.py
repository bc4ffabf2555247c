"""The lookup tables of a handbook: those with the same keys stand side by side.

In: a system, what decides in it, and what its names stand for. Out: lines. A table is introduced by a sentence and by
what its columns hold; it starts with a row of headings: what its columns are read by (`key` if formulas read them in
other ways only), then the name of each column.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from compiler.emit.prompt.slice import Slice
from compiler.emit.prompt.text import commented, word
from compiler.emit.prompt.vocabulary import Vocabulary
from compiler.plan import SystemPlan, TablePlan

KEY = "key"
"""The heading of the first column where no name reads the table."""


@attrs.frozen
class _Table:
    """Columns that stand side by side."""

    key: str
    rows: tuple[str, ...]
    columns: tuple[TablePlan, ...]


def table_lines(system: SystemPlan, slice_: Slice, names: Vocabulary) -> tuple[str, ...]:
    """The needed tables, with an empty line after each."""
    grouped: dict[tuple[str, tuple[str, ...]], list[TablePlan]] = {}
    for table in system.tables:
        if table.name in slice_.tables:
            grouped.setdefault((names.columns.get(table.name, KEY), _keys(table)), []).append(table)
    tables = [_Table(key, rows, tuple(columns)) for (key, rows), columns in grouped.items()]
    start = "One table" if len(tables) == 1 else "A table"
    return tuple(line for table in tables for line in (*_lines(table, start, names), ""))


def _keys(table: TablePlan) -> tuple[str, ...]:
    labels = table.key_labels
    return tuple(str(key) if labels is None else word(labels[key]) for key, _ in table.entries)


def _lines(table: _Table, start: str, names: Vocabulary) -> Iterator[str]:
    yield _introduction(table, start, names)
    for column in table.columns:
        if column.text:
            yield commented(column.name, column.text)
    yield _row(table.key, *(column.name for column in table.columns))
    yield f"|{'---|' * (len(table.columns) + 1)}"
    for number, row in enumerate(table.rows):
        yield _row(row, *(_entry(column, number) for column in table.columns))


def _introduction(table: _Table, start: str, names: Vocabulary) -> str:
    by_row = "NAME[x] is the entry of row x."
    head = f"{start}, a row for each {table.key}; "
    if not any(column.name in names.columns for column in table.columns):
        return head + by_row
    plain = "its columns stand for the row of this run."
    keyed = any(column.name in names.keyed for column in table.columns)
    return f"{head}{plain} {by_row}" if keyed else head + plain


def _entry(table: TablePlan, number: int) -> str:
    value = table.entries[number][1]
    return str(value) if table.value_labels is None else word(table.value_labels[value])


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
