"""The one JSON encoder and decoder of the output: whatever is written or read back goes through here.

Texts are UTF-8 with no escapes beyond the necessary; NaN, infinities, lone surrogates and repeated keys
are refused both ways, since readers disagree about them.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn


def encode(value: object, *, indent: int | None = None) -> str:
    """Write `value` with its keys in the order they have.

    Raises:
        ValueError: NaN, an infinity, a lone surrogate or a circle.
        TypeError: A value that JSON doesn't have.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    text.encode()  # a lone surrogate raises here, not in the middle of a file
    return text


def decode(text: str) -> Any:
    """Read one JSON value.

    Raises:
        ValueError: Not JSON, or JSON with NaN, an infinity, a repeated key, a lone surrogate, a huge
            number or very deep nesting.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
        encode(value)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice")
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
