"""The config of a run in any of its five forms, to its names and what stands for their values.

In: a `Section` that holds a fenced block. Out: a `ConfigValue` for each name. JSON is read by the
standard library, the others here, strictly. Which values a name may have is checked later.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn, TypeAlias

from compiler.reader.text.errors import ReadError
from compiler.reader.text.limits import MAX_CONFIG
from compiler.reader.text.sections import NumberedLine, Section
from compiler.reader.text.values import FLAGS, NAME, QUOTED, format_value, read_word

ConfigValue: TypeAlias = bool | str | tuple[str]
"""A flag, a word, or a number as it is written, which stands alone in a tuple."""

_FENCE: Final = "```"
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e-?[0-9]+)?"
_VALUE: Final = rf"(?:(?P<number>{_NUMBER})|(?P<word>{NAME.pattern}|{QUOTED.pattern}))"
_WORD: Final = re.compile(rf"{NAME.pattern}|{QUOTED.pattern}")
_YAML: Final = re.compile(rf"(?P<indent>(?:  )?)(?P<name>{NAME.pattern}):(?: {_VALUE})?")
_TOML: Final = re.compile(
    rf"\[(?P<group>{NAME.pattern})\]|(?P<name>{NAME.pattern}) = "
    rf'(?:(?P<number>{_NUMBER})|(?P<flag>true|false)|"(?P<word>[^"\\|#\n]+)")'
)
_FLAG: Final = re.compile(rf"--(?:{NAME.pattern}\.)?(?P<name>{NAME.pattern}) {_VALUE}")
_DOTTED: Final = re.compile(rf"(?:{NAME.pattern}\.)?(?P<name>{NAME.pattern}) = {_VALUE}")


def read_config(section: Section) -> tuple[dict[str, ConfigValue], dict[str, int]]:
    """Read the fenced config below its heading.

    Returns:
        The values by name, in printed order, and the line of each name.

    Raises:
        ReadError: The block isn't in one of the forms, or a name stands in it twice.
    """
    lines = section.lines
    if len(lines) < 2 or lines[-1][1] != _FENCE:
        at = lines[-1][0] if lines else section.line
        raise ReadError(at, f"a block between lines of `{_FENCE}`", repr(lines[-1][1]) if lines else "nothing")
    form = lines[0][1].removeprefix(_FENCE)
    body = lines[1:-1]
    if len(body) > MAX_CONFIG:
        raise ReadError(lines[0][0], f"at most {MAX_CONFIG} lines of config", str(len(body)))
    read = _FORMS.get(form)
    if read is None or not lines[0][1].startswith(_FENCE):
        raise ReadError(lines[0][0], f"`{_FENCE}` and one of {', '.join(_FORMS)}", repr(lines[0][1]))
    values: dict[str, ConfigValue] = {}
    places: dict[str, int] = {}
    for name, value, line in read(body):
        if name in values:
            raise ReadError(line, "each name once in the config", f"`{name}` again")
        values[name] = value
        places[name] = line
    return values, places


_Entries: TypeAlias = Iterable[tuple[str, ConfigValue, int]]


def _value(found: re.Match[str], line: int) -> ConfigValue:
    number, word = found["number"], found["word"]
    if number is not None:
        return (number,)
    value = FLAGS.get(word, read_word(word))
    if value is None:
        raise ReadError(line, "a word, in double quotes only where it needs them", word)
    return value


def _yaml(lines: Sequence[NumberedLine]) -> _Entries:
    """Read `name: value`, and the same below `group:` indented by two blanks."""
    in_group = False
    open_group = 0
    groups: set[str] = set()
    for number, text in lines:
        found = _YAML.fullmatch(text)
        if found is None or (found["indent"] and not in_group):
            raise ReadError(number, "`name: value`, `group:` or, below it, `  name: value`", repr(text))
        if found.end() == found.end("name") + 1:
            if found["indent"] or open_group or found["name"] in groups:
                raise ReadError(number, "each group once, with a value in it", repr(text))
            in_group, open_group = True, number
            groups.add(found["name"])
            continue
        if open_group and not found["indent"]:
            raise ReadError(number, "a value in the group", repr(text))
        in_group, open_group = bool(found["indent"]), 0
        yield found["name"], _value(found, number), number
    if open_group:
        raise ReadError(open_group, "a value in the group", "none")


def _plain(pattern: re.Pattern[str], expected: str) -> Callable[[Sequence[NumberedLine]], _Entries]:
    """Make the reader of a form that has a value on each line."""

    def read(lines: Sequence[NumberedLine]) -> _Entries:
        for number, text in lines:
            found = pattern.fullmatch(text)
            if found is None:
                raise ReadError(number, expected, repr(text))
            yield found["name"], _value(found, number), number

    return read


def _json(lines: Sequence[NumberedLine]) -> _Entries:
    first = lines[0][0] if lines else 1
    try:
        found = json.loads(
            "\n".join(text for _, text in lines),
            parse_int=_number,
            parse_float=_number,
            parse_constant=_no_constant,
            object_pairs_hook=_distinct_pairs,
        )
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        at = lines[min(line, len(lines)) - 1][0] if lines else first
        raise ReadError(at, "a config in JSON", str(error)) from None
    if not isinstance(found, dict):
        raise ReadError(first, "an object", type(found).__name__)
    return _grouped(found, lines)


def _number(text: str) -> tuple[str]:
    return (text,)


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"`{text}` isn't a value")


def _distinct_pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _toml(lines: Sequence[NumberedLine]) -> _Entries:
    """Read `name = value`, and the same below `[group]`: of TOML, what a config needs."""
    groups: set[str] = set()
    for number, text in lines:
        found = _TOML.fullmatch(text)
        if found is None or found["word"] in FLAGS:
            raise ReadError(number, "`name = value` or `[group]`", repr(text))
        group, number_text, flag = found["group"], found["number"], found["flag"]
        if group is not None:
            if group in groups:
                raise ReadError(number, "each group once", repr(text))
            groups.add(group)
        elif number_text is not None:
            yield found["name"], (number_text,), number
        else:
            yield found["name"], FLAGS[flag] if flag is not None else found["word"], number


def _grouped(found: Mapping[str, Any], lines: Sequence[NumberedLine]) -> _Entries:
    """Give the entries of an object and of the objects in it, each with the line on which its name comes next."""
    at = 0
    for name, value in found.items():
        entries = value.items() if isinstance(value, dict) else ((name, value),)
        for inner, each in entries:
            while at < len(lines) - 1 and f'"{inner}"' not in lines[at][1]:
                at += 1
            yield inner, _checked(inner, each, lines[at][0]), lines[at][0]


def _checked(name: str, value: Any, line: int) -> ConfigValue:
    match value:
        case bool() | tuple():
            return value
        case str() if value not in FLAGS and _WORD.fullmatch(format_value(value)):
            return value
        case _:
            raise ReadError(line, f"a number, a word or a flag for `{name}`", repr(value))


_FORMS: Final[Mapping[str, Callable[[Sequence[NumberedLine]], _Entries]]] = {
    "yaml": _yaml,
    "toml": _toml,
    "json": _json,
    "sh": _plain(_FLAG, "`--name value` or `--group.name value`"),
    "text": _plain(_DOTTED, "`name = value` or `group.name = value`"),
}
