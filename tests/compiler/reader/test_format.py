"""Texts that break the prompt format: each error names its line and what should stand there."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import line_of, prompt, tiny

from compiler.reader import ReadError, read_prompt, solve

MEMORY = prompt("memory-one_code")
PUMP = prompt("pump-masked_pair")

# what to replace, by what, part of the line that the error names, part of what it expects
EDITS = [
    (MEMORY, "# Memory", "Memory", "Memory of one", "title"),
    (MEMORY, "## Answer\n", "## Reply\n", "## Reply", "## Answer"),
    (MEMORY, "## Facts\n", "", "## Hidden quantities", "## Facts"),
    (MEMORY, "## Profiler\n", "", "## Log\n", "## Profiler"),
    (MEMORY, "## Log\n", "", "[alloc_fail]", "## Log"),
    (MEMORY, "## Config\n", "## Configuration\n", "[alloc_fail]", "## Config"),
    (MEMORY, "## Conditions\n", "## Conditions\n\n## More\n", "## More", "## Runbook"),
    (MEMORY, "- HEALTHY: ", "- FINE: ", "## Diagnosis codes", "a rule for each code"),
    (MEMORY, "- BATCH_TOO_SMALL: the global", "- BATCH: the global", "3. BATCH_TOO_SMALL", "a listed code"),
    (MEMORY, "3. BATCH_TOO_SMALL", "3. STATE_OVER_BUDGET", "3. STATE", "a listed code"),
    (MEMORY, "3. BATCH_TOO_SMALL", "4. BATCH_TOO_SMALL", "4. BATCH", "`3. ` and a diagnosis code"),
    (MEMORY, "- HEALTHY: ", "HEALTHY: ", "HEALTHY: the run", "- "),
    (MEMORY, "2. grad_accum: ", "3. grad_accum: ", "3. grad_accum", "`2. ` and a field"),
    (MEMORY, "2. grad_accum: 1, 2", "2. grad_accum: 1, 1", "2. grad_accum", "each value once"),
    (MEMORY, "2. grad_accum: 1, 2", "2. grad_accum: 1, two", "2. grad_accum", "a list of numbers alone"),
    (MEMORY, "2. grad_accum: 1, 2", "2. grad_accum: 1,2", "2. grad_accum", "the end of the line"),
    (MEMORY, "2. grad_accum: 1, 2", "2. grad_accum: 01, 2", "2. grad_accum", "the end of the line"),
    (MEMORY, "2. grad_accum: 1, 2", '2. grad_accum: "one", 2', "2. grad_accum", "in double quotes only where it needs"),
    (MEMORY, "2. grad_accum: ", "2. micro_batch: ", "2. micro_batch", "a name that nothing else has"),
    (MEMORY, "2. grad_accum: ", "2. mod: ", "2. mod", "a field"),
    (MEMORY, "3. recompute: ", "3. recompute [MiB]: ", "3. recompute", "only on numbers"),
    (MEMORY, "in steps of 256", "in steps of 250", "- frag", "steps that reach the last value"),
    (MEMORY, "in steps of 256", "in steps of 0", "- frag", "numbers in steps above zero"),
    (MEMORY, "0 to 1536", "0 down to 1536", "- frag", "steps that reach the last value"),
    (MEMORY, "0 to 1536 in steps of 256", "0 to 20000000 in steps of 1", "- frag", "at most 20000 values in all lists"),
    (MEMORY, "- frag [MiB]", "- usable [MiB]", "- usable [MiB] = ", "a name that nothing else has"),
    (
        MEMORY,
        "to 1 decimal, 1 GiB = 1024 MiB) = `(if",
        "to 1 decimals, 1 GiB = 1024 MiB) = `(if",
        "- static_mem",
        "`decimal`",
    ),
    (MEMORY, "1 GiB = 1024 MiB) = `(if", "1 GiB = 1024 KiB) = `(if", "- static_mem", "the ratio of GiB and MiB"),
    (
        MEMORY,
        "(printed as GiB to 1 decimal, 1 GiB = 1024 MiB) = `(if",
        "(printed as GiB) = `(if",
        "- static_mem",
        "UNIT",
    ),
    (MEMORY, "(printed as GiB to 1 decimal, 1 GiB = 1024 MiB) = `(if", "(shown) = `(if", "- static_mem", " = "),
    (MEMORY, "`micro_batch * grad_accum * dp`", "micro_batch * grad_accum * dp", "- global_batch", "in backticks"),
    (MEMORY, "- params: T1 384,", "- params: T1 384, T1 1,", "- params", "each key once"),
    (MEMORY, "- params: T1 384,", "- params: T1 wide,", "- params", "values of one kind"),
    (MEMORY, "- device_ready: always", "- device_ready: never", "- device_ready", "`always` or `when`"),
    (MEMORY, "- small_batch: when", "- device_ready: when", "- device_ready: when", "a name that nothing else has"),
    (MEMORY, "  - preset = ", "  - batch = ", "  - batch = `model`", "a name that nothing else has"),
    (MEMORY, "- a run is sound when `peak", "- runs are sound when `peak", "- runs are", "`every run satisfies` or"),
    (MEMORY, "- a run is sound when `peak_mem <= usable`", "- a run is sound when `peak_mem`", "- a run is", "a flag"),
    (MEMORY, "- no repair lowers", "- no repair drops", "- no repair", "`changes`, `raises` or `lowers`"),
    (
        MEMORY,
        "- no repair lowers `global_batch`",
        "- no repair lowers `recompute`",
        "- no repair",
        "a number after `raises`",
    ),
    (MEMORY, "- no repair lowers `global_batch`", "- no repair lowers `batches`", "- no repair", "the name of a field"),
    (MEMORY, "   when `global_batch < 32`", "   if `global_batch < 32`", "   if", "`when` and a formula"),
    (MEMORY, "   set offload = `true`", "   set offload = true", "   set offload", "a formula in backticks"),
    (MEMORY, "   set offload = `true`", "   set offload = `1`", "   set offload", "a flag"),
    (MEMORY, "   set offload = `true`", "   set seq = `1024`", "   set seq", "an editable field to set"),
    (MEMORY, "   set offload = `true`", "   set dp = `1`", "   set dp", "an editable field to set"),
    (MEMORY, "   set offload = `true`", "   set offload = best where `true`", "   set offload", "backticks"),
    (MEMORY, "set recompute = first", "set recompute = largest", "   else set", "`first where`"),
    (MEMORY, "   set offload = `true`", "   keep `fused`", "   keep `fused`", "`set`, then `else set`"),
    (MEMORY, "   keep `fused`, `recompute`", "   keep `fused`; `recompute`", "   keep `fused`;", "the end of the line"),
    (
        MEMORY,
        "   keep `seq`, `fused`",
        "   keep `seq`, `fused` not above",
        "   keep `seq`, `fused`",
        "a number after `raises`",
    ),
    (MEMORY, "   note: state", "   remark: state", "   remark", "`set`, then `else set`"),
    (MEMORY, "   note: state comes", "   note: a\n   keep `seq`\n   note: comes", "   keep `seq`", "in this order"),
    (MEMORY, "dp = 8", "dp = 8\nextra = 1", "extra = 1", "no further line in the config"),
    (MEMORY, "\ndp = 8", "", "model = T3", "`dp` in the config"),
    (MEMORY, "\nseq = 4096\n", "\nseq = 4000\n", "seq = 4000", "an allowed value of `seq`"),
    (MEMORY, "\nseq = 4096\n", "\nseq = 4_096\n", "seq = 4_096", "an allowed value of `seq`"),
    (MEMORY, "\nseq = 4096\n", "\nseq: 4096\n", "seq: 4096", "`seq = ` and a value"),
    (MEMORY, "\nfused = true", "\nfused = True", "fused = True", "an allowed value of `fused`"),
    (MEMORY, "\ndp = 8", "\ndp = 08", "dp = 08", "an allowed value of `dp`"),
    (MEMORY, "\ndp = 8", '\ndp = "8 x', 'dp = "8 x', "an allowed value of `dp`"),
    (MEMORY, "\ndp = 8", "\ndp = eight", "- global_batch", "a number"),
    (MEMORY, "static_mem = 13.0 GiB", "static_mem = 13 GiB", "static_mem = 13 GiB", "as its note says"),
    (MEMORY, "static_mem = 13.0 GiB", "static_mem = 13.00 GiB", "static_mem = 13.00", "as its note says"),
    (MEMORY, "static_mem = 13.0 GiB", "static_mem = 013.0 GiB", "static_mem = 013", "as its note says"),
    (MEMORY, "static_mem = 13.0 GiB", "static_mem = 13.0 MiB", "static_mem = 13.0 M", "as its note says"),
    (MEMORY, "static_mem = 13.0 GiB", "static_mem = 13.0", "static_mem = 13.0", "as its note says"),
    (MEMORY, "static_mem = 13.0 GiB", "static_mem = -0.0 GiB", "static_mem = -0.0", "as its note says"),
    (MEMORY, "static_mem = 13.0 GiB\n", "", "act_mem = 12.0", "`static_mem = ` and a value"),
    (MEMORY, "peak_mem = 25.5 GiB\n", "", "act_mem = 12.0", "`peak_mem` in the profiler"),
    (MEMORY, "peak_mem = 25.5 GiB\n", "peak_mem = 25.5 GiB\nusable = 1 MiB\n", "usable = 1", "no further line"),
    (MEMORY, "[alloc_fail] no", "[alloc] no", "[alloc] no", "a listed event"),
    (
        MEMORY,
        "[device_ready]",
        "[alloc_fail] x (request=1.00 GiB)\n[device_ready]",
        "[device_ready]",
        "in the order of the list",
    ),
    (MEMORY, " (request=12.50 GiB)", "", "[alloc_fail]", "then in brackets request"),
    (MEMORY, " (request=12.50 GiB)", " (request=12.5 GiB)", "[alloc_fail]", "then in brackets request"),
    (MEMORY, " (request=12.50 GiB)", " (request=-0.00 GiB)", "[alloc_fail]", "a value of `request`"),
    (MEMORY, "## Answer\n", "## Answer\r\n", "## Answer", "a line feed alone"),
    (PUMP, "): 440, 450, 460, 540 |", ") |", "- head", "the values of a fact that is printed rounded"),
    (PUMP, "head = 5 m", "head = 3 m", "head = 3", "an allowed value of `head`"),
    (PUMP, "ambient = 8.0 C", "ambient = 8.5 C", "ambient = 8.5", "an allowed value of `ambient`"),
    (PUMP, "ambient = 8.0 C", "ambient = 8 C", "ambient = 8 C", "an allowed value of `ambient`"),
    (PUMP, "demand = 15 l/s", "demand = 15", "demand = 15", "an allowed value of `demand`"),
    (PUMP, "demand = 15 l/s", "demand = high l/s", "demand = high", "an allowed value of `demand`"),
    (PUMP, "valve = closed", 'valve = "closed"', "valve = ", "an allowed value of `valve`"),
    (PUMP, 'site = "lower reservoir"', "site = lower reservoir", "site = ", "an allowed value of `site`"),
    (PUMP, "quiet = true", "quiet = yes", "quiet = yes", "as its note says"),
    (PUMP, 'oil = "A-1"', "oil = A-1", "oil = A-1", "as its note says"),
    (PUMP, 'oil = "A-1"', 'oil = "A"', 'oil = "A"', "as its note says"),
    (PUMP, "- quiet (printed)", "- quiet [C] (printed)", "- quiet", "only on numbers"),
    (PUMP, "- quiet (printed)", "- quiet (printed to 1 decimal)", "- quiet", "only on numbers"),
    (PUMP, "- oil (printed)", "- oil (printed to 99 decimals)", "- oil", "0 to 12 decimals"),
]


@pytest.mark.parametrize(("text", "old", "new", "place", "expected"), EDITS)
def test_read_prompt_names_line_and_expectation_when(text: str, old: str, new: str, place: str, expected: str) -> None:
    assert old in text
    edited = text.replace(old, new, 1) if old != "## Log\n" else new.join(text.rsplit(old, 1))
    with pytest.raises(ReadError) as caught:
        read_prompt(edited)
    lines = [number for number, line in enumerate(edited.split("\n"), 1) if place.rstrip("\n") in line]
    assert expected in caught.value.expected
    assert caught.value.line in lines
    assert str(caught.value).startswith(f"line {caught.value.line}: expected ")


@pytest.mark.parametrize("text", ["", "\n", "# T\n", MEMORY[:-1], MEMORY + "\n", MEMORY + "x\n", "## Config\n" * 3])
def test_read_prompt_refuses_a_text_that_is_cut_or_longer(text: str) -> None:
    with pytest.raises(ReadError):
        read_prompt(text)


def test_read_prompt_refuses_a_text_of_megabytes() -> None:
    with pytest.raises(ReadError, match="at most 200000 characters"):
        read_prompt(MEMORY + "x" * 3_000_000)


def test_read_prompt_refuses_too_many_hidden_assignments() -> None:
    hidden = "\n".join(f"- h{at}: 0 to 99 in steps of 1 | x" for at in range(20))
    text = tiny(hidden=hidden)
    with pytest.raises(
        ReadError, match="at most 2000000 assignments of the hidden quantities, found more than"
    ) as caught:
        read_prompt(text)
    assert caught.value.line == line_of(text, "- h0")


def test_read_prompt_refuses_too_many_quantities_to_try() -> None:
    hidden = "\n".join(f"- h{at}: 0, 1 | x" for at in range(41))
    with pytest.raises(ReadError, match="at most 40 quantities without an exact value"):
        read_prompt(tiny(hidden=hidden))


def test_read_prompt_refuses_a_search_that_takes_too_long() -> None:
    hidden = "\n".join(f"- h{at}: 0 to 99 in steps of 1 | x" for at in range(3))
    long = " + ".join(f"h0 * h1 * h2 * {at}" for at in range(200))
    with pytest.raises(ReadError, match="a search of at most"):
        read_prompt(tiny(hidden=hidden, relations=f"- r (printed) = `{long}` | x", profiler="r = 1"))


def test_read_prompt_refuses_too_many_names() -> None:
    relations = "\n".join(f"- r{at} = `a` | x" for at in range(601))
    with pytest.raises(ReadError, match="at most 600 named quantities"):
        read_prompt(tiny(relations=relations))


def test_read_prompt_refuses_formulas_that_make_too_much_code() -> None:
    relations = "\n".join(f"- r{at} = `a + b` | x" for at in range(500))
    runbook = "\n".join(f"{at}. C{at}: t\n   when `(b with a = 1) == 9`\n   set a = `1`" for at in range(1, 150))
    with pytest.raises(ReadError, match="characters of code"):
        read_prompt(tiny(relations=relations, runbook=runbook))


def test_parts_without_lines_may_be_empty() -> None:
    assert read_prompt(tiny()).evidence == {"a": "2", "b": "1", "on": "true", "mood": "calm"}


def test_text_after_a_bar_is_free() -> None:
    read_prompt(MEMORY.replace("| planned peak of the failing step", '| `a` | {b} (printed) = 1. "x'))


def test_quoted_words_may_hold_any_sign() -> None:
    fields = '1. mood: "a, b | c", "say \\"so\\"", "back\\\\slash", "tick`" | text'
    text = tiny(
        fields=fields,
        config='mood = "say \\"so\\""',
        relations='- r (printed) = `mood == "say \\"so\\"" and mood != "tick`"` | x',
        profiler="r = true",
        events="- e: always | x\n  - m = `mood`",
        log='[e] odd (m="x") (m="say \\"so\\"")',
    )
    assert read_prompt(text).evidence["log.e.m"] == '"say \\"so\\""'


def test_messages_show_what_a_terminal_would_act_on_as_escapes() -> None:
    with pytest.raises(ReadError) as caught:
        read_prompt(PUMP.replace("`gap >= 0`", "`gap >= \x1b[31m`", 1))
    assert caught.value.found == "`\\x1b[31m`"
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "place", ["# Pump", "pump speed", "half-open", " = `flow - demand`", "lower reservoir", "[trip] "]
)
def test_read_prompt_names_the_line_of_a_lone_surrogate(place: str) -> None:
    text = PUMP.replace(place, f"{place}\ud800", 1)
    with pytest.raises(ReadError, match=r"characters that UTF-8 can write, found the surrogate '\\ud800'") as caught:
        read_prompt(text)
    assert caught.value.line == line_of(text, "\ud800")


@pytest.mark.parametrize(
    "sign", ["\x00", "\t", "\x85", "\xa0", "\u2028", "\u0663", "\u202e", "\ufeff", "\U0001f525", "e\u0301"]
)
def test_words_and_free_texts_may_hold_odd_characters(sign: str) -> None:
    word = f'"a{sign}b"'
    text = tiny(
        fields=f"1. mood: {word}, calm | {sign}\n2. size [{sign}x]: 1, 2 | {sign}",
        config=f"mood = {word}\nsize = 2 {sign}x",
        relations=f"- r (printed) = `mood == {word}` | {sign}",
        profiler="r = true",
        events=f"- e: always | {sign}\n  - m = `mood`",
        log=f"[e] {sign} (m={word})",
        runbook=f"1. LOW: {sign}\n   when `size == 2`\n   set mood = `{word}`; size = `1`",
    )
    assert solve(read_prompt(text)).answer == {"diagnosis": "LOW", "fix": {"size": 1}}
