"""`gtd prove`: draws worlds of archetypes and proves each of them, with a verdict for each archetype.

In: a program plan and names of archetypes. Out: one result per archetype, with its counts and findings. The draws
come from streams of their own, so these worlds aren't those of the dataset's tasks.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import attrs

from compiler.explain.missing import no_look_alike, no_world
from compiler.explain.refutation import describe_refutation
from compiler.findings import Finding, finding_of
from compiler.plan import ArchetypePlan, ProgramPlan
from compiler.splits import told_of
from compiler.tasks.maker import DROPS
from compiler.tasks.tools import DisagreementError, SystemTools, ask
from compiler.tasks.workers import crew
from dsl.diagnostics.diagnostic import Diagnostic, Severity
from gpu_train_debug.tables import plain_table
from gpu_train_debug.wording import counted
from solvers.outcome import Claim, TaskProof, Uniqueness, Verdict
from solvers.problem import TRUE, conjunction
from solvers.proving.budget import Budget
from solvers.proving.prove import Prover
from solvers.proving.smtlib import recheck_cvc5
from solvers.sampling import Exhausted, candidates, key_of

MOSTLY = 0.5  # share of drawn worlds that must pass their proofs


@attrs.frozen
class ProveOptions:
    """Attributes:
    draws: Worlds per archetype.
    rlimit: Budget of each query in resource units; the default one if None.
    recheck: Prove each exported claim again with cvc5.
    smt_folder: The folder, which is there, in which to write the claims as SMT-LIB 2.
    """

    draws: int
    seed: int
    rlimit: int | None = None
    recheck: bool = False
    smt_folder: Path | None = None


@attrs.frozen
class ArchetypeResult:
    """What came of the draws of one archetype; `acceptance` is the share of draws that were worlds of it."""

    name: str
    drawn: int
    verdicts: Counter[str]
    refuted: Counter[str]
    uniqueness: Counter[str]
    interaction: Counter[int]
    undecided: int
    acceptance: float
    findings: tuple[Finding, ...]
    rechecked: Counter[str] = attrs.field(factory=Counter)  # claims by what cvc5 says of them

    @property
    def verdict(self) -> Verdict:
        """The archetype's own: that of its worlds, where too many of them are ambiguous or any is undecided."""
        if not self.drawn:
            return Verdict.VACUOUS
        if self.verdicts["ambiguous"] > (1 - MOSTLY) * self.drawn:
            return Verdict.AMBIGUOUS
        return Verdict.INCONCLUSIVE if self.verdicts["inconclusive"] else Verdict.UNIQUE


def prove_archetypes(
    program: ProgramPlan, names: Sequence[str], options: ProveOptions, *, jobs: int, advance: Callable[[], None]
) -> list[ArchetypeResult]:
    """Prove the archetypes `names`, in that order; the result doesn't depend on `jobs`."""
    results = []
    with crew(_proving_work, (program, options), jobs=min(jobs, len(names)), chunk=1) as workers:
        for result in workers.each(names):
            results.append(result)
            advance()
    return results


def _proving_work(program: ProgramPlan, options: ProveOptions) -> Callable[[str], ArchetypeResult]:
    tools = functools.cache(functools.partial(SystemTools, program))
    return lambda name: prove_archetype(program, name, options, tools)


def prove_archetype(
    program: ProgramPlan, name: str, options: ProveOptions, tools: Callable[[str], SystemTools] | None = None
) -> ArchetypeResult:
    """Draw worlds of one archetype and prove each: by counting, then by Z3, and by cvc5 if asked.

    Args:
        tools: Gives the tools of a system, so that several archetypes can share them; by default they are made.

    Raises:
        DisagreementError: Two procedures give different verdicts.
    """
    archetype = program.archetypes[name]
    system = SystemTools(program, archetype.system) if tools is None else tools(archetype.system)
    prover = Prover(system.plan.problem, Budget() if options.rlimit is None else Budget(rlimit=options.rlimit))
    verdicts, refuted, uniqueness, interaction = Counter[str](), Counter[str](), Counter[str](), Counter[int]()
    rechecked = Counter[str]()
    failed: list[TaskProof] = []
    stream = candidates(system.tables, archetype.where, archetype.codes, key_of(options.seed, name, "prove"))
    exhausted: Exhausted | None = None
    drawn = attempts = undecided = 0
    for found in islice(stream, options.draws):
        if isinstance(found, Exhausted):
            exhausted = found
            attempts = found.drawn
            break
        drawn += 1
        proof = system.check(found.world, name)
        attempts = found.attempts
        verdict = ask(prover, proof, name).verdict
        if proof.verdict is Verdict.INCONCLUSIVE:
            verdict = proof.verdict
        if verdict not in (proof.verdict, Verdict.INCONCLUSIVE):
            raise DisagreementError(
                f"counting says {proof.verdict.value}, Z3 says {verdict.value}",
                {"subject": name, "world": dict(found.world), "counted": repr(proof)},
            )
        if verdict is Verdict.UNIQUE:
            said = _export(prover, proof, f"{name}-{drawn - 1:03d}", options)
            rechecked += said
            if said.total() > said["unsat"]:
                verdict = Verdict.INCONCLUSIVE
        verdicts[verdict.value] += 1
        if verdict is Verdict.UNIQUE:
            assert proof.uniqueness is not None
            uniqueness[proof.uniqueness.value] += 1
            measured = system.measure(found.world, name)
            interaction[measured.interaction] += 1
            undecided += bool(measured.undecided)
        elif verdict is Verdict.AMBIGUOUS:
            failed.append(proof)
            refuted[proof.refutations[0].claim.value] += 1
    result = ArchetypeResult(
        name=name,
        drawn=drawn,
        verdicts=verdicts,
        refuted=refuted,
        uniqueness=uniqueness,
        interaction=interaction,
        undecided=undecided,
        acceptance=drawn / attempts if attempts else 0.0,
        findings=(),
        rechecked=rechecked,
    )
    findings = [*_findings(program, archetype, system, result, exhausted, failed)]
    if drawn:
        findings += _look_alikes(program, archetype, system, options)
    return attrs.evolve(result, findings=tuple(findings))


def _look_alikes(
    program: ProgramPlan, archetype: ArchetypePlan, system: SystemTools, options: ProveOptions
) -> Iterator[Finding]:
    """Draw the worlds that look like other archetypes, until counting finds one whose answer is unique."""
    for like, _ in archetype.likes:
        condition = conjunction(part for part in (archetype.where, told_of(program.archetypes[like])) if part != TRUE)
        key = key_of(options.seed, archetype.name, "prove", like)
        failed: TaskProof | None = None
        for found in islice(candidates(system.tables, condition, archetype.codes, key), DROPS):
            if isinstance(found, Exhausted):
                if failed is None:
                    yield finding_of(no_look_alike(program, archetype, like, found), subject=archetype.name)
                break
            proof = system.check(found.world, archetype.name)
            if proof.verdict is Verdict.UNIQUE:
                failed = None
                break
            failed = proof
        if failed is not None:
            yield finding_of(_none_unique(archetype, like, system, failed), subject=archetype.name)


def _none_unique(archetype: ArchetypePlan, like: str, system: SystemTools, failed: TaskProof) -> Diagnostic:
    code = "E504" if failed.refutations and failed.refutations[0].claim is Claim.P1 else "E502"
    return Diagnostic(
        code=code,
        message=f"no world of `{archetype.name}` that looks like `{like}` was found to have a unique answer",
        span=archetype.like_spans.get(like, archetype.span),
        label="asked for here",
        notes=describe_refutation(system.plan, failed),
        helps=(f"`gtd explain {code}` says what to change; or leave the `like` out",),
    )


def _export(prover: Prover, proof: TaskProof, stem: str, options: ProveOptions) -> Counter[str]:
    """Write the claims of a proof and let cvc5 prove them again, as asked; counts what cvc5 says.

    Raises:
        DisagreementError: cvc5 refutes what Z3 proves.
        OSError: A claim can't be written.
    """
    said = Counter[str]()
    if options.smt_folder is None and not options.recheck:
        return said
    for claim, text in prover.scripts(proof).items():
        if options.smt_folder is not None:
            (options.smt_folder / f"{stem}-{claim}.smt2").write_text(text, encoding="utf-8")
        if options.recheck:
            status = recheck_cvc5(text)
            if status == "sat":
                raise DisagreementError(f"Z3 proves {claim}, cvc5 refutes it", {"subject": stem, "script": text})
            said[status] += 1
    return said


def _findings(
    program: ProgramPlan,
    archetype: ArchetypePlan,
    system: SystemTools,
    result: ArchetypeResult,
    exhausted: Exhausted | None,
    failed: Sequence[TaskProof],
) -> Iterator[Finding]:
    if result.verdict is Verdict.VACUOUS and exhausted is not None:
        yield finding_of(no_world(program, archetype, exhausted), subject=archetype.name)
    if failed:
        counts = "; ".join(f"{_CLAIMS[Claim(claim)]}: {count}" for claim, count in sorted(result.refuted.items()))
        worlds = counted(result.drawn, "world")
        verb = "has" if len(failed) == 1 else "have"
        code = "E504" if result.refuted[Claim.P1.value] * 2 > len(failed) else "E502"
        yield finding_of(
            Diagnostic(
                code=code,
                message=f"{len(failed)} of {worlds} of `{archetype.name}` {verb} no unique answer",
                span=archetype.span,
                label="declared here",
                notes=(
                    f"in how many worlds a proof fails, and why: {counts}",
                    *describe_refutation(system.plan, failed[0]),
                ),
                helps=(f"`gtd explain {code}` says what to change",),
                severity=Severity.ERROR if result.verdict is Verdict.AMBIGUOUS else Severity.WARNING,
            ),
            subject=archetype.name,
        )
    if result.verdicts["inconclusive"]:
        yield finding_of(
            Diagnostic(
                code="E503",
                message=f"{counted(result.verdicts['inconclusive'], 'proof')} of `{archetype.name}` ran out of budget",
                span=archetype.span,
                helps=("raise the budget with `--rlimit`",),
            ),
            subject=archetype.name,
            inconclusive=True,
        )


TABLE_LEGEND = """\
drawn                how many worlds were drawn
unique               how many of them are proved to have one right answer
any/named/preferred  why the fix is the only one, in how many of these: no other repair changes as few fields (any),
                     none does within the fields that the rules set (named), or the others are worse (preferred)
interaction 1/2/3    how many channels the diagnosis takes, in how many of these
undecided            in how many of these the search stopped before it knew whether some channels are enough
accepted             share of the random draws that are worlds of the archetype"""

_CLAIMS = {
    Claim.P1: "the evidence allows another answer",
    Claim.P2: "the fix doesn't repair every world with that evidence",
    Claim.P3: "another repair is as good",
}


def results_json(results: Sequence[ArchetypeResult]) -> dict[str, Any]:
    """The numbers of the table, by archetype."""
    return {
        result.name: {
            "verdict": result.verdict.value,
            "drawn": result.drawn,
            "verdicts": {each.value: result.verdicts[each.value] for each in Verdict if each is not Verdict.VACUOUS},
            "refuted": dict(sorted(result.refuted.items())),
            "uniqueness": {level.value: result.uniqueness[level.value] for level in Uniqueness},
            "interaction": {str(size): count for size, count in sorted(result.interaction.items())},
            "undecided": result.undecided,
            "accepted": result.acceptance,
            "rechecked": dict(sorted(result.rechecked.items())),
        }
        for result in results
    }


def rechecked(results: Sequence[ArchetypeResult]) -> str:
    """What cvc5 did."""
    said = sum((result.rechecked for result in results), Counter[str]())
    left = said.total() - said["unsat"]
    proved = f"cvc5 proved {said['unsat']} of {said.total()} claims again"
    return f"{proved} and left {left} undecided" if left else proved


def render_table(results: Sequence[ArchetypeResult]) -> str:
    """One line per archetype, plain text, columns aligned."""
    header = (
        "archetype",
        "verdict",
        "drawn",
        "unique",
        "any/named/preferred",
        "interaction 1/2/3",
        "undecided",
        "accepted",
    )
    rows = (
        (
            result.name,
            result.verdict.value,
            str(result.drawn),
            str(result.verdicts["unique"]),
            "/".join(str(result.uniqueness[level]) for level in ("any", "named", "preferred")),
            "/".join(str(result.interaction[size]) for size in (1, 2, 3)),
            str(result.undecided),
            f"{result.acceptance:.2g}",
        )
        for result in results
    )
    return plain_table(header, rows)
