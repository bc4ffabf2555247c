"""Prove with Z3 what counting claims about a task, or come to a verdict without counting.

In: a `TaskProof`, or just a world. Out: a `TaskProof` with Z3's verdict. The proof that comes in is a hint: it
says which routes the walks of the class take, and which worlds rule rivals out. Where it says too little, Z3
finds a counterexample, which is added, and the question is asked again. So the verdict never depends on what
was counted.

"sat" alone is never believed: plain evaluation must confirm the world or the repair that comes with it, or else
`UnconfirmedModelError` is raised. "unknown" makes the verdict inconclusive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import assert_never

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
    """Z3 found something that plain evaluation denies, so one of them is wrong. `case` is the query as a script."""

    def __init__(self, what: str, case: str) -> None:
        super().__init__(what)
        self.case = case


class _UndecidedError(Exception):
    """Z3 didn't decide a query, usually because its budget ran out."""


class Prover:
    """Proves the tasks of one problem, one by one; parts of queries that many tasks share are built once.

    Args:
        templates: Whether to share parts. If not, each query is written out as in `scripts`: slower, and with
            the same verdicts.
    """

    def __init__(self, problem: Problem, budget: Budget | None = None, *, templates: bool = True) -> None:
        self.problem = problem
        self._claims = Claims(problem)
        self._engine = Engine(budget or Budget())
        self._templates: dict[tuple[object, ...], Formula] | None = {} if templates else None

    def prove(self, proof: TaskProof) -> TaskProof:
        """Return Z3's own verdict about what `proof` claims.

        A unique task is proved at the level of uniqueness that is claimed, and at no other. The rivals of an
        ambiguous one are tried first. An inconclusive proof claims nothing and is returned as it is. The count
        of worlds isn't checked.

        Returns:
            Z3's verdict with the routes, worlds and refutations that it needed. Z3 agrees with `proof` if
            both verdicts are the same.

        Raises:
            UnconfirmedModelError: Z3 and plain evaluation disagree.
            ValueError: The walk of `proof` contradicts itself.
        """
        walk = proof.walk
        if proof.verdict is Verdict.INCONCLUSIVE:
            return proof
        if not self._is_consistent(walk):
            raise ValueError("this proof can't be checked: the steps of its walk don't lead to its codes and its fix")
        found = self._verdict(
            walk,
            (proof.uniqueness or Uniqueness.PREFERRED,),
            known=[other for other in proof.walks if other != walk],
            worlds=proof.rival_worlds,
            rivals=[found.rival for found in proof.refutations if found.rival is not None],
        )
        return attrs.evolve(found, hidden_worlds=proof.hidden_worlds)

    def decide(self, world: Assignment) -> TaskProof:
        """Return Z3's verdict about the evidence of `world`, without hints; `hidden_worlds` is 0."""
        return self._verdict(evaluate.run_walk(self.problem, world), _LEVELS)

    def scripts(self, proof: TaskProof) -> dict[str, str]:
        """Write the claims of a unique task as SMT-LIB 2 scripts; a claim holds if its script is unsatisfiable.

        Returns:
            Scripts by name: `determined` (P1 and P2), and `unique` (P3) if the fix changes anything.

        Raises:
            ValueError: The verdict of `proof` isn't unique.
            UnconfirmedModelError: Z3 and plain evaluation disagree.
        """
        if proof.verdict is not Verdict.UNIQUE or proof.uniqueness is None:
            raise ValueError(f"only a unique task has claims to write out; this one is {proof.verdict.value}")
        walk = proof.walk
        proved = self.prove(proof)  # may add routes; if it doesn't agree, the claims of `proof` are written
        known = proved if proved.verdict is Verdict.UNIQUE else proof
        evidence = self._evidence(walk.start)
        routes = self._routes(walk, evidence, known.walks)
        found = {"determined": queries.other_outcome(self._claims, evidence, routes)}
        if walk.fix:
            worlds = self._walks_to_mend(walk, evidence, known.rival_worlds)
            found["unique"] = queries.rival(self._claims, walk, proof.uniqueness, worlds, routes)
        gold = f"Gold: {', '.join(walk.codes) or 'no code'}; fix: {_listed(walk.fix) or 'none'}"
        return {name: self._script(query, f"Claim: there is no {query.text}\n{gold}") for name, query in found.items()}

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
        if not self._is_valid(walk.start):
            return self._vacuous(walk)
        if not walk.gives_task:
            refutation = Refutation(Claim.P1, walk.start)
            return TaskProof(Verdict.AMBIGUOUS, walk, refutations=(refutation,), reason=walk.ending.value)
        evidence = self._evidence(walk.start)
        found = _ClassFindings(
            walk, evidence, self._routes(walk, evidence, known), self._walks_to_mend(walk, evidence, worlds)
        )
        try:
            return self._decide_claims(found, levels, rivals)
        except _UndecidedError as undecided:
            return found.result(Verdict.INCONCLUSIVE, reason=str(undecided))

    def _decide_claims(
        self, found: _ClassFindings, levels: Sequence[Uniqueness], rivals: Iterable[Assignment]
    ) -> TaskProof:
        """Decide P1 and P2, then P3: by the rivals that are suggested, then at each level until one holds."""
        refutation = self._refute_outcome(found)
        if refutation is not None:
            return found.result(Verdict.AMBIGUOUS, refutations=(refutation,))
        for rival in rivals:
            is_one = self._is_rival(found, rival, Uniqueness.PREFERRED)
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

    def _vacuous(self, walk: Walk) -> TaskProof:
        """Let Z3 confirm that the world of a task isn't valid."""
        query = queries.valid_world(walk.start)
        match outcome := self._ask(query):
            case Sat():
                raise self._unconfirmed(query, outcome)
            case Unsat():
                return TaskProof(Verdict.VACUOUS, walk, reason="no valid world")
            case Unknown(reason=reason):
                return TaskProof(Verdict.INCONCLUSIVE, walk, reason=reason)
        assert_never(outcome)

    def _refute_outcome(self, found: _ClassFindings) -> Refutation | None:
        """Look for a world of the class that answers otherwise (P1), or a valid one that the fix does not mend (P2)."""
        answer, fix = found.walk.answer, dict(found.walk.fix)
        while True:
            query = queries.other_outcome(self._claims, found.evidence, found.routes)
            outcome = self._decided(query)
            if outcome is None:
                return None
            world = self._read_world(query, outcome, found.evidence)
            other = evaluate.told_walk(self.problem, world)
            if not other.gives_task:
                return Refutation(Claim.P1, world)
            if other.answer != answer:
                return Refutation(Claim.P1, world, answer=other.answer)
            if self._is_valid(world) and not evaluate.is_repair(self.problem, other, fix):
                return Refutation(Claim.P2, world, answer=answer)
            if _route_key(other) in map(_route_key, found.routes):
                raise self._unconfirmed(query, outcome)
            found.routes.append(other)

    def _refute_level(self, found: _ClassFindings, level: Uniqueness) -> Refutation | None:
        """Look for a rival at this level that mends all valid worlds of the class (P3)."""
        if not found.walk.fix:
            return None  # only the empty repair changes no field
        while True:
            query = queries.rival(self._claims, found.walk, level, found.worlds, found.routes)
            outcome = self._decided(query)
            if outcome is None:
                return None
            rival = self._read_rival(query, outcome, found, level)
            counterexample = self._counterexample(found, rival)
            if counterexample is None:
                return Refutation(Claim.P3, found.walk.start, rival=rival)
            found.worlds.append(counterexample)

    def _counterexample(self, found: _ClassFindings, rival: Assignment) -> Walk | None:
        """Find the walk of a valid world of the class that `rival` does not mend."""
        query = queries.unmended(self._claims, found.evidence, found.routes, rival)
        outcome = self._decided(query)
        if outcome is None:
            return None
        walk = evaluate.told_walk(self.problem, self._read_world(query, outcome, found.evidence))
        if not self._is_valid(walk.start) or evaluate.is_repair(self.problem, walk, rival):
            raise self._unconfirmed(query, outcome)
        return walk

    def _read_rival(self, query: Query, outcome: Sat, found: _ClassFindings, level: Uniqueness) -> dict[str, int]:
        """Read a rival, the fields that it really changes, and confirm what was asked of it."""
        start = found.walk.start
        fields = [variable.name for variable in self.problem.editable if repaired_name(variable.name) in outcome.values]
        given = _read_values(outcome, fields, repaired_name)
        rival = {field: value for field, value in given.items() if value != start[field]}
        mends = all(evaluate.is_repair(self.problem, walk, rival) for walk in found.worlds)
        if not (mends and self._is_rival(found, rival, level)):
            raise self._unconfirmed(query, outcome)
        return rival

    def _is_rival(self, found: _ClassFindings, repair: Assignment, level: Uniqueness) -> bool:
        """Whether `repair` differs from the fix and is as good as a rival has to be at this level."""
        walk, fix = found.walk, dict(found.walk.fix)
        named = repair.keys() <= set(evaluate.named_fields(self.problem, *found.routes))
        if repair == fix or not (named or level is Uniqueness.ANY):
            return False
        if level is not Uniqueness.PREFERRED:
            return len(repair) <= len(fix)
        start = walk.start
        return evaluate.cost(self.problem, start, repair) <= evaluate.cost(self.problem, start, fix)

    def _read_world(self, query: Query, outcome: Sat, evidence: Evidence) -> dict[str, int]:
        """Read a world of the class and confirm that it is one."""
        world = {**evidence.world, **_read_values(outcome, self._claims.free, start_name)}
        if not self._is_possible(world) or self._observe(world) != evidence.seen:
            raise self._unconfirmed(query, outcome)
        return world

    # ---- asking ------------------------------------------------------------------------------------

    def _decided(self, query: Query) -> Sat | None:
        """Ask; None if there is no solution.

        Raises:
            _UndecidedError: Z3 doesn't know.
        """
        match outcome := self._ask(query):
            case Sat():
                return outcome
            case Unsat():
                return None
            case Unknown(reason=reason):
                raise _UndecidedError(f"{query.text}: {reason}")
        assert_never(outcome)

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

    def _script(self, query: Query, remark: str) -> str:
        claims, terms = self._terms(query)
        comment = f"System: {self.problem.name}\n{remark}\n{NAMES_EXPLAINED}"
        return script(comment, claims.pool.body(terms, labels=True), expected="unsat")

    def _unconfirmed(self, query: Query, outcome: Sat) -> UnconfirmedModelError:
        what = f"Z3 found a {query.text}, and plain evaluation denies it"
        return UnconfirmedModelError(what, self._script(query, f"{what}\nModel: {_listed(outcome.values.items())}"))

    # ---- worlds ------------------------------------------------------------------------------------

    def _observe(self, world: Assignment) -> tuple[int, ...]:
        return evaluate.observe(self.problem, world)

    def _evidence(self, world: Assignment) -> Evidence:
        return Evidence(world, self._observe(world))

    def _is_valid(self, world: Assignment) -> bool:
        return self._in_domains(world) and bool(evaluate.value(self.problem, self.problem.valid, world))

    def _is_possible(self, world: Assignment) -> bool:
        """Whether a reader takes `world` for possible: it satisfies what is stated."""
        return self._in_domains(world) and bool(evaluate.value(self.problem, self.problem.stated, world))

    def _in_domains(self, world: Assignment) -> bool:
        return all(world[variable.name] in variable.domain for variable in self.problem.variables)

    def _is_consistent(self, walk: Walk) -> bool:
        """Whether the steps of `walk` lead to its codes, final state and fix. Whether they are right, Z3 says."""
        state = dict(walk.start)
        for step in walk.steps:
            state |= step.sets
        codes = tuple(self.problem.rules[step.rule].code for step in walk.steps)
        changed = {name: value for name, value in state.items() if value != walk.start[name]}
        return (codes, state, changed) == (walk.codes, walk.final, dict(walk.fix))

    def _walks_in_class(self, walk: Walk, evidence: Evidence, worlds: Iterable[Assignment]) -> list[Walk]:
        """Return the walk of the task, and the told walks of those worlds that are in its evidence class."""
        members = [walk]
        for world in worlds:
            full = {**walk.start, **world}
            if full != walk.start and self._is_possible(full) and self._observe(full) == evidence.seen:
                members.append(evaluate.told_walk(self.problem, full))
        return members

    def _walks_to_mend(self, walk: Walk, evidence: Evidence, worlds: Iterable[Assignment]) -> list[Walk]:
        """Return the walks of the valid ones among these worlds of the class, that of the task first."""
        return [other for other in self._walks_in_class(walk, evidence, worlds) if self._is_valid(other.start)]

    def _routes(self, walk: Walk, evidence: Evidence, known: Iterable[Walk]) -> list[Walk]:
        """Return one walk for each route, that of the task first; other answers and other classes are left out."""
        walks = self._walks_in_class(walk, evidence, (other.start for other in known))
        same = [other for other in walks if other.gives_task and other.answer == walk.answer]
        return list({_route_key(other): other for other in reversed(same)}.values())[::-1]


@attrs.define
class _ClassFindings:
    """What is known about one class so far.

    Attributes:
        walk: The walk of the task.
        routes: One walk of the class for each route found so far.
        worlds: The walks of the worlds that rivals must mend, that of the task first.
    """

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


def _read_values(outcome: Sat, variables: Sequence[str], name: Callable[[str], str]) -> dict[str, int]:
    return {variable: outcome.values[name(variable)] for variable in variables}


def _route_key(walk: Walk) -> tuple[Path, tuple[tuple[tuple[str, int], ...], ...]]:
    """Name the route of a walk: its path and what each step sets."""
    return path_of(walk), tuple(tuple(step.sets.items()) for step in walk.steps)
