"""Pages for the reader's tests: the hand-written ones in `prompts/`, and a tiny system with parts to fill in."""

from __future__ import annotations

import re
from pathlib import Path

_PROMPTS = Path(__file__).parents[1] / "compiler" / "reader" / "prompts"

INTRODUCTION = (
    "Below are the config, profiler and log of one run. Say what is wrong, if anything, and which fields to change. "
    "Relations and runbook decide, also where your own practice differs.\n\n"
    'End your reply with one JSON object: {"diagnosis": "CODE", "fix": {"field": value}}. With two codes the '
    "diagnosis is a list, in any order; there are never more. The fix holds the final value of each field that ends "
    'up changed, as in the config, and nothing else. A healthy run is {"diagnosis": "HEALTHY", "fix": {}}. Codes and '
    "fix count half each; surplus codes and fields cost.\n\n"
)


def prompt(name: str) -> str:
    """Give the whole text of a hand-written page, `system-case`."""
    system, _, _ = name.partition("-")
    return (_PROMPTS / f"{system}.txt").read_text() + "\n" + (_PROMPTS / f"{name}.txt").read_text()


def line_of(text: str, part: str) -> int:
    """Give the number of the first line that contains `part`."""
    return next(number for number, line in enumerate(text.split("\n"), 1) if part in line)


def handbook(
    title: str,
    *,
    fields: str,
    fixed: str = "",
    hidden: str = "",
    relations: str = "",
    observations: str = "",
    runbook: str = "",
) -> str:
    """Write the part before the config, with the sentences that these parts need; ends with an empty line."""
    used = "\n".join(line.partition("  # ")[0] for line in "\n".join((relations, observations, runbook)).split("\n"))
    used += "\n" + "\n".join(re.findall("n/a unless .*", observations))
    changed = " X[f=a] is X computed anew with field f set to a in the present state."
    text = f"# {title}\n\n{INTRODUCTION}## Fields that can be changed (values best first)\n{fields}\n\n"
    if fixed:
        text += f"## Notes on fixed fields\n{fixed}\n\n"
    if hidden:
        text += f"## Not in the config\nNo change affects these; what stays open doesn't matter.\n{hidden}\n\n"
    text += "## Relations\nWhole numbers; floor(a / b) rounds down, ceil(a / b) up."
    text += changed if re.search(r"[\w)]\[[a-z_0-9]+=[^=]", used) else ""
    text += f"\n{relations}\n\n"
    if observations:
        text += "## Profiler and log\nPrinted values follow from the run as it is."
        text += " n/a: no value." if "n/a unless " in observations else ""
        text += " Decimals are rounded, halves up." if re.search(r"[0-9] decimals?(;|\)|$)", observations, re.M) else ""
        text += f"\n{observations}\nLines of other loggers, times and ranks mean nothing.\n\n"
    return text + f"## Runbook\n{walk_sentences(runbook)}\n\n{runbook}\n\n"


def walk_sentences(runbook: str) -> str:
    """Write the line that opens a runbook."""
    settings = re.findall(r"(?m)^   (?:->|else) .*$", runbook)
    picks = [word for word in ("first", "largest", "smallest") if re.search(rf"= {word} (with|keeping) ", runbook)]
    text = (
        "Take the first rule whose condition holds, report its code and set its fields; then start again from rule 1 "
    )
    text += "with the changed run, until none holds. Only rules taken so are reported."
    if any(re.search(r", [a-z_0-9]+ = ", line) for line in settings):
        text += " Settings on one line are made from left to right."
    if picks:
        quoted = [f'"{word}"' for word in picks]
        listed = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
        several = len(quoted) > 1
        text += f" {listed} {'try' if several else 'tries'} the field's listed values, the present one too, and "
        text += f"{'take' if several else 'takes'} the first that satisfies what follows"
        text += '; if none does, go on to "else".' if "   else " in runbook else "."
    if re.search("= (first|largest|smallest) keeping ", runbook):
        text += ' "keeping X" asks that X stays as it was when the rule was taken.'
    if "before(" in runbook:
        text += " before(X) is X when the rule was taken."
    if "printed(" in runbook:
        text += " printed(X) is X in the run as printed."
    return text


def log_lines(log: str) -> str:
    """Write a log of `logger: text` lines, each with time, rank and level before it."""
    lines = [line for line in log.split("\n") if line]
    stamps = (f"14:{at // 60:02}:{at % 60:02} [rank{at % 3}] INFO  " for at in range(len(lines)))
    return "".join(f"{stamp}{line}\n" for stamp, line in zip(stamps, lines, strict=True))


def run_part(config: str, profiler: str = "", log: str = "", *, form: str = "text") -> str:
    """Write the part from the config on."""
    return (
        f"## Config\n```{form}\n{config}\n```\n\n## Profiler\n{profiler}\n\n## Log\n```text\n{log_lines(log)}```\n"
    ).replace("## Profiler\n\n\n", "## Profiler\n\n")


def tiny(
    *,
    fields: str = "a: 1, 2, 3, 4  # one\nb: 0, 1, 2  # two\non: false, true  # flag\nmood: calm, wild  # word",
    fixed: str = "",
    hidden: str = "",
    relations: str = "",
    observations: str = "",
    runbook: str = "",
    config: str = "a = 2\nb = 1\non = true\nmood = calm",
    profiler: str = "",
    log: str = "",
    form: str = "text",
) -> str:
    """Write a small page; sentences are those that its parts need."""
    static = handbook(
        "Tiny",
        fields=fields,
        fixed=fixed,
        hidden=hidden,
        relations=relations,
        observations=observations,
        runbook=runbook,
    )
    return static + run_part(config, profiler, log, form=form)
