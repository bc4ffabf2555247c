"""The runbook's words: each way to choose is written in one way, and its sentences are those that it needs."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import line_of, prompt

from compiler.reader import ReadError, read_prompt
from compiler.reader.text.handbook import ReadPick
from compiler.reader.text.runbook import read_runbook
from compiler.reader.text.sections import Section
from compiler.reader.text.sentences import runbook_sentence
from compiler.reader.text.tree import ReadFeature, ReadKept

RULES = """\
1. LOW: a == 1 and printed(a) == 1  # too low
   -> a = largest with a > 1, b = smallest with b > 1
   else a = first with a > 1, b = 2
   else a = smallest keeping a + b, b = before(a)
"""


def test_read_runbook_reads_every_pick() -> None:
    lines = RULES.splitlines()
    features = {ReadFeature.BEFORE, ReadFeature.KEEPING, ReadFeature.PRINTED}
    with pytest.raises(ReadError) as caught:
        read_runbook(Section(0, ((1, "x"), *enumerate(lines, 2))))
    opening = caught.value.expected.strip("`")
    found = read_runbook(Section(0, ((1, opening), *enumerate(lines, 2))))
    (rule,) = found.rules
    assert found.features == features
    assert runbook_sentence(found.rules, features) == opening
    picks = [[(setting.field, setting.pick) for setting in alternative] for alternative in rule.alternatives]
    assert picks == [
        [("a", ReadPick.LARGEST), ("b", ReadPick.SMALLEST)],
        [("a", ReadPick.FIRST), ("b", ReadPick.VALUE)],
        [("a", ReadPick.SMALLEST), ("b", ReadPick.VALUE)],
    ]
    assert isinstance(rule.alternatives[2][0].formula.expr, ReadKept)
    assert {pick for alternative in picks for _, pick in alternative} == set(ReadPick)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("memory-one_code", " Settings on one line are made from left to right."),
        ("memory-one_code", ' "keeping X" asks that X stays as it was when the rule was taken.'),
        ("memory-one_code", '; if none does, go on to "else"'),
        ("memory-one_code", '"first", "largest" and "smallest" try'),
        ("memory-one_code", " X[f=a] is X computed anew with field f set to a in the present state."),
        ("memory-one_code", " n/a: no value."),
        ("memory-one_code", " Decimals are rounded, halves up."),
        ("pump-leak", " before(X) is X when the rule was taken."),
        ("pump-leak", " printed(X) is X in the run as printed."),
        ("pump-leak", "Lines of other loggers, times and ranks mean nothing."),
        ("pump-leak", "No change affects these; what stays open doesn't matter."),
    ],
)
def test_sentence_that_is_needed_must_be_there(name: str, sentence: str) -> None:
    text = prompt(name)
    assert sentence in text
    with pytest.raises(ReadError) as caught:
        read_prompt(text.replace(sentence, "", 1))
    assert sentence.strip() in caught.value.expected
    assert abs(caught.value.line - line_of(text, sentence)) <= 1


@pytest.mark.parametrize(
    ("name", "sentence", "extra"),
    [
        ("memory-one_code", "was taken.", " before(X) is X when the rule was taken."),
        ("pump-leak", "ceil(a / b) up.", " X[f=a] is X computed anew with field f set to a in the present state."),
        ("pump-leak", "the run as it is.", " n/a: no value."),
    ],
)
def test_sentence_that_is_not_needed_may_not_be_there(name: str, sentence: str, extra: str) -> None:
    text = prompt(name).replace(sentence, sentence + extra, 1)
    with pytest.raises(ReadError):
        read_prompt(text)
