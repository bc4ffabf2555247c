"""Writes a report: one JSON file, one Markdown file, the pictures.

Each file is written under a temporary name and renamed, the JSON last: where it exists, the rest is complete.
Pictures of an earlier report in the folder that this one lacks are removed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpu_train_debug.files import files_ending, write_whole
from gpu_train_debug.input_errors import refuse
from gpu_train_debug.study.report.markdown import render_markdown

JSON_NAME, MARKDOWN_NAME = "report.json", "report.md"

_FILES = re.compile(r"report\.(json|md)|(forest|confusion-\d+-[A-Za-z0-9._-]+)\.(svg|png)")


def draw_pictures(content: Mapping[str, Any], kind: str) -> dict[str, tuple[str, bytes]]:
    """Draw what the content has data for.

    Args:
        kind: `svg` or `png`.

    Returns:
        File name and bytes, by `forest` and `confusion/ARM`.
    """
    from gpu_train_debug.study.report.pictures import draw_confusion, draw_forest

    pictures = {}
    if content["comparisons"]:
        confidence = content["plan"]["content"]["bootstrap"]["confidence"]
        pictures["forest"] = (f"forest.{kind}", draw_forest(content["comparisons"], confidence, kind))
    for number, confusion in enumerate(content["confusion"], start=1):
        name = f"confusion-{number}-{re.sub(r'[^A-Za-z0-9.-]', '_', confusion['arm'])}.{kind}"
        pictures[f"confusion/{confusion['arm']}"] = (name, draw_confusion(confusion, kind))
    return pictures


def report_json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def spare_inputs(outputs: Iterable[Path], inputs: Sequence[Path]) -> None:
    """Refuse to write over an input.

    Raises:
        InputError: A file of `outputs` is one of `inputs`, whatever its name there.
    """
    for output in filter(os.path.isfile, outputs):
        for path in filter(os.path.isfile, inputs):
            if output.samefile(path):
                raise refuse(f"writing `{output}` would destroy an input", str(path), helps=("choose another -o",))


def report_files(folder: Path) -> list[Path]:
    """The files in `folder` that a report writes, by their names; none if there is no such folder."""
    return [path for path in files_ending(folder, "") if _FILES.fullmatch(path.name) and os.path.isfile(path)]


def write_report(content: Mapping[str, Any], folder: Path, *, pictures: str | None) -> list[Path]:
    """Write everything into `folder`, which is made if need be, and remove pictures of an earlier report.

    Args:
        pictures: `svg`, `png`, or None for none.

    Returns:
        The files.

    Raises:
        OSError: A file can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    earlier = report_files(folder) if os.path.exists(folder / JSON_NAME) else []
    drawn = draw_pictures(content, pictures) if pictures is not None else {}
    files = dict(drawn.values())
    names = {key: name for key, (name, _) in drawn.items()}
    files[MARKDOWN_NAME] = render_markdown(content, names).encode()
    files[JSON_NAME] = report_json(content).encode()
    for name, data in files.items():
        write_whole(folder / name, data)
    for path in earlier:
        if path.name not in files:
            path.unlink()
    return [folder / name for name in files]
