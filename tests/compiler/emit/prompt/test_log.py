from __future__ import annotations

import re
from collections.abc import Sequence

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.emit.prompt.log import Choose, Log
from compiler.plan import SystemPlan
from solvers.evaluate import observe
from solvers.problem import Apply, Const, Expr, Op, RelationValue, Var
from solvers.streams import Stream, key_of

WORLD = {"rate": 300, "hold": 2, "lid": 0, "clay": 0, "damp": 0, "rated": 4000, "leak": 200, "seal": 1}
LINE = re.compile(r"(\d\d:\d\d:\d\d) \[rank(0)\] (INFO |WARN |ERROR) ([a-z.]+): (.+)")


def first(count: int) -> int:
    return 0


def log_of(system: SystemPlan) -> Log:
    return Log(system, {each.name: number for number, each in enumerate(system.problem.observations)})


def written(system: SystemPlan, world: dict[str, int], key: int = 0) -> list[tuple[str, ...]]:
    evidence = observe(system.problem, world)
    found = [LINE.fullmatch(line) for line in log_of(system).lines(evidence, Stream(key_of(key)).choose)]
    return [line.groups() for line in found if line is not None]


def texts(system: SystemPlan, world: dict[str, int], loggers: Sequence[str]) -> list[str]:
    lines = log_of(system).lines(observe(system.problem, world), first)
    return [line.split("] ")[1] for line in lines if line.split()[3].rstrip(":") in loggers]


def test_lines_have_time_rank_level_logger_and_text(kiln: SystemPlan) -> None:
    lines = log_of(kiln).lines(observe(kiln.problem, WORLD), Stream(key_of(1)).choose)
    assert all(LINE.fullmatch(line) for line in lines)
    times = [line[:8] for line in lines]
    assert times == sorted(times)


def test_values_that_no_place_holder_names_stand_at_the_end(kiln: SystemPlan) -> None:
    assert texts(kiln, WORLD, ["up", "nose", "oven.step"]) == [
        "INFO  up: oven up rated=4.00kW",
        "INFO  oven.step: step hour=1 at rate=3e-5 power=2.90kW",
        "INFO  oven.step: step hour=10 at rate=3e-4 power=2.91kW",
        "ERROR nose: it smells hold=2hours",
    ]
    one = {**WORLD, "hold": 1}
    assert texts(kiln, one, ["nose"]) == ["ERROR nose: it smells hold=1hour"]


@pytest.mark.parametrize(
    ("changes", "order"),
    [
        ({}, ["up", "guard", "oven.step", "oven.step", "nose"]),
        ({"hold": 1}, ["up", "oven.step", "oven.step", "guard", "nose"]),
        ({"rated": 2400}, ["up", "guard", "nose"]),
        ({"leak": 0, "seal": 0}, ["up", "oven.step", "oven.step"]),
    ],
)
def test_events_stand_in_their_order_and_a_placed_one_where_it_belongs(
    kiln: SystemPlan, changes: dict[str, int], order: list[str]
) -> None:
    silent = attrs.evolve(kiln, noise_lines=())
    assert [line[3] for line in written(silent, {**WORLD, **changes})] == order


@given(key=st.integers(0, 10**6))
def test_noise_comes_and_goes_with_the_choices_and_events_keep_their_order(kiln: SystemPlan, key: int) -> None:
    lines = written(kiln, WORLD, key)
    assert [line[3] for line in lines if line[3] not in ("radio", "cat")] == [
        "up", "guard", "oven.step", "oven.step", "nose",
    ]  # fmt: skip
    assert [line[4] for line in lines if line[3] == "cat"] == ["asleep"]
    heard = [line[4] for line in lines if line[3] == "radio"]
    assert len(heard) <= 1
    assert all(re.fullmatch("[3-9] songs|news", text) for text in heard)


def test_noise_uses_all_its_wordings_places_and_numbers(kiln: SystemPlan) -> None:
    heard = set()
    places = set()
    for key in range(200):
        lines = written(kiln, WORLD, key)
        places.add([line[3] for line in lines].index("cat"))
        heard |= {line[4] for line in lines if line[3] == "radio"} or {""}
    assert heard == {"", "news", *(f"{number} songs" for number in range(3, 10))}
    assert places == set(range(6))  # an error ends the run


def test_lines_of_noise_stand_anywhere_among_each_other(kiln: SystemPlan) -> None:
    noise = [attrs.evolve(kiln.noise_lines[0], logger=name, often=100) for name in ("one", "two", "three")]
    system = attrs.evolve(kiln, noise_lines=tuple(noise))
    orders, apart = set(), 0
    for key in range(100):
        loggers = [line[3] for line in written(system, WORLD, key)]
        places = {name: loggers.index(name) for name in ("one", "two", "three")}
        orders.add(tuple(sorted(places, key=places.__getitem__)))
        apart += max(places.values()) - min(places.values()) > 2
    assert len(orders) == 6
    assert apart > 50


def test_a_log_of_nothing_is_empty(kiln: SystemPlan) -> None:
    nothing = attrs.evolve(kiln, events=(), noise_lines=())
    assert log_of(nothing).lines(observe(kiln.problem, WORLD), first) == ()


def seconds(line: Sequence[str]) -> int:
    hours, minutes, rest = map(int, line[0].split(":"))
    return 3600 * hours + 60 * minutes + rest


def with_pace(kiln: SystemPlan, low: Expr, high: Expr) -> Log:
    """The log of a kiln whose hours have a length."""
    events = [attrs.evolve(event, pace=(low, high) if event.index else None) for event in kiln.events]
    return log_of(attrs.evolve(kiln, events=tuple(events)))


def hours(log: Log, evidence: Sequence[int], choose: Choose) -> int:
    """The seconds from the line of the first hour to that of the tenth."""
    lines = [match.groups() for match in map(LINE.fullmatch, log.lines(evidence, choose)) if match]
    at = [seconds(line) for line in lines]
    assert at == sorted(at)
    first_hour, tenth_hour = (seconds(line) for line in lines if line[3] == "oven.step")
    return tenth_hour - first_hour


@given(key=st.integers(0, 10**6), low=st.integers(0, 500_000), more=st.integers(0, 500_000))
def test_times_of_repeated_lines_follow_their_pace(kiln: SystemPlan, key: int, low: int, more: int) -> None:
    log = with_pace(kiln, Const(low), Const(low + more))
    taken = hours(log, observe(kiln.problem, WORLD), Stream(key_of(key)).choose)
    assert 9 * low // 1000 <= taken <= 9 * (low + more) * 103 // 100_000 + 1


def test_a_pace_between_two_bounds_differs_from_log_to_log(kiln: SystemPlan) -> None:
    log = with_pace(kiln, Const(100_000), Const(300_000))
    taken = {hours(log, observe(kiln.problem, WORLD), Stream(key_of(key)).choose) for key in range(60)}
    assert min(taken) < 9 * 120
    assert max(taken) > 9 * 280


def test_a_pace_reads_what_the_page_says(kiln: SystemPlan) -> None:
    index = [each.name for each in kiln.problem.observations].index("peak")
    evidence = list(observe(kiln.problem, WORLD))
    for peak in (1_000, 600_000):
        evidence[index] = peak
        log = with_pace(kiln, RelationValue("peak"), RelationValue("peak"))
        assert hours(log, evidence, first) == 9 * peak // 1000


def test_the_first_line_that_is_there_waits_from_the_start(kiln: SystemPlan) -> None:
    """Without the line of the first hour, that of the tenth comes after ten hours."""
    log = with_pace(kiln, Const(60_000), Const(60_000))
    evidence = list(observe(kiln.problem, WORLD))
    evidence[[each.name for each in kiln.problem.observations].index("step@1")] = 0
    lines = [match.groups() for match in map(LINE.fullmatch, log.lines(evidence, first)) if match]
    names = [line[3] for line in lines]
    at = names.index("oven.step")
    assert names.count("oven.step") == 1
    assert seconds(lines[at]) - seconds(lines[at - 1]) >= 600


def test_an_event_with_one_line_takes_its_time_once(kiln: SystemPlan) -> None:
    """`smell` takes what its own attribute says: the hours that the oven is held, in minutes."""
    takes = Apply(Op.MUL, (RelationValue("held"), Const(60_000)))
    held = attrs.evolve(
        kiln, problem=attrs.evolve(kiln.problem, relations=(*kiln.problem.relations, ("held", Var("hold"))))
    )
    events = [
        attrs.evolve(
            event, pace=(takes, takes), attributes=(attrs.evolve(event.attributes[0], value=RelationValue("held")),)
        )
        if event.name == "smell"
        else event
        for event in held.events
    ]
    evidence = list(observe(kiln.problem, WORLD))
    for hours_held in (2, 7):
        evidence[[each.name for each in kiln.problem.observations].index("smell.hold")] = hours_held
        found = log_of(attrs.evolve(held, events=tuple(events), noise_lines=())).lines(evidence, first)
        lines = [match.groups() for match in map(LINE.fullmatch, found) if match]
        assert lines[-1][3] == "nose"
        assert seconds(lines[-1]) - seconds(lines[-2]) == 60 * hours_held


@pytest.mark.parametrize("hour_ms", [-250_000, 10**17])
def test_a_pace_that_no_clock_has_ends_nothing(kiln: SystemPlan, hour_ms: int) -> None:
    log = with_pace(kiln, Const(hour_ms), Const(hour_ms - 5))
    lines = log.lines(observe(kiln.problem, WORLD), first)
    at = [seconds(match.groups()) for match in map(LINE.fullmatch, lines) if match]
    assert len(at) == len(lines)
    assert all(time < 86_400 for time in at)
    assert hour_ms > 0 or at == sorted(at)


def cat_places(kiln: SystemPlan, world: dict[str, int], after: str, before: str) -> set[tuple[str, str]]:
    """The neighbours of the cat's line, in many logs in which no other noise is."""
    cat = next(noise for noise in kiln.noise_lines if noise.logger == "cat")
    system = attrs.evolve(kiln, noise_lines=(attrs.evolve(cat, often=100, after=after, before=before),))
    places = set()
    for key in range(100):
        loggers = ["", *(line[3] for line in written(system, world, key)), ""]
        at = loggers.index("cat")
        places.add((loggers[at - 1], loggers[at + 1]))
    return places


@pytest.mark.parametrize(
    ("changes", "after", "before", "places"),
    [
        ({}, "", "", {("", "up"), ("up", "guard"), ("guard", "oven.step"), ("oven.step", "oven.step"),
                      ("oven.step", "nose")}),
        ({}, "step", "", {("oven.step", "oven.step"), ("oven.step", "nose")}),
        ({}, "", "step", {("", "up"), ("up", "guard"), ("guard", "oven.step")}),
        ({}, "up", "step", {("up", "guard"), ("guard", "oven.step")}),
        ({"rated": 2400}, "step", "", {("", "up"), ("up", "guard"), ("guard", "nose")}),
        ({}, "step", "alarm", {("up", "guard")}),
        ({}, "smell", "", {("oven.step", "nose")}),
        ({"leak": 0, "seal": 0}, "step", "", {("oven.step", "oven.step"), ("oven.step", "")}),
    ],
)  # fmt: skip
def test_noise_stands_where_its_author_puts_it_and_never_behind_the_error_that_ends_a_run(
    kiln: SystemPlan, changes: dict[str, int], after: str, before: str, places: set[tuple[str, str]]
) -> None:
    assert cat_places(kiln, {**WORLD, **changes}, after, before) == places
