"""What `lower` gives and the rest of the compiler works on: problems with all that is needed to print them.

The solver sees only `Problem`; everything for people (texts, units, labels, wordings) is here, under the
same names.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from dsl.checked import CheckedCase, CheckedSystem
from dsl.source import Span
from solvers.outcome import WalkAnswer
from solvers.problem import Expr, Problem


@attrs.frozen
class Display:
    """How an integer is printed.

    The printed number is `value * numerator / denominator`, rounded half up to `decimals` decimals. The
    evidence holds that number times `10 ** decimals`, as an integer (`shown` below is that integer).

    Attributes:
        unit: Printed after the number; empty for a plain number.
        labels: For flags and enumerations: the word for each value; the other attributes don't matter then.
        exact: The number is `value / denominator` with all its decimals, and the evidence holds `value` itself.
        scientific: An exact number is printed as `3e-4`.
        singular: The unit after a printed 1; empty if it is the same.
    """

    unit: str = ""
    numerator: int = 1
    denominator: int = 1
    decimals: int = 0
    labels: Mapping[int, str] | None = None
    exact: bool = False
    scientific: bool = False
    singular: str = ""

    def shown(self, value: int) -> int:
        """The integer in the evidence for `value`."""
        if self.exact:
            return value
        scaled = 2 * value * self.numerator * 10**self.decimals + self.denominator
        return int(scaled // (2 * self.denominator))


@attrs.frozen
class VariablePlan:
    """A config, given or hidden variable as people see it; same name as in the problem.

    Attributes:
        unit: Unit of the values in the domain, where `display` prints another one (given variables only).
        group: Group of the config that it is printed in; empty for the top level.
        aliases: What others call it, as (tool, name).
    """

    name: str
    text: str
    display: Display  # exact: numerator = denominator = 1, no decimals (given ones may round)
    prefer: str = ""  # "larger values first", "smaller values first", "in the order listed"; "" if not editable
    unit: str | None = None
    group: str = ""
    aliases: tuple[tuple[str, str], ...] = ()


@attrs.frozen
class RelationPlan:
    """A relation as people see it.

    Attributes:
        unit: Unit in which `Problem.relations` computes it; empty for numbers, flags and enumerations.
        display: Set for profiler values only.
        labels: For enumeration-valued relations.
        when: A profiler value is `n/a` unless this holds; the observation `name?` says whether it does.
    """

    name: str
    text: str
    unit: str
    display: Display | None = None
    labels: Mapping[int, str] | None = None
    when: Expr | None = None


@attrs.frozen
class AttributePlan:
    """An attribute of an event. Its evidence is the observation `event.attribute`.

    Attributes:
        unit: Unit in which `value` computes it, where `display` prints another one.
    """

    name: str
    value: Expr
    display: Display
    unit: str | None = None


@attrs.frozen
class EventPlan:
    """A log event. Its presence is the observation named like it.

    A repeated event has a line for each of `at`: its observations are those of `occurrences`. Its own condition and
    attributes, for people, mention the index as the variable `index`, which the problem doesn't have.

    Attributes:
        condition: None if the line is always there.
        wordings: Texts with `{attribute}` place holders, already checked.
        level: `info`, `warn` or `error`.
        logger: What stands before the text of the line; of no other event of the system.
        index: Name of what `at` lists; printed as the first attribute. Empty if the event isn't repeated.
        occurrences: For a repeated event: the event at each value of `at`, named `event@value`, in order.
        pace: The least and most milliseconds that the event takes, or a repetition of it, where the times of its lines
            follow that; they read only what the page shows as it is.
        before: Another event, directly before which the line stands where `placed` holds, if both are there;
            the observation `event<other` says whether it does. Empty if the line has one place.
    """

    name: str
    text: str
    condition: Expr | None
    attributes: tuple[AttributePlan, ...]
    wordings: tuple[str, ...]
    level: str = "info"
    logger: str = ""
    index: str = ""
    at: tuple[int, ...] = ()
    occurrences: tuple[EventPlan, ...] = ()
    pace: tuple[Expr, Expr] | None = None
    before: str = ""
    placed: Expr | None = None


@attrs.frozen
class NoiseLinePlan:
    """A log line that says nothing about the world.

    Attributes:
        often: In how many of 100 tasks it is there.
        wordings: Texts in which `{3..9}` stands for a random integer of that range.
        after: The event behind whose first line it stands, if that is there; empty if any.
        before: The event ahead of whose first line it stands, if that is there; empty if any.
    """

    level: str
    logger: str
    often: int
    wordings: tuple[str, ...]
    after: str = ""
    before: str = ""


@attrs.frozen
class NoiseValuePlan:
    """A config field or profiler value that says nothing about the world.

    Attributes:
        channel: `config` or `profiler`.
        after: Name of the config variable or profiler value that it is printed after; empty if it comes first.
        group: As of a variable.
    """

    name: str
    channel: str
    domain: tuple[int, ...]
    display: Display
    after: str = ""
    group: str = ""


@attrs.frozen
class RulePlan:
    """A rule as people see it; same order as in the problem. `says` has its constants filled in."""

    name: str
    code: str
    title: str
    says: str


@attrs.frozen
class TablePlan:
    """A lookup table that some relation uses, for the prompt. Keys and values as printed."""

    name: str
    text: str
    key_labels: Mapping[int, str] | None
    value_unit: str
    entries: tuple[tuple[int, int], ...]
    value_labels: Mapping[int, str] | None = None


@attrs.frozen
class SystemPlan:
    """A system: the problem and how to print it.

    Attributes:
        relations: In the order of `problem.relations`; names without a plan don't exist.
        requires: Texts of the `require` declarations with their conditions.
        sounds: Likewise for `sound`.
        stated: Likewise for those conditions on worlds that the page prints.
        noise_lines: In the order of declaration.
        noise_values: Likewise.
        checked: What the problem was lowered from, for checks of the lowering; None for a plan made by hand.
    """

    name: str
    title: str
    problem: Problem
    variables: tuple[VariablePlan, ...]
    relations: tuple[RelationPlan, ...]
    events: tuple[EventPlan, ...]
    rules: tuple[RulePlan, ...]
    tables: tuple[TablePlan, ...]
    requires: tuple[tuple[str, Expr], ...] = ()
    sounds: tuple[tuple[str, Expr], ...] = ()
    stated: tuple[tuple[str, Expr], ...] = ()
    noise_lines: tuple[NoiseLinePlan, ...] = ()
    noise_values: tuple[NoiseValuePlan, ...] = ()
    span: Span | None = attrs.field(default=None, eq=False)
    checked: CheckedSystem | None = attrs.field(default=None, eq=False, repr=False)


@attrs.frozen
class ArchetypePlan:
    """A family of worlds: those that satisfy `where` and whose walk reports exactly the codes of `faults`.

    Attributes:
        faults: Names of rules; none for a healthy control; two for a composition.
        where: Condition on the unrepaired world.
        hard: Further condition for boundary tasks; TRUE where the author gave none.
        parts: Names of the two archetypes of a composition.
        tells: Conditions on what is printed that give it away.
        likes: Archetypes one of whose tells holds in some of its tasks, with how many in 100.
        like_spans: Where each of them is named, for messages.
    """

    name: str
    title: str
    system: str
    faults: tuple[str, ...]
    codes: frozenset[str]
    tier: str
    where: Expr
    hard: Expr
    parts: tuple[str, ...] = ()
    tells: tuple[Expr, ...] = ()
    likes: tuple[tuple[str, int], ...] = ()
    like_spans: Mapping[str, Span] = attrs.field(factory=dict, eq=False, repr=False)
    span: Span | None = attrs.field(default=None, eq=False)


@attrs.frozen
class CasePlan:
    """A real run: conditions on the worlds that it may be, and its confirmed answers.

    Attributes:
        facts: Each fact as its author wrote it, with the condition that it is.
        wheres: Further conditions.
        said: The variables and observations that the facts give.
        answers: Each of them is taken for the confirmed one; never empty.
        checked: What this was lowered from, for checks of the lowering.
    """

    name: str
    system: str
    source: str
    text: str
    facts: tuple[tuple[str, Expr], ...]
    wheres: tuple[Expr, ...]
    said: frozenset[str]
    answers: tuple[WalkAnswer, ...]
    checked: CheckedCase = attrs.field(eq=False, repr=False)


@attrs.frozen
class RegionPlan:
    name: str
    system: str
    condition: Expr


@attrs.frozen
class SplitPlan:
    """One split: `uses` holds (archetype, weight) in declaration order.

    Attributes:
        margin: In permille, the least by which a task may be decided.
        near: Archetypes of which some tasks are decided narrowly, with how many in 100.
        unseen: Splits whose tasks never have the code pair, or never the region, of a task of this one.
        use_spans: Where each archetype is used, for messages.
    """

    name: str
    count: int
    boundary: bool
    avoid: tuple[str, ...]
    within: tuple[str, ...]
    interaction: int
    uses: tuple[tuple[str, int], ...]
    unseen: tuple[str, ...] = ()
    margin: int = 0
    near: tuple[tuple[str, int], ...] = ()
    use_spans: Mapping[str, Span] = attrs.field(factory=dict, eq=False, repr=False)


@attrs.frozen
class DatasetPlan:
    name: str
    version: str
    seed: int
    title: str
    regions: tuple[RegionPlan, ...]
    splits: tuple[SplitPlan, ...]


@attrs.frozen
class ProgramPlan:
    """All that a set of sources declares, by name, in a stable order (by name, not by file)."""

    systems: Mapping[str, SystemPlan]
    archetypes: Mapping[str, ArchetypePlan]
    datasets: Mapping[str, DatasetPlan]
    cases: Mapping[str, CasePlan] = attrs.field(factory=dict, kw_only=True)
    sources: Mapping[str, str]  # file name relative to its root -> sha256 of its bytes
