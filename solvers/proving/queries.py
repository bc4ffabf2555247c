"""The questions that decide a task, each a conjunction of parts.

In: walks and evidence. Out: `Query` values. A part knows how to build its term, and the numbers that belong into
it. Either the term is built once with open names, for all tasks that take the same path, and the numbers are
filled in later; or it is built with the numbers in place. Both mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import attrs

from solvers.outcome import Assignment, Uniqueness, Walk
from solvers.proving.claims import (
    Claims,
    FieldValues,
    Path,
    evidence_name,
    path_of,
    repaired_name,
    set_name,
    start_name,
)
from solvers.proving.smtlib import Term


@attrs.frozen(eq=False)
class Part:
    """A condition.

    Attributes:
        kind: Parts of equal kind and path have the same term before numbers are filled in.
        build: Builds the term; the second argument gives values to some names, and the others stay open.
        values: The numbers that belong into the term. Values for all other names are what the query asks for.
    """

    kind: tuple[object, ...]
    build: Callable[[Claims, FieldValues, Path], Term] = attrs.field(repr=False)
    values: FieldValues
    path: Path = ()


@attrs.frozen(eq=False)
class Query:
    """Asks for values of the open names with which all parts hold; `text` says what such values describe."""

    text: str
    parts: tuple[Part, ...]


def start_values(world: Assignment, names: Iterable[str]) -> dict[str, int]:
    return {start_name(name): world[name] for name in names}


def walk_values(walk: Walk) -> dict[str, int]:
    """The numbers that `walk` sets, step by step."""
    return {
        set_name(field, number): value for number, step in enumerate(walk.steps) for field, value in step.sets.items()
    }


@attrs.frozen(eq=False)
class Evidence:
    """The evidence of a class: a world of it, and what that world and all others of the class show."""

    world: Assignment
    seen: tuple[int, ...]

    def fixed(self, claims: Claims) -> dict[str, int]:
        return start_values(self.world, claims.fixed)

    def shown(self) -> dict[str, int]:
        return {evidence_name(number): value for number, value in enumerate(self.seen)}


def valid_world(world: Assignment) -> Query:
    """Ask whether a world exists at all."""
    return Query("valid world of these values", (_is_valid(start_values(world, world)),))


def _is_valid(values: FieldValues) -> Part:
    def build(claims: Claims, known: FieldValues, path: Path) -> Term:
        return claims.valid(claims.start(known))

    return Part(("valid",), build, values)


def other_outcome(claims: Claims, evidence: Evidence, walks: Sequence[Walk]) -> Query:
    """Ask for a world with the evidence whose walk has another outcome (P1), or that the fix does not mend (P2).

    The world satisfies what is stated; the fix has to mend it if it is valid.

    `walks` has one walk for each known route: an outcome is another one if the walk takes none of these routes.
    """

    def build(claims: Claims, known: FieldValues, path: Path) -> Term:
        route = claims.route(claims.start(known), path, known)
        right = claims.pool.all_of((claims.takes_told_route(route), claims.fix_mends(route)))
        return claims.pool.negate(right)

    fixed = evidence.fixed(claims)
    parts = [Part(("outcome",), build, fixed | walk_values(walk), path_of(walk)) for walk in walks]
    text = "world with this evidence whose walk has another outcome, or that the fix does not mend"
    return Query(text, (_shows(claims, evidence), *parts))


def rival(claims: Claims, walk: Walk, level: Uniqueness, worlds: Sequence[Walk], routes: Sequence[Walk]) -> Query:
    """Ask for a rival at some level that mends the start of each of `worlds` (P3); it may fail in other worlds.

    The named fields are those that the routes of the class set.
    """
    path = path_of(walk)
    changes = len(walk.fix)
    if level is Uniqueness.ANY:
        fields = tuple(variable.name for variable in claims.problem.editable)
    else:
        named = {field for route in routes for field in claims.named_fields(path_of(route))}
        fields = tuple(variable.name for variable in claims.problem.editable if variable.name in named)

    def build_cost(claims: Claims, known: FieldValues, path: Path) -> Term:
        route = claims.route(claims.start(known), path, known)
        mended = claims.repaired(route.start, fields, known)
        cheap = claims.rival_cost(route, mended, fields, level, changes)
        return claims.pool.all_of((*(claims.in_domain(mended.values[field], field) for field in fields), cheap))

    def build_mends(claims: Claims, known: FieldValues, path: Path) -> Term:
        route = claims.route(claims.start(known), path, known)
        return claims.is_repair(route, claims.repaired(route.start, fields, known))

    config = start_values(walk.start, (variable.name for variable in claims.problem.editable))
    cost = Part(("cost", level, changes, fields), build_cost, config | walk_values(walk), path)
    mends = [
        Part(
            ("mends", fields), build_mends, start_values(world.start, world.start) | walk_values(world), path_of(world)
        )
        for world in worlds
    ]
    return Query("repair other than the fix that is as good", (cost, *mends))


def unmended(claims: Claims, evidence: Evidence, walks: Sequence[Walk], repair: Assignment) -> Query:
    """Ask for a valid world with the evidence that `repair` does not mend. `walks` take every route that there is."""
    fields = tuple(variable.name for variable in claims.problem.editable if variable.name in repair)

    def build(claims: Claims, known: FieldValues, path: Path) -> Term:
        route = claims.route(claims.start(known), path, known)
        mends = claims.is_repair(route, claims.repaired(route.start, fields, known))
        return claims.pool.negate(claims.pool.all_of((claims.takes_told_route(route), mends)))

    fixed = evidence.fixed(claims) | {repaired_name(field): repair[field] for field in fields}
    parts = [Part(("unmended", fields), build, fixed | walk_values(walk), path_of(walk)) for walk in walks]
    valid = _is_valid(evidence.fixed(claims))
    return Query("world with this evidence that the rival does not mend", (_shows(claims, evidence), valid, *parts))


def _shows(claims: Claims, evidence: Evidence) -> Part:
    def build(claims: Claims, known: FieldValues, path: Path) -> Term:
        start = claims.start(known)
        return claims.pool.all_of(
            (claims.in_domains(start, claims.free), claims.stated(start), claims.same_evidence(start, known))
        )

    return Part(("evidence",), build, evidence.fixed(claims) | evidence.shown())
