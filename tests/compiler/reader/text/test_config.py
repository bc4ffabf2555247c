"""The five forms of a config: each reads back what was written, and as the standard library does where it can."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.reader import ReadError
from compiler.reader.text.config import ConfigValue, read_config
from compiler.reader.text.sections import Section
from compiler.reader.text.tokens import KEYWORDS

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name not in KEYWORDS)
NUMBERS = st.one_of(
    st.integers(-(2**60), 2**60).map(str),
    st.decimals(-1000, 1000, places=3).map(lambda number: f"{number:f}"),
    st.sampled_from(["3e-4", "1.5e-4", "-2e10", "0"]),
)
WORDS = st.one_of(NAMES, st.sampled_from(["A-1", "a b", "8", "ü", "x.y", "1e3"]))
VALUES: st.SearchStrategy[ConfigValue] = st.one_of(st.booleans(), WORDS, NUMBERS.map(lambda text: (text,)))
CONFIGS = st.dictionaries(NAMES, st.tuples(st.sampled_from(["", "one", "two"]), VALUES), min_size=1, max_size=8)

Config = Mapping[str, tuple[str, ConfigValue]]


def read(form: str, text: str) -> dict[str, ConfigValue]:
    lines = [(number, line) for number, line in enumerate(f"```{form}\n{text}\n```".split("\n"), 1) if line]
    return read_config(Section(0, tuple(lines)))[0]


def quoted(value: ConfigValue) -> str:
    if isinstance(value, tuple):
        return value[0]
    return json.dumps(value, ensure_ascii=False)


def bare(value: ConfigValue) -> str:
    plain = isinstance(value, str) and value.isidentifier() and value.isascii()
    return str(value) if plain else quoted(value)


def groups(config: Config) -> dict[str, dict[str, ConfigValue]]:
    """By group, the top level first."""
    found: dict[str, dict[str, ConfigValue]] = {"": {}}
    for name, (group, value) in config.items():
        found.setdefault(group, {})[name] = value
    return found


def write(form: str, config: Config) -> str:
    lines: list[str] = []
    for group, values in groups(config).items():
        path = f"{group}." if group else ""
        indent = "  " if group else ""
        match form:
            case "yaml":
                lines += [f"{group}:"] if group else []
                lines += [f"{indent}{name}: {bare(value)}" for name, value in values.items()]
            case "toml":
                lines += [f"[{group}]"] if group else []
                lines += [f"{name} = {quoted(value)}" for name, value in values.items()]
            case "sh":
                lines += [f"--{path}{name} {bare(value)}" for name, value in values.items()]
            case "text":
                lines += [f"{path}{name} = {bare(value)}" for name, value in values.items()]
            case _:
                pairs = [f'{indent}"{name}": {quoted(value)}' for name, value in values.items()]
                lines += [f'"{group}": {{{", ".join(pairs)}}}'] if group else pairs
    return "{\n" + ",\n".join(lines) + "\n}" if form == "json" else "\n".join(lines)


@pytest.mark.parametrize("form", ["yaml", "toml", "json", "sh", "text"])
@given(config=CONFIGS)
def test_every_form_reads_back_what_was_written(form: str, config: Config) -> None:
    config = {name: entry for name, entry in config.items() if name not in ("one", "two")}
    assert read(form, write(form, config)) == {name: value for name, (_, value) in config.items()}


@given(config=CONFIGS)
def test_toml_is_read_as_the_standard_library_reads_it(config: Config) -> None:
    config = {name: entry for name, entry in config.items() if name not in ("one", "two")}
    text = write("toml", config)
    found = tomllib.loads(text, parse_float=lambda number: (number,))
    flat = {**found, **found.get("one", {}), **found.get("two", {})}
    theirs = {name: value if isinstance(value, bool | str | tuple) else (str(value),) for name, value in flat.items()}
    assert read("toml", text) == {name: theirs[name] for name in config}


@given(config=CONFIGS, data=st.data())
def test_toml_that_is_read_is_toml(config: Config, data: st.DataObject) -> None:
    """What is damaged is refused, or is TOML all the same."""
    text = write("toml", config)
    at = data.draw(st.integers(0, len(text)))
    text = (
        text[:at]
        + data.draw(st.sampled_from(["", " ", '"', "=", "[", "]", "\n", "0", "x", "-", "e", "."]))
        + text[at + 1 :]
    )
    try:
        read("toml", text)
    except ReadError:
        return
    tomllib.loads(text)
