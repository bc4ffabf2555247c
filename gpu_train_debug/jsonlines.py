"""Strict reading of JSONL: one JSON object a line, UTF-8, no key twice, no NaN.

Readers disagree about repeated keys and about NaN, so both are refused instead of being read some way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from gpu_train_debug.faults import Fault, refuse


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any] | Fault]]:
    """Yield line numbers from 1, each with its object, or with why it has none.

    Raises:
        StudyError: The file can't be read.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield number, decode_object(line.decode("utf-8"))
                except UnicodeDecodeError as error:
                    yield number, Fault(f"not UTF-8 at byte {error.start} of the line", f"{path}:{number}")
                except ValueError as error:
                    yield number, Fault(str(error), f"{path}:{number}")
    except OSError as error:
        raise refuse(f"cannot read the file: {error.strerror}", str(path)) from error


def decode_object(text: str) -> dict[str, Any]:
    """Read one JSON object.

    Raises:
        ValueError: `text` isn't one; the message says why.
    """
    if not text.strip():
        raise ValueError("the line is empty")
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def wrong_keys(value: Mapping[str, Any], kinds: Mapping[str, type]) -> list[str]:
    """Say which of the keys of `kinds` are missing in `value` or hold another type (true is no integer)."""
    names = {str: "a string", int: "an integer"}
    missing = [f"the key `{key}` is missing" for key in kinds if key not in value]
    wrong = [
        f"`{key}` is not {names[kind]}" for key, kind in kinds.items() if key in value and type(value[key]) is not kind
    ]
    return missing + wrong


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key `{next(key for key in keys if keys.count(key) > 1)}` occurs twice")
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
