"""Diagnostics: what is wrong, where, and what would be right; as text for people and JSON for tools.

Every stage gives its findings as `Diagnostic` values and never prints. The text form is plain and the
same on each run. Source text comes from strangers, so characters that would steer a terminal or hide
the order of the text are shown escaped.
"""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Iterable

import attrs

from dsl.source import Source, Span

TAB = "    "
MESSAGE_WIDTH = 120  # columns of source text shown; longer lines are cut around the span
LEAD = 40  # columns kept left of a span in a line that is cut
CUT = "..."


class Severity(enum.Enum):
    ERROR = "error"
    WARNING = "warning"


@attrs.frozen
class Diagnostic:
    """One finding; the primary `span` is what the carets mark, `secondary` spans explain it.

    Attributes:
        path: The file that it is about, as messages show it, where no place in it can be shown.
    """

    code: str
    message: str
    span: Span | None = None
    label: str = ""
    secondary: tuple[tuple[Span, str], ...] = ()
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()
    severity: Severity = Severity.ERROR
    path: str = ""


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Order by file and place; findings without a place come first."""

    def key(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
        span = diagnostic.span
        place = ("", -1, -1) if span is None else (span.source.name, span.start, span.end)
        return (*place, diagnostic.code, diagnostic.message)

    return tuple(sorted(diagnostics, key=key))


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)


# ------------------------------------------------------------------ text


def _visible(text: str) -> str:
    """Show tabs as spaces, and the code points of all characters that don't print or steer a terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else TAB if char == "\t" else f"<U+{ord(char):04X}>" for char in text)


def _width(text: str) -> int:
    """Columns that `text`, already made visible, takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


@attrs.frozen
class _Mark:
    """A span on one line: `start` and `end` are offsets in that line's text."""

    line: int
    start: int
    end: int
    label: str
    primary: bool


def _mark(span: Span, label: str, *, primary: bool) -> _Mark:
    line, column = span.source.line_column(span.start)
    text = span.source.line_text(line)
    start = min(column - 1, len(text))
    end = min(start + span.end - span.start, len(text))
    last_line = span.source.line_column(max(span.start, span.end - 1))[0]
    if last_line > line:
        label = f"{label} (to line {last_line})".lstrip()
    return _Mark(line, start, max(end, start), label, primary)


def _window(text: str, first: int) -> tuple[int, int]:
    """Choose the part of a line to show: all of it, or `LINE_WIDTH` characters around offset `first`."""
    if len(text) <= MESSAGE_WIDTH:
        return 0, len(text)
    start = max(0, min(first - LEAD, len(text) - MESSAGE_WIDTH))
    return start, min(start + MESSAGE_WIDTH, len(text))


class _Painter:
    """Wraps text in terminal colours, or leaves it alone."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.colour and text else text


_BOLD, _RED, _YELLOW, _BLUE = "1", "1;31", "1;33", "1;34"


def _line_rows(source: Source, marks: list[_Mark], gutter: int, accent: str, paint: _Painter) -> list[str]:
    """Show one source line and, below it, a row for each mark."""
    text = source.line_text(marks[0].line)
    bar = paint("|", _BLUE)
    focus = next((mark for mark in marks if mark.primary), marks[0])
    start, end = _window(text, focus.start)
    left, right = (CUT if start else ""), (CUT if end < len(text) else "")
    number = paint(f"{marks[0].line:>{gutter}}", _BLUE)
    rows = [f"{number} {bar} {left}{_visible(text[start:end])}{right}".rstrip()]
    for mark in marks:
        first, last = (min(max(offset, start), end) for offset in (mark.start, mark.end))
        indent = len(left) + _width(_visible(text[start:first]))
        length = max(1, _width(_visible(text[first:last])))
        underline = ("^" if mark.primary else "-") * length
        tail = f"{underline} {_visible(mark.label)}".rstrip()
        rows.append(f"{'':{gutter}} {bar} {'':{indent}}{paint(tail, accent if mark.primary else _BLUE)}")
    return rows


def _snippet(source: Source, marks: list[_Mark], gutter: int, accent: str, paint: _Painter) -> list[str]:
    """Show the marked lines of one file in order, with a bar line where lines are left out."""
    bar = f"{'':{gutter}} {paint('|', _BLUE)}"
    rows = [bar]
    previous = None
    for line in sorted({mark.line for mark in marks}):
        if previous is not None and line > previous + 1:
            rows.append(bar)
        here = sorted((m for m in marks if m.line == line), key=lambda m: (not m.primary, m.start))
        rows += _line_rows(source, here, gutter, accent, paint)
        previous = line
    return rows


def _remarks(diagnostic: Diagnostic, gutter: int, paint: _Painter) -> list[str]:
    rows = []
    for word, texts in (("note", diagnostic.notes), ("help", diagnostic.helps)):
        for text in texts:
            first, *rest = text.split("\n")
            rows.append(f"{'':{gutter}} {paint('=', _BLUE)} {paint(word, _BOLD)}: {_visible(first)}")
            rows += [f"{'':{gutter}}   {'':{len(word)}}  {_visible(line)}".rstrip() for line in rest]
    return rows


def render_text(diagnostic: Diagnostic, *, colour: bool = False) -> str:
    """Render one diagnostic as lines of text, without a final line break."""
    paint = _Painter(colour)
    accent = _RED if diagnostic.severity is Severity.ERROR else _YELLOW
    head = paint(f"{diagnostic.severity.value}[{diagnostic.code}]", accent)
    rows = [head + paint(f": {_visible(diagnostic.message)}", _BOLD)]
    if diagnostic.span is None:
        return "\n".join(rows + _remarks(diagnostic, 1, paint))

    marks: dict[int, tuple[Source, list[_Mark]]] = {}  # by identity of the source, primary first
    spans = [(diagnostic.span, diagnostic.label, True)]
    spans += [(span, label, False) for span, label in diagnostic.secondary]
    for span, label, primary in spans:
        entry = marks.setdefault(id(span.source), (span.source, []))
        entry[1].append(_mark(span, label, primary=primary))
    gutter = max(len(str(mark.line)) for _, group in marks.values() for mark in group)
    for number, (source, group) in enumerate(marks.values()):
        anchor = next((mark for mark in group if mark.primary), group[0])
        arrow = paint("-->" if number == 0 else ":::", _BLUE)
        rows.append(f"{'':{gutter}}{arrow} {_visible(source.name)}:{anchor.line}:{anchor.start + 1}")
        rows += _snippet(source, group, gutter, accent, paint)
    return "\n".join(rows + _remarks(diagnostic, gutter, paint))
