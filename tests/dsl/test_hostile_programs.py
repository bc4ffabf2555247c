"""Programs made to hang the checks or to eat memory: each gets its own diagnostic, soon.

The limit on seconds is far above what the checks need; what it must catch is growth without bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from strategies.forked import forked


def system(body: str, fields: str = 'a: int in {1, 2} "a"') -> str:
    return f'system s "S" {{\n  config {{ {fields} }}\n{body}\n}}\n'


def with_chain(length: int) -> str:
    steps = (f"  let r{n} = (r{n - 1} with (a = 1)) + (r{n - 1} with (a = 3 - a))\n" for n in range(1, length))
    return system("  let r0 = a + 1\n" + "".join(steps) + f"  sound r{length - 1} > 0\n")


def sum_chain(length: int) -> str:
    steps = (f"  let r{n} = r{n - 1} + r{n - 1}\n" for n in range(1, length))
    return system("  let r0 = a\n" + "".join(steps) + f"  sound r{length - 1} > 2\n")


def many_fields(count: int) -> str:
    return "".join(f' v{n}: int in 0..4095 "v"' for n in range(count))


CASES = {
    "range of 2^60": (system("", 'a: int in 0..1_000_000_000_000_000_000 "a"'), {"E403"}),
    "negative range of 2^60": (system("", 'a: int in -1_000_000_000_000_000_000..0 "a"'), {"E403"}),
    "quantifiers in each other": (
        system("  sound " + "sum(%s in 1..4096: " * 5 % tuple("bcdef") + "a" + ")" * 5 + " > 0"),
        {"E421"},
    ),
    "many quantifiers side by side": (
        system("".join(f"  sound sum(b in 1..4096: a * b) > {n}\n" for n in range(200))),
        {"E421"},
    ),
    "with around with, doubling": (with_chain(400), {"E424"}),
    "relations that double in value": (sum_chain(90), {"E308"}),
    "a chain of relations": (
        system("  let r0 = a\n" + "".join(f"  let r{n} = r{n - 1} + 1\n" for n in range(1, 480))),
        {"E425"},
    ),
    "a circle of 400 relations": (
        system("".join(f"  let r{n} = r{(n + 1) % 400} + 1\n" for n in range(400))),
        {"E205"},
    ),
    "a divisor over a billion combinations": (
        system("  sound floor(8 / (2 * (v0 + v1 + v2) - 7)) > 0", many_fields(3)),
        {"E307"},
    ),
    "divisors that each take many tries": (
        system(
            "".join(f"  sound floor(8 / (2 * v0 * v1 + 2 * v0 + 1 - 2 * {n} * v1)) != {n}\n" for n in range(300)),
            'v0: int in 0..299 "v"  v1: int in 0..299 "v"',
        ),
        {"E307"},
    ),
    "constants that use each other in a long chain": (
        "const c0 = 1\n" + "".join(f"const c{n} = c{n - 1} + 1\n" for n in range(1, 1900)),
        {"W441"},
    ),
    "units on units": ("unit u0\n" + "".join(f"unit u{n} = 2 u{n - 1}\n" for n in range(1, 100)), {"E306"}),
    "one name declared 1900 times": ("const a = 1\n" * 1900, {"E202"}),
    "thousands of unknown names": (
        system("  sound " + " + ".join(f"x{n}" for n in range(90)) + " > 0\n" * 1)
        + "".join(f"const k{n} = missing{n}\n" for n in range(1900)),
        {"E201"},
    ),
    "thousands of constants": ("".join(f"const c{n} = {n}\n" for n in range(5000)), {"E427"}),
    "thousands of relations": (system("".join(f"  let r{n} = a + {n}\n" for n in range(5000))), {"E427"}),
    "a domain of thousands of large numbers": (
        system("  sound a * a * a > 0", "a: int in {" + ", ".join(str(2**59 - n) for n in range(4000)) + '} "a"'),
        {"E308"},
    ),
    "a table of thousands of entries": (
        "table t: int -> int { " + ", ".join(f"{n}: {n}" for n in range(5000)) + " }\n",
        {"E403"},
    ),
    "numbers that would need megabytes": (
        "const c = " + " * ".join(["1_000_000_000_000_000_000"] * 90) + "\n",
        {"E308"},
    ),
}


@pytest.fixture(scope="module")
def codes() -> Iterator[Callable[[str], object]]:
    with forked("strategies.programs:codes_of", mebibytes=1024, seconds=60) as call:
        yield call


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_hostile_program_gets_its_diagnostic_soon(name: str, codes: Callable[[str], object]) -> None:
    text, expected = CASES[name]
    found = codes(text)
    assert isinstance(found, list)
    assert expected <= set(found) <= expected | {"W441", "W442", "W444", "E409"}
