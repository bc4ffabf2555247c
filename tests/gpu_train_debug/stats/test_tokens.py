"""Counting tokens: by a tokenizer where there is one, by an estimate elsewhere."""

from __future__ import annotations

import pytest

from gpu_train_debug.stats import tokens
from gpu_train_debug.stats.tokens import token_counter


def test_an_estimate_says_that_it_is_one() -> None:
    counter = token_counter(estimate=True)
    assert counter.name == "characters / 3.25"
    assert counter.count("x" * 325) == 100


def test_without_the_package_it_is_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "find_spec", lambda name: None)
    token_counter.cache_clear()
    try:
        assert token_counter().name == "characters / 3.25"
    finally:
        token_counter.cache_clear()


@pytest.mark.slow
def test_the_tokenizer_counts_each_digit() -> None:
    pytest.importorskip("mistral_common")
    count = token_counter().count
    assert [count("9" * length) for length in (1, 5, 20)] == [1, 5, 20]
    assert count("the config") == 2
