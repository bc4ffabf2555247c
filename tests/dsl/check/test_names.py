"""Names across files, the order of declarations, and suggestions."""

from __future__ import annotations

from strategies.programs import loaded_texts

from dsl.check.names import dependency_order
from dsl.diagnostics.collector import MAX_ERRORS, Findings
from dsl.program import check_program


def codes(texts: dict[str, str], imports: dict[str, tuple[str, ...]]) -> list[str]:
    return [each.code for each in check_program(loaded_texts(texts, imports))[1]]


def test_order_follows_uses_and_else_the_declaration() -> None:
    ordering = dependency_order({"d": ["a"], "c": [], "a": ["b"], "b": []})
    assert ordering.order == ("c", "b", "a", "d")
    assert ordering.cycles == ()


def test_cycles_are_named_in_the_order_of_their_uses() -> None:
    ordering = dependency_order({"x": [], "a": ["c"], "b": ["a"], "c": ["b"], "self": ["self"], "y": ["a"]})
    assert ordering.cycles == (("a", "c", "b"), ("self",))
    assert ordering.order == ("x", "y")


def test_names_that_are_not_declared_do_not_count() -> None:
    assert dependency_order({"a": ["elsewhere"]}).order == ("a",)


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


def test_suggestions_are_near_names_at_most_three() -> None:
    findings = Findings()
    assert findings.suggestion("batsh", ["batch", "Match", "bench", "latch", "other"]) == (
        "did you mean `batch`, `Match` or `latch`?",
    )
    assert findings.suggestion("zzz", ["batch"]) == ()


def test_checking_stops_after_too_many_errors() -> None:
    texts = {"one": "".join(f"const c{n} = missing{n}\n" for n in range(MAX_ERRORS + 50))}
    program, found = check_program(loaded_texts(texts))
    assert program is None
    assert len(found) == MAX_ERRORS


def test_words_of_a_quantifier_belong_to_one_enumeration() -> None:
    text = """enum Plan {{ small, large }}
    enum Speed {{ fast, large }}
    system s "S" {{ config {{ plan: Plan "p"  speed: Speed "s" }} require {} }}"""

    def found(condition: str) -> list[str]:
        return codes({"one": text.format(condition)}, {"one": ()})

    assert found("any(p in {small, large}: plan == p)") == []
    assert found("any(p in {small, fast}: plan == p)") == ["E209"]
    assert found("any(p in {large}: plan == p)") == ["E208"]
    assert found("any(p in {nothing}: plan == p)") == ["E201"]


def test_domain_of_a_variable_is_no_constant() -> None:
    text = 'system s "S" { config { a: int in {1, sum(k in b: k)} "a"  b: int in {1, 2} "b" } }'
    assert codes({"one": text}, {"one": ()}) == ["E305"]
