"""Files of JSON lines, each read or found wrong at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_train_debug.input_errors import Flaw, InputError
from gpu_train_debug.jsonlines import objects_of, read_objects, wrong_keys


def test_each_line_has_its_place_with_an_object_or_a_flaw(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n\n[]\n{"a": "\xff"}\n{"b": 2}')
    assert list(read_objects(path)) == [
        (f"{path}:1", {"a": 1}),
        (f"{path}:2", Flaw("the line is empty", f"{path}:2")),
        (f"{path}:3", Flaw("not a JSON object", f"{path}:3")),
        (f"{path}:4", Flaw("not UTF-8 at byte 7 of the line", f"{path}:4")),
        (f"{path}:5", {"b": 2}),
    ]


def test_empty_lines_are_passed_over_but_counted_when_that_is_asked() -> None:
    assert list(objects_of([b"\n", b'{"a": 1}\n'], "name", skip_empty=True)) == [("name:2", {"a": 1})]


def test_lone_surrogates_are_a_flaw_unless_they_are_allowed() -> None:
    line = b'{"a": "\\ud800"}'
    assert isinstance(next(objects_of([line], "name"))[1], Flaw)
    assert next(objects_of([line], "name", lone_surrogates=True))[1] == {"a": "\ud800"}


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't read the file"):
        list(read_objects(tmp_path / "a.jsonl"))


def test_keys_that_are_missing_or_hold_another_type_are_told() -> None:
    assert wrong_keys({"a": True}, {"a": int, "b": str}) == ["the key `b` is missing", "`a` isn't an integer"]
