"""Names that could mean two things."""

from __future__ import annotations

from strategies.programs import loaded_texts

from dsl.program import check_program


def codes(texts: dict[str, str], imports: dict[str, tuple[str, ...]]) -> list[str]:
    return [each.code for each in check_program(loaded_texts(texts, imports))[1]]


def test_constant_of_an_archetypes_file_must_not_hide_a_field() -> None:
    system = 'system s "S" { config { a: int in {1, 2} "a" } }\n'
    family = 'const a = 4\narchetype fine of s "Fine" { fault none  tier healthy  where a == 1 }\n'
    assert codes({"one": system, "two": family}, {"one": (), "two": ("one",)}) == ["E202"]


def test_member_must_not_be_named_like_a_constant_of_the_archetypes_file() -> None:
    system = 'system s "S" { config { a: {one, two} "a" } }\n'
    family = 'const one = 1\narchetype fine of s "Fine" { fault none  tier healthy  where a == two }\n'
    assert codes({"one": system, "two": family}, {"one": (), "two": ("one",)}) == ["E204"]


def test_members_of_in_place_enumerations_are_visible_to_archetypes() -> None:
    system = 'system s "S" { config { a: {one, two} "a" } }\n'
    family = 'archetype fine of s "Fine" { fault none  tier healthy  where a != two }\n'
    assert codes({"one": system, "two": family}, {"one": (), "two": ("one",)}) == ["W442"]
