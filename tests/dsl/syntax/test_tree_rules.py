"""The tree builder handles every rule of the grammar, each where the grammar allows it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from lark import Token, Tree
from lark.grammar import NonTerminal

from dsl.source import Source
from dsl.syntax import parser
from dsl.syntax.lexer import lex
from dsl.syntax.parse_tables import language
from dsl.syntax.tree_declarations import Builder

ROOT = Path(__file__).parents[1]
PROGRAMS = [ROOT / "good" / "constructs.arch", ROOT / "good" / "units.arch"]

DISPATCHES = {
    "_declaration": Builder.declaration,
    "_system_item": Builder.system_item,
    "_set_item": Builder.set_item,
    "type": Builder.type,
    "domain": Builder.domain,
    "expr": Builder.expr,
}
BLOCKS = {  # rules whose parts come in any order
    "_var_part": Builder.variable,
    "_split_part": Builder.split,
}


def alternatives(rule: str) -> set[str]:
    """The rules that may stand for `rule`, through those that leave no trace in the tree."""
    found: set[str] = set()
    pending, seen = [rule], {rule}
    while pending:
        current = pending.pop()
        for each in language().rules:
            if each.origin.name != current:
                continue
            only = each.expansion[0].name if len(each.expansion) == 1 else None
            kept = each.alias or (each.origin.name if not each.options.expand1 or only is None else None)
            if kept is not None and not kept.startswith("_") and kept != rule:
                found.add(str(kept))
            elif only is not None and isinstance(each.expansion[0], NonTerminal) and only not in seen:
                seen.add(only)
                pending.append(only)
    return found


def cases(method: Callable[..., object]) -> set[str]:
    """The texts that the `match` of a method compares with."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.MatchValue)]
    return {value.value for value in values if isinstance(value, ast.Constant)}


@pytest.mark.parametrize("rule", DISPATCHES)
def test_cases_are_the_alternatives_of_the_grammar(rule: str) -> None:
    assert cases(DISPATCHES[rule]) == alternatives(rule)


@pytest.mark.parametrize("rule", BLOCKS)
def test_parts_of_a_block_are_those_of_the_grammar(rule: str) -> None:
    tree = ast.parse(textwrap.dedent(inspect.getsource(BLOCKS[rule])))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call.args for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "parts"]
    assert [{arg.value for arg in args if isinstance(arg, ast.Constant)} for args in named] == [alternatives(rule)]


def test_good_programs_have_every_rule_of_the_grammar() -> None:
    """So each rule has been through the builder, which knows it or raises."""
    found: set[str] = set()
    for path in PROGRAMS:
        source = Source(path.name, path.read_text(encoding="utf-8"))
        tree = parser._tree(lex(source))
        assert tree is not None
        assert Builder(source).module(tree).declarations
        found |= {str(each.data) for each in tree.iter_subtrees()}
    kept = {each.origin.name for each in language().rules if not each.origin.name.startswith("_")}
    expanded = {each.origin.name for each in language().rules if each.options.expand1}
    assert found == kept - expanded - {"faults"}


@pytest.mark.parametrize("method", [*DISPATCHES.values()], ids=[*DISPATCHES])
def test_unknown_rule_is_named(method: Callable[..., object]) -> None:
    with pytest.raises(AssertionError, match="the grammar rule `tea`"):
        method(Builder(Source("test.arch", "")), Tree("tea", [Token("NAME", "a")]))
