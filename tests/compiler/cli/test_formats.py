"""Every format says the same."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from compiler.cli.formats import FORMATS, format_findings, junit_xml
from compiler.findings import finding_about, finding_of
from dsl.diagnostics.diagnostic import Diagnostic, Severity
from dsl.source import Source, Span

SOURCE = Source("a/b, c.arch", "unit MiB\nunit MiB\n")
ERROR = finding_of(
    Diagnostic(
        "E201",
        "unknown variable `x`",
        Span(SOURCE, 14, 17),
        "not declared",
        secondary=((Span(SOURCE, 0, 4), "first here"),),
        helps=("did you mean `y`?",),
    ),
    subject="first",
)
WARNING = finding_about("E101", "100% odd\nsecond line", path="b.jsonl", line=7, severity=Severity.WARNING)
UNDECIDED = finding_about("E503", "out of budget", subject="second", inconclusive=True)


def test_json_has_all_that_the_diagnostic_has() -> None:
    first = json.loads(format_findings([ERROR], "json", summary="s"))["findings"][0]
    path = "a/b, c.arch"
    assert first == {
        "code": "E201",
        "severity": "error",
        "message": "unknown variable `x`",
        "path": path,
        "line": 2,
        "column": 6,
        "end_line": 2,
        "end_column": 9,
        "label": "not declared",
        "secondary": [
            {"path": path, "line": 1, "column": 1, "end_line": 1, "end_column": 5, "label": "first here"},
        ],
        "notes": [],
        "helps": ["did you mean `y`?"],
        "subject": "first",
        "inconclusive": False,
    }


def test_json_of_an_emitted_line_has_its_number_alone() -> None:
    first = json.loads(format_findings([WARNING], "json"))["findings"][0]
    assert [first[key] for key in ("path", "line", "column", "end_line", "end_column")] == [
        "b.jsonl",
        7,
        None,
        None,
        None,
    ]
    assert (first["label"], first["secondary"]) == ("", [])


def test_json_of_a_finding_about_a_file_has_its_path_and_one_about_none_has_null() -> None:
    findings = [finding_of(Diagnostic("E120", "gone", path="a.arch")), finding_about("E699", "bug")]
    first, second = json.loads(format_findings(findings, "json"))["findings"]
    assert [first[key] for key in ("path", "line", "column")] == ["a.arch", None, None]
    assert [second[key] for key in ("path", "line", "column")] == [None, None, None]


def test_text_shows_what_a_stranger_wrote_without_steering_the_terminal() -> None:
    assert finding_about("E101", "odd \x1b[31m", path="b.jsonl", line=7, notes=("a\nb",)).text == (
        "error[E101]: odd <U+001B>[31m\n --> b.jsonl:7\n  = note: a\n          b"
    )


def test_text_has_colours_where_they_are_asked_for() -> None:
    coloured = format_findings([ERROR, WARNING], "human", colour=True)
    assert "\x1b[1;31merror[E201]\x1b[0m" in coloured
    assert "\x1b[1;33mwarning[E101]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == format_findings([ERROR, WARNING], "human")


def test_github_commands_escape_what_would_end_them() -> None:
    text = format_findings([ERROR, WARNING], "github")
    error, warning = text.split("\n")
    place = "file=a/b%2C c.arch,title=E201,line=2,col=6,endLine=2,endColumn=9"
    assert error.startswith(f"::error {place}::unknown variable `x`%0Anot declared%0Aa/b, c.arch:1: first here%0Ahelp:")
    assert warning == "::warning file=b.jsonl,title=E101,line=7::100%25 odd%0Asecond line"


def test_sarif_names_each_rule_once_and_points_at_it() -> None:
    run = json.loads(format_findings([ERROR, ERROR, WARNING], "sarif"))["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["E101", "E201"]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == ["E201", "E201", "E101"]
    place = run["results"][0]["locations"][0]
    assert place["physicalLocation"]["region"] == {"startLine": 2, "startColumn": 6, "endLine": 2, "endColumn": 9}
    assert place["message"]["text"] == "not declared"
    (earlier,) = run["results"][0]["relatedLocations"]
    assert earlier["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 5}
    assert earlier["message"]["text"] == "first here"
    emitted = run["results"][2]
    assert emitted["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert "relatedLocations" not in emitted


def test_junit_fails_the_subject_and_passes_the_others() -> None:
    root = ElementTree.fromstring(junit_xml("suite", ["first", "second", "third"], [ERROR, UNDECIDED, WARNING]))
    suite = root[0]
    assert suite.attrib == {"name": "suite", "tests": "3", "failures": "1", "errors": "1"}
    assert [[child.tag for child in case] for case in suite] == [["failure"], ["error"], []]


def test_junit_text_is_xml_whatever_the_message() -> None:
    hostile = finding_about("E101", "\x00\x1b[31m ]]> & < \ud800 \uffff", subject="x\udcff")
    assert ElementTree.fromstring(junit_xml("s", [], [hostile])) is not None


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_takes_no_findings(format_: str) -> None:
    assert isinstance(format_findings([], format_), str)
