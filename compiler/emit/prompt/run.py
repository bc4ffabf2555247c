"""The run part of a page: config, profiler and log of one task.

In: a system once; then the evidence of a world and a source of choices for each task. Out: text. Nothing else about a
world can reach it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from compiler.emit.prompt.config import CONFIG_FORMS, Setting, config_lines, in_groups
from compiler.emit.prompt.log import Choose, Log
from compiler.emit.prompt.text import is_flag, number_text, shown_text
from compiler.plan import Display, NoiseValuePlan, SystemPlan
from solvers.problem import Kind

VALUES_ON_A_LINE = 4
"""How many profiler values stand on one line."""


@attrs.frozen
class _Shown:
    """One printed value.

    Attributes:
        index: Where the evidence holds it; None for noise.
        present: Where the evidence holds whether it is there; None if it always is.
        domain: The values of noise.
    """

    name: str
    display: Display
    group: str = ""
    index: int | None = None
    present: int | None = None
    domain: tuple[int, ...] = ()

    def amount(self, evidence: Sequence[int], choose: Choose) -> int | None:
        """What the evidence or chance says; None if the value isn't there."""
        if self.index is None:
            return self.display.shown(self.domain[choose(len(self.domain))])
        if self.present is not None and not evidence[self.present]:
            return None
        return evidence[self.index]


class RunPrinter:
    """Prints the runs of one system.

    Raises:
        ValueError: The plan and its problem don't belong together.
    """

    def __init__(self, system: SystemPlan) -> None:
        index = {observation.name: number for number, observation in enumerate(system.problem.observations)}
        if len(index) < len(system.problem.observations):
            raise ValueError(f"two observations of system `{system.name}` have one name")
        self._system = system
        self._index = index
        self._config = tuple(_among(self._fields(), self._noise("config")))
        self._profiler = tuple(_among(self._values(), self._noise("profiler")))
        try:
            self._log = Log(system, index)
        except KeyError as error:
            raise ValueError(f"nothing observes `{error.args[0]}` of system `{system.name}`") from error

    def text(self, evidence: Sequence[int], choose: Choose) -> str:
        """Print a run.

        The choices are, in this order: form, noise of config and profiler, wordings, noise lines, times and ranks.
        """
        form = CONFIG_FORMS[choose(len(CONFIG_FORMS))]
        settings = [_setting(shown, evidence, choose) for shown in self._config]
        values = [_value(shown, evidence, choose) for shown in self._profiler]
        return "\n".join(
            (
                "## Config",
                *config_lines(form, in_groups(settings)),
                "",
                "## Profiler",
                *(
                    " | ".join(values[start : start + VALUES_ON_A_LINE])
                    for start in range(0, len(values), VALUES_ON_A_LINE)
                ),
                "",
                "## Log",
                "```text",
                *self._log.lines(evidence, choose),
                "```",
                "",
            )
        )

    def _fields(self) -> list[_Shown]:
        plans = {plan.name: plan for plan in self._system.variables}
        return [
            _Shown(plan.name, plan.display, plan.group, self._observed(plan.name))
            for variable in self._system.problem.variables
            if variable.kind is not Kind.HIDDEN
            for plan in (plans[variable.name],)
        ]

    def _values(self) -> list[_Shown]:
        return [
            _Shown(
                plan.name,
                plan.display,
                index=self._observed(plan.name),
                present=None if plan.when is None else self._observed(f"{plan.name}?"),
            )
            for plan in self._system.relations
            if plan.display is not None
        ]

    def _noise(self, channel: str) -> list[NoiseValuePlan]:
        return [noise for noise in self._system.noise_values if noise.channel == channel]

    def _observed(self, name: str) -> int:
        if name not in self._index:
            raise ValueError(f"nothing observes `{name}` of system `{self._system.name}`")
        return self._index[name]


def _among(shown: list[_Shown], noise: list[NoiseValuePlan]) -> Iterator[_Shown]:
    """Put each noise after what it is declared after; that may be another noise."""
    after: dict[str, list[NoiseValuePlan]] = {}
    for value in noise:
        after.setdefault(value.after, []).append(value)

    def following(name: str) -> Iterator[_Shown]:
        for value in after.get(name, ()):
            yield _Shown(value.name, value.display, value.group, domain=value.domain)
            yield from following(value.name)

    yield from following("")
    for each in shown:
        yield each
        yield from following(each.name)


def _setting(shown: _Shown, evidence: Sequence[int], choose: Choose) -> Setting:
    amount = shown.amount(evidence, choose)
    assert amount is not None, "a field of the config is always there"
    labels = shown.display.labels
    if labels is not None and not is_flag(shown.display):
        return Setting(shown.group, shown.name, labels[amount], is_word=True)
    return Setting(shown.group, shown.name, number_text(shown.display, amount), is_word=False)


def _value(shown: _Shown, evidence: Sequence[int], choose: Choose) -> str:
    amount = shown.amount(evidence, choose)
    return f"{shown.name} {'n/a' if amount is None else shown_text(shown.display, amount)}"
