"""Which tasks a split has, and where their worlds come from."""

from __future__ import annotations

import attrs
from hypothesis import given
from hypothesis import strategies as st

from compiler.plan import ArchetypePlan, DatasetPlan, RegionPlan, SplitPlan
from compiler.splits import TaskSpec, apportion, like_of, margin_range, split_condition, split_specs
from solvers.problem import TRUE, Apply, Const, Op, Var

weights = st.lists(st.integers(1, 50), min_size=1, max_size=8).map(lambda ws: [(f"a{i}", w) for i, w in enumerate(ws)])


@given(st.integers(0, 2000), weights)
def test_apportion_gives_all_and_is_off_by_less_than_one(total: int, shares: list[tuple[str, int]]) -> None:
    given_out = apportion(total, shares)
    whole = sum(weight for _, weight in shares)
    assert sum(given_out.values()) == total
    assert all(abs(given_out[name] - total * weight / whole) < 1 for name, weight in shares)


def condition(name: str) -> Apply:
    return Apply(Op.GE, (Var(name), Const(1)))


ARCHETYPE = ArchetypePlan("a", "", "one", ("r",), frozenset({"R"}), "t", condition("w"), condition("h"))
DATASET = DatasetPlan(
    "d",
    "1",
    7,
    "",
    (RegionPlan("here", "one", condition("x")), RegionPlan("there", "two", condition("y"))),
    (
        SplitPlan("train", 20, False, ("here", "there"), (), 1, (("a", 1), ("b", 3))),
        SplitPlan("ood", 5, True, (), ("here", "there"), 2, (("a", 1),), ("train",)),
    ),
)
TRAIN, OOD = DATASET.splits


def test_specs_are_shuffled_by_the_seed_alone() -> None:
    specs = split_specs(DATASET, TRAIN)
    assert sorted(specs) == [TaskSpec("train", "a", i) for i in range(5)] + [
        TaskSpec("train", "b", i) for i in range(15)
    ]
    assert list(specs) != sorted(specs)
    assert specs == split_specs(DATASET, TRAIN)
    assert specs != split_specs(attrs.evolve(DATASET, seed=8), TRAIN)


def test_specs_of_others_stay_in_order_when_an_archetype_is_added() -> None:
    more = attrs.evolve(TRAIN, count=24, uses=(*TRAIN.uses, ("c", 4)))
    grown = attrs.evolve(more, count=40)
    kept = [spec for spec in split_specs(DATASET, grown) if spec.archetype != "c"]
    assert kept == list(split_specs(DATASET, TRAIN))


def test_condition_leaves_boundary_worlds_to_boundary_splits() -> None:
    assert split_condition(ARCHETYPE, DATASET, OOD) == Apply(Op.AND, (condition("w"), condition("h"), condition("x")))
    outside = (Apply(Op.NOT, (condition("h"),)), Apply(Op.NOT, (condition("x"),)))
    assert split_condition(ARCHETYPE, DATASET, TRAIN) == Apply(Op.AND, (condition("w"), *outside))


def test_condition_is_true_where_nothing_is_asked() -> None:
    free = attrs.evolve(ARCHETYPE, where=TRUE, hard=TRUE, system="three")
    assert split_condition(free, DATASET, TRAIN) == TRUE


def test_look_alikes_are_spread_over_the_indices() -> None:
    alike = attrs.evolve(ARCHETYPE, likes=(("b", 30), ("c", 20)))
    found = [like_of(alike, index) for index in range(100)]
    assert (found.count("b"), found.count("c"), found.count(None)) == (30, 20, 50)
    assert 2 <= found[:10].count("b") <= 4
    assert like_of(ARCHETYPE, 0) is None


def test_a_look_alike_shows_one_of_the_tells() -> None:
    other = attrs.evolve(ARCHETYPE, name="b", tells=(condition("s"), condition("t")))
    parts = (condition("w"), Apply(Op.OR, other.tells), condition("h"), condition("x"))
    assert split_condition(ARCHETYPE, DATASET, OOD, other) == Apply(Op.AND, parts)


def test_narrow_tasks_are_spread_over_the_indices() -> None:
    split = attrs.evolve(TRAIN, near=(("a", 40),), margin=10)
    ranges = [margin_range(TaskSpec("train", "a", index), split) for index in range(10)]
    assert ranges.count((20, 100)) == 4
    assert ranges.count((10, 1000)) == 6
    assert margin_range(TaskSpec("train", "b", 0), split) == (10, 1000)
