"""The tables of `gtd stats`."""

from __future__ import annotations

from gpu_train_debug.jsontext import decode_object, encode
from gpu_train_debug.stats.measure import PageLengths, SplitAnswers, TaskStats
from gpu_train_debug.stats.report import stats_data, stats_text

SPLIT = SplitAnswers("test", 4, 1, 1, {"A": 3, "B": 1}, {'{"diagnosis": "A"}': 2}, {2: 3, 3: 1}, {"any": 4}, [12, 50])
STATS = TaskStats("words", (PageLengths("pump", 4, 1, 2000, 600, 1000, 28, 28, 10, 12),), (SPLIT,), ())

TEXT = """\
Tokens of a page, by words
system  tasks  handbook  run, median  run, most  fields  log lines
pump    4      2,000     600          1,000      28      10 to 12

Answers
split  tasks  healthy  pairs  answers  most frequent  most frequent code  interaction
test   4      25%      25%    1        50%            A 75%               2: 3, 3: 1

Margins: by how little a comparison on the walk is decided
split  smallest margin  median  2 to 10 percent
test   1.2%             3.1%    50%

Promises that aren't kept
- one"""


def test_text_has_a_table_for_each_kind() -> None:
    assert stats_text(STATS, ["one"]) == TEXT


def test_data_has_all_numbers() -> None:
    data = decode_object(encode(stats_data(STATS, ["one"])))
    assert data["pages"][0]["run_most"] == 1000
    assert data["splits"][0]["margins"] == [12, 50]
    assert data["broken"] == ["one"]
