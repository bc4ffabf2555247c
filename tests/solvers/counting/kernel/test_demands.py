"""A world meets all demands of what it shows, and only worlds that show the same do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import costly
from strategies.problems import all_worlds, planted_problems, problems

from solvers.counting.kernel.channels import channel_sets
from solvers.counting.kernel.demands import Demands, shown_name
from solvers.counting.tables import Tables
from solvers.evaluate import observe, value
from solvers.outcome import Assignment
from solvers.problem import Problem


def _meets(problem: Problem, tables: Tables, demands: Demands, world: Assignment, seen: tuple[int, ...]) -> list[bool]:
    """For each set of channels, whether a world meets the demands of what another one shows."""
    shown = {
        shown_name(number): bool(number_seen) if item.value.sort.value == "bool" else number_seen
        for number, (item, number_seen) in enumerate(zip(problem.observations, seen, strict=True))
    }
    found = []
    for chosen in channel_sets(problem.channels):
        wanted, exact = demands.of(chosen)
        here = dict(zip(problem.observations, observe(problem, world), strict=True))
        same = all(
            here[item] == number
            for item, number in zip(problem.observations, seen, strict=True)
            if item.channel in chosen and getattr(item.value, "name", None) in exact
        )
        met = tables.compiled([demand.condition for demand in wanted])({**world, **shown})
        found.append(same and all(map(bool, met)))
    return found


@costly
@given(problems() | planted_problems(), st.data())
def test_demands_say_that_a_world_is_valid_and_shows_the_same(problem: Problem, data: st.DataObject) -> None:
    valid = [world for world in all_worlds(problem) if value(problem, problem.valid, world)]
    if not valid:
        return
    own = data.draw(st.sampled_from(valid))
    seen = observe(problem, own)
    tables = Tables(problem)
    demands = Demands(tables)
    worlds = list(all_worlds(problem))
    for world in [own, *worlds[:: 1 + len(worlds) // 40]]:
        there = observe(problem, world)
        for chosen, met in zip(
            channel_sets(problem.channels), _meets(problem, tables, demands, world, seen), strict=True
        ):
            same = all(
                here == other
                for item, here, other in zip(problem.observations, seen, there, strict=True)
                if item.channel in chosen
            )
            assert met == (same and bool(value(problem, problem.valid, world)))
