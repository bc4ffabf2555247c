"""A handbook made ready to run: checked names, generated functions, the plan of the search.

In: the part of a prompt before its config, and the kinds of the facts, which only a config shows. Out: a `ReadySystem`,
cached, since all prompts of a system share it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, assert_never

from compiler.reader.answer.examine import examine, scope_of
from compiler.reader.answer.generate import Generator, ReadState
from compiler.reader.answer.ready import (
    ReadyEvent,
    ReadyFormula,
    ReadyKeep,
    ReadyRule,
    ReadySetting,
    ReadyShown,
    ReadySystem,
)
from compiler.reader.answer.search import Check, make_search, plan_levels
from compiler.reader.answer.traits import Traits, check_plain, slots_of
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import (
    Handbook,
    ReadAttribute,
    ReadEvent,
    ReadFact,
    ReadField,
    ReadHidden,
    ReadKeep,
    ReadPick,
    ReadRelation,
    ReadRule,
    ReadSense,
    ReadSetting,
)
from compiler.reader.text.limits import MAX_HIDDEN
from compiler.reader.text.parse import read_handbook
from compiler.reader.text.tree import ReadConnective, ReadConst, ReadFormula, ReadLogic
from compiler.reader.text.values import ReadDisplay, ReadKind, kind_of, printed_pattern, printed_reader


@lru_cache(maxsize=32)
def prepare_system(static_text: str, fact_kinds: tuple[ReadKind, ...]) -> ReadySystem:
    """Check and compile the part of a prompt before its config.

    Args:
        static_text: That part.
        fact_kinds: Kind of each fact, in order.

    Raises:
        ReadError: The text breaks the format, a formula is wrong, or a limit is exceeded.
    """
    return _Preparation(read_handbook(static_text), fact_kinds).build()


class _Preparation:
    """Prepares one system; collects the checks of the search as it goes."""

    def __init__(self, book: Handbook, fact_kinds: Sequence[ReadKind]) -> None:
        self.book = book
        for fact, kind in zip(book.facts, fact_kinds, strict=True):
            if kind is not ReadKind.NUMBER:
                decimals = fact.display.decimals if fact.display else 0
                check_plain(fact.line, fact.unit or (fact.display or ReadDisplay("")).unit, decimals)
        listed: list[ReadField | ReadHidden] = [*book.fields, *book.hidden]
        for item in listed:
            if kind_of(item.values[0]) is not ReadKind.NUMBER:
                check_plain(item.line, item.unit, 0)
        self.scope = scope_of(book, fact_kinds)
        self.generator = Generator(self.scope)
        self.domains = {field.name: field.values for field in book.fields if not field.locked}
        self.checks: list[Check] = []
        self.observations = 0
        self.used = 0
        self.sizes = self.free_sizes()
        self.free = sum(1 << slot for slot in self.sizes)

    def free_sizes(self) -> dict[int, int]:
        """Count the values of each variable that no line of a prompt fixes, by slot."""
        sizes = {
            self.scope.slots[quantity.name]: len(quantity.values)
            for quantity in self.book.hidden
            if len(quantity.values) > 1
        }
        rounded = [fact for fact in self.book.facts if fact.values is not None and fact.display is not None]
        sizes |= {self.scope.slots[fact.name]: len(fact.values or ()) for fact in rounded}
        if len(sizes) > MAX_HIDDEN:
            uncertain: list[ReadHidden | ReadFact] = [*self.book.hidden, *rounded]
            line = min(item.line for item in uncertain)
            raise ReadError(line, f"at most {MAX_HIDDEN} quantities without an exact value", str(len(sizes)))
        return sizes

    def build(self) -> ReadySystem:
        book, slots = self.book, self.scope.slots
        profiler = tuple(self.printed(relation) for relation in book.relations if relation.display is not None)
        log = tuple(self.event(event) for event in book.events)
        for formula in book.valid:
            traits = self.examine(formula, ReadKind.FLAG)
            self.check(f"not {self.generator.text(formula.expr, 's')}", traits, formula.line)
        sound = self.all_of(book.sound)
        valid = self.all_of(book.valid)
        keeps = tuple(self.keep(keep) for keep in book.keeps)
        rules = tuple(self.rule(rule) for rule in book.rules)
        editable = tuple(field for field in book.fields if not field.locked)
        sizes = {slot: size for slot, size in self.sizes.items() if self.used >> slot & 1}
        levels = plan_levels(self.checks, sizes)
        return ReadySystem(
            book=book,
            slots=slots,
            editable=editable,
            profiler=profiler,
            log=log,
            loops=tuple(sizes),
            levels=levels,
            search=make_search(self.generator, levels, self.observations),
            moves={slots[field.name]: self.generator.move(slots[field.name], field.line) for field in editable},
            sound=sound,
            valid=valid,
            keeps=keeps,
            rules=rules,
        )

    def examine(self, formula: ReadFormula, kind: ReadKind | None, *, before: bool = False) -> Traits:
        traits = examine(self.scope, formula, kind, before=before)
        self.used |= traits.reads
        return traits

    def key(self, reads: int) -> Callable[[ReadState], Any] | None:
        slots = slots_of(reads & self.free)
        return itemgetter(*slots) if slots else None

    def root(self, formula: ReadFormula, kind: ReadKind) -> ReadyFormula:
        traits = self.examine(formula, kind)
        run = self.generator.root(formula.expr, formula.line)
        return ReadyFormula(run, self.scope.steps(traits, formula.line), self.key(traits.reads))

    def all_of(self, formulas: Sequence[ReadFormula]) -> ReadyFormula:
        if not formulas:
            return self.root(ReadFormula(ReadConst(True), 1, frozenset()), ReadKind.FLAG)
        expr = ReadLogic(ReadConnective.AND, tuple(formula.expr for formula in formulas))
        return self.root(ReadFormula(expr, formulas[0].line, frozenset()), ReadKind.FLAG)

    def check(self, failing: str, traits: Traits, line: int) -> None:
        self.checks.append(Check(failing, traits.reads, self.scope.steps(traits, line)))

    def observe(self) -> str:
        """Give the identifier of a new observation in the search."""
        self.observations += 1
        return f"o{self.observations - 1}"

    def printed(self, relation: ReadRelation) -> ReadyShown:
        slot = self.scope.slots[relation.name]
        own = self.scope.of_name(relation.name, relation.line)
        self.used |= own.reads
        display = relation.display or ReadDisplay("")
        amount = _scaled(f"r{slot}(s)", own.kind, display)
        self.check(f"{amount} != {self.observe()}", own, relation.line)
        return _shown(relation.name, own.kind, display)

    def event(self, event: ReadEvent) -> ReadyEvent:
        present = self.observe()
        when = Traits(ReadKind.FLAG)
        text = "True"
        if event.when is not None:
            when = self.examine(event.when, ReadKind.FLAG)
            text = self.generator.text(event.when.expr, "s")
        self.check(f"{text} != {present}", when, event.line)
        attributes = tuple(self.attribute(attribute) for attribute in event.attributes)
        listed = ", ".join(f"{shown.name}=({shown.pattern.pattern})" for shown in attributes)
        pattern = rf"\[{event.name}\] .+" + (rf" \({listed}\)" if attributes else "")
        return ReadyEvent(event.name, attributes, re.compile(pattern))

    def attribute(self, attribute: ReadAttribute) -> ReadyShown:
        """Add the check of an attribute, which counts only where its event is printed."""
        traits = self.examine(attribute.formula, None)
        if traits.kind is not ReadKind.NUMBER:
            check_plain(attribute.line, attribute.display.unit, attribute.display.decimals)
        text = self.generator.text(attribute.formula.expr, "s")
        seen = self.observe()
        amount = _scaled(text, traits.kind, attribute.display)
        self.check(f"{seen} is not None and {amount} != {seen}", traits, attribute.line)
        return _shown(attribute.name, traits.kind, attribute.display)

    def keep(self, keep: ReadKeep) -> ReadyKeep:
        traits = self.scope.of_name(keep.name, keep.line)
        if keep.sense is not ReadSense.EQUAL and traits.kind is not ReadKind.NUMBER:
            expected = "a number after `raises`, `lowers`, `not above` or `not below`"
            raise ReadError(keep.line, expected, f"`{keep.name}`")
        slot = self.scope.slots[keep.name]
        self.used |= traits.reads
        source = f"s[{slot}]" if slot < self.scope.variables else f"r{slot}(s)"
        run = self.generator.define(self.generator.fresh("q"), "s", [f"return {source}"], keep.line)
        root = ReadyFormula(run, self.scope.steps(traits, keep.line), self.key(traits.reads))
        return ReadyKeep(keep.name, keep.sense, root)

    def rule(self, rule: ReadRule) -> ReadyRule:
        guard = self.root(rule.when, ReadKind.FLAG)
        reads = work = 0
        alternatives: list[tuple[ReadySetting, ...]] = []
        for alternative in rule.alternatives:
            choosers: list[ReadySetting] = []
            for setting in alternative:
                chooser, traits, steps = self.setting(setting)
                choosers.append(chooser)
                reads |= traits.reads
                work += steps
            alternatives.append(tuple(choosers))
        keeps = tuple(self.keep(keep) for keep in rule.keeps)
        return ReadyRule(rule.code, guard, tuple(alternatives), keeps, work, self.key(reads))

    def setting(self, setting: ReadSetting) -> tuple[ReadySetting, Traits, int]:
        line = setting.formula.line
        values = self.domains.get(setting.field)
        if values is None:
            raise ReadError(line, "an editable field to set", f"`{setting.field}`")
        slot = self.scope.slots[setting.field]
        kind = kind_of(values[0])
        wanted = kind if setting.pick is ReadPick.VALUE else ReadKind.FLAG
        traits = self.examine(setting.formula, wanted, before=True)
        steps = self.scope.steps(traits, line)
        match setting.pick:
            case ReadPick.VALUE:
                run = self.generator.assign(slot, values, setting.formula.expr, line)
                return ReadySetting(setting.field, slot, run), traits, steps
            case ReadPick.FIRST:
                order = values
            case ReadPick.LARGEST | ReadPick.SMALLEST:
                if kind is not ReadKind.NUMBER:
                    found = f"`{setting.pick.value}`"
                    raise ReadError(line, "`first where` for a field whose values are not numbers", found)
                order = tuple(sorted(values, reverse=setting.pick is ReadPick.LARGEST))
            case _:
                assert_never(setting.pick)
        run = self.generator.scan(slot, order, setting.formula.expr, line)
        return ReadySetting(setting.field, slot, run), traits, steps * len(values)


def _scaled(text: str, kind: ReadKind, display: ReadDisplay) -> str:
    """Give Python text for the printed amount of the value that `text` stands for."""
    if kind is not ReadKind.NUMBER or display.factor == 1:
        return text
    if display.factor is not None:
        return f"{text} * {display.factor}"
    times = 2 * display.times * 10**display.decimals
    return f"({text} * {times} + {display.per}) // {2 * display.per}"


def _shown(name: str, kind: ReadKind, display: ReadDisplay) -> ReadyShown:
    pattern = re.compile(printed_pattern(kind, display))
    return ReadyShown(name, pattern, printed_reader(kind, display))
