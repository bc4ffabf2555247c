"""What the language may import: a few libraries, and of the other packages the shared wording and the user's cache."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "dsl"
MODULES = sorted(FOLDER.rglob("*.py"))
ALLOWED = {"dsl", "gpu_train_debug.user_cache", "gpu_train_debug.wording", "attrs", "lark", "networkx", "numpy"}


def imported(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def surplus(text: str) -> set[str]:
    """What a module imports and may not."""
    names = {name for name in imported(text) if name.partition(".")[0] not in sys.stdlib_module_names}
    return {name for name in names if name not in ALLOWED and name.partition(".")[0] not in ALLOWED}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_module_imports_only_what_it_may(path: Path) -> None:
    assert not surplus(path.read_text(encoding="utf-8"))


def test_other_packages_of_the_project_are_surplus() -> None:
    assert surplus("import solvers.problem\nfrom gpu_train_debug.tasks import x\nimport re, numpy.typing\n") == {
        "solvers.problem",
        "gpu_train_debug.tasks",
    }
