"""Proofs by Z3 of what the exhaustive check claims, and Z3's own verdicts.

In: a `TaskProof` (or just a world). Out: a `TaskProof` with the verdict that Z3 comes to. The proof that is
checked only helps: it says which routes the class takes and which worlds rule rivals out. Where it says
too little, the counterexamples that Z3 finds are taken up and the question is asked again; so what is
proved never rests on the other procedure.

No answer "sat" is believed as such: plain evaluation must confirm the world or the repair that it comes
with, and `UnconfirmedModelError` is raised where it doesn't. "unknown" is inconclusive.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import attrs

from solvers import evaluate
from solvers.outcome import Assignment, Claim, Refutation, TaskProof, Uniqueness, Verdict, Walk
from solvers.problem import Problem
from solvers.proving import queries
from solvers.proving.budget import Budget
from solvers.proving.claims import NAMES_EXPLAINED, NO_VALUES, Claims, Path, path_of, repaired_name, start_name
from solvers.proving.engine import Engine, Formula, Sat, SolverOutcome, Unknown, Unsat
from solvers.proving.queries import Evidence, Part, Query
from solvers.proving.smtlib import Term, script

_LEVELS = (Uniqueness.ANY, Uniqueness.NAMED, Uniqueness.PREFERRED)


class UnconfirmedModelError(Exception):
    """Z3 found what plain evaluation denies: one of the two is wrong. `case` is the whole case as text."""

    def __init__(self, what: str, case: str) -> None:
        super().__init__(what)
        self.case = case


class _UndecidedError(Exception):
    """A query ran out of its budget."""


class Prover:
    """Proves tasks of one problem, each on its own; parts of queries that many tasks share are built once.

    Args:
        templates: Whether to share parts. Without, each query is written out as the script that
            `scripts` gives; slower, with the same verdicts.
    """

    def __init__(self, problem: Problem, budget: Budget | None = None, *, templates: bool = True) -> None:
        self.problem = problem
        self._claims = Claims(problem)
        self._engine = Engine(budget or Budget())
        self._templates: dict[tuple[object, ...], Formula] | None = {} if templates else None

    def prove(self, proof: TaskProof) -> TaskProof:
        """Come to a verdict of Z3's own about what `proof` claims.

        A unique task is proved at the level of uniqueness that is claimed, no weaker and no stronger one.
        The rivals of an ambiguous one are tried first. An inconclusive proof claims nothing and comes back
        as it is. The count of worlds is handed on unchecked.

        Returns:
            Z3's verdict with the routes, worlds and refutations that it needed. Z3 agrees with `proof` if
            the verdict is the same.

        Raises:
            UnconfirmedModelError: Z3 and plain evaluation disagree.
            ValueError: The walk of `proof` contradicts itself.
        """
        walk = proof.walk
        if proof.verdict is Verdict.INCONCLUSIVE:
            return proof
        if not self._is_whole(walk):
            raise ValueError("the steps of the walk don't lead to its codes and its fix")
        found = self._verdict(
            walk,
            (proof.uniqueness or Uniqueness.PREFERRED,),
            known=[other for other in proof.walks if other != walk],
            worlds=proof.rival_worlds,
            rivals=[found.rival for found in proof.refutations if found.rival is not None],
        )
        return attrs.evolve(found, hidden_worlds=proof.hidden_worlds)

    def decide(self, world: Assignment) -> TaskProof:
        """Come to a verdict about the evidence of `world` without any help; `hidden_worlds` stays 0."""
        return self._verdict(evaluate.run_walk(self.problem, world), _LEVELS)

    def leaves_open(
        self, world: Assignment, channels: Collection[str], paths: Sequence[Path]
    ) -> Assignment | Unknown | None:
        """Find a valid world that shows the same as `world` in some channels and whose walk takes one of `paths`."""
        query = queries.same_channels(self._claims, self._evidence(world), channels, paths)
        outcome = self._ask(query)
        if not isinstance(outcome, Sat):
            return None if isinstance(outcome, Unsat) else outcome
        names = tuple(variable.name for variable in self.problem.variables)
        other = _read(outcome, names, start_name)
        walk = evaluate.run_walk(self.problem, other)
        shown = zip(self.problem.observations, self._see(world), self._see(other), strict=True)
        if not (
            walk.gives_task
            and path_of(walk) in paths
            and all(here == there for item, here, there in shown if item.channel in channels)
        ):
            raise self._unconfirmed(query, outcome)
        return other

    def scripts(self, proof: TaskProof) -> dict[str, str]:
        """Write the claims of a unique task as SMT-LIB 2 scripts, which are all to be unsatisfiable.

        Returns:
            Scripts by name: `determined` (P1 and P2), and `unique` (P3) if the fix changes anything.

        Raises:
            ValueError: The verdict of `proof` isn't unique.
            UnconfirmedModelError: Z3 and plain evaluation disagree.
        """
        if proof.verdict is not Verdict.UNIQUE or proof.uniqueness is None:
            raise ValueError("only the claims of a unique task can be written out")
        walk = proof.walk
        settled = self.prove(proof)  # may add routes; where it doesn't agree, the claims stay as they are
        known = settled if settled.verdict is Verdict.UNIQUE else proof
        evidence = self._evidence(walk.start)
        routes = self._routes(walk, evidence, known.walks)
        found = {"determined": queries.other_outcome(self._claims, evidence, routes)}
        if walk.fix:
            worlds = self._members(walk, evidence, known.rival_worlds)
            found["unique"] = queries.rival(self._claims, walk, proof.uniqueness, worlds, routes)
        gold = f"Gold: {', '.join(walk.codes) or 'no code'}; fix: {_listed(walk.fix) or 'none'}"
        return {name: self._written(query, f"Claim: there is no {query.text}\n{gold}") for name, query in found.items()}

    # ---- the claims --------------------------------------------------------------------------------

    def _verdict(
        self,
        walk: Walk,
        levels: Sequence[Uniqueness],
        *,
        known: Iterable[Walk] = (),
        worlds: Iterable[Assignment] = (),
        rivals: Iterable[Assignment] = (),
    ) -> TaskProof:
        if not self._exists(walk.start):
            return self._without_world(walk)
        if not walk.gives_task:
            refutation = Refutation(Claim.P1, walk.start)
            return TaskProof(Verdict.AMBIGUOUS, walk, refutations=(refutation,), reason=walk.ending.value)
        evidence = self._evidence(walk.start)
        found = _Found(walk, evidence, self._routes(walk, evidence, known), self._members(walk, evidence, worlds))
        try:
            return self._settle(found, levels, rivals)
        except _UndecidedError as undecided:
            return found.result(Verdict.INCONCLUSIVE, reason=str(undecided))

    def _settle(self, found: _Found, levels: Sequence[Uniqueness], rivals: Iterable[Assignment]) -> TaskProof:
        """Decide P1 and P2, then P3: by the rivals that are suggested, then at each level until one holds."""
        refutation = self._refute_outcome(found)
        if refutation is not None:
            return found.result(Verdict.AMBIGUOUS, refutations=(refutation,))
        for rival in rivals:
            is_one = self._rivals(found, rival, Uniqueness.PREFERRED)
            if is_one and self._counterexample(found, rival) is None:
                refutation = Refutation(Claim.P3, found.walk.start, rival=rival)
                return found.result(Verdict.AMBIGUOUS, refutations=(refutation,))
        refutations: tuple[Refutation, ...] = ()
        for level in levels:
            refutation = self._refute_level(found, level)
            if refutation is None:
                return found.result(Verdict.UNIQUE, uniqueness=level)
            refutations = (refutation,)
        return found.result(Verdict.AMBIGUOUS, refutations=refutations)

    def _without_world(self, walk: Walk) -> TaskProof:
        query = queries.valid_world(walk.start)
        outcome = self._ask(query)
        if isinstance(outcome, Sat):
            raise self._unconfirmed(query, outcome)
        verdict = Verdict.VACUOUS if isinstance(outcome, Unsat) else Verdict.INCONCLUSIVE
        return TaskProof(verdict, walk, reason="no valid world" if isinstance(outcome, Unsat) else outcome.reason)

    def _refute_outcome(self, found: _Found) -> Refutation | None:
        """Look for a world of the class that answers otherwise (P1) or that the fix does not mend (P2)."""
        answer, fix = found.walk.answer, dict(found.walk.fix)
        while True:
            query = queries.other_outcome(self._claims, found.evidence, found.routes)
            outcome = self._decided(query)
            if outcome is None:
                return None
            world = self._member(query, outcome, found.evidence)
            other = evaluate.run_walk(self.problem, world)
            if not other.gives_task:
                return Refutation(Claim.P1, world)
            if other.answer != answer:
                return Refutation(Claim.P1, world, answer=other.answer)
            if not evaluate.is_repair(self.problem, other, fix):
                return Refutation(Claim.P2, world, answer=answer)
            if _route(other) in map(_route, found.routes):
                raise self._unconfirmed(query, outcome)
            found.routes.append(other)

    def _refute_level(self, found: _Found, level: Uniqueness) -> Refutation | None:
        """Look for a rival (P3): one that mends all worlds of the class."""
        if not found.walk.fix:
            return None  # only the empty repair changes no field
        while True:
            query = queries.rival(self._claims, found.walk, level, found.worlds, found.routes)
            outcome = self._decided(query)
            if outcome is None:
                return None
            rival = self._rival(query, outcome, found, level)
            counterexample = self._counterexample(found, rival)
            if counterexample is None:
                return Refutation(Claim.P3, found.walk.start, rival=rival)
            found.worlds.append(counterexample)

    def _counterexample(self, found: _Found, rival: Assignment) -> Walk | None:
        """Find the walk of a world of the class that `rival` does not mend."""
        query = queries.unmended(self._claims, found.evidence, found.routes, rival)
        outcome = self._decided(query)
        if outcome is None:
            return None
        walk = evaluate.run_walk(self.problem, self._member(query, outcome, found.evidence))
        if evaluate.is_repair(self.problem, walk, rival):
            raise self._unconfirmed(query, outcome)
        return walk

    def _rival(self, query: Query, outcome: Sat, found: _Found, level: Uniqueness) -> dict[str, int]:
        """Read a rival, the fields that it really changes, and confirm what was asked of it."""
        start = found.walk.start
        fields = [variable.name for variable in self.problem.editable if repaired_name(variable.name) in outcome.values]
        given = _read(outcome, fields, repaired_name)
        rival = {field: value for field, value in given.items() if value != start[field]}
        mends = all(evaluate.is_repair(self.problem, walk, rival) for walk in found.worlds)
        if not (mends and self._rivals(found, rival, level)):
            raise self._unconfirmed(query, outcome)
        return rival

    def _rivals(self, found: _Found, repair: Assignment, level: Uniqueness) -> bool:
        """Whether `repair` is another than the fix, and as good as a rival has to be at this level."""
        walk, fix = found.walk, dict(found.walk.fix)
        named = repair.keys() <= set(evaluate.named_fields(self.problem, *found.routes))
        if repair == fix or not (named or level is Uniqueness.ANY):
            return False
        if level is not Uniqueness.PREFERRED:
            return len(repair) <= len(fix)
        start = walk.start
        return evaluate.cost(self.problem, start, repair) <= evaluate.cost(self.problem, start, fix)

    def _member(self, query: Query, outcome: Sat, evidence: Evidence) -> dict[str, int]:
        """Read a world of the class and confirm that it is one."""
        world = {**evidence.world, **_read(outcome, self._claims.free, start_name)}
        if not self._exists(world) or self._see(world) != evidence.seen:
            raise self._unconfirmed(query, outcome)
        return world

    # ---- asking ------------------------------------------------------------------------------------

    def _decided(self, query: Query) -> Sat | None:
        """Ask; None if there is no solution."""
        outcome = self._ask(query)
        if isinstance(outcome, Unknown):
            raise _UndecidedError(f"{query.text}: {outcome.reason}")
        return outcome if isinstance(outcome, Sat) else None

    def _ask(self, query: Query) -> SolverOutcome:
        if self._templates is None:
            claims, terms = self._terms(query)
            names = set[str]().union(*(term.symbols for term in terms))
            return self._engine.check([self._engine.parse(claims.pool.body(terms), names)])
        return self._engine.check([self._filled(part, self._templates) for part in query.parts])

    def _filled(self, part: Part, templates: dict[tuple[object, ...], Formula]) -> Formula:
        key = (part.kind, part.path)
        if key not in templates:
            term = part.build(self._claims, NO_VALUES, part.path)
            templates[key] = self._engine.parse(self._claims.pool.body([term]), term.symbols)
        return self._engine.fill(templates[key], part.values)

    def _terms(self, query: Query) -> tuple[Claims, list[Term]]:
        claims = Claims(self.problem)
        return claims, [part.build(claims, part.values, part.path) for part in query.parts]

    def _written(self, query: Query, remark: str) -> str:
        claims, terms = self._terms(query)
        comment = f"System: {self.problem.name}\n{remark}\n{NAMES_EXPLAINED}"
        return script(comment, claims.pool.body(terms, labels=True), expected="unsat")

    def _unconfirmed(self, query: Query, outcome: Sat) -> UnconfirmedModelError:
        what = f"Z3 found a {query.text}, and plain evaluation denies it"
        return UnconfirmedModelError(what, self._written(query, f"{what}\nModel: {_listed(outcome.values.items())}"))

    # ---- worlds ------------------------------------------------------------------------------------

    def _see(self, world: Assignment) -> tuple[int, ...]:
        return evaluate.observe(self.problem, world)

    def _evidence(self, world: Assignment) -> Evidence:
        return Evidence(world, self._see(world))

    def _exists(self, world: Assignment) -> bool:
        in_domains = all(world[variable.name] in variable.domain for variable in self.problem.variables)
        return in_domains and bool(evaluate.value(self.problem, self.problem.valid, world))

    def _is_whole(self, walk: Walk) -> bool:
        """Whether the steps of `walk` give its codes, final state and fix (whether they are right is to prove)."""
        state = dict(walk.start)
        for step in walk.steps:
            state |= step.sets
        codes = tuple(self.problem.rules[step.rule].code for step in walk.steps)
        changed = {name: value for name, value in state.items() if value != walk.start[name]}
        return (codes, state, changed) == (walk.codes, walk.final, dict(walk.fix))

    def _members(self, walk: Walk, evidence: Evidence, worlds: Iterable[Assignment]) -> list[Walk]:
        """Return the walk of the task, and those of the worlds that are of its class."""
        members = [walk]
        for world in worlds:
            full = {**walk.start, **world}
            if full != walk.start and self._exists(full) and self._see(full) == evidence.seen:
                members.append(evaluate.run_walk(self.problem, full))
        return members

    def _routes(self, walk: Walk, evidence: Evidence, known: Iterable[Walk]) -> list[Walk]:
        """Return one walk for each route, that of the task first; those of other answers or classes are left out."""
        walks = self._members(walk, evidence, (other.start for other in known))
        same = [other for other in walks if other.gives_task and other.answer == walk.answer]
        return list({_route(other): other for other in reversed(same)}.values())[::-1]


@attrs.define
class _Found:
    """What has been found out about one class so far."""

    walk: Walk
    evidence: Evidence
    routes: list[Walk]
    worlds: list[Walk]

    def result(
        self,
        verdict: Verdict,
        *,
        uniqueness: Uniqueness | None = None,
        refutations: tuple[Refutation, ...] = (),
        reason: str = "",
    ) -> TaskProof:
        return TaskProof(
            verdict,
            self.walk,
            uniqueness,
            rival_worlds=tuple(walk.start for walk in self.worlds),
            refutations=refutations,
            reason=reason,
            walks=tuple(self.routes),
        )


def _listed(values: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values)


def _read(outcome: Sat, variables: Sequence[str], name: Callable[[str], str]) -> dict[str, int]:
    return {variable: outcome.values[name(variable)] for variable in variables}


def _route(walk: Walk) -> tuple[Path, tuple[tuple[tuple[str, int], ...], ...]]:
    return path_of(walk), tuple(tuple(step.sets.items()) for step in walk.steps)
