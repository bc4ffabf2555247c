"""A handbook made ready to run: checked names, generated functions, the plan of the search.

In: the part of a page before its config, and the names and kinds of the fixed values, which only a config shows. Out: a
`ReadySystem`, cached, since all pages of a system share it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, assert_never

from compiler.reader.answer.examine import ReadBackward, examine, scope_of
from compiler.reader.answer.generate import Generator, ReadState
from compiler.reader.answer.ready import (
    ReadyEvent,
    ReadyFormula,
    ReadyRule,
    ReadySetting,
    ReadyShown,
    ReadySystem,
)
from compiler.reader.answer.search import Check, make_search, plan_levels
from compiler.reader.answer.traits import Traits, check_plain, slots_of
from compiler.reader.text.errors import ReadError
from compiler.reader.text.fields import NamedItem
from compiler.reader.text.handbook import (
    Handbook,
    ReadAttribute,
    ReadEvent,
    ReadField,
    ReadFixed,
    ReadHidden,
    ReadMeasure,
    ReadPick,
    ReadRule,
    ReadSetting,
)
from compiler.reader.text.limits import MAX_HIDDEN
from compiler.reader.text.parse import read_handbook
from compiler.reader.text.tree import ReadConnective, ReadConst, ReadFormula, ReadLogic
from compiler.reader.text.values import (
    PLAIN_DISPLAY,
    ReadDisplay,
    ReadExact,
    ReadKind,
    kind_of,
    printed_pattern,
    printed_reader,
)


@lru_cache(maxsize=32)
def prepare_system(static_text: str, fixed: tuple[str, ...], kinds: tuple[ReadKind, ...]) -> ReadySystem:
    """Check and compile the part of a page before its config.

    Args:
        static_text: That part.
        fixed: Names of the config values that can't be changed, as `fixed_values` gives them.
        kinds: Kind of each of them, in order.

    Raises:
        ReadError: The text breaks the format, a formula is wrong, or a limit is exceeded.
    """
    book = read_handbook(static_text)
    return _Preparation(book, fixed_values(book, fixed), kinds).build()


def fixed_values(book: Handbook, config: Collection[str]) -> tuple[ReadFixed, ...]:
    """List the config values that formulas use and no rule can change: those with a line, then others in order."""
    defined: list[NamedItem] = [*book.fields, *book.fixed, *book.hidden, *book.columns, *book.relations]
    others = book.names.intersection(config).difference(item.name for item in defined)
    return (*book.fixed, *(ReadFixed(name, PLAIN_DISPLAY, None, 1) for name in sorted(others)))


class _Preparation:
    """Prepares one system; collects the checks of the search as it goes."""

    def __init__(self, book: Handbook, fixed: Sequence[ReadFixed], kinds: Sequence[ReadKind]) -> None:
        self.book = book
        self.fixed = fixed
        for item, kind in zip(fixed, kinds, strict=True):
            if kind is not ReadKind.NUMBER:
                check_plain(item.line, item.display)
        self.scope = scope_of(book, fixed, kinds)
        self.generator = Generator(self.scope)
        self.domains = {field.name: field.values for field in book.fields}
        self.checks: list[Check] = []
        self.observations = 0
        self.used = 0
        self.sizes = self.free_sizes()
        self.free = sum(1 << slot for slot in self.sizes)

    def free_sizes(self) -> dict[int, int]:
        """Count the values of each variable that no line of a page fixes, by slot."""
        sizes = {
            self.scope.slots[quantity.name]: len(quantity.values)
            for quantity in self.book.hidden
            if len(quantity.values) > 1
        }
        rounded = [item for item in self.fixed if item.values is not None and not item.display.plain]
        sizes |= {self.scope.slots[item.name]: len(item.values or ()) for item in rounded if item.display.exact is None}
        if len(sizes) > MAX_HIDDEN:
            uncertain: list[ReadHidden | ReadFixed] = [*self.book.hidden, *rounded]
            line = min(item.line for item in uncertain)
            raise ReadError(line, f"at most {MAX_HIDDEN} quantities without an exact value", str(len(sizes)))
        return sizes

    def build(self) -> ReadySystem:
        book, slots = self.book, self.scope.slots
        profiler = tuple(self.measure(measure) for measure in book.profiler)
        log = tuple(self.event(event) for event in book.events)
        for formula in book.stated:
            traits = self.examine(formula, ReadKind.FLAG)
            self.check(f"not {self.generator.text(formula.expr, 's')}", traits, formula.line)
        stated = self.all_of(book.stated)
        rules = tuple(self.rule(rule) for rule in book.rules)
        sizes = {slot: size for slot, size in self.sizes.items() if self.used >> slot & 1}
        levels = plan_levels(self.checks, sizes)
        return ReadySystem(
            book=book,
            slots=slots,
            exact=self.exact(),
            profiler=profiler,
            log=log,
            loops=tuple(sizes),
            levels=levels,
            search=make_search(self.generator, levels, self.observations),
            moves={slots[field.name]: self.generator.move(slots[field.name], field.line) for field in book.fields},
            stated=stated,
            rules=rules,
        )

    def exact(self) -> dict[str, ReadExact]:
        variables: list[ReadField | ReadFixed | ReadHidden] = [*self.book.fields, *self.fixed, *self.book.hidden]
        return {item.name: item.display.exact for item in variables if item.display.exact is not None}

    def examine(self, formula: ReadFormula, kind: ReadKind | None, back: ReadBackward = ReadBackward.NOT) -> Traits:
        traits = examine(self.scope, formula, kind, back)
        self.used |= traits.variables
        return traits

    def key(self, reads: int) -> Callable[[ReadState], Any] | None:
        slots = slots_of(reads & self.free)
        return itemgetter(*slots) if slots else None

    def flag(self, formula: ReadFormula, back: ReadBackward = ReadBackward.NOT) -> ReadyFormula:
        traits = self.examine(formula, ReadKind.FLAG, back)
        run = self.generator.root(formula.expr, formula.line)
        return ReadyFormula(run, self.scope.steps(traits, formula.line), self.key(traits.variables))

    def all_of(self, formulas: Sequence[ReadFormula]) -> ReadyFormula:
        if not formulas:
            return self.flag(ReadFormula(ReadConst(True), 1))
        expr = ReadLogic(ReadConnective.AND, tuple(formula.expr for formula in formulas))
        return self.flag(ReadFormula(expr, formulas[0].line))

    def check(self, failing: str, traits: Traits, line: int) -> None:
        self.checks.append(Check(failing, traits.reads, self.scope.steps(traits, line)))

    def observe(self) -> str:
        """Give the identifier of a new observation in the search."""
        self.observations += 1
        return f"o{self.observations - 1}"

    def observe_flag(self, formula: ReadFormula) -> None:
        """Add the check of a condition that a page shows to hold or not; None where it doesn't show it."""
        traits = self.examine(formula, ReadKind.FLAG)
        text, seen = self.generator.text(formula.expr, "s"), self.observe()
        self.check(f"{seen} is not None and {text} != {seen}", traits, formula.line)

    def observe_value(self, formula: ReadFormula, display: ReadDisplay) -> ReadKind:
        """Add the check of a printed value, which counts only where it is printed; give its kind."""
        traits = self.examine(formula, None)
        if traits.kind is not ReadKind.NUMBER:
            check_plain(formula.line, display)
        text, seen = self.generator.text(formula.expr, "s"), self.observe()
        amount = _scaled(text, traits.kind, display)
        self.check(f"{seen} is not None and {amount} != {seen}", traits, formula.line)
        return traits.kind

    def measure(self, measure: ReadMeasure) -> ReadyShown:
        if measure.when is not None:
            self.observe_flag(measure.when)
        kind = self.observe_value(measure.formula, measure.display)
        pattern = re.compile(printed_pattern(kind, measure.display))
        read = printed_reader(kind, measure.display)
        return ReadyShown(measure.name, pattern, read, measure.when is not None)

    def event(self, event: ReadEvent) -> ReadyEvent:
        if event.index in self.scope.slots or event.index in self.scope.columns:
            raise ReadError(event.line, "a name that nothing else has", f"`{event.index}`")
        shown: tuple[ReadyShown, ...] = ()
        for at in event.at or (None,):
            with self.scope.line_of(event.index, at):
                if event.when is not None:
                    self.observe_flag(event.when)
                shown = tuple(self.attribute(attribute) for attribute in event.attributes)
        if event.placed is not None:
            self.observe_flag(event.placed)
        index = _attribute(event.index, ReadKind.NUMBER, PLAIN_DISPLAY) if event.at else None
        return ReadyEvent(event.logger, index, event.at, event.when is not None, shown, event.before)

    def attribute(self, attribute: ReadAttribute) -> ReadyShown:
        kind = self.observe_value(attribute.formula, attribute.display)
        return _attribute(attribute.name, kind, attribute.display)

    def rule(self, rule: ReadRule) -> ReadyRule:
        guard = self.flag(rule.when, ReadBackward.START)
        reads = work = 0
        alternatives: list[tuple[ReadySetting, ...]] = []
        for alternative in rule.alternatives:
            choosers: list[ReadySetting] = []
            for setting in alternative:
                chooser, traits, steps = self.setting(setting)
                choosers.append(chooser)
                reads |= traits.variables
                work += steps
            alternatives.append(tuple(choosers))
        return ReadyRule(rule.code, guard, tuple(alternatives), work, self.key(reads))

    def setting(self, setting: ReadSetting) -> tuple[ReadySetting, Traits, int]:
        line = setting.formula.line
        values = self.domains.get(setting.field)
        if values is None:
            raise ReadError(line, "a field that can be changed", f"`{setting.field}`")
        slot = self.scope.slots[setting.field]
        kind = kind_of(values[0])
        wanted = kind if setting.pick is ReadPick.VALUE else ReadKind.FLAG
        traits = self.examine(setting.formula, wanted, ReadBackward.RULE)
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
                    raise ReadError(line, "`first` for a field whose values are not numbers", found)
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


def _attribute(name: str, kind: ReadKind, display: ReadDisplay) -> ReadyShown:
    """Make the reader of an attribute, `name=value` in the text of a line."""
    value = rf"({printed_pattern(kind, display)})(?![\w%/]|\.[0-9])"
    pattern = re.compile(rf"(?<![\w.]){name}=(?:{value})?")
    return ReadyShown(name, pattern, printed_reader(kind, display))
