"""The commands of docs/study.md run as they stand; the files it names are right."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from strategies.bakery import write_splits

from compiler.cli.app import main
from gpu_train_debug.study.inputs.plan import Plan, read_plan, read_twins

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_commands_run_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_splits(tmp_path / "out", {"train": 3, "test": 2, "ood": 2})
    (tmp_path / "archetypes").mkdir()
    (tmp_path / "archetypes" / "twins.toml").write_bytes((ROOT / "archetypes" / "twins.toml").read_bytes())
    (plan,) = blocks("toml")
    (tmp_path / "plan.toml").write_text(plan)
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(commands) == 7
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "gtd"
        if "--amends" in arguments:
            (tmp_path / "plan.toml").write_text(plan.replace("samples = 8", "samples = 4"))
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 0, (command, capsys.readouterr().err)
    for name in ("report.json", "report.md", "forest.svg", "confusion-1-base.svg"):
        assert (tmp_path / "study" / name).is_file()


def test_keys_of_the_plan_are_all_described(tmp_path: Path) -> None:
    section = TEXT[TEXT.index("## The plan") :]
    for key in Plan.__dataclass_fields__:
        assert key == "tasks" or f"`{key}" in section, key
    (tmp_path / "plan.toml").write_text(blocks("toml")[0])
    assert read_plan(tmp_path / "plan.toml").samples == 8


def test_shipped_twins_are_archetypes_and_only_the_twin_is_healthy() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "archetypes").rglob("*.arch")))
    bodies = re.split(r"^archetype ", text, flags=re.MULTILINE)[1:]
    healthy = {body.split()[0]: "fault none" in body.split("\n}")[0] for body in bodies}
    twins = read_twins(ROOT / "archetypes" / "twins.toml")
    assert all(healthy[name] for name in twins)
    assert not any(healthy[name] for faults in twins.values() for name in faults)
