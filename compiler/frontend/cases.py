"""Runs cases: do the facts of a real run determine the answer, and is it the confirmed one?

In: a plan. Out: a `CaseResult` for each case, with a diagnostic where the
answer isn't confirmed. Worlds are counted and walked by `solvers.counting`; plain evaluation and a plain
interpretation of the sources confirm each one that decides or is shown.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from compiler.frontend.walk_notes import codes_text, ending_text, fix_text, walk_notes
from compiler.plan import CasePlan, ProgramPlan, SystemPlan
from dsl.checked import CheckedProgram, CheckedSystem, written_name
from dsl.diagnostics.diagnostic import Diagnostic, sort_diagnostics
from dsl.meaning.cases import fits_case
from dsl.meaning.expressions import RunState, plain_value, plain_world
from dsl.meaning.walks import follow_runbook
from dsl.value_types import value_text
from gpu_train_debug.wording import counted, joined, listed
from solvers.counting.answers import AnswerTally, RunbookAnswer, confirmed_walk, tally_answers
from solvers.counting.exhaustive import WitnessError
from solvers.counting.fitting import MOST_FITTING, FittingWorlds, worlds_that_fit
from solvers.counting.tables import Tables
from solvers.outcome import Assignment, Walk, WalkAnswer
from solvers.problem import Expr, Var

ANSWERS_SHOWN: Final = 3
"""How many of the answers to the worlds of a case a note gives."""

DIFFERENCES_SHOWN: Final = 6
"""How many variables a note gives in which two worlds differ."""

DECIDERS_SHOWN: Final = 3
"""How many facts are named that would settle the answer."""

_ALL: Final = 1.0


class CaseVerdict(enum.Enum):
    """What the worlds that fit a case come to."""

    CONFIRMED = "confirmed"
    UNDETERMINED = "undetermined"
    OTHER_ANSWER = "other answer"
    NO_WORLD = "no world fits"
    TOO_OPEN = "too open"


@attrs.frozen
class CaseResult:
    """The verdict on a case.

    Attributes:
        worlds: How many fit; only those variables count that some walk depends on.
        complete: False if there are more, of which these were drawn.
        why: In a few words.
        diagnostic: None if the confirmed answer is the only one.
    """

    case: CasePlan
    verdict: CaseVerdict
    worlds: int
    complete: bool
    why: str
    diagnostic: Diagnostic | None = None


def run_cases(plan: ProgramPlan, _checked: CheckedProgram) -> tuple[Diagnostic, ...]:
    """Run every case; diagnostics by place."""
    return sort_diagnostics(result.diagnostic for result in judge_cases(plan) if result.diagnostic is not None)


def judge_cases(plan: ProgramPlan, advance: Callable[[], None] = lambda: None) -> tuple[CaseResult, ...]:
    """Judge every case, by system and name; `advance` is called after each.

    Raises:
        WitnessError: Plain evaluation or interpretation doesn't confirm what was counted.
    """
    tables = {name: Tables(system.problem) for name, system in plan.systems.items()}
    found = []
    for case in sorted(plan.cases.values(), key=lambda case: (case.system, case.name)):
        system = plan.systems[case.system]
        assert system.checked is not None, "a system with cases comes from sources"
        found.append(_Judge(case, system, system.checked, tables[case.system]).judge())
        advance()
    return tuple(found)


@attrs.frozen
class _Judge:
    """Judges one case."""

    case: CasePlan
    plan: SystemPlan
    system: CheckedSystem
    tables: Tables

    def judge(self) -> CaseResult:
        conditions = self.conditions()
        worlds = worlds_that_fit(self.tables, conditions.values())
        if not worlds.size:
            return self.no_world(worlds, conditions) if worlds.complete else self.too_open(worlds, "no world was found")
        tally = tally_answers(self.tables, worlds)
        other = [answer for answer in tally.counts if answer.answer not in self.case.answers]
        if not other and not worlds.complete:
            return self.too_open(worlds, f"{counted(worlds.size, 'world')} were drawn, and all confirm it")
        if not other:
            for answer in tally.counts:
                self.confirmed(tally.world_of(answer), answer)
            given = self.answers_text([answer.answer for answer in tally.counts if answer.answer is not None])
            return CaseResult(self.case, CaseVerdict.CONFIRMED, worlds.size, worlds.complete, given)
        return self.undetermined(tally, other) if len(tally.counts) > 1 else self.answered_otherwise(tally, other[0])

    def conditions(self) -> dict[str, Expr]:
        """What has to hold in a world, by what the author wrote."""
        wheres = zip(self.case.checked.wheres, self.case.wheres, strict=True)
        return dict(self.case.facts) | {f"where {' '.join(each.span.text.split())}": expr for each, expr in wheres}

    def confirmed(self, world: Assignment, found: RunbookAnswer) -> Walk:
        """The walk of a world, once plain evaluation and plain interpretation have confirmed it."""
        walk = confirmed_walk(self.tables, self.conditions().values(), world, found)
        run = RunState(self.system, plain_world(self.system, world))
        plain = follow_runbook(run)
        fix = {name: plain_value(new, self.system.variable(name).type) for name, new in walk.fix}
        same = plain.ending.value == walk.ending.value and (plain.codes, plain.fix) == (walk.codes, fix)
        if not same or not fits_case(self.case.checked, run):
            raise WitnessError("case", self.case.name, world, plain)
        return walk

    # -------------------------------------------------------------- verdicts

    def result(
        self,
        verdict: CaseVerdict,
        code: str,
        worlds: FittingWorlds,
        why: str,
        message: str,
        label: str,
        *,
        notes: Iterable[str],
        helps: Iterable[str],
    ) -> CaseResult:
        diagnostic = Diagnostic(code, message, self.case.checked.span, label, notes=tuple(notes), helps=tuple(helps))
        return CaseResult(self.case, verdict, worlds.size, worlds.complete, why, diagnostic)

    def too_open(self, worlds: FittingWorlds, found: str) -> CaseResult:
        wide = listed(worlds.widest, limit=DIFFERENCES_SHOWN)
        return self.result(
            CaseVerdict.TOO_OPEN,
            "E428",
            worlds,
            f"{found}; open: {wide}",
            f"the facts of case `{self.case.name}` leave too much open to try everything",
            found,
            notes=[f"at most {MOST_FITTING} worlds are tried one by one", f"open are {wide}"],
            helps=["give more facts, or narrow them with `where`"],
        )

    def no_world(self, worlds: FittingWorlds, conditions: Mapping[str, Expr]) -> CaseResult:
        blamed = list(self.blamed(conditions))
        names = listed(blamed, last="or", limit=DIFFERENCES_SHOWN)
        return self.result(
            CaseVerdict.NO_WORLD,
            "E438",
            worlds,
            f"only without {names}" if blamed else "several facts together exclude all worlds",
            f"no world fits case `{self.case.name}`",
            "its facts exclude each other",
            notes=[f"some fit without {names}" if blamed else "none fits either if any single fact is left out"],
            helps=["correct the facts, or the formulas and conditions of the system that they contradict"],
        )

    def blamed(self, conditions: Mapping[str, Expr]) -> Iterator[str]:
        """What the author wrote that excludes all worlds which fit the rest."""
        for text in conditions:
            rest = [expr for other, expr in conditions.items() if other != text]
            if worlds_that_fit(self.tables, rest).size:
                yield text

    def answered_otherwise(self, tally: AnswerTally, answer: RunbookAnswer) -> CaseResult:
        walk = self.confirmed(tally.world_of(answer), answer)
        found = self.answer_text(answer, walk)
        expected = {code for each in self.case.answers for code in each.codes}
        return self.result(
            CaseVerdict.OTHER_ANSWER,
            "E440",
            tally.worlds,
            found,
            f"the runbook answers case `{self.case.name}` otherwise: {found}",
            f"confirmed: {self.answers_text(self.case.answers)}",
            notes=walk_notes(expected, walk, self.plan, self.system),
            helps=["change the rules or the formulas, not the case, unless its facts are wrong"],
        )

    def undetermined(self, tally: AnswerTally, other: Sequence[RunbookAnswer]) -> CaseResult:
        one, another = self.two_answers(tally, other)
        near = tally.world_of(one, tally.world_of(another))
        world = tally.world_of(another, near)
        texts = [
            self.answer_text(answer, self.confirmed(found, answer)) for answer, found in ((one, near), (another, world))
        ]
        deciders = self.deciders(tally)
        return self.result(
            CaseVerdict.UNDETERMINED,
            "E439",
            tally.worlds,
            f"{counted(len(tally.counts), 'answer')}; {deciders}",
            f"the facts of case `{self.case.name}` leave the answer open",
            f"{self.fitting(tally.worlds)}, with {counted(len(tally.counts), 'answer')}",
            notes=[
                *self.frequent(tally),
                f"two worlds that fit: with {self.differences(near, world)}, the answer is {texts[0]}",
                f"with {self.differences(world, near)}, it is {texts[1]}",
                deciders,
            ],
            helps=["add facts that the source gives, or let the system print what decides"],
        )

    # -------------------------------------------------------------- words

    def fitting(self, worlds: FittingWorlds) -> str:
        number = counted(worlds.size, "world")
        return f"{number} fit" if worlds.complete else f"{number} were drawn of those that fit"

    def two_answers(self, tally: AnswerTally, other: Sequence[RunbookAnswer]) -> tuple[RunbookAnswer, RunbookAnswer]:
        """The confirmed answer, or else the most frequent one, and the most frequent of the others."""
        right = [answer for answer in tally.counts if answer.answer in self.case.answers]
        return (right[0], other[0]) if right else (other[0], other[1])

    def frequent(self, tally: AnswerTally) -> Iterator[str]:
        for answer, count in list(tally.counts.items())[:ANSWERS_SHOWN]:
            walk = self.confirmed(tally.world_of(answer), answer)
            confirmed = " (confirmed)" if answer.answer in self.case.answers else ""
            yield f"{100 * count / tally.worlds.size:.1f}% of the worlds: {self.answer_text(answer, walk)}{confirmed}"

    def differences(self, here: Assignment, there: Assignment) -> str:
        """The values of the variables in which one world differs from another."""
        values = [
            f"`{variable.name} = {value_text(here[variable.name], variable.type)}`"
            for variable in self.system.variables
            if here[variable.name] != there[variable.name]
        ]
        more = [f"{len(values) - DIFFERENCES_SHOWN} more"] if len(values) > DIFFERENCES_SHOWN else []
        return joined([*values[:DIFFERENCES_SHOWN], *more])

    def deciders(self, tally: AnswerTally) -> str:
        """Which facts that the case doesn't give would settle the answer, or come nearest."""
        problem = self.tables.problem
        known: dict[str, Expr] = {name: Var(name) for name in tally.worlds.open}
        known |= {
            each.name: each.value
            for each in problem.observations
            if "<" not in each.name and each.name not in known and tally.tells(each.value)
        }
        told = tally.told_by({name: expr for name, expr in known.items() if name not in self.case.said})
        settling = [name for name, share in told.items() if share == _ALL]
        if settling:
            names = listed(map(written_name, settling), last="or", limit=DECIDERS_SHOWN)
            return f"{names} would decide" if tally.worlds.complete else f"{names} may decide"
        best = sorted(told, key=lambda name: -told[name])[:1]
        nearest = [
            f"`{written_name(name)}` would in {100 * told[name]:.0f}% of the worlds" for name in best if told[name]
        ]
        return "; ".join(["no single further fact decides", *nearest])

    def answers_text(self, answers: Sequence[WalkAnswer]) -> str:
        return joined((self.written(answer) for answer in answers), last="or")

    def answer_text(self, answer: RunbookAnswer, walk: Walk) -> str:
        if answer.answer is None:
            return f"none, since {ending_text(walk, self.plan, self.system)}"
        return self.written(answer.answer)

    def written(self, answer: WalkAnswer) -> str:
        codes = codes_text(tuple(rule.code for rule in self.system.rules if rule.code in answer.codes))
        return f"{codes} {fix_text(answer.fix, self.system)}" if answer.fix else codes


CASE_COLUMNS: Final = ("case", "system", "source", "worlds", "verdict", "why")


def case_rows(results: Sequence[CaseResult]) -> list[tuple[str, ...]]:
    """A row for each case under `CASE_COLUMNS`."""
    return [
        (each.case.name, each.case.system, each.case.source, _number(each), each.verdict.value, each.why)
        for each in results
    ]


def _number(result: CaseResult) -> str:
    return f"{result.worlds}" if result.complete else f"{result.worlds} drawn"


def cases_json(results: Sequence[CaseResult]) -> dict[str, list[dict[str, str | int]]]:
    """The results as plain data."""
    return {
        "cases": [
            {
                "name": each.case.name,
                "system": each.case.system,
                "source": each.case.source,
                "text": each.case.text,
                "worlds": each.worlds,
                "complete": each.complete,
                "verdict": each.verdict.value,
                "why": each.why,
            }
            for each in results
        ]
    }
