"""The section Relations: tables, sentences of conversion, relations, conditions that always hold.

In: a `Section`. Out: a `ReadRelations`. Whether names exist is checked later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

import attrs

from compiler.reader.text.cursor import Cursor
from compiler.reader.text.displays import read_ratios
from compiler.reader.text.errors import ReadError
from compiler.reader.text.fields import distinct
from compiler.reader.text.formula import choose
from compiler.reader.text.handbook import ReadColumn, ReadRelation
from compiler.reader.text.sections import NumberedLine, Section
from compiler.reader.text.tree import ReadExpr, ReadFeature, ReadFormula
from compiler.reader.text.values import NAME, ReadValue, kind_of

_TABLE: Final = re.compile(
    rf"(?P<article>One|A) table, a row for each (?P<key>{NAME.pattern})"
    r"(?P<plain>; its columns stand for the row of this run\.)?(?P<other>(?:;| ) ?NAME\[x\] is the entry of row x\.)?"
)
_COLUMNS: Final = "; its columns stand for the row of this run."
_ENTRY: Final = "NAME[x] is the entry of row x."
_RATIO: Final = re.compile(r"[1-9][0-9]* \S")


@attrs.frozen
class ReadRelations:
    """What the section says; `opening` is its first line."""

    opening: NumberedLine
    columns: tuple[ReadColumn, ...]
    ratios: Mapping[str, Fraction]
    relations: tuple[ReadRelation, ...]
    stated: tuple[ReadFormula, ...]
    features: frozenset[ReadFeature]


def read_relations(section: Section) -> ReadRelations:
    """Read the section."""
    if not section.lines:
        raise ReadError(section.line, "a sentence on the numbers", "nothing below the heading")
    return _Reading(section.lines).read()


class _Reading:
    """Takes the lines of the section one by one."""

    def __init__(self, lines: Sequence[NumberedLine]) -> None:
        self.lines = lines
        self.at = 0
        self.features: set[ReadFeature] = set()

    def read(self) -> ReadRelations:
        opening = self.next()
        columns: list[ReadColumn] = []
        heads: list[Cursor] = []
        while (head := self.cursor()) is not None and head.text.startswith(("One table, ", "A table, ")):
            heads.append(head)
            self.at += 1
            columns += self.table(head)
        for head in heads:
            if head.text.startswith("One ") != (len(heads) == 1):
                raise ReadError(
                    head.line, "`One table` above a single table, `A table` above one of several", head.text
                )
        ratios: dict[str, Fraction] = {}
        if (line := self.cursor()) is not None and _RATIO.match(line.text):
            ratios = read_ratios(line)
            self.at += 1
        relations: list[ReadRelation] = []
        stated: list[ReadFormula] = []
        while (line := self.cursor()) is not None:
            self.at += 1
            if line.take("Always: "):
                stated.append(line.formula())
                line.comment()
                self.features |= line.features
            elif stated:
                raise line.fail("`Always: ` and a condition, or the end of the section")
            else:
                relations.append(self.relation(line))
        return ReadRelations(
            opening, distinct(columns), ratios, distinct(relations), tuple(stated), frozenset(self.features)
        )

    def next(self) -> NumberedLine:
        self.at += 1
        return self.lines[self.at - 1]

    def cursor(self) -> Cursor | None:
        """A cursor over the next line, which isn't passed; None at the end."""
        if self.at == len(self.lines):
            return None
        number, text = self.lines[self.at]
        return Cursor(text, number)

    def table(self, head: Cursor) -> list[ReadColumn]:
        """Read the rows of a table below its sentence."""
        plain, keyed = self.table_sentence(head)
        texts = self.column_texts()
        rows: list[list[str]] = []
        numbers: list[int] = []
        while (line := self.cursor()) is not None and line.take("| "):
            if not line.text.endswith(" |") or len(line.text) < 4:
                raise line.fail("cells between bars, ` |` last")
            rows.append(line.text[2:-2].split(" | "))
            numbers.append(line.line)
            self.at += 1
            if len(rows) == 1:
                self.rule(len(rows[0]))
        if len(rows) < 2:
            raise ReadError(head.line, "a table with a row below this line", "none")
        names = [_cell_name(text, numbers[0]) for text in rows[0]]
        if names[0] != keyed:
            raise ReadError(numbers[0], f"a first column `{keyed}`", f"`{names[0]}`")
        if unknown := [name for name in texts if name not in names[1:]]:
            raise ReadError(numbers[0], f"a column `{unknown[0]}`", "none")
        cells = [self.row(row, number, len(names)) for row, number in zip(rows[1:], numbers[1:], strict=True)]
        return self.columns(names, cells, numbers, plain=plain)

    def table_sentence(self, head: Cursor) -> tuple[bool, str]:
        """Read the sentence above a table: whether columns stand for the row of the run, and the header of its keys."""
        found = _TABLE.fullmatch(head.text)
        if found is None or not (found["plain"] or found["other"]):
            raise head.fail(f"`One table, a row for each KEY{_COLUMNS}`, or another sentence on tables")
        if found["other"] and not found["other"].startswith(" " if found["plain"] else "; "):
            raise head.fail(f"`{_ENTRY}` as a sentence or a part of one")
        return bool(found["plain"]), found["key"]

    def column_texts(self) -> list[str]:
        """Pass the lines `NAME  # text` that say what columns hold; give the names."""
        names: list[str] = []
        while (line := self.cursor()) is not None and not line.text.startswith("| "):
            self.at += 1
            name = line.name("a column and what it holds, or the header of the table")
            if not line.comment() or name in names:
                raise line.fail("`  # ` and what the column holds, once for each column")
            names.append(name)
        return names

    def rule(self, width: int) -> None:
        """Pass the line below the header."""
        line = self.cursor()
        if line is None or line.text != "|" + "---|" * width:
            number = self.lines[self.at - 1][0]
            raise ReadError(number + 1, f"`|{'---|' * min(width, 20)}`", "another line" if line else "the end")
        self.at += 1

    def row(self, texts: Sequence[str], number: int, width: int) -> list[ReadValue]:
        if len(texts) != width:
            raise ReadError(number, f"{width} cells", str(len(texts)))
        cells: list[ReadValue] = []
        for text in texts:
            line = Cursor(text, number)
            cells.append(line.value())
            line.end()
        return cells

    def columns(
        self, names: Sequence[str], rows: Sequence[Sequence[ReadValue]], numbers: Sequence[int], *, plain: bool
    ) -> list[ReadColumn]:
        """Give the columns of a table, with rows of distinct keys and columns of one kind each."""
        for at in range(len(names)):
            if len({kind_of(row[at]) for row in rows}) > 1:
                raise ReadError(numbers[0], "numbers alone, flags alone or words alone in a column", f"`{names[at]}`")
        entries: list[dict[ReadValue, ReadValue]] = [{} for _ in names]
        for row, number in zip(rows, numbers[1:], strict=True):
            if row[0] in entries[0]:
                raise ReadError(number, "each key once", f"`{row[0]}` again")
            for column, value in zip(entries, row, strict=True):
                column[row[0]] = value
        key = names[0] if plain else ""
        return [ReadColumn(name, key, column, numbers[0]) for name, column in zip(names[1:], entries[1:], strict=True)]

    def relation(self, line: Cursor) -> ReadRelation:
        name = line.name("a relation, or `Always: `")
        line.need(" =")
        if line.at == len(line.text) or line.text.startswith("  # ", line.at):
            line.comment()
            formula = self.cases(line)
        else:
            line.need(" ")
            formula = line.formula()
            line.comment()
        self.features |= line.features
        return ReadRelation(name, formula, line.line)

    def cases(self, head: Cursor) -> ReadFormula:
        """Read the lines `  VALUE if CONDITION` and, last, `  else VALUE` below the name of a relation."""
        found: list[tuple[ReadExpr, ReadExpr]] = []
        names: frozenset[str] = frozenset()
        while True:
            line = self.cursor()
            if line is None or not line.take("  "):
                raise ReadError(head.line, "lines `  VALUE if CONDITION` and `  else VALUE` below this one", "others")
            self.at += 1
            last = bool(found) and line.take("else ")
            value = line.formula(bare=False)
            names |= value.names
            if not last:
                line.need(" if ", "` if ` and a condition")
                condition = line.formula(bare=False)
                names |= condition.names
                found.append((value.expr, condition.expr))
            line.end()
            self.features |= line.features
            if last:
                return ReadFormula(choose(found, value.expr), head.line, names)


def _cell_name(text: str, number: int) -> str:
    line = Cursor(text, number)
    name = line.name("the name of a column")
    line.end()
    return name
