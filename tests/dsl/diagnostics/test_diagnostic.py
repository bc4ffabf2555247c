"""How diagnostics look as text."""

from __future__ import annotations

from dsl.diagnostics.diagnostic import Diagnostic, Severity, has_errors, render_text, sort_diagnostics
from dsl.source import Source, Span


def at(source: Source, piece: str, after: int = 0) -> Span:
    start = source.text.index(piece, after)
    return Span(source, start, start + len(piece))


def rows(text: str) -> str:
    """Drop the margin of an expected text."""
    return "\n".join(row.removeprefix("        ") for row in text.strip("\n").split("\n")).rstrip()


LINK = Source(
    "memory/oom.arch",
    "\n" * 8 + "    var link_rate: Rate in 25 .. 100 GB/s\n" + "\n" * 12 + "    require peak_memory > link_rate\n",
)


def test_text_shows_place_carets_dashes_and_remarks() -> None:
    diagnostic = Diagnostic(
        "E305",
        "cannot compare `bytes` with `bytes/s`",
        at(LINK, "link_rate", LINK.text.index("require")),
        "expected `bytes`, as on the left of `>`",
        ((at(LINK, "link_rate"), "declared here in `bytes/s`"),),
        notes=("a fact\nin two lines",),
        helps=("multiply by a duration, for example `link_rate * step_time`",),
    )
    assert render_text(diagnostic) == rows(
        """
        error[E305]: cannot compare `bytes` with `bytes/s`
          --> memory/oom.arch:22:27
           |
         9 |     var link_rate: Rate in 25 .. 100 GB/s
           |         --------- declared here in `bytes/s`
           |
        22 |     require peak_memory > link_rate
           |                           ^^^^^^^^^ expected `bytes`, as on the left of `>`
           = note: a fact
                   in two lines
           = help: multiply by a duration, for example `link_rate * step_time`
        """
    )


def test_text_of_a_finding_without_a_place_has_no_source() -> None:
    diagnostic = Diagnostic("E123", "too much", helps=("give less",), severity=Severity.WARNING)
    assert render_text(diagnostic) == "warning[E123]: too much\n  = help: give less"


def test_neighbouring_lines_stand_together_and_marks_share_a_line() -> None:
    source = Source("a.arch", "first\nsecond third\n")
    diagnostic = Diagnostic(
        "E101",
        "wrong",
        at(source, "third"),
        "",
        ((at(source, "first"), "one"), (at(source, "second"), "two")),
    )
    assert render_text(diagnostic) == rows(
        """
        error[E101]: wrong
         --> a.arch:2:8
          |
        1 | first
          | ----- one
        2 | second third
          |        ^^^^^
          | ------ two
        """
    )


def test_mark_in_another_file_gets_its_own_heading() -> None:
    one, two = Source("a.arch", "x\n"), Source("b.arch", "\n\ny\n")
    diagnostic = Diagnostic("E201", "wrong", at(one, "x"), "here", ((at(two, "y"), "and here"),))
    assert render_text(diagnostic) == rows(
        """
        error[E201]: wrong
         --> a.arch:1:1
          |
        1 | x
          | ^ here
         ::: b.arch:3:1
          |
        3 | y
          | - and here
        """
    )


def test_span_over_lines_is_marked_on_its_first() -> None:
    source = Source("a.arch", "a {\n  b\n}\n")
    diagnostic = Diagnostic("E101", "wrong", Span(source, 2, 9), "this")
    assert render_text(diagnostic).split("\n")[-2:] == ["1 | a {", "  |   ^ this (to line 3)"]


def test_end_of_text_is_marked_with_one_caret() -> None:
    source = Source("a.arch", "unit")
    diagnostic = Diagnostic("E101", "wrong", Span(source, 4, 4), "more")
    assert render_text(diagnostic).split("\n")[-2:] == ["1 | unit", "  |     ^ more"]


def test_tabs_and_wide_characters_keep_carets_below_their_text() -> None:
    source = Source("a.arch", '\t"日本" e\u0301 x')
    diagnostic = Diagnostic("E101", "wrong", at(source, "x"))
    line, carets = render_text(diagnostic).split("\n")[-2:]
    assert line == '1 |     "日本" e\u0301 x'
    assert carets == "  |" + " " * (1 + 4 + 6 + 1 + 1 + 1) + "^"


def test_wide_span_is_underlined_in_full() -> None:
    source = Source("a.arch", '"日本"')
    assert render_text(Diagnostic("E101", "wrong", at(source, '"日本"'))).endswith("| ^^^^^^")


def test_long_line_is_cut_around_the_span() -> None:
    source = Source("a.arch", "a" * 500 + " here " + "b" * 500)
    line, carets = render_text(Diagnostic("E101", "wrong", at(source, "here"))).split("\n")[-2:]
    assert len(line) < 140
    assert line.startswith("1 | ...aaa")
    assert line.endswith("bbb...")
    assert line[carets.index("^") : carets.rindex("^") + 1] == "here"


def test_long_span_is_cut_at_the_line_width() -> None:
    source = Source("a.arch", "a" * 1000)
    assert max(map(len, render_text(Diagnostic("E101", "wrong", at(source, source.text))).split("\n"))) < 140


def test_characters_that_steer_a_terminal_are_shown_as_code_points() -> None:
    source = Source("a\x1b.arch", "\x1b[31m \u202e x\r\n")
    text = render_text(Diagnostic("E101", "bad \x07", at(source, "x"), "\x1b"))
    assert text == rows(
        """
        error[E101]: bad <U+0007>
         --> a<U+001B>.arch:1:9
          |
        1 | <U+001B>[31m <U+202E> x
          |                       ^ <U+001B>
        """
    )


def test_colour_is_only_added() -> None:
    source = Source("a.arch", "x")
    diagnostic = Diagnostic("E101", "wrong", at(source, "x"), "here", notes=("a",))
    coloured = render_text(diagnostic, colour=True)
    assert "\x1b[1;31m" in coloured
    plain = coloured
    for code in ("1", "1;31", "1;33", "1;34", "0"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == render_text(diagnostic)


def test_diagnostics_sort_by_place_and_those_without_come_first() -> None:
    one, two = Source("a.arch", "x y"), Source("b.arch", "x")
    found = [
        Diagnostic("E105", "e", at(two, "x")),
        Diagnostic("E104", "d", at(one, "y")),
        Diagnostic("E103", "c", at(one, "x")),
        Diagnostic("E102", "b", at(one, "x")),
        Diagnostic("E101", "a"),
    ]
    assert [d.code for d in sort_diagnostics(found)] == ["E101", "E102", "E103", "E104", "E105"]


def test_only_errors_count_as_errors() -> None:
    warning = Diagnostic("E401", "a", severity=Severity.WARNING)
    assert not has_errors([warning])
    assert has_errors([warning, Diagnostic("E101", "b")])
