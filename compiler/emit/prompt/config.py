"""The config of a run in one of several forms.

In: fields with their groups and values. Out: lines. Names, groups and values are the same in every form.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import assert_never

import attrs

from compiler.emit.prompt.text import word


class ConfigForm(enum.Enum):
    """How a config is written; the value is the language of its fence."""

    YAML = "yaml"
    TOML = "toml"
    JSON = "json"
    FLAGS = "sh"
    DOTTED = "text"


CONFIG_FORMS = tuple(ConfigForm)


@attrs.frozen
class Setting:
    """One field of a config.

    Attributes:
        group: Empty for the top level.
        value: As text, without quotes.
        is_word: Whether it is a string to the forms that tell one from a number.
    """

    group: str
    name: str
    value: str
    is_word: bool


def in_groups(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """The fields of the top level first, then group by group, in the order in which the groups first occur."""
    listed = tuple(settings)
    places = {group: place for place, group in enumerate(dict.fromkeys(["", *(each.group for each in listed)]))}
    return tuple(sorted(listed, key=lambda each: places[each.group]))


def config_lines(form: ConfigForm, settings: Iterable[Setting]) -> tuple[str, ...]:
    """Write a config, its fence included; settings of one group stand together."""
    return (f"```{form.value}", *_lines(form, tuple(settings)), "```")


def _lines(form: ConfigForm, settings: tuple[Setting, ...]) -> Iterator[str]:
    match form:
        case ConfigForm.YAML:
            yield from _grouped(settings, "{}:", "  {}: {}", "{}: {}", quoted=False)
        case ConfigForm.TOML:
            yield from _grouped(settings, "[{}]", "{} = {}", "{} = {}", quoted=True)
        case ConfigForm.JSON:
            yield from _json(settings)
        case ConfigForm.FLAGS:
            yield from (f"--{_path(each)} {_bare(each)}" for each in settings)
        case ConfigForm.DOTTED:
            yield from (f"{_path(each)} = {_bare(each)}" for each in settings)
        case _:
            assert_never(form)


def _grouped(settings: tuple[Setting, ...], head: str, inside: str, outside: str, *, quoted: bool) -> Iterator[str]:
    for group, members in groupby(settings, key=lambda each: each.group):
        if group:
            yield head.format(group)
        line = inside if group else outside
        yield from (line.format(each.name, _quoted(each) if quoted else _bare(each)) for each in members)


def _json(settings: tuple[Setting, ...]) -> Iterator[str]:
    """An object of objects, with numbers as they are printed."""
    entries = []
    for group, members in groupby(settings, key=lambda each: each.group):
        pairs = [f'"{each.name}": {_quoted(each)}' for each in members]
        if group:
            inner = ",\n".join(f"    {pair}" for pair in pairs)
            entries.append(f'  "{group}": {{\n{inner}\n  }}')
        else:
            entries += [f"  {pair}" for pair in pairs]
    yield from ("{\n" + ",\n".join(entries) + "\n}").split("\n")


def _quoted(setting: Setting) -> str:
    return json.dumps(setting.value) if setting.is_word else setting.value


def _bare(setting: Setting) -> str:
    return word(setting.value) if setting.is_word else setting.value


def _path(setting: Setting) -> str:
    return f"{setting.group}.{setting.name}" if setting.group else setting.name
