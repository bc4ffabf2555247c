"""A system made by hand that uses every form of the page: groups, noise, values that may be missing, exact fractions,
repeated and placed events, stated conditions, looks back, tables with words and numbers as keys."""

from __future__ import annotations

from compiler.plan import (
    AttributePlan,
    Display,
    EventPlan,
    NoiseLinePlan,
    NoiseValuePlan,
    RelationPlan,
    RulePlan,
    SystemPlan,
    TablePlan,
    VariablePlan,
)
from solvers.problem import (
    Alternative,
    Apply,
    Assign,
    Before,
    Const,
    Direction,
    Expr,
    Kind,
    Lookup,
    Observation,
    Op,
    Pick,
    Problem,
    RelationValue,
    Rule,
    Sort,
    Var,
    Variable,
    With,
)

TRUTHS = {0: "false", 1: "true"}
CLAYS = {0: "red", 1: "white"}
PHASES = {0: "cold", 1: "warm", 2: "hot"}
MELT = ((0, 900), (1, 1200))
STAIRS = ((1, 2), (2, 3), (3, 5))
KILOWATTS = Display("kW", 1, 1000, 2)
RATE = Display(denominator=10**7, exact=True, scientific=True)
SHARE = Display(denominator=1000, exact=True)
HOURS = Display("hours", singular="hour")


def _a(op: Op, *args: Expr) -> Apply:
    return Apply(op, args)


NEED, FINISHED, PHASE = RelationValue("need"), RelationValue("finished", Sort.BOOL), RelationValue("phase")
LID = _a(Op.EQ, Var("lid"), Const(1, "true"))
SEALED = _a(Op.EQ, Var("seal"), Const(1, "true"))
HOUR = Var("hour")
LEAKS = _a(Op.GT, Var("leak"), Const(100))
RELATIONS: tuple[tuple[str, Expr], ...] = (
    (
        "need",
        _a(Op.ADD, _a(Op.MUL, Lookup("melt", MELT, Var("clay")), Lookup("stairs", STAIRS, Var("hold"))), Var("leak")),
    ),
    ("spare", _a(Op.SUB, Lookup("melt", MELT, Const(1, "white")), Lookup("melt", MELT, Var("clay")))),
    ("finished", _a(Op.LE, NEED, Var("rated"))),
    (
        "phase",
        _a(
            Op.ITE,
            _a(Op.LT, NEED, Const(2000)),
            Const(0, "cold"),
            _a(Op.ITE, _a(Op.AND, FINISHED, LID), Const(1, "warm"), Const(2, "hot")),
        ),
    ),
    ("peak", _a(Op.MAX, NEED, Const(1000))),
    ("turns", _a(Op.MOD, Var("hold"), Const(2))),
)
RULES = (
    Rule(
        "overheated",
        "TOO_HOT",
        _a(
            Op.AND, _a(Op.NOT, FINISHED), _a(Op.OR, _a(Op.EQ, PHASE, Const(2, "hot")), _a(Op.GT, Var("damp"), Const(0)))
        ),
        (
            Alternative((Pick("hold", Direction.LARGEST, FINISHED), Assign("lid", Const(1, "true")))),
            Alternative((Pick("rate", Direction.FIRST, _a(Op.EQ, NEED, Before(NEED))),)),
            Alternative((Pick("hold", Direction.SMALLEST, _a(Op.LT, NEED, Before(RelationValue("spare")))),)),
        ),
    ),
    Rule(
        "open_lid",
        "LID_OPEN",
        _a(Op.AND, _a(Op.NOT, LID), Before(FINISHED), With(FINISHED, (("hold", Const(3)),))),
        (Alternative((Assign("lid", Const(1, "true")),)),),
    ),
)


def _present(condition: Expr, value: Expr) -> Expr:
    return _a(Op.ITE, condition, value, Const(0))


def _step(hour: int | None) -> EventPlan:
    at: Expr = HOUR if hour is None else Const(hour)
    return EventPlan(
        "step" if hour is None else f"step@{hour}",
        "",
        FINISHED,
        (
            AttributePlan("rate", _a(Op.MUL, Var("rate"), at), RATE),
            AttributePlan("power", _a(Op.ADD, NEED, at), KILOWATTS, unit="W"),
        ),
        ("step {hour} at {rate}", "running", "{power}, still running"),
        logger="oven.step",
        index="hour" if hour is None else "",
        at=(1, 10) if hour is None else (),
        occurrences=(_step(1), _step(10)) if hour is None else (),
    )


STEP = _step(None)
EVENTS = (
    EventPlan("up", "", None, (AttributePlan("rated", Var("rated"), KILOWATTS, unit="W"),), ("oven up",)),
    STEP,
    EventPlan(
        "alarm", "", LEAKS, (), ("smoke", "smoke!"), "warn", "guard", before="step", placed=_a(Op.GT, NEED, Const(2500))
    ),
    EventPlan("smell", "", SEALED, (AttributePlan("hold", Var("hold"), HOURS),), ("it smells",), "error", "nose"),
)


def _kilowatts(value: Expr) -> Expr:
    return _a(Op.FLOORDIV, _a(Op.ADD, value, Const(5)), Const(10))


def _observations() -> tuple[Observation, ...]:
    config = ("rate", "hold", "lid", "clay", "damp", "rated")
    return (
        *(Observation(name, "config", Var(name)) for name in config[:-1]),
        Observation("rated", "config", _kilowatts(Var("rated"))),
        Observation("peak?", "profiler", _a(Op.ITE, FINISHED, Const(1), Const(0))),
        Observation("peak", "profiler", _present(FINISHED, _kilowatts(RelationValue("peak")))),
        Observation("need", "profiler", NEED),
        Observation("turns", "profiler", RelationValue("turns")),
        Observation("up", "log", Const(1)),
        Observation("up.rated", "log", _kilowatts(Var("rated"))),
        *(each for line in STEP.occurrences for each in _step_observations(line)),
        Observation("alarm", "log", _a(Op.ITE, LEAKS, Const(1), Const(0))),
        Observation(
            "alarm<step",
            "log",
            _a(Op.ITE, _a(Op.AND, FINISHED, LEAKS, _a(Op.GT, NEED, Const(2500))), Const(1), Const(0)),
        ),
        Observation("smell", "log", Var("seal")),
        Observation("smell.hold", "log", _present(SEALED, Var("hold"))),
    )


def _step_observations(line: EventPlan) -> tuple[Observation, ...]:
    rate, power = line.attributes
    return (
        Observation(line.name, "log", _a(Op.ITE, FINISHED, Const(1), Const(0))),
        Observation(f"{line.name}.rate", "log", _present(FINISHED, rate.value)),
        Observation(f"{line.name}.power", "log", _present(FINISHED, _kilowatts(power.value))),
    )


def make_kiln() -> SystemPlan:
    leaks = _a(Op.LE, Var("leak"), Var("rated"))
    problem = Problem(
        name="kiln",
        variables=(
            Variable("rate", Kind.CONFIG, (100, 300, 1500), True, (1500, 300, 100)),
            Variable("hold", Kind.CONFIG, (1, 2, 3), True, (3, 2, 1)),
            Variable("lid", Kind.CONFIG, (0, 1), True, (1, 0)),
            Variable("clay", Kind.CONFIG, (0, 1)),
            Variable("damp", Kind.GIVEN, (0, 150)),
            Variable("rated", Kind.GIVEN, (2400, 2403, 4000)),
            Variable("leak", Kind.HIDDEN, (0, 100, 200)),
            Variable("seal", Kind.HIDDEN, (0, 1)),
        ),
        relations=RELATIONS,
        observations=_observations(),
        rules=RULES,
        stated=leaks,
    )
    return SystemPlan(
        name="kiln",
        title="One firing of a kiln",
        problem=problem,
        variables=(
            VariablePlan("rate", "peak rate", RATE),
            VariablePlan("hold", "time at the top", HOURS, group="program"),
            VariablePlan("lid", "lid closed", Display(labels=TRUTHS), group="oven"),
            VariablePlan("clay", "", Display(labels=CLAYS), group="oven"),
            VariablePlan("damp", "", SHARE, group="program"),
            VariablePlan("rated", "rated power", KILOWATTS, unit="W"),
            VariablePlan("leak", "lost through the door", Display("W")),
            VariablePlan("seal", "the seal is old", Display(labels=TRUTHS)),
        ),
        relations=(
            RelationPlan("need", "power at the top", "W", Display("W")),
            RelationPlan("spare", "", "W"),
            RelationPlan("finished", "the firing ends well", ""),
            RelationPlan("phase", "where it ends", "", labels=PHASES),
            RelationPlan("peak", "highest power", "W", KILOWATTS, when=FINISHED),
            RelationPlan("turns", "of no use", "", Display()),
        ),
        events=EVENTS,
        rules=(
            RulePlan("overheated", "TOO_HOT", "it takes more power than there is", ""),
            RulePlan("open_lid", "LID_OPEN", "the lid is open", ""),
        ),
        tables=(
            TablePlan("melt", "power for a stair", CLAYS, "W", MELT),
            TablePlan("stairs", "", None, "", STAIRS),
            TablePlan("colour", "of no use", CLAYS, "", ((0, 0), (1, 1)), {0: "brown", 1: "grey"}),
        ),
        stated=(("the door never takes all", leaks),),
        noise_lines=(
            NoiseLinePlan("info", "radio", 50, ("{3..9} songs", "news")),
            NoiseLinePlan("warn", "cat", 100, ("asleep",)),
        ),
        noise_values=(
            NoiseValuePlan("lamp", "config", (0, 1), Display(labels=TRUTHS), after="hold", group="program"),
            NoiseValuePlan("fans", "profiler", tuple(range(900, 1000)), Display("rpm"), after="peak"),
            NoiseValuePlan("mood", "profiler", (1,), HOURS),
        ),
    )
