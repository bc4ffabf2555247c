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
from solvers.streams import Stream, key_of

WORLD = {"rate": 300, "hold": 2, "lid": 0, "clay": 0, "damp": 0, "rated": 4000, "leak": 200, "seal": 1}
LINE = re.compile(r"(\d\d:\d\d:\d\d) \[rank(0)\] (INFO |WARN |ERROR) ([a-z.]+): (.+)")


def first(count: int) -> int:
    return 0


def log_of(system: SystemPlan) -> Log:
    index = {each.name: number for number, each in enumerate(system.problem.observations)}
    return Log(system.events, system.noise_lines, index)


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
    assert places == set(range(7))


def test_a_log_of_nothing_is_empty() -> None:
    assert Log((), (), {}).lines((), first) == ()


def seconds(line: Sequence[str]) -> int:
    hours, minutes, rest = map(int, line[0].split(":"))
    return 3600 * hours + 60 * minutes + rest


def paced(kiln: SystemPlan, hour_ms: int, choose: Choose) -> list[Sequence[str]]:
    """The lines of a log whose page prints the length of an hour."""
    evidence = (*observe(kiln.problem, WORLD), hour_ms)
    index = {each.name: number for number, each in enumerate(kiln.problem.observations)}
    log = Log(kiln.events, kiln.noise_lines, {**index, "hour_ms": len(index)})
    return [match.groups() for match in map(LINE.fullmatch, log.lines(evidence, choose)) if match]


@given(key=st.integers(0, 10**6), hour_ms=st.integers(0, 1_000_000))
def test_times_of_repeated_lines_follow_the_printed_pace(kiln: SystemPlan, key: int, hour_ms: int) -> None:
    lines = paced(kiln, hour_ms, Stream(key_of(key)).choose)
    at = [seconds(line) for line in lines]
    assert at == sorted(at)
    first_hour, tenth_hour = (seconds(line) for line in lines if line[3] == "oven.step")
    assert 9 * hour_ms // 1000 <= tenth_hour - first_hour <= 9 * hour_ms * 103 // 100_000 + 1


@pytest.mark.parametrize("hour_ms", [-250_000, 10**17])
def test_a_pace_that_no_clock_has_ends_nothing(kiln: SystemPlan, hour_ms: int) -> None:
    at = [seconds(line) for line in paced(kiln, hour_ms, first)]
    assert all(time < 86_400 for time in at)
    assert hour_ms > 0 or at == sorted(at)
