"""What is well formed and still wrong, or likely wrong: dead rules, contradictions, what nobody uses.

In: a checked program without errors, its scopes and bounds. Out: errors for what is surely wrong, warnings
for the rest. Lints that need worlds to be drawn are in the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, assert_never

from dsl.analysis.bounds import Bounds
from dsl.check.declarations import Library
from dsl.check.index import ProgramIndex
from dsl.check.systems import SystemScope
from dsl.checked import (
    CheckedArchetype,
    CheckedAssign,
    CheckedProgram,
    CheckedRule,
    CheckedSet,
    CheckedSystem,
    Earlier,
    Operation,
    Typed,
    Within,
    expressions_of,
    walk_typed,
)
from dsl.diagnostics.collector import Collector
from dsl.operators import LogicOp
from dsl.syntax import nodes
from dsl.value_types import FLAG
from gpu_train_debug.wording import counted, listed

LEAST_CODES: Final = 3
"""With fewer codes in a system, what a prompt prints gives the answer away."""


def lint_program(
    program: CheckedProgram,
    systems: Mapping[str, SystemScope],
    index: ProgramIndex,
    library: Library,
    bounds: Mapping[str, Bounds],
    collector: Collector,
) -> None:
    """Run every lint of the language."""
    for name, system in program.systems.items():
        _lint_conditions(system, bounds[name], collector)
        for rule in system.rules:
            _lint_rule(rule, system, bounds[name], collector)
        for expr in expressions_of(system):
            _lint_withs(expr, bounds[name], collector)
    for archetype in program.archetypes.values():
        for condition in (*archetype.wheres, *archetype.hards, *archetype.tells):
            _lint_withs(condition.condition, bounds[archetype.system], collector)
        _lint_tells(archetype, program.systems[archetype.system], bounds[archetype.system], collector)
        _lint_archetype(archetype, program.systems[archetype.system], bounds[archetype.system], collector)
    _lint_leaks(program, collector)
    _lint_unused(systems, index, library, collector)


def _lint_conditions(system: CheckedSystem, bounds: Bounds, collector: Collector) -> None:
    requires = [each.condition for each in system.requires]
    if requires and bounds.never(*requires):
        collector.error(
            "E426",
            f"no world of `{system.name}` is valid",
            system.requires[-1].span,
            "together, the conditions exclude every world",
        )
        return
    sounds = [each.condition for each in system.sounds]
    if sounds and bounds.never(*sounds):
        collector.error("E426", f"no run of `{system.name}` is sound", system.sounds[-1].span, "this never holds")
    for sound in system.sounds:
        if bounds.always(sound.condition):
            collector.warn("W444", "this condition always holds", sound.span, "it says nothing about a run")


def _lint_rule(rule: CheckedRule, system: CheckedSystem, bounds: Bounds, collector: Collector) -> None:
    requires = [each.condition for each in system.requires]
    if bounds.never(rule.guard) or bounds.never(rule.guard, *requires):
        collector.error(
            "E409",
            f"rule `{rule.name}` can never fire",
            rule.guard.span,
            "this holds in no valid world",
        )
        return
    support = bounds.support(rule.guard)
    for alternative in rule.alternatives:
        fields = {item.field for item in alternative}
        idle = not fields & support
        why = f"the guard doesn't depend on {listed(sorted(fields))}" if idle else "the guard holds with these values"
        if idle or _stays_true(rule.guard, alternative, bounds):
            collector.error(
                "E410",
                f"rule `{rule.name}` fires again after its own fix",
                alternative[0].span.to(alternative[-1].span),
                why,
                secondary=((rule.guard.span, "this stays true"),),
                notes=(f"the guard depends on {listed(sorted(support)) or 'nothing'}",),
            )
        for item in alternative:
            if isinstance(item, CheckedAssign) or any(isinstance(node, Earlier) for node in walk_typed(item.where)):
                continue
            if bounds.never(item.where):
                collector.error(
                    "E409",
                    f"`{item.field}` never gets a value here",
                    item.where.span,
                    "no value of any field satisfies this",
                )


def _stays_true(guard: Typed, alternative: tuple[CheckedSet, ...], bounds: Bounds) -> bool:
    """Whether it is sure that the guard still holds after sets that don't look for a value."""
    after = guard
    for item in reversed(alternative):
        if not isinstance(item, CheckedAssign) or any(isinstance(node, Earlier) for node in walk_typed(item.value)):
            return False
        after = Within(after, ((item.field, item.value),), FLAG, span=guard.span)
    return bounds.always(Operation(LogicOp.IMPLIES, (guard, after), FLAG, span=guard.span))


def _lint_withs(expr: Typed, bounds: Bounds, collector: Collector) -> None:
    """Changes of variables that the changed expression doesn't depend on."""
    for node in walk_typed(expr):
        if isinstance(node, Within):
            support = bounds.support(node.body)
            idle = [name for name, _ in node.changes if name not in support]
            if idle:
                collector.warn(
                    "W448",
                    f"this doesn't depend on {listed(idle, last='or')}, so `with` changes nothing",
                    node.body.span,
                    "has the same value with and without the change",
                    helps=("`with` belongs to the operand before it; for all of a product write `(a * b) with (...)`",),
                )


def _lint_archetype(archetype: CheckedArchetype, system: CheckedSystem, bounds: Bounds, collector: Collector) -> None:
    wheres = [each.condition for each in archetype.wheres]
    every = [*wheres, *(each.condition for each in system.requires)]
    if wheres and (bounds.never(*wheres) or bounds.never(*every)):
        collector.error(
            "E426",
            f"no world belongs to `{archetype.name}`",
            archetype.wheres[-1].span,
            "together, the conditions exclude every world",
        )
        return
    hards = [each.condition for each in archetype.hards]
    if hards and bounds.never(*hards, *wheres):
        collector.error(
            "E426", f"no boundary task belongs to `{archetype.name}`", archetype.hards[-1].span, "this never holds"
        )


def _lint_tells(archetype: CheckedArchetype, system: CheckedSystem, bounds: Bounds, collector: Collector) -> None:
    """A tell is a condition on what a page shows, which holds in some worlds and not in others."""
    shown = _shown_variables(system, bounds) if archetype.tells else frozenset()
    for number, tell in enumerate(archetype.tells):
        earlier = next((each for each in archetype.tells[:number] if each.condition == tell.condition), None)
        read = bounds.support(tell.condition)
        if earlier is not None:
            message, label = "this tell is given twice", "again here"
            collector.warn("W458", message, tell.span, label, secondary=((earlier.span, "first here"),))
        elif bounds.always(tell.condition):
            helps = ("name what is special about the pages of this archetype, or leave the tell out",)
            collector.warn("W444", "this condition always holds", tell.span, "it gives nothing away", helps=helps)
        elif bounds.never(tell.condition, *(each.condition for each in system.requires)):
            helps = ("correct it, or leave it out: no task can look so",)
            collector.warn("W458", "this tell never holds", tell.span, "no valid world is like that", helps=helps)
        elif not read & shown:
            hidden = listed(sorted(read))
            collector.warn(
                "W458",
                f"no page shows anything of {hidden}",
                tell.span,
                "this gives nothing away",
                helps=("write the tell with fields, facts, profiler values or what the log depends on",),
            )


def _shown_variables(system: CheckedSystem, bounds: Bounds) -> frozenset[str]:
    """The variables that a page prints, or on which something that it prints depends."""
    own = {variable.name for variable in system.variables if variable.kind != "hidden"}
    printed: list[Typed | None] = []
    for relation in system.relations:
        printed += [relation.value, relation.condition] if relation.profiler else []
    for event in system.events:
        for line in event.lines:
            printed += [line.condition, *(attribute.value for attribute in line.attributes)]
        printed.append(event.placed)
    return frozenset(own).union(*(bounds.support(expr) for expr in printed if expr is not None))


def _lint_leaks(program: CheckedProgram, collector: Collector) -> None:
    """A system's prompts must leave several answers open."""
    for name, system in program.systems.items():
        archetypes = [each for each in program.archetypes.values() if each.system == name]
        if not archetypes:
            continue
        codes = sorted({rule.code for rule in system.rules})
        if len(codes) < LEAST_CODES:
            collector.warn(
                "W442",
                f"system `{name}` has {counted(len(codes), 'diagnosis code')}",
                system.span,
                f"with fewer than {LEAST_CODES}, its prompts give the answer away",
            )
        if all(archetype.faults for archetype in archetypes):
            collector.warn(
                "W442",
                f"system `{name}` has no healthy archetype",
                system.span,
                "every run shown has a fault",
                helps=("add an archetype with `fault none`",),
            )


# ------------------------------------------------------------------ what nobody uses


def _lint_unused(
    systems: Mapping[str, SystemScope], index: ProgramIndex, library: Library, collector: Collector
) -> None:
    """Declarations without a use; config fields and given facts may be there to distract."""
    used = set[str]().union(*(scope.used for scope in library.scopes.values()))
    shared = {module for other, seen in index.sees.items() for module in seen if module != other}
    for module, parsed in index.modules.items():
        if module in shared:
            continue  # a library: its users decide what they need
        for declaration in parsed.declarations:
            if isinstance(declaration, nodes.EnumDecl | nodes.ConstDecl | nodes.TableDecl):
                _unused(declaration.name, used, collector)
    for system in systems.values():
        for ident in _may_be_unused(system.decl):
            _unused(ident, used, collector)
    for dataset in index.datasets.values():
        named = {ident.name for split in dataset.node.splits for ident in (*split.avoid, *split.within)}
        for region in dataset.node.regions:
            _unused(region.name, named, collector)


def _may_be_unused(decl: nodes.SystemDecl) -> Iterator[nodes.Ident]:
    for item in decl.items:
        match item:
            case nodes.ConstDecl() | nodes.TableDecl() | nodes.EnumDecl() | nodes.RelationDecl():
                yield item.name
            case nodes.VarBlock(kind="hidden"):
                yield from (variable.name for variable in item.variables)
            case (
                nodes.VarBlock() | nodes.ProfilerBlock() | nodes.LogBlock() | nodes.RequireDecl() | nodes.SoundDecl()
                | nodes.KeepDecl() | nodes.RuleDecl() | nodes.RunbookDecl()
            ):  # fmt: skip
                pass
            case _:
                assert_never(item)


def _unused(ident: nodes.Ident, used: set[str], collector: Collector) -> None:
    if ident.name not in used:
        collector.warn("W441", f"`{ident.name}` is never used", ident.span, "declared here")
