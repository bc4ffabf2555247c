"""Texts that break the format of pages: each error names its line and what should stand there."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import line_of, prompt, tiny

from compiler.reader import ReadError, read_prompt, solve

MEMORY = prompt("memory-one_code")
TOML = prompt("memory-alternative")
JSON = prompt("memory-unmasked_pair")
FLAGS = prompt("memory-small_batch")
DOTTED = prompt("memory-healthy")
PUMP = prompt("pump-masked_pair")
LEAK = prompt("pump-leak")

# what to replace, by what, part of the line that the error names, part of what it expects
EDITS = [
    (MEMORY, "# Memory", "Memory", "Memory of one", "title"),
    (MEMORY, "Say what is wrong", "Say what's wrong", "Below are", "Say what is wrong"),
    (MEMORY, "Codes and fix count half each", "Codes and fix count", "End your reply", "count half each"),
    (MEMORY, "\nEnd your reply", "\nMore.\nEnd your reply", "More.", "End your reply"),
    (MEMORY, "cost.\n", "cost.\n\nMore.\n", "More.", "2 lines between title and fields"),
    (MEMORY, "## Notes on fixed fields\n", "## Fixed\n", "## Fixed", "## Relations"),
    (MEMORY, "## Relations\n", "", "## Profiler and log", "## Relations"),
    (MEMORY, "## Profiler\n", "", "## Log\n", "## Profiler"),
    (MEMORY, "## Log\n", "", "```", "## Log"),
    (MEMORY, "## Config\n", "## Configuration\n", "```", "## Config"),
    (MEMORY, "## Runbook\n", "## More\n\n## Runbook\n", "## More", "## Runbook"),
    (MEMORY, "grad_accum: 1, 2", "grad_accum: 1, 1", "grad_accum: ", "each value once"),
    (MEMORY, "grad_accum: 1, 2", "grad_accum: 1, two", "grad_accum: ", "a list of numbers alone"),
    (MEMORY, "grad_accum: 1, 2", "grad_accum: 1,2", "grad_accum: ", "the end of the line"),
    (MEMORY, "grad_accum: 1, 2", "grad_accum: 01, 2", "grad_accum: ", "the end of the line"),
    (MEMORY, "grad_accum: 1, 2", 'grad_accum: "one", 2', "grad_accum: ", "in double quotes only where it needs"),
    (MEMORY, "grad_accum: 1, 2", "micro_batch: 1, 2", "micro_batch: 1", "a name that nothing else has"),
    (MEMORY, "grad_accum: 1, 2", "min: 1, 2", "min: 1", "a field"),
    (MEMORY, "  # sequence length", " # sequence length", "seq #", "the end of the line"),
    (MEMORY, "No change affects these", "No change affects them", "No change", "No change affects these"),
    (MEMORY, "in steps of 256", "in steps of 250", "frag", "steps that reach the last value"),
    (MEMORY, "in steps of 256", "in steps of 0", "frag", "steps above zero"),
    (MEMORY, "0 to 1536", "0 down to 1536", "frag", "steps that reach the last value"),
    (MEMORY, "0 to 1536 in steps of 256", "0 to 20000000 in steps of 1", "frag", "at most 20000 values in all lists"),
    (MEMORY, "frag: 0 to", "usable: 0 to", "usable = ", "a name that nothing else has"),
    (MEMORY, "One table, a row", "A table, a row", "A table", "`One table` above a single table"),
    (MEMORY, "One table, a row for each model; its", "One table for each model; its", "One table for", "` =`"),
    (MEMORY, "stand for the row of this run.", "are rows.", "One table", "`One table, a row for each KEY;"),
    (MEMORY, "row for each model;", "row for each dp;", "| model | params |", "a first column `dp`"),
    (MEMORY, "params  # parameters in", "sizes  # parameters in", "| model | params |", "a column `sizes`"),
    (MEMORY, "params  # parameters in units of 2^20", "params", "params", "`  # ` and what the column holds"),
    (MEMORY, "|---|---|\n", "|---|\n", "|---|", "`|---|---|`"),
    (MEMORY, "| T1 | 384 |", "| T1 | 384 | 3 |", "| T1 | 384 | 3 |", "2 cells"),
    (MEMORY, "| T1 | 384 |", "| T3 | 384 |", "| T3 | 832 |", "each key once"),
    (MEMORY, "| T1 | 384 |", "| T1 | wide |", "| model | params |", "numbers alone, flags alone or words alone"),
    (MEMORY, "| T1 | 384 |", "| T1 | 384", "| T1 | 384", "cells between bars"),
    (MEMORY, "1 GiB = 1024 MiB.", "1 GiB = 1024.", "1 GiB", "`1 UNIT = N UNIT.`"),
    (MEMORY, "1 GiB = 1024 MiB.", "1 GiB = 1024 MiB. 1 GiB = 1 MiB.", "1 GiB", "once for each printed unit"),
    (MEMORY, "usable = gpu_mem", "usable == gpu_mem", "usable ==", "`"),
    (MEMORY, "  16 if recompute is none", "  16 if recompute is none  # x", "  16 if", "the end of the line"),
    (MEMORY, "  else 2\n", "", "per_token = ", "below this one"),
    (MEMORY, "Always: micro_batch", "Ever: micro_batch", "Ever", "` =`"),
    (MEMORY, "the cluster's limit\n", "the cluster's limit\nlate = 3\n", "late = 3", "`Always: ` and a condition"),
    (MEMORY, "Always: micro_batch * dp <= 64", "Always: micro_batch * dp", "Always", "a flag"),
    (MEMORY, "static_mem  # GiB, 1 decimal", "static_mem  # GiB, 1 decimals", "static_mem  #", "`decimal` after 1"),
    (MEMORY, "static_mem  # GiB, 1 decimal", "static_mem  # GiB, 13 decimals", "static_mem  #", "0 to 12 decimals"),
    (MEMORY, "static_mem  # GiB, 1 decimal", "static_mem  # GiB, often", "static_mem  #", "how the value is printed"),
    (MEMORY, "act_mem  # GiB", "static_mem  # GiB", "static_mem  #", "a name that nothing else has"),
    (MEMORY, "act_mem  # GiB", "size  # GiB", "size  #", "only on numbers"),
    (MEMORY, "n/a unless fits", "n/a if fits", "peak_mem  #", "the end of the line"),
    (MEMORY, "n/a unless fits", "n/a unless peak_mem", "peak_mem  #", "a flag"),
    (MEMORY, "device: capacity", "device capacity", "device capacity", "`: `, ` (`, `, there if ` or `: there if `"),
    (MEMORY, "sampler, there if", "device, there if", "device, there", "each logger once"),
    (MEMORY, "preset = model", "batch = model", "sampler, ", "a name that nothing else has"),
    (MEMORY, "preset = model", "preset = model (GiB)", "sampler, ", "only on numbers"),
    (
        MEMORY,
        "device: capacity",
        "x: y = 1\nact = 2\ndevice: capacity",
        "act = 2",
        "the values of the profiler come first",
    ),
    (MEMORY, "1. STATE_OVER_BUDGET", "2. STATE_OVER_BUDGET", "2. STATE", "`1. ` and a code"),
    (MEMORY, "3. BATCH_TOO_SMALL", "3. STATE_OVER_BUDGET", "3. STATE", "a code that no other rule has"),
    (MEMORY, "3. BATCH_TOO_SMALL", "3. HEALTHY", "3. HEALTHY", "a code that no other rule has"),
    (MEMORY, "BUDGET: static_mem > usable", "BUDGET: static_mem", "1. STATE", "a flag"),
    (MEMORY, "   -> offload = true", "   -> offload = 1", "   -> offload", "a flag"),
    (MEMORY, "   -> offload = true", "   -> seq = 1024", "   -> seq", "a field that can be changed"),
    (MEMORY, "   -> offload = true", "   -> offload = best with fits", "   -> offload", "the end of the line"),
    (MEMORY, "   -> offload = true", "   else offload = true", "   else offload", "`-> `"),
    (MEMORY, "   -> offload = true\n", "", "1. STATE", "a line `   -> FIELD = ...`"),
    (MEMORY, "   else recompute", "   -> recompute", "   -> recompute", "`else `"),
    (MEMORY, "else recompute = first with", "else recompute = largest with", "else recompute", "`first` for a field"),
    (MEMORY, "= first keeping", "= first having", "   -> micro_batch", "`with` and a condition, or `keeping`"),
    (MEMORY, "```yaml", "```ini", "```ini", "one of yaml, toml, json, sh, text"),
    (MEMORY, "```yaml", "yaml", "yaml", "one of yaml"),
    (MEMORY, "  seq: 4096", "  seq: 4096\n  seq: 4096", "  seq: 4096", "each name once"),
    (MEMORY, "  dp: 8\n", "", "## Config", "`dp` in the config"),
    (MEMORY, "  dp: 8\n", "  dp: 8\nempty:\n", "empty:", "a value in the group"),
    (MEMORY, "  dp: 8\n", "  dp: 8\nrun:\n  x: 1\n", "run:", "each group once"),
    (MEMORY, "  dp: 8\n", "  dp: 8\n    x: 1\n", "    x: 1", "`name: value`"),
    (MEMORY, "  dp: 8\n", "  dp:  8\n", "  dp:  8", "`name: value`"),
    (MEMORY, "  dp: 8\n", "  dp: 08\n", "  dp: 08", "`name: value`"),
    (MEMORY, "  dp: 8\n", "  dp: 8.0\n", "  dp: 8.0", "an allowed value of `dp`"),
    (MEMORY, "  dp: 8\n", '  dp: "8"\n', "global_batch = ", "a number"),
    (MEMORY, "  dp: 8\n", "  dp: eight\n", "global_batch = ", "a number"),
    (MEMORY, "  dp: 8\n", "  dp: 1152921504606846977\n", "  dp: 1", "an allowed value of `dp`"),
    (MEMORY, "  micro_batch: 8\n", "  micro_batch: 7\n", "  micro_batch: 7", "an allowed value of `micro_batch`"),
    (MEMORY, "  fused: true", "  fused: True", "  fused: True", "an allowed value of `fused`"),
    (MEMORY, "static_mem 13.0 GiB", "static_mem 13 GiB", "static_mem 13 GiB", "printed as the handbook says"),
    (MEMORY, "static_mem 13.0 GiB", "static_mem 13.00 GiB", "static_mem 13.00", "printed as the handbook says"),
    (MEMORY, "static_mem 13.0 GiB", "static_mem 013.0 GiB", "static_mem 013", "printed as the handbook says"),
    (MEMORY, "static_mem 13.0 GiB", "static_mem 13.0 MiB", "static_mem 13.0 M", "printed as the handbook says"),
    (MEMORY, "static_mem 13.0 GiB", "static_mem 13.0GiB", "static_mem 13.0G", "printed as the handbook says"),
    (MEMORY, "static_mem 13.0 GiB", "static_mem -0.0 GiB", "static_mem -0.0", "printed as the handbook says"),
    (MEMORY, "static_mem 13.0 GiB", "static_mem n/a", "static_mem n/a", "printed as the handbook says"),
    (MEMORY, "static_mem 13.0 GiB | ", "", "## Profiler", "`static_mem` in the profiler"),
    (MEMORY, "| peak_mem n/a", "| static_mem 13.0 GiB", "static_mem 13.0", "each value once"),
    (MEMORY, "| peak_mem n/a", "| peak_mem n/a | a 1 | b 2", "act_mem 12.0", "at most 4 on a line"),
    (MEMORY, "| peak_mem n/a", "| peak_mem n/a | ", "act_mem 12.0", "a name, a blank and a value"),
    (MEMORY, "| peak_mem n/a", "|  peak_mem n/a", "act_mem 12.0", "a name, a blank and a value"),
    (MEMORY, "INFO  alloc:", "INFO alloc:", "INFO alloc:", "`HH:MM:SS [rankN] LEVEL logger: `"),
    (MEMORY, "[rank2] ", "[rank] ", "[rank] ", "`HH:MM:SS [rankN] LEVEL logger: `"),
    (MEMORY, "request=12.50GiB", "request=12.5GiB", "request=12.5", "`request=` and its value"),
    (MEMORY, "request=12.50GiB", "request=12.50 GiB", "request=12.50 ", "`request=` and its value"),
    (MEMORY, "request=12.50GiB", "request=12.50GiBs", "request=12.50", "`request=` and its value"),
    (MEMORY, "request=12.50GiB", "request=-0.00GiB", "request=-0.00", "`request=` and its value"),
    (MEMORY, "request=12.50GiB", "request=12.50GiB request=12.50GiB", "request=12", "once in the line"),
    (MEMORY, " request=12.50GiB", "", "alloc: ", "`request=` and its value"),
    (MEMORY, " nccl: ", " device: ", " device: ring", "one line of `device` at most"),
    (MEMORY, "## Relations\n", "## Relations\r\n", "## Relations", "a line feed alone"),
    (TOML, 'model = "T3"', 'model = ["T3"]', "model = [", "`name = value` or `[group]`"),
    (TOML, 'model = "T3"', 'model = "a|b"', "model = ", "`name = value` or `[group]`"),
    (TOML, 'model = "T3"', 'model = "true"', "model = ", "`name = value` or `[group]`"),
    (TOML, "[data]", "[data.more]", "[data.more]", "`name = value` or `[group]`"),
    (TOML, "clip = 0.5", "clip = nan_", "clip = nan_", "`name = value` or `[group]`"),
    (
        TOML,
        "micro_batch = 1\n",
        'micro_batch = "1"\n',
        "micro_batch = ",
        "an allowed value of `micro_batch`",
    ),
    (TOML, "[data]", "[memory]", "[memory]", "each group once"),
    (JSON, '"seq": 4096,', '"seq": 4096', '"model": "T7"', "a config in JSON"),
    (JSON, '"seq": 4096,', '"seq": NaN,', "{", "a config in JSON"),
    (JSON, '"seq": 4096,', '"seq": null,', '"seq": null', "a number, a word or a flag for `seq`"),
    (JSON, '"seq": 4096,', '"seq": 4096,\n    "seq": 4096,', "{", "a config in JSON"),
    (JSON, '"fused": true', '"fused": "true"', '"fused"', "a number, a word or a flag for `fused`"),
    (FLAGS, "--dp 8", "--dp=8", "--dp=8", "`--name value` or `--group.name value`"),
    (FLAGS, "--dp 8", "--a.b.dp 8", "--a.b.dp", "`--name value` or `--group.name value`"),
    (DOTTED, "dp = 8", "dp: 8", "dp: 8", "`name = value` or `group.name = value`"),
    (PUMP, "(m, 0 decimals)", "(m, 0 decimals", "head: 440", "how the value is printed"),
    (PUMP, "formulas count in 1e-5", "formulas count in 1e-4", "gain: ", "in parts of 1/10000"),
    (PUMP, "formulas count in 1/100", "formulas count in 1/300", "share: ", "parts that a decimal can write"),
    (PUMP, "gain: 0, 5e-5", "gain: 0, 0.00005", "gain: ", "a number in parts"),
    (PUMP, "head: 5", "head: 3", "head: 3", "an allowed value of `head`"),
    (PUMP, "ambient: 8", "ambient: 8.0", "ambient: 8.0", "an allowed value of `ambient`"),
    (PUMP, "ambient: 8", "ambient: 8.25", "ambient: 8.25", "an allowed value of `ambient`"),
    (PUMP, "gain: 5e-5\n", "gain: 5e-05\n", "gain: 5e-05", "an allowed value of `gain`"),
    (PUMP, "quiet true", "quiet yes", "quiet yes", "printed as the handbook says"),
    (PUMP, "oil A1", 'oil "A1"', "oil ", "printed as the handbook says"),
    (PUMP, "steps (step = 1, 10)", "steps (step = 1, 1)", "steps (", "each once"),
    (PUMP, "steps (step = 1, 10)", "steps (speed = 1, 10)", "steps (", "a name that nothing else has"),
    (PUMP, "(turns, 1 turn)", "(turns, 2 turn)", "steps (", "how the value is printed"),
    (PUMP, "x 1e-3", "x 1/3000", "steps (", "parts that a decimal can write"),
    (PUMP, "; stands before start", "; stands after start", "trip, ", "the end of the line"),
    (PUMP, "before start if leak", "before start if wear", "trip, ", "a flag"),
    (PUMP, "step=10 turns", "step=11 turns", "step=11", "one line of `steps` for each `step`"),
    (PUMP, "step=10 turns", "turns", "turns=1199", "`step=` and its value"),
    (PUMP, "1199turns", "1199turn", "1199turn", "`turns=` and its value"),
    (PUMP, "slip=1e-3", "slip=10e-4", "slip=10e-4", "`slip=` and its value"),
    (PUMP, "slip=1e-3", "slip=0.001", "slip=0.001", "`slip=` and its value"),
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
    hidden = "\n".join(f"h{at}: 0 to 99 in steps of 1" for at in range(20))
    text = tiny(hidden=hidden)
    with pytest.raises(
        ReadError, match="at most 2000000 assignments of the hidden quantities, found more than"
    ) as caught:
        read_prompt(text)
    assert caught.value.line == line_of(text, "h0")


def test_read_prompt_refuses_too_many_quantities_to_try() -> None:
    hidden = "\n".join(f"h{at}: 0, 1" for at in range(41))
    with pytest.raises(ReadError, match="at most 40 quantities without an exact value"):
        read_prompt(tiny(hidden=hidden))


def test_read_prompt_refuses_a_search_that_takes_too_long() -> None:
    hidden = "\n".join(f"h{at}: 0 to 99 in steps of 1" for at in range(3))
    long = " + ".join(f"h0 * h1 * h2 * {at}" for at in range(200))
    with pytest.raises(ReadError, match="a search of at most"):
        read_prompt(tiny(hidden=hidden, observations=f"r = {long}", profiler="r 1"))


def test_read_prompt_refuses_too_many_names() -> None:
    relations = "\n".join(f"r{at} = a" for at in range(601))
    with pytest.raises(ReadError, match="at most 600 named quantities"):
        read_prompt(tiny(relations=relations))


def test_read_prompt_refuses_too_long_a_config_or_log() -> None:
    with pytest.raises(ReadError, match="at most 600 lines of config"):
        read_prompt(tiny(config="\n".join(f"x{at} = 1" for at in range(601))))
    with pytest.raises(ReadError, match="at most 600 lines of log"):
        read_prompt(tiny(log="\n".join(["x: y"] * 601)))


def test_read_prompt_refuses_deep_json() -> None:
    with pytest.raises(ReadError, match="a config in JSON"):
        read_prompt(tiny(config='{"a": ' * 30_000, form="json"))


def test_read_prompt_refuses_formulas_that_make_too_much_code() -> None:
    relations = "\n".join(f"r{at} = a + b" for at in range(500))
    runbook = "\n".join(f"{at}. C{at}: b[a=1] == 9\n   -> a = 1" for at in range(1, 150))
    with pytest.raises(ReadError, match="characters of code"):
        read_prompt(tiny(relations=relations, runbook=runbook))


def test_parts_without_lines_may_be_left_out() -> None:
    assert read_prompt(tiny()).evidence == {"a": "2", "b": "1", "on": "true", "mood": "calm"}


def test_text_of_a_comment_is_free() -> None:
    read_prompt(MEMORY.replace("# planned peak of the failing step", '# `a` | {b} (printed) = 1. "x  # y; z'))


@pytest.mark.parametrize("form", ["yaml", "toml", "json", "sh", "text"])
def test_words_that_are_no_names_stand_in_quotes(form: str) -> None:
    """Whether or not the form has quotes of its own."""
    word = '"first floor, 2"'
    configs = {
        "yaml": f"mood: {word}\nsize: 1\nplace: {word}",
        "toml": f"mood = {word}\nsize = 1\nplace = {word}",
        "json": f'{{\n"mood": {word}, "size": 1, "place": {word}}}',
        "sh": f"--mood {word}\n--size 1\n--place {word}",
        "text": f"mood = {word}\nsize = 1\nplace = {word}",
    }
    text = tiny(
        fields=f"mood: calm, {word}  # text\nsize: 1, 2",
        relations="One table, a row for each mood; its columns stand for the row of this run.\n"
        f"| mood | likes |\n|---|---|\n| calm | calm |\n| {word} | {word} |",
        config=configs[form],
        observations=f"r = mood is {word} and likes in {{{word}, calm}}\ne: m = place",
        profiler="r true",
        log=f"e: odd m={word}",
        runbook=f"1. LOW: place is {word}  # title\n   -> size = 2 if size == 1 else 1, mood = {word}",
        form=form,
    )
    solution = solve(read_prompt(text))
    assert (solution.reason, solution.walks[0].codes) == ("repeated rule", ("LOW",))


def test_messages_show_what_a_terminal_would_act_on_as_escapes() -> None:
    with pytest.raises(ReadError) as caught:
        read_prompt(PUMP.replace("gap >= -8", "gap >= \x1b[31m", 1))
    assert caught.value.found == "`\\x1b`"
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("place", ["# Pump", "pump speed", "half_open", "flow - demand", "lower_reservoir", "trip: "])
def test_read_prompt_names_the_line_of_a_lone_surrogate(place: str) -> None:
    text = PUMP.replace(place, f"{place}\ud800", 1)
    with pytest.raises(ReadError, match=r"characters that UTF-8 can write, found the surrogate '\\ud800'") as caught:
        read_prompt(text)
    assert caught.value.line == line_of(text, "\ud800")


@pytest.mark.parametrize(
    "sign", ["\x00", "\t", "\x85", "\xa0", "\u2028", "\u0663", "\u202e", "\ufeff", "\U0001f525", "e\u0301"]
)
def test_free_texts_may_hold_odd_characters(sign: str) -> None:
    text = tiny(
        fields=f"mood: wild, calm  # {sign}\nsize: 1, 2  # x{sign}",
        config="mood = wild\nsize = 2",
        relations=f"r = mood is wild  # {sign}",
        observations="r\ne: m = mood",
        profiler="r true",
        log=f"e: x{sign} m=wild\nother: y{sign}",
        runbook=f"1. LOW: size == 2  # {sign}\n   -> mood = wild, size = 1",
    )
    assert solve(read_prompt(text)).answer == {"diagnosis": "LOW", "fix": {"size": 1}}
