"""From a Lark tree to nodes, second half: declarations, one method per grammar rule.

Reports parts that are missing or given twice (E113, E114) and the names that archetypes and examples
reserve (E106).
"""

from __future__ import annotations

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.source import Span
from dsl.syntax import nodes
from dsl.syntax.tree_expressions import (
    ExpressionBuilder,
    Node,
    as_number,
    as_optional_text,
    as_text,
    as_tree,
)


class Builder(ExpressionBuilder):
    """Builds the nodes of one file; `diagnostics` fills up on the way."""

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

    # -------------------------------------------------------------- declarations

    def module(self, tree: Node) -> nodes.Module:
        whole = Span(self.source, 0, len(self.source.text))
        return nodes.Module(tuple(self.declaration(as_tree(child)) for child in tree.children), span=whole)

    def declaration(self, tree: Node) -> nodes.Declaration:
        span = self.span(tree)
        parts = tree.children
        match tree.data:
            case "import":
                return nodes.Import(as_text(parts[0]), span=span)
            case "unit_decl":
                name, factor, base = parts
                number = None if factor is None else as_number(factor)
                return nodes.UnitDecl(self.ident(name), number, self.optional_ident(base), span=span)
            case "enum_decl" | "const_decl" | "table_decl":
                return self.shared_declaration(tree)
            case "system_decl":
                name, title, *items = parts
                return nodes.SystemDecl(
                    self.ident(name),
                    as_text(title),
                    tuple(self.system_item(as_tree(item)) for item in items),
                    span=span,
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
                return nodes.ConstDecl(self.ident(name), self.expr(value), as_optional_text(text), span=span)
            case _:
                name, key, value, *rows, text = tree.children
                entries = [as_tree(row).children for row in rows]
                return nodes.TableDecl(
                    self.ident(name),
                    self.type(key),
                    self.type(value),
                    tuple((self.expr(k), self.expr(v)) for k, v in entries),
                    as_optional_text(text),
                    span=span,
                )

    # -------------------------------------------------------------- systems

    def system_item(self, tree: Node) -> nodes.SystemItem:
        span = self.span(tree)
        parts = tree.children
        match tree.data:
            case "var_block":
                kind, *variables = parts
                return nodes.VarBlock(str(kind), tuple(self.variable(as_tree(v)) for v in variables), span=span)
            case "relation_let":
                return self.relation(tree)
            case "profiler_block":
                return nodes.ProfilerBlock(tuple(self.relation(as_tree(r)) for r in parts), span=span)
            case "log_block":
                return nodes.LogBlock(tuple(self.event(as_tree(e)) for e in parts), span=span)
            case "require_decl":
                return nodes.RequireDecl(self.expr(parts[0]), as_optional_text(parts[1]), span=span)
            case "sound_decl":
                return nodes.SoundDecl(self.expr(parts[0]), as_optional_text(parts[1]), span=span)
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
        trees = [as_tree(part) for part in rest]
        prefer = self.only("prefer", trees, ("prefer", "prefer_values"))
        default = self.only("default", trees)
        wanted: str | tuple[nodes.Expression, ...] | None = None
        if prefer is not None:
            listed = prefer.data == "prefer_values"
            wanted = self.exprs(prefer.children) if listed else str(prefer.children[0])
        return nodes.VarDecl(
            self.ident(name),
            self.type(kind),
            None if domain is None else self.domain(domain),
            as_text(text),
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
            as_optional_text(text),
            self.show(show[0]) if show else None,
            span=self.span(tree),
        )

    def event(self, tree: Node) -> nodes.EventDecl:
        name, condition, text, *attributes, wordings = tree.children
        return nodes.EventDecl(
            self.ident(name),
            None if condition is None else self.expr(condition),
            as_text(text),
            tuple(self.attribute(as_tree(attribute)) for attribute in attributes),
            tuple(self.str_lit(wording) for wording in as_tree(wordings).children),
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
        trees = [as_tree(part) for part in body]
        rule = nodes.RuleDecl(
            self.ident(name),
            self.ident(code),
            as_text(title),
            self.expr(guard),
            tuple(self.alternative(part) for part in trees if part.data == "alternative"),
            tuple(self.keep(part) for part in trees if part.data == "keep_decl"),
            None if says is None else self.str_lit(says),
            span=self.span(tree),
        )
        self.refuse_word(rule.name, "none", "`fault none` marks a healthy archetype")
        self.refuse_word(rule.code, "HEALTHY", "`HEALTHY` is the answer where no rule fires")
        return rule

    def alternative(self, tree: Node) -> nodes.SetGroup:
        return nodes.SetGroup(tuple(self.set_item(as_tree(part)) for part in tree.children), span=self.span(tree))

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
        items = [as_tree(item) for item in rest]
        ident = self.ident(name)
        fault = self.required(items, "fault", ident)
        return nodes.ArchetypeDecl(
            ident,
            self.ident(system),
            as_text(title),
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
            as_optional_text(text),
            self.settings(settings),
            () if healthy else named,
            self.settings(fix),
            () if shows is None else self.settings(as_tree(shows).children[0]),
            span=self.span(tree),
        )

    def compose(self, tree: Node) -> nodes.ComposeDecl:
        name, first, second, title, fresh, *rest = tree.children
        items = [as_tree(item) for item in rest]
        return nodes.ComposeDecl(
            self.ident(name),
            self.ident(first),
            self.ident(second),
            as_text(title),
            fresh is not None,
            self.wheres(items),
            self.examples(items),
            span=self.span(tree),
        )

    def dataset(self, tree: Node) -> nodes.DatasetDecl:
        name, version, seed, title, *rest = tree.children
        items = [as_tree(item) for item in rest]
        return nodes.DatasetDecl(
            self.ident(name),
            as_text(version),
            as_number(seed),
            as_text(title),
            tuple(self.region(item) for item in items if item.data == "region_decl"),
            tuple(self.split(item) for item in items if item.data == "split_decl"),
            span=self.span(tree),
        )

    def region(self, tree: Node) -> nodes.RegionDecl:
        name, system, condition = tree.children
        return nodes.RegionDecl(self.ident(name), self.ident(system), self.expr(condition), span=self.span(tree))

    def split(self, tree: Node) -> nodes.SplitDecl:
        name, count, *rest = tree.children
        items = [as_tree(item) for item in rest]
        interaction = self.only("interaction", items)
        return nodes.SplitDecl(
            self.ident(name),
            as_number(count),
            self.only("boundary", items) is not None,
            tuple(name for item in items if item.data == "avoid" for name in self.names(item.children[0])),
            tuple(name for item in items if item.data == "within" for name in self.names(item.children[0])),
            1 if interaction is None else as_number(interaction.children[0]),
            tuple(self.use(item) for item in items if item.data == "use_decl"),
            tuple(self.ident(name) for item in items if item.data == "unseen" for name in item.children),
            span=self.span(tree),
        )

    def use(self, tree: Node) -> nodes.UseDecl:
        names, weight = tree.children
        return nodes.UseDecl(self.names(names), 1 if weight is None else as_number(weight), span=self.span(tree))
