"""Cases: what is known of real runs, and what was confirmed about them.

In: the declarations, and the scopes that `ArchetypeChecker` gives. Out: `CheckedCase`s by name; a wrong declaration is
left out after its errors.
"""

from __future__ import annotations

from collections.abc import Iterator

from dsl.check.answers import check_codes, check_settings, in_field_order
from dsl.check.archetypes import ArchetypeChecker
from dsl.check.checker import Checker, ExpansionBudget
from dsl.check.dispatch import ExpressionChecker
from dsl.check.facts import check_facts
from dsl.check.index import ProgramIndex
from dsl.check.systems import SystemScope
from dsl.checked import CheckedAnswer, CheckedCase, CheckedSystem
from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes


def check_cases(
    index: ProgramIndex, archetypes: ArchetypeChecker, collector: Collector, budget: ExpansionBudget
) -> dict[str, CheckedCase]:
    """Check every case; wrong ones are left out."""
    checked = {}
    for declared in index.cases.values():
        before = collector.error_count
        found = archetypes.scope_in(declared.node.system, declared.module)
        if found is not None:
            case = _case(declared.node, found[0], ExpressionChecker(found[1], collector, budget))
            if case is not None and collector.error_count == before:
                checked[case.name] = case
    return checked


def _case(decl: nodes.CaseDecl, scope: SystemScope, checker: Checker) -> CheckedCase | None:
    system = scope.checked
    if system is None:
        return None
    return CheckedCase(
        name=decl.name.name,
        system=decl.system.name,
        source=decl.source,
        text=decl.text or "",
        facts=check_facts(decl.facts, system, checker),
        wheres=checker.conditions(decl.wheres),
        answers=tuple(_answers(decl, scope, system, checker)),
        span=decl.name.span,
    )


def _answers(
    decl: nodes.CaseDecl, scope: SystemScope, system: CheckedSystem, checker: Checker
) -> Iterator[CheckedAnswer]:
    for answer in decl.answers:
        fix = check_settings(answer.fix, checker, editable=True)
        if check_codes(answer.codes, scope, checker.collector):
            codes = tuple(code.name for code in answer.codes)
            yield CheckedAnswer(codes, in_field_order(fix, system), span=answer.span)
