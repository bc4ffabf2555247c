"""The runbook's words: each way to keep and to choose is written in one way."""

from __future__ import annotations

from compiler.reader.text.handbook import ReadKeep, ReadPick, ReadSense
from compiler.reader.text.runbook import read_runbook
from compiler.reader.text.sections import Section

RUNBOOK = """\
- no repair changes `p`
- no repair raises `q`
- no repair lowers `r`
1. LOW: too low
   when `a == 1`
   set a = largest where `a > 1`; b = smallest where `b > 1`
   else set a = first where `a > 1`; b = `2`
   keep `p`, `q` not above, `r` not below
   note: any text
"""


def test_read_runbook_reads_every_keep_and_pick() -> None:
    lines = tuple(enumerate(RUNBOOK.splitlines(), 1))
    keeps, (rule,) = read_runbook(Section(0, lines))
    senses = (("p", ReadSense.EQUAL), ("q", ReadSense.NOT_ABOVE), ("r", ReadSense.NOT_BELOW))
    assert keeps == tuple(ReadKeep(name, sense, line) for line, (name, sense) in enumerate(senses, 1))
    assert rule.keeps == tuple(ReadKeep(name, sense, 8) for name, sense in senses)
    assert {sense for _, sense in senses} == set(ReadSense)
    picks = [[(setting.field, setting.pick) for setting in alternative] for alternative in rule.alternatives]
    assert picks == [
        [("a", ReadPick.LARGEST), ("b", ReadPick.SMALLEST)],
        [("a", ReadPick.FIRST), ("b", ReadPick.VALUE)],
    ]
    assert {pick for alternative in picks for _, pick in alternative} == set(ReadPick)
