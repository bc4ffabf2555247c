"""Archetypes, compositions and their inline examples.

In: the declarations, the scopes of files and of systems. Out: `CheckedArchetype`s by name; a composition
carries the conditions of both parts, unless it is fresh. A wrong declaration is left out after its errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from dsl.check.answers import (
    check_codes,
    check_settings,
    checked_constant,
    in_field_order,
    refuse_healthy_fix,
)
from dsl.check.checker import ExpansionBudget
from dsl.check.dispatch import ExpressionChecker
from dsl.check.index import ArchetypeLike, Declared, ProgramIndex, find_declared, report_duplicate
from dsl.check.names import RelationSymbol, Scope, check_members, find_name
from dsl.check.systems import SystemScope
from dsl.checked import CheckedArchetype, CheckedCondition, CheckedExample
from dsl.diagnostics.collector import Collector
from dsl.source import Span
from dsl.syntax import nodes
from gpu_train_debug.wording import listed

HEALTHY_TIER = "healthy"
COMPOSED_TIER = "two_fault"


class ArchetypeChecker:
    """Checks archetypes and compositions; `checked` grows as it goes."""

    def __init__(
        self,
        index: ProgramIndex,
        scopes: Mapping[str, Scope],
        systems: Mapping[str, SystemScope],
        collector: Collector,
        budget: ExpansionBudget,
    ) -> None:
        self._index = index
        self._scopes = scopes
        self._systems = systems
        self._collector = collector
        self._budget = budget
        self._scopes_in: dict[tuple[str, str], Scope] = {}
        self.checked: dict[str, CheckedArchetype] = {}

    def run(self) -> dict[str, CheckedArchetype]:
        """Check all archetypes, then all compositions of them."""
        declarations = self._index.archetypes.values()
        for declared in declarations:
            if isinstance(declared.node, nodes.ArchetypeDecl):
                self._archetype(declared.node, declared.module)
        for declared in declarations:
            if isinstance(declared.node, nodes.ComposeDecl):
                self._compose(declared.node, declared.module)
        return self.checked

    def scope_in(self, ident: nodes.Ident, module: str) -> tuple[SystemScope, Scope] | None:
        """The system that `ident` names, and what a condition on its worlds sees in `module`."""
        declared = find_declared(self._index, self._index.systems, ident, module, "system", self._collector)
        if declared is None or ident.name not in self._systems:
            return None
        system = self._systems[ident.name]
        if (ident.name, module) not in self._scopes_in:
            self._scopes_in[ident.name, module] = self._joined_scope(system, self._scopes[module])
        return system, self._scopes_in[ident.name, module]

    def _joined_scope(self, system: SystemScope, here: Scope) -> Scope:
        """What a file sees, and what the system declares; the two must not clash."""
        for name in here.names.keys() & system.own.keys():
            report_duplicate(name, here.names[name].ident, system.own[name].ident, self._collector)
        if here.names.keys() & system.members:
            check_members([(each, None) for each in system.scope.enumerations], here.names, self._collector)
        return attrs.evolve(
            here,
            names={**here.names, **system.own},
            types={**here.types, **system.own_types},
            enumerations=tuple(dict.fromkeys((*here.enumerations, *system.scope.enumerations))),
        )

    def _archetype(self, decl: nodes.ArchetypeDecl, module: str) -> None:
        before = self._collector.error_count
        found = self.scope_in(decl.system, module)
        if found is None:
            return
        system, scope = found
        faults: tuple[str, ...] = ()
        if decl.fault is not None:
            faults = (decl.fault.name,)
            if decl.fault.name not in system.rules:
                helps = self._collector.suggestion(decl.fault.name, system.rules)
                message = f"`{decl.system.name}` has no rule `{decl.fault.name}`"
                self._collector.error("E210", message, decl.fault.span, "not declared there", helps=helps)
                faults = ()
        if (decl.fault is None) != (decl.tier.name == HEALTHY_TIER):
            self._collector.error(
                "E419",
                f"tier `{HEALTHY_TIER}` and `fault none` belong together",
                decl.tier.span,
                "one without the other",
            )
        wheres, hards = self._conditions(decl.wheres, scope)
        tells = ExpressionChecker(scope, self._collector, self._budget).conditions(decl.tells)
        codes = {system.rules[fault] for fault in faults} if len(faults) == (decl.fault is not None) else None
        examples = self._examples(decl.examples, system, scope, codes)
        if self._collector.error_count == before:
            self.checked[decl.name.name] = CheckedArchetype(
                name=decl.name.name,
                title=decl.title,
                system=decl.system.name,
                faults=faults,
                tier=decl.tier.name,
                wheres=wheres,
                hards=hards,
                examples=examples,
                parts=(),
                tells=tells,
                likes=self._likes(decl.likes, decl.system.name, faults, module),
                like_spans={like.archetype.name: like.span for like in decl.likes},
                span=decl.name.span,
            )

    def _compose(self, decl: nodes.ComposeDecl, module: str) -> None:
        before = self._collector.error_count
        declared = [self._part(ident, module) for ident in (decl.first, decl.second)]
        first = declared[0]
        found = None if first is None else self.scope_in(first.system, module)
        if first is None or found is None:
            return
        system, scope = found
        if declared[1] is not None:
            self._refuse_pair(decl, first, declared[1])
        wheres, hards = self._conditions(decl.wheres, scope)
        parts = [self.checked.get(ident.name) for ident in (decl.first, decl.second)]
        faults = [fault for part in parts if part is not None for fault in part.faults]
        known = all(parts) and all(fault in system.rules for fault in faults)
        codes = {system.rules[fault] for fault in faults} if known else None
        examples = self._examples(decl.examples, system, scope, codes)
        if self._collector.error_count > before or parts[0] is None or parts[1] is None:
            return
        inherited = () if decl.fresh else (parts[0], parts[1])
        self.checked[decl.name.name] = CheckedArchetype(
            name=decl.name.name,
            title=decl.title,
            system=first.system.name,
            faults=(*parts[0].faults, *parts[1].faults),
            tier=COMPOSED_TIER,
            wheres=(*(each for part in inherited for each in part.wheres), *wheres),
            hards=(*(each for part in inherited for each in part.hards), *hards),
            examples=examples,
            parts=(decl.first.name, decl.second.name),
            likes=self._likes(decl.likes, first.system.name, faults, module),
            like_spans={like.archetype.name: like.span for like in decl.likes},
            span=decl.name.span,
        )

    def _likes(
        self, likes: Sequence[nodes.Like], system: str, faults: Sequence[str], module: str
    ) -> tuple[tuple[str, int], ...]:
        """The archetypes that some tasks look like: of the same system, with tells, and of another fault."""
        if sum(like.percent for like in likes) > 100:
            total = sum(like.percent for like in likes)
            self._collector.error(
                "E423",
                f"the look-alikes add up to {total} percent",
                likes[0].span.to(likes[-1].span),
                "at most 100 percent can be",
                helps=("lower the percentages: what they leave of 100 are the tasks that look like no other",),
            )
        found: dict[str, int] = {}
        for like in likes:
            ident = like.archetype
            declared = find_declared(self._index, self._index.archetypes, ident, module, "archetype", self._collector)
            if declared is None:
                continue
            if wrong := self._not_alike(declared.node, system, faults):
                message, (why, help_) = f"no task can look like `{ident.name}`", wrong
                self._collector.error("E423", message, ident.span, why, helps=(help_,))
            elif like.percent < 1:
                message, why = f"`{ident.name}` gets no task", "at least 1 percent is needed"
                self._collector.error("E423", message, like.span, why, helps=("give it more, or leave the `like` out",))
            elif ident.name in found:
                message, helps = f"`{ident.name}` is named twice", ("say once how many percent look like it",)
                self._collector.error("E423", message, ident.span, "already named above", helps=helps)
            found[ident.name] = like.percent
        return tuple(found.items())

    def _not_alike(self, node: ArchetypeLike, system: str, faults: Sequence[str]) -> tuple[str, str] | None:
        """Why tasks with these faults can't look like an archetype, and what to do; None if they can."""
        if isinstance(node, nodes.ComposeDecl):
            return "it is a composition, which has no `tell`", "name one of its parts"
        if node.system.name != system:
            return f"it belongs to `{node.system.name}`", f"name an archetype of `{system}`"
        if node.fault is not None and node.fault.name in faults:
            return f"they have its fault `{node.fault.name}` themselves", "name an archetype with another fault"
        if node.fault is None and not faults:
            return "both are healthy", "name an archetype with a fault"
        if not node.tells:
            return "it has no `tell`", f"give `{node.name.name}` a `tell`: a condition that gives it away on the page"
        return None

    def _part(self, ident: nodes.Ident, module: str) -> nodes.ArchetypeDecl | None:
        """The archetype that a composition names."""
        declared: Declared[ArchetypeLike] | None = find_declared(
            self._index, self._index.archetypes, ident, module, "archetype", self._collector
        )
        if declared is None:
            return None
        if isinstance(declared.node, nodes.ArchetypeDecl) and declared.node.fault is not None:
            return declared.node
        what = "a composition" if isinstance(declared.node, nodes.ComposeDecl) else "a healthy control"
        self._collector.error(
            "E418",
            f"`{ident.name}` can't be part of a composition",
            ident.span,
            f"this is {what}",
            helps=("combine two archetypes that have one fault each",),
        )
        return None

    def _refuse_pair(self, decl: nodes.ComposeDecl, first: nodes.ArchetypeDecl, second: nodes.ArchetypeDecl) -> None:
        """Both parts have to live in one system and differ in their fault."""
        assert first.fault is not None
        assert second.fault is not None
        if first.system.name != second.system.name:
            message = f"`{decl.first.name}` and `{decl.second.name}` belong to different systems"
            why = f"this one belongs to `{second.system.name}`, the other to `{first.system.name}`"
        elif first.fault.name == second.fault.name:
            message = f"`{decl.first.name}` and `{decl.second.name}` have the same fault"
            why = f"both have the fault `{first.fault.name}`"
        else:
            return
        self._collector.error("E418", message, decl.second.span, why)

    def _conditions(
        self, wheres: Iterable[nodes.Where], scope: Scope
    ) -> tuple[tuple[CheckedCondition, ...], tuple[CheckedCondition, ...]]:
        """The conditions, and those of boundary tasks."""
        checker = ExpressionChecker(scope, self._collector, self._budget)
        plain, hard = ([each.condition for each in wheres if each.hard is which] for which in (False, True))
        return checker.conditions(plain), checker.conditions(hard)

    # -------------------------------------------------------------- examples

    def _examples(
        self, examples: Iterable[nodes.Example], system: SystemScope, scope: Scope, codes: set[str] | None
    ) -> tuple[CheckedExample, ...]:
        checked = []
        for example in examples:
            found = self._example(example, system, scope, codes)
            if found is not None:
                checked.append(found)
        return tuple(checked)

    def _example(
        self, decl: nodes.Example, system: SystemScope, scope: Scope, codes: set[str] | None
    ) -> CheckedExample | None:
        checker = ExpressionChecker(scope, self._collector, self._budget)
        settings = check_settings(decl.settings, checker, editable=False)
        fix = check_settings(decl.fix, checker, editable=True)
        shows = self._shows(decl.shows, scope)
        refuse_healthy_fix(decl.codes, decl.fix, self._collector)
        if not check_codes(decl.codes, system, self._collector):
            return None
        given = {code.name for code in decl.codes}
        codes_span = decl.codes[0].span.to(decl.codes[-1].span) if decl.codes else decl.span
        if codes is not None and given != codes:
            self._collector.error(
                "E417",
                f"the example expects {listed(sorted(given)) or '`HEALTHY`'}",
                codes_span,
                f"its archetype gives {listed(sorted(codes)) or '`HEALTHY`'}",
            )
        if system.checked is None:
            return None
        world = {variable.name: variable.default for variable in system.checked.variables} | settings
        return CheckedExample(
            text=decl.text or "",
            world=tuple(world.items()),
            codes=tuple(code.name for code in decl.codes),
            fix=in_field_order(fix, system.checked),
            shows=shows,
            codes_span=codes_span,
            span=decl.span,
        )

    def _shows(
        self, shows: Iterable[tuple[nodes.Ident, nodes.Expression]], scope: Scope
    ) -> tuple[tuple[str, int, Span], ...]:
        values: dict[str, tuple[str, int, Span]] = {}
        for ident, expr in shows:
            symbol = find_name(scope, ident, (RelationSymbol,), self._collector)
            if symbol is None or symbol.type is None:
                continue
            if ident.name in values:
                earlier = nodes.Ident(ident.name, span=values[ident.name][2])
                report_duplicate(ident.name, ident, earlier, self._collector, what="is given twice")
                continue
            checker = ExpressionChecker(scope, self._collector, self._budget)
            value = checked_constant(expr, symbol.type, f"the value of `{ident.name}`", checker)
            if value is not None:
                values[ident.name] = (ident.name, value.value, ident.span)
        return tuple(values.values())
