"""The profiler and the log of a run, as they stand, whatever the handbook says of them.

In: a `Section`. Out: values by name, and lines. What they mean is checked later.
"""

from __future__ import annotations

import re
from typing import Final

import attrs

from compiler.reader.text.cursor import LOGGER
from compiler.reader.text.errors import ReadError
from compiler.reader.text.limits import MAX_CONFIG
from compiler.reader.text.sections import Section
from compiler.reader.text.values import NAME

MOST_ON_A_LINE: Final = 4
"""Values of the profiler on one line."""

_MEASURE: Final = re.compile(rf"({NAME.pattern}) ([^| ](?:[^|]*[^| ])?)(?: \| |$)")
_LINE: Final = re.compile(
    r"[0-9]{2}:[0-9]{2}:[0-9]{2} \[rank[0-9]{1,4}\] (INFO |WARN |ERROR) "
    rf"({LOGGER.pattern}): (\S.*)"
)


@attrs.frozen
class ReadLine:
    """A line of the log: where it stands on the page, who wrote it, and what it says."""

    number: int
    level: str
    logger: str
    text: str


def read_profiler(section: Section) -> dict[str, tuple[int, str]]:
    """Read `name value | name value`: the line and the printed text of each value."""
    found: dict[str, tuple[int, str]] = {}
    for number, text in section.lines:
        at = count = 0
        while at < len(text):
            part = _MEASURE.match(text, at)
            count += 1
            if part is None or count > MOST_ON_A_LINE or text.endswith(" | "):
                expected = f"a name, a blank and a value, at most {MOST_ON_A_LINE} on a line with ` | ` between them"
                raise ReadError(number, expected, repr(text[at:]))
            if part[1] in found:
                raise ReadError(number, "each value once in the profiler", f"`{part[1]}` again")
            found[part[1]] = (number, part[2])
            at = part.end()
    return found


def read_log(section: Section) -> tuple[ReadLine, ...]:
    """Read the lines of the log, which stand in a fenced block."""
    lines = section.lines
    if len(lines) < 2 or lines[0][1] != "```text" or lines[-1][1] != "```":
        at = lines[0][0] if lines else section.line
        raise ReadError(at, "a block between lines of ```` ```text ```` and ```` ``` ````", "another text")
    if len(lines) > MAX_CONFIG:
        raise ReadError(lines[0][0], f"at most {MAX_CONFIG} lines of log", str(len(lines)))
    found: list[ReadLine] = []
    for number, text in lines[1:-1]:
        parts = _LINE.fullmatch(text)
        if parts is None:
            raise ReadError(number, "`HH:MM:SS [rankN] LEVEL logger: ` and a text", repr(text))
        found.append(ReadLine(number, parts[1].rstrip(), parts[2], parts[3]))
    return tuple(found)
