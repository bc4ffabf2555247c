"""From a Lark tree to nodes, first half: names, texts, types, domains and expressions.

Relies on the parser for two things: every number and text is valid, and trees nest at most
`MAX_DEPTH` levels, so that plain recursion is safe.
"""

from __future__ import annotations

from collections.abc import Iterable

from lark import Token, Tree

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.operators import ArithmeticOp, Cast, CompareOp, DivisionOp, Function, LogicOp, Quantifier, Rounding, UnaryOp
from dsl.source import Source, Span
from dsl.syntax import nodes
from dsl.syntax.lexer import number_value, text_value, token_span

Node = Tree[Token]
Child = Node | Token | None
Pair = tuple[nodes.Ident, nodes.Expression]


class ExpressionBuilder:
    """Builds what declarations consist of; `diagnostics` fills up on the way."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    # -------------------------------------------------------------- pieces

    def span(self, tree: Node) -> Span:
        if tree.meta.empty:
            return Span(self.source, 0, 0)
        return Span(self.source, tree.meta.start_pos, tree.meta.end_pos)

    def ident(self, child: Child) -> nodes.Ident:
        token = as_token(child)
        return nodes.Ident(str(token), span=token_span(self.source, token))

    def optional_ident(self, child: Child) -> nodes.Ident | None:
        return None if child is None else self.ident(child)

    def names(self, child: Child) -> tuple[nodes.Ident, ...]:
        return tuple(self.ident(name) for name in as_tree(child).children)

    def members(self, child: Child) -> tuple[str, ...]:
        tokens = [as_token(member) for member in as_tree(child).children]
        return tuple(text_value(t) if t.type == "STRING" else str(t) for t in tokens)

    def assigns(self, children: Iterable[Child]) -> tuple[Pair, ...]:
        trees = [as_tree(child) for child in children]
        return tuple((self.ident(tree.children[0]), self.expr(tree.children[1])) for tree in trees)

    def settings(self, child: Child) -> tuple[Pair, ...]:
        return () if child is None else self.assigns(as_tree(child).children)

    def signed(self, child: Child) -> int:
        minus, digits = as_tree(child).children
        return -as_number(digits) if minus is not None else as_number(digits)

    def str_lit(self, child: Child) -> nodes.StrLit:
        token = as_token(child)
        return nodes.StrLit(text_value(token), span=token_span(self.source, token))

    # -------------------------------------------------------------- types and domains

    def type(self, child: Child) -> nodes.Type:
        tree = as_tree(child)
        match tree.data:
            case "named_type":
                return nodes.NamedType(self.ident(tree.children[0]), span=self.span(tree))
            case "enum_type":
                return nodes.EnumType(self.members(tree.children[0]), span=self.span(tree))
            case _:
                raise unknown_rule(tree)

    def optional_type(self, child: Child) -> nodes.Type | None:
        return None if child is None else self.type(child)

    def domain(self, child: Child) -> nodes.Domain:
        tree = as_tree(child)
        span = self.span(tree)
        match tree.data:
            case "set_domain":
                return nodes.SetDomain(self.exprs(tree.children), span=span)
            case "range_domain":
                low, high, step = tree.children
                return nodes.RangeDomain(
                    self.signed(low), self.signed(high), 1 if step is None else self.signed(step), span=span
                )
            case "pow2_domain":
                low, high = tree.children
                return nodes.Pow2Domain(self.signed(low), self.signed(high), span=span)
            case _:
                raise unknown_rule(tree)

    def show(self, child: Child) -> nodes.ShowForm | None:
        if child is None:
            return None
        tree = as_tree(child)
        first, second = tree.children
        match tree.data:
            case "show_rounded":
                return nodes.Show(self.optional_ident(first), as_number(second), span=self.span(tree))
            case "show_divided":
                return nodes.ShowDivided(as_number(first), second is not None, span=self.span(tree))
            case _:
                raise unknown_rule(tree)

    # -------------------------------------------------------------- expressions

    def exprs(self, children: Iterable[Child]) -> tuple[nodes.Expression, ...]:
        return tuple(self.expr(child) for child in children)

    def optional_expr(self, child: Child) -> nodes.Expression | None:
        return None if child is None else self.expr(child)

    def expr(self, child: Child) -> nodes.Expression:
        tree = as_tree(child)
        span = self.span(tree)
        parts = tree.children
        match tree.data:
            case "group":
                return self.expr(parts[0])
            case "int_lit":
                suffix = parts[1]
                return nodes.IntLit(as_number(parts[0]), None if suffix is None else str(suffix), span=span)
            case "bool_lit":
                return nodes.BoolLit(as_token(parts[0]).type == "TRUE", span=span)
            case "str_lit":
                return self.str_lit(parts[0])
            case "name":
                return nodes.Name(str(as_token(parts[0])), span=span)
            case "if":
                return nodes.If(self.expr(parts[0]), self.expr(parts[1]), self.expr(parts[2]), span=span)
            case "first":
                *cases, otherwise = parts
                return nodes.First(self.cases_of_first(cases), self.expr(otherwise), span=span)
            case "implies" | "or" | "and":
                return nodes.Binary(LogicOp(tree.data), self.expr(parts[0]), self.expr(parts[1]), span=span)
            case "comparison":
                return nodes.Binary(CompareOp(as_token(parts[1])), self.expr(parts[0]), self.expr(parts[2]), span=span)
            case "sum" | "product":
                op = ArithmeticOp(as_token(parts[1]))
                return nodes.Binary(op, self.expr(parts[0]), self.expr(parts[2]), span=span)
            case "division":
                return nodes.Binary(DivisionOp(as_token(parts[0])), self.expr(parts[1]), self.expr(parts[2]), span=span)
            case "not":
                return nodes.Unary(UnaryOp.NOT, self.expr(parts[0]), span=span)
            case "negative":
                return nodes.Unary(UnaryOp.NEGATE, self.expr(parts[0]), span=span)
            case "in":
                return nodes.In(self.expr(parts[0]), self.exprs(parts[1:]), span=span)
            case "with":
                return nodes.WithClause(self.expr(parts[0]), self.assigns(parts[1:]), span=span)
            case "as":
                return nodes.As(self.expr(parts[0]), self.ident(parts[1]), span=span)
            case "to":
                rounding = Rounding.EXACT if parts[2] is None else Rounding(as_token(parts[2]))
                return nodes.To(self.expr(parts[0]), self.ident(parts[1]), rounding, span=span)
            case "index":
                return nodes.Index(self.ident(parts[0]), self.expr(parts[1]), span=span)
            case "call":
                return nodes.Call(as_function(parts[0]), self.exprs(parts[1:]), span=span)
            case "quantified":
                return self.quantified(tree)
            case "before":
                return nodes.BeforeCall(self.expr(parts[0]), span=span)
            case "printed":
                return nodes.PrintedCall(self.expr(parts[0]), span=span)
            case _:
                raise unknown_rule(tree)

    def cases_of_first(self, children: Iterable[Child]) -> tuple[tuple[nodes.Expression, nodes.Expression], ...]:
        trees = [as_tree(child) for child in children]
        return tuple((self.expr(tree.children[0]), self.expr(tree.children[1])) for tree in trees)

    def quantified(self, tree: Node) -> nodes.Quantified:
        function, bound, values, body = tree.children
        over = self.ident(values) if isinstance(values, Token) else self.domain(values)
        quantifier = Quantifier(as_token(function))
        return nodes.Quantified(quantifier, self.ident(bound), over, self.expr(body), span=self.span(tree))


def unknown_rule(tree: Node) -> AssertionError:
    """What to raise where the grammar has a rule that no case handles: a bug, whatever the input."""
    return AssertionError(f"no node is built here for the grammar rule `{tree.data}`")


def as_function(child: Child) -> Function | Cast:
    word = as_token(child)
    return Cast.NUMBER if word == Cast.NUMBER.value else Function(word)


def as_tree(child: Child) -> Node:
    assert isinstance(child, Tree)
    return child


def as_token(child: Child) -> Token:
    assert isinstance(child, Token)
    return child


def as_number(child: Child) -> int:
    value = number_value(as_token(child))
    assert value is not None
    return value


def as_text(child: Child) -> str:
    return text_value(as_token(child))


def as_optional_text(child: Child) -> str | None:
    return None if child is None else as_text(child)
