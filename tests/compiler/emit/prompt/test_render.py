from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from compiler.emit.prompt.render import Renderer
from compiler.plan import SystemPlan
from solvers.evaluate import observe

WORLD = {
    "batch": 8, "rounds": 2, "glaze": 1, "fan": 0, "tray": 512, "ovens": 1, "rated": 2440, "loss": 0, "drift": 1,
}  # fmt: skip


def first(count: int) -> int:
    return 0


def test_page_has_the_headings_in_order_and_one_line_end_at_its_end(system: SystemPlan) -> None:
    page = Renderer(system).render(observe(system.problem, WORLD), first)
    assert [line for line in page.splitlines() if line.startswith("#")] == [
        "# Power drawn by one bakery", "## Fields that can be changed (values best first)", "## Notes on fixed fields",
        "## Not in the config", "## Relations", "## Profiler and log", "## Runbook", "## Config", "## Profiler",
        "## Log",
    ]  # fmt: skip
    assert page.endswith("\n")
    assert not page.endswith("\n\n")
    assert "\n\n\n" not in page


def test_pages_differ_only_after_the_handbook(system: SystemPlan) -> None:
    renderer = Renderer(system)
    other = renderer.render(observe(system.problem, {**WORLD, "batch": 1}), first)
    assert other.startswith(renderer.static)
    assert renderer.static.endswith("\n\n")
    assert other.removeprefix(renderer.static).startswith("## Config\n")


def test_page_is_the_same_for_all_worlds_with_the_same_evidence(system: SystemPlan) -> None:
    renderer = Renderer(system)
    texts = {
        renderer.render(observe(system.problem, {**WORLD, "rated": rated, "drift": drift}), first)
        for rated in (2400, 2440)
        for drift in (1, 3)
    }
    assert len(texts) == 1


def _unobserved(system: SystemPlan) -> SystemPlan:
    return attrs.evolve(system, problem=attrs.evolve(system.problem, observations=system.problem.observations[1:]))


def _twice_observed(system: SystemPlan) -> SystemPlan:
    shown = system.problem.observations
    return attrs.evolve(system, problem=attrs.evolve(system.problem, observations=(*shown, shown[0])))


def _unprintable(system: SystemPlan) -> SystemPlan:
    return attrs.evolve(system, title="a\nb")


def _swapped_rules(system: SystemPlan) -> SystemPlan:
    return attrs.evolve(system, rules=system.rules[::-1])


def _swapped_relations(system: SystemPlan) -> SystemPlan:
    return attrs.evolve(system, relations=system.relations[::-1])


@pytest.mark.parametrize(
    ("break_", "message"),
    [
        (_unobserved, "nothing observes `batch`"),
        (_twice_observed, "have one name"),
        (_unprintable, "the title of `bakery` has a control character or line break"),
        (_swapped_rules, "has the plan of"),
        (_swapped_relations, "has the plan of"),
    ],
)
def test_renderer_refuses_when_the_plan_is_inconsistent(
    system: SystemPlan, break_: Callable[[SystemPlan], SystemPlan], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Renderer(break_(system))


def test_author_text_is_never_read_as_template_text(system: SystemPlan) -> None:
    sly = attrs.evolve(system, title="{{ 7 * 7 }} {% raw %}")
    assert Renderer(sly).static.startswith("# {{ 7 * 7 }} {% raw %}\n")
