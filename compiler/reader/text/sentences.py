"""The sentences of a page that every system has word for word, or that it has if it needs them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import ReadPick, ReadRule
from compiler.reader.text.sections import NumberedLine
from compiler.reader.text.tree import ReadFeature

HEALTHY_CODE: Final = "HEALTHY"

INTRODUCTION: Final = (
    "Below are the config, profiler and log of one run. Say what is wrong, if anything, and which fields to change. "
    "Relations and runbook decide, also where your own practice differs.",
    'End your reply with one JSON object: {"diagnosis": "CODE", "fix": {"field": value}}. With two codes the '
    "diagnosis is a list, in any order; there are never more. The fix holds the final value of each field that ends "
    'up changed, as in the config, and nothing else. A healthy run is {"diagnosis": "HEALTHY", "fix": {}}. Codes and '
    "fix count half each; surplus codes and fields cost.",
)
HIDDEN: Final = "No change affects these; what stays open doesn't matter."
PROFILER: Final = "Printed values follow from the run as it is."
NOT_AVAILABLE: Final = " n/a: no value."
ROUNDED: Final = " Decimals are rounded, halves up."
OTHER_LINES: Final = "Lines of other loggers, times and ranks mean nothing."

_NUMBERS: Final = "Whole numbers; floor(a / b) rounds down, ceil(a / b) up."
_CHANGED: Final = " X[f=a] is X computed anew with field f set to a in the present state."
_WALK: Final = (
    "Take the first rule whose condition holds, report its code and set its fields; then start again from rule 1 with "
    "the changed run, until none holds. Only rules taken so are reported."
)
_SEVERAL: Final = " Settings on one line are made from left to right."
_ELSE: Final = '; if none does, go on to "else".'
_KEEPING: Final = ' "keeping X" asks that X stays as it was when the rule was taken.'
_BEFORE: Final = " before(X) is X when the rule was taken."
_PRINTED: Final = " printed(X) is X in the run as printed."


def relations_sentence(features: Collection[ReadFeature]) -> str:
    """Give the line that opens the relations of a page with these features."""
    return _NUMBERS + (_CHANGED if ReadFeature.CHANGED in features else "")


def runbook_sentence(rules: Sequence[ReadRule], features: Collection[ReadFeature]) -> str:
    """Give the line that opens the runbook of these rules, whose formulas and settings use `features`."""
    alternatives = [settings for rule in rules for settings in rule.alternatives]
    picks = {setting.pick for settings in alternatives for setting in settings}
    text = _WALK
    if any(len(settings) > 1 for settings in alternatives):
        text += _SEVERAL
    order = (ReadPick.FIRST, ReadPick.LARGEST, ReadPick.SMALLEST)
    words = [f'"{pick.value}"' for pick in order if pick in picks]
    if words:
        text += f" {_listed(words)} {'try' if len(words) > 1 else 'tries'} the field's listed values, the present one "
        text += f"too, and {'take' if len(words) > 1 else 'takes'} the first that satisfies what follows"
        text += _ELSE if any(len(rule.alternatives) > 1 for rule in rules) else "."
    for feature, sentence in (
        (ReadFeature.KEEPING, _KEEPING),
        (ReadFeature.BEFORE, _BEFORE),
        (ReadFeature.PRINTED, _PRINTED),
    ):
        if feature in features:
            text += sentence
    return text


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def need_line(line: NumberedLine, sentence: str) -> None:
    """Need a line that is `sentence`.

    Raises:
        ReadError: It is another one.
    """
    number, text = line
    if text == sentence:
        return
    at = next((at for at, (a, b) in enumerate(zip(text, sentence, strict=False)) if a != b), min(map(len, line[1:])))
    raise ReadError(number, f"`{sentence}`", repr(text[max(at - 20, 0) :]))
