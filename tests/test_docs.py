"""The pages about the code: what they name exists, and the picture is that of its source."""

from __future__ import annotations

import re
from html import unescape
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("archetypes", "benchmarks", "compiler", "docs", "dsl", "gpu_train_debug", "solvers")
PAGES = sorted([*ROOT.glob("*.md"), *(page for name in FOLDERS for page in (ROOT / name).rglob("*.md"))])
PACKAGES = ("dsl", "solvers", "compiler", "gpu_train_debug")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(rf"`((?:{'|'.join(PACKAGES)})(?:\.\w+)+)`", ARCHITECTURE)))
PATH = re.compile(rf"`((?:{'|'.join(PACKAGES)}|tests|docs|benchmarks|archetypes)/[\w./-]*)`")


def found(name: str) -> object:
    """The module, function or class that a dotted name stands for."""
    module, rest = name, []
    while True:
        try:
            thing: object = import_module(module)
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            rest.insert(0, last)
            continue
        for part in rest:
            thing = getattr(thing, part)
        return thing


@pytest.mark.parametrize("name", NAMES)
def test_every_name_on_the_page_about_the_architecture_exists(name: str) -> None:
    assert found(name) is not None


def test_the_tables_of_the_architecture_name_something() -> None:
    assert len(NAMES) > 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_and_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    paths = [path for path in PATH.findall(text) if "NAME" not in path]
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s:]+)\)", text)]
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [link for link in links if link and not (page.parent / link).exists()] == []


def test_the_field_on_the_page_about_the_architecture_is_declared_so() -> None:
    (declared,) = re.findall(r"```arch\n(.*?)```", ARCHITECTURE, re.DOTALL)
    (place,) = set(re.findall(r"declared once, in `([^`]+)`", ARCHITECTURE))
    assert " ".join(declared.split()) in " ".join((ROOT / place).read_text(encoding="utf-8").split())


def test_the_picture_shows_what_its_source_says() -> None:
    source = (ROOT / "docs" / "pipeline.dot").read_text(encoding="utf-8")
    picture = unescape(re.sub(r"<!--.*?-->", "", (ROOT / "docs" / "pipeline.svg").read_text(encoding="utf-8")))
    lines = {line.strip() for label in re.findall(r'label="([^"]*)"', source) for line in label.split("\\n")}
    shown = {text.strip().replace("\xa0", " ") for text in re.findall(r"<text[^>]*>([^<]*)</text>", picture)}
    assert lines - shown == set()
