from __future__ import annotations

import timeit
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


def sections(prompt: str) -> dict[str, list[str]]:
    """Lines by heading, without the empty ones."""
    found: dict[str, list[str]] = {}
    for line in prompt.splitlines():
        if line.startswith("#"):
            found[line] = []
        elif line:
            found[list(found)[-1]].append(line)
    return found


@pytest.fixture(scope="module")
def prompt(system: SystemPlan) -> str:
    return Renderer(system).render(observe(system.problem, WORLD), first)


def test_prompt_has_the_headings_in_order_and_one_line_end_at_its_end(prompt: str) -> None:
    assert list(sections(prompt)) == [
        "# Power drawn by one bakery", "## Answer", "## Diagnosis codes", "## Fields", "## Facts",
        "## Hidden quantities", "## Relations", "## Tables", "## Log events", "## Conditions", "## Runbook",
        "## Config", "## Profiler", "## Log",
    ]  # fmt: skip
    assert prompt.endswith("\n")
    assert not prompt.endswith("\n\n")
    assert "\n\n\n" not in prompt
    for heading in list(sections(prompt))[1:]:
        assert f"\n\n{heading}\n" in prompt


@pytest.mark.parametrize(
    ("heading", "lines"),
    [
        (
            "## Diagnosis codes",
            [
                "- OVERLOADED: a round needs too much",
                "- FAN_OFF: the fan is off",
                "- HEALTHY: the run is sound and no rule fires",
            ],
        ),
        (
            "## Fields",
            [
                "1. batch: 8, 4, 2, 1 | trays per round",
                "2. rounds: 1, 2, 4, 8, 16 | rounds per day",
                '3. glaze: full, "half-rye", plain | glaze of the loaves',
                "4. fan: true, false | fan on",
                "5. tray (locked) [W]: 512, 256 | power per tray",
            ],
        ),
        (
            "## Facts",
            [
                "- ovens | number of ovens",
                "- rated [W] (printed as kW to 1 decimal, 1 kW = 1000 W): 2400, 2440, 4000 | rated power",
            ],
        ),
        (
            "## Hidden quantities",
            ["- loss [W]: 0 to 1536 in steps of 128 | lost in the cables", "- drift: 3, 1 | drift of the clock"],
        ),
        (
            "## Relations",
            [
                "- usable [W] = `rated - 100 - loss` | power that a round may use",
                "- base [W] = `(if fan then 16 else 18) * watts[glaze]` | power without trays",
                "- load [W] (printed as kW to 1 decimal, 1 kW = 1000 W) = `base + batch * tray` | power of a round",
                "- over (printed) = `load > usable`",
                "- total (printed) = `batch * rounds * ovens` | trays per day",
                "- share [percent] (printed to 2 decimals) = `floor(100 * base / load)` | share of the base",
            ],
        ),
        ("## Tables", ['- watts: plain 10, "half-rye" 20, full 40 | power of a glaze']),
        (
            "## Log events",
            [
                "- started: always | printed at start",
                "  - glaze (printed) = `glaze`",
                "  - base [W] (printed) = `base`",
                "- tripped: when `over` | the fuse blew",
                "  - excess [W] (printed as kW to 1 decimal, 1 kW = 1000 W) = `load`",
                "- quiet: when `not over`",
            ],
        ),
        (
            "## Conditions",
            [
                "- every run satisfies `batch * ovens <= 16` | places in the oven",
                "- a run is sound when `load <= usable`",
            ],
        ),
        (
            "## Runbook",
            [
                "- no repair changes `total`",
                "- no repair lowers `rounds`",
                "1. OVERLOADED: a round needs too much",
                "   when `load > usable and (load with batch = 1) <= usable`",
                "   set batch = largest where `load <= usable`; rounds = first where `total == before(total)`",
                "   else set glaze = first where `load <= usable`",
                "   keep `tray`, `batch` not above",
                "   note: Cables lose up to 1536 W.",
                "2. FAN_OFF: the fan is off",
                '   when `not fan and glaze in {"half-rye", "full"}`',
                "   set fan = `true`",
            ],
        ),
        (
            "## Config",
            [
                "batch = 8", "rounds = 2", 'glaze = "half-rye"', "fan = false", "tray = 512 W", "ovens = 1",
                "rated = 2.4 kW",
            ],
        ),
        ("## Profiler", ["load = 4.5 kW", "over = true", "total = 16", "share = 8.00 percent"]),
        (
            "## Log",
            [
                '[started] oven is up with 360 W for "half-rye" loaves (glaze="half-rye", base=360 W)',
                "[tripped] fuse at 4.5 kW (excess=4.5 kW)",
            ],
        ),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)  # fmt: skip
def test_section_holds_these_lines_after_its_free_text(prompt: str, heading: str, lines: list[str]) -> None:
    found = sections(prompt)[heading]
    assert found[-len(lines) :] == lines
    for line in found[: -len(lines)]:
        assert line[0].isupper()
        assert "`" not in line


def test_events_print_only_when_they_happen(system: SystemPlan) -> None:
    calm = {**WORLD, "batch": 1, "rated": 4000}
    prompt = Renderer(system).render(observe(system.problem, calm), first)
    assert [line.split("]")[0] for line in sections(prompt)["## Log"]] == ["[started", "[quiet"]
    assert "[quiet] all is well\n" in prompt


def test_log_section_is_empty_when_nothing_happens(system: SystemPlan) -> None:
    evidence = list(observe(system.problem, WORLD))
    for index, observation in enumerate(system.problem.observations):
        if observation.channel == "log":
            evidence[index] = 0
    assert Renderer(system).instance(evidence, first).endswith("\n\n## Log\n")


def test_wording_is_chosen_once_for_each_event_with_several(system: SystemPlan) -> None:
    asked = []

    def last(count: int) -> int:
        asked.append(count)
        return count - 1

    prompt = Renderer(system).render(observe(system.problem, WORLD), last)
    assert asked == [3]
    assert '[started] ready: 360 W {other} (glaze="half-rye", base=360 W)' in prompt


def test_prompts_differ_only_after_the_static_part(system: SystemPlan) -> None:
    renderer = Renderer(system)
    other = renderer.render(observe(system.problem, {**WORLD, "batch": 1}), first)
    assert other.startswith(renderer.static)
    assert renderer.static.endswith("\n\n")
    assert other.removeprefix(renderer.static).startswith("## Config\n")


def test_prompt_is_the_same_for_all_worlds_with_the_same_evidence(system: SystemPlan) -> None:
    renderer = Renderer(system)
    texts = {
        renderer.render(observe(system.problem, {**WORLD, "rated": rated, "drift": drift}), first)
        for rated in (2400, 2440)
        for drift in (1, 3)
    }
    assert len(texts) == 1


def test_tables_and_hidden_quantities_have_their_words_when_there_are_none(system: SystemPlan) -> None:
    plain = attrs.evolve(
        system, tables=(), problem=attrs.evolve(system.problem, variables=system.problem.variables[:-2])
    )
    found = sections(Renderer(plain).static)
    assert "## Tables" not in found
    assert found["## Hidden quantities"] == ["None but the relations that are not marked as printed."]


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


@pytest.mark.slow
def test_instance_takes_less_than_a_third_of_a_millisecond(system: SystemPlan) -> None:
    renderer = Renderer(system)
    evidence = observe(system.problem, WORLD)
    assert min(timeit.repeat(lambda: renderer.render(evidence, first), number=100, repeat=20)) / 100 < 0.0003
