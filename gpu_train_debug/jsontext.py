"""The one JSON encoder and decoder of tasks, answers and archives.

Texts are UTF-8 with no escapes beyond the necessary. NaN, infinities, repeated keys and lone surrogates are refused
both ways, since programs disagree about them. Only a text that a model wrote may hold lone surrogates: code that
reads one says so, and code that writes one replaces them first (`without_surrogates`). The grader reads golds and
replies by rules of its own, in `grading/answer.py`.
"""

from __future__ import annotations

import json
from math import isinf
from typing import Any, NoReturn


def encode(value: object, *, indent: int | None = None) -> str:
    """Write `value` with its keys in the order they have.

    Raises:
        ValueError: It holds NaN, an infinity, a lone surrogate or itself.
        TypeError: It holds something that JSON doesn't have.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    text.encode()  # a lone surrogate raises here, not in the middle of a file
    return text


def decode(text: str, *, lone_surrogates: bool = False) -> Any:
    """Read one JSON value.

    Args:
        lone_surrogates: Accept them inside strings.

    Raises:
        ValueError: Not JSON, or JSON with NaN, an infinity, a repeated key, a lone surrogate, a huge
            number or very deep nesting; the message says which.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_float=_finite, parse_int=_whole, parse_constant=_refuse_constant
        )
        if not lone_surrogates:
            encode(value)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"not JSON: {_without_place(error.msg)} at {line}column {error.colno}") from None
    except UnicodeEncodeError:
        raise ValueError("a string holds half a surrogate pair, which isn't a character") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def decode_object(text: str, *, lone_surrogates: bool = False) -> dict[str, Any]:
    """Read one JSON object; arguments and errors as for `decode`.

    Raises:
        ValueError: `text` isn't one; the message says why.
    """
    value = decode(text, lone_surrogates=lone_surrogates)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def decode_foreign_object(text: str) -> dict[str, Any]:
    """Read a JSON object that another program wrote, as leniently as Python does: NaN, repeated keys, surrogates.

    Raises:
        ValueError: `text` isn't one; the message says why.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {_without_place(error.msg)} at column {error.colno}") from None
    except ValueError:  # Python's own limit, in words for programmers
        raise ValueError("a number has too many digits") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def without_surrogates(text: str) -> str:
    """The text with each pair of surrogates joined, and each lone one replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _without_place(message: str) -> str:
    """What Python says of wrong JSON; some of its messages expect a place behind them."""
    return message.removesuffix(" at")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen = set[str]()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key `{key}` occurs twice")
            seen.add(key)
    return result


def _finite(text: str) -> float:
    if isinf(number := float(text)):
        raise ValueError(f"{text} is too large a number")
    return number


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"a number of {len(text)} digits is too large") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} isn't a JSON number")
