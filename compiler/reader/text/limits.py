"""Limits that keep the reader's time and memory bounded on texts from strangers."""

from __future__ import annotations

from typing import Final

MAX_TEXT: Final = 200_000
"""Characters in a page."""

MAX_NUMBER: Final = 1 << 60
"""Absolute value of a number, written or computed."""

MAX_VALUES: Final = 20_000
"""Values in all lists together."""

MAX_PAGE_NAMES: Final = 600
"""Fields, fixed values, hidden quantities, columns, relations and printed values together."""

MAX_CONFIG: Final = 600
"""Lines of a config."""

MAX_HIDDEN: Final = 40
"""Quantities without an exactly printed value: hidden ones with a choice, and rounded fixed ones."""

MAX_FORMULA_TOKENS: Final = 4_000
"""Tokens in one formula."""

MAX_BRACKETS: Final = 50
"""Levels of brackets in a formula, and levels of its tree."""

MAX_CHAIN: Final = 400
"""Operands joined by one kind of operator without brackets."""

MAX_BITS: Final = 2_048
"""Size of the largest number that a formula can reach before its value is checked."""

MAX_FRAMES: Final = 200
"""Calls inside calls while a formula is evaluated."""

MAX_STEPS: Final = 1_000_000
"""Operations that one evaluation of a formula may take."""

MAX_CODE: Final = 500_000
"""Characters of code generated for one system."""

MAX_WORLDS: Final = 2_000_000
"""Hidden assignments that the printed values leave to try."""

MAX_READ_WORK: Final = 200_000_000
"""Operations spent on one page, for the search and again for the walks."""
