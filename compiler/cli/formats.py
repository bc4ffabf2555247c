"""The formats in which findings are printed: text, JSON, GitHub workflow commands, SARIF 2.1.0, JUnit XML.

In: findings. Out: text; nothing here prints or writes files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import attrs

from compiler.codes import CODES
from compiler.findings import Finding, Place, finding_text, place_of
from dsl.diagnostics.diagnostic import Severity

_NOT_XML = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

PLACE_KEYS = tuple(field.name for field in attrs.fields(Place))

FORMATS = ("human", "json", "github", "sarif")


def format_findings(
    findings: Sequence[Finding],
    format_: str,
    *,
    summary: str = "",
    results: Mapping[str, Any] | None = None,
    colour: bool = False,
) -> str:
    """The findings as text in one of `FORMATS`.

    Args:
        summary: Closes the text for people; a field in JSON.
        results: What the command found besides, for JSON alone.
        colour: Let the text for people steer a terminal.
    """
    match format_:
        case "json":
            document: dict[str, Any] = {"summary": summary}
            if results is not None:
                document["results"] = results
            document["findings"] = [_as_json(finding) for finding in findings]
            return json.dumps(document, indent=2, ensure_ascii=False)
        case "github":
            return "\n".join(_as_github(finding) for finding in findings)
        case "sarif":
            return json.dumps(_as_sarif(findings), indent=2, ensure_ascii=False)
        case _:
            parts = [finding_text(finding, colour=colour) for finding in findings]
            return "\n\n".join([*parts, summary] if summary else parts)


def _as_json(finding: Finding) -> dict[str, Any]:
    secondary = [attrs.asdict(place_of(span)) | {"label": label} for span, label in finding.diagnostic.secondary]
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "message": finding.message,
        **(dict.fromkeys(PLACE_KEYS) if finding.place is None else attrs.asdict(finding.place)),
        "label": finding.diagnostic.label,
        "secondary": secondary,
        "notes": list(finding.notes),
        "helps": list(finding.helps),
        "subject": finding.subject,
        "inconclusive": finding.inconclusive,
    }


def _as_github(finding: Finding) -> str:
    def escape(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    def escape_property(text: str) -> str:
        return escape(text).replace(":", "%3A").replace(",", "%2C")

    properties = [f"title={escape_property(finding.code)}"]
    if place := finding.place:
        properties.insert(0, f"file={escape_property(place.path)}")
        numbers = {"line": place.line, "col": place.column, "endLine": place.end_line, "endColumn": place.end_column}
        properties += [f"{name}={number}" for name, number in numbers.items() if number]
    marked = [finding.diagnostic.label] if finding.diagnostic.label else []
    others = [f"{place_of(span)}: {label}" for span, label in finding.diagnostic.secondary]
    helps = [f"help: {text}" for text in finding.helps]
    message = "\n".join([finding.message, *marked, *others, *finding.notes, *helps])
    return f"::{finding.severity.value} {','.join(properties)}::{escape(message)}"


def _as_sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    used = sorted({finding.code for finding in findings})
    rules = [
        {
            "id": code,
            "shortDescription": {"text": CODES[code].title},
            "fullDescription": {"text": CODES[code].explanation},
        }
        for code in used
    ]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "gtd", "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": [_sarif_result(finding, used.index(finding.code)) for finding in findings],
            }
        ],
    }


def _sarif_result(finding: Finding, rule: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.severity.value,
        "message": {"text": "\n".join([finding.message, *finding.notes, *finding.helps])},
    }
    if finding.place is not None:
        entry["locations"] = [_sarif_location(finding.place, finding.diagnostic.label)]
    if finding.diagnostic.secondary:
        entry["relatedLocations"] = [
            {"id": number} | _sarif_location(place_of(span), label)
            for number, (span, label) in enumerate(finding.diagnostic.secondary)
        ]
    return entry


def _sarif_location(place: Place, label: str) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": Path(place.path).as_posix()}}
    ends = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    if region := {name: number for name, number in ends.items() if number}:
        physical["region"] = region
    location: dict[str, Any] = {"physicalLocation": physical}
    if label:
        location["message"] = {"text": label}
    return location


def junit_xml(suite: str, subjects: Sequence[str], findings: Sequence[Finding]) -> str:
    """One test case per subject; a finding fails the case of its subject, or a case named after its file.

    Inconclusive findings are errors, others failures, warnings are left out.
    """
    by_subject: dict[str, list[Finding]] = {subject: [] for subject in subjects}
    for finding in findings:
        if finding.severity is Severity.ERROR:
            by_subject.setdefault(finding.subject or finding.path or suite, []).append(finding)
    failures = sum(any(not f.inconclusive for f in found) for found in by_subject.values())
    errors = sum(bool(found) and all(f.inconclusive for f in found) for found in by_subject.values())
    root = ElementTree.Element("testsuites")
    node = ElementTree.SubElement(
        root, "testsuite", name=suite, tests=str(len(by_subject)), failures=str(failures), errors=str(errors)
    )
    for subject, found in by_subject.items():
        case = ElementTree.SubElement(node, "testcase", classname=suite, name=_xml_safe(subject))
        if found:
            kind = "error" if all(finding.inconclusive for finding in found) else "failure"
            first = found[0]
            child = ElementTree.SubElement(case, kind, type=first.code, message=_xml_safe(first.message))
            child.text = _xml_safe("\n\n".join(finding.text for finding in found))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _xml_safe(text: str) -> str:
    """XML 1.0 has no code for most control characters, for surrogates, and for U+FFFE and U+FFFF."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
