"""Checked forms: what a program says after names, types and units are settled.

Made by `check`, read by `lints` and by the lowering. No name in here is unresolved, no constant is left to
look up, quantifiers are written out and alternatives of syntax are gone; the lowering can't meet an error.
Frozen values; spans don't take part in comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from dsl.operators import KeepSense, Operator, PickBy
from dsl.source import Span
from dsl.value_types import ValueType


@attrs.frozen
class Spanned:
    """Something with a place in a source."""

    span: Span = attrs.field(kw_only=True, eq=False, repr=False)


# ------------------------------------------------------------------ expressions


@attrs.frozen
class Constant(Spanned):
    """A known value; flags are 0 and 1, members of enumerations their codes.

    Attributes:
        bound: The name that a quantifier or a repeated event gives this value to; empty if it has none.
    """

    value: int
    type: ValueType
    bound: str = attrs.field(default="", kw_only=True, eq=False, repr=False)


@attrs.frozen
class VariableRef(Spanned):
    name: str
    type: ValueType


@attrs.frozen
class RelationRef(Spanned):
    name: str
    type: ValueType


@attrs.frozen
class Operation(Spanned):
    """`op` applied to `args`.

    `+`, `*`, `min`, `max`, `and` and `or` take any number of arguments from one up; `if` takes condition, then,
    else; the others one or two.
    """

    op: Operator
    args: tuple[Typed, ...]
    type: ValueType


@attrs.frozen
class TableRef(Spanned):
    """The entry of a table under `key`."""

    table: str
    entries: tuple[tuple[int, int], ...] = attrs.field(repr=False)
    key: Typed
    type: ValueType


@attrs.frozen
class Within(Spanned):
    """`body` where the given variables have other values, computed outside."""

    body: Typed
    changes: tuple[tuple[str, Typed], ...]
    type: ValueType


@attrs.frozen
class Earlier(Spanned):
    """`body` in an earlier state: in a prescription, that in which the rule fired; in a guard, the run as printed."""

    body: Typed
    type: ValueType


Typed = Constant | VariableRef | RelationRef | Operation | TableRef | Within | Earlier


def subexpressions(expr: Typed) -> tuple[Typed, ...]:
    """The direct sub-expressions."""
    match expr:
        case Constant() | VariableRef() | RelationRef():
            return ()
        case Operation(args=args):
            return args
        case TableRef(key=key):
            return (key,)
        case Within(body=body, changes=changes):
            return (body, *(value for _, value in changes))
        case Earlier(body=body):
            return (body,)


def walk_typed(expr: Typed) -> Iterator[Typed]:
    """Every sub-expression, parents first, from left to right."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(subexpressions(node)))


def substituted(expr: Typed, name: str, value: Constant) -> Typed:
    """`expr` with a value in place of a name that is bound around it."""

    def inside(part: Typed) -> Typed:
        return substituted(part, name, value)

    match expr:
        case VariableRef(name=found):
            return attrs.evolve(value, bound=name, span=expr.span) if found == name else expr
        case Constant() | RelationRef():
            return expr
        case Operation(args=args):
            return attrs.evolve(expr, args=tuple(map(inside, args)))
        case TableRef(key=key):
            return attrs.evolve(expr, key=inside(key))
        case Within(body=body, changes=changes):
            return attrs.evolve(expr, body=inside(body), changes=tuple((each, inside(new)) for each, new in changes))
        case Earlier(body=body):
            return attrs.evolve(expr, body=inside(body))


# ------------------------------------------------------------------ declarations


@attrs.frozen
class Printing:
    """How a number is printed: `value * numerator / denominator` in `unit`, half up to `decimals` decimals."""

    unit: str
    numerator: int
    denominator: int
    decimals: int


@attrs.frozen
class ExactPrinting:
    """How a number is printed with all its digits: `value / denominator` without a unit; as `3e-4` if scientific.

    The denominator is a product of twos and fives, so that the digits come to an end.
    """

    denominator: int
    scientific: bool


PrintingForm = Printing | ExactPrinting


@attrs.frozen
class CheckedTable(Spanned):
    """A lookup table, with an entry for every member of an enumeration or flag that is its key."""

    name: str
    key: ValueType
    value: ValueType
    entries: tuple[tuple[int, int], ...]
    text: str


@attrs.frozen
class CheckedVariable(Spanned):
    """A variable.

    Attributes:
        kind: "config", "given" or "hidden".
        domain: Without repeats, at least one value, as the author wrote them.
        preference: The domain, best first; empty if not editable.
        prefer: In words what `preference` is; empty if not editable.
        printing: Set where the value is printed other than as it is.
        group: Of the printed config; empty at its top level.
        aliases: Other names, as (tool, name).
    """

    name: str
    kind: str
    type: ValueType
    domain: tuple[int, ...]
    text: str
    editable: bool
    preference: tuple[int, ...]
    prefer: str
    default: int
    printing: PrintingForm | None
    group: str = ""
    aliases: tuple[tuple[str, str], ...] = ()


@attrs.frozen
class CheckedRelation(Spanned):
    """A relation; `profiler` ones are shown, numbers as `printing` says and exactly where it is None.

    A shown one with a condition has no value on the page where that doesn't hold.
    """

    name: str
    type: ValueType
    value: Typed
    text: str
    profiler: bool
    printing: PrintingForm | None
    condition: Typed | None = None


@attrs.frozen
class CheckedAttribute(Spanned):
    name: str
    type: ValueType
    value: Typed
    printing: PrintingForm | None


@attrs.frozen
class CheckedEvent(Spanned):
    """A log event; a condition of None always holds.

    Attributes:
        level: "info", "warn" or "error".
        logger: What its line names as its origin; of no other event of the system.
        index: Set for a repeated event: the name that stands in its expressions for each of `at`.
        pace: If its times follow one: the least and most milliseconds that it takes, or a repetition of it.
        occurrences: The event at each value of `at`, named `event@value`, without an index.
        before: Another event, which is neither repeated nor placed, before which its line stands where `placed` holds
            and both are there; empty if it has one place.
    """

    name: str
    text: str
    condition: Typed | None
    attributes: tuple[CheckedAttribute, ...]
    wordings: tuple[str, ...]
    level: str
    logger: str
    index: str = ""
    at: tuple[int, ...] = ()
    pace: tuple[Typed, Typed] | None = None
    occurrences: tuple[CheckedEvent, ...] = ()
    before: str = ""
    placed: Typed | None = None
    wording_spans: tuple[Span, ...] = attrs.field(default=(), eq=False, repr=False)

    @property
    def lines(self) -> tuple[CheckedEvent, ...]:
        """What may print a line: the event itself, or each of its occurrences."""
        return self.occurrences if self.index else (self,)


@attrs.frozen
class CheckedNoiseValue(Spanned):
    """A field, given fact or profiler value that is drawn apart from the run.

    Attributes:
        channel: "config" or "profiler".
        after: The last variable or profiler value that is printed before it; empty if it comes first.
        group: As of a variable.
    """

    name: str
    channel: str
    type: ValueType
    domain: tuple[int, ...]
    printing: PrintingForm | None
    after: str
    group: str


@attrs.frozen
class CheckedNoiseLine(Spanned):
    """A line of the log that is drawn apart from the run.

    Attributes:
        often: In how many of 100 tasks it is there.
        wordings: Texts in which `{3..9}` stands for a random number of that range.
        after: The event behind whose first line it stands, if that is there; empty if any.
        before: The event ahead of whose first line it stands, if that is there; empty if any.
    """

    level: str
    logger: str
    often: int
    wordings: tuple[str, ...]
    wording_spans: tuple[Span, ...] = attrs.field(default=(), eq=False, repr=False)
    after: str = ""
    before: str = ""


@attrs.frozen
class CheckedCondition(Spanned):
    """A `require`, `sound`, `where` or `hard where`; only a `require` can be `stated`, which prompts then print."""

    condition: Typed
    text: str
    stated: bool = False


@attrs.frozen
class CheckedAssign(Spanned):
    field: str
    value: Typed


@attrs.frozen
class CheckedPick(Spanned):
    """The value that `by` chooses among those of the domain for which `where` holds."""

    field: str
    by: PickBy
    where: Typed


CheckedSet = CheckedAssign | CheckedPick


@attrs.frozen
class CheckedKeep(Spanned):
    """A quantity that stays as it is, or doesn't rise or fall; `field` for a config variable."""

    name: str
    sense: KeepSense
    field: bool
    type: ValueType


@attrs.frozen
class CheckedRule(Spanned):
    """A rule; `says` has its constants filled in."""

    name: str
    code: str
    title: str
    guard: Typed
    alternatives: tuple[tuple[CheckedSet, ...], ...]
    keeps: tuple[CheckedKeep, ...]
    says: str


@attrs.frozen
class CheckedSystem(Spanned):
    """A system.

    Attributes:
        variables: Config, then given, then hidden, each in declaration order.
        relations: Each after the relations that it uses, else in declaration order.
        tables: Those that some expression of the system itself uses, in declaration order.
        rules: In runbook order.
        singulars: What stands after a printed 1 instead of a unit, by unit, where that differs.
    """

    name: str
    title: str
    variables: tuple[CheckedVariable, ...]
    relations: tuple[CheckedRelation, ...]
    events: tuple[CheckedEvent, ...]
    tables: tuple[CheckedTable, ...]
    requires: tuple[CheckedCondition, ...]
    sounds: tuple[CheckedCondition, ...]
    keeps: tuple[CheckedKeep, ...]
    rules: tuple[CheckedRule, ...]
    singulars: Mapping[str, str] = attrs.field(factory=dict)
    noise_values: tuple[CheckedNoiseValue, ...] = ()
    noise_lines: tuple[CheckedNoiseLine, ...] = ()

    def variable(self, name: str) -> CheckedVariable:
        return next(variable for variable in self.variables if variable.name == name)

    def relation(self, name: str) -> CheckedRelation:
        return next(relation for relation in self.relations if relation.name == name)

    def rule(self, name: str) -> CheckedRule:
        return next(rule for rule in self.rules if rule.name == name)


def expressions_of(system: CheckedSystem) -> Iterator[Typed]:
    """Every whole expression of a system."""
    for relation in system.relations:
        yield relation.value
        if relation.condition is not None:
            yield relation.condition
    for event in system.events:
        for line in event.lines:
            if line.condition is not None:
                yield line.condition
            for attribute in line.attributes:
                yield attribute.value
        if event.placed is not None:
            yield event.placed
        yield from event.pace or ()
    for condition in (*system.requires, *system.sounds):
        yield condition.condition
    for rule in system.rules:
        yield rule.guard
        yield from read_by_sets(rule)


def read_by_sets(rule: CheckedRule) -> Iterator[Typed]:
    """What the sets of a rule read: the value or the condition of each, in order."""
    for alternative in rule.alternatives:
        for item in alternative:
            yield item.value if isinstance(item, CheckedAssign) else item.where


@attrs.frozen
class CheckedExample(Spanned):
    """An inline example.

    Attributes:
        world: A value for every variable; those that the author doesn't set have their defaults.
        codes: Empty for HEALTHY.
        shows: Relation, expected value and the place that says so.
    """

    text: str
    world: tuple[tuple[str, int], ...]
    codes: tuple[str, ...]
    fix: tuple[tuple[str, int], ...]
    shows: tuple[tuple[str, int, Span], ...] = attrs.field(eq=False)
    codes_span: Span = attrs.field(kw_only=True, eq=False, repr=False)


@attrs.frozen
class CheckedArchetype(Spanned):
    """An archetype or a composition; a composition has two `parts` and the conditions of both, unless fresh.

    Attributes:
        tells: Conditions on what is printed that give the archetype away.
        likes: Archetypes whose tells hold in some of its tasks, with how many in 100.
    """

    name: str
    title: str
    system: str
    faults: tuple[str, ...]
    tier: str
    wheres: tuple[CheckedCondition, ...]
    hards: tuple[CheckedCondition, ...]
    examples: tuple[CheckedExample, ...]
    parts: tuple[str, ...]
    tells: tuple[CheckedCondition, ...] = ()
    likes: tuple[tuple[str, int], ...] = ()
    like_spans: Mapping[str, Span] = attrs.field(factory=dict, eq=False, repr=False)


def written_name(name: str) -> str:
    """How an author writes an observation: `event[10].attribute` for an attribute of `event@10`."""
    line, dot, attribute = name.removesuffix("?").partition(".")
    event, at, place = line.partition("@")
    return f"{event}[{place}]{dot}{attribute}" if at else f"{line}{dot}{attribute}"


@attrs.frozen
class CheckedFact(Spanned):
    """What a source says that its run shows, or that it is.

    Attributes:
        name: Of a variable, a profiler value or an event, or `event.attribute`, as in the evidence.
        shown_if: When the run shows it; None if every run does.
        absent: The run doesn't show it, so `shown_if` doesn't hold.
        value: None if all that is said is that the run shows it, or doesn't.
        printing: How `value` is rounded before it is compared.
        amount: What `value` then is: for a rounded number in units of its last decimal, else as it is.
    """

    name: str
    shown_if: Typed | None = None
    absent: bool = False
    value: Typed | None = None
    printing: PrintingForm | None = None
    amount: int = 0


@attrs.frozen
class CheckedAnswer(Spanned):
    """Codes, none for HEALTHY, and the final values of the changed fields, in field order."""

    codes: tuple[str, ...]
    fix: tuple[tuple[str, int], ...]


@attrs.frozen
class CheckedCase(Spanned):
    """A real run: what is known of it, and the answers of which each is taken for the confirmed one."""

    name: str
    system: str
    source: str
    text: str
    facts: tuple[CheckedFact, ...]
    wheres: tuple[CheckedCondition, ...]
    answers: tuple[CheckedAnswer, ...]


@attrs.frozen
class CheckedRegion(Spanned):
    name: str
    system: str
    condition: Typed


@attrs.frozen
class CheckedSplit(Spanned):
    name: str
    count: int
    boundary: bool
    avoid: tuple[str, ...]
    within: tuple[str, ...]
    interaction: int
    unseen: tuple[str, ...]
    uses: tuple[tuple[str, int], ...]
    near: tuple[tuple[str, int], ...] = ()
    margin: int = 1
    use_spans: Mapping[str, Span] = attrs.field(factory=dict, eq=False, repr=False)


@attrs.frozen
class CheckedDataset(Spanned):
    name: str
    version: str
    seed: int
    title: str
    regions: tuple[CheckedRegion, ...]
    splits: tuple[CheckedSplit, ...]


@attrs.frozen
class CheckedProgram:
    """All that a set of sources declares, each part by name in sorted order."""

    systems: Mapping[str, CheckedSystem]
    archetypes: Mapping[str, CheckedArchetype]
    datasets: Mapping[str, CheckedDataset]
    cases: Mapping[str, CheckedCase] = attrs.field(factory=dict)
