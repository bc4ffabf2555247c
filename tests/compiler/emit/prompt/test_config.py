from __future__ import annotations

import json
import tomllib

import pytest

from compiler.emit.prompt.config import CONFIG_FORMS, ConfigForm, Setting, config_lines, in_groups

SETTINGS = in_groups(
    (
        Setting("", "rate", "3e-4", False),
        Setting("oven", "clay", "red", True),
        Setting("program", "hold", "2", False),
        Setting("", "depth", "12", False),
        Setting("oven", "lid", "true", False),
    )
)
VALUES = {"rate": 3e-4, "depth": 12, "oven": {"clay": "red", "lid": True}, "program": {"hold": 2}}


@pytest.mark.parametrize("form", CONFIG_FORMS)
def test_a_word_that_is_no_plain_name_is_quoted_in_every_form(form: ConfigForm) -> None:
    assert any('"off-white"' in line for line in config_lines(form, (Setting("", "clay", "off-white", is_word=True),)))


def test_groups_stand_together_behind_the_top_level() -> None:
    assert [each.name for each in SETTINGS] == ["rate", "depth", "clay", "lid", "hold"]


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        (
            ConfigForm.YAML,
            ["rate: 3e-4", "depth: 12", "oven:", "  clay: red", "  lid: true", "program:", "  hold: 2"],
        ),
        (
            ConfigForm.FLAGS,
            ["--rate 3e-4", "--depth 12", "--oven.clay red", "--oven.lid true", "--program.hold 2"],
        ),
        (
            ConfigForm.DOTTED,
            ["rate = 3e-4", "depth = 12", "oven.clay = red", "oven.lid = true", "program.hold = 2"],
        ),
    ],
    ids=lambda item: item.value if isinstance(item, ConfigForm) else "",
)
def test_config_is_printed_in_its_form(form: ConfigForm, lines: list[str]) -> None:
    assert config_lines(form, SETTINGS) == (f"```{form.value}", *lines, "```")


def test_toml_and_json_are_read_by_their_own_parsers() -> None:
    assert tomllib.loads("\n".join(config_lines(ConfigForm.TOML, SETTINGS)[1:-1])) == VALUES
    assert json.loads("\n".join(config_lines(ConfigForm.JSON, SETTINGS)[1:-1])) == VALUES


@pytest.mark.parametrize("form", CONFIG_FORMS)
def test_each_setting_has_a_line_of_its_own(form: ConfigForm) -> None:
    text = config_lines(form, SETTINGS)
    for each in SETTINGS:
        assert sum(each.name in line and each.value in line for line in text) == 1
