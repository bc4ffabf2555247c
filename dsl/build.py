"""From a Lark tree without errors to the frozen nodes, one method per grammar rule.

Relies on the parser for two things: every number and text is valid, and trees nest at most
`MAX_DEPTH` levels, so that plain recursion is safe. Reports parts that are missing or given twice
(E113, E114) and the names that archetypes and examples reserve (E106).
"""

from __future__ import annotations

from collections.abc import Iterable

from lark import Token, Tree

from dsl import nodes
from dsl.diagnostics import Diagnostic
from dsl.lexer import number_value, text_value, token_span
from dsl.source import Source, Span

Node = Tree[Token]
Child = Node | Token | None
Pair = tuple[nodes.Ident, nodes.Expr]


class Builder:
    """Builds the nodes of one file; `diagnostics` fills up on the way."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    # -------------------------------------------------------------- pieces

    def span(self, tree: Node) -> Span:
        if tree.meta.empty:
            return Span(self.source, 0, 0)
        return Span(self.source, tree.meta.start_pos, tree.meta.end_pos)

    def ident(self, child: Child) -> nodes.Ident:
        token = _token(child)
        return nodes.Ident(str(token), span=token_span(self.source, token))

    def optional_ident(self, child: Child) -> nodes.Ident | None:
        return None if child is None else self.ident(child)

    def names(self, child: Child) -> tuple[nodes.Ident, ...]:
        return tuple(self.ident(name) for name in _tree(child).children)

    def members(self, child: Child) -> tuple[str, ...]:
        tokens = [_token(member) for member in _tree(child).children]
        return tuple(text_value(t) if t.type == "STRING" else str(t) for t in tokens)

    def assigns(self, children: Iterable[Child]) -> tuple[Pair, ...]:
        trees = [_tree(child) for child in children]
        return tuple((self.ident(tree.children[0]), self.expr(tree.children[1])) for tree in trees)

    def settings(self, child: Child) -> tuple[Pair, ...]:
        return () if child is None else self.assigns(_tree(child).children)

    def signed(self, child: Child) -> int:
        minus, digits = _tree(child).children
        return -_number(digits) if minus is not None else _number(digits)

    def str_lit(self, child: Child) -> nodes.StrLit:
        token = _token(child)
        return nodes.StrLit(text_value(token), span=token_span(self.source, token))

    def only(self, what: str, trees: list[Node], rules: tuple[str, ...] = ()) -> Node | None:
        """Take the one tree of grammar rule `what` (or one of `rules`); report E114 at a second."""
        found = [tree for tree in trees if tree.data in (rules or (what,))]
        if len(found) > 1:
            first, second = self.span(found[0]), self.span(found[1])
            message = f"`{what}` is given twice"
            self.diagnostics.append(Diagnostic("E114", message, second, "", ((first, "given here first"),)))
        return found[0] if found else None

    def refuse_word(self, name: nodes.Ident, word: str, why: str) -> None:
        if name.name == word:
            self.diagnostics.append(Diagnostic("E106", f"`{word}` can't be a name here", name.span, "", notes=(why,)))

    # -------------------------------------------------------------- types and domains

    def type(self, child: Child) -> nodes.Type:
        tree = _tree(child)
        if tree.data == "named_type":
            return nodes.NamedType(self.ident(tree.children[0]), span=self.span(tree))
        return nodes.EnumType(self.members(tree.children[0]), span=self.span(tree))

    def optional_type(self, child: Child) -> nodes.Type | None:
        return None if child is None else self.type(child)

    def domain(self, child: Child) -> nodes.Domain:
        tree = _tree(child)
        span = self.span(tree)
        match tree.data:
            case "set_domain":
                return nodes.SetDomain(self.exprs(tree.children), span=span)
            case "range_domain":
                low, high, step = tree.children
                return nodes.RangeDomain(
                    self.signed(low), self.signed(high), 1 if step is None else self.signed(step), span=span
                )
            case _:
                low, high = tree.children
                return nodes.Pow2Domain(self.signed(low), self.signed(high), span=span)

    def show(self, child: Child) -> nodes.Show | None:
        if child is None:
            return None
        tree = _tree(child)
        unit, decimals = tree.children
        return nodes.Show(self.optional_ident(unit), _number(decimals), span=self.span(tree))

    # -------------------------------------------------------------- expressions

    def exprs(self, children: Iterable[Child]) -> tuple[nodes.Expr, ...]:
        return tuple(self.expr(child) for child in children)

    def expr(self, child: Child) -> nodes.Expr:
        tree = _tree(child)
        span = self.span(tree)
        parts = tree.children
        match tree.data:
            case "group":
                return self.expr(parts[0])
            case "int_lit":
                suffix = parts[1]
                return nodes.IntLit(_number(parts[0]), None if suffix is None else str(suffix), span=span)
            case "bool_lit":
                return nodes.BoolLit(_token(parts[0]).type == "TRUE", span=span)
            case "str_lit":
                return self.str_lit(parts[0])
            case "name":
                return nodes.Name(str(_token(parts[0])), span=span)
            case "if":
                return nodes.If(self.expr(parts[0]), self.expr(parts[1]), self.expr(parts[2]), span=span)
            case "implies" | "or" | "and":
                return nodes.Binary(str(tree.data), self.expr(parts[0]), self.expr(parts[1]), span=span)
            case "comparison" | "sum" | "product":
                return nodes.Binary(str(parts[1]), self.expr(parts[0]), self.expr(parts[2]), span=span)
            case "division":
                return nodes.Binary(str(parts[0]), self.expr(parts[1]), self.expr(parts[2]), span=span)
            case "not":
                return nodes.Unary("not", self.expr(parts[0]), span=span)
            case "negative":
                return nodes.Unary("-", self.expr(parts[0]), span=span)
            case "in":
                return nodes.In(self.expr(parts[0]), self.exprs(parts[1:]), span=span)
            case "with":
                return nodes.With(self.expr(parts[0]), self.assigns(parts[1:]), span=span)
            case "as":
                return nodes.As(self.expr(parts[0]), self.ident(parts[1]), span=span)
            case "to":
                mode = "exact" if parts[2] is None else str(parts[2])
                return nodes.To(self.expr(parts[0]), self.ident(parts[1]), mode, span=span)
            case "index":
                return nodes.Index(self.ident(parts[0]), self.expr(parts[1]), span=span)
            case "call":
                return nodes.Call(str(parts[0]), self.exprs(parts[1:]), span=span)
            case "quantified":
                return self.quantified(tree)
            case "before":
                return nodes.Before(self.expr(parts[0]), span=span)
            case _:
                raise AssertionError(f"no expression for rule {tree.data}")

    def quantified(self, tree: Node) -> nodes.Quantified:
        function, bound, values, body = tree.children
        listed = self.ident(values) if isinstance(values, Token) else self.domain(values)
        return nodes.Quantified(str(function), self.ident(bound), listed, self.expr(body), span=self.span(tree))

    # -------------------------------------------------------------- declarations

    def module(self, tree: Node) -> nodes.Module:
        whole = Span(self.source, 0, len(self.source.text))
        return nodes.Module(tuple(self.declaration(_tree(child)) for child in tree.children), span=whole)

    def declaration(self, tree: Node) -> nodes.Declaration:
        span = self.span(tree)
        parts = tree.children
        match tree.data:
            case "import":
                return nodes.Import(text_value(_token(parts[0])), span=span)
            case "unit_decl":
                name, factor, base = parts
                number = None if factor is None else _number(factor)
                return nodes.UnitDecl(self.ident(name), number, self.optional_ident(base), span=span)
            case "enum_decl" | "const_decl" | "table_decl":
                return self.shared_declaration(tree)
            case "system_decl":
                name, title, *items = parts
                return nodes.SystemDecl(
                    self.ident(name), _text(title), tuple(self.system_item(_tree(item)) for item in items), span=span
                )
            case "archetype_decl":
                return self.archetype(tree)
            case "compose_decl":
                return self.compose(tree)
            case _:
                return self.dataset(tree)

    def shared_declaration(self, tree: Node) -> nodes.EnumDecl | nodes.ConstDecl | nodes.TableDecl:
        """Build what may stand in a module and in a system."""
        span = self.span(tree)
        match tree.data:
            case "enum_decl":
                name, members = tree.children
                return nodes.EnumDecl(self.ident(name), self.members(members), span=span)
            case "const_decl":
                name, value, text = tree.children
                return nodes.ConstDecl(self.ident(name), self.expr(value), _optional_text(text), span=span)
            case _:
                name, key, value, *rows, text = tree.children
                entries = [_tree(row).children for row in rows]
                return nodes.TableDecl(
                    self.ident(name),
                    self.type(key),
                    self.type(value),
                    tuple((self.expr(k), self.expr(v)) for k, v in entries),
                    _optional_text(text),
                    span=span,
                )

    # -------------------------------------------------------------- systems

    def system_item(self, tree: Node) -> nodes.SystemItem:
        span = self.span(tree)
        parts = tree.children
        match tree.data:
            case "var_block":
                kind, *variables = parts
                return nodes.VarBlock(str(kind), tuple(self.variable(_tree(v)) for v in variables), span=span)
            case "relation_let":
                return self.relation(tree)
            case "profiler_block":
                return nodes.ProfilerBlock(tuple(self.relation(_tree(r)) for r in parts), span=span)
            case "log_block":
                return nodes.LogBlock(tuple(self.event(_tree(e)) for e in parts), span=span)
            case "require_decl":
                return nodes.RequireDecl(self.expr(parts[0]), _optional_text(parts[1]), span=span)
            case "sound_decl":
                return nodes.SoundDecl(self.expr(parts[0]), _optional_text(parts[1]), span=span)
            case "keep_decl":
                return self.keep(tree)
            case "rule_decl":
                return self.rule(tree)
            case "runbook_decl":
                return nodes.RunbookDecl(self.names(parts[0]), span=span)
            case _:
                return self.shared_declaration(tree)

    def variable(self, tree: Node) -> nodes.VarDecl:
        name, kind, domain, text, *rest = tree.children
        trees = [_tree(part) for part in rest]
        prefer = self.only("prefer", trees, ("prefer", "prefer_values"))
        default = self.only("default", trees)
        wanted: str | tuple[nodes.Expr, ...] | None = None
        if prefer is not None:
            listed = prefer.data == "prefer_values"
            wanted = self.exprs(prefer.children) if listed else str(prefer.children[0])
        return nodes.VarDecl(
            self.ident(name),
            self.type(kind),
            None if domain is None else self.domain(domain),
            _text(text),
            locked=self.only("locked", trees) is not None,
            prefer=wanted,
            default=None if default is None else self.expr(default.children[0]),
            show=self.show(self.only("show", trees)),
            span=self.span(tree),
        )

    def relation(self, tree: Node) -> nodes.RelationDecl:
        name, kind, value, text, *show = tree.children
        return nodes.RelationDecl(
            self.ident(name),
            self.optional_type(kind),
            self.expr(value),
            _optional_text(text),
            self.show(show[0]) if show else None,
            span=self.span(tree),
        )

    def event(self, tree: Node) -> nodes.EventDecl:
        name, condition, text, *attributes, wordings = tree.children
        return nodes.EventDecl(
            self.ident(name),
            None if condition is None else self.expr(condition),
            _text(text),
            tuple(self.attribute(_tree(attribute)) for attribute in attributes),
            tuple(self.str_lit(wording) for wording in _tree(wordings).children),
            span=self.span(tree),
        )

    def attribute(self, tree: Node) -> nodes.AttrDecl:
        name, kind, value, show = tree.children
        return nodes.AttrDecl(
            self.ident(name), self.optional_type(kind), self.expr(value), self.show(show), span=self.span(tree)
        )

    def keep(self, tree: Node) -> nodes.KeepDecl:
        names, bound = tree.children
        sense = "equal" if bound is None else f"not {bound}"
        return nodes.KeepDecl(self.names(names), sense, span=self.span(tree))

    def rule(self, tree: Node) -> nodes.RuleDecl:
        name, code, title, guard, *body, says = tree.children
        trees = [_tree(part) for part in body]
        rule = nodes.RuleDecl(
            self.ident(name),
            self.ident(code),
            _text(title),
            self.expr(guard),
            tuple(self.alternative(part) for part in trees if part.data == "alternative"),
            tuple(self.keep(part) for part in trees if part.data == "keep_decl"),
            None if says is None else self.str_lit(says),
            span=self.span(tree),
        )
        self.refuse_word(rule.name, "none", "`fault none` marks a healthy archetype")
        self.refuse_word(rule.code, "HEALTHY", "`HEALTHY` is the answer where no rule fires")
        return rule

    def alternative(self, tree: Node) -> nodes.Alternative:
        return nodes.Alternative(tuple(self.set_item(_tree(part)) for part in tree.children), span=self.span(tree))

    def set_item(self, tree: Node) -> nodes.SetItem:
        field, *rest = tree.children
        span = self.span(tree)
        match tree.data:
            case "set_assign":
                return nodes.SetAssign(self.ident(field), self.expr(rest[0]), span=span)
            case "set_pick":
                return nodes.SetPick(self.ident(field), str(rest[0]), self.expr(rest[1]), span=span)
            case _:
                return nodes.SetKeeps(self.ident(field), self.ident(rest[0]), span=span)

    # -------------------------------------------------------------- archetypes and datasets

    def archetype(self, tree: Node) -> nodes.ArchetypeDecl:
        name, system, title, *rest = tree.children
        items = [_tree(item) for item in rest]
        ident = self.ident(name)
        fault = self.required(items, "fault", ident)
        return nodes.ArchetypeDecl(
            ident,
            self.ident(system),
            _text(title),
            None if fault.name == "none" else fault,
            self.required(items, "tier", ident),
            self.wheres(items),
            self.examples(items),
            span=self.span(tree),
        )

    def required(self, items: list[Node], what: str, owner: nodes.Ident) -> nodes.Ident:
        """Take the name after the word `what`, which stands once in the archetype `owner`."""
        found = self.only(what, items)
        if found is not None:
            return self.ident(found.children[0])
        example = "a rule's name, or `none`" if what == "fault" else "the kind of task, such as `computed`"
        self.diagnostics.append(
            Diagnostic(
                "E113",
                f"archetype `{owner.name}` doesn't say its `{what}`",
                owner.span,
                helps=(f"add `{what}` and {example}",),
            )
        )
        return owner

    def wheres(self, items: list[Node]) -> tuple[nodes.Where, ...]:
        return tuple(
            nodes.Where(self.expr(item.children[1]), item.children[0] is not None, span=self.span(item))
            for item in items
            if item.data == "where"
        )

    def examples(self, items: list[Node]) -> tuple[nodes.Example, ...]:
        return tuple(self.example(item) for item in items if item.data == "example")

    def example(self, tree: Node) -> nodes.Example:
        text, settings, codes, fix, shows = tree.children
        named = self.names(codes)
        healthy = len(named) == 1 and named[0].name == "HEALTHY"
        if not healthy:
            for code in named:
                self.refuse_word(code, "HEALTHY", "`HEALTHY` stands alone: no rule fires")
        return nodes.Example(
            _optional_text(text),
            self.settings(settings),
            () if healthy else named,
            self.settings(fix),
            () if shows is None else self.settings(_tree(shows).children[0]),
            span=self.span(tree),
        )

    def compose(self, tree: Node) -> nodes.ComposeDecl:
        name, first, second, title, fresh, *rest = tree.children
        items = [_tree(item) for item in rest]
        return nodes.ComposeDecl(
            self.ident(name),
            self.ident(first),
            self.ident(second),
            _text(title),
            fresh is not None,
            self.wheres(items),
            self.examples(items),
            span=self.span(tree),
        )

    def dataset(self, tree: Node) -> nodes.DatasetDecl:
        name, version, seed, title, *rest = tree.children
        items = [_tree(item) for item in rest]
        return nodes.DatasetDecl(
            self.ident(name),
            _text(version),
            _number(seed),
            _text(title),
            tuple(self.region(item) for item in items if item.data == "region_decl"),
            tuple(self.split(item) for item in items if item.data == "split_decl"),
            span=self.span(tree),
        )

    def region(self, tree: Node) -> nodes.RegionDecl:
        name, system, condition = tree.children
        return nodes.RegionDecl(self.ident(name), self.ident(system), self.expr(condition), span=self.span(tree))

    def split(self, tree: Node) -> nodes.SplitDecl:
        name, count, *rest = tree.children
        items = [_tree(item) for item in rest]
        interaction = self.only("interaction", items)
        return nodes.SplitDecl(
            self.ident(name),
            _number(count),
            self.only("boundary", items) is not None,
            tuple(name for item in items if item.data == "avoid" for name in self.names(item.children[0])),
            tuple(name for item in items if item.data == "within" for name in self.names(item.children[0])),
            1 if interaction is None else _number(interaction.children[0]),
            tuple(self.use(item) for item in items if item.data == "use_decl"),
            tuple(self.ident(name) for item in items if item.data == "unseen" for name in item.children),
            span=self.span(tree),
        )

    def use(self, tree: Node) -> nodes.UseDecl:
        names, weight = tree.children
        return nodes.UseDecl(self.names(names), 1 if weight is None else _number(weight), span=self.span(tree))


def _tree(child: Child) -> Node:
    assert isinstance(child, Tree)
    return child


def _token(child: Child) -> Token:
    assert isinstance(child, Token)
    return child


def _number(child: Child) -> int:
    value = number_value(_token(child))
    assert value is not None
    return value


def _text(child: Child) -> str:
    return text_value(_token(child))


def _optional_text(child: Child) -> str | None:
    return None if child is None else _text(child)
