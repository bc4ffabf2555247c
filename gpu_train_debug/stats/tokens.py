"""How many tokens a text has.

In: a text. Out: a count, by the tokenizer of a current family of models whose vocabulary comes with a package of
PyPI (Tekken, in `mistral-common`: 131,072 tokens, every digit by itself). Where the package isn't installed, an
estimate from the number of characters, and the name says that it is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec

CHARACTERS_PER_TOKEN = 3.25
"""Of handbooks, by Tekken: 3.0 to 3.3 were measured. Runs have fewer, 2.2 to 2.5, since they are full of digits."""

VOCABULARY = "tekken_240911.json"


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """A way to count; `name` says which."""

    name: str
    count: Callable[[str], int]


@cache
def token_counter(*, estimate: bool = False) -> TokenCounter:
    """The tokenizer, or the estimate if it isn't installed or `estimate` is asked for. Loading takes a few seconds."""
    if estimate or find_spec("mistral_common") is None:
        return TokenCounter(
            f"characters / {CHARACTERS_PER_TOKEN}", lambda text: round(len(text) / CHARACTERS_PER_TOKEN)
        )
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    tokenizer = Tekkenizer.from_file(str(files("mistral_common") / "data" / VOCABULARY))
    return TokenCounter("Tekken, mistral-common", lambda text: len(tokenizer.encode(text, bos=False, eos=False)))
