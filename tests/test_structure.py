"""How the packages are put together: imports without circles, names that mean one thing, a page for each folder."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("dsl", "solvers", "compiler", "gpu_train_debug")


# ------------------------------------------------------------------ imports


@cache
def modules(root: Path, packages: tuple[str, ...]) -> dict[str, Path]:
    """Every module by its dotted name; a package has the name of its folder."""
    found = {}
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """Every name that a file imports, wherever the import stands: in functions and behind `TYPE_CHECKING` too."""
    for node in ast.walk(parsed(path)):
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


# ------------------------------------------------------------------ names


def public_names(path: Path) -> Iterator[str]:
    """The functions, classes and constants that a module defines at its top level for others."""
    for node in parsed(path).body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names = [name]
            case ast.Assign(targets=targets):
                names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)):
                names = [name]
            case _:
                names = []
        yield from (name for name in names if not name.startswith("_"))


def test_a_public_name_is_defined_in_one_module_only() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for module, path in modules(ROOT, PACKAGES).items():
        for name in set(public_names(path)):
            found[name].append(module)
    twice = [f"{name}: {', '.join(places)}" for name, places in sorted(found.items()) if len(places) > 1]
    assert not twice, "names that several modules define:\n" + "\n".join(twice)


# ------------------------------------------------------------------ pages


def package_folders() -> list[str]:
    return [
        path.parent.relative_to(ROOT).as_posix() for path in modules(ROOT, PACKAGES).values() if path.stem == "__init__"
    ]


def inside(folder: Path) -> set[str]:
    """The modules and packages of a folder, by the names that a page gives them."""
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    return files | {path.parent.name + "/" for path in folder.glob("*/__init__.py")}


def listed_modules(page: str) -> list[str]:
    """What the tables with a column `module` or `part` name in it, without the ending of Python files."""
    names: list[str] = []
    column: int | None = None
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")] if line.startswith("|") else []
        if not cells:
            column = None
        elif column is None:
            column = next((place for place, cell in enumerate(cells) if cell.startswith(("module", "part"))), 0)
        else:
            names += (name.removesuffix(".py") for name in re.findall(r"[`\[]([\w./-]+)[`\]]", cells[column]))
    return names


@pytest.mark.parametrize("folder", [*package_folders(), "benchmarks", "tests/strategies"])
def test_the_page_of_a_folder_lists_its_modules(folder: str) -> None:
    page = ROOT / folder / "README.md"
    assert page.exists(), f"{folder} has no README.md"
    names = listed_modules(page.read_text(encoding="utf-8"))
    wanted = inside(ROOT / folder)
    others = [name for name in names if not any((ROOT / folder / each).exists() for each in (name, f"{name}.py"))]
    assert not wanted - set(names), f"{folder}/README.md doesn't list {', '.join(sorted(wanted - set(names)))}"
    assert not others, f"{folder}/README.md lists what isn't there: {', '.join(others)}"
    assert len(set(names)) == len(names), f"{folder}/README.md lists a module twice"


def test_modules_are_read_from_tables_of_modules_alone() -> None:
    words = "| word | means |\n|---|---|\n| `a` | b |\n\n"
    modules_ = "| stage | module | does |\n|---|---|---|\n| one | `b`, `c/` | `d` |\n| two | `e.py` | |\n\n`f`\n"
    assert listed_modules(words + modules_) == ["b", "c/", "e"]


# ------------------------------------------------------------------ tests

ABOUT: dict[str, str] = {
    "compiler/cli/study/test_commands.py": "all commands of `gtd study`",
    "compiler/cli/test_hostile.py": "texts and names that can't be encoded",
    "compiler/dataset/test_golden.py": "the compiled second domain, byte for byte",
    "compiler/reader/test_format.py": "prompts that break the format",
    "compiler/reader/test_random.py": "the reader on random systems and damaged texts",
    "compiler/test_planted.py": "planted faults, through all stages",
    "compiler/test_z3_versions.py": "equal bytes under another Z3",
    "dsl/check/test_reserved_names.py": "words of the language as names",
    "dsl/syntax/test_bad_syntax.py": "the bad programs beside it",
    "dsl/syntax/test_good.py": "the good programs beside it",
    "dsl/syntax/test_grammar.py": "grammar.lark",
    "dsl/syntax/test_hostile.py": "any text at all",
    "dsl/syntax/test_tree_rules.py": "both tree builders against the grammar",
    "dsl/test_hostile_programs.py": "programs made to hang the checks",
    "dsl/test_imports.py": "what the language imports",
    "dsl/test_mutated_programs.py": "good programs with words exchanged",
    "dsl/test_glance.py": "the page at a glance",
    "dsl/test_reference.py": "the reference of the language",
    "dsl/meaning/test_agreement.py": "the plain interpreter against the solvers' evaluation",
    "gpu_train_debug/grading/test_docs.py": "the page on grading",
    "gpu_train_debug/grading/test_guessing.py": "what fixed answers earn",
    "gpu_train_debug/grading/test_import.py": "what the grader loads",
    "gpu_train_debug/grading/test_properties.py": "what holds for every answer",
    "gpu_train_debug/study/report/test_report.py": "all modules of the report together",
    "gpu_train_debug/study/statistics/test_coverage.py": "how often intervals hold the truth",
    "gpu_train_debug/study/test_docs.py": "the page on studies",
    "gpu_train_debug/study/test_imports.py": "what the analysis loads",
    "gpu_train_debug/test_quickstarts.py": "the quick starts",
    "gpu_train_debug/test_train.py": "TRL on the exports",
    "gpu_train_debug/test_vf_eval.py": "the installed `vf-eval`",
    "gpu_train_debug/test_wheel.py": "the built package",
    "solvers/test_agreement.py": "counting, Z3 and cvc5 against each other",
    "solvers/test_faults.py": "planted faults of authors",
    "solvers/test_limits.py": "bounded work",
}
"""Test modules that aren't about one module of the same name: what they are about."""


def test_tests_stand_where_their_modules_do() -> None:
    lost = []
    for path in sorted(path for package in PACKAGES for path in (ROOT / "tests" / package).rglob("test_*.py")):
        name = path.relative_to(ROOT / "tests").as_posix()
        module = ROOT / Path(name).parent / path.name.removeprefix("test_")
        known = module.exists() or module.with_suffix("").is_dir()
        if known is (name in ABOUT):
            lost.append(f"{name}: {'it has a module, so ABOUT has nothing to say' if known else 'no such module'}")
    lost += [f"{name}: in ABOUT, but not there" for name in ABOUT if not (ROOT / "tests" / name).exists()]
    assert not lost, "tests that don't mirror the folders:\n" + "\n".join(lost)


def part_pages() -> list[str]:
    """The pages of all folders of the packages."""
    found = (page.relative_to(ROOT).as_posix() for package in PACKAGES for page in (ROOT / package).rglob("README.md"))
    return sorted(found)


@pytest.mark.parametrize("page", part_pages())
def test_the_page_of_a_part_says_what_goes_in_and_out_and_what_it_must_not_know(page: str) -> None:
    words = " ".join((ROOT / page).read_text(encoding="utf-8").lower().split())
    assert [each for each in ("enters", "leaves", "must not know") if each not in words] == []


# ------------------------------------------------------------------ paths

RAISING = {"exists", "is_dir", "is_file", "glob", "rglob"}
"""Methods of `Path` that raise for names that are too long or folders that can't be read, as of Python 3.11."""
OWN_FILES = {"gpu_train_debug/tasks.py": {"rglob"}}
"""Where a method is asked of files of the package itself."""


def raising(path: Path) -> set[str]:
    """The methods that a module asks of anything but `os.path`."""
    return {
        node.attr
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute) and node.attr in RAISING and ast.unparse(node.value) != "os.path"
    }


@pytest.mark.parametrize("name", PACKAGES)
def test_questions_about_a_path_are_asked_so_that_any_name_has_an_answer(name: str) -> None:
    """`os.path` and `files.files_ending` say no, where these end in an internal error."""
    found = {path.relative_to(ROOT).as_posix(): raising(path) for path in sorted((ROOT / name).rglob("*.py"))}
    surplus = {path: names - OWN_FILES.get(path, set()) for path, names in found.items()}
    assert {path: names for path, names in surplus.items() if names} == {}
