"""A handbook made ready to run: checked names, generated functions, the plan of the search.

In: the static text and the kinds of the facts. Out: a `System`, cached, since all prompts of one
system share it. Everything that runs works on a `State` (see `generate`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

import attrs

from compiler.reader.answer.generate import Generator, ReadState
from compiler.reader.answer.scope import ReadScope, Traits, check_plain, slots_of
from compiler.reader.answer.search import Check, Level, make_search, plan_levels
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import (
    Attribute,
    Event,
    Fact,
    Field,
    Handbook,
    Hidden,
    ReadKeep,
    ReadPick,
    ReadRule,
    ReadSense,
    Relation,
    Setting,
)
from compiler.reader.text.limits import MAX_HIDDEN
from compiler.reader.text.parse import read_handbook
from compiler.reader.text.tree import Logic, ReadConst, ReadFormula
from compiler.reader.text.values import ReadDisplay, ReadKind, ReadValue, kind_of, printed_pattern, printed_reader


@attrs.frozen
class Shown:
    """A printed relation or attribute.

    Attributes:
        name: Its name.
        pattern: Regular expression for its printed texts.
        read: From such a text to the observation; None if it isn't written as printed.
    """

    name: str
    pattern: re.Pattern[str]
    read: Callable[[str], ReadValue | None]


@attrs.frozen
class LogLine:
    """An event, its attributes, and the pattern of a line that shows it (a group for each)."""

    name: str
    attributes: tuple[Shown, ...]
    pattern: re.Pattern[str]


@attrs.frozen
class Root:
    """A function of a state.

    Attributes:
        run: The function.
        work: Bound on its operations.
        key: From a state to the looped variables' values that matter; None if none do.
    """

    run: Callable[[ReadState], Any]
    work: int
    key: Callable[[ReadState], Any] | None


@attrs.frozen
class ReadKept:
    """A keep with the function for its quantity."""

    name: str
    sense: ReadSense
    value: Root

    def broken(self, old: ReadState, new: ReadState) -> bool:
        """Say whether the quantity changed from `old` to `new` in a way it may not."""
        before, after = self.value.run(old), self.value.run(new)
        if self.sense is ReadSense.EQUAL:
            return bool(before != after)
        return bool(after > before if self.sense is ReadSense.NOT_ABOVE else after < before)


@attrs.frozen
class Chooser:
    """A setting: from a state and the state before the rule to the new state, None without one."""

    field: str
    slot: int
    run: Callable[[ReadState, ReadState], ReadState | None]


@attrs.frozen
class ReadyRule:
    """A rule with its functions; `work` and `key` are those of its settings together."""

    code: str
    guard: Root
    alternatives: tuple[tuple[Chooser, ...], ...]
    keeps: tuple[ReadKept, ...]
    work: int
    key: Callable[[ReadState], Any] | None


@attrs.frozen
class ReadSystem:
    """All that the prompts of a system have in common.

    Attributes:
        slots: Place in a state by name: variables, then relations.
        editable: Fields that may be changed, in rank order.
        profiler: Printed relations in order.
        log: Events in order.
        loops: Slots of the variables that the search tries.
        levels: The plan of the search.
        search: The search itself, see `search.make_search`. The observations are those of the
            profiler, then for each event whether it is printed and its attributes.
        moves: By the slot of an editable field, the function that changes it in a state.
    """

    book: Handbook
    slots: Mapping[str, int]
    editable: tuple[Field, ...]
    profiler: tuple[Shown, ...]
    log: tuple[LogLine, ...]
    loops: tuple[int, ...]
    levels: tuple[Level, ...]
    search: Callable[[ReadState, Sequence[Any], Mapping[int, Sequence[ReadValue]]], Iterator[ReadState]]
    moves: Mapping[int, Callable[[ReadState, ReadValue], ReadState]]
    sound: Root
    valid: Root
    keeps: tuple[ReadKept, ...]
    rules: tuple[ReadyRule, ...]


@lru_cache(maxsize=32)
def build_system(static_text: str, fact_kinds: tuple[ReadKind, ...]) -> ReadSystem:
    """Check and compile the static part of a prompt.

    Raises:
        ReadError: The text breaks the format, a formula is wrong, or a limit is exceeded.
    """
    return _Builder(read_handbook(static_text), fact_kinds).build()


class _Builder:
    def __init__(self, book: Handbook, fact_kinds: Sequence[ReadKind]) -> None:
        self.book = book
        for fact, kind in zip(book.facts, fact_kinds, strict=True):
            if kind is not ReadKind.NUMBER:
                decimals = fact.display.decimals if fact.display else 0
                check_plain(fact.line, fact.unit or (fact.display or ReadDisplay("")).unit, decimals)
        listed: list[Field | Hidden] = [*book.fields, *book.hidden]
        for item in listed:
            if kind_of(item.values[0]) is not ReadKind.NUMBER:
                check_plain(item.line, item.unit, 0)
        self.scope = ReadScope(book, fact_kinds)
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
            uncertain: list[Hidden | Fact] = [*self.book.hidden, *rounded]
            line = min(item.line for item in uncertain)
            raise ReadError(line, f"at most {MAX_HIDDEN} quantities without an exact value", str(len(sizes)))
        return sizes

    def build(self) -> ReadSystem:
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
        return ReadSystem(
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
        traits = self.scope.examine(formula, before=before, kind=kind)
        self.used |= traits.reads
        return traits

    def key(self, reads: int) -> Callable[[ReadState], Any] | None:
        slots = slots_of(reads & self.free)
        return itemgetter(*slots) if slots else None

    def root(self, formula: ReadFormula, kind: ReadKind) -> Root:
        traits = self.examine(formula, kind)
        run = self.generator.root(formula.expr, formula.line)
        return Root(run, self.scope.steps(traits, formula.line), self.key(traits.reads))

    def all_of(self, formulas: Sequence[ReadFormula]) -> Root:
        if not formulas:
            return self.root(ReadFormula(ReadConst(True), 1, frozenset()), ReadKind.FLAG)
        expr = Logic("and", tuple(formula.expr for formula in formulas))
        return self.root(ReadFormula(expr, formulas[0].line, frozenset()), ReadKind.FLAG)

    def check(self, failing: str, traits: Traits, line: int) -> None:
        self.checks.append(Check(failing, traits.reads, self.scope.steps(traits, line)))

    def observe(self) -> str:
        """Give the identifier of a new observation in the search."""
        self.observations += 1
        return f"o{self.observations - 1}"

    def printed(self, relation: Relation) -> Shown:
        slot = self.scope.slots[relation.name]
        own = self.scope.of_name(relation.name, relation.line)
        self.used |= own.reads
        display = relation.display or ReadDisplay("")
        amount = _scaled(f"r{slot}(s)", own.kind, display)
        self.check(f"{amount} != {self.observe()}", own, relation.line)
        return _shown(relation.name, own.kind, display)

    def event(self, event: Event) -> LogLine:
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
        return LogLine(event.name, attributes, re.compile(pattern))

    def attribute(self, attribute: Attribute) -> Shown:
        """Add the check of an attribute, which counts only where its event is printed."""
        traits = self.examine(attribute.formula, None)
        if traits.kind is not ReadKind.NUMBER:
            check_plain(attribute.line, attribute.display.unit, attribute.display.decimals)
        text = self.generator.text(attribute.formula.expr, "s")
        seen = self.observe()
        amount = _scaled(text, traits.kind, attribute.display)
        self.check(f"{seen} is not None and {amount} != {seen}", traits, attribute.line)
        return _shown(attribute.name, traits.kind, attribute.display)

    def keep(self, keep: ReadKeep) -> ReadKept:
        traits = self.scope.of_name(keep.name, keep.line)
        if keep.sense is not ReadSense.EQUAL and traits.kind is not ReadKind.NUMBER:
            raise ReadError(keep.line, "a number to keep from rising or falling", f"`{keep.name}`")
        slot = self.scope.slots[keep.name]
        self.used |= traits.reads
        source = f"s[{slot}]" if slot < self.scope.variables else f"r{slot}(s)"
        run = self.generator.define(self.generator.fresh("q"), "s", [f"return {source}"], keep.line)
        root = Root(run, self.scope.steps(traits, keep.line), self.key(traits.reads))
        return ReadKept(keep.name, keep.sense, root)

    def rule(self, rule: ReadRule) -> ReadyRule:
        guard = self.root(rule.when, ReadKind.FLAG)
        reads = work = 0
        alternatives: list[tuple[Chooser, ...]] = []
        for alternative in rule.alternatives:
            choosers: list[Chooser] = []
            for setting in alternative:
                chooser, traits, steps = self.setting(setting)
                choosers.append(chooser)
                reads |= traits.reads
                work += steps
            alternatives.append(tuple(choosers))
        keeps = tuple(self.keep(keep) for keep in rule.keeps)
        return ReadyRule(rule.code, guard, tuple(alternatives), keeps, work, self.key(reads))

    def setting(self, setting: Setting) -> tuple[Chooser, Traits, int]:
        line = setting.formula.line
        values = self.domains.get(setting.field)
        if values is None:
            raise ReadError(line, "an editable field to set", f"`{setting.field}`")
        slot = self.scope.slots[setting.field]
        kind = kind_of(values[0])
        wanted = kind if setting.pick is ReadPick.VALUE else ReadKind.FLAG
        traits = self.examine(setting.formula, wanted, before=True)
        steps = self.scope.steps(traits, line)
        if setting.pick is ReadPick.VALUE:
            run = self.generator.assign(slot, values, setting.formula.expr, line)
            return Chooser(setting.field, slot, run), traits, steps
        if setting.pick is not ReadPick.FIRST:
            if kind is not ReadKind.NUMBER:
                found = f"`{setting.pick.value}`"
                raise ReadError(line, "`first where` for a field without numbers", found)
            values = tuple(sorted(values, reverse=setting.pick is ReadPick.LARGEST))
        run = self.generator.scan(slot, values, setting.formula.expr, line)
        return Chooser(setting.field, slot, run), traits, steps * len(values)


def _scaled(text: str, kind: ReadKind, display: ReadDisplay) -> str:
    """Give Python text for the printed amount of the value that `text` stands for."""
    if kind is not ReadKind.NUMBER or display.factor == 1:
        return text
    if display.factor is not None:
        return f"{text} * {display.factor}"
    times = 2 * display.times * 10**display.decimals
    return f"({text} * {times} + {display.per}) // {2 * display.per}"


def _shown(name: str, kind: ReadKind, display: ReadDisplay) -> Shown:
    pattern = re.compile(printed_pattern(kind, display))
    return Shown(name, pattern, printed_reader(kind, display))
