"""From a Lark tree to nodes, second half: declarations, one method per grammar rule.

Reports parts that are missing or given twice (E113, E114) and the names that archetypes and examples
reserve (E106).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lark import Token

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.operators import KeepSense, PickBy
from dsl.source import Span
from dsl.syntax import nodes
from dsl.syntax.tree_expressions import (
    Child,
    ExpressionBuilder,
    Node,
    as_number,
    as_optional_text,
    as_text,
    as_token,
    as_tree,
    unknown_rule,
)


class Builder(ExpressionBuilder):
    """Builds the nodes of one file; `diagnostics` fills up on the way."""

    def parts(self, children: Iterable[Child], *rules: str) -> dict[str, list[Node]]:
        """Sort the parts of a block by their grammar rule; `rules` are all that there are."""
        found: dict[str, list[Node]] = {rule: [] for rule in rules}
        for tree in map(as_tree, children):
            if tree.data not in found:
                raise unknown_rule(tree)
            found[tree.data].append(tree)
        return found

    def only(self, what: str, found: list[Node]) -> Node | None:
        """Take the one tree of a part that is called `what`; report E114 at a second."""
        if len(found) > 1:
            first, second = self.span(found[0]), self.span(found[1])
            message = f"`{what}` is given twice"
            self.diagnostics.append(Diagnostic("E114", message, second, "", ((first, "first given here"),)))
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
                name, factor, base, singular = parts
                number = None if factor is None else as_number(factor)
                return nodes.UnitDecl(
                    self.ident(name), number, self.optional_ident(base), self.optional_ident(singular), span=span
                )
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
            case "case_decl":
                return self.case(tree)
            case "dataset_decl":
                return self.dataset(tree)
            case _:
                raise unknown_rule(tree)

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
            case "table_decl":
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
            case _:
                raise unknown_rule(tree)

    # -------------------------------------------------------------- systems

    def system_item(self, tree: Node) -> nodes.SystemItem:
        span = self.span(tree)
        parts = tree.children
        match tree.data:
            case "var_block":
                kind, *items = parts
                return nodes.VarBlock(
                    str(kind), tuple(self.variable_item(as_tree(item), str(kind)) for item in items), span=span
                )
            case "relation_let":
                return self.relation(tree)
            case "profiler_block":
                return nodes.ProfilerBlock(tuple(self.profiler_item(as_tree(item)) for item in parts), span=span)
            case "log_block":
                return nodes.LogBlock(tuple(self.log_item(as_tree(item)) for item in parts), span=span)
            case "require_decl":
                return nodes.RequireDecl(self.expr(parts[0]), as_optional_text(parts[1]), span=span)
            case "stated_decl":
                return nodes.RequireDecl(self.expr(parts[0]), as_text(parts[1]), stated=True, span=span)
            case "sound_decl":
                return nodes.SoundDecl(self.expr(parts[0]), as_optional_text(parts[1]), span=span)
            case "keep_decl":
                return self.keep(tree)
            case "rule_decl":
                return self.rule(tree)
            case "runbook_decl":
                return nodes.RunbookDecl(self.names(parts[0]), span=span)
            case "enum_decl" | "const_decl" | "table_decl":
                return self.shared_declaration(tree)
            case _:
                raise unknown_rule(tree)

    def variable_item(self, tree: Node, block: str) -> nodes.VarDecl | nodes.NoiseValue | nodes.VarGroup:
        if tree.data != "var_group":
            return self.grouped_item(tree, block)
        name, *items = tree.children
        return nodes.VarGroup(
            self.ident(name), tuple(self.grouped_item(as_tree(item), block) for item in items), span=self.span(tree)
        )

    def grouped_item(self, tree: Node, block: str) -> nodes.VarDecl | nodes.NoiseValue:
        match tree.data:
            case "var_decl":
                return self.variable(tree, block)
            case "noise_value":
                return self.noise_value(tree)
            case _:
                raise unknown_rule(tree)

    def noise_value(self, tree: Node) -> nodes.NoiseValue:
        name, kind, domain, show = tree.children
        return nodes.NoiseValue(
            self.ident(name),
            self.type(kind),
            None if domain is None else self.domain(domain),
            self.show(show),
            span=self.span(tree),
        )

    def variable(self, tree: Node, block: str) -> nodes.VarDecl:
        """Build a variable of a block: its text can be left out where no repair changes it and the page prints it."""
        name, kind, domain, text, *rest = tree.children
        parts = self.parts(rest, "locked", "prefer", "default", "show_rounded", "show_divided", "alias")
        default = self.only("default", parts["default"])
        alias = self.only("alias", parts["alias"])
        locked = self.only("locked", parts["locked"]) is not None
        if text is None and not (block == "given" or locked):
            self.missing_text(self.ident(name))
        return nodes.VarDecl(
            self.ident(name),
            self.type(kind),
            None if domain is None else self.domain(domain),
            as_optional_text(text),
            locked=locked,
            prefer=self.preference(self.only("prefer", parts["prefer"])),
            default=None if default is None else self.expr(default.children[0]),
            show=self.show(self.only("show", in_order(parts["show_rounded"], parts["show_divided"]))),
            aliases=() if alias is None else tuple(map(self.str_lit, alias.children)),
            span=self.span(tree),
        )

    def missing_text(self, name: nodes.Ident) -> None:
        self.diagnostics.append(
            Diagnostic(
                "E113",
                f"`{name.name}` has no text",
                name.span,
                "only `given` and `locked` variables can go without",
                helps=("describe it in a few words, after its domain and before `prefer` and the like",),
            )
        )

    def preference(self, tree: Node | None) -> str | tuple[nodes.Expression, ...] | None:
        if tree is None:
            return None
        wanted = tree.children[0]
        return str(wanted) if isinstance(wanted, Token) else self.exprs(as_tree(wanted).children)

    def relation(self, tree: Node) -> nodes.RelationDecl:
        name, kind, value, text = tree.children
        return nodes.RelationDecl(
            self.ident(name),
            self.optional_type(kind),
            self.expr(value),
            as_optional_text(text),
            span=self.span(tree),
        )

    def profiler_item(self, tree: Node) -> nodes.RelationDecl | nodes.NoiseValue:
        match tree.data:
            case "relation_decl":
                return self.profiler_value(tree)
            case "noise_value":
                return self.noise_value(tree)
            case _:
                raise unknown_rule(tree)

    def profiler_value(self, tree: Node) -> nodes.RelationDecl:
        name, kind, value, condition, text, show = tree.children
        return nodes.RelationDecl(
            self.ident(name),
            self.optional_type(kind),
            self.expr(value),
            as_optional_text(text),
            self.show(show),
            self.optional_expr(condition),
            span=self.span(tree),
        )

    def log_item(self, tree: Node) -> nodes.EventDecl | nodes.NoiseLine:
        match tree.data:
            case "event_decl":
                return self.event(tree)
            case "noise_line":
                return self.noise_line(tree)
            case _:
                raise unknown_rule(tree)

    def noise_line(self, tree: Node) -> nodes.NoiseLine:
        level, logger, often, after, before, wordings = tree.children
        return nodes.NoiseLine(
            None if level is None else str(level),
            self.ident(logger),
            None if often is None else as_number(often),
            self.wordings(wordings),
            self.optional_ident(after),
            self.optional_ident(before),
            span=self.span(tree),
        )

    def wordings(self, child: Child) -> tuple[nodes.StrLit, ...]:
        return tuple(self.str_lit(wording) for wording in as_tree(child).children)

    def repetition(self, child: Child) -> nodes.Repetition | None:
        if child is None:
            return None
        tree = as_tree(child)
        index, values, pace = tree.children
        domain = self.domain(values)
        assert isinstance(domain, nodes.SetDomain)
        return nodes.Repetition(self.ident(index), domain, self.pace(pace), span=self.span(tree))

    def pace(self, child: Child) -> nodes.Pace | None:
        if child is None:
            return None
        tree = as_tree(child)
        low, high = tree.children
        return nodes.Pace(self.expr(low), self.optional_expr(high), span=self.span(tree))

    def placement(self, child: Child) -> nodes.Placement | None:
        if child is None:
            return None
        tree = as_tree(child)
        other, condition = tree.children
        return nodes.Placement(self.ident(other), self.expr(condition), span=self.span(tree))

    def event(self, tree: Node) -> nodes.EventDecl:
        name, rhythm, condition, placement, level, logger, text, *attributes, wordings = tree.children
        taken = rhythm is not None and as_tree(rhythm).data == "takes"
        return nodes.EventDecl(
            self.ident(name),
            self.optional_expr(condition),
            as_optional_text(text),
            tuple(self.attribute(as_tree(attribute)) for attribute in attributes),
            self.wordings(wordings),
            None if level is None else str(level),
            self.optional_ident(logger),
            None if taken else self.repetition(rhythm),
            self.placement(placement),
            self.pace(rhythm) if taken else None,
            span=self.span(tree),
        )

    def attribute(self, tree: Node) -> nodes.AttrDecl:
        name, kind, value, show = tree.children
        return nodes.AttrDecl(
            self.ident(name), self.optional_type(kind), self.expr(value), self.show(show), span=self.span(tree)
        )

    def keep(self, tree: Node) -> nodes.KeepDecl:
        names, bound = tree.children
        sense = KeepSense.EQUAL if bound is None else KeepSense(f"not {bound}")
        return nodes.KeepDecl(self.names(names), sense, span=self.span(tree))

    def rule(self, tree: Node) -> nodes.RuleDecl:
        name, code, title, guard, *body, says = tree.children
        parts = self.parts(body, "alternative", "keep_decl")
        rule = nodes.RuleDecl(
            self.ident(name),
            self.ident(code),
            as_text(title),
            self.expr(guard),
            tuple(map(self.alternative, parts["alternative"])),
            tuple(map(self.keep, parts["keep_decl"])),
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
                return nodes.SetPick(self.ident(field), PickBy(as_token(rest[0])), self.expr(rest[1]), span=span)
            case "set_keeps":
                return nodes.SetKeeps(self.ident(field), self.ident(rest[0]), span=span)
            case _:
                raise unknown_rule(tree)

    # -------------------------------------------------------------- archetypes and datasets

    def archetype(self, tree: Node) -> nodes.ArchetypeDecl:
        name, system, title, *rest = tree.children
        parts = self.parts(rest, "fault", "tier", "where", "tell", "like", "example")
        ident = self.ident(name)
        fault = self.required(parts, "fault", ident)
        return nodes.ArchetypeDecl(
            ident,
            self.ident(system),
            as_text(title),
            None if fault.name == "none" else fault,
            self.required(parts, "tier", ident),
            tuple(map(self.where, parts["where"])),
            tuple(map(self.example, parts["example"])),
            tuple(self.expr(part.children[0]) for part in parts["tell"]),
            tuple(map(self.like, parts["like"])),
            span=self.span(tree),
        )

    def like(self, tree: Node) -> nodes.Like:
        name, percent = tree.children
        return nodes.Like(self.ident(name), as_number(percent), span=self.span(tree))

    def required(self, parts: Mapping[str, list[Node]], what: str, owner: nodes.Ident) -> nodes.Ident:
        """Take the name after the word `what`, which stands once in the archetype `owner`."""
        found = self.only(what, parts[what])
        if found is not None:
            return self.ident(found.children[0])
        example = "`fault` and a rule, or `fault none`" if what == "fault" else "`tier` and a word, such as `computed`"
        self.diagnostics.append(
            Diagnostic(
                "E113",
                f"archetype `{owner.name}` has no `{what}`",
                owner.span,
                helps=(f"add {example}",),
            )
        )
        return owner

    def where(self, tree: Node) -> nodes.Where:
        hard, condition = tree.children
        return nodes.Where(self.expr(condition), hard is not None, span=self.span(tree))

    def example(self, tree: Node) -> nodes.Example:
        text, settings, codes, fix, shows = tree.children
        return nodes.Example(
            as_optional_text(text),
            self.settings(settings),
            self.codes(codes),
            self.settings(fix),
            () if shows is None else self.settings(as_tree(shows).children[0]),
            span=self.span(tree),
        )

    def codes(self, child: Child) -> tuple[nodes.Ident, ...]:
        """The codes of an expected answer; none for HEALTHY."""
        named = self.names(child)
        if len(named) == 1 and named[0].name == "HEALTHY":
            return ()
        for code in named:
            self.refuse_word(
                code, "HEALTHY", "`HEALTHY` means that no rule fires, so it can't be combined with a diagnosis code"
            )
        return named

    def case(self, tree: Node) -> nodes.CaseDecl:
        name, system, source, text, *rest = tree.children
        parts = self.parts(rest, "known", "narrowing", "case_answer")
        known = self.only("known", parts["known"])
        return nodes.CaseDecl(
            self.ident(name),
            self.ident(system),
            as_text(source),
            as_optional_text(text),
            () if known is None else tuple(self.fact(as_tree(fact)) for fact in known.children),
            tuple(self.expr(part.children[0]) for part in parts["narrowing"]),
            tuple(map(self.case_answer, parts["case_answer"])),
            span=self.span(tree),
        )

    def fact(self, tree: Node) -> nodes.Fact:
        name, *rest = tree.children
        match tree.data:
            case "fact_value":
                return nodes.FactValue(self.ident(name), self.expr(rest[0]), span=self.span(tree))
            case "fact_present":
                at, attributes = rest
                return nodes.FactPresent(
                    self.ident(name), self.occurrence(at), self.settings(attributes), span=self.span(tree)
                )
            case "fact_absent":
                return nodes.FactAbsent(self.ident(name), self.occurrence(rest[0]), span=self.span(tree))
            case _:
                raise unknown_rule(tree)

    def occurrence(self, child: Child) -> int | None:
        return None if child is None else self.signed(as_tree(child).children[0])

    def case_answer(self, tree: Node) -> nodes.CaseAnswer:
        codes, fix = tree.children
        return nodes.CaseAnswer(self.codes(codes), self.settings(fix), span=self.span(tree))

    def compose(self, tree: Node) -> nodes.ComposeDecl:
        name, first, second, title, fresh, *rest = tree.children
        parts = self.parts(rest, "where", "like", "example")
        return nodes.ComposeDecl(
            self.ident(name),
            self.ident(first),
            self.ident(second),
            as_text(title),
            fresh is not None,
            tuple(map(self.where, parts["where"])),
            tuple(map(self.example, parts["example"])),
            tuple(map(self.like, parts["like"])),
            span=self.span(tree),
        )

    def dataset(self, tree: Node) -> nodes.DatasetDecl:
        name, version, seed, title, *rest = tree.children
        parts = self.parts(rest, "region_decl", "split_decl")
        return nodes.DatasetDecl(
            self.ident(name),
            as_text(version),
            as_number(seed),
            as_text(title),
            tuple(map(self.region, parts["region_decl"])),
            tuple(map(self.split, parts["split_decl"])),
            span=self.span(tree),
        )

    def region(self, tree: Node) -> nodes.RegionDecl:
        name, system, condition = tree.children
        return nodes.RegionDecl(self.ident(name), self.ident(system), self.expr(condition), span=self.span(tree))

    def split(self, tree: Node) -> nodes.SplitDecl:
        name, count, *rest = tree.children
        parts = self.parts(rest, "boundary", "avoid", "within", "unseen", "interaction", "margin", "use_decl")
        interaction = self.only("interaction", parts["interaction"])
        margin = self.only("margin", parts["margin"])
        return nodes.SplitDecl(
            self.ident(name),
            as_number(count),
            self.only("boundary", parts["boundary"]) is not None,
            tuple(name for part in parts["avoid"] for name in self.names(part.children[0])),
            tuple(name for part in parts["within"] for name in self.names(part.children[0])),
            1 if interaction is None else as_number(interaction.children[0]),
            tuple(map(self.use, parts["use_decl"])),
            tuple(self.ident(name) for part in parts["unseen"] for name in part.children),
            1 if margin is None else as_number(margin.children[0]),
            span=self.span(tree),
        )

    def use(self, tree: Node) -> nodes.UseDecl:
        names, weight, near = tree.children
        return nodes.UseDecl(
            self.names(names),
            1 if weight is None else as_number(weight),
            None if near is None else as_number(near),
            span=self.span(tree),
        )


def in_order(*found: Iterable[Node]) -> list[Node]:
    """Parts of several kinds, as they follow each other in the file."""
    return sorted((part for parts in found for part in parts), key=lambda part: part.meta.start_pos)
