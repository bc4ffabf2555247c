"""A small system made by hand, and a dataset over it."""

from __future__ import annotations

from compiler.plan import (
    ArchetypePlan,
    AttributePlan,
    DatasetPlan,
    Display,
    EventPlan,
    ProgramPlan,
    RelationPlan,
    RulePlan,
    SplitPlan,
    SystemPlan,
    TablePlan,
    VariablePlan,
)
from solvers.problem import (
    TRUE,
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

GLAZES = {0: "plain", 1: "half-rye", 2: "full"}
TRUTHS = {0: "false", 1: "true"}
WATTS = ((0, 10), (1, 20), (2, 40))
KILOWATTS = Display("kW", 1, 1000, 1)


def glaze(value: int) -> Const:
    return Const(value, GLAZES[value])


def apply(op: Op, *args: Expr) -> Apply:
    return Apply(op, args)


FAN = apply(Op.NE, Var("fan"), Const(0, "false"))
OVER = RelationValue("over", Sort.BOOL)
LOAD, USABLE, TOTAL = RelationValue("load"), RelationValue("usable"), RelationValue("total")
RELATIONS: tuple[tuple[str, Expr], ...] = (
    ("usable", apply(Op.SUB, apply(Op.SUB, Var("rated"), Const(100)), Var("loss"))),
    (
        "base",
        apply(
            Op.MUL,
            apply(Op.ITE, FAN, Const(16), Const(18)),
            Lookup("watts", WATTS, Var("glaze")),
        ),
    ),
    ("load", apply(Op.ADD, RelationValue("base"), apply(Op.MUL, Var("batch"), Var("tray")))),
    ("over", apply(Op.GT, LOAD, USABLE)),
    ("total", apply(Op.MUL, Var("batch"), Var("rounds"), Var("ovens"))),
    ("share", apply(Op.FLOORDIV, apply(Op.MUL, Const(100), RelationValue("base")), LOAD)),
)
PLACES = apply(Op.LE, apply(Op.MUL, Var("batch"), Var("ovens")), Const(16))
RULES = (
    Rule(
        name="overload",
        code="OVERLOADED",
        guard=apply(
            Op.AND,
            apply(Op.GT, LOAD, USABLE),
            apply(Op.LE, With(LOAD, (("batch", Const(1)),)), USABLE),
        ),
        alternatives=(
            Alternative(
                (
                    Pick("batch", Direction.LARGEST, apply(Op.LE, LOAD, USABLE)),
                    Pick("rounds", Direction.FIRST, apply(Op.EQ, TOTAL, Before(TOTAL))),
                )
            ),
            Alternative((Pick("glaze", Direction.FIRST, apply(Op.LE, LOAD, USABLE)),)),
        ),
        keeps=(Keep("tray", Var("tray"), field="tray"), Keep("batch", Var("batch"), Sense.NOT_ABOVE, "batch")),
    ),
    Rule(
        name="fan_off",
        code="FAN_OFF",
        guard=apply(
            Op.AND,
            apply(Op.EQ, Var("fan"), Const(0, "false")),
            apply(Op.OR, apply(Op.EQ, Var("glaze"), glaze(1)), apply(Op.EQ, Var("glaze"), glaze(2))),
        ),
        alternatives=(Alternative((Assign("fan", Const(1, "true")),)),),
    ),
)


def make_problem() -> Problem:
    config = ("batch", "rounds", "glaze", "fan", "tray", "ovens", "rated")
    shown_load = apply(Op.FLOORDIV, apply(Op.ADD, LOAD, Const(50)), Const(100))
    return Problem(
        name="bakery",
        variables=(
            Variable("batch", Kind.CONFIG, (1, 2, 4, 8), True, (8, 4, 2, 1)),
            Variable("rounds", Kind.CONFIG, (1, 2, 4, 8, 16), True, (1, 2, 4, 8, 16)),
            Variable("glaze", Kind.CONFIG, (0, 1, 2), True, (2, 1, 0)),
            Variable("fan", Kind.CONFIG, (0, 1), True, (1, 0)),
            Variable("tray", Kind.CONFIG, (512, 256)),
            Variable("ovens", Kind.GIVEN, (1, 2)),
            Variable("rated", Kind.GIVEN, (2400, 2440, 4000)),
            Variable("loss", Kind.HIDDEN, tuple(range(0, 1537, 128))),
            Variable("drift", Kind.HIDDEN, (3, 1)),
        ),
        relations=RELATIONS,
        observations=(
            *(Observation(name, "config", Var(name)) for name in config[:-1]),
            Observation("rated", "config", apply(Op.FLOORDIV, apply(Op.ADD, Var("rated"), Const(50)), Const(100))),
            Observation("load", "profiler", shown_load),
            Observation("over", "profiler", OVER),
            Observation("total", "profiler", TOTAL),
            Observation("share", "profiler", apply(Op.MUL, RelationValue("share"), Const(100))),
            Observation("started", "log", TRUE),
            Observation("started.glaze", "log", Var("glaze")),
            Observation("started.base", "log", RelationValue("base")),
            Observation("tripped", "log", OVER),
            Observation("tripped.excess", "log", apply(Op.ITE, OVER, shown_load, Const(0))),
            Observation("quiet", "log", apply(Op.NOT, OVER)),
        ),
        rules=RULES,
        valid=PLACES,
        stated=PLACES,
        sound=apply(Op.LE, LOAD, USABLE),
        keeps=(Keep("total", TOTAL), Keep("rounds", Var("rounds"), Sense.NOT_BELOW)),
    )


def make_system() -> SystemPlan:
    problem = make_problem()
    return SystemPlan(
        name="bakery",
        title="Power drawn by one bakery",
        problem=problem,
        variables=(
            VariablePlan("batch", "trays per round", Display(), "larger values first"),
            VariablePlan("rounds", "rounds per day", Display(), "smaller values first"),
            VariablePlan("glaze", "glaze of the loaves", Display(labels=GLAZES)),
            VariablePlan("fan", "fan on", Display(labels=TRUTHS)),
            VariablePlan("tray", "power per tray", Display("W")),
            VariablePlan("ovens", "number of ovens", Display()),
            VariablePlan("rated", "rated power", KILOWATTS, unit="W"),
            VariablePlan("loss", "lost in the cables", Display("W")),
            VariablePlan("drift", "drift of the clock", Display()),
        ),
        relations=(
            RelationPlan("usable", "power that a round may use", "W"),
            RelationPlan("base", "power without trays", "W"),
            RelationPlan("load", "power of a round", "W", KILOWATTS),
            RelationPlan("over", "", "", Display(labels=TRUTHS)),
            RelationPlan("total", "trays per day", "", Display()),
            RelationPlan("share", "share of the base", "percent", Display("percent", decimals=2)),
        ),
        events=(
            EventPlan(
                "started",
                "printed at start",
                None,
                (
                    AttributePlan("glaze", Var("glaze"), Display(labels=GLAZES)),
                    AttributePlan("base", RelationValue("base"), Display("W")),
                ),
                ("oven is up with {base} for {glaze} loaves", "up", "ready: {base} {other}"),
            ),
            EventPlan(
                "tripped",
                "the fuse blew",
                OVER,
                (AttributePlan("excess", LOAD, KILOWATTS, unit="W"),),
                ("fuse at {excess}",),
            ),
            EventPlan("quiet", "", apply(Op.NOT, OVER), (), ("all is well",)),
        ),
        rules=(
            RulePlan("overload", "OVERLOADED", "a round needs too much", "Cables lose up to 1536 W."),
            RulePlan("fan_off", "FAN_OFF", "the fan is off", ""),
        ),
        tables=(TablePlan("watts", "power of a glaze", GLAZES, "W", WATTS),),
        requires=(("places in the oven", problem.valid),),
        stated=(("places in the oven", problem.valid),),
        sounds=(("", problem.sound),),
    )


def make_program() -> ProgramPlan:
    healthy = ArchetypePlan("all_well", "nothing is wrong", "bakery", (), frozenset(), "healthy", TRUE, TRUE)
    overload = ArchetypePlan(
        "too_much", "a round needs too much", "bakery", ("overload",), frozenset({"OVERLOADED"}), "computed", TRUE, TRUE
    )
    splits = tuple(SplitPlan(name, 2, False, (), (), 1, (("too_much", 1),)) for name in ("train", "test"))
    return ProgramPlan(
        systems={"bakery": make_system()},
        archetypes={"all_well": healthy, "too_much": overload},
        datasets={"loaves": DatasetPlan("loaves", "0.2.0", 7, 'Loaves: a "test"', (), splits)},
        sources={"bakery.arch": "0" * 64},
    )
