"""The forms of one task as text, for `gtd show`: names of rules and values as the prompt prints them.

In: a system plan, and a world or what was proved of it. Out: text without a final line break.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gpu_train_debug.tables import plain_table
from gpu_train_debug.wording import joined

if TYPE_CHECKING:
    from compiler.plan import Display, SystemPlan
    from compiler.tasks.maker import ProvedWorld
    from solvers.outcome import Assignment, Walk


def world_text(system: SystemPlan, world: Assignment) -> str:
    """A table of all variables, with their values as the prompt would print them."""
    rows = [
        (variable.kind.value, variable.name, str(world[variable.name]), _printed(system, variable.name, world))
        for variable in system.problem.variables
    ]
    return plain_table(("kind", "variable", "value", "printed"), rows)


def evidence_text(system: SystemPlan, world: Assignment) -> str:
    """A table of all observations: the integers that a prompt shows of the world, as it prints them; nothing else."""
    from compiler.emit.prompt.text import shown_text
    from solvers.evaluate import observe

    displays = _displays(system)
    values = dict(
        zip((shown.name for shown in system.problem.observations), observe(system.problem, world), strict=True)
    )
    rows = []
    for shown in system.problem.observations:
        number = values[shown.name]
        if shown.name not in displays:  # the presence of an event
            printed = "its line" if number else "no line"
        else:
            line = values.get(shown.name.partition(".")[0], 1)
            printed = shown_text(displays[shown.name], number) if line or "." not in shown.name else ""
        rows.append((shown.channel, shown.name, str(number), printed))
    return plain_table(("channel", "observation", "value", "printed"), rows)


def walk_text(system: SystemPlan, walk: Walk) -> str:
    """The steps of a walk, a line each, and what it comes to."""
    return "\n".join(_walk(system, walk))


def proof_text(system: SystemPlan, proved: ProvedWorld) -> str:
    """What was proved of the world, the paths with its answer, and what fewer channels leave open."""
    proof, interaction = proved.proof, proved.interaction
    lines = [
        f"verdict: {proof.verdict.value}",
        f"uniqueness of the fix: {'none' if proof.uniqueness is None else proof.uniqueness.value}",
        f"worlds that print the same: {proof.hidden_worlds}",
        f"channels that the diagnosis takes: {interaction.interaction}",
    ]
    for number, walk in enumerate(proof.walks, start=1):
        lines += ["", f"path {number}", *(f"  {line}" for line in _walk(system, walk))]
    lines += ["", "what some of the channels leave open"]
    lines += (f"  {line}" for line in _left_open(system, proved))
    return "\n".join(lines)


def _walk(system: SystemPlan, walk: Walk) -> Iterator[str]:
    for number, step in enumerate(walk.steps, start=1):
        rule = system.problem.rules[step.rule]
        used = f" (alternative {step.alternative + 1})" if step.alternative else ""
        yield f"{number}. rule {rule.name} fires, {rule.code}, and sets {_settings(system, step.sets)}{used}"
    yield f"ending: {walk.ending.value}"
    yield f"diagnosis: {_diagnosis(walk)}"
    yield f"fix: {_settings(system, dict(walk.fix)) or 'nothing to change'}"
    yield f"masked: {joined(walk.masked) or 'none'}"
    yield f"unmasked: {joined(walk.unmasked) or 'none'}"


def _left_open(system: SystemPlan, proved: ProvedWorld) -> Iterator[str]:
    from solvers.counting.interaction import Settling
    from solvers.evaluate import run_walk

    start = proved.proof.walk.start
    for channels, settling in proved.interaction.settled.items():
        if settling is not Settling.NO:
            yield f"{joined(channels)}: {'nothing' if settling is Settling.YES else 'not decided'}"
            continue
        witness = proved.interaction.witnesses[channels]
        changed = {name: number for name, number in witness.items() if number != start[name]}
        diagnosis = _diagnosis(run_walk(system.problem, witness))
        yield f"{joined(channels)}: it could be {diagnosis}, with {_settings(system, changed)}"


def _diagnosis(walk: Walk) -> str:
    return joined(walk.codes) or "HEALTHY"


def _settings(system: SystemPlan, values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {_printed(system, name, values)}" for name in values)


def _printed(system: SystemPlan, name: str, values: Mapping[str, int]) -> str:
    from compiler.emit.prompt.text import shown_text

    display = next(plan.display for plan in system.variables if plan.name == name)
    return shown_text(display, display.shown(values[name]))


def _displays(system: SystemPlan) -> dict[str, Display]:
    """How each observation is printed, but for the presence of an event."""
    displays = {plan.name: plan.display for plan in system.variables}
    displays |= {plan.name: plan.display for plan in system.relations if plan.display is not None}
    for event in system.events:
        displays |= {f"{event.name}.{attribute.name}": attribute.display for attribute in event.attributes}
    return displays
