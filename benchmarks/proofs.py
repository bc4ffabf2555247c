"""Proofs a second by kind, over tasks of the shipped dataset.

Z3's proof is timed as a whole, with shared templates and with a script for each query, and apart for what it
proves: P1 and P2 together, and P3 by the level of uniqueness.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from typing import Any

from benchmarks.measure import Cell, Clock, Result, median_ratio, per_second
from benchmarks.sources import SHIPPED, load_program, only_dataset, specs_by_system
from benchmarks.tasks import make
from compiler.tasks.maker import TaskMaker
from solvers.outcome import TaskProof, Uniqueness, Verdict
from solvers.proving.prove import Prover
from solvers.proving.smtlib import recheck_cvc5


class TimedProver(Prover):
    """A prover that tells where its time goes: each of its two searches for a refutation is a stage."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.clock = Clock()
        self.proved: Counter[str] = Counter()

    def _refute_outcome(self, found: Any) -> Any:
        self.proved["Z3, P1 and P2"] += 1
        with self.clock.stage("Z3, P1 and P2"):
            return super()._refute_outcome(found)

    def _refute_level(self, found: Any, level: Uniqueness) -> Any:
        if not found.walk.fix:  # nothing is asked
            return super()._refute_level(found, level)
        name = f"Z3, P3 {level.value}"
        self.proved[name] += 1
        with self.clock.stage(name):
            return super()._refute_level(found, level)


def run(*, quick: bool = False) -> Result:
    program = load_program(SHIPPED)
    dataset = only_dataset(program)
    maker = TaskMaker(program, dataset, prove=False)
    rows: list[tuple[Cell, ...]] = []
    facts: dict[str, Cell] = {}
    for name, specs in specs_by_system(program, dataset).items():
        warm, timed, rechecked = (1, 2, 1) if quick else (40, 80, 12)
        system = maker.system(name)
        proofs = [make(maker, spec).proof for spec in specs[: warm + timed]]
        shared, apart = TimedProver(system.plan.problem), Prover(system.plan.problem, templates=False)
        for proof in proofs[:warm]:
            expect(shared.prove(proof))
        shared.clock, shared.proved = Clock(), Counter()
        clock, counts, pairs = Clock(), Counter[str](), list[tuple[float, float]]()
        scripts = Counter[str]()
        for number, proof in enumerate(proofs[warm:]):
            with clock.stage("counting, P1 to P3"):
                system.check(proof.walk.start, name)
            with clock.stage("Z3, P1 to P3, templates"):
                expect(shared.prove(proof))
            counts.update(["counting, P1 to P3", "Z3, P1 to P3, templates"])
            if number >= rechecked:
                continue
            one = Clock()
            with one.stage("templates"):
                expect(shared.prove(proof))
            with one.stage("scripts"), clock.stage("Z3, P1 to P3, scripts"):
                expect(apart.prove(proof))
            pairs.append((one.spent["scripts"], one.spent["templates"]))
            with clock.stage("scripts written"):
                texts = shared.scripts(proof)
            counts.update(["Z3, P1 to P3, scripts", "scripts written"])
            for claim, text in texts.items() if importlib.util.find_spec("cvc5") else ():
                stage = f"cvc5, {claim}"
                with clock.stage(stage):
                    scripts[recheck_cvc5(text)] += 1
                counts[stage] += 1
        spent = clock.spent | shared.clock.spent
        for stage, count in sorted((counts + shared.proved).items()):
            rows.append((name, stage, count, per_second(count, spent[stage]), 1000 * spent[stage] / count))
        facts[f"{name}: scripts over templates, median of pairs"] = median_ratio(*zip(*pairs, strict=True))
        counting = spent["counting, P1 to P3"], spent["Z3, P1 to P3, templates"]
        facts[f"{name}: Z3 with templates over counting"] = counting[1] / counting[0]
        facts[f"{name}: answers of cvc5"] = ", ".join(f"{answer} {count}" for answer, count in scripts.items())
    columns = ("system", "kind", "proofs", "proofs/s", "ms per proof")
    return Result("proofs", "proofs a second of processor time, by kind", columns, tuple(rows), facts)


def expect(proof: TaskProof) -> None:
    assert proof.verdict is Verdict.UNIQUE, proof.reason
