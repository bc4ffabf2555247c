"""The form of an entry in the catalogues of diagnostic codes."""

from __future__ import annotations

import attrs


@attrs.frozen
class Code:
    """One kind of diagnostic; `title` is what `explain` prints first, `explanation` what follows.

    `sample` is the text of one module that gives exactly this code; None where no single module can.
    """

    code: str
    title: str
    explanation: str
    sample: str | None = None
