"""Programs from texts, without files: parsed, checked and lowered."""

from __future__ import annotations

from compiler.frontend.lower import lower_program
from compiler.plan import ProgramPlan
from dsl.checked import CheckedProgram, CheckedSystem
from dsl.diagnostics.diagnostic import Diagnostic, render_text
from dsl.program import check_program
from dsl.source import Source
from dsl.syntax.loader import Loaded
from dsl.syntax.parser import parse_text


def loaded_texts(texts: dict[str, str], imports: dict[str, tuple[str, ...]] | None = None) -> Loaded:
    """Parse `texts`, by name; `imports` says which name each of them imports."""
    modules = {}
    for name, text in sorted(texts.items()):
        module, diagnostics = parse_text(Source(name, text))
        assert module is not None, "\n".join(map(render_text, diagnostics))
        modules[name] = module
    return Loaded(modules, dict.fromkeys(modules, ""), imports or dict.fromkeys(modules, ()), ())


def check_text(text: str) -> tuple[CheckedProgram | None, tuple[Diagnostic, ...]]:
    return check_program(loaded_texts({"test.arch": text}))


def codes_of(text: str) -> list[str]:
    """Codes of what the checks find, in order."""
    return [diagnostic.code for diagnostic in check_text(text)[1]]


def checked_text(text: str) -> CheckedProgram:
    """Check a program that has no error."""
    program, diagnostics = check_text(text)
    assert program is not None, "\n".join(map(render_text, diagnostics))
    return program


def checked_system(body: str, fields: str = "") -> CheckedSystem:
    """A system `s` with fields a in 0..3, b in {1, 2, 4}, on, and whatever `fields` and `body` add."""
    text = f"""system s "S" {{
      config {{ a: int in 0..3 "a"  b: int in {{1, 2, 4}} "b"  on: bool "on" {fields} }}
      {body}
    }}"""
    return checked_text(text).systems["s"]


def lowered_text(text: str) -> tuple[CheckedProgram, ProgramPlan]:
    loaded = loaded_texts({"test.arch": text})
    program, diagnostics = check_program(loaded)
    assert program is not None, "\n".join(map(render_text, diagnostics))
    return program, lower_program(program, loaded)
