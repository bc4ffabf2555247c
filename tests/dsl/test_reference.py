"""The reference page: every program on it does what the page says, and its lists are complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from compiler.frontend.run import run_frontend
from compiler.trials.archetypes import ProveOptions, prove_archetype
from dsl.diagnostics.diagnostic import Severity, render_text
from dsl.syntax.lexer import reserved_words

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
FENCE = re.compile(r"^```(arch\S*)(?: (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@attrs.frozen
class Block:
    """A fenced block: its language and word after it, the text, and the line on which the text starts."""

    language: str
    info: str | None
    text: str
    line: int


def blocks() -> list[Block]:
    page = PAGE.read_text(encoding="utf-8")
    return [Block(m[1], m[2], m[3], page.count("\n", 0, m.start()) + 2) for m in FENCE.finditer(page)]


BLOCKS = blocks()
FRAME = next(block.text for block in BLOCKS if block.info == "frame")


def program(block: Block) -> str:
    match block.info:
        case "frame":
            return FRAME.replace("  ...\n", "")
        case "inside":
            return FRAME.replace("  ...\n", block.text)
        case _:
            return block.text


def found_in(text: str, folder: Path) -> list[tuple[str, Severity, str]]:
    path = folder / "page.arch"
    path.write_text(text, encoding="utf-8")
    return [(each.code, each.severity, render_text(each)) for each in run_frontend([path]).diagnostics]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"line-{block.line}")
def test_block_does_what_the_page_says(block: Block, tmp_path: Path) -> None:
    found = found_in(program(block), tmp_path)
    errors = {code for code, severity, _ in found if severity is Severity.ERROR}
    assert errors == ({block.info} if block.language == "arch-error" else set()), "\n".join(text for *_, text in found)


LIKES = [block for block in BLOCKS if re.search(r"\blike \w+ \d", block.text)]


@pytest.mark.parametrize("block", LIKES, ids=lambda block: f"line-{block.line}")
def test_look_alikes_of_the_page_can_be_drawn(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "page.arch"
    path.write_text(program(block), encoding="utf-8")
    plan = run_frontend([path], lints=False).plan
    assert plan is not None
    for name, archetype in plan.archetypes.items():
        if archetype.likes:
            result = prove_archetype(plan, name, ProveOptions(draws=3, seed=1))
            assert [finding.message for finding in result.findings] == []


def test_the_page_has_look_alikes() -> None:
    assert LIKES


def test_first_program_has_no_warning_either(tmp_path: Path) -> None:
    assert found_in(BLOCKS[0].text, tmp_path) == []


def test_page_lists_every_reserved_word() -> None:
    page = PAGE.read_text(encoding="utf-8")
    section = re.search(r"## Reserved words\n+`([^`]*)`", page)
    assert section
    assert set(section[1].split()) == reserved_words()


def test_every_link_on_the_page_leads_somewhere() -> None:
    page = PAGE.read_text(encoding="utf-8")
    headings = {re.sub(r"[^a-z0-9 -]", "", line.lower()).replace(" ", "-")
                for line in re.findall(r"^#+ (.*)$", page, re.MULTILINE)}  # fmt: skip
    assert set(re.findall(r"\]\(#([^)]*)\)", page)) <= headings


@pytest.mark.slow
def test_first_program_compiles_to_a_dataset(tmp_path: Path) -> None:
    source, out = tmp_path / "worker.arch", tmp_path / "out"
    source.write_text(BLOCKS[0].text, encoding="utf-8")
    arguments = [sys.executable, "-m", "compiler", "compile", str(source), "-o", str(out), "-j", "1"]
    done = subprocess.run(arguments, cwd=PAGE.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in out.glob("*.jsonl")) == ["ood.jsonl", "train.jsonl"]
