"""Every format says the same."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from compiler.cli.formats import FORMATS, format_findings, junit_xml
from compiler.findings import finding_about, finding_of
from dsl.diagnostics.diagnostic import Diagnostic, Severity
from dsl.source import Source, Span

SOURCE = Source("a/b, c.arch", "unit MiB\nunit MiB\n")
ERROR = finding_of(
    Diagnostic("E201", "unknown variable `x`", Span(SOURCE, 14, 17), "not declared", helps=("did you mean `y`?",)),
    subject="first",
)
WARNING = finding_about("E101", "100% odd\nsecond line", path="b.jsonl", line=7, severity=Severity.WARNING)
UNDECIDED = finding_about("E503", "out of budget", subject="second", inconclusive=True)


def test_json_has_the_place_and_the_help() -> None:
    first = json.loads(format_findings([ERROR], "json", summary="s"))["findings"][0]
    assert (first["path"], first["line"], first["column"]) == ("a/b, c.arch", 2, 6)
    assert first["helps"] == ["did you mean `y`?"]


def test_github_commands_escape_what_would_end_them() -> None:
    text = format_findings([ERROR, WARNING], "github")
    error, warning = text.split("\n")
    assert error.startswith("::error file=a/b%2C c.arch,title=E201,line=2,col=6::unknown variable `x`%0Ahelp:")
    assert warning == "::warning file=b.jsonl,title=E101,line=7::100%25 odd%0Asecond line"


def test_sarif_names_each_rule_once_and_points_at_it() -> None:
    run = json.loads(format_findings([ERROR, ERROR, WARNING], "sarif"))["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["E101", "E201"]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == ["E201", "E201", "E101"]
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 6}


def test_junit_fails_the_subject_and_passes_the_others() -> None:
    root = ElementTree.fromstring(junit_xml("suite", ["first", "second", "third"], [ERROR, UNDECIDED, WARNING]))
    suite = root[0]
    assert suite.attrib == {"name": "suite", "tests": "3", "failures": "1", "errors": "1"}
    assert [[child.tag for child in case] for case in suite] == [["failure"], ["error"], []]


def test_junit_text_is_xml_whatever_the_message() -> None:
    hostile = finding_about("E101", "\x00\x1b[31m ]]> & <", subject="x")
    assert ElementTree.fromstring(junit_xml("s", [], [hostile])) is not None


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_takes_no_findings(format_: str) -> None:
    assert isinstance(format_findings([], format_), str)
