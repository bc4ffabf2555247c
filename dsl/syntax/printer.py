"""From nodes to canonical source: parsing what is printed gives an equal tree.

In: a tree as the parser builds it, in any form of it up to a module. Out: text with two spaces of
indent, one item a line, no more parentheses than needed and a last line break. Comments aren't part of
the tree, so they are lost. Relies on texts without carriage returns and on numbers that aren't negative.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from dsl.operators import ArithmeticOp, BinaryOp, CompareOp, DivisionOp, KeepSense, LogicOp, Rounding, UnaryOp
from dsl.syntax import nodes
from dsl.syntax.lexer import reserved_words

PRINT_WIDTH = 110
INDENT = "  "

# Levels of the grammar, loosest first; an operand of a lower level stands in parentheses.
_IF, _IMPLIES, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _POSTFIX, _ATOM = range(11)


def print_module(module: nodes.Module) -> str:
    """Print a whole file. A blank line stands around what takes several lines and between kinds."""
    rows: list[str] = []
    previous: nodes.Declaration | None = None
    previous_rows: list[str] = []
    for declaration in module.declarations:
        new = _declaration(declaration)
        apart = len(new) > 1 or len(previous_rows) > 1 or type(declaration) is not type(previous)
        rows += ["", *new] if previous is not None and apart else new
        previous, previous_rows = declaration, new
    return "".join(row + "\n" for row in rows)


# ------------------------------------------------------------------ words


def print_text(text: str) -> str:
    """Quote a text."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def print_int(value: int) -> str:
    """Write a number: large powers of two as such, else with `_` between thousands from 10_000 on."""
    if value >= 2**20 and value & (value - 1) == 0:
        return f"2^{value.bit_length() - 1}"
    return f"{value:_}" if abs(value) >= 10_000 else str(value)


def _member(name: str) -> str:
    bare = name.isascii() and name.isidentifier() and name not in reserved_words()
    return name if bare else print_text(name)


def _names(names: Iterable[nodes.Ident]) -> str:
    return ", ".join(name.name for name in names)


def _braces(items: Iterable[str]) -> str:
    inner = ", ".join(items)
    return f"{{{inner}}}"


def _block(items: Iterable[str]) -> str:
    inner = ", ".join(items)
    return f"{{ {inner} }}" if inner else "{ }"


# ------------------------------------------------------------------ expressions


def print_expr(expr: nodes.Expression, level: int = _IF) -> str:
    """Print an expression as an operand of the given level; the default needs no parentheses."""
    own, text = _expr(expr)
    return f"({text})" if own < level else text


def print_operand(expr: nodes.Expression) -> str:
    """Print an expression so that `as`, `to` or `with` may follow it."""
    return print_expr(expr, _POSTFIX)


def _expr(expr: nodes.Expression) -> tuple[int, str]:
    """Give the level of an expression and its text without outer parentheses."""
    match expr:
        case nodes.IntLit():
            return _ATOM, print_int(expr.value) + (f" {expr.unit}" if expr.unit is not None else "")
        case nodes.BoolLit():
            return _ATOM, "true" if expr.value else "false"
        case nodes.StrLit():
            return _ATOM, print_text(expr.value)
        case nodes.Name():
            return _ATOM, expr.name
        case nodes.Unary():
            return _unary(expr)
        case nodes.Binary():
            return _binary(expr)
        case nodes.Call():
            return _ATOM, f"{expr.function.value}({_exprs(expr.args)})"
        case nodes.Quantified():
            values = expr.values.name if isinstance(expr.values, nodes.Ident) else print_domain(expr.values)
            return _ATOM, f"{expr.function.value}({expr.bound.name} in {values}: {print_expr(expr.body)})"
        case nodes.If():
            parts = (print_expr(part) for part in (expr.condition, expr.then, expr.otherwise))
            return _IF, "if {} then {} else {}".format(*parts)
        case nodes.First():
            cases = (f"{print_expr(value)}: {print_expr(condition)}" for value, condition in expr.cases)
            return _IF, f"first {_block(cases)} else {print_expr(expr.otherwise)}"
        case nodes.In():
            return _COMPARE, f"{print_expr(expr.operand, _SUM)} in {{{_exprs(expr.values)}}}"
        case nodes.Index():
            return _ATOM, f"{expr.table.name}[{print_expr(expr.key)}]"
        case nodes.WithClause():
            return _POSTFIX, f"{print_expr(expr.body, _POSTFIX)} with ({', '.join(_assigns(expr.changes))})"
        case nodes.BeforeCall():
            return _ATOM, f"before({print_expr(expr.body)})"
        case nodes.PrintedCall():
            return _ATOM, f"printed({print_expr(expr.body)})"
        case nodes.To():
            mode = "" if expr.rounding is Rounding.EXACT else f" {expr.rounding.value}"
            return _POSTFIX, f"{print_expr(expr.operand, _POSTFIX)} to {expr.unit.name}{mode}"
        case nodes.As():
            return _POSTFIX, f"{print_expr(expr.operand, _POSTFIX)} as {expr.unit.name}"
        case _:
            assert_never(expr)


def _unary(expr: nodes.Unary) -> tuple[int, str]:
    match expr.op:
        case UnaryOp.NOT:
            return _NOT, f"not {print_expr(expr.operand, _NOT)}"
        case UnaryOp.NEGATE:
            return _UNARY, f"-{print_expr(expr.operand, _UNARY)}"
        case _:
            assert_never(expr.op)


def _binary(expr: nodes.Binary) -> tuple[int, str]:
    own, left, right = _levels(expr.op)
    left_text, right_text = print_expr(expr.left, left), print_expr(expr.right, right)
    if isinstance(expr.op, DivisionOp):
        return own, f"{expr.op.value}({left_text} / {right_text})"
    return own, f"{left_text} {expr.op.value} {right_text}"


def _levels(op: BinaryOp) -> tuple[int, int, int]:
    """The level of an operator, and those of its left and its right operand."""
    match op:
        case LogicOp.IMPLIES:
            return _IMPLIES, _OR, _IMPLIES
        case LogicOp.OR:
            return _OR, _OR, _AND
        case LogicOp.AND:
            return _AND, _AND, _NOT
        case CompareOp():
            return _COMPARE, _SUM, _SUM
        case ArithmeticOp.ADD | ArithmeticOp.SUBTRACT:
            return _SUM, _SUM, _PRODUCT
        case ArithmeticOp.MULTIPLY | ArithmeticOp.MOD:
            return _PRODUCT, _PRODUCT, _UNARY
        case DivisionOp():
            return _ATOM, _PRODUCT, _UNARY
        case _:
            assert_never(op)


def _exprs(exprs: Iterable[nodes.Expression]) -> str:
    return ", ".join(print_expr(expr) for expr in exprs)


def _assigns(pairs: Iterable[tuple[nodes.Ident, nodes.Expression]]) -> list[str]:
    return [f"{name.name} = {print_expr(value)}" for name, value in pairs]


# ------------------------------------------------------------------ types and domains


def print_domain(domain: nodes.Domain) -> str:
    match domain:
        case nodes.SetDomain():
            return f"{{{_exprs(domain.values)}}}"
        case nodes.RangeDomain():
            step = "" if domain.step == 1 else f" step {print_int(domain.step)}"
            return f"{print_int(domain.low)}..{print_int(domain.high)}{step}"
        case nodes.Pow2Domain():
            return f"pow2 {print_int(domain.low)}..{print_int(domain.high)}"
        case _:
            assert_never(domain)


def _type(kind: nodes.Type) -> str:
    if isinstance(kind, nodes.NamedType):
        return kind.name.name
    return _braces(map(_member, kind.members))


def _show(show: nodes.ShowForm | None) -> list[str]:
    match show:
        case None:
            return []
        case nodes.Show():
            unit = "" if show.unit is None else f"{show.unit.name} "
            return [f"show {unit}to {print_int(show.decimals)} {'decimal' if show.decimals == 1 else 'decimals'}"]
        case nodes.ShowDivided():
            return [f"show divided by {print_int(show.divisor)}{' scientific' if show.scientific else ''}"]
        case _:
            assert_never(show)


# ------------------------------------------------------------------ layout


def _flow(pieces: Iterable[str]) -> list[str]:
    """Put pieces on one line, and what doesn't fit there on further lines, indented."""
    rows: list[str] = []
    for piece in pieces:
        if rows and len(rows[-1]) + 1 + len(piece) <= PRINT_WIDTH:
            rows[-1] += " " + piece
        else:
            rows.append(INDENT * 2 + piece if rows else piece)
    return rows


def _nest(head: str, items: Iterable[list[str]]) -> list[str]:
    """Put items on lines of their own between braces."""
    inner = [INDENT + row if row else row for item in items for row in item]
    return [f"{head} {{", *inner, "}"] if inner else [f"{head} {{ }}"]


def _texts(text: str | None) -> list[str]:
    return [] if text is None else [print_text(text)]


# ------------------------------------------------------------------ declarations


def _declaration(item: nodes.Declaration) -> list[str]:
    match item:
        case nodes.Import():
            return [f"import {print_text(item.path)}"]
        case nodes.UnitDecl():
            singular = "" if item.singular is None else f" singular {item.singular.name}"
            if item.base is None or item.factor is None:
                return [f"unit {item.name.name}{singular}"]
            return [f"unit {item.name.name} = {print_int(item.factor)} {item.base.name}{singular}"]
        case nodes.EnumDecl() | nodes.ConstDecl() | nodes.TableDecl():
            return _shared(item)
        case nodes.SystemDecl():
            head = f"system {item.name.name} {print_text(item.title)}"
            return _nest(head, (_system_item(part) for part in item.items))
        case nodes.ArchetypeDecl():
            fault = "none" if item.fault is None else item.fault.name
            body = [[f"fault {fault}"], [f"tier {item.tier.name}"], *_conditions(item)]
            return _nest(f"archetype {item.name.name} of {item.system.name} {print_text(item.title)}", body)
        case nodes.ComposeDecl():
            parts = f"{item.first.name} + {item.second.name}"
            body = [["fresh"]] * item.fresh + _conditions(item)
            return _nest(f"compose {item.name.name} = {parts} {print_text(item.title)}", body)
        case nodes.CaseDecl():
            return _case(item)
        case nodes.DatasetDecl():
            return _dataset(item)
        case _:
            assert_never(item)


def _shared(item: nodes.EnumDecl | nodes.ConstDecl | nodes.TableDecl) -> list[str]:
    match item:
        case nodes.EnumDecl():
            return [f"enum {item.name.name} {_block(map(_member, item.members))}"]
        case nodes.ConstDecl():
            return _flow([f"const {item.name.name} = {print_expr(item.value)}", *_texts(item.text)])
        case nodes.TableDecl():
            head = f"table {item.name.name}: {_type(item.key)} -> {_type(item.value)}"
            entries = [f"{print_expr(key, _ATOM)}: {print_expr(value)}" for key, value in item.entries]
            rows = [" ".join([head, _block(entries), *_texts(item.text)])]
            if len(rows[0]) > PRINT_WIDTH:
                rows = _nest(head, ([entry + ","] for entry in entries))
                rows[-1] = " ".join([rows[-1], *_texts(item.text)])
            return rows
        case _:
            assert_never(item)


def _conditions(item: nodes.ArchetypeDecl | nodes.ComposeDecl) -> list[list[str]]:
    rows = [[f"{'hard ' if where.hard else ''}where {print_expr(where.condition)}"] for where in item.wheres]
    tells = item.tells if isinstance(item, nodes.ArchetypeDecl) else ()
    rows += [[f"tell {print_expr(tell)}"] for tell in tells]
    rows += [[f"like {like.archetype.name} {print_int(like.percent)}"] for like in item.likes]
    return rows + [_example(example) for example in item.examples]


def _example(item: nodes.Example) -> list[str]:
    codes = " + ".join(code.name for code in item.codes) or "HEALTHY"
    return _flow(
        [
            " ".join(["example", *_texts(item.text)]),
            _block(_assigns(item.settings)),
            f"=> {codes}" + (f" {_block(_assigns(item.fix))}" if item.fix else ""),
            *([f"shows {_block(_assigns(item.shows))}"] if item.shows else []),
        ]
    )


def _case(item: nodes.CaseDecl) -> list[str]:
    head = " ".join([f"case {item.name.name} of {item.system.name} {print_text(item.source)}", *_texts(item.text)])
    body = [_flow(_separated("known {", map(_fact, item.facts), "}"))] if item.facts else []
    body += [[f"where {print_expr(where)}"] for where in item.wheres]
    *rows, last = _nest(head, body)
    return [*rows, *_flow([f"{last} =>", *_separated("", map(_case_answer, item.answers), "", " or")])]


def _fact(item: nodes.Fact) -> str:
    match item:
        case nodes.FactValue():
            return f"{item.name.name} = {print_expr(item.value)}"
        case nodes.FactPresent():
            return _occurrence(item) + (f" {_block(_assigns(item.attributes))}" if item.attributes else "")
        case nodes.FactAbsent():
            return f"not {_occurrence(item)}"
        case _:
            assert_never(item)


def _occurrence(item: nodes.FactPresent | nodes.FactAbsent) -> str:
    return item.name.name + ("" if item.at is None else f"[{print_int(item.at)}]")


def _case_answer(item: nodes.CaseAnswer) -> str:
    codes = " + ".join(code.name for code in item.codes) or "HEALTHY"
    return codes + (f" {_block(_assigns(item.fix))}" if item.fix else "")


def _separated(opening: str, texts: Iterable[str], closing: str, sign: str = ",") -> list[str]:
    """Texts with a sign after each but the last, between an opening and a closing word if there are such."""
    *others, last = texts
    return [word for word in (opening, *(other + sign for other in others), last, closing) if word]


# ------------------------------------------------------------------ systems


def _system_item(item: nodes.SystemItem) -> list[str]:
    match item:
        case nodes.VarBlock():
            return _nest(item.kind, map(_variable_item, item.items))
        case nodes.RelationDecl():
            return _relation(item, "let ")
        case nodes.ProfilerBlock():
            return _nest("profiler", map(_profiler_item, item.items))
        case nodes.LogBlock():
            return _nest("log", map(_log_item, item.items))
        case nodes.RequireDecl():
            head = "require stated" if item.stated else "require"
            return _flow([f"{head} {print_expr(item.condition)}", *_texts(item.text)])
        case nodes.SoundDecl():
            return _flow([f"sound {print_expr(item.condition)}", *_texts(item.text)])
        case nodes.KeepDecl():
            return _keep(item)
        case nodes.RuleDecl():
            return _rule(item)
        case nodes.RunbookDecl():
            return _flow(["runbook " + ", ".join(rule.name for rule in item.rules)])
        case nodes.ConstDecl() | nodes.TableDecl() | nodes.EnumDecl():
            return _shared(item)
        case _:
            assert_never(item)


def _variable_item(item: nodes.VarDecl | nodes.NoiseValue | nodes.VarGroup) -> list[str]:
    match item:
        case nodes.VarDecl():
            return _variable(item)
        case nodes.NoiseValue():
            return _noise_value(item)
        case nodes.VarGroup():
            return _nest(f"group {item.name.name}", map(_variable_item, item.items))
        case _:
            assert_never(item)


def _profiler_item(item: nodes.RelationDecl | nodes.NoiseValue) -> list[str]:
    return _relation(item, "") if isinstance(item, nodes.RelationDecl) else _noise_value(item)


def _log_item(item: nodes.EventDecl | nodes.NoiseLine) -> list[str]:
    return _event(item) if isinstance(item, nodes.EventDecl) else _noise_line(item)


def _noise_value(item: nodes.NoiseValue) -> list[str]:
    domain = "" if item.domain is None else f" in {print_domain(item.domain)}"
    return _flow([f"noise {item.name.name}: {_type(item.type)}{domain}", *_show(item.show)])


def _noise_line(item: nodes.NoiseLine) -> list[str]:
    level = [] if item.level is None else [item.level]
    often = [] if item.often is None else [f"often {print_int(item.often)}"]
    after = [] if item.after is None else [f"after {item.after.name}"]
    before = [] if item.before is None else [f"before {item.before.name}"]
    head = ["noise", *level, f"by {item.logger.name}", *often, *after, *before]
    return _nest(" ".join(head), [_says(item.wordings)])


def _says(wordings: Iterable[nodes.StrLit]) -> list[str]:
    first, *more = (print_text(wording.value) for wording in wordings)
    return _flow([f"says {first}", *(f"| {wording}" for wording in more)])


def _variable(item: nodes.VarDecl) -> list[str]:
    domain = "" if item.domain is None else f" in {print_domain(item.domain)}"
    pieces = [f"{item.name.name}: {_type(item.type)}{domain}", *_texts(item.text)]
    pieces += ["locked"] * item.locked
    if isinstance(item.prefer, str):
        pieces.append(f"prefer {item.prefer}")
    elif item.prefer is not None:
        pieces.append(f"prefer {{{_exprs(item.prefer)}}}")
    if item.default is not None:
        pieces.append(f"default {print_expr(item.default)}")
    pieces += _show(item.show)
    if item.aliases:
        pieces.append("alias " + ", ".join(print_text(alias.value) for alias in item.aliases))
    return _flow(pieces)


def _typed(name: nodes.Ident, kind: nodes.Type | None) -> str:
    return name.name if kind is None else f"{name.name}: {_type(kind)}"


def _relation(item: nodes.RelationDecl, keyword: str) -> list[str]:
    head = f"{keyword}{_typed(item.name, item.type)} = {print_expr(item.value)}"
    condition = [] if item.condition is None else [f"when {print_expr(item.condition)}"]
    return _flow([head, *condition, *_texts(item.text), *_show(item.show)])


def _event(item: nodes.EventDecl) -> list[str]:
    head = [f"event {item.name.name}"]
    if item.repetition is not None:
        head.append(_repetition(item.repetition))
    if item.takes is not None:
        head.append(f"takes {_pace(item.takes)}")
    if item.condition is not None:
        head.append(f"when {print_expr(item.condition)}")
    if item.placement is not None:
        head.append(f"before {item.placement.other.name} when {print_expr(item.placement.condition)}")
    head += [] if item.level is None else [item.level]
    head += [] if item.logger is None else [f"by {item.logger.name}"]
    attributes = [
        _flow([f"attr {_typed(part.name, part.type)} = {print_expr(part.value)}", *_show(part.show)])
        for part in item.attributes
    ]
    return _nest(" ".join([*head, *_texts(item.text)]), [*attributes, _says(item.wordings)])


def _pace(item: nodes.Pace) -> str:
    return print_expr(item.low) + ("" if item.high is None else f"..{print_expr(item.high)}")


def _repetition(item: nodes.Repetition) -> str:
    pace = ""
    if item.pace is not None:
        pace = f" every {_pace(item.pace)}"
    return f"for {item.index.name} in {print_domain(item.values)}{pace}"


def _keep(item: nodes.KeepDecl) -> list[str]:
    sense = "" if item.sense is KeepSense.EQUAL else f" {item.sense.value}"
    return [f"keep {_names(item.names)}{sense}"]


def _rule(item: nodes.RuleDecl) -> list[str]:
    body = [[f"when {print_expr(item.guard)}"]]
    for number, alternative in enumerate(item.alternatives):
        sets = ", ".join(_set_item(part) for part in alternative.sets)
        body.append([f"{'else ' if number else ''}set {sets}"])
    body += [_keep(keep) for keep in item.keeps]
    if item.says is not None:
        body.append([f"says {print_text(item.says.value)}"])
    return _nest(f"rule {item.name.name} {item.code.name} {print_text(item.title)}", body)


def _set_item(item: nodes.SetItem) -> str:
    match item:
        case nodes.SetAssign():
            return f"{item.field.name} = {print_expr(item.value)}"
        case nodes.SetPick():
            return f"{item.field.name} = {item.by.value} where {print_expr(item.where)}"
        case nodes.SetKeeps():
            return f"{item.field.name} keeps {item.quantity.name}"
        case _:
            assert_never(item)


# ------------------------------------------------------------------ datasets


def _dataset(item: nodes.DatasetDecl) -> list[str]:
    head = f"dataset {item.name.name} version {print_text(item.version)} seed {print_int(item.seed)}"
    regions = [
        [f"region {region.name.name} of {region.system.name} = {print_expr(region.condition)}"]
        for region in item.regions
    ]
    return _nest(f"{head} {print_text(item.title)}", [*regions, *map(_split, item.splits)])


def _split(item: nodes.SplitDecl) -> list[str]:
    body = [["boundary"]] * item.boundary
    body += [[f"avoid {_names(item.avoid)}"]] if item.avoid else []
    body += [[f"within {_names(item.within)}"]] if item.within else []
    body += [[f"unseen in {_names(item.unseen)}"]] if item.unseen else []
    body += [[f"require interaction >= {print_int(item.interaction)}"]] if item.interaction != 1 else []
    body += [[f"require margin >= {print_int(item.margin)}"]] if item.margin != 1 else []
    for use in item.uses:
        names = [f"{name.name}," for name in use.archetypes[:-1]] + [use.archetypes[-1].name]
        near = f" near {print_int(use.near)}" if use.near is not None else ""
        body.append(_flow([f"use {names[0]}", *names[1:], f"weight {print_int(use.weight)}{near}"]))
    return _nest(f"split {item.name.name} {print_int(item.count)}", body)
