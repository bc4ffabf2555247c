"""What is made once for a problem is kept for that very problem, and no longer than it lives."""

from __future__ import annotations

import gc
import weakref

from strategies.tank import LID, LIMIT, SIZE

from solvers.problem import TRUE, Const, Problem, as_told, once_a_problem


def tank(valid: Const = TRUE) -> Problem:
    return Problem("tank", (SIZE, LID, LIMIT), (), (), (), valid)


def test_each_problem_has_its_own_and_only_one() -> None:
    made: list[str] = []

    @once_a_problem
    def described(problem: Problem) -> int:
        made.append(problem.name)
        return len(made)

    first, equal = tank(), tank()
    assert [described(first), described(first), described(equal), described(first)] == [1, 1, 2, 1]


def test_nothing_is_kept_for_a_problem_that_is_gone() -> None:
    """A later problem may get the place in memory of an earlier one."""
    count = iter(range(1000))

    @once_a_problem
    def number(_: Problem) -> int:
        return next(count)

    found = []
    for _ in range(100):
        found.append(number(tank()))
        gc.collect(0)
    assert found == list(range(100))


def test_a_problem_as_told_has_the_stated_worlds() -> None:
    problem = tank(valid=Const(False))
    assert as_told(problem).valid == problem.stated
    assert as_told(problem) is as_told(problem)
    whole = tank()
    assert as_told(whole) is whole


def test_a_problem_that_is_told_whole_is_let_go() -> None:
    whole = tank()
    gone = weakref.ref(as_told(whole))
    del whole
    gc.collect(0)
    assert gone() is None
