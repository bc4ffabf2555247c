"""Pages: what one task shows.

In: a system once, then the evidence of a world and a source of choices for each task. Out: the text of the page. The
handbook (fields, relations, runbook) is built once for a system; the run is printed from the evidence integers and the
choices alone, so nothing else about a world can reach a page.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiler.emit.prompt.handbook import handbook_text
from compiler.emit.prompt.log import Choose
from compiler.emit.prompt.printable import unprintable_texts
from compiler.emit.prompt.run import RunPrinter
from compiler.plan import SystemPlan


class Renderer:
    """Prints the pages of one system.

    Attributes:
        static: The handbook: the part that is the same on all pages of the system; ends with an empty line.

    Raises:
        ValueError: A text of the system can't be printed (`unprintable_texts` says which), or the plan
            and its problem don't belong together.
    """

    def __init__(self, system: SystemPlan) -> None:
        if bad := unprintable_texts(system):
            raise ValueError("; ".join(f"{text.place} {text.reason}" for text in bad))
        self._run = RunPrinter(system)
        self.static = handbook_text(system)

    def instance(self, evidence: Sequence[int], choose: Choose) -> str:
        """Print the part that differs from task to task; `RunPrinter.text` says what is chosen, and in which order."""
        return self._run.text(evidence, choose)

    def render(self, evidence: Sequence[int], choose: Choose) -> str:
        """Print a whole page, from `evaluate.observe` of a world."""
        return self.static + self.instance(evidence, choose)
