from __future__ import annotations

import re

import attrs
import pytest

from compiler.emit.prompt.run import RunPrinter
from compiler.plan import SystemPlan
from solvers.evaluate import observe
from solvers.streams import Stream, key_of

WORLD = {"rate": 300, "hold": 2, "lid": 0, "clay": 0, "damp": 150, "rated": 4000, "leak": 200, "seal": 1}


def run_of(system: SystemPlan, world: dict[str, int], key: int = 0) -> str:
    return RunPrinter(system).text(observe(system.problem, world), Stream(key_of(key)).choose)


def section(text: str, heading: str) -> list[str]:
    return text.partition(f"## {heading}\n")[2].partition("\n\n")[0].splitlines()


def test_run_has_config_profiler_and_log_and_one_line_end_at_its_end(kiln: SystemPlan) -> None:
    text = run_of(kiln, WORLD)
    assert re.findall("^## .*", text, re.MULTILINE) == ["## Config", "## Profiler", "## Log"]
    assert text.endswith("\n```\n")


def test_config_has_the_noise_behind_its_field_and_no_hidden_variable(kiln: SystemPlan) -> None:
    text = RunPrinter(kiln).text(observe(kiln.problem, WORLD), lambda _: 0)
    assert section(text, "Config") == [
        "```yaml", "rate: 3e-5", "rated: 4.00", "program:", "  hold: 2", "  lamp: false", "  damp: 0.15", "oven:",
        "  lid: false", "  clay: red", "```",
    ]  # fmt: skip


def test_profiler_has_four_values_on_a_line(kiln: SystemPlan) -> None:
    text = RunPrinter(kiln).text(observe(kiln.problem, WORLD), lambda _: 0)
    assert section(text, "Profiler") == ["mood 1 hour | need 2900 W | peak 2.90 kW | fans 900 rpm", "turns 0"]


def test_a_value_is_missing_when_its_condition_does_not_hold(kiln: SystemPlan) -> None:
    assert "| peak n/a |" in run_of(kiln, {**WORLD, "rated": 2400})


def test_all_forms_of_the_config_occur(kiln: SystemPlan) -> None:
    printer, evidence = RunPrinter(kiln), observe(kiln.problem, WORLD)
    forms = {section(printer.text(evidence, Stream(key_of(key)).choose), "Config")[0] for key in range(60)}
    assert forms == {"```yaml", "```toml", "```json", "```sh", "```text"}


def test_run_depends_on_evidence_and_choices_alone(kiln: SystemPlan) -> None:
    """2400 W and 2403 W print alike, and nothing shows whether the seal is old once its line is gone."""
    worlds = ({**WORLD, "hold": 3, "rated": rated, "damp": damp} for rated in (2400, 2403) for damp in (0, 150))
    by_damp = {world["damp"]: set[str]() for world in ({"damp": 0}, {"damp": 150})}
    for world in worlds:
        by_damp[world["damp"]].add(run_of(kiln, world, 5))
    assert [len(texts) for texts in by_damp.values()] == [1, 1]
    assert by_damp[0] != by_damp[150]


@pytest.mark.parametrize("name", ["lid", "peak", "peak?", "step@10.rate", "alarm<step", "smell"])
def test_run_refuses_when_nothing_observes_what_it_prints(kiln: SystemPlan, name: str) -> None:
    shown = tuple(each for each in kiln.problem.observations if each.name != name)
    with pytest.raises(ValueError, match=re.escape(f"nothing observes `{name}` of system `kiln`")):
        RunPrinter(attrs.evolve(kiln, problem=attrs.evolve(kiln.problem, observations=shown)))
