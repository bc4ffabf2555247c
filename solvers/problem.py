"""The input of the solvers: variables, expressions, rules and observations.

In: nothing; the compiler builds these values. Out: frozen values that `evaluate` (the reference meaning),
`counting.tables` (numpy) and `proving.encode` (Z3) each interpret on their own.

The value of a variable is an integer. Truth values are Python's `bool` and occur inside expressions only: flags
and enumerations are coded as integers, and `Const.label` keeps what people write.
"""

from __future__ import annotations

import enum
import functools
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, assert_never

import attrs


class Sort(enum.Enum):
    """Whether an expression comes to an integer or a truth value."""

    INT = "int"
    BOOL = "bool"


class Op(enum.Enum):
    """Operators. Division and remainder are Python's: they round towards minus infinity.

    These functions have a case for each operator: `Apply.sort`, `evaluate._applied`, `counting.fold.apply` with
    `fold.CONSTANT_VALUES`, `counting.tables._operation` and `proving.encode.TERM_BUILDERS`. Mypy or a test fails
    where one is missing.
    """

    ADD = "+"  # two or more integers
    SUB = "-"
    MUL = "*"  # two or more integers
    NEG = "neg"
    FLOORDIV = "floordiv"  # the divisor is never zero: the language proves it before lowering
    CEILDIV = "ceildiv"
    MOD = "mod"
    MIN = "min"  # one or more integers
    MAX = "max"
    ABS = "abs"
    ITE = "ite"  # condition, then, else; both branches of one sort
    EQ = "=="  # both integers or both truth values
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    AND = "and"  # any number of conditions; true without any
    OR = "or"  # any number of conditions; false without any
    NOT = "not"
    IMPLIES = "implies"

    __hash__ = object.__hash__  # by identity, since each exists once: the enum's own hash is slow


def _with_sort(value: int | bool) -> tuple[bool, int]:
    """Keep 1 and true apart, which are equal to Python."""
    return isinstance(value, bool), value


@attrs.frozen(cache_hash=True)
class Const:
    """An integer or a truth value; `label` is how people write it (an enumeration member, a unit)."""

    value: int | bool = attrs.field(eq=_with_sort)
    label: str | None = attrs.field(default=None, eq=False)

    @property
    def sort(self) -> Sort:
        return Sort.BOOL if isinstance(self.value, bool) else Sort.INT


@attrs.frozen(cache_hash=True)
class Var:
    """The value of a variable in the current world."""

    name: str
    sort: Sort = Sort.INT


@attrs.frozen(cache_hash=True)
class RelationValue:
    """The value of a named relation in the current world."""

    name: str
    sort: Sort = Sort.INT


@attrs.frozen(cache_hash=True)
class Apply:
    """An operator applied to arguments."""

    op: Op
    args: tuple[Expr, ...]

    @property
    def sort(self) -> Sort:
        match self.op:
            case Op.ADD | Op.SUB | Op.MUL | Op.NEG | Op.FLOORDIV | Op.CEILDIV | Op.MOD | Op.MIN | Op.MAX | Op.ABS:
                return Sort.INT
            case Op.EQ | Op.NE | Op.LT | Op.LE | Op.GT | Op.GE | Op.AND | Op.OR | Op.NOT | Op.IMPLIES:
                return Sort.BOOL
            case Op.ITE:
                return self.args[1].sort
        assert_never(self.op)


@attrs.frozen(cache_hash=True)
class Lookup:
    """The entry of a table under `key`; the table has an entry for every value that `key` can take."""

    table: str
    entries: tuple[tuple[int, int], ...]
    key: Expr

    @property
    def sort(self) -> Sort:
        return Sort.INT


@attrs.frozen(cache_hash=True)
class With:
    """`body` in the world that differs from the current one in the given variables.

    The new values are computed in the current world, all at once.
    """

    body: Expr
    changes: tuple[tuple[str, Expr], ...]

    @property
    def sort(self) -> Sort:
        return self.body.sort


@attrs.frozen(cache_hash=True)
class Before:
    """`body` in an earlier state; only inside prescriptions and guards.

    In a prescription, that is the state in which the rule fired; in a guard, that in which the walk started.
    """

    body: Expr

    @property
    def sort(self) -> Sort:
        return self.body.sort


Expr = Const | Var | RelationValue | Apply | Lookup | With | Before

TRUE = Const(True)


def conjunction(conditions: Iterable[Expr]) -> Expr:
    """All of `conditions`; `TRUE` for no condition."""
    found = tuple(conditions)
    if len(found) <= 1:
        return found[0] if found else TRUE
    return Apply(Op.AND, found)


def children(expr: Expr) -> tuple[Expr, ...]:
    """List the direct parts of an expression."""
    match expr:
        case Const() | Var() | RelationValue():
            return ()
        case Apply(args=args):
            return args
        case Lookup(key=key):
            return (key,)
        case With(body=body, changes=changes):
            return (body, *(value for _, value in changes))
        case Before(body=body):
            return (body,)
    assert_never(expr)


def walk_expr(expr: Expr) -> Iterator[Expr]:
    """Yield every distinct sub-expression once, parents before children."""
    seen: set[int] = set()
    stack: list[Expr] = [expr]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            stack.extend(reversed(children(node)))


class Kind(enum.Enum):
    """What a variable is."""

    CONFIG = "config"  # a field that the page prints, and that a repair may change unless it is locked
    GIVEN = "given"  # a fact about the run that no repair changes; observations may show it
    HIDDEN = "hidden"  # shown only through the observations that depend on it


@attrs.frozen
class Variable:
    """An unknown over a finite set of integers.

    Attributes:
        domain: The values, without repeats, in the order in which the author wrote them.
        editable: Whether a repair may change it (config variables that aren't locked).
        preference: The same values, most preferred first.
    """

    name: str
    kind: Kind
    domain: tuple[int, ...]
    editable: bool = False
    preference: tuple[int, ...] = ()


@attrs.frozen
class Observation:
    """One integer that the evidence of a world contains, in the channel that shows it.

    A log event is an observation of 0 or 1 (present); each of its attributes is one more, 0 when absent.
    """

    name: str
    channel: str
    value: Expr


class Direction(enum.Enum):
    """Which value of its domain a `Pick` prefers."""

    LARGEST = "largest"
    SMALLEST = "smallest"
    FIRST = "first"  # the most preferred value


@attrs.frozen
class Assign:
    """Set `field` to `value`, computed after the earlier sets of the alternative.

    There is no value if the result is outside the domain of the field.
    """

    field: str
    value: Expr


@attrs.frozen
class Pick:
    """Set `field` to the first value of its domain, in the order of `direction`, with which `where` holds.

    There is no value if `where` holds with none of them. `where` is evaluated in the state after the earlier sets of
    the alternative, with `field` set to the value that is tried; `Before` inside it goes back to the state in which
    the rule fired.
    """

    field: str
    direction: Direction
    where: Expr


@attrs.frozen
class Alternative:
    """Sets in order; it has a value only if each of them has one. Each field occurs once."""

    sets: tuple[Assign | Pick, ...]


class Sense(enum.Enum):
    """How a kept quantity may change."""

    EQUAL = "equal"
    NOT_ABOVE = "not above"
    NOT_BELOW = "not below"


@attrs.frozen
class Keep:
    """A quantity that a repair leaves as it was in the state where the rule fired.

    If `field` is given, `value` is that field itself, and the keep doesn't bind where the used alternative of a
    fired rule sets the field.
    """

    name: str
    value: Expr
    sense: Sense = Sense.EQUAL
    field: str | None = None


@attrs.frozen
class Rule:
    """A rule of the runbook: it fires where `guard` holds; its first alternative with a value is used.

    `Before` inside the guard goes back to the state in which the walk started; after a repair, to the unrepaired
    world.
    """

    name: str
    code: str
    guard: Expr
    alternatives: tuple[Alternative, ...]
    keeps: tuple[Keep, ...] = ()


def prescribed(rule: Rule) -> Iterator[Expr]:
    """What the sets of a rule read: the value or the condition of each, in order."""
    for alternative in rule.alternatives:
        for item in alternative.sets:
            match item:
                case Assign(value=value):
                    yield value
                case Pick(where=where):
                    yield where
                case _:
                    assert_never(item)


@attrs.frozen(cache_hash=True)
class Problem:
    """One system: everything that decides walks, repairs and evidence.

    Attributes:
        variables: Config variables in the order of the field table (their rank), then given, then hidden.
        relations: Name and definition, each after the relations that it uses.
        valid: Which worlds exist at all: only these are drawn, and a repair that leaves an invalid world isn't one.
        stated: What the page says of all worlds. It follows from `valid`, and alone decides which worlds a reader
            takes for possible: those over which P1 is decided.
        sound: Whether a run is all right.
        rules: In runbook order.
        keeps: Quantities that no repair changes, measured against the unrepaired world.
        channels: Names of the channels, in printing order.
        max_codes: A walk with more fired rules than this gives no task.
    """

    name: str
    variables: tuple[Variable, ...]
    relations: tuple[tuple[str, Expr], ...]
    observations: tuple[Observation, ...]
    rules: tuple[Rule, ...]
    valid: Expr = TRUE
    sound: Expr = TRUE
    stated: Expr = TRUE
    keeps: tuple[Keep, ...] = ()
    channels: tuple[str, ...] = ("config", "profiler", "log")
    max_codes: int = 2

    def variable(self, name: str) -> Variable:
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise KeyError(name)

    def of_kind(self, kind: Kind) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.kind is kind)

    @property
    def editable(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.editable)


_Made = TypeVar("_Made")


def once_a_problem(make: Callable[[Problem], _Made]) -> Callable[[Problem], _Made]:
    """Keep what `make` gives for a problem for as long as this very problem lives: comparing two takes long."""
    known: dict[int, _Made] = {}

    @functools.wraps(make)
    def kept(problem: Problem) -> _Made:
        if id(problem) not in known:
            known[id(problem)] = make(problem)
            weakref.finalize(problem, known.pop, id(problem), None)
        return known[id(problem)]

    return kept


def as_told(problem: Problem) -> Problem:
    """Return the problem as its page tells it: the worlds that exist are those that satisfy `stated`."""
    return _told(problem) or problem


@once_a_problem
def _told(problem: Problem) -> Problem | None:
    """The problem that the page tells, if that is another one; the problem itself, kept here, would live for ever."""
    return attrs.evolve(problem, valid=problem.stated) if problem.stated != problem.valid else None
