"""How the packages are put together: imports without cycles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("dsl", "solvers", "compiler", "gpu_train_debug")


# ------------------------------------------------------------------ imports


def modules(root: Path, packages: tuple[str, ...]) -> dict[str, Path]:
    """Every module by its dotted name; a package has the name of its folder."""
    found = {}
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path) -> Iterator[str]:
    """Every name that a file imports, wherever the import stands: in functions and behind `TYPE_CHECKING` too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports here have the whole name of the module"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def import_graph(root: Path, packages: tuple[str, ...]) -> nx.DiGraph[str]:
    """The modules, with an edge from each one to every other one that it imports."""
    paths = modules(root, packages)
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(paths)
    for name, path in paths.items():
        for target in imported(path):
            module = target if target in paths else target.rpartition(".")[0]
            if module in paths and module != name:
                graph.add_edge(name, module)
    return graph


def cycles(graph: nx.DiGraph[str]) -> list[str]:
    """A cycle of each group of modules that import each other, such as `a -> b -> a`."""
    found = []
    for group in nx.strongly_connected_components(graph):
        if len(group) > 1:
            edges = nx.find_cycle(graph.subgraph(group), min(group))
            found.append(" -> ".join([edges[0][0], *(target for _, target in edges)]))
    return sorted(found)


def test_no_modules_import_each_other_in_a_circle() -> None:
    found = cycles(import_graph(ROOT, PACKAGES))
    assert not found, "modules that import each other:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "back",
    [
        "import pack.first\n",
        "from pack import first\n",
        "from pack.first import THING\n",
        "def late() -> None:\n    from pack.first import THING\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pack.first import THING\n",
    ],
)
def test_a_circle_is_found_wherever_its_imports_stand(tmp_path: Path, back: str) -> None:
    (tmp_path / "pack").mkdir()
    for name, text in {"__init__": "", "first": "import pack.second\nTHING = 1\n", "second": back}.items():
        (tmp_path / "pack" / f"{name}.py").write_text(text, encoding="utf-8")
    assert cycles(import_graph(tmp_path, ("pack",))) == ["pack.first -> pack.second -> pack.first"]
