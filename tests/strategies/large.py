"""A made-up system of realistic size, for measuring and for slow tests.

20 editable and locked fields, 2 facts, 210 hidden assignments, 40 relations, 10 rules: memory of a
service that batches requests, in plain numbers. Nothing here is a rule of the product.
"""

from __future__ import annotations

from solvers.problem import (
    Alternative,
    Apply,
    Assign,
    Before,
    Const,
    Direction,
    Expr,
    Keep,
    Kind,
    Lookup,
    Observation,
    Op,
    Pick,
    Problem,
    RelationValue,
    Rule,
    Sense,
    Sort,
    Var,
    Variable,
    With,
)

Number = Expr | int


def _expr(value: Number) -> Expr:
    return Const(value) if isinstance(value, int) else value


def op(operator: Op, *args: Number) -> Expr:
    return Apply(operator, tuple(_expr(arg) for arg in args))


def add(*args: Number) -> Expr:
    return op(Op.ADD, *args)


def mul(*args: Number) -> Expr:
    return op(Op.MUL, *args)


def floor(left: Number, right: Number) -> Expr:
    return op(Op.FLOORDIV, left, right)


def both(*args: Expr) -> Expr:
    return op(Op.AND, *args)


def choose(condition: Expr, then: Number, other: Number) -> Expr:
    return op(Op.ITE, condition, then, other)


def is_(left: Number, right: Number) -> Expr:
    return op(Op.EQ, left, right)


def above(left: Number, right: Number) -> Expr:
    return op(Op.GT, left, right)


def within(left: Number, right: Number) -> Expr:
    return op(Op.LE, left, right)


def table(name: str, values: tuple[int, ...], key: Expr) -> Expr:
    return Lookup(name, tuple(enumerate(values)), key)


def given(condition: Expr, **changes: Number) -> Expr:
    return With(condition, tuple((name, _expr(value)) for name, value in changes.items()))


def _field(name: str, domain: tuple[int, ...], preference: tuple[int, ...] | None = None) -> Variable:
    return Variable(name, Kind.CONFIG, domain, True, domain if preference is None else preference)


V = Var

VARIABLES = (
    _field("batch", (1, 2, 4, 8, 16), (16, 8, 4, 2, 1)),
    _field("rounds", (1, 2, 4, 8, 16, 32, 64)),
    _field("replay", (0, 1, 2)),
    _field("shard", (0, 1, 2, 3)),
    _field("wide", (0, 1)),
    _field("pieces", (0, 1, 2, 4, 8)),
    _field("wrap", (0, 1, 2)),
    _field("fused", (0, 1), (1, 0)),
    _field("offload", (0, 1)),
    _field("workers", (0, 2, 4, 8), (8, 4, 2, 0)),
    _field("pinned", (0, 1), (1, 0)),
    _field("ahead", (1, 2, 4), (4, 2, 1)),
    _field("check_batch", (1, 2, 4, 8, 16, 32), (32, 16, 8, 4, 2, 1)),
    _field("copies", (1, 2, 3), (3, 2, 1)),
    _field("half", (0, 1), (1, 0)),
    _field("cache", (0, 256, 512, 1024), (1024, 512, 256, 0)),
    Variable("length", Kind.CONFIG, (1024, 2048, 4096)),
    Variable("adapter", Kind.CONFIG, (0, 1)),
    Variable("peers", Kind.GIVEN, (1, 2, 4, 8)),
    Variable("model", Kind.GIVEN, (0, 1, 2, 3, 4)),
    Variable("device", Kind.HIDDEN, (24_576, 40_960, 81_920)),
    Variable("waste", Kind.HIDDEN, tuple(range(0, 1_792, 256))),
    Variable("factor", Kind.HIDDEN, (32, 34, 36, 38, 40, 42, 44, 46, 48, 50)),
)

PARAMS = (160, 1_216, 3_200, 6_464, 12_900)
LAYERS = (12, 22, 32, 32, 40)
HIDDEN = (768, 2_048, 3_200, 4_096, 5_120)

_R: dict[str, Sort] = {}


def R(name: str) -> RelationValue:  # noqa: N802  # reads like the form it builds
    return RelationValue(name, _R[name])


def _relations() -> tuple[tuple[str, Expr], ...]:
    made: list[tuple[str, Expr]] = []

    def let(name: str, expr: Expr) -> None:
        made.append((name, expr))
        _R[name] = expr.sort

    let("params", table("params", PARAMS, V("model")))
    let("layers", table("layers", LAYERS, V("model")))
    let("dim", table("dim", HIDDEN, V("model")))
    let("usable", add(V("device"), -1_024, op(Op.NEG, floor(V("device"), 20))))
    let("total_batch", mul(V("batch"), V("rounds"), V("peers")))
    let("trained", choose(is_(V("adapter"), 1), floor(R("params"), 64), R("params")))
    let("split_weights", choose(is_(V("shard"), 3), V("peers"), 1))
    let("split_gradients", choose(op(Op.GE, V("shard"), 2), V("peers"), 1))
    let("split_state", choose(op(Op.GE, V("shard"), 1), V("peers"), 1))
    let("width", choose(is_(V("wide"), 1), 4, 2))
    let("weights", op(Op.CEILDIV, mul(R("params"), R("width")), R("split_weights")))
    let("gradients", op(Op.CEILDIV, mul(R("trained"), 2), R("split_gradients")))
    let("state_full", mul(R("trained"), choose(is_(V("half"), 1), 12, 8)))
    let("state", choose(is_(V("offload"), 1), 0, op(Op.CEILDIV, R("state_full"), R("split_state"))))
    let("static", add(R("weights"), R("gradients"), R("state")))
    let("per_layer", floor(mul(V("length"), R("dim"), V("factor")), 1_048_576))
    let("kept_layers", choose(is_(V("replay"), 2), 4, choose(is_(V("replay"), 1), floor(R("layers"), 2), R("layers"))))
    let("activations", mul(V("batch"), R("per_layer"), R("kept_layers")))
    let(
        "logits_rows",
        choose(
            is_(V("pieces"), 0),
            mul(V("batch"), V("length")),
            floor(mul(V("batch"), V("length")), op(Op.MAX, V("pieces"), 1)),
        ),
    )
    let("logits", floor(mul(R("logits_rows"), 32_000, choose(is_(V("fused"), 1), 4, 8)), 1_048_576))
    let(
        "unit",
        choose(
            is_(V("wrap"), 0),
            R("weights"),
            floor(R("weights"), choose(is_(V("wrap"), 1), R("layers"), mul(R("layers"), 2))),
        ),
    )
    let("gathered", choose(is_(V("shard"), 3), mul(R("unit"), 2), 0))
    let("step_peak", add(R("static"), R("activations"), R("logits"), R("gathered"), V("waste")))
    let("check_rows", mul(V("check_batch"), V("length")))
    let("check_logits", floor(mul(R("check_rows"), 32_000, 2), 1_048_576))
    let("check_peak", add(R("static"), R("check_logits"), V("waste"), V("cache")))
    let("step_over", above(R("step_peak"), R("usable")))
    let("check_over", above(R("check_peak"), R("usable")))
    let("host_copy", choose(is_(V("offload"), 1), R("state_full"), 0))
    let("host_queue", mul(V("workers"), V("ahead"), V("batch"), 16))
    let("host_pinned", choose(is_(V("pinned"), 1), mul(R("host_queue"), 2), 0))
    let("host_peak", add(R("host_copy"), R("host_queue"), R("host_pinned"), mul(V("copies"), 512)))
    let("host_limit", Const(65_536))
    let("busy", floor(mul(V("batch"), V("length"), R("layers")), choose(is_(V("replay"), 2), 3, 2)))
    let("feed", mul(V("workers"), V("ahead"), 4_000))
    let("starved", both(op(Op.LT, R("feed"), floor(R("busy"), 8)), op(Op.LT, V("workers"), 8)))
    let("disk", mul(V("copies"), add(R("params"), R("state_full"))))
    let("disk_over", above(R("disk"), 400_000))
    let("margin", op(Op.SUB, R("usable"), R("step_peak")))
    let("idle", both(above(R("margin"), floor(R("usable"), 2)), op(Op.NE, V("replay"), 0)))
    return tuple(made)


def _rule(code: str, guard: Expr, *alternatives: Alternative, keeps: tuple[str, ...] = ()) -> Rule:
    return Rule(
        code.lower(), code, guard, alternatives, tuple(Keep(name, V(name), Sense.EQUAL, name) for name in keeps)
    )


def _same_total() -> Pick:
    return Pick("rounds", Direction.FIRST, is_(R("total_batch"), Before(R("total_batch"))))


def large_problem() -> Problem:
    relations = _relations()
    fits = within(R("step_peak"), R("usable"))
    shown = (
        ("static", 102),
        ("activations", 102),
        ("logits", 102),
        ("gathered", 102),
        ("check_logits", 102),
        ("host_peak", 102),
        ("feed", 1),
        ("busy", 1_000),
        ("disk", 1_024),
    )
    rules = (
        _rule(
            "DISK_FULL",
            R("disk_over"),
            Alternative((Pick("copies", Direction.LARGEST, within(R("disk"), 400_000)),)),
            keeps=("half", "offload"),
        ),
        _rule(
            "STATE_NOT_SPLIT",
            both(R("step_over"), is_(V("shard"), 0), above(V("peers"), 1), given(fits, shard=2)),
            Alternative((Pick("shard", Direction.SMALLEST, fits),)),
            keeps=("batch", "replay", "offload"),
        ),
        _rule(
            "WIDE_BASE",
            both(R("step_over"), is_(V("wide"), 1), given(fits, wide=0)),
            Alternative((Assign("wide", Const(0)),)),
            keeps=("batch", "shard"),
        ),
        _rule(
            "LOGITS_SPIKE",
            both(R("step_over"), above(R("logits"), R("activations")), is_(V("pieces"), 0), given(fits, pieces=8)),
            Alternative((Pick("pieces", Direction.SMALLEST, both(above(V("pieces"), 0), fits)),)),
            keeps=("batch", "replay", "shard", "fused"),
        ),
        _rule(
            "UNIT_TOO_BIG",
            both(R("step_over"), is_(V("shard"), 3), is_(V("wrap"), 0), given(fits, wrap=1)),
            Alternative((Assign("wrap", Const(1)),)),
            keeps=("batch", "replay", "shard"),
        ),
        _rule(
            "ACTIVATION_PEAK",
            both(R("step_over"), op(Op.GE, R("activations"), R("logits")), given(fits, batch=1)),
            Alternative((Pick("batch", Direction.LARGEST, fits), _same_total())),
            Alternative((Pick("replay", Direction.FIRST, fits),)),
            keeps=("shard", "wide", "fused", "pieces"),
        ),
        _rule(
            "REPLAY_MISSING",
            both(R("step_over"), is_(V("replay"), 0), given(fits, replay=2, batch=1)),
            Alternative((Assign("replay", Const(2)), Pick("batch", Direction.LARGEST, fits), _same_total())),
            keeps=("shard", "wide", "offload"),
        ),
        _rule(
            "CHECK_PEAK",
            both(
                R("check_over"), op(Op.NOT, R("step_over")), given(within(R("check_peak"), R("usable")), check_batch=1)
            ),
            Alternative((Pick("check_batch", Direction.LARGEST, within(R("check_peak"), R("usable"))),)),
            keeps=("cache", "batch"),
        ),
        _rule(
            "STARVED",
            both(R("starved"), op(Op.NOT, R("step_over"))),
            Alternative((Pick("workers", Direction.SMALLEST, op(Op.NOT, R("starved"))),)),
            keeps=("ahead", "batch"),
        ),
        _rule("REPLAY_IDLE", R("idle"), Alternative((Assign("replay", Const(0)),)), keeps=("batch", "shard")),
    )
    observations = [Observation(v.name, "config", V(v.name)) for v in VARIABLES if v.kind is not Kind.HIDDEN]
    observations += [
        Observation(name, "profiler", R(name) if unit == 1 else floor(R(name), unit)) for name, unit in shown
    ]
    observations += [
        Observation("failed", "log", R("step_over")),
        Observation("failed.need", "log", choose(R("step_over"), floor(R("step_peak"), 102), 0)),
        Observation("ready.memory", "log", floor(V("device"), 102)),
        Observation("check_failed", "log", both(R("check_over"), op(Op.NOT, R("step_over")))),
        Observation("slow", "log", R("starved")),
        Observation("disk_full", "log", R("disk_over")),
    ]
    allowed = both(within(R("total_batch"), 4_096), within(mul(V("batch"), V("peers")), 64))
    return Problem(
        name="large",
        variables=VARIABLES,
        relations=relations,
        observations=tuple(observations),
        rules=rules,
        valid=allowed,
        stated=allowed,
        sound=both(
            op(Op.NOT, R("step_over")),
            op(Op.NOT, R("check_over")),
            within(R("host_peak"), R("host_limit")),
            op(Op.NOT, R("disk_over")),
        ),
        keeps=(Keep("total_batch", R("total_batch")),),
    )
