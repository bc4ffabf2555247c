"""Simulated arms with known effects, to test the analysis and to show it.

In: the tasks of split files. Out: an archive, and the true rates. The chance that a sample is exact is the
logistic of the arm's ability, plus a difficulty that all arms share on a task, plus one that is the arm's
own. Both are normal, so the mean over the population of tasks is an integral, known to many digits. Wrong
answers are made from the golds of the same system. Every draw is keyed by a hash of (seed, what it is for).
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit, ndtri

from gpu_train_debug.grading.rubric import grade
from gpu_train_debug.study.inputs.plan import ALL
from gpu_train_debug.study.inputs.tasks import StudyTask
from gpu_train_debug.study.statistics.resample import Floats

_NODES = 200  # of the quadrature
_BORROWED = 4  # golds of other tasks that a wrong answer may be


@dataclass(frozen=True, slots=True)
class Simulation:
    """What the simulated arms are like.

    Attributes:
        abilities: Of each arm, in logits: 0 solves half of the tasks.
        samples: Of each task.
        spread: Standard deviation of a task's difficulty, in logits; shared by the arms.
        own: Standard deviation of an arm's own difficulty with a task.
        stuck: Share of tasks on which an arm gives the same wrong answer whenever it is wrong.
        silent: Share of the other wrong samples that have no answer.
    """

    abilities: dict[str, float]
    samples: int = 8
    seed: int = 2027
    spread: float = 1.5
    own: float = 0.5
    stuck: float = 0.4
    silent: float = 0.1


def exact_rates(ability: float, simulation: Simulation, shared: Floats, own: Floats) -> Floats:
    """Chance of an exact answer for standard normal difficulties, of any shape."""
    rates: Floats = expit(ability + simulation.spread * shared + simulation.own * own)
    return rates


@functools.cache
def _quadrature() -> tuple[Floats, Floats]:
    nodes, weights = hermegauss(_NODES)
    return nodes, weights


def true_rate(ability: float, simulation: Simulation) -> float:
    """The mean of `exact_rates` over the population of tasks, by Gauss-Hermite quadrature."""
    nodes, weights = _quadrature()
    deviation = float(np.hypot(simulation.spread, simulation.own))
    return float(weights @ expit(ability + deviation * nodes) / weights.sum())


def task_rate(task: StudyTask, arm: str, simulation: Simulation) -> float:
    """Chance that a sample of this task is exact."""
    draw = _Draws(simulation.seed, task.id)
    shared, own = (np.array(ndtri(draw.uniform(what))) for what in ("difficulty", f"difficulty/{arm}"))
    return float(exact_rates(simulation.abilities[arm], simulation, shared, own))


def exact_samples(task: StudyTask, arm: str, simulation: Simulation) -> list[bool]:
    """Draw for each sample of this task whether it is exact."""
    draw, rate = _Draws(simulation.seed, task.id), task_rate(task, arm, simulation)
    return [draw.uniform(f"exact/{arm}/{sample}") < rate for sample in range(simulation.samples)]


def truth(tasks: Sequence[StudyTask], simulation: Simulation) -> dict[str, object]:
    """The true exact rates, and the differences between all pairs of arms.

    First over the population of tasks, which is the same for all splits; under `splits` over the `tasks` of each,
    and of all together.
    """
    population = {arm: true_rate(ability, simulation) for arm, ability in simulation.abilities.items()}
    splits = {}
    for split in (ALL, *dict.fromkeys(task.split for task in tasks)):
        inside = [task for task in tasks if split in (ALL, task.split)]
        rates = {arm: fmean(task_rate(task, arm, simulation) for task in inside) for arm in simulation.abilities}
        splits[split] = {"tasks": len(inside), **_rates_and_differences(rates)}
    return {**_rates_and_differences(population), "splits": splits}


def _rates_and_differences(rates: Mapping[str, float]) -> dict[str, object]:
    return {
        "exact": {arm: round(rate, 9) for arm, rate in rates.items()},
        "differences": [
            {"arm": arm, "other": other, "exact": round(rates[arm] - rates[other], 9)}
            for arm in rates
            for other in rates
            if arm != other
        ],
    }


def simulate_rows(tasks: Sequence[StudyTask], simulation: Simulation) -> Iterator[dict[str, object]]:
    """Yield the rows of an archive."""
    wrong = {task.id: _wrong_answers(task, tasks, simulation.seed) for task in tasks}
    for arm in simulation.abilities:
        for task in tasks:
            draw = _Draws(simulation.seed, task.id)
            stuck = draw.uniform(f"stuck/{arm}") < simulation.stuck
            for sample, exact in enumerate(exact_samples(task, arm, simulation)):
                key = f"{arm}/{sample}"
                if exact:
                    answer = task.gold
                elif stuck:
                    answer = draw.choose(f"conviction/{arm}", wrong[task.id])
                elif draw.uniform(f"silent/{key}") < simulation.silent:
                    answer = ""
                else:
                    answer = draw.choose(f"wrong/{key}", wrong[task.id])
                completion = f"The answer:\n```json\n{answer}\n```" if answer else "I am not sure yet. Let me"
                yield {"id": task.id, "arm": arm, "sample": sample, "completion": completion}


def _wrong_answers(task: StudyTask, tasks: Sequence[StudyTask], seed: int) -> list[str]:
    """Some answers that aren't right: no fix, one code less, the golds of other tasks of the system."""
    gold = json.loads(task.gold)
    found = [json.dumps({**gold, "fix": {}})]
    if len(task.codes) > 1:
        found.append(json.dumps({**gold, "diagnosis": task.codes[0]}))
    others = sorted({other.gold for other in tasks if other.system == task.system})
    draw = _Draws(seed, task.id)
    found += (draw.choose(f"borrowed/{number}", others) for number in range(_BORROWED))
    found.append(json.dumps({"diagnosis": "NO_SUCH_CODE", "fix": gold["fix"]}))
    return [answer for answer in dict.fromkeys(found) if not grade(answer, task.gold).exact]


class _Draws:
    """Draws about one task, by what they are for."""

    def __init__(self, seed: int, task: str) -> None:
        self._start = hashlib.blake2b(f"{seed}/{task}/".encode(), digest_size=8)

    def uniform(self, what: str) -> float:
        """A number strictly between 0 and 1."""
        state = self._start.copy()
        state.update(what.encode())
        return ((int.from_bytes(state.digest(), "big") >> 11) + 0.5) / 2**53

    def choose(self, what: str, items: Sequence[str]) -> str:
        return items[int(self.uniform(what) * len(items))]
