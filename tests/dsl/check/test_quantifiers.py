"""What quantifiers range over."""

from __future__ import annotations

from strategies.programs import codes_of


def test_words_of_a_quantifier_belong_to_one_enumeration() -> None:
    text = """enum Plan {{ small, large }}
    enum Speed {{ fast, large }}
    system s "S" {{ config {{ plan: Plan "p"  speed: Speed "s" }} require {} }}"""

    def found(condition: str) -> list[str]:
        return codes_of(text.format(condition))

    assert found("any(p in {small, large}: plan == p)") == []
    assert found("any(p in {small, fast}: plan == p)") == ["E209"]
    assert found("any(p in {large}: plan == p)") == ["E208"]
    assert found("any(p in {nothing}: plan == p)") == ["E201"]


def test_domain_of_a_variable_is_no_constant() -> None:
    text = 'system s "S" { config { a: int in {1, sum(k in b: k)} "a"  b: int in {1, 2} "b" } }'
    assert codes_of(text) == ["E305"]
