"""`unseen in`, checked from tasks alone."""

from __future__ import annotations

from compiler.plan import DatasetPlan, SplitPlan
from compiler.splits import TaskSpec
from compiler.verify.novelty import Novelty

TRAIN = SplitPlan("train", 20, False, ("here",), (), 1, (("a", 1), ("b", 3)))
OOD = SplitPlan("ood", 5, True, (), ("here",), 2, (("a", 1),), ("train",))
DATASET = DatasetPlan("d", "1", 7, "", (), (TRAIN, OOD))


def test_novelty_accepts_a_new_pair_or_a_new_region_only() -> None:
    novelty = Novelty(DATASET)
    pair = frozenset({"P", "Q"})
    novelty.add(TaskSpec("train", "a", 0), frozenset({"P", "R"}), frozenset())
    novelty.add(TaskSpec("ood", "a", 0), pair, frozenset())
    novelty.add(TaskSpec("ood", "a", 1), frozenset({"P"}), frozenset({"here"}))
    novelty.add(TaskSpec("ood", "a", 2), frozenset({"P"}), frozenset())
    assert [spec.index for spec, _ in novelty.broken()] == [2]
    novelty.add(TaskSpec("train", "b", 1), pair, frozenset({"here"}))
    assert [spec.index for spec, _ in novelty.broken()] == [0, 1, 2]
