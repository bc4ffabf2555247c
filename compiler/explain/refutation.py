"""Why a world has no unique answer, for the author of its archetype.

In: a system plan and a proof that failed. Out: notes for a diagnostic.
"""

from __future__ import annotations

from compiler.explain.words import ValueWords
from compiler.plan import SystemPlan
from solvers.evaluate import failing, told_walk
from solvers.outcome import Claim, Refutation, TaskProof


def describe_refutation(plan: SystemPlan, proof: TaskProof) -> tuple[str, ...]:
    """Notes on why the world of `proof` has no unique answer, for the author of its archetype."""
    values = ValueWords(plan)
    if not proof.refutations:
        return (
            f"the world: {values.assignment(proof.walk.start)}",
            f"counting everything gives no verdict: {proof.reason}",
        )
    refutation = proof.refutations[0]
    walk = proof.walk
    other = told_walk(plan.problem, refutation.world) if refutation.world != walk.start else walk
    changed = {name: new for name, new in refutation.world.items() if new != walk.start[name]}
    where = f"it prints the same with {values.assignment(changed)}, and then" if changed else "but"
    match refutation:
        case Refutation(claim=Claim.P3, rival=rival) if rival is not None:
            why = f"{values.assignment(rival) or 'no change at all'} repairs it too and costs no more"
        case Refutation(claim=Claim.P2):
            why = f"{where} the fix doesn't repair the run: {'; '.join(failing(plan.problem, other, dict(walk.fix)))}"
        case Refutation(answer=None):
            why = f"{where} the walk gives no answer ({other.ending.value})"
        case _:
            assert refutation.answer is not None
            why = f"{where} the answer is {values.answer(sorted(refutation.answer.codes), refutation.answer.fix)}"
    return (
        f"the world: {values.assignment(walk.start)}",
        f"the runbook answers {values.answer(walk.codes, walk.fix)}; {why}",
    )
