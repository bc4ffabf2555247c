"""Cases: what is known of real runs, and what was confirmed about them.

In: the declarations, and the scopes that `ArchetypeChecker` gives. Out: `CheckedCase`s by name; a wrong declaration is
left out after its errors.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from dsl.check.answers import check_codes, check_settings, in_field_order, refuse_healthy_fix
from dsl.check.archetypes import ArchetypeChecker
from dsl.check.checker import Checker, ExpansionBudget
from dsl.check.dispatch import ExpressionChecker
from dsl.check.facts import check_facts
from dsl.check.index import ProgramIndex
from dsl.check.systems import SystemScope
from dsl.checked import CheckedAnswer, CheckedCase, CheckedSystem
from dsl.diagnostics.collector import Collector
from dsl.source import Span
from dsl.syntax import nodes
from dsl.syntax.mistakes import SOURCE_HELP

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that don't show, or that end a line."""


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
    _check_texts(decl, checker.collector)
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


def _check_texts(decl: nodes.CaseDecl, collector: Collector) -> None:
    """A case is found by its source, and `gtd cases` prints both texts on one line."""
    name = decl.name
    if not decl.source.strip():
        message = f"case `{name.name}` has no source"
        collector.error("E455", message, name.span, "its first text is empty", helps=(SOURCE_HELP,))
    if decl.text is not None and not decl.text.strip():
        message, helps = f"the text of case `{name.name}` is empty", ("leave it out, or say what went wrong",)
        collector.error("E455", message, name.span, "its second text is empty", helps=helps)
    for which, text in (("source", decl.source), ("text", decl.text or "")):
        sign = next((char for char in text if unicodedata.category(char) in _UNSEEN), None)
        if sign is not None:
            what = "a line break" if sign == "\n" else "a character that can't be seen"
            message = f"the {which} of case `{name.name}` has {what} (U+{ord(sign):04X})"
            collector.error("E455", message, name.span, "in this case", helps=("write it on one line, in plain text",))


def _answers(
    decl: nodes.CaseDecl, scope: SystemScope, system: CheckedSystem, checker: Checker
) -> Iterator[CheckedAnswer]:
    found: dict[tuple[frozenset[str], frozenset[tuple[str, int]]], Span] = {}
    for answer in decl.answers:
        errors = checker.collector.error_count
        refuse_healthy_fix(answer.codes, answer.fix, checker.collector)
        fix = check_settings(answer.fix, checker, editable=True)
        if not check_codes(answer.codes, scope, checker.collector) or checker.collector.error_count > errors:
            continue
        codes = tuple(code.name for code in answer.codes)
        earlier = found.setdefault((frozenset(codes), frozenset(fix.items())), answer.span)
        if earlier is not answer.span:
            again = ((earlier, "first here"),)
            checker.collector.error("E456", "this answer is given twice", answer.span, "again here", secondary=again)
        yield CheckedAnswer(codes, in_field_order(fix, system), span=answer.span)
