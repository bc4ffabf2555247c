"""The manifest of a compiled dataset: what was compiled from what.

In: checksums of the written files, counts, sources. Out: `manifest.json`. Its `content` depends on the
sources and the seed alone, and `content_sha256` names it; what depends on the machine and the moment
stands in `environment`, outside the hash.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import attrs

from compiler.emit.record import SCHEMA_VERSION, Malformed
from gpu_train_debug.jsontext import decode, encode

MANIFEST_NAME = "manifest.json"

_SHA256 = re.compile(r"[0-9a-f]{64}")


@attrs.frozen
class FileEntry:
    """A written file: checksum and bytes of the whole, and its number of lines."""

    sha256: str
    bytes: int
    rows: int


@attrs.frozen
class Manifest:
    """The hashed part.

    Attributes:
        files: By file name.
        archetypes: Tasks of each archetype, by split.
        sources: SHA-256 of each source file, by its name relative to the source root.
    """

    schema: int
    dataset: str
    version: str
    seed: int
    files: Mapping[str, FileEntry]
    archetypes: Mapping[str, Mapping[str, int]]
    sources: Mapping[str, str]


@attrs.frozen
class Environment:
    """What compiled it. Empty texts say that something isn't known; `created` is optional for equal bytes."""

    compiler: str = ""
    z3: str = ""
    python: str = ""
    git_commit: str = ""
    created: str = ""


def make_manifest(
    *,
    dataset: str,
    version: str,
    seed: int,
    files: Mapping[str, FileEntry],
    archetypes: Mapping[str, Mapping[str, int]],
    sources: Mapping[str, str],
) -> Manifest:
    """Put the parts together; names inside are sorted, files and splits keep their order."""
    return Manifest(
        schema=SCHEMA_VERSION,
        dataset=dataset,
        version=version,
        seed=seed,
        files=dict(files),
        archetypes={split: dict(sorted(counts.items())) for split, counts in archetypes.items()},
        sources=dict(sorted(sources.items())),
    )


def content_sha256(manifest: Manifest) -> str:
    return hashlib.sha256(encode(attrs.asdict(manifest)).encode()).hexdigest()


def manifest_text(manifest: Manifest, environment: Environment) -> str:
    """The text of `manifest.json`."""
    value = {
        "content": attrs.asdict(manifest),
        "content_sha256": content_sha256(manifest),
        "environment": attrs.asdict(environment),
    }
    return encode(value, indent=2) + "\n"


def read_manifest(text: str) -> tuple[Manifest, Environment] | Malformed:
    """Read a manifest and check its form and its hash."""
    try:
        value = decode(text)
    except ValueError as error:
        return Malformed((str(error),))
    if not _has_keys(value, ("content", "content_sha256", "environment")):
        return Malformed(("the keys aren't content, content_sha256, environment",))
    content, environment = value["content"], value["environment"]
    if reasons := (*_content_faults(content), *_environment_faults(environment)):
        return Malformed(reasons)
    files = {name: FileEntry(**entry) for name, entry in content["files"].items()}
    manifest = Manifest(**{**content, "files": files})
    if value["content_sha256"] != content_sha256(manifest):
        return Malformed(("`content_sha256` isn't the checksum of `content`",))
    return manifest, Environment(**environment)


def _has_keys(value: object, keys: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and tuple(value) == keys


def _content_faults(content: Any) -> tuple[str, ...]:
    keys = tuple(field.name for field in attrs.fields(Manifest))
    if not _has_keys(content, keys):
        return (f"the keys of `content` aren't {', '.join(keys)}, in this order",)
    if content["schema"] != SCHEMA_VERSION:
        return (f"`content.schema` is {encode(content['schema'])}; this program reads {SCHEMA_VERSION}",)
    good = {
        "dataset": isinstance(content["dataset"], str),
        "version": isinstance(content["version"], str),
        "seed": type(content["seed"]) is int,
        "files": _all_values(content["files"], _is_file),
        "archetypes": _all_values(content["archetypes"], lambda counts: _all_values(counts, _is_count)),
        "sources": _all_values(content["sources"], _is_sha256),
    }
    return tuple(f"`content.{key}` has the wrong form" for key, holds in good.items() if not holds)


def _environment_faults(environment: Any) -> tuple[str, ...]:
    keys = tuple(field.name for field in attrs.fields(Environment))
    if not _has_keys(environment, keys) or not all(isinstance(item, str) for item in environment.values()):
        return (f"`environment` isn't an object of the texts {', '.join(keys)}",)
    return ()


def _all_values(value: Any, holds: Any) -> bool:
    return isinstance(value, dict) and all(holds(item) for item in value.values())


def _is_file(entry: Any) -> bool:
    return (
        _has_keys(entry, ("sha256", "bytes", "rows"))
        and _is_sha256(entry["sha256"])
        and _is_count(entry["bytes"])
        and _is_count(entry["rows"])
    )


def _is_sha256(item: object) -> bool:
    return isinstance(item, str) and _SHA256.fullmatch(item) is not None


def _is_count(item: object) -> bool:
    return type(item) is int and item >= 0
