"""The reader against a slow evaluator on random systems, and on texts that are damaged."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import slow_if
from strategies.prompt_texts import prompt, tiny
from strategies.synthetic_draws import Maker

from compiler.reader import ReadError, Solution, read_prompt, solve

CASES = ["memory-one_code", "memory-alternative", "memory-unmasked_pair", "pump-masked_pair", "pump-leak"]
GOOD = [prompt(name) for name in CASES]
DONE = ("answer", "healthy")
SIGNS = '01289 ab"`()[]{}=<>+-*/%,:;.|#\n\\ü\r\t\0\x1b\x85\xa0\u0663\u2028\ud800\udfff\U0001f525'
ANY_CHARACTER = st.characters(exclude_categories=())


def check_system(seed: int) -> None:
    """Compare fitting worlds and walks for some runs of a random system."""
    maker = Maker(seed)
    model = maker.model
    for _ in range(4):
        shown = maker.world()
        solution = solve(read_prompt(model.static() + model.evidence(shown)))
        worlds = model.worlds(shown)
        assert solution.worlds == len(worlds)
        mine: Counter[object] = Counter()
        for walk in solution.walks:
            ending = walk.ending.value
            mine[(ending, walk.codes, tuple(walk.fix.items())) if ending in DONE else ending] += walk.worlds
        theirs: Counter[object] = Counter()
        for world in worlds:
            ending, codes, fix = model.walk(world)
            theirs[(ending, codes, tuple(fix.items())) if ending in DONE else ending] += 1
        assert mine == theirs


@pytest.mark.parametrize("seed", [slow_if(seed >= 6, seed, str(seed)) for seed in range(12)])
def test_reader_agrees_with_the_slow_evaluator(seed: int) -> None:
    check_system(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 50))
def test_reader_agrees_with_the_slow_evaluator_on_many_systems(first: int) -> None:
    for seed in range(first, first + 50):
        check_system(seed)


def check_total(text: str) -> None:
    """Read and solve any text: an error of the reader's own, or a solution."""
    line = 1
    try:
        assert isinstance(solve(read_prompt(text)), Solution)
    except ReadError as error:
        line = error.line
    assert 1 <= line <= text.count("\n") + 1


@given(st.text(ANY_CHARACTER))
def test_any_text_gives_an_error(text: str) -> None:
    with pytest.raises(ReadError):
        read_prompt(text)


@given(st.data())
def test_page_with_damaged_characters_gives_error_or_solution(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(GOOD))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 4))
        patch = data.draw(st.text(st.sampled_from(SIGNS), max_size=4))
        text = text[:at] + patch + text[at + length :]
    check_total(text)


@given(st.data())
def test_page_with_moved_lines_gives_error_or_solution(data: st.DataObject) -> None:
    lines = data.draw(st.sampled_from(GOOD)).split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        line = data.draw(st.sampled_from(lines))
        place = data.draw(st.integers(0, len(lines)))
        lines[place : place + data.draw(st.integers(0, 2))] = data.draw(st.sampled_from([[], [line]]))
    check_total("\n".join(lines))


@given(st.sampled_from(["yaml", "toml", "json", "sh", "text", "ini", ""]), st.text(st.sampled_from(SIGNS + '[]{}".:')))
def test_any_config_gives_error_or_solution(form: str, config: str) -> None:
    check_total(tiny(config=config, form=form))


TOKENS = ["a", "b", "on", "mood", "0", "1", "7", "(", ")", "+", "-", "*", "%", "floor(", "ceil(", "/", "min(", "abs("]
TOKENS += [",", "==", "<", "in", "{", "}", "and", "or", "not", "is", "if", "else", "[", "]", "=", "head", "a=", "calm"]


@given(st.lists(st.sampled_from(TOKENS), max_size=25))
def test_any_row_of_tokens_as_formula_gives_error_or_solution(tokens: list[str]) -> None:
    formula = " ".join(tokens)
    check_total(tiny(relations="head = a + b", observations=f"r = {formula}", profiler="r 1"))
