"""The run at the end of a page, each channel in one form.

In: a page. Out: a `Run`. Knows how a page prints a run (a config in any of its forms, `name value | name value`, `time
[rank] LEVEL logger: text`), and no field, logger or unit. The form of the config and what stands before a logger say
nothing and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs

from gpu_train_debug.stats.measure import SETTING

CHANNELS = ("config", "profiler", "log")

_PROMPT = re.compile(
    r"# (?P<title>[^\n]+)\n.*\n## Config\n(?P<config>.*)\n## Profiler\n(?P<profiler>.*)\n## Log\n(?P<log>.*)", re.DOTALL
)
_LINE = re.compile(r"[\d:]+ \[\w+\] [A-Z]+ +(?P<logger>[^\s:]+): (?P<text>.*)")


@attrs.frozen
class Run:
    """What a page prints of one run; the title names its system.

    Attributes:
        channels: Lines: of the config and the profiler `name = value`, of the log `logger: text`.
    """

    title: str
    channels: Mapping[str, str]


def read_run(prompt: str) -> Run:
    """Cut the run out of a page.

    Raises:
        ValueError: The page has another form.
    """
    found = _PROMPT.fullmatch(prompt)
    if found is None:
        raise ValueError("the page has no title, or doesn't end with the sections Config, Profiler and Log")
    config = [SETTING.fullmatch(line) for line in found["config"].splitlines()]
    values = [value.split(" ", 1) for line in found["profiler"].splitlines() for value in line.split(" | ") if value]
    lines = [_LINE.fullmatch(line) for line in found["log"].splitlines()]
    channels = {
        "config": [f"{setting['name']} = {setting['value'].strip(chr(34))}" for setting in config if setting],
        "profiler": [" = ".join(value) for value in values],
        "log": [f"{line['logger']}: {line['text']}" for line in lines if line],
    }
    return Run(found["title"], {channel: "\n".join(channels[channel]) for channel in CHANNELS})
