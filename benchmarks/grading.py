"""What the grader costs and what guessing earns: `python -m benchmarks.grading [FOLDER]`, `out` by default.

Prints the time for replies of many shapes, and for each split of the folder the scores of answers that are
fixed in advance, under the rubric and under three others that were considered for the fix half. The
results stand in grading.md.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from gpu_train_debug import grade

Answer = dict[str, Any]

SIZE = 5_000_000
COMMON = 12  # how many of the commonest codes, changes and golds are tried
TYPICAL = "The peak is above what the step may use, so the batch has to shrink. " * 20


# ---- time -------------------------------------------------------------------------------------------------


def shapes(answer: str) -> dict[str, str]:
    """Replies of `SIZE` characters, by what they are made of; the last ones were looked for to be slow."""

    def repeated(piece: str) -> str:
        return piece * (SIZE // len(piece))

    half = SIZE // 2
    return {
        "reasoning, then the answer": repeated(TYPICAL) + answer,
        "the answer, then reasoning": answer + repeated(TYPICAL),
        "the answer, again and again": repeated(answer),
        "prose with braces and quotes": repeated('the set {x} and "y}" '),
        "Python dictionaries": repeated("{'a': 1} "),
        "thinking that never ends": "<think>" + repeated(answer),
        "closing tags": repeated("</think>"),
        "{": repeated("{"),
        "}": repeated("}"),
        '{"a":': repeated('{"a":'),
        '{"a":[[[': '{"a":' + repeated("["),
        '"': repeated('"'),
        "backslashes": repeated("\\"),
        "one number": f'{{"fix": {{"a": {"1" * SIZE}}}}}',
        "one string of escapes": '{"a":"' + repeated("\\n") + '"}',
        "one list of numbers": '{"a":[' + repeated("1,") + "1]}",
        "one fix of many fields": '{"fix":{' + ",".join(f'"f{i}":{i}' for i in range(SIZE // 14)) + "}}",
        "nested objects, closed": '{"a":' * (SIZE // 6) + "1" + "}" * (SIZE // 6),
        "nested lists, closed": '{"a":' + "[" * half + "]" * half + "}",
        "} }": repeated("} "),
        ',"":1}': repeated(',"":1}'),
        "}1}": repeated("}1}"),
        "[1],": repeated("[1],") + "1]}",
        "one list of empty objects": '{"a":[' + repeated("{},") + "{}]}",
        "one list of short lists": '{"a":[' + repeated("[1],") + "[1]]}",
    }


def print_times() -> None:
    gold = json.dumps(
        {"diagnosis": ["CODE_A", "CODE_B"], "fix": {"micro_batch": 8, "recompute": "full", "fused": True}}
    )
    rounds = 2000
    start = time.process_time()
    for _ in range(rounds):
        grade(f"<think>{TYPICAL}</think>```json\n{gold}\n```", gold)
    print(f"a typical reply: {(time.process_time() - start) / rounds * 1e6:.0f} us")
    print(f"\n{SIZE:,} characters of ... | seconds\n---|---")
    for name, reply in shapes(gold).items():
        start = time.process_time()
        grade(reply, gold)
        print(f"{name} | {time.process_time() - start:.2f}")


# ---- guessing ---------------------------------------------------------------------------------------------


def codes_of(answer: Answer) -> list[str]:
    diagnosis = answer["diagnosis"]
    return diagnosis if isinstance(diagnosis, list) else [diagnosis]


def mean(golds: Sequence[Answer], score: Callable[[Answer], float]) -> float:
    return sum(map(score, golds)) / len(golds)


def code_counts(golds: Sequence[Answer]) -> Counter[str]:
    return Counter(code for gold in golds for code in codes_of(gold))


def common_changes(golds: Sequence[Answer]) -> list[tuple[str, Any]]:
    """Changes of one field, commonest first."""
    counts = Counter((field, json.dumps(value)) for gold in golds for field, value in gold["fix"].items())
    return [(field, json.loads(text)) for (field, text), _ in counts.most_common()]


def fixed_answers(golds: Sequence[Answer]) -> dict[str, str]:
    """Replies that don't look at the task but know how often each code and change occurs; by name."""
    codes = [code for code, _ in code_counts(golds).most_common()]
    faults = [code for code in codes if code != "HEALTHY"]
    changes = common_changes(golds)
    every: dict[str, Any] = {}
    for field, value in changes:
        every.setdefault(field, value)
    answers: dict[str, Answer] = {
        "every code": {"diagnosis": codes, "fix": {}},
        "every code, every field": {"diagnosis": codes, "fix": every},
        "every fault": {"diagnosis": faults, "fix": {}},
        "no code": {"diagnosis": [], "fix": {}},
        "no code, commonest change": {"diagnosis": [], "fix": dict(changes[:1])},
        "an unknown code": {"diagnosis": "NO_SUCH_CODE", "fix": {}},
        "every field": {"diagnosis": faults[0], "fix": every},
        "two commonest changes": {"diagnosis": faults[0], "fix": dict(changes[:2])},
        "HEALTHY, commonest change": {"diagnosis": "HEALTHY", "fix": dict(changes[:1])},
        **{f"{code}, empty fix": {"diagnosis": code, "fix": {}} for code in codes},
        **{f"{a} or {b}": {"diagnosis": [a, b], "fix": {}} for a, b in combinations(codes[:COMMON], 2)},
    }
    return {"nothing": "", "an empty object": "{}", **{name: json.dumps(answer) for name, answer in answers.items()}}


def mean_part(reply: str, golds: Mapping[str, int], part: str = "score") -> float:
    """Mean of a part of the grade when `reply` answers every task; `golds` says how often each occurs."""
    return sum(count * float(getattr(grade(reply, gold), part)) for gold, count in golds.items()) / sum(golds.values())


def chance_level(golds: Sequence[Answer]) -> float:
    """What knowing the frequencies of a split is worth: its best code with its best change, or a common gold."""
    texts = Counter(json.dumps(gold) for gold in golds)
    codes = [json.dumps({"diagnosis": code}) for code in code_counts(golds)]
    changes = [json.dumps({"fix": {field: value}}) for field, value in common_changes(golds)[:COMMON]]
    code = max(mean_part(reply, texts, "diagnosis") for reply in codes)
    change = max(mean_part(reply, texts, "fix") for reply in changes)
    return max(code + change, *(mean_part(gold, texts) for gold, _ in texts.most_common(COMMON)))


# ---- other rules ------------------------------------------------------------------------------------------


def halves(answer: Answer, gold: Answer) -> tuple[float, float]:
    result = grade(json.dumps(answer), json.dumps(gold))
    return result.diagnosis, result.fix


def rubric(answer: Answer, gold: Answer) -> float:
    return sum(halves(answer, gold))


def any_empty_fix(answer: Answer, gold: Answer) -> float:
    diagnosis, fix = halves(answer, gold)
    return diagnosis + (fix if gold["fix"] else 0.5 * (not answer["fix"]))


def fix_with_a_right_code(answer: Answer, gold: Answer) -> float:
    earned = any_empty_fix(answer, gold)
    return earned if set(codes_of(answer)) & set(codes_of(gold)) else 0.0


def fix_with_some_diagnosis(answer: Answer, gold: Answer) -> float:
    return any_empty_fix(answer, gold) if halves(answer, gold)[0] else 0.0


RULES: Mapping[str, Callable[[Answer, Answer], float]] = {
    "the rubric": rubric,
    "any empty fix earns on healthy runs": any_empty_fix,
    "the fix needs a right code": fix_with_a_right_code,
    "the fix needs a diagnosis above 0": fix_with_some_diagnosis,
}


def groups(golds: Sequence[Answer], rounds: int = 4, size: int = 8) -> list[tuple[Answer, list[Answer]]]:
    """Samples of a simulated solver that knows each task's codes and fields with a chance drawn for the task."""
    rng = random.Random(1)
    codes = sorted(code_counts(golds))
    values: dict[str, list[Any]] = {}
    for field, value in common_changes(golds):
        values.setdefault(field, []).append(value)
    found = []
    for gold in [*golds] * rounds:
        knows = rng.betavariate(0.5, 1.5), rng.betavariate(0.5, 1.5)
        found.append((gold, [_sample(gold, knows, codes, values, rng) for _ in range(size)]))
    return found


def _sample(
    gold: Answer, knows: tuple[float, float], codes: list[str], values: dict[str, list[Any]], rng: random.Random
) -> Answer:
    named = list(dict.fromkeys(code if rng.random() < knows[0] else rng.choice(codes) for code in codes_of(gold)))
    fix = {}
    for field, value in gold["fix"].items():
        if rng.random() < (1 + knows[1]) / 2:
            fix[field] = value if rng.random() < knows[1] else rng.choice(values[field])
    if rng.random() < (1 - knows[1]) / 2:
        field = rng.choice(sorted(values))
        fix.setdefault(field, rng.choice(values[field]))
    return {"diagnosis": named[0] if len(named) == 1 else named, "fix": fix}


def print_guessing(folder: Path) -> None:
    for path in sorted(folder.glob("*.jsonl")):
        golds = [json.loads(json.loads(line)["gold"]) for line in path.read_text(encoding="utf-8").splitlines()]
        answers = {name: json.loads(reply) for name, reply in fixed_answers(golds).items() if reply not in ("", "{}")}
        sampled = groups(golds)
        print(f"\n{path.stem}: {len(golds)} tasks, chance level {chance_level(golds):.3f}\n")
        print("rule | a fault, empty fix | two codes | every code | equal rewards in a group of 8\n---|---|---|---|---")
        for name, rule in RULES.items():
            means = {key: mean(golds, partial(rule, answer)) for key, answer in answers.items()}
            faults = [value for key, value in means.items() if key.endswith(", empty fix") and "HEALTHY" not in key]
            two = [value for key, value in means.items() if " or " in key]
            equal = sum(len({rule(answer, gold) for answer in samples}) == 1 for gold, samples in sampled) / len(
                sampled
            )
            print(f"{name} | {max(faults):.3f} | {max(two):.3f} | {means['every code']:.3f} | {equal:.3f}")


def main() -> None:
    print_times()
    print_guessing(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))


if __name__ == "__main__":
    main()
