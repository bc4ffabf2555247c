from __future__ import annotations

import json

import pytest

from compiler.dataset.manifest import (
    Environment,
    FileEntry,
    Manifest,
    content_sha256,
    make_manifest,
    manifest_text,
    read_manifest,
)
from compiler.emit.record import Malformed
from gpu_train_debug.jsontext import encode

ENVIRONMENT = Environment(compiler="0.1.0", z3="4.13.0", python="3.11.7", git_commit="abc", created="")


@pytest.fixture
def manifest() -> Manifest:
    return make_manifest(
        dataset="loaves",
        version="0.2.0",
        seed=7,
        files={"train.jsonl": FileEntry("a" * 64, 100, 2), "test.jsonl": FileEntry("b" * 64, 90, 1)},
        archetypes={"train": {"too_much": 1, "all_well": 1}, "test": {"too_much": 1}},
        sources={"b.arch": "c" * 64, "a.arch": "d" * 64},
    )


def test_manifest_read_back_is_the_same(manifest: Manifest) -> None:
    assert read_manifest(manifest_text(manifest, ENVIRONMENT)) == (manifest, ENVIRONMENT)


def test_names_are_sorted_and_splits_keep_their_order(manifest: Manifest) -> None:
    content = json.loads(manifest_text(manifest, ENVIRONMENT))["content"]
    assert list(content["sources"]) == ["a.arch", "b.arch"]
    assert list(content["archetypes"]) == ["train", "test"]
    assert list(content["archetypes"]["train"]) == ["all_well", "too_much"]


def test_hash_is_of_the_content_alone_when_the_environment_differs(manifest: Manifest) -> None:
    later = Environment(compiler="0.1.0", z3="4.14.0", python="3.13.0", created="2027-01-01")
    hashes = {json.loads(manifest_text(manifest, where))["content_sha256"] for where in (ENVIRONMENT, later)}
    assert hashes == {content_sha256(manifest)}


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("content", "seed"), 8, "the checksum"),
        (("content", "seed"), True, "`content.seed`"),
        (("content", "schema"), 99, "`content.schema` is 99"),
        (("content", "schema"), [], "`content.schema` is []"),
        (("content", "version"), 1, "`content.version`"),
        (("content", "dataset"), None, "`content.dataset`"),
        (("content", "files"), {"a": {"sha256": "x", "bytes": 1, "rows": 1}}, "`content.files`"),
        (("content", "files"), [], "`content.files`"),
        (("content", "archetypes"), {"train": {"a": -1}}, "`content.archetypes`"),
        (("content", "sources"), {"a.arch": "short"}, "`content.sources`"),
        (("content", "more"), 1, "the keys of `content`"),
        (("content",), 1, "the keys of `content`"),
        (("more",), 1, "the keys aren't"),
        (("content_sha256",), [], "the checksum"),
        (("environment", "z3"), 4, "`environment`"),
    ],
)
def test_manifest_is_malformed_when_a_part_is_wrong(
    manifest: Manifest, path: tuple[str, ...], value: object, reason: str
) -> None:
    edited = json.loads(manifest_text(manifest, ENVIRONMENT))
    part = edited
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    read = read_manifest(encode(edited))
    assert isinstance(read, Malformed)
    assert reason in "; ".join(read.reasons)


def test_manifest_is_malformed_when_it_is_no_json() -> None:
    assert isinstance(read_manifest("{"), Malformed)
