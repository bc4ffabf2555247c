"""Prompts: what one task shows.

In: a system once, then the evidence of a world and a choice of wordings for each task. Out: the prompt
text. The static part (fields, relations, runbook) is built once for a system; the instance is printed
from the evidence integers alone, so nothing else about a world can reach a prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import attrs

from compiler.emit.prompt.sections import static_sections
from compiler.emit.prompt.text import shown_text, unprintable_texts
from compiler.emit.templating import fill_template
from compiler.plan import Display, EventPlan, SystemPlan
from solvers.problem import Kind

ChooseWording = Callable[[int], int]
"""Given n > 0, a number from 0 to n - 1; draws from the keyed stream of the task."""

_PLACE_HOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@attrs.frozen
class _Shown:
    """One printed value: where the evidence holds it, and how it looks."""

    index: int
    display: Display

    def text(self, evidence: Sequence[int]) -> str:
        return shown_text(self.display, evidence[self.index])


@attrs.frozen
class _Event:
    """One log event; a wording alternates between literal text and the number of an attribute."""

    index: int
    start: str
    wordings: tuple[tuple[str | int, ...], ...]
    names: tuple[str, ...]
    attributes: tuple[_Shown, ...]

    def line(self, evidence: Sequence[int], choose: ChooseWording) -> str:
        number = choose(len(self.wordings)) if len(self.wordings) > 1 else 0
        values = [attribute.text(evidence) for attribute in self.attributes]
        wording = "".join(part if isinstance(part, str) else values[part] for part in self.wordings[number])
        if not values:
            return self.start + wording
        listed = ", ".join(f"{name}={value}" for name, value in zip(self.names, values, strict=True))
        return f"{self.start}{wording} ({listed})"


class Renderer:
    """Prints the prompts of one system.

    Attributes:
        static: The part that is the same in all prompts of the system; ends with an empty line.

    Raises:
        ValueError: A text of the system can't be printed (`unprintable_texts` says which), or the plan
            and its problem don't belong together.
    """

    def __init__(self, system: SystemPlan) -> None:
        if bad := unprintable_texts(system):
            raise ValueError("; ".join(f"{text.place} has {text.reason}" for text in bad))
        problem = system.problem
        self._index = {observation.name: index for index, observation in enumerate(problem.observations)}
        if len(self._index) < len(problem.observations):
            raise ValueError(f"two observations of system `{system.name}` have one name")
        self._system = system
        plans = {plan.name: plan for plan in system.variables}
        self._config = tuple(
            (f"{variable.name} = ", self._shown(variable.name, plans[variable.name].display))
            for kind in (Kind.CONFIG, Kind.GIVEN)
            for variable in problem.of_kind(kind)
        )
        self._profiler = tuple(
            (f"{plan.name} = ", self._shown(plan.name, plan.display))
            for plan in system.relations
            if plan.display is not None
        )
        self._events = tuple(self._event(event) for event in system.events)
        self.static = fill_template(
            "prompt.txt.j2", title=system.title, max_codes=problem.max_codes, sections=static_sections(system)
        )

    def _shown(self, name: str, display: Display) -> _Shown:
        if name not in self._index:
            raise ValueError(f"nothing observes `{name}` of system `{self._system.name}`")
        return _Shown(self._index[name], display)

    def _event(self, event: EventPlan) -> _Event:
        names = tuple(attribute.name for attribute in event.attributes)
        return _Event(
            index=self._shown(event.name, Display()).index,
            start=f"[{event.name}] ",
            wordings=tuple(_parts(wording, names) for wording in event.wordings),
            names=names,
            attributes=tuple(
                self._shown(f"{event.name}.{attribute.name}", attribute.display) for attribute in event.attributes
            ),
        )

    def instance(self, evidence: Sequence[int], choose: ChooseWording) -> str:
        """Print the part that differs from task to task.

        `choose` is called once for each event in the evidence that has more than one wording, in order.
        """
        lines = ["## Config"]
        lines += [start + shown.text(evidence) for start, shown in self._config]
        lines += ["", "## Profiler"]
        lines += [start + shown.text(evidence) for start, shown in self._profiler]
        lines += ["", "## Log"]
        lines += [event.line(evidence, choose) for event in self._events if evidence[event.index]]
        lines.append("")
        return "\n".join(lines)

    def render(self, evidence: Sequence[int], choose: ChooseWording) -> str:
        """Print a whole prompt, from `evaluate.observe` of a world."""
        return self.static + self.instance(evidence, choose)


def _parts(wording: str, names: tuple[str, ...]) -> tuple[str | int, ...]:
    """Split a wording at its place holders; braces around anything but an attribute are text."""
    parts: list[str | int] = []
    end = 0
    for match in _PLACE_HOLDER.finditer(wording):
        if match[1] in names:
            parts += [wording[end : match.start()], names.index(match[1])]
            end = match.end()
    parts.append(wording[end:])
    return tuple(parts)
