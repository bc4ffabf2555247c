"""What the files of a program see of each other."""

from __future__ import annotations

from strategies.programs import loaded_texts

from dsl.program import check_program


def codes(texts: dict[str, str], imports: dict[str, tuple[str, ...]]) -> list[str]:
    return [each.code for each in check_program(loaded_texts(texts, imports))[1]]


UNITS = "unit ms\nconst limit = 4 ms\n"
SYSTEM = 'system s "S" { config { a: ms in {1, 2} "a" } require a < limit }\n'
FAMILY = 'archetype fine of s "Fine" { fault none  tier healthy  where a < limit - 1 ms }\n'


def test_imports_reach_through_imports() -> None:
    texts = {"units": UNITS, "system": SYSTEM, "family": FAMILY}
    assert codes(texts, {"units": (), "system": ("units",), "family": ("system",)}) == ["W442"]


def test_names_of_a_file_that_is_not_imported_are_not_visible() -> None:
    texts = {"units": UNITS, "system": SYSTEM, "family": FAMILY}
    assert set(codes(texts, {"units": (), "system": (), "family": ("system",)})) == {"E203"}
    assert set(codes(texts, {"units": (), "system": ("units",), "family": ()})) == {"E203"}


def test_two_files_may_declare_a_name_that_no_file_sees_twice() -> None:
    texts = {"one": "unit ms\n", "two": "unit ms\n"}
    assert codes(texts, {"one": (), "two": ()}) == []
    assert codes({**texts, "both": ""}, {"one": (), "two": (), "both": ("one", "two")}) == ["E202"]


def test_systems_are_unique_in_the_whole_program() -> None:
    system = 'system s "S" { config { a: int in {1, 2} "a" } }\n'
    assert codes({"one": system, "two": system}, {"one": (), "two": ()}) == ["E202"]
