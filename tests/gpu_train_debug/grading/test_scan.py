from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies.json_objects import slow_last_object

from gpu_train_debug.grading import scan
from gpu_train_debug.grading.scan import Found, last_object


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth_of, value), default=0)
    return 0


def pieces(*texts: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(texts), max_size=24).map("".join)


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES, max_size=3)


@given(
    pieces(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        '""',
        '"a":',
        " ",
        "\n",
        "1",
        "{}",
        '{"a":1}',
        "\\",
        '\\"',
        "x",
        "\x01",
        "null",
    )
)
@example('{"a": "{"}":1}')
@example('{"": "{}"')
@example('{"a\\": {"b": 1}')
def test_last_object_is_the_one_of_the_definition(text: str) -> None:
    found = last_object(text)
    assert (None if found is None else (found.start, found.end)) == slow_last_object(text)


@given(
    pieces(
        '{"a":',
        "}",
        "{}",
        "[",
        "]",
        ',"b":',
        ",",
        "0",
        "-1",
        "1.5e+3",
        "01",
        "1.",
        ".5",
        "true",
        "nul",
        '"{"',
        '"}"',
        '"\\u00e9"',
        '"\\u12"',
    )
)
@example('{"a":[{}],"b":"}"}')
@example('{"a":"{","b":"}"')
def test_last_object_is_the_one_of_the_definition_in_nearly_right_json(text: str) -> None:
    found = last_object(text)
    assert (None if found is None else (found.start, found.end)) == slow_last_object(text)


@given(
    st.text(max_size=40),
    OBJECTS,
    st.text(st.characters(exclude_characters="}"), max_size=40),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_an_object_is_found_whole_whatever_stands_before_it(
    before: str, value: dict[str, Any], after: str, escaped: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    found = last_object(before + text + after)
    assert found is not None
    assert found == Found(len(before), len(before) + len(text), depth_of(value))


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "}", "{{", "}{", "{]", "[}", "{1}", '{"a"}', '{"a":}', '{"a":1,}', "{,}", '{"a":1 "b":2}', '{"a" 1}',
        '{"a"::1}', '{"a":[}', '{"a":[1}', '{"a":[1,]}', '{"a":[,1]}', '{"a":[1 2]}', '{"a":1', '"a":1}', '{a:1}',
        "{'a':1}", '{"a":\'b\'}', '{"a":NaN}', '{"a":Infinity}', '{"a":-Infinity}', '{"a":True}', '{"a":None}',
        '{"a":nul}', '{"a":truefalse}', '{"a":TRUE}', '{"a":01}', '{"a":-}', '{"a":+1}', '{"a":1.}', '{"a":.5}',
        '{"a":1e}', '{"a":1e+}', '{"a":1e+-5}', '{"a":1,"b":,"c":2}', '{"a":1,2,"c":3}', '{"a":1,"b","c":2}',
        '{"a":1 "b":2,"c":3}', '{"a":[1 2,3]}', '{"a":[1,,3]}', '{"a":[1,"b":2,3]}', '{"a":--1}', '{"a":0x1}',
        '{"a":1_0}', '{"a":1 0}', '{"a":-01}', '{"a":00}', '{"a":1.5.5}', '{"a":1e5e5}', '{"a":١}', '{"a":"b}',
        '{"a":"b\n"}', '{"a":"\x00"}', '{"a":"\x1f"}', '{"a":"\\x"}', '{"a":"\\u12g4"}', '{"a":"\\u123"}',
        '{"a":"\\"}', '{"a":"\\\\\\"}', '{"a":\\n1}', '{\\"a\\":1}', '{"a":1/*x*/}', '{"a":1//x\n}', '{"a":\xa01}',
        '{"a":\u20281}', '{"a":\x0c1}', '{"a":\x0b1}', '{\ufeff"a":1}', '{"a":(1)}', '{"a":1;"b":2}', '{"a"=1}',
    ],
)  # fmt: skip
def test_there_is_no_object_in_text_that_is_not_json(text: str) -> None:
    assert last_object(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "{}", "{ }", '{"a":1}', '{"":1}', ' {\t"a"\n:\r1 ,"b" : 2 } ', '{"a":-0}', '{"a":0}', '{"a":-0.0e-00}',
        '{"a":10}', '{"a":1E+5}', '{"a":0.10}', '{"a":100e100}', '{"a":true,"b":false,"c":null}', '{"a":[]}',
        '{"a":[ ]}', '{"a":[1]}', '{"a":[1,[2,{"b":[]}],3]}', '{"a":{},"b":[{}]}', '{"a":[[[1]]]}',
        '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD800"}', '{"a":"\x7f\u2028\ud800"}', '{"a":"{[]}"}', '{"a":"}"}',
        '{"a":"{"}', '{"}":1}', '{"{":1}', '{"a":"\\\\"}', '{"a":"\\\\\\""}',
    ],
)  # fmt: skip
def test_an_object_is_found_in_any_way_of_writing_it(text: str) -> None:
    found = last_object(text)
    assert found is not None
    assert text[found.start : found.end] == text.strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":1}{"b":2}', '{"b":2}'),
        ('{"a":1} {"b":2', '{"a":1}'),
        ('[{"a":1},{"b":2}]', '{"b":2}'),
        ('{"a":{"b":2}', '{"b":2}'),
        ('{"a":{"b":2},"c":{', '{"b":2}'),
        ('{"a":{"b":2}}', '{"a":{"b":2}}'),
        ('{"a":{"b":2},}', '{"b":2}'),
        ('{"a":1}}', '{"a":1}'),
        ('{"a":1}]}', '{"a":1}'),
        ('{{"a":1}', '{"a":1}'),
        ('say "{" then {"a":1}', '{"a":1}'),
        ('{"a is odd. {"b":2}', '{"b":2}'),
        ('{"a":1} and "}', '{"a":1}'),
        ('{"a":1} and {} too', "{}"),
        ('{"a":"{}"', "{}"),
        ('```json\n{"a":1}\n```', '{"a":1}'),
        ('\\boxed{{"a":1}}', '{"a":1}'),
    ],
)  # fmt: skip
def test_the_object_that_ends_last_is_taken(text: str, expected: str) -> None:
    found = last_object(text)
    assert found is not None
    assert text[found.start : found.end] == expected


@pytest.mark.parametrize("depth", [1, 2, 17, 10_000])
def test_depth_counts_objects_and_arrays_inside_each_other(depth: int) -> None:
    assert last_object('{"a":' * depth + "1" + "}" * depth) == Found(0, 7 * depth - depth + 1, depth)
    arrays = '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}" if depth > 1 else "{}"
    assert last_object(arrays) == Found(0, len(arrays), depth)


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\r", " \r\n\t"])
@pytest.mark.parametrize("row", ["}}", "]}", "}]}", "]]}", "}}]}"])
def test_brackets_that_close_in_a_row_may_have_space_between_them(row: str, space: str) -> None:
    opening = "".join('{"a":' if bracket == "}" else "[" for bracket in reversed(row))
    text = opening + "1" + space + space.join(row)
    assert last_object(text) == Found(0, len(text), len(row))
    assert last_object(text[:-1]) != last_object(text)


@pytest.mark.parametrize("count", [1, 98, 99, 100, 101, 250])
def test_long_rows_of_members_and_elements_are_read(count: int) -> None:
    for value in (
        {str(i): i for i in range(count)},
        {"a": list(range(count))},
        {"a": [{}] * count},
        {"a": [{str(i): [i]} for i in range(count)]},
    ):
        text = json.dumps(value)
        assert last_object(text + " }") == Found(0, len(text), depth_of(value))
        assert last_object("x" + text[1:]) != Found(0, len(text), depth_of(value))


@pytest.mark.parametrize("piece", ['"":1,', '"":{},', '"":[1],', '"" : "\\n" ,', '"":[[{}]],'])
def test_an_object_is_read_up_to_its_greatest_length(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MAX_LENGTH", 1000)
    body = piece * (980 // len(piece)) + '"":'
    longest = "{" + body + "1".rjust(998 - len(body)) + "}"
    found = last_object("{} " + longest + " x")
    assert found is not None
    assert (found.start, found.end) == (3, 1003)
    longer = last_object("{} " + longest.replace("{", "{ ", 1) + " x")
    assert longer is not None
    assert longer.end == 1004
    assert longer.end - longer.start > 1000


@pytest.mark.parametrize("piece", ["}", "} ", "}]", ',"":1}', "[1],"])
def test_the_search_ends_where_too_much_might_be_one_object(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MAX_LENGTH", 1000)
    found = last_object('{"a":1}' + piece * (1200 // len(piece)) + "1]}")
    assert found is not None
    assert found.end - found.start > 1000
    assert last_object('{"a":1}' + piece * (900 // len(piece)) + "1]}") != found


@pytest.mark.parametrize("piece", ["}", "]}", "[}", ':"a"{', '}"":'])
def test_text_in_which_a_reading_failed_is_not_read_again(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    reader = scan._read_object

    def counted(backwards: str, end: int, failed: bytearray) -> tuple[int, int] | None:
        read.append(end)
        return reader(backwards, end, failed)

    monkeypatch.setattr(scan, "_read_object", counted)
    assert last_object("?" + piece * 500 + "1" + "}" * 500) is None
    assert len(read) <= 2


@pytest.mark.parametrize("tail", ["\\n", '\\"', "\\\\", "\\/", "\\b", "\\u0041", "n", "z"])
@pytest.mark.parametrize("digits", ["", "0", "00", "007", "0070"])
def test_an_escape_is_not_completed_by_the_one_behind_it(digits: str, tail: str) -> None:
    text = '{"a":"\\u' + digits + tail + '"}'
    try:
        json.loads(text)
    except ValueError:
        assert last_object("{} " + text) == Found(0, 2, 1)
    else:
        assert last_object("{} " + text) == Found(3, 3 + len(text), 1)


def test_the_search_gives_up_after_so_many_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MAX_FAILURES", 10)
    assert last_object("{}" + "1}}" * 9) == Found(0, 2, 1)
    assert last_object("{}" + "1}}" * 10) is None
