"""Files of JSON lines: one object a line, in UTF-8, read as strictly as `jsontext` reads unless others wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gpu_train_debug.input_errors import Flaw, refuse
from gpu_train_debug.jsontext import decode_foreign_object, decode_object

_KINDS = {str: "a string", int: "an integer"}


def read_objects(
    path: Path, *, lone_surrogates: bool = False, foreign: bool = False
) -> Iterator[tuple[str, dict[str, Any] | Flaw]]:
    """Yield the place of each line, `path:number`, with its object, or with the flaw for which it has none.

    Args:
        lone_surrogates: Accept them inside strings.
        foreign: Another program wrote the file: take whatever Python's JSON reader takes, NaN among it.

    Raises:
        InputError: The file can't be read.
    """
    try:
        with path.open("rb") as lines:
            yield from objects_of(lines, str(path), lone_surrogates=lone_surrogates, foreign=foreign)
    except OSError as error:
        raise refuse(f"can't read the file: {error.strerror}", str(path)) from error


def objects_of(
    lines: Iterable[bytes],
    name: str,
    *,
    lone_surrogates: bool = False,
    skip_empty: bool = False,
    foreign: bool = False,
) -> Iterator[tuple[str, dict[str, Any] | Flaw]]:
    """As `read_objects`, for the lines of a file that messages call `name`.

    Args:
        skip_empty: Pass over lines with nothing but space; they are flaws otherwise.
    """
    for number, line in enumerate(lines, start=1):
        place = f"{name}:{number}"
        if not line.strip():
            if not skip_empty:
                yield place, Flaw("the line is empty", place)
            continue
        try:
            text = line.rstrip(b"\r\n").decode()
            if foreign:
                yield place, decode_foreign_object(text)
            else:
                yield place, decode_object(text, lone_surrogates=lone_surrogates)
        except UnicodeDecodeError as error:
            yield place, Flaw(f"not UTF-8 at byte {error.start} of the line", place)
        except ValueError as error:
            yield place, Flaw(str(error), place)


def wrong_keys(value: Mapping[str, Any], kinds: Mapping[str, type]) -> list[str]:
    """Say which of the keys of `kinds` are missing in `value` or hold another type (`true` isn't an integer)."""
    missing = [f"the key `{key}` is missing" for key in kinds if key not in value]
    wrong = [
        f"`{key}` isn't {_KINDS[kind]}" for key, kind in kinds.items() if key in value and type(value[key]) is not kind
    ]
    return missing + wrong
