"""The syntax tree: what one `.arch` file says, before names are resolved.

Frozen attrs classes; sequences are tuples; the span doesn't take part in comparison, so two trees are
equal when they mean the same. The printer's output parses to an equal tree.
"""

from __future__ import annotations

import attrs

from dsl.operators import BinaryOp, Cast, Function, KeepSense, PickBy, Quantifier, Rounding, UnaryOp
from dsl.source import Span


def _span() -> Span:
    return attrs.field(kw_only=True, eq=False, repr=False)  # type: ignore[no-any-return]


@attrs.frozen
class Ident:
    """A name at a place: a declared one or a mention."""

    name: str
    span: Span = _span()


# ------------------------------------------------------------------ expressions


@attrs.frozen
class IntLit:
    """`1024`, `1_024`, `1024 MiB`, `2^20`."""

    value: int
    unit: str | None = None
    span: Span = _span()


@attrs.frozen
class BoolLit:
    value: bool
    span: Span = _span()


@attrs.frozen
class StrLit:
    """A quoted enumeration member, such as `"fp8-e4m3"`."""

    value: str
    span: Span = _span()


@attrs.frozen
class Name:
    """A variable, relation, constant, bound name, or an unquoted enumeration member."""

    name: str
    span: Span = _span()


@attrs.frozen
class Unary:
    """`-a`, `not a`."""

    op: UnaryOp
    operand: Expression
    span: Span = _span()


@attrs.frozen
class Binary:
    """`a + b` and the like; `floor(a / b)` and `ceil(a / b)` are the two divisions."""

    op: BinaryOp
    left: Expression
    right: Expression
    span: Span = _span()


@attrs.frozen
class Call:
    """`min(a, b, ...)`, `max(a, b, ...)`, `abs(a)`, `number(a)` (drops the unit)."""

    function: Function | Cast
    args: tuple[Expression, ...]
    span: Span = _span()


@attrs.frozen
class Quantified:
    """`sum(v in values: body)`, `count(...)`, `any(...)`, `all(...)`, over listed values.

    `values` is a domain, or a variable's name, which stands for its domain.
    """

    function: Quantifier
    bound: Ident
    values: Domain | Ident
    body: Expression
    span: Span = _span()


@attrs.frozen
class If:
    """`if condition then a else b`."""

    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span = _span()


@attrs.frozen
class First:
    """`first { value: condition, ... } else value`: the value of the first condition that holds.

    Attributes:
        cases: Values with their conditions, in the order in which these are tried.
    """

    cases: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression
    span: Span = _span()


@attrs.frozen
class In:
    """`x in {a, b}`."""

    operand: Expression
    values: tuple[Expression, ...]
    span: Span = _span()


@attrs.frozen
class Index:
    """`table[key]`."""

    table: Ident
    key: Expression
    span: Span = _span()


@attrs.frozen
class WithClause:
    """`e with (field = value, ...)`: e in the world that differs in these variables."""

    body: Expression
    changes: tuple[tuple[Ident, Expression], ...]
    span: Span = _span()


@attrs.frozen
class BeforeCall:
    """`before(e)`: e in the state in which the rule fired. Only in prescriptions."""

    body: Expression
    span: Span = _span()


@attrs.frozen
class PrintedCall:
    """`printed(e)`: e in the run as printed. Only in guards."""

    body: Expression
    span: Span = _span()


@attrs.frozen
class To:
    """`e to GiB`, `e to GiB down`, `e to GiB up`: conversion to another unit."""

    operand: Expression
    unit: Ident
    rounding: Rounding
    span: Span = _span()


@attrs.frozen
class As:
    """`e as MiB`: gives a plain number a unit."""

    operand: Expression
    unit: Ident
    span: Span = _span()


Expression = (
    IntLit | BoolLit | StrLit | Name | Unary | Binary | Call | Quantified | If | First | In | Index
    | WithClause | BeforeCall | PrintedCall | To | As
)  # fmt: skip


# ------------------------------------------------------------------ types and domains


@attrs.frozen
class SetDomain:
    """`{1, 2, 4}`, `{T1, T7}`."""

    values: tuple[Expression, ...]
    span: Span = _span()


@attrs.frozen
class RangeDomain:
    """`0..1_536 step 256`, both ends included where the step meets them."""

    low: int
    high: int
    step: int
    span: Span = _span()


@attrs.frozen
class Pow2Domain:
    """`pow2 1..64`: the powers of two in the range."""

    low: int
    high: int
    span: Span = _span()


Domain = SetDomain | RangeDomain | Pow2Domain


@attrs.frozen
class NamedType:
    """`int`, `bool`, a unit, or a declared enumeration."""

    name: Ident
    span: Span = _span()


@attrs.frozen
class EnumType:
    """An enumeration written in place: `{none, selective, full}`."""

    members: tuple[str, ...]
    span: Span = _span()


Type = NamedType | EnumType


@attrs.frozen
class Show:
    """`show GiB to 1 decimal`, `show to 2 decimals`: how a value is printed (and rounded, half up)."""

    unit: Ident | None
    decimals: int
    span: Span = _span()


@attrs.frozen
class ShowDivided:
    """`show divided by 1000`, `show divided by 10^7 scientific`: printed as a decimal fraction, with all its digits."""

    divisor: int
    scientific: bool
    span: Span = _span()


ShowForm = Show | ShowDivided


# ------------------------------------------------------------------ declarations outside a system


@attrs.frozen
class Import:
    """`import "units.arch"`: everything that file declares, relative to the importing file."""

    path: str
    span: Span = _span()


@attrs.frozen
class UnitDecl:
    """`unit MiB`, `unit GiB = 1024 MiB`, `unit steps singular step`."""

    name: Ident
    factor: int | None
    base: Ident | None
    singular: Ident | None = None
    span: Span = _span()


@attrs.frozen
class EnumDecl:
    """`enum Model { T1, T3, "T7-chat" }`."""

    name: Ident
    members: tuple[str, ...]
    span: Span = _span()


@attrs.frozen
class ConstDecl:
    """`const ctx_mem = 1024 MiB "driver and communication context"`."""

    name: Ident
    value: Expression
    text: str | None
    span: Span = _span()


@attrs.frozen
class TableDecl:
    """`table layers: Model -> int { T1: 16, T3: 28 } "decoder layers"`."""

    name: Ident
    key: Type
    value: Type
    entries: tuple[tuple[Expression, Expression], ...]
    text: str | None
    span: Span = _span()


# ------------------------------------------------------------------ systems


@attrs.frozen
class VarDecl:
    """A config, given or hidden variable.

    `prefer` is "larger", "smaller", "listed", or the values in order; None where nothing is said. `aliases` are other
    names, such as "deepspeed:train_batch_size".
    """

    name: Ident
    type: Type
    domain: Domain | None
    text: str | None
    locked: bool = False
    prefer: str | tuple[Expression, ...] | None = None
    default: Expression | None = None
    show: ShowForm | None = None
    aliases: tuple[StrLit, ...] = ()
    span: Span = _span()


@attrs.frozen
class NoiseValue:
    """`noise step_time: ms in 200..300 step 7`: a field or profiler value drawn apart from the run."""

    name: Ident
    type: Type
    domain: Domain | None
    show: ShowForm | None = None
    span: Span = _span()


@attrs.frozen
class VarGroup:
    """`group model { ... }` in `config` or `given`: variables that the config prints together under this name."""

    name: Ident
    items: tuple[VarDecl | NoiseValue, ...]
    span: Span = _span()


@attrs.frozen
class VarBlock:
    """`config { ... }`, `given { ... }`, `hidden { ... }`."""

    kind: str
    items: tuple[VarDecl | NoiseValue | VarGroup, ...]
    span: Span = _span()

    @property
    def variables(self) -> tuple[VarDecl, ...]:
        """Those in groups too, in order."""
        return tuple(item for _, item in self.grouped if isinstance(item, VarDecl))

    @property
    def grouped(self) -> tuple[tuple[Ident | None, VarDecl | NoiseValue], ...]:
        """Everything that has a value, in order, with the name of its group if it stands in one."""
        found: list[tuple[Ident | None, VarDecl | NoiseValue]] = []
        for item in self.items:
            found += [(item.name, each) for each in item.items] if isinstance(item, VarGroup) else [(None, item)]
        return tuple(found)


@attrs.frozen
class RelationDecl:
    """`let usable: MiB = ... "text"`, or the same inside `profiler { ... }`, with a condition or `show` if need be."""

    name: Ident
    type: Type | None
    value: Expression
    text: str | None
    show: ShowForm | None = None
    condition: Expression | None = None
    span: Span = _span()


@attrs.frozen
class ProfilerBlock:
    """`profiler { ... }`."""

    items: tuple[RelationDecl | NoiseValue, ...]
    span: Span = _span()

    @property
    def relations(self) -> tuple[RelationDecl, ...]:
        return tuple(item for item in self.items if isinstance(item, RelationDecl))


@attrs.frozen
class AttrDecl:
    """`attr request: MiB = act_mem show GiB to 1 decimal`."""

    name: Ident
    type: Type | None
    value: Expression
    show: ShowForm | None = None
    span: Span = _span()


@attrs.frozen
class Pace:
    """`every step_ms`, or `every 200..600`: the milliseconds of a repetition, or after `takes`, those of an event.

    One number has no `high`.
    """

    low: Expression
    high: Expression | None
    span: Span = _span()


@attrs.frozen
class Repetition:
    """`for step in {1, 10, 50} every step_ms`: a line for each value."""

    index: Ident
    values: SetDomain
    pace: Pace | None = None
    span: Span = _span()


@attrs.frozen
class Placement:
    """`before other when condition`: where the line stands directly before that of another event."""

    other: Ident
    condition: Expression
    span: Span = _span()


@attrs.frozen
class EventDecl:
    """`event alloc_fail when peak > usable warn by allocator { attr ... says "..." | "..." }`.

    A repetition or `takes` stands before `when`, a placement behind it. `level` is "info", "warn" or "error", or None.
    """

    name: Ident
    condition: Expression | None
    text: str | None
    attributes: tuple[AttrDecl, ...]
    wordings: tuple[StrLit, ...]
    level: str | None = None
    logger: Ident | None = None
    repetition: Repetition | None = None
    placement: Placement | None = None
    takes: Pace | None = None
    span: Span = _span()

    @property
    def pace(self) -> Pace | None:
        """What the times of its lines follow, after `every` or `takes`."""
        return self.takes if self.repetition is None else self.repetition.pace


@attrs.frozen
class NoiseLine:
    """`noise info by health often 30 after ready { says "..." | "..." }`: a line of the log drawn apart from the run.

    `level` is "info", "warn" or "error"; None where nothing is said. It stands behind the event `after`, and ahead of
    the event `before`, if the author says so.
    """

    level: str | None
    logger: Ident
    often: int | None
    wordings: tuple[StrLit, ...]
    after: Ident | None = None
    before: Ident | None = None
    span: Span = _span()


@attrs.frozen
class LogBlock:
    """`log { ... }`."""

    items: tuple[EventDecl | NoiseLine, ...]
    span: Span = _span()

    @property
    def events(self) -> tuple[EventDecl, ...]:
        return tuple(item for item in self.items if isinstance(item, EventDecl))


@attrs.frozen
class RequireDecl:
    """`require tp * pp <= world "text"`: which worlds exist; `require stated` has a text, and prompts print it."""

    condition: Expression
    text: str | None
    stated: bool = False
    span: Span = _span()


@attrs.frozen
class SoundDecl:
    """`sound peak_mem <= usable "text"`; several are joined by and."""

    condition: Expression
    text: str | None
    span: Span = _span()


@attrs.frozen
class KeepDecl:
    """`keep global_batch, lr`, `keep lr not above`."""

    names: tuple[Ident, ...]
    sense: KeepSense
    span: Span = _span()


@attrs.frozen
class SetAssign:
    """`field = e`."""

    field: Ident
    value: Expression
    span: Span = _span()


@attrs.frozen
class SetPick:
    """`field = largest where condition`."""

    field: Ident
    by: PickBy
    where: Expression
    span: Span = _span()


@attrs.frozen
class SetKeeps:
    """`field keeps quantity`: the most preferred value that leaves the quantity as before."""

    field: Ident
    quantity: Ident
    span: Span = _span()


SetItem = SetAssign | SetPick | SetKeeps


@attrs.frozen
class SetGroup:
    sets: tuple[SetItem, ...]
    span: Span = _span()


@attrs.frozen
class RuleDecl:
    """`rule act_peak ACT_PEAK_OVER_BUDGET "title" { when ... set ... else set ... keep ... says ... }`."""

    name: Ident
    code: Ident
    title: str
    guard: Expression
    alternatives: tuple[SetGroup, ...]
    keeps: tuple[KeepDecl, ...]
    says: StrLit | None
    span: Span = _span()


@attrs.frozen
class RunbookDecl:
    """`runbook data_partition, act_peak`: every rule of the system, in firing order."""

    rules: tuple[Ident, ...]
    span: Span = _span()


SystemItem = (
    VarBlock | RelationDecl | ProfilerBlock | LogBlock | RequireDecl | SoundDecl | KeepDecl | RuleDecl
    | RunbookDecl | ConstDecl | TableDecl | EnumDecl
)  # fmt: skip


@attrs.frozen
class SystemDecl:
    """`system memory "title" { ... }`; the title opens the prompts."""

    name: Ident
    title: str
    items: tuple[SystemItem, ...]
    span: Span = _span()


# ------------------------------------------------------------------ archetypes and datasets


@attrs.frozen
class Example:
    """`example "text" { gpu_mem = 81920 MiB, ... } => CODE + CODE { field = value } shows { peak_mem = 88704 MiB }`.

    Variables that aren't set take their defaults. `codes` is empty for HEALTHY.
    """

    text: str | None
    settings: tuple[tuple[Ident, Expression], ...]
    codes: tuple[Ident, ...]
    fix: tuple[tuple[Ident, Expression], ...]
    shows: tuple[tuple[Ident, Expression], ...]
    span: Span = _span()


@attrs.frozen
class Where:
    """`where e`, or `hard where e` (boundary tasks)."""

    condition: Expression
    hard: bool = False
    span: Span = _span()


@attrs.frozen
class Like:
    """`like single_unit 40`: 40 percent of the tasks show what gives that archetype away."""

    archetype: Ident
    percent: int
    span: Span = _span()


@attrs.frozen
class ArchetypeDecl:
    """`archetype NAME of SYSTEM "title" { fault RULE  tier computed  where ...  tell ...  like ...  example ... }`.

    `fault` is None for a healthy control (`fault none`). `tells`: conditions on what is printed that give it away.
    """

    name: Ident
    system: Ident
    title: str
    fault: Ident | None
    tier: Ident
    wheres: tuple[Where, ...]
    examples: tuple[Example, ...]
    tells: tuple[Expression, ...] = ()
    likes: tuple[Like, ...] = ()
    span: Span = _span()


@attrs.frozen
class ComposeDecl:
    """`compose NAME = A + B "title" { where ...  like ...  example ... }`: both faults live in one world.

    The conditions of both parts hold as well, unless the body starts with `fresh`.
    """

    name: Ident
    first: Ident
    second: Ident
    title: str
    fresh: bool
    wheres: tuple[Where, ...]
    examples: tuple[Example, ...]
    likes: tuple[Like, ...] = ()
    span: Span = _span()


@attrs.frozen
class FactValue:
    """`micro_batch = 8`, `peak = "24.7 GiB"`: what a variable or profiler value is; a text is a number as reported."""

    name: Ident
    value: Expression
    span: Span = _span()


@attrs.frozen
class FactPresent:
    """`first_step { counter = 3 }`, `line[10]`: an event that is in the log, or a profiler value that isn't `n/a`."""

    name: Ident
    at: int | None
    attributes: tuple[tuple[Ident, Expression], ...]
    span: Span = _span()


@attrs.frozen
class FactAbsent:
    """`not out_of_memory`: an event that isn't in the log, or a profiler value that is `n/a`."""

    name: Ident
    at: int | None
    span: Span = _span()


Fact = FactValue | FactPresent | FactAbsent


@attrs.frozen
class CaseAnswer:
    """`CODE + CODE { field = value }`, or `HEALTHY`: no codes."""

    codes: tuple[Ident, ...]
    fix: tuple[tuple[Ident, Expression], ...]
    span: Span = _span()


@attrs.frozen
class CaseDecl:
    """`case NAME of SYSTEM "source" "text" { known { facts }  where e } => CODE { field = value } or ...`.

    What was reported of a real run, and what was confirmed about it.
    """

    name: Ident
    system: Ident
    source: str
    text: str | None
    facts: tuple[Fact, ...]
    wheres: tuple[Expression, ...]
    answers: tuple[CaseAnswer, ...]
    span: Span = _span()


@attrs.frozen
class RegionDecl:
    """`region long_context of memory = seq >= 8192`."""

    name: Ident
    system: Ident
    condition: Expression
    span: Span = _span()


@attrs.frozen
class UseDecl:
    """`use a01, a02 weight 3 near 50`: the weight is each one's share of the split's tasks.

    `near`: how many percent of them are decided narrowly; None if nothing is said of that.
    """

    archetypes: tuple[Ident, ...]
    weight: int
    near: int | None = None
    span: Span = _span()


@attrs.frozen
class SplitDecl:
    """`split hard 60 { boundary  avoid R  within R  unseen in S  require margin >= 2  use ... }`.

    `boundary`: the `hard where` conditions hold. `avoid`: outside these regions. `within`: inside them,
    for archetypes of the region's system. `margin`: in percent, the least by which a task may be decided.
    """

    name: Ident
    count: int
    boundary: bool
    avoid: tuple[Ident, ...]
    within: tuple[Ident, ...]
    interaction: int
    uses: tuple[UseDecl, ...]
    unseen: tuple[Ident, ...] = ()
    margin: int = 1
    span: Span = _span()


@attrs.frozen
class DatasetDecl:
    """`dataset NAME version "0.1.0" seed 2027 "title" { region ...  split ... }`."""

    name: Ident
    version: str
    seed: int
    title: str
    regions: tuple[RegionDecl, ...]
    splits: tuple[SplitDecl, ...]
    span: Span = _span()


Declaration = (
    Import | UnitDecl | EnumDecl | ConstDecl | TableDecl | SystemDecl | ArchetypeDecl | ComposeDecl
    | CaseDecl | DatasetDecl
)  # fmt: skip


@attrs.frozen
class Module:
    declarations: tuple[Declaration, ...]
    span: Span = _span()
