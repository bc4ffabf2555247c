"""A missing task is told at the place that asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.explain.missing import missing_task
from compiler.frontend.run import run_frontend
from compiler.splits import TaskSpec
from compiler.tasks.maker import MissingTask, TaskMaker
from dsl.diagnostics.diagnostic import Diagnostic

SHOP = """
system shop "Shop" {
  config { size: int in {2, 4} "size"  stock: int in 1..100 "stock" prefer smaller  open: bool "open" }
  rule big TOO_BIG "too big" { when size == 4  set size = 2 }
  rule full TOO_FULL "too full" { when stock > 90  set stock = 90 }
  rule shut SHUT "shut" { when not open  set open = true }
  runbook big, full, shut
}
archetype shut of shop "Shut" { fault shut  tier diagnosis  where stock in {STOCK} }
"""


def missing(split: str, stock: str, folder: Path) -> Diagnostic:
    path = folder / "shop.arch"
    path.write_text(
        f'{SHOP.replace("{STOCK}", stock)}dataset shops version "1" seed 1 "Shops" {{ split train 4 {{ {split} }} }}\n'
    )
    plan = run_frontend([path]).plan
    assert plan is not None
    found = TaskMaker(plan, plan.datasets["shops"]).make(TaskSpec("train", "shut", 0))
    assert isinstance(found, MissingTask)
    return missing_task(plan, found)


@pytest.mark.parametrize(
    ("split", "stock", "place", "asked", "advice"),
    [
        ("use shut near 100", "{1, 2}", "use shut near 100", "of 2 to 10 percent (`near`)", "leave `near` out"),
        (
            "require margin >= 20  use shut weight 2",
            "{85, 88}",
            "use shut weight 2",
            "of at least 20 percent",
            "lower the split's",
        ),
    ],
    ids=["near", "margin"],
)
def test_margins_that_no_world_has_are_told_at_the_use_that_asks_for_them(
    split: str, stock: str, place: str, asked: str, advice: str, tmp_path: Path
) -> None:
    found = missing(split, stock, tmp_path)
    assert found.code == "E506"
    assert found.span is not None
    assert found.span.text == place
    assert found.secondary[0][1] == "declared here"
    assert found.notes[0] == f"this task has to be decided by a margin {asked}"
    assert found.helps[0].startswith(advice)
